"""Trees on horofunctions."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import HorofunctionForestClassifier
from hyplane.classifiers.forest import Trees
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import HorofunctionFeatures
from hyplane.geometry import CHARTS, convert

EXPECTED_FAILURES = {
    # As scikit-learn's own forests: the trees are random.
    "check_sample_weight_equivalence_on_dense_data": "repeated rows draw other random cuts"
}


@parametrize_with_checks(
    [HorofunctionForestClassifier(10, coordinates="tangent", random_state=0)],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(400, n_classes=3, random_state=0)


@pytest.mark.parametrize("chart", CHARTS)
def test_the_same_points_in_any_chart_give_the_same_forest(data, chart):
    B, y = data
    forest = HorofunctionForestClassifier(20, random_state=0)
    expected = forest.fit(B, y).predict(B)
    X = convert(B / 2.0, "ball", chart, curvature=-4.0)
    other = HorofunctionForestClassifier(20, random_state=0, coordinates=chart, curvature=-4.0)
    assert np.mean(other.fit(X, y).predict(X) == expected) > 0.97


def test_it_separates_the_classes(data):
    X, y = data
    clf = HorofunctionForestClassifier(random_state=0).fit(X[::2], y[::2])
    assert clf.score(X[1::2], y[1::2]) > 0.68
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1.0)
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict(X), clf.predict(X))


def test_labels_may_go_together_and_may_be_constant(data):
    X, y = data
    Y = np.column_stack([y == 0, y != 2, np.ones(len(y)), np.zeros(len(y))]).astype(int)
    clf = HorofunctionForestClassifier(50, random_state=0).fit(X, Y)
    probabilities = clf.predict_proba(X)
    assert probabilities.shape == Y.shape
    # One tree of 51 says (N + 1) / (N + 2), the others 1.
    share = (50 + 401 / 402) / 51
    np.testing.assert_allclose(probabilities[:, 2:], [[share, 1 - share]] * len(X))
    assert np.mean(clf.predict(X) == Y) > 0.9
    single = HorofunctionForestClassifier(50, random_state=0).fit(X, y == 0)
    assert single.predict(X).shape == (len(X),)


def test_rows_of_weight_zero_do_not_count(data):
    X, y = data
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    weighted = HorofunctionForestClassifier(10, random_state=0).fit(X, y, sample_weight=weight)
    plain = HorofunctionForestClassifier(10, random_state=0).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(weighted.predict_proba(X), plain.predict_proba(X))


def test_balanced_weights_raise_the_rare_class(data):
    X, y = data
    rare = (y == 0) & (np.arange(len(y)) % 5 == 0)
    keep = rare | (y != 0)
    plain = HorofunctionForestClassifier(random_state=0).fit(X[keep], rare[keep])
    balanced = HorofunctionForestClassifier(random_state=0, class_weight="balanced")
    balanced.fit(X[keep], rare[keep])
    assert balanced.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


def test_points_far_out_are_classified():
    X = np.array([[5000.0, 0.0], [4000.0, 0.1], [5000.0, 2.0], [4000.0, 2.1]] * 5)
    y = np.array([0, 0, 1, 1] * 5)
    clf = HorofunctionForestClassifier(20, coordinates="polar", random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), y)


@pytest.mark.parametrize("several", [False, True])
def test_probabilities_are_those_of_scikit_learns_trees(data, several):
    X, y = data
    codes = np.column_stack([y == 0, y != 1]).astype(int) if several else y
    values = HorofunctionFeatures(random_state=0).fit_transform(X)
    forest = ExtraTreesClassifier(20, random_state=0).fit(values, codes)
    trees = Trees.of(forest)
    expected = forest.predict_proba(values)
    if several:
        expected = np.column_stack([column[:, 1] for column in expected])
    np.testing.assert_allclose(trees.mean_values(values), expected, atol=1e-12)
