"""Whether the arrays of the probabilistic and curved classifiers fit together."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hyplane.classifiers import (
    CurvedHyperbolicSVC,
    HorofunctionForestClassifier,
    HyperbolicKernelLogisticRegression,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
    NeighborIndex,
    Trees,
)
from hyplane.features import HorofunctionFeatures
from hyplane.model_files._arrays import (
    check_kernel,
    count_classes,
    count_columns,
    dimension,
    integers,
    numbers,
)
from hyplane.solvers.curved_margin import CurvedMarginResult

_KINDS = ("binary", "joint", "multilabel")


def _n_rows(clf: Any) -> int:
    """Return the rows that the coefficients of the classes have."""
    n_classes = count_classes(clf)
    if clf.decomposition_ not in _KINDS or (clf.decomposition_ == "binary") != (
        n_classes == 2 and clf.decomposition_ != "multilabel"
    ):
        raise ValueError(f"its {n_classes} classes are divided as {clf.decomposition_!r}")
    return 1 if clf.decomposition_ == "binary" else n_classes


def _check_curved(clf: Any) -> None:
    dim, results = dimension(clf), clf.results_
    pairs = count_classes(clf) * (count_classes(clf) - 1) // 2
    wanted = {"binary": 1, "ovo": pairs}.get(clf.decomposition_, count_classes(clf))
    if not isinstance(results, list) or len(results) != wanted:
        raise ValueError(f"it has no {wanted} results")
    for result in results:
        if not isinstance(result, CurvedMarginResult):
            raise ValueError("its results are of another kind")
        numbers(result.w, "the normals", (dim + 1,))
        numbers(result.log_scale, "the scales", ())
        numbers(result.level, "the levels", ())
        if result.sign not in (1.0, -1.0):
            raise ValueError(f"a sign is {result.sign!r}")
    numbers(clf.coef_, "the normals", (wanted, dim + 1))
    numbers(clf.level_, "the levels", (wanted,))


def _check_logistic(clf: Any) -> None:
    n = _n_rows(clf)
    numbers(clf.coef_, "the coefficients", (n, dimension(clf) + 1))
    numbers(clf.level_, "the levels", (n,))


def _check_kernel_logistic(clf: Any) -> None:
    n, landmarks = _n_rows(clf), len(clf.landmarks_)
    check_kernel(clf)
    numbers(clf.landmarks_, "the landmarks", (landmarks, count_columns(clf)))
    numbers(clf.dual_coef_, "the coefficients", (n, landmarks))
    numbers(clf.intercept_, "the intercepts", (n,))


def _check_neighbors(clf: Any) -> None:
    _n_rows(clf)
    n_classes, index, codes = count_classes(clf), clf.index_, clf.codes_
    if not isinstance(index, NeighborIndex):
        raise ValueError("it has no index of points")
    m = len(index)
    numbers(index.X, "the points", (m, count_columns(clf)))
    if index.coordinates != clf.coordinates or index.curvature != clf.curvature:
        raise ValueError("its points are in another chart")
    if clf.n_neighbors > m:
        raise ValueError(f"it has {m} points, and asks for {clf.n_neighbors} neighbours")
    shape = (m, n_classes) if clf.decomposition_ == "multilabel" else (m,)
    integers(codes, "the classes of the points", shape)
    if codes.min() < 0 or codes.max() >= (2 if codes.ndim == 2 else n_classes):
        raise ValueError("a point has a class that there is not")
    numbers(clf.class_shares_, "the shares of the classes", (n_classes,))


def _check_features(features: Any) -> None:
    ideal = features.ideal_points_
    numbers(ideal, "the ideal points", (len(ideal), dimension(features)))
    if not len(ideal) or np.abs((ideal**2).sum(axis=1) - 1.0).max() > 1e-6:
        raise ValueError("its ideal points are not unit vectors")


def _check_forest(clf: Any) -> None:
    _n_rows(clf)
    features, trees = clf.features_, clf.trees_
    if not isinstance(features, HorofunctionFeatures) or not isinstance(trees, Trees):
        raise ValueError("it has no features or no trees")
    _check_features(features)
    if count_columns(features) != count_columns(clf):
        raise ValueError("its features take another number of columns")
    n = len(trees.feature)
    for name in ("feature", "left", "right"):
        integers(getattr(trees, name), f"the numbers {name}", (n,))
    integers(trees.roots, "the roots", (len(trees.roots),))
    numbers(trees.threshold, "the thresholds", (n,), finite=False)
    numbers(trees.value, "the values", (n, count_classes(clf)))
    if not len(trees.roots) or trees.feature.max() >= len(features.ideal_points_):
        raise ValueError("the trees compare features that there are not")
    if np.isnan(trees.threshold).any():
        raise ValueError("a threshold is nan")
    numbers(clf.class_shares_, "the shares of the classes", (count_classes(clf),))


FAMILY_CHECKS: dict[type[Any], Callable[[Any], None]] = {
    CurvedHyperbolicSVC: _check_curved,
    HyperbolicLogisticRegression: _check_logistic,
    HyperbolicKernelLogisticRegression: _check_kernel_logistic,
    HyperbolicKNeighborsClassifier: _check_neighbors,
    HorofunctionFeatures: _check_features,
    HorofunctionForestClassifier: _check_forest,
}
