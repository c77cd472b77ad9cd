"""Numbers that steer the solvers; those of compiled code are in `native/tuning.hpp`.

Limits that follow from rounding stand where they are used.
"""

# Where a hyperplane separates far points by a margin beyond 6 (beyond 3 if the search begins on
# samples), there are many minima. The search missed the widest margin in all of 79 problems where
# it is beyond 20, in 22 of 26 between 12 and 20, and in 11 of 52 between 4 and 12; in some, a row
# or two were left on the wrong side. The hard margin finds it in 10 to 50 ms, but takes minutes in
# 2000 dimensions.
WIDE_MARGIN, WIDE_MARGIN_IF_SAMPLED = 6.0, 3.0
FEW_LOSSES = 30.0  # rows that may be on the wrong side
HIGHEST_DIMENSION = 200
CLOSEST_ROWS = 1500  # rows of each class that the hard margin begins with

# Rows that are read block by block. A problem is solved on a sample first.
SAMPLE_ROWS = 1 << 17
MOST_SAMPLED = 1 << 19  # rows of the samples of all classes together
MOST_SAMPLED_NUMBERS = 1 << 23  # 64 MB
LEAST_OF_A_CLASS = 32  # rows
MANY_CLASSES = 16  # or more share a sample of SAMPLE_ROWS where rows are many
PROBLEMS_TOGETHER = 512  # share a pass
WORKING_ROWS = 1 << 20  # that these keep in memory together

# The hard margin.
N_ORIGINS = 3  # of 270 problems 251 are proven from one, 254 from two, 256 from three or five
