"""Trees on horofunctions and charts."""

import numpy as np
import pytest
from helpers import seeds_of, several_labels
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from hyplane import HyperbolicForestClassifier
from hyplane.classifiers.forest import Trees
from hyplane.features import HorofunctionFeatures
from hyplane.geometry import CHARTS, convert

METHODS = ("extra_trees", "boosting")


@pytest.mark.parametrize("chart", CHARTS)
def test_the_same_points_in_any_chart_give_the_same_forest(data, chart):
    B, y = data
    X = convert(B / 2.0, "ball", chart, curvature=-4.0)
    for method in METHODS:
        forest = HyperbolicForestClassifier(20, method=method, random_state=0)
        expected = forest.fit(B, y).predict(B)
        other = clone(forest).set_params(coordinates=chart, curvature=-4.0)
        assert np.mean(other.fit(X, y).predict(X) == expected) > 0.97


def test_the_trees_of_a_constant_label_vote_with_platts_target(data):
    X, y = data
    clf = HyperbolicForestClassifier(50, random_state=0).fit(X, several_labels(y))
    # One tree of 51 says (N + 1) / (N + 2), the others 1.
    share = (50 + 241 / 242) / 51
    np.testing.assert_allclose(clf.predict_proba(X)[:, 2:], [[share, 1 - share]] * len(X))


@pytest.mark.parametrize("method", METHODS)
def test_balanced_weights_raise_the_rare_class(data, method):
    X, y = data
    rare = (y == 0) & (np.arange(len(y)) % 5 == 0)
    keep = rare | (y != 0)
    plain = HyperbolicForestClassifier(30, method=method, random_state=0)
    balanced = clone(plain).set_params(class_weight="balanced")
    plain.fit(X[keep], rare[keep])
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


@pytest.mark.parametrize("kind", ["two classes", "three classes", "labels", "constant labels"])
def test_boosting_has_the_probabilities_of_scikit_learns(data, kind, reloaded):
    X, y = data
    codes = {
        "two classes": y == 0,
        "three classes": y,
        "labels": np.column_stack([y == 0, y != 1]).astype(int),
        "constant labels": np.column_stack([y >= 0, y < 0]).astype(int),
    }[kind]
    clf = HyperbolicForestClassifier(10, method="boosting", random_state=0).fit(X, codes)
    found = clf.predict_proba(X)
    if kind == "constant labels":
        np.testing.assert_allclose(found, [[241 / 242, 1 / 242]] * len(X))
    else:
        values = clf._features(X)
        boosting = HistGradientBoostingClassifier(
            max_iter=10, max_features=0.5, random_state=seeds_of(0, 2)[1]
        )
        columns = codes.T if codes.ndim == 2 else [codes]
        parts = [boosting.fit(values, column).predict_proba(values) for column in columns]
        expected = np.column_stack([p[:, 1] for p in parts]) if codes.ndim == 2 else parts[0]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(reloaded(clf).predict_proba(X), found)


@pytest.mark.parametrize("method", METHODS)
def test_points_at_radius_zero_and_far_beyond_the_ball_have_finite_probabilities(method):
    X = np.array([[0.0, 0.0], [1e-300, 1.0], [5000.0, 1.0], [1e15, 2.0]] * 10)
    y = np.arange(40) % 4 > 1
    clf = HyperbolicForestClassifier(
        5, method=method, coordinates="polar", min_samples_leaf=1, random_state=0
    )
    assert clf.fit(X, y).score(X, y) == 1.0
    assert np.isfinite(clf.predict_proba(X)).all()
