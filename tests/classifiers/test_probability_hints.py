"""Classifiers without probabilities say which one has them."""

import pytest

from hyplane import CurvedHyperbolicSVC, HyperbolicKernelSVC, HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians


@pytest.mark.parametrize(
    ("estimator", "other"),
    [
        (HyperbolicSVC, "HyperbolicSVCCV"),
        (CurvedHyperbolicSVC, "HyperbolicLogisticRegression"),
        (HyperbolicKernelSVC, "HyperbolicKernelLogisticRegression"),
    ],
)
def test_an_estimator_without_probabilities_names_one_that_has_them(estimator, other):
    clf = estimator().fit(*make_hyperbolic_gaussians(60, random_state=0))
    assert not hasattr(clf, "predict_proba")
    with pytest.raises(AttributeError, match=other):
        clf.predict_proba([[0.1, 0.1]])
