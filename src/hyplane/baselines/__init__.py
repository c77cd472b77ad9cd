"""Euclidean baselines with scikit-learn's API that take points of any chart.

The paper's Euclidean baseline is `ball_svm`: a linear SVM on ball coordinates, with a bias.
"""

from hyplane.baselines.euclidean import EuclideanSVCCV
from hyplane.baselines.nested_cv import NestedCV
from hyplane.baselines.pipelines import (
    ambient_svm,
    ball_svm,
    klein_svm,
    logistic_regression,
    rbf_svc,
)

__all__ = [
    "EuclideanSVCCV",
    "NestedCV",
    "ambient_svm",
    "ball_svm",
    "klein_svm",
    "logistic_regression",
    "rbf_svc",
]
