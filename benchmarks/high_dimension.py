"""Fits in 100 to 1024 dimensions: time against LinearSVC, and what an independent descent gains.

    python benchmarks/high_dimension.py            about ten minutes
    python benchmarks/high_dimension.py --quick    up to 2000 rows of 256 dimensions
    python benchmarks/high_dimension.py --dims 512 --rows 2000

Two Gaussian clouds of points at distances of about 2 from the origin; times of the processor. The
last column is the gain of `smoothed_descent.py` from the hyperplane of the fit.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everybody

import numpy as np
from sklearn.svm import LinearSVC
from smoothed_descent import gain

from hyplane.geometry import convert
from hyplane.solvers import Points, solve_soft_margin

DIMENSIONS, ROWS = (100, 256, 512, 1024), (300, 2000, 5000)
# How far apart the class means are, in standard deviations, and C.
CASES = (("separated", 18.0, 1.0), ("some", 4.8, 1.0), ("strong", 1.2, 1.0), ("strong", 1.2, 100.0))


def clouds(m: int, n: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two clouds in tangent coordinates, and their labels."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(m) < 0.5, 1, -1).astype(np.int8)
    V = rng.standard_normal((m, n))
    V[:, 0] += 0.5 * apart * y
    return 2.0 / np.sqrt(n) * V, y


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--dims", type=int, nargs="+", help="dimensions")
    parser.add_argument("--rows", type=int, nargs="+", help="numbers of rows")
    options = parser.parse_args()
    dims = options.dims or DIMENSIONS[: 2 if options.quick else None]
    rows = options.rows or ROWS[: 2 if options.quick else None]
    print("| n | m | overlap | C | LinearSVC | hyplane | converged | gain of further descent |")
    print("|--:|--:|---|--:|--:|--:|---|--:|")
    for n in dims:
        for m in rows:
            for overlap, apart, C in CASES:
                V, y = clouds(m, n, apart)
                X, points = convert(V, "tangent", "ball"), Points.from_chart(V, "tangent")
                start = time.process_time()
                LinearSVC(dual=False).fit(X, y)
                linear = time.process_time() - start
                start = time.process_time()
                result = solve_soft_margin(points, y, C=C)
                ours = time.process_time() - start
                gained = gain(result, convert(V, "tangent", "polar"), y, C)
                print(
                    f"| {n} | {m} | {overlap} | {C:g} | {1e3 * linear:.0f} ms | "
                    f"{1e3 * ours:.0f} ms | {'yes' if result.converged else 'no'} | {gained:.0e} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
