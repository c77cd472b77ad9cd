"""Weights of rows reach a classifier through scikit-learn's metadata routing."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline

from hyplane import HyperbolicLogisticRegression, HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import ChartTransformer

X, y = make_hyperbolic_gaussians(60, n_classes=2, random_state=0)[:2]
WEIGHTS = np.where(y == 0, 5.0, 0.5)
CLASSIFIERS = [HyperbolicSVC(), HyperbolicSVCCV(cv=2), HyperbolicLogisticRegression()]


@pytest.mark.parametrize("clf", CLASSIFIERS, ids=lambda clf: type(clf).__name__)
def test_weights_reach_the_last_step_of_a_pipeline(clf):
    with config_context(enable_metadata_routing=True):
        clf.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        routed = make_pipeline(ChartTransformer(), clf).fit(X, y, sample_weight=WEIGHTS)
        scores = cross_validate(routed, X, y, params={"sample_weight": WEIGHTS}, cv=3)
    direct = clf.fit(X, y, sample_weight=WEIGHTS).decision_function(X)
    np.testing.assert_allclose(routed.decision_function(X), direct, rtol=1e-6)
    assert not np.allclose(clf.fit(X, y).decision_function(X), direct)
    assert np.isfinite(scores["test_score"]).all()


def test_weights_that_nobody_asked_for_are_refused():
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="sample_weight"),
    ):
        make_pipeline(ChartTransformer(), HyperbolicSVC()).fit(X, y, sample_weight=WEIGHTS)
