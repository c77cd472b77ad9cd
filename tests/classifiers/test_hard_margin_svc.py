"""HyperbolicSVC(C=np.inf) as its users meet it."""

import pickle

import numpy as np
import pytest

from hyplane import HyperbolicSVC
from hyplane.geometry import convert


def separable(n_classes=2, m=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % n_classes
    angle = 2 * np.pi * y / n_classes + rng.uniform(-0.3, 0.3, m)
    return np.column_stack([rng.uniform(1.0, 2.5, m), angle]), y


def test_the_margin_is_the_distance_of_the_closest_point_and_its_gap_is_proven():
    X, y = separable()
    clf = HyperbolicSVC(C=np.inf, coordinates="polar").fit(X, y)
    distances = np.where(y == 1, 1, -1) * clf.signed_distance(X)
    assert (clf.predict(X) == y).all()
    assert clf.margin_[0] == pytest.approx(distances.min(), abs=1e-9)
    assert 0 <= clf.gap_[0] < 1e-6
    np.testing.assert_allclose(distances[clf.support_], clf.margin_[0], atol=1e-6)
    assert clf.converged_.all()


def test_a_large_finite_C_comes_close_to_the_hard_margin():
    X, y = separable(seed=3)
    hard = HyperbolicSVC(C=np.inf, coordinates="polar").fit(X, y)
    soft = HyperbolicSVC(C=1e4, coordinates="polar", random_state=0).fit(X, y)
    assert soft.objective_[0] == pytest.approx(hard.objective_[0], rel=1e-4)


@pytest.mark.parametrize("curvature", [-0.25, -4.0])
def test_margin_and_gap_are_lengths_of_the_space(curvature):
    X, y = separable()
    unit = np.sqrt(-curvature)
    plain = HyperbolicSVC(C=np.inf, coordinates="polar").fit(X, y)
    Z = convert(X / [unit, 1.0], "polar", "ball", curvature=curvature)
    scaled = HyperbolicSVC(C=np.inf, curvature=curvature).fit(Z, y)
    assert scaled.margin_[0] * unit == pytest.approx(plain.margin_[0], rel=1e-6)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_many_classes_have_margins_and_supports_of_their_own(multi_class):
    X, y = separable(3, m=90)
    clf = HyperbolicSVC(C=np.inf, coordinates="polar", multi_class=multi_class).fit(X, y)
    assert (clf.predict(X) == y).all()
    assert clf.margin_.shape == (3,)
    if multi_class == "ovo":
        for (a, b), result in zip([(0, 1), (0, 2), (1, 2)], clf.results_, strict=True):
            assert set(y[np.isin(y, [a, b])][result.support]) == {a, b}
    assert clf.n_support_.tolist() == np.bincount(y[clf.support_]).tolist()


def test_classes_that_no_hyperplane_separates_are_refused_by_name():
    X, y = separable()
    y[0] = 1 - y[0]
    with pytest.raises(ValueError, match=r"class 1: .*finite C"):
        HyperbolicSVC(C=np.inf, coordinates="polar").fit(X, y)


def test_a_fitted_hard_margin_survives_pickling():
    X, y = separable()
    clf = HyperbolicSVC(C=np.inf, coordinates="polar").fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.decision_function(X), clf.decision_function(X))
