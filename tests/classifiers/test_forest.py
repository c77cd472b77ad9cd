"""Trees on horofunctions."""

import numpy as np
import pytest
from helpers import several_labels
from sklearn.ensemble import ExtraTreesClassifier

from hyplane import HorofunctionForestClassifier
from hyplane.classifiers.forest import Trees
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import HorofunctionFeatures
from hyplane.geometry import CHARTS, convert


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


def test_the_trees_of_a_constant_label_vote_with_platts_target(data):
    X, y = data
    clf = HorofunctionForestClassifier(50, random_state=0).fit(X, several_labels(y))
    # One tree of 51 says (N + 1) / (N + 2), the others 1.
    share = (50 + 401 / 402) / 51
    np.testing.assert_allclose(clf.predict_proba(X)[:, 2:], [[share, 1 - share]] * len(X))


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
