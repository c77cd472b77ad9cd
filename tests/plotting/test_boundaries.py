"""Boundaries w*x = c are drawn as the circles that they are."""

import numpy as np
import pytest

from hyplane import CurvedHyperbolicSVC, HyperbolicLogisticRegression, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import surface_distance, surface_in_ball
from hyplane.plotting import HalfPlaneDisplay, KleinDisplay, PoincareDisplay
from hyplane.plotting.boundaries import surface_arcs

ARSINH_1 = np.arcsinh(1.0)


def inner_and_outer(seed=0):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, 120)
    radius = np.where(np.arange(120) < 60, rng.uniform(0, 1.2, 120), rng.uniform(1.0, 3.0, 120))
    X = np.tanh(0.5 * radius)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X, (np.arange(120) >= 60).astype(int)


def points_of(*curves):
    z = np.concatenate([arcs.points(50).ravel() for arcs in curves])
    inside = np.abs(z) < 1 - 1e-9
    return np.column_stack([z.real, z.imag])[inside]


@pytest.mark.parametrize("surface", ["hyperplane", "horosphere", "sphere", "any"])
@pytest.mark.parametrize("seed", range(3))
def test_the_drawn_boundary_has_score_zero_and_its_margins_the_score_of_the_margin(surface, seed):
    X, y = inner_and_outer(seed)
    clf = CurvedHyperbolicSVC(surface=surface, random_state=0).fit(X, y)
    display = PoincareDisplay.from_estimator(clf, X, y, resolution=64)
    [zero] = display.boundaries.zero
    assert len(points_of(zero)) > 20
    assert np.abs(clf.decision_function(points_of(zero))).max() < 1e-6
    margins = clf.decision_function(points_of(*display.boundaries.margins))
    assert np.allclose(np.abs(margins), ARSINH_1, rtol=0, atol=1e-6)


@pytest.mark.parametrize("display", [KleinDisplay, HalfPlaneDisplay])
def test_circles_are_drawn_in_other_models_too(display):
    X, y = inner_and_outer()
    clf = CurvedHyperbolicSVC(surface="sphere", random_state=0).fit(X, y)
    assert display.from_estimator(clf, X, y, resolution=64).boundaries_


def test_several_classes_have_one_curve_each_and_logits_of_several_are_compared():
    X, y = make_hyperbolic_gaussians(150, n_classes=3, variance=0.3, random_state=0)
    clf = CurvedHyperbolicSVC(random_state=0).fit(X, y)
    display = PoincareDisplay.from_estimator(clf, X, y, resolution=64)
    assert display.boundaries.owners.tolist() == [0, 1, 2]
    joint = HyperbolicLogisticRegression(random_state=0).fit(X, y)
    assert PoincareDisplay.from_estimator(joint, X, y, resolution=64).boundaries is None


def test_the_boundary_of_a_logistic_regression_of_two_classes_is_exact_and_has_no_margin():
    X, y = inner_and_outer()
    clf = HyperbolicLogisticRegression(C=10.0, random_state=0).fit(X, y)
    display = PoincareDisplay.from_estimator(clf, X, y, resolution=64)
    [zero] = display.boundaries.zero
    assert np.abs(clf.decision_function(points_of(zero))).max() < 1e-6
    assert len(display.boundaries.margins) == 0


@pytest.mark.parametrize(
    ("w", "level"),
    [
        ([0.2, 1.0, 0.3], 0.7),
        ([1.0, 0.6, 0.8], 0.5),
        ([1.5, 0.3, 0.2], 2.5),
        ([-1.5, 0.3, 0.2], -2.5),
    ],
)
def test_curves_at_a_distance_from_a_surface_are_at_that_distance(w, level):
    w = np.array(w)
    for distance in (-0.4, 0.0, 0.7):
        found = surface_distance(points_of(surface_arcs(w, level, distance)), w, level)
        assert np.allclose(found, distance, rtol=0, atol=1e-7)


def test_a_sphere_smaller_than_the_distance_has_no_curve_inside_it():
    assert len(surface_arcs(np.array([1.0, 0.0, 0.0]), np.cosh(0.5), -0.6)) == 0


def test_support_points_of_calibrated_hyperplanes_are_those_of_the_margin():
    X, y = make_hyperbolic_gaussians(80, n_classes=2, variance=0.3, random_state=0)
    clf = HyperbolicSVCCV(random_state=0).fit(X, y)
    display = PoincareDisplay.from_estimator(clf, X, y, support=True, resolution=64)
    signs = np.where(y == clf.classes_[1], 1.0, -1.0)
    expected = signs * clf.minkowski_products(X) <= 1.0 + 1e-3
    assert 0 < expected.sum() < len(X)
    assert np.array_equal(display.support, expected)


def test_a_surface_whose_kind_is_lost_in_rounding_is_drawn_as_a_horosphere():
    rng = np.random.default_rng(0)
    for angle, size in zip(rng.uniform(0, 2 * np.pi, 500), rng.uniform(0.1, 10, 500), strict=True):
        exact = np.array([1.0, np.cos(angle), np.sin(angle)])
        drawn = surface_arcs(size * exact, 1.0)
        expected = surface_in_ball(exact, 1.0 / size)[1]
        assert np.allclose(np.abs(drawn.half), expected, rtol=1e-6)
