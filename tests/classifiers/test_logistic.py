"""Logistic regression with curved boundaries."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import log_softmax

from hyplane import HyperbolicLogisticRegression
from hyplane.geometry import (
    apply_isometry,
    convert,
    distance,
    einstein_midpoint,
    inverse_isometry,
    lorentz_boost,
    minkowski_product,
    random_isometry,
    surface_distance,
    surface_in_ball,
    surface_kind,
)


@pytest.fixture(scope="module")
def disk():
    """One class inside a circle that is not around the origin, one outside."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.9, 0.9, size=(600, 2))
    X = X[np.linalg.norm(X, axis=1) < 0.95]
    return X, (distance(X, [0.3, 0.2]) < 1.0).astype(int)


@pytest.mark.parametrize("surface", ["any", "hyperplane"])
def test_logits_are_the_formula(data, surface):
    X, y = data
    clf = HyperbolicLogisticRegression(surface=surface).fit(X, y)
    x = convert(X, "ball", "hyperboloid")
    expected = np.arcsinh(minkowski_product(x[:, None], clf.coef_) - clf.level_)
    assert_allclose(clf.decision_function(X), expected, atol=1e-9)
    assert_allclose(np.log(clf.predict_proba(X)), log_softmax(expected, axis=1), atol=1e-9)
    assert (clf.level_ == 0).all() == (surface == "hyperplane")


@pytest.mark.parametrize("surface", ["any", "hyperplane"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_optimum_is_the_best_of_independent_starts(data, surface, C):
    X, y = data
    clf = HyperbolicLogisticRegression(C, surface=surface, tol=1e-8).fit(X, y)
    # The objective once more, from the definition, in the frame of the centre.
    centre = convert(einstein_midpoint(X)[None], "ball", "hyperboloid")[0]
    x = convert(X, "ball", "hyperboloid") @ inverse_isometry(lorentz_boost(centre)).T
    if surface == "any":
        x = np.column_stack([x, np.ones(len(x))])

    def objective(flat):
        logits = np.arcsinh(x @ flat.reshape(3, -1).T)
        return -C * log_softmax(logits, axis=1)[np.arange(len(y)), y].sum() + 0.5 * flat @ flat

    rng = np.random.default_rng(0)
    starts = 2.0 * rng.normal(size=(4, 3 * x.shape[1]))
    found = min(minimize(objective, start, method="BFGS").fun for start in starts)
    assert clf.objective_[0] <= found * (1 + 1e-6)


@pytest.mark.parametrize("n_dim", [8, 32, 128])
def test_fits_converge_soon_in_many_dimensions_and_far_out(n_dim):
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=2000)
    X = rng.normal(size=(2000, n_dim)) + 2.0 * rng.normal(size=(5, n_dim))[y] / np.sqrt(n_dim)
    X *= 6.0 / np.sqrt(n_dim)  # the root mean square of the radii
    clf = HyperbolicLogisticRegression(coordinates="tangent", max_iter=500).fit(X, y)
    assert clf.n_iter_[0] < 500  # and no warning
    tight = HyperbolicLogisticRegression(coordinates="tangent", tol=1e-7, max_iter=10**4).fit(X, y)
    assert clf.objective_[0] <= 1.03 * tight.objective_[0]


def test_predictions_do_not_depend_on_where_the_origin_is(data):
    X, y = data
    isometry = random_isometry(2, max_radius=2.0, random_state=3)
    moved = apply_isometry(isometry, X, "ball")
    still, other = (HyperbolicLogisticRegression(tol=1e-8).fit(Z, y) for Z in (X, moved))
    assert_allclose(still.predict_proba(X), other.predict_proba(moved), atol=1e-3)


def test_a_circle_is_found_where_no_hyperplane_separates(disk):
    X, y = disk
    plane = HyperbolicLogisticRegression(100.0, surface="hyperplane").fit(X, y)
    circle = HyperbolicLogisticRegression(100.0).fit(X, y)
    assert circle.score(X, y) > 0.97 > plane.score(X, y) + 0.05
    w, c = circle.coef_[0], circle.level_[0]
    assert surface_kind(w) == "sphere"
    sphere = surface_in_ball(w, c)
    assert_allclose(sphere.centre, surface_in_ball(*_circle([0.3, 0.2], 1.0)).centre, atol=0.05)
    on = sphere.centre + sphere.radius * np.array([[1.0, 0.0], [0.0, -1.0]])
    assert_allclose(circle.predict_proba(on), 0.5, atol=1e-9)
    assert_array_equal(surface_distance(X, w, c) > 0, circle.predict(X) == 1)


def _circle(centre, radius):
    return convert(np.array([centre]), "ball", "hyperboloid")[0], np.cosh(radius)


def test_weights_count_like_repeated_rows(data):
    X, y = data
    weight = np.arange(len(y)) % 3
    weighted = HyperbolicLogisticRegression(tol=1e-8).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = HyperbolicLogisticRegression(tol=1e-8).fit(X[rows], y[rows])
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4)
    copy = pickle.loads(pickle.dumps(weighted))
    assert_array_equal(copy.predict_proba(X), weighted.predict_proba(X))
