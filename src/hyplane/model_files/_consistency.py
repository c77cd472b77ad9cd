"""Whether what a loaded classifier learned fits together.

A file with a matching checksum can still be forged. Compiled code of scikit-learn follows counts
and shapes without looking, so they are compared here first; then the classifier has to predict the
origin, which finds whatever else is missing.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from hyplane.baselines import ChartTransformer, EuclideanSVCCV, LinearSVC, NestedCV, TangentSVC
from hyplane.geometry import from_polar
from hyplane.svm import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.svm.score_functions import SCORE_FUNCTIONS

_MORE_DIMENSIONS = {"hyperboloid": -1}  # columns beyond the dimension, taken off again
_MOST_COLUMNS = 1_000_000
_DECOMPOSITIONS = ("binary", "ovr", "ovo", "multilabel")


def check_model(estimator: Any) -> None:
    """Check a classifier from a file.

    Parameters
    ----------
    estimator : classifier
        One that a model file can hold.

    Raises
    ------
    ValueError
        If its arrays do not fit together.
    Exception
        Whatever it raises when it predicts one point.
    """
    check_arrays(estimator)
    if isinstance(estimator, ChartTransformer):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the point has no feature names
        predicted = estimator.predict(_origin(estimator))
    if len(predicted) != 1:
        raise ValueError("it does not predict one label for one point")


def check_arrays(estimator: Any) -> None:
    """Check the arrays of a classifier and of those inside it, by the kind of each.

    Parameters
    ----------
    estimator : classifier

    Raises
    ------
    ValueError
        If the arrays do not fit together.
    """
    validate = getattr(estimator, "_validate_params", None)
    if validate is not None and not isinstance(estimator, Pipeline):
        validate()
    check = _CHECKS.get(type(estimator))
    if check is not None:
        check(estimator)


def _check_pipeline(pipeline: Any) -> None:
    kinds = [type(step) for _, step in pipeline.steps]
    last = (SVC, LinearSVC, LogisticRegression)
    if len(kinds) != 2 or kinds[0] is not ChartTransformer or kinds[1] not in last:
        raise ValueError("its pipeline is not one of hyplane.baselines: a chart and a classifier")
    for _, step in pipeline.steps:
        check_arrays(step)


def _check_chart(chart: Any) -> None:
    _n_columns(chart)


def _check_decomposition(clf: Any) -> None:
    n_classes, n_problems = _n_classes(clf), len(clf.results_)
    if clf.decomposition_ not in _DECOMPOSITIONS:
        raise ValueError(f"its decomposition is {clf.decomposition_!r}")
    pairs = n_classes * (n_classes - 1) // 2
    wanted = {"binary": 1, "ovo": pairs}.get(clf.decomposition_, n_classes)
    if n_problems != wanted or (clf.decomposition_ == "binary" and n_classes != 2):
        raise ValueError(f"it has {n_problems} results for {n_classes} classes")
    _n_columns(clf)
    sigmoids = getattr(clf, "sigmoids_", None)
    if sigmoids is not None:
        _numbers(sigmoids.slope, "the slopes", (n_problems,))
        _numbers(sigmoids.intercept, "the intercepts", (n_problems,))


def _check_hyperplanes(clf: Any) -> None:
    _check_decomposition(clf)
    n, dim = len(clf.results_), _n_columns(clf) + _MORE_DIMENSIONS.get(clf.coordinates, 0)
    planes = clf.hyperplanes_
    _numbers(planes.log_scale, "the scales of the hyperplanes", (n,))
    _numbers(planes.offset, "the offsets of the hyperplanes", (n,), finite=False)
    if np.isnan(planes.offset).any():
        raise ValueError("an offset of a hyperplane is nan")
    _numbers(planes.normal, "the normals of the hyperplanes", (n, dim))
    names = getattr(clf, "score_functions_", None)
    if names is not None and (np.shape(names) != (n,) or not np.isin(names, SCORE_FUNCTIONS).all()):
        raise ValueError("its score functions are not one known name for each hyperplane")


def _check_euclidean(clf: Any) -> None:
    _check_decomposition(clf)
    for result in clf.results_:
        _numbers(result, "a result", (_n_columns(clf) + 1,))


def _check_nested(clf: Any) -> None:
    _check_decomposition(clf)
    for inner in clf.results_:
        if inner is None:
            continue
        check_arrays(inner)
        if inner.n_features_in_ != clf.n_features_in_:
            raise ValueError("its classifiers take another number of columns")


def _check_kernel_svc(clf: Any) -> None:
    if not isinstance(clf.kernel, str):
        raise ValueError("its kernel is no name")
    if not (isinstance(clf.gamma_, float) and 0 < clf.gamma_ < np.inf):
        raise ValueError(f"its gamma is {clf.gamma_!r}")
    n_classes, n = _n_classes(clf), len(clf.support_vectors_)
    wanted = "binary" if n_classes == 2 else "ovo"
    if clf.decomposition_ == "multilabel":
        _numbers(clf.support_vectors_, "the support vectors", (n, _n_columns(clf)))
        _numbers(clf.dual_coef_, "the coefficients", (n_classes, n))
        _numbers(clf.intercept_, "the intercepts", (n_classes,))
        return
    if clf.decomposition_ != wanted:
        raise ValueError(f"its classes are divided as {clf.decomposition_!r}")
    _check_support(clf, clf.n_support_, clf.dual_coef_, clf.intercept_)


def _check_svc(svc: Any) -> None:
    """Everything that libsvm indexes."""
    if not isinstance(svc.kernel, str) or svc.kernel == "precomputed":
        raise ValueError("its SVC has no kernel that can be stored")
    if svc._sparse is not False or svc._effective_probability is not False:
        raise ValueError("its SVC is sparse or has probabilities, which are not stored")
    _numbers(svc._gamma, "gamma", ())
    _check_support(svc, svc._n_support, svc._dual_coef_, svc._intercept_)
    n, pairs = len(svc.support_vectors_), len(svc._intercept_)
    _whole(svc.support_, "the rows of the support vectors", (n,), np.int32)
    shape = (1 if pairs == 1 else _n_classes(svc) - 1, n)
    _numbers(svc.dual_coef_, "the coefficients", shape)
    _numbers(svc.intercept_, "the intercepts", (pairs,))
    for name in ("_probA", "_probB"):
        _numbers(getattr(svc, name), name, (0,))
    _numbers(svc.class_weight_, "the class weights", (_n_classes(svc),))
    if len(svc.shape_fit_) != 2 or svc.shape_fit_[1] != _n_columns(svc):
        raise ValueError(f"its SVC was fitted on {svc.shape_fit_}")


def _check_support(clf: Any, n_support: Any, dual_coef: Any, intercept: Any) -> None:
    n_classes, n = _n_classes(clf), len(clf.support_vectors_)
    _numbers(clf.support_vectors_, "the support vectors", (n, _n_columns(clf)))
    _whole(n_support, "the numbers of support vectors", (n_classes,), np.int32)
    if (n_support < 0).any() or n_support.sum() != n:
        raise ValueError(f"it has {n} support vectors, not {n_support.tolist()}")
    _numbers(dual_coef, "the coefficients", (n_classes - 1, n))
    _numbers(intercept, "the intercepts", (n_classes * (n_classes - 1) // 2,))


def _check_linear(clf: Any) -> None:
    n_classes = _n_classes(clf)
    n = 1 if n_classes == 2 else n_classes
    _numbers(clf.coef_, "the coefficients", (n, _n_columns(clf)))
    if np.ndim(clf.intercept_):
        _numbers(clf.intercept_, "the intercepts", (n,))
    elif not np.isfinite(clf.intercept_):
        raise ValueError("an intercept is not finite")


def _check_tangent(clf: Any) -> None:
    n = 1 if _n_classes(clf) == 2 else _n_classes(clf)
    dim = _n_columns(clf) + _MORE_DIMENSIONS.get(clf.coordinates, 0)
    _numbers(clf.coef_, "the coefficients", (n, dim))
    _numbers(clf.intercept_, "the intercepts", (n,))
    _numbers(clf._references, "the reference points", (n, dim))


_CHECKS: dict[type[Any], Callable[[Any], None]] = {
    HyperbolicSVC: _check_hyperplanes,
    HyperbolicSVCCV: _check_hyperplanes,
    EuclideanSVCCV: _check_euclidean,
    NestedCV: _check_nested,
    HyperbolicKernelSVC: _check_kernel_svc,
    TangentSVC: _check_tangent,
    ChartTransformer: _check_chart,
    Pipeline: _check_pipeline,
    LinearSVC: _check_linear,
    LogisticRegression: _check_linear,
    SVC: _check_svc,
}


def _n_classes(clf: Any) -> int:
    classes = clf.classes_
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not len(classes):
        raise ValueError("its classes are no list")
    return len(classes)


def _n_columns(clf: Any) -> int:
    n = clf.n_features_in_
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= _MOST_COLUMNS:
        raise ValueError(f"its number of columns is {n!r}")
    return n


def _numbers(value: Any, what: str, shape: tuple[int, ...], *, finite: bool = True) -> None:
    array = np.asarray(value)
    if array.dtype.kind != "f" or array.shape != shape:
        raise ValueError(f"{what} are {array.dtype} of shape {array.shape}, not {shape}")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{what} are not all finite")


def _whole(value: Any, what: str, shape: tuple[int, ...], kind: type[Any]) -> None:
    if getattr(value, "dtype", None) != kind or value.shape != shape:
        raise ValueError(f"{what} are not integers of shape {shape}")


def _origin(estimator: Any) -> Any:
    """Return the origin in the chart of a classifier, as a table of one row."""
    inner = getattr(estimator, "estimator", estimator)
    first = inner.steps[0][1] if hasattr(inner, "steps") else inner
    coordinates = first.coordinates or "ball"
    dim = estimator.n_features_in_ + _MORE_DIMENSIONS.get(coordinates, 0)
    curvature = first.curvature
    return from_polar(np.zeros(1), np.eye(1, dim), coordinates, curvature=curvature)
