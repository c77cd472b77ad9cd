"""Neighbours at any radius and in any dimension, and their votes."""

import pickle

import numpy as np
import pytest
from helpers import unit_rows
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from hyplane import HyperbolicKNeighborsClassifier, NeighborIndex
from hyplane.geometry import CHARTS, convert, distance, from_polar, pairwise_distances


def draw(seed, m, n_dim, radius):
    rng = np.random.default_rng(seed)
    return from_polar(radius * np.sqrt(rng.uniform(size=m)), unit_rows(rng, m, n_dim), "tangent")


@pytest.mark.parametrize("algorithm", ["tree", "brute"])
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**31 - 1),
    n_dim=st.integers(1, 6),
    radius=st.sampled_from([0.1, 2.0, 8.0, 30.0, 400.0, 5000.0]),
    k=st.integers(1, 10),
)
# Weights of points far inside are next to the smallest number there is.
@example(seed=25407, n_dim=3, radius=5000.0, k=1)
def test_neighbours_are_those_of_all_distances(algorithm, seed, n_dim, radius, k):
    X, queries = draw(seed, 400, n_dim, radius), draw(seed + 1, 20, n_dim, radius)
    distances, rows = NeighborIndex(X, "tangent", algorithm=algorithm).query(queries, k)
    found = distance(np.repeat(queries, k, axis=0), X[rows.ravel()], coordinates="tangent")
    np.testing.assert_array_equal(distances.ravel(), found)
    for query, apart in zip(queries, distances, strict=True):
        expected = np.sort(distance(X, query, coordinates="tangent"))[:k]
        np.testing.assert_allclose(apart, expected, rtol=1e-12)


@pytest.mark.parametrize("chart", CHARTS)
def test_every_chart_and_curvature_has_the_same_neighbours(chart):
    B = convert(draw(0, 5000, 2, 5.0), "tangent", "ball")
    X = convert(B / 2.0, "ball", chart, curvature=-4.0)
    expected = NeighborIndex(B).query(B[:50], 4)
    distances, rows = NeighborIndex(X, chart, curvature=-4.0).query(X[:50], 4)
    np.testing.assert_array_equal(rows, expected[1])
    np.testing.assert_allclose(2.0 * distances, expected[0], rtol=1e-6, atol=1e-9)


def test_trees_serve_many_points_of_low_dimension_and_products_the_others():
    assert NeighborIndex(draw(0, 5000, 2, 5.0), "tangent").algorithm == "tree"
    assert NeighborIndex(draw(0, 5000, 8, 5.0), "tangent").algorithm == "brute"
    assert NeighborIndex(draw(0, 300, 2, 5.0), "tangent").algorithm == "brute"


@pytest.mark.parametrize("algorithm", ["tree", "brute"])
def test_equal_points_come_in_the_order_of_their_rows(algorithm):
    X = np.repeat([[0.5, 0.0], [0.0, 0.5]], 100, axis=0)
    distances, rows = NeighborIndex(X, algorithm=algorithm).query([[0.5, 0.0]], 5)
    np.testing.assert_array_equal(distances, 0.0)
    np.testing.assert_array_equal(rows, [[0, 1, 2, 3, 4]])
    distances, rows = NeighborIndex(X, algorithm=algorithm).query([[0.1, 0.0]], 200)
    assert sorted(rows[0]) == list(range(200))


def test_points_that_nearly_coincide_far_out_are_told_apart():
    X = np.array([[25.0, 1.0], [25.0, 1.0 + 1e-12], [25.0, 1.0 + 1e-9], [25.0, 2.0]])
    for algorithm in ("tree", "brute"):
        _, rows = NeighborIndex(X, "polar", algorithm=algorithm).query(X, 2)
        np.testing.assert_array_equal(rows[:3, 0], [0, 1, 2])
        assert rows[0, 1] == 1


def test_too_many_neighbours_and_wrong_points_are_named():
    index = NeighborIndex([[0.1, 0.0], [0.2, 0.0]])
    with pytest.raises(ValueError, match="there are 2 points"):
        index.query([[0.0, 0.0]], 3)
    with pytest.raises(ValueError, match="3 columns"):
        index.query([[0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="algorithm"):
        NeighborIndex([[0.1, 0.0]], algorithm="ball_tree")


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


def test_it_pickles_and_says_which_rows_are_near(data):
    X, y = data
    clf = pickle.loads(pickle.dumps(HyperbolicKNeighborsClassifier().fit(X, y)))
    distances, rows = clf.kneighbors(X[:10], 2)
    np.testing.assert_array_equal(rows[:, 0], np.arange(10))
    np.testing.assert_array_equal(distances[:, 0], 0.0)
