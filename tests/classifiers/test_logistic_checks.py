"""scikit-learn's checks, for all logistic regressions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import HyperbolicKernelLogisticRegression, HyperbolicLogisticRegression


@parametrize_with_checks(
    [
        HyperbolicLogisticRegression(coordinates="tangent"),
        HyperbolicLogisticRegression(surface="hyperplane", coordinates="tangent"),
        HyperbolicKernelLogisticRegression(coordinates="tangent"),
        HyperbolicKernelLogisticRegression(kernel="laplacian", coordinates="tangent"),
    ]
)
@pytest.mark.filterwarnings("ignore:the solver stopped before it converged")
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)
