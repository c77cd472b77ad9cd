"""The classifiers there are to choose from."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hyplane._utils.typing import Array
from hyplane.classifiers.forest import HorofunctionForestClassifier
from hyplane.classifiers.kernel_logistic import HyperbolicKernelLogisticRegression
from hyplane.classifiers.kernel_svc import HyperbolicKernelSVC
from hyplane.classifiers.logistic import HyperbolicLogisticRegression
from hyplane.classifiers.neighbors import HyperbolicKNeighborsClassifier
from hyplane.classifiers.svc_cv import HyperbolicSVCCV
from hyplane.features import scale_gamma

# Kinds of classifiers, by name.
FAMILY = ("logistic", "kernel", "neighbors", "forest", "svm")
# Their grids: wide grids at first, since weak candidates leave after a fold or two.
LOGISTIC_CS = (0.1, 1.0, 10.0, 100.0)
# Wide kernels with large C were best on one set, narrow ones on others.
KERNEL_CS = (3.0, 30.0, 300.0)
KERNEL_WIDTHS = {"secant": (0.2, 1.0, 4.0), "laplacian": (0.3, 1.0), "tangent_rbf": (0.3, 1.0, 3.0)}
# The hinge loss is often more accurate where log loss prefers the logistic one. The RBF in the ball
# made SVMs better on tables that were mapped to the ball, and logistic regression not.
KERNEL_SVM_CS = (1.0, 10.0, 100.0)
KERNEL_SVM_WIDTHS = {**KERNEL_WIDTHS, "ball_rbf": (0.5, 1.0, 2.0, 8.0)}
NEIGHBORS = (1, 5, 15, 40)
LEAVES = (1, 3)
SVM_CS = (0.1, 1.0, 10.0)


@dataclass(frozen=True)
class Candidate:
    """A classifier with its settings.

    Attributes
    ----------
    name : str
        A name for tables.
    estimator : classifier
        Not fitted; it has `predict_proba` or scores of pairs of classes.
    path : str
        The same for candidates that differ in C alone. Only one of them reaches the end;
        those with `fit_path` are fitted together.
    """

    name: str
    estimator: Any
    path: str = ""


def candidates(
    kinds: Iterable[str],
    X: Array,
    n_train: int,
    multi_class: bool,
    seed: int,
    chart: dict[str, Any],
) -> list[Candidate]:
    """Return the family for some data.

    Parameters
    ----------
    kinds : iterable of str
        Names from `FAMILY`.
    X : ndarray of shape (m, n_columns)
        Points, for the widths of the kernels.
    n_train : int
        Rows of the smallest training part: neighbours have to be fewer.
    multi_class : bool
        Whether there are more than two classes, for which one-vs-one is offered too.
    seed : int
        Seed of all that is random.
    chart : dict
        ``coordinates`` and ``curvature``.

    Returns
    -------
    candidates : list of Candidate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.1, 0.2], [0.3, -0.1], [-0.5, 0.2]])
    >>> chart = {"coordinates": "ball", "curvature": -1.0}
    >>> [each.name for each in candidates(["forest"], X, 2, False, 0, chart)]
    ['forest on horofunctions, leaves of 1 or more', 'forest on horofunctions, leaves of 3 or more']
    """
    makers = {
        "logistic": lambda: _logistic(chart),
        "kernel": lambda: _kernel(X, seed, chart),
        "neighbors": lambda: _neighbors(n_train, chart),
        "forest": lambda: _forest(seed, chart),
        "svm": lambda: _svm(multi_class, seed, chart),
    }
    return [candidate for kind in kinds for candidate in makers[kind]()]


def _logistic(chart: dict[str, Any]) -> list[Candidate]:
    return [
        Candidate(
            f"logistic regression, {kind}, C={C:g}",
            HyperbolicLogisticRegression(C, surface=surface, tol=1e-4, **chart),
            path=f"logistic, {kind}",
        )
        for surface, kind in (("any", "any boundary"), ("hyperplane", "hyperplanes"))
        for C in LOGISTIC_CS
    ]


def _kernel(X: Array, seed: int, chart: dict[str, Any]) -> list[Candidate]:
    logistic = partial(
        HyperbolicKernelLogisticRegression, n_landmarks=500, tol=1e-4, random_state=seed, **chart
    )
    svm = partial(HyperbolicKernelSVC, decision_function_shape="ovo", **chart)
    return [
        Candidate(
            f"kernel {kind}, {kernel}, γ={gamma:.3g}, C={C:g}",
            make(C=C, kernel=kernel, gamma=gamma),
            path=f"{kind}, {kernel}, {gamma}",
        )
        for kind, make, kernels, Cs in (
            ("logistic regression", logistic, KERNEL_WIDTHS, KERNEL_CS),
            ("SVM", svm, KERNEL_SVM_WIDTHS, KERNEL_SVM_CS),
        )
        for kernel, widths in kernels.items()
        for gamma in np.multiply(widths, scale_gamma(X, kernel, **chart)).tolist()
        for C in Cs
    ]


def _neighbors(n_train: int, chart: dict[str, Any]) -> list[Candidate]:
    return [
        Candidate(
            f"{k} nearest neighbour{'s' * (k > 1)}", HyperbolicKNeighborsClassifier(k, **chart)
        )
        for k in NEIGHBORS
        if k == 1 or 2 * k <= n_train
    ]


def _forest(seed: int, chart: dict[str, Any]) -> list[Candidate]:
    return [
        Candidate(
            f"forest on horofunctions, leaves of {leaf} or more",
            HorofunctionForestClassifier(min_samples_leaf=leaf, random_state=seed, **chart),
        )
        for leaf in LEAVES
    ]


def _svm(multi_class: bool, seed: int, chart: dict[str, Any]) -> list[Candidate]:
    return [
        Candidate(
            f"hyperbolic SVM, {kind}",
            HyperbolicSVCCV(
                SVM_CS,
                cv=3,
                multi_class=decomposition,
                score_function="auto",
                random_state=seed,
                **chart,
            ),
        )
        for decomposition, kind in (("ovo", "one-vs-one"), ("ovr", "one-vs-rest"))
        if multi_class or decomposition == "ovr"
    ]
