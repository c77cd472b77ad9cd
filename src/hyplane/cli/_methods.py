"""Classifiers by name, for `fit`."""

from collections.abc import Callable
from functools import partial
from typing import Any

from hyplane.baselines import (
    TangentSVC,
    ambient_svm,
    ball_svm,
    klein_svm,
    logistic_regression,
    rbf_svc,
)
from hyplane.svm import HyperbolicKernelSVC, HyperbolicSVC

# Called as in `hyplane evaluate`; each takes C, coordinates, curvature and class_weight.
METHODS: dict[str, Callable[..., Any]] = {
    "hyperbolic": HyperbolicSVC,
    "euclidean": ball_svm,
    "kernel-secant": partial(HyperbolicKernelSVC, kernel="secant"),
    "kernel-laplacian": partial(HyperbolicKernelSVC, kernel="laplacian"),
    "klein": klein_svm,
    "ambient": ambient_svm,
    "tangent": TangentSVC,
    "logistic": logistic_regression,
    "rbf": rbf_svc,
}
