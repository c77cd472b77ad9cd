"""Surfaces of constant curvature as boundaries: the objective, and its minimum.

The objective is stated here once more in extended precision. Every surface ``w*x = c`` is scaled to
``c² - w*w = 1`` and turned to ``w0 ≥ 0``. Then c < 1 is an equidistant, c = 1 a horosphere, c > 1 a
sphere, and the signed distance of x is ``log(z + sqrt(z² - σ)) - log(1 + c)`` with ``z = w*x`` and
``σ = c² - 1``.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from hyplane.geometry import surface_distance
from hyplane.solvers import Points
from hyplane.solvers.curved_margin import CurvedMargin
from hyplane.solvers.surface_objective import SurfaceObjective

KINDS = [("any", 1.0), ("horosphere", 1.0), ("horosphere", -1.0), ("sphere", 1.0), ("sphere", -1.0)]


def unit(vector):
    length = np.sqrt((vector**2).sum())
    return vector / length if length else np.eye(len(vector))[0]


def surface(kind, sign, theta):
    """Return w, c, c² - 1 and the sign of the positive side, in extended precision."""
    first, rest = theta[0], theta[1:]
    if kind == "any":  # w = (sinh a, cosh a · u), (u, c / cosh a) of unit length
        u, sign = unit(rest), np.copysign(1.0, first)
        c = sign * np.cosh(first) * u[-1]
        return sign * np.r_[np.sinh(first), np.cosh(first) * u[:-1]], c, c * c - 1, sign
    if kind == "horosphere":
        return np.exp(-first) * np.r_[np.longdouble(1), unit(rest)], np.longdouble(1), 0.0, sign
    radius, t = np.exp(first), np.sqrt((rest**2).sum())
    w = np.r_[np.cosh(t), np.sinh(t) * unit(rest)] / np.sinh(radius)
    return w, 1.0 / np.tanh(radius), np.sinh(radius) ** -2, sign


def distances(radius, direction, w, c, square, sign):
    """Return the signed distances; a positive σ is capped where z² does not reach it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        z = w[0] * np.cosh(radius) - np.sinh(radius) * (direction @ w[1:])
        height = np.log(np.abs(z) + np.sqrt(np.maximum(z * z - square, 0.0)))
        below = (z < 0) & (square < 0)
        height = np.where(below, np.log(np.abs(square)) - height, height)
        return sign * (height - np.log1p(c))


def objective(points, labels, C, kind, sign, theta):
    """Return the value at ``theta = (log s, parameters of the surface)``."""
    theta = np.asarray(theta, dtype=np.longdouble)
    radius = points.radius.astype(np.longdouble)
    direction = points.direction.astype(np.longdouble)
    direction /= np.sqrt((direction**2).sum(axis=1, keepdims=True))
    found = surface(kind, sign, theta[1:])
    if not found[1] > -1.0:
        return np.inf
    scores = np.arcsinh(np.exp(theta[0]) * np.sinh(distances(radius, direction, *found)))
    losses = np.maximum(np.arcsinh(np.longdouble(1)) - labels * scores, 0.0)
    origin = distances(np.zeros(1, np.longdouble), np.eye(1, points.n_dim), *found)[0]
    beyond = np.maximum(np.abs(origin) - points.radius.max(), 0.0)
    counted = np.abs(labels)
    return 0.5 * np.exp(2 * theta[0]) + C * (counted @ losses + counted.sum() * beyond)


def problem(seed, n_dim=2, m=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n_dim))
    labels = np.where(rng.normal(size=m) + X[:, 0] > 0, 1, -1).astype(np.int8)
    return Points.from_chart(X, "tangent"), labels


@pytest.mark.parametrize(("kind", "sign"), KINDS)
@settings(max_examples=40, deadline=None)
@example(seed=52172, n_dim=1, size=1.0)  # a sphere of radius 18
@example(seed=2754, n_dim=1, size=1.0)  # a sphere of radius 35
@given(seed=st.integers(0, 2**31 - 1), n_dim=st.integers(1, 4), size=st.floats(0.1, 3.0))
def test_objective_and_gradient_are_those_of_long_doubles(kind, sign, seed, n_dim, size):
    rng = np.random.default_rng(seed)
    points = Points.from_chart(size * rng.normal(size=(50, n_dim)), "tangent")
    labels = rng.choice([-1, 0, 1], 50).astype(np.int8)
    theta = rng.normal(size=n_dim + 2 + (kind == "any"))
    expected = objective(points, labels, 2.0, kind, sign, theta)
    compiled = SurfaceObjective(points, 2.0 * labels)
    value, gradient = compiled.evaluate(kind, sign, theta)
    assert_allclose(value, float(expected), rtol=1e-8)
    if not np.isfinite(value) or points.largest_radius > 8:
        return  # farther out the terms of the gradient by w cancel
    w, c, square, sign = surface(kind, sign, theta[1:].astype(np.longdouble))
    z = w[0] * np.cosh(points.radius) - np.sinh(points.radius) * (points.direction @ w[1:])
    if (z * z - square).min() < 1e-3:
        return  # a point at the centre of the sphere, where the distance has a kink
    steps = np.longdouble(1e-9) * np.eye(len(theta))
    slopes = [
        (objective(points, labels, 2.0, kind, sign, theta + step)
         - objective(points, labels, 2.0, kind, sign, theta - step)) / np.longdouble(2e-9)
        for step in steps
    ]  # fmt: skip
    scale = np.abs(gradient).max()
    assert_allclose(gradient, np.array(slopes, dtype=float), rtol=1e-5, atol=1e-6 * scale)
    if kind != "sphere" or c > 1.0 + 1e-9:  # else c has lost the digits that say how large it is
        X = points.radius[:, None] * points.direction
        ours = surface_distance(X, w.astype(float), float(c), coordinates="tangent")
        told = distances(points.radius, points.direction, w, c, square, 1.0)
        assert_allclose(ours, told.astype(float), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("radius", [4.0, 25.0, 60.0, 250.0])
def test_distances_along_the_axis_of_a_surface_are_those_of_a_line(radius):
    places = np.array([-radius, radius])
    points = Points.from_chart(places[:, None] * [0.6, 0.8], "tangent")
    for kind, first, centre, distance in (
        ("horosphere", 0.5, 1.0, 0.5 + places),  # towards the ideal point (0.6, 0.8)
        ("sphere", np.log(5.0), 2.0, 5.0 - abs(places - 2.0)),
    ):
        theta = np.r_[0.0, first, centre * np.array([0.6, 0.8])]
        for labels in (np.array([1, -1], dtype=np.int8), np.array([-1, 1], dtype=np.int8)):
            loss = np.maximum(np.arcsinh(1.0) - labels * distance, 0.0)
            value, _ = SurfaceObjective(points, 1.0 * labels).evaluate(kind, -1.0, theta)
            assert_allclose(value, 0.5 + loss.sum(), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "C"), [(0, 0.3), (1, 10.0)])
def test_the_optimum_is_that_of_an_independent_multistart(seed, C):
    points, labels = problem(seed)
    found = CurvedMargin().fit(points, labels, None, C)

    def value(theta):
        with np.errstate(all="ignore"):
            found = float(objective(points, labels, C, "any", 1.0, theta))
        return found if found < 1e6 else 1e6

    options = {"maxiter": 3000, "maxfev": 3000}
    starts = np.random.default_rng(seed).normal(size=(10, 5))
    ends = [minimize(value, start, method="Nelder-Mead", options=options).fun for start in starts]
    assert found.objective <= min(ends) * 1.01


@pytest.mark.parametrize("seed", range(2))
def test_more_surfaces_never_have_a_higher_objective(seed):
    points, labels = problem(seed, n_dim=3)
    objective = {
        surface: CurvedMargin(surface).fit(points, labels, None, 1.0).objective
        for surface in ("hyperplane", "horosphere", "sphere", "any")
    }
    assert objective["any"] <= min(objective.values()) * (1 + 1e-4)
    assert objective["sphere"] <= objective["horosphere"]  # which is a limit of spheres


def test_a_tolerance_below_rounding_ends_as_one_of_rounding():
    """No descent waits for a decrease that doubles cannot show."""
    rng = np.random.default_rng(0)
    points = Points.from_chart(0.3 * rng.normal(size=(30, 2)).clip(-2, 2))
    labels = np.where(rng.random(30) < 0.5, -1, 1).astype(np.int8)
    finest = CurvedMargin(tol=1e-14).fit(points, labels, None, 1.0)
    beyond = CurvedMargin(tol=5e-324).fit(points, labels, None, 1.0)
    assert beyond.n_iter == finest.n_iter
    assert beyond.objective == finest.objective
