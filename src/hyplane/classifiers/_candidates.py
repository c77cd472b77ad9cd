"""The candidates of `HyperbolicClassifier`: classifiers and their grids."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from hyplane._utils.parallel import available_memory
from hyplane._utils.typing import Array
from hyplane.classifiers._kernel_machine import KernelMachine
from hyplane.classifiers.forest import HyperbolicForestClassifier
from hyplane.classifiers.kernel_logistic import HyperbolicKernelLogisticRegression
from hyplane.classifiers.kernel_svc import HyperbolicKernelSVC
from hyplane.classifiers.logistic import HyperbolicLogisticRegression
from hyplane.classifiers.neighbors import HyperbolicKNeighborsClassifier
from hyplane.classifiers.svc_cv import HyperbolicSVCCV
from hyplane.features import scale_gamma, scale_radius
from hyplane.geometry import to_polar

FAMILY = ("logistic", "kernel", "neighbors", "forest", "svm")
# Kernel machines have so many landmarks on more than EXACT_ROWS rows.
LANDMARKS = 400
EXACT_ROWS = 1000
# They are fitted to so many rows at most: the features of these take 0.3 GB.
KERNEL_ROWS = 100_000
# Median radius at which the secant kernel is nearly the Gaussian of the tangent vectors.
SMALL_RADIUS = 0.1
# Multiples of the default γ: of the secant kernel with the default radius_scale and with a small
# one, and of the Gaussian in the ball.
LOGISTIC_WIDTHS = ((0.3, 3.0), (0.6,), (0.5,))
SVM_WIDTHS = ((0.3, 3.0), (0.3,), (0.5, 8.0))


@dataclass(eq=False)
class Candidate:
    """A classifier that is not fitted, and how its fits did on the rows left out.

    Candidates of the same ``path`` differ in C alone, and only one of them goes on. Those of the
    same ``kind`` are one method. ``probabilities`` are nan for rows that were not left out yet, and
    ``fitted`` has the number of training rows by fold.
    """

    name: str
    kind: str
    estimator: Any
    path: str = ""
    probabilities: Array = field(default_factory=lambda: np.empty((0, 0)))
    fitted: dict[int, int] = field(default_factory=dict)
    log_loss: float = np.inf
    accuracy: float = np.nan
    average_precision: float = np.nan
    weight: float = 0.0
    seconds: float = 0.0
    end: str = "not tried: max_seconds were over"
    warning: str = ""

    @property
    def n_rows(self) -> int:
        """Training rows of the last round."""
        return max(self.fitted.values(), default=0)


def candidates(
    family: Sequence[str],
    X: Array,
    n_rows: int,
    n_train: int,
    multi_class: bool,
    seed: int,
    chart: dict[str, Any],
) -> list[Candidate]:
    """Return the classifiers to choose from.

    They are compared on the rows X, where ``n_train`` are fitted at least, and chosen for
    ``n_rows``.
    """
    found = []
    seeded: dict[str, Any] = {"random_state": seed, **chart}
    if "logistic" in family:
        found += [
            Candidate(
                f"logistic regression, {name}, C={C:g}",
                f"logistic regression, {name}",
                HyperbolicLogisticRegression(C, surface=surface, tol=1e-4, **chart),
                f"logistic, {name}",
            )
            for surface, name in (("any", "any boundary"), ("hyperplane", "hyperplanes"))
            for C in (0.3, 30.0)
        ]
    if "kernel" in family:
        logistic = HyperbolicKernelLogisticRegression(n_landmarks=LANDMARKS, tol=1e-4, **seeded)
        svm = HyperbolicKernelSVC(
            decision_function_shape="ovo",
            n_landmarks=None if n_rows <= EXACT_ROWS else LANDMARKS,
            **seeded,
        )
        # The small factor leaves out the curvature, the Gaussian of the ball the distance.
        median = float(np.median(to_polar(X, **chart)[0]))
        small = SMALL_RADIUS / max(median, SMALL_RADIUS)
        scales = (("secant", scale_radius(X, **chart)), ("secant", small), ("ball_rbf", 1.0))
        default = [scale_gamma(X, name, radius_scale=factor, **chart) for name, factor in scales]
        found += [
            Candidate(
                f"{kind}, {kernel}, radius_scale={factor:.3g}, γ={gamma:.3g}, C={C:g}",
                kind,
                clone(estimator).set_params(C=C, kernel=kernel, gamma=gamma, radius_scale=factor),
                f"{kind}, {kernel}, {factor}, {gamma}",
            )
            for kind, estimator, widths, Cs in (
                ("kernel logistic regression", logistic, LOGISTIC_WIDTHS, (3.0, 30.0, 300.0)),
                ("kernel SVM", svm, SVM_WIDTHS, (1.0, 10.0, 100.0)),
            )
            for (kernel, factor), scale, multiples in zip(scales, default, widths, strict=True)
            for gamma in (multiple * scale for multiple in multiples)
            for C in Cs
        ]
    # Neighbours of more rows take too long to find.
    if "neighbors" in family and (n_rows <= EXACT_ROWS or len(set(family)) == 1):
        found += [
            Candidate(
                f"{k} nearest neighbour{'s' * (k > 1)}",
                "neighbours",
                HyperbolicKNeighborsClassifier(k, **chart),
            )
            for k in (1, 5, 20)
            if k == 1 or 2 * k <= n_train
        ]
    if "forest" in family:
        # Boosting grows a tree for each of several classes.
        n_trees, rate = (30, 0.2) if multi_class else (100, 0.1)
        trees = HyperbolicForestClassifier(**seeded)
        boosting = HyperbolicForestClassifier(
            n_trees, method="boosting", learning_rate=rate, **seeded
        )
        found += [
            Candidate("extra trees", "extra trees", trees),
            Candidate("boosting", "boosting", boosting),
        ]
    if "svm" in family:
        # One-vs-one is the more accurate of both ways for several classes.
        svm_cv = HyperbolicSVCCV(cv=3, multi_class="ovo", score_function="auto", **seeded)
        found.append(Candidate("hyperbolic SVM", "SVM", svm_cv))
    return found


def affordable(found: Sequence[Candidate], n_rows: int) -> list[Candidate]:
    """Leave out kernel machines whose matrices do not fit in memory, unless there is no other."""
    available, kept = available_memory(), []
    for each in found:
        is_kernel = isinstance(each.estimator, KernelMachine)
        needed = each.estimator.matrix_bytes(min(n_rows, KERNEL_ROWS)) if is_kernel else 0
        if needed > available:
            each.end = f"not tried: it needs {needed / 1e9:.2g} GB of memory"
        else:
            kept.append(each)
    return kept or list(found)
