"""What the paper published, quoted as published."""

CITATION = (
    "Cho, DeMeo, Peng, Berger. Large-Margin Classification in Hyperbolic Space. "
    "arXiv:1806.00437; AISTATS 2019."
)
# The two methods that every experiment compares: names of `hyplane.evaluation.METHODS`.
PAPER = ("hyperbolic", "euclidean")
# Not the paper's: our hyperbolic SVM, and the Euclidean SVM with the same grid of C.
OURS = ("hyperbolic-ours", "euclidean-ours")
# The comparisons of our method: with the paper's, and with the rival that has the same grid.
OUR_PAIRS = ((OURS[0], PAPER[0]), OURS)

# The table of real networks: macro AUPR, mean and standard deviation, by embedding, classifier and
# network. Boldface is left out.
NETWORKS = ("karate", "polbooks", "football", "polblogs")
REAL_NETWORKS = {
    kind: dict(zip(NETWORKS, row, strict=True))
    for kind, *row in (
        (("hyperbolic", "hyperbolic"), (0.86, 0.03), (0.73, 0.04), (0.24, 0.03), (0.93, 0.01)),
        (("hyperbolic", "euclidean"), (0.86, 0.03), (0.66, 0.02), (0.21, 0.01), (0.93, 0.01)),
        (("deepwalk-2", "euclidean"), (0.47, 0.07), (0.34, 0.03), (0.09, 0.01), (0.60, 0.09)),
        (("deepwalk-5", "euclidean"), (0.55, 0.08), (0.35, 0.03), (0.10, 0.01), (0.69, 0.04)),
        (("deepwalk-10", "euclidean"), (0.50, 0.08), (0.36, 0.03), (0.10, 0.01), (0.72, 0.04)),
        (("deepwalk-25", "euclidean"), (0.50, 0.09), (0.37, 0.04), (0.11, 0.02), (0.80, 0.03)),
    )
}
