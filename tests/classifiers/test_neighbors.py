"""Votes of neighbours."""

import pickle

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import HyperbolicKNeighborsClassifier
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import pairwise_distances


@parametrize_with_checks(
    [
        HyperbolicKNeighborsClassifier(coordinates="tangent"),
        HyperbolicKNeighborsClassifier(3, weights="distance", coordinates="tangent"),
    ]
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(300, n_classes=3, random_state=0)


@pytest.mark.parametrize("k", [1, 5, 11])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_are_those_of_scikit_learn_on_the_distances(data, k, weights):
    X, y = data
    clf = HyperbolicKNeighborsClassifier(k, weights=weights).fit(X[:200], y[:200])
    reference = KNeighborsClassifier(k, metric="precomputed", weights=weights)
    reference.fit(pairwise_distances(X[:200]), y[:200])
    expected = reference.predict_proba(pairwise_distances(X, X[:200]))
    got = clf.predict_proba(X) * (k + 1) - clf.class_shares_
    np.testing.assert_allclose(got / k, expected, atol=1e-9)


def test_ties_go_to_the_more_frequent_class():
    X = [[0.1, 0.0], [-0.1, 0.0], [-0.7, 0.0], [-0.8, 0.0]]
    clf = HyperbolicKNeighborsClassifier(2).fit(X, ["rare", "often", "often", "often"])
    assert clf.predict([[0.0, 0.0]]) == ["often"]


def test_labels_may_go_together(data):
    X, y = data
    Y = np.column_stack([y == 0, y != 2, np.ones(len(y))]).astype(int)
    clf = HyperbolicKNeighborsClassifier().fit(X, Y)
    single = HyperbolicKNeighborsClassifier().fit(X, y == 0)
    votes = clf.predict_proba(X) * 6 - clf.class_shares_
    expected = single.predict_proba(X) * 6 - single.class_shares_
    np.testing.assert_allclose(votes[:, 0], expected[:, 1])
    assert (clf.predict(X)[:, 2] == 1).all()


def test_it_pickles_and_says_which_rows_are_near(data):
    X, y = data
    clf = pickle.loads(pickle.dumps(HyperbolicKNeighborsClassifier().fit(X, y)))
    distances, rows = clf.kneighbors(X[:10], 2)
    np.testing.assert_array_equal(rows[:, 0], np.arange(10))
    np.testing.assert_array_equal(distances[:, 0], 0.0)
