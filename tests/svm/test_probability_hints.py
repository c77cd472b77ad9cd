"""Classifiers without probabilities say which one has them."""

import pytest

from hyplane import CurvedHyperbolicSVC, HyperbolicKernelSVC, HyperbolicSVC


@pytest.mark.parametrize(
    ("estimator", "other"),
    [
        (HyperbolicSVC, "HyperbolicSVCCV"),
        (CurvedHyperbolicSVC, "HyperbolicLogisticRegression"),
        (HyperbolicKernelSVC, "HyperbolicKernelLogisticRegression"),
    ],
)
def test_an_estimator_without_probabilities_names_one_that_has_them(estimator, other):
    clf = estimator().fit([[0.5, 0.1], [-0.5, 0.3], [0.4, 0.1], [-0.4, 0.2]], [1, 0, 1, 0])
    assert not hasattr(clf, "predict_proba")
    with pytest.raises(AttributeError, match=other):
        clf.predict_proba([[0.1, 0.1]])
