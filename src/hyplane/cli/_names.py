"""Names of methods and scores for help and completion, which must not import scikit-learn.

`hyplane.evaluation` has what they stand for; a test compares the two.
"""

METHODS = (
    *("hyperbolic", "euclidean", "hyperbolic-ours", "euclidean-ours", "hyperbolic-ovo"),
    *("kernel-secant", "kernel-laplacian"),
    *("kernel-logistic-secant", "kernel-logistic-laplacian", "curved", "curved-logistic"),
    *("hyperplane-logistic", "neighbors", "forest", "auto", "klein", "ambient", "tangent"),
    *("logistic", "rbf"),
)
SCORES = (
    *("macro_aupr", "micro_aupr", "macro_average_precision", "micro_average_precision"),
    *("macro_roc_auc", "micro_roc_auc", "accuracy"),
)
