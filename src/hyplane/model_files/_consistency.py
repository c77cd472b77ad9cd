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
from sklearn.svm import SVC, LinearSVC

from hyplane.baselines import EuclideanSVCCV, NestedCV
from hyplane.classifiers import (
    SCORE_FUNCTIONS,
    HyperbolicClassifier,
    HyperbolicKernelSVC,
    HyperbolicSVC,
    HyperbolicSVCCV,
)
from hyplane.features import ChartTransformer
from hyplane.geometry import from_polar
from hyplane.model_files._arrays import (
    check_kernel,
    count_classes,
    count_columns,
    dimension,
    integers,
    numbers,
)
from hyplane.model_files._families import FAMILY_CHECKS

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
    if type(estimator) in FAMILY_CHECKS:
        FAMILY_CHECKS[type(estimator)](estimator)
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
    count_columns(chart)


def _check_decomposition(clf: Any) -> None:
    n_classes, n_problems = count_classes(clf), len(clf.results_)
    if clf.decomposition_ not in _DECOMPOSITIONS:
        raise ValueError(f"its decomposition is {clf.decomposition_!r}")
    pairs = n_classes * (n_classes - 1) // 2
    wanted = {"binary": 1, "ovo": pairs}.get(clf.decomposition_, n_classes)
    if n_problems != wanted or (clf.decomposition_ == "binary" and n_classes != 2):
        raise ValueError(f"it has {n_problems} results for {n_classes} classes")
    count_columns(clf)
    sigmoids = getattr(clf, "sigmoids_", None)
    if sigmoids is not None:
        numbers(sigmoids.slope, "the slopes", (n_problems,))
        numbers(sigmoids.intercept, "the intercepts", (n_problems,))


def _check_hyperplanes(clf: Any) -> None:
    _check_decomposition(clf)
    n, dim = len(clf.results_), dimension(clf)
    planes = clf.hyperplanes_
    numbers(planes.log_scale, "the scales of the hyperplanes", (n,))
    numbers(planes.offset, "the offsets of the hyperplanes", (n,), finite=False)
    if np.isnan(planes.offset).any():
        raise ValueError("an offset of a hyperplane is nan")
    numbers(planes.normal, "the normals of the hyperplanes", (n, dim))
    names = getattr(clf, "score_functions_", None)
    if names is not None and (np.shape(names) != (n,) or not np.isin(names, SCORE_FUNCTIONS).all()):
        raise ValueError("its score functions are not one known name for each hyperplane")


def _check_euclidean(clf: Any) -> None:
    _check_decomposition(clf)
    n = count_columns(clf) if clf.coordinates is None else dimension(clf)
    for result in clf.results_:
        numbers(result, "a result", (n + 1,))


def _check_nested(clf: Any) -> None:
    _check_decomposition(clf)
    for inner in clf.results_:
        if inner is None:
            continue
        check_arrays(inner)
        if inner.n_features_in_ != clf.n_features_in_:
            raise ValueError("its classifiers take another number of columns")


def _check_kernel_svc(clf: Any) -> None:
    check_kernel(clf)
    n_classes, n = count_classes(clf), len(clf.support_vectors_)
    wanted = "binary" if n_classes == 2 else "ovo"
    if clf.decomposition_ == "multilabel":
        numbers(clf.support_vectors_, "the support vectors", (n, count_columns(clf)))
        numbers(clf.dual_coef_, "the coefficients", (n_classes, n))
        numbers(clf.intercept_, "the intercepts", (n_classes,))
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
    numbers(svc._gamma, "gamma", ())
    _check_support(svc, svc._n_support, svc._dual_coef_, svc._intercept_)
    n, pairs = len(svc.support_vectors_), len(svc._intercept_)
    integers(svc.support_, "the rows of the support vectors", (n,), np.int32)
    shape = (1 if pairs == 1 else count_classes(svc) - 1, n)
    numbers(svc.dual_coef_, "the coefficients", shape)
    numbers(svc.intercept_, "the intercepts", (pairs,))
    for name in ("_probA", "_probB"):
        numbers(getattr(svc, name), name, (0,))
    numbers(svc.class_weight_, "the class weights", (count_classes(svc),))
    if len(svc.shape_fit_) != 2 or svc.shape_fit_[1] != count_columns(svc):
        raise ValueError(f"its SVC was fitted on {svc.shape_fit_}")


def _check_support(clf: Any, n_support: Any, dual_coef: Any, intercept: Any) -> None:
    n_classes, n = count_classes(clf), len(clf.support_vectors_)
    numbers(clf.support_vectors_, "the support vectors", (n, count_columns(clf)))
    integers(n_support, "the numbers of support vectors", (n_classes,), np.int32)
    if (n_support < 0).any() or n_support.sum() != n:
        raise ValueError(f"it has {n} support vectors, not {n_support.tolist()}")
    numbers(dual_coef, "the coefficients", (n_classes - 1, n))
    numbers(intercept, "the intercepts", (n_classes * (n_classes - 1) // 2,))


def _check_linear(clf: Any) -> None:
    n_classes = count_classes(clf)
    n = 1 if n_classes == 2 else n_classes
    numbers(clf.coef_, "the coefficients", (n, count_columns(clf)))
    if np.ndim(clf.intercept_):
        numbers(clf.intercept_, "the intercepts", (n,))
    elif not np.isfinite(clf.intercept_):
        raise ValueError("an intercept is not finite")


def _check_selected(clf: Any) -> None:
    count_classes(clf)
    if not isinstance(clf.estimators_, list) or not clf.estimators_:
        raise ValueError("it holds no classifiers")
    for inner in clf.estimators_:
        check_arrays(inner)
        if count_columns(inner) != count_columns(clf) or len(inner.classes_) != len(clf.classes_):
            raise ValueError("a classifier of its average takes other columns or has other classes")
        pairs = getattr(inner, "decision_function_shape", None) == "ovo"
        if not (pairs or hasattr(inner, "predict_proba")):
            raise ValueError("a classifier of its average has no probabilities nor scores of pairs")
    if clf.decomposition_ not in ("binary", "joint", "multilabel"):
        raise ValueError(f"its labels are {clf.decomposition_!r}")
    shape = (len(clf.estimators_),)
    numbers(clf.weights_, "the weights of its classifiers", shape)
    numbers(clf.powers_, "the powers of its classifiers", shape)
    if min(clf.weights_) < 0 or abs(clf.weights_.sum() - 1.0) > 1e-6:
        raise ValueError("the weights of its classifiers are not shares of 1")
    powers = [*clf.powers_.tolist(), clf.power_]
    if not all(isinstance(power, float) and 0 < power <= 100 for power in powers):
        raise ValueError(f"its powers are {powers}")


_CHECKS: dict[type[Any], Callable[[Any], None]] = {
    HyperbolicSVC: _check_hyperplanes,
    HyperbolicSVCCV: _check_hyperplanes,
    EuclideanSVCCV: _check_euclidean,
    NestedCV: _check_nested,
    HyperbolicKernelSVC: _check_kernel_svc,
    ChartTransformer: _check_chart,
    Pipeline: _check_pipeline,
    LinearSVC: _check_linear,
    LogisticRegression: _check_linear,
    SVC: _check_svc,
    HyperbolicClassifier: _check_selected,
}


def _origin(estimator: Any) -> Any:
    """Return the origin in the chart of a classifier, as a table of one row."""
    inner = getattr(estimator, "estimator", estimator)
    first = inner.steps[0][1] if hasattr(inner, "steps") else inner
    coordinates = first.coordinates or "ball"
    dim = dimension(estimator, coordinates)
    curvature = first.curvature
    return from_polar(np.zeros(1), np.eye(1, dim), coordinates, curvature=curvature)
