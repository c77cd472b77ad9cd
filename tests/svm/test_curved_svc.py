"""Large-margin classifiers with curved boundaries."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import CurvedHyperbolicSVC, HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import (
    CHARTS,
    convert,
    horosphere_distance,
    sphere_distance,
    surface_distance,
    surface_kind,
)
from hyplane.solvers import Points
from hyplane.solvers.curved_margin import CurvedObjective, solve_curved_margin
from hyplane.solvers.surface_charts import AnySurface, Horosphere, Sphere

SURFACES = [AnySurface(), Horosphere(1.0), Horosphere(-1.0), Sphere(1.0), Sphere(-1.0)]


@parametrize_with_checks(
    [CurvedHyperbolicSVC(coordinates="tangent", random_state=0)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "equal to the tolerance of the solver only"
    },
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(240, n_classes=3, random_state=0)


def problem(seed, n_dim=2, m=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n_dim))
    labels = np.where(rng.normal(size=m) + X[:, 0] > 0, 1, -1).astype(np.int8)
    return Points.from_chart(X, "tangent"), labels


@pytest.mark.parametrize("chart", SURFACES, ids=lambda chart: repr(chart)[-25:])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), n_dim=st.integers(1, 4))
def test_the_gradient_is_that_of_finite_differences(chart, seed, n_dim):
    points, labels = problem(seed, n_dim)
    objective = CurvedObjective(points, labels, None, 1.0)
    theta = np.random.default_rng(seed).normal(size=n_dim + 2 + isinstance(chart, AnySurface))
    value, gradient = objective(chart, theta)
    if not np.isfinite(value):
        return
    surface = chart.at(theta[1:])[0]
    if isinstance(chart, Sphere) and surface.c < 1.0 + 1e-9:
        return  # a sphere of radius 11 or more: c has lost the digits that say how large it is
    distances = objective.rows.distances(surface)[0]
    X = points.radius[:, None] * points.direction
    expected = surface.sign * surface_distance(X, surface.w, surface.c, coordinates="tangent")
    if surface.c > 1 and (surface.sign * expected).min() + np.arctanh(1 / surface.c) < 1e-3:
        return  # a point at the centre of the sphere, where the distance has a kink
    assert_allclose(distances, expected, rtol=1e-5, atol=1e-6)
    from_origin = objective.origin.distances(surface)[0][0]
    if abs(abs(from_origin) - objective.reach) < 1e-3:
        return
    # Away from the kinks of the loss and of the bound.
    steps = [approx_fprime(theta, lambda t: objective(chart, t)[0], h) for h in (1e-6, 1e-7)]
    if np.abs(steps[0] - steps[1]).max() < 1e-3:
        assert_allclose(gradient, steps[1], rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.3, 10.0])
def test_the_optimum_is_that_of_an_independent_multistart(seed, C):
    points, labels = problem(seed)
    found = solve_curved_margin(points, labels, C=C)
    objective = CurvedObjective(points, labels, None, C)
    rng = np.random.default_rng(seed)
    best = np.inf
    for start in rng.normal(size=(10, 5)):
        if np.isfinite(objective(AnySurface(), start)[0]):
            end = minimize(
                lambda theta: min(objective(AnySurface(), theta)[0], 1e6),
                start, method="Nelder-Mead", options={"maxiter": 3000, "maxfev": 3000},
            )  # fmt: skip
            best = min(best, end.fun)
    assert found.objective <= best * 1.01


@pytest.mark.parametrize("seed", range(6))
def test_more_surfaces_never_have_a_higher_objective(seed):
    points, labels = problem(seed, n_dim=3)
    objective = {
        boundary: solve_curved_margin(points, labels, boundary=boundary).objective
        for boundary in ("hyperplane", "horosphere", "sphere", "any")
    }
    assert objective["any"] <= min(objective.values()) * (1 + 1e-4)


def test_hyperplanes_are_those_of_the_hyperbolic_svc(data):
    X, y = data
    plane = HyperbolicSVC(random_state=0).fit(X, y)
    curved = CurvedHyperbolicSVC(boundary="hyperplane", random_state=0).fit(X, y)
    assert_allclose(curved.objective_, plane.objective_)
    assert_array_equal(curved.level_, 0.0)
    assert_allclose(np.sinh(curved.decision_function(X)), plane.decision_function(X), rtol=1e-4)


@pytest.mark.parametrize("boundary", ["horosphere", "sphere"])
def test_each_kind_of_surface_is_found_where_it_is_the_truth(boundary):
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.95, 0.95, size=(800, 2))
    X = X[np.linalg.norm(X, axis=1) < 0.95]
    if boundary == "sphere":
        truth = sphere_distance(X, [0.4, 0.2], 1.0) > 0
    else:
        truth = horosphere_distance(X, [0.6, 0.8], -0.3) > 0
    clf = CurvedHyperbolicSVC(100.0, boundary=boundary).fit(X, truth)
    plane = HyperbolicSVC(100.0).fit(X, truth)
    assert clf.score(X, truth) > 0.98 > plane.score(X, truth)
    w, c = clf.coef_[0], clf.level_[0]
    if boundary == "sphere":
        assert surface_kind(w) == "sphere"
    assert_array_equal(surface_distance(X, w, c) > 0, clf.predict(X))
    free = CurvedHyperbolicSVC(100.0).fit(X, truth)
    assert free.objective_[0] <= clf.objective_[0] * (1 + 1e-4)


@pytest.mark.parametrize("chart", CHARTS)
def test_the_same_points_in_any_chart_give_the_same_classifier(data, chart):
    B, y = data
    expected = CurvedHyperbolicSVC(random_state=0).fit(B, y).decision_function(B)
    X = convert(B / 2.0, "ball", chart, curvature=-4.0)
    clf = CurvedHyperbolicSVC(coordinates=chart, curvature=-4.0, random_state=0).fit(X, y)
    assert np.corrcoef(clf.decision_function(X).ravel(), expected.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_it_separates_classes_labels_and_constant_labels(data, multi_class):
    X, y = data
    clf = CurvedHyperbolicSVC(multi_class=multi_class, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.7
    Y = np.column_stack([y == 0, y != 2, np.ones(len(y)), np.zeros(len(y))]).astype(int)
    clf.fit(X, Y)
    assert_array_equal(clf.predict(X)[:, 2:], [[1, 0]] * len(X))
    copy = pickle.loads(pickle.dumps(clf))
    assert_array_equal(copy.decision_function(X), clf.decision_function(X))


def test_points_far_out_have_finite_scores():
    X = np.array([[300.0, 0.0], [250.0, 0.1], [300.0, 2.0], [250.0, 2.1]] * 5)
    y = np.array([0, 0, 1, 1] * 5)
    clf = CurvedHyperbolicSVC(coordinates="polar", random_state=0).fit(X, y)
    assert_array_equal(clf.predict(X), y)
    assert np.isfinite(clf.decision_function(X * [10.0, 1.0])).all()
