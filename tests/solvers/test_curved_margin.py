"""Surfaces of constant curvature as boundaries: the objective, and its minimum.

The objective is stated here once more in extended precision, with which that of the package is
compared. Every surface ``w*x = c`` is scaled to ``c² - w*w = 1`` and turned to
``w0 ≥ 0``. Then c < 1 is an equidistant, c = 1 a horosphere, c > 1 a sphere, and the signed
distance of x is ``log(z + sqrt(z² - σ)) - log(1 + c)`` with ``z = w*x`` and ``σ = c² - 1``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import approx_fprime, minimize

from hyplane._utils.typing import Array
from hyplane.geometry import surface_distance
from hyplane.solvers import Points
from hyplane.solvers.curved_margin import CurvedMargin
from hyplane.solvers.surface_objective import SurfaceObjective

# The distance from the centre of a sphere has a kink there; gradients closer than this are capped.
NEAREST_CENTRE = 1e-9
TINY = float(np.finfo(np.float64).tiny)
ARSINH_1 = float(np.arcsinh(1.0))

# From gradients by w and c to those by the parameters of a chart.
ToChart = Callable[[Array, float], Array]
# From the weights of distances to the gradients by w and c of their weighted sum.
PullBack = Callable[[Array], tuple[Array, float]]


@dataclass(frozen=True)
class Surface:
    """The surface ``w*x = c`` with ``c² - w*w = 1`` and ``w0 ≥ 0``.

    Attributes
    ----------
    w : ndarray of shape (n + 1,)
    c : float
    sign : {1, -1}
        -1 where the positive side is that of ``w*x < c``.
    square : float, optional
        c² - 1; of a large sphere c does not say it.
    """

    w: Array
    c: float
    sign: float
    square: float | None = None


@dataclass(frozen=True)
class Rows:
    """Points as ``exp(-r) x``, which is finite at any radius, with the signs of w*x taken in."""

    points: Points
    vectors: Array = field(init=False)
    small: Array = field(init=False)

    def __post_init__(self) -> None:
        radius = self.points.radius.astype(np.longdouble)
        direction = self.points.direction.astype(np.longdouble)
        direction /= np.sqrt((direction**2).sum(axis=1, keepdims=True))
        once, twice = np.exp(-radius), np.exp(-2.0 * radius)
        space = -(0.5 * (1.0 - twice))[:, None] * direction
        object.__setattr__(self, "vectors", np.column_stack([0.5 * (1.0 + twice), space]))
        object.__setattr__(self, "small", once)

    def distances(self, surface: Surface) -> tuple[Array, PullBack | None]:
        """Return the signed distances and the map of their weights to gradients by w and c.

        The second result is None, and the distances infinite, where there is no such surface.
        """
        w, c, sign = surface.w, surface.c, surface.sign
        if not c > -1.0:
            return np.full(len(self.small), np.inf), None
        square = (c - 1.0) * (c + 1.0) if surface.square is None else surface.square
        small, scaled = self.small, self.vectors @ w
        limit = np.maximum(NEAREST_CENTRE * small, TINY)
        root = np.sqrt(np.maximum(scaled**2 - square * small**2, limit**2))
        total = np.maximum(np.abs(scaled) + root, TINY)
        height = self.points.radius + np.log(total)
        below = (scaled < 0) & (square < 0)
        if below.any():
            height[below] = np.log(-square) - height[below]
        distances = sign * (height - np.log1p(c))

        def pull_back(weights: Array) -> tuple[Array, float]:
            by_w = sign * (self.vectors.T @ (weights / root))
            by_square = -0.5 * small**2 / (root * total)
            by_square[below] = 0.5 * total[below] / (root[below] * square)
            by_c = 2.0 * c * float(weights @ by_square) - float(weights.sum()) / (1.0 + c)
            return by_w, sign * by_c

        return distances, pull_back


@dataclass(frozen=True)
class AnySurface:
    """All kinds: ``w = (sinh a, cosh a · u)``, ``(u, c / cosh a)`` of unit length."""

    def at(self, theta: Array) -> tuple[Surface, ToChart]:
        """Return the surface of parameters (a, direction) and the pull-back of gradients."""
        a, vector = theta[0], theta[1:]
        length = np.sqrt((vector**2).sum())
        unit = vector / length
        sinh, cosh = np.sinh(a), np.cosh(a)
        sign = 1.0 if a >= 0 else -1.0
        surface = Surface(sign * np.r_[sinh, cosh * unit[:-1]], sign * cosh * unit[-1], sign)

        def pull_back(by_w: Array, by_c: float) -> Array:
            by_unit = sign * np.r_[by_w[1:], by_c]
            by_a = sign * by_w[0] * cosh + sinh * float(by_unit @ unit)
            across = cosh * (by_unit - float(by_unit @ unit) * unit) / length
            return np.asarray(np.r_[by_a, across])

        return surface, pull_back


@dataclass(frozen=True)
class Horosphere:
    """Horospheres of one orientation: ``w = exp(-b) (1, ω)``, ``c = 1``."""

    sign: float

    def at(self, theta: Array) -> tuple[Surface, ToChart]:
        """Return the surface of parameters (b, ω) and the pull-back of gradients."""
        length = np.sqrt((theta[1:] ** 2).sum())
        unit, size = theta[1:] / length, np.exp(-theta[0])
        w = size * np.r_[1.0, unit]

        def pull_back(by_w: Array, by_c: float) -> Array:
            across = by_w[1:] - float(by_w[1:] @ unit) * unit
            return np.asarray(np.r_[-float(by_w @ w), size * across / length])

        return Surface(w, 1.0, self.sign), pull_back


@dataclass(frozen=True)
class Sphere:
    """Spheres of one orientation: ``w = p / sinh ρ``, ``c = coth ρ``, by log ρ and the log of p."""

    sign: float

    def at(self, theta: Array) -> tuple[Surface, ToChart]:
        """Return the surface of parameters (log ρ, v) and the pull-back of gradients."""
        radius, v = np.exp(theta[0]), theta[1:]
        t = np.sqrt((v**2).sum())
        unit = v / t if t > 0 else np.eye(len(v))[0]
        sinh, coth = np.sinh(radius), 1.0 / np.tanh(radius)
        w = np.r_[np.cosh(t), np.sinh(t) * unit] / sinh

        def pull_back(by_w: Array, by_c: float) -> Array:
            by_radius = -coth * float(by_w @ w) - by_c / sinh / sinh
            along = float(by_w[1:] @ unit)
            stretch = np.sinh(t) / t if t > 0 else 1.0
            by_v = (by_w[0] * np.sinh(t) + np.cosh(t) * along) * unit
            by_v = by_v + stretch * (by_w[1:] - along * unit)
            return np.asarray(np.r_[radius * by_radius, by_v / sinh])

        return Surface(w, coth, self.sign, 1.0 / sinh**2), pull_back


class CurvedObjective:
    """The objective on some rows, as a function of a chart and its parameters.

    Parameters
    ----------
    points, labels, sample_weight, C
        As in `CurvedMargin.fit`.
    """

    def __init__(
        self,
        points: Points,
        labels: NDArray[np.int8],
        sample_weight: Array | None,
        C: float,
    ) -> None:
        counts = labels != 0
        self.points = points[counts]
        self.labels = labels[counts].astype(np.float64)
        weights = np.ones(len(labels)) if sample_weight is None else sample_weight
        self.weights = C * weights[counts]
        self.reach = float(points.radius.max())
        origin = Points(np.zeros(1), np.eye(points.n_dim)[:1])
        self.rows, self.origin = Rows(self.points), Rows(origin)

    def __call__(self, chart: Any, theta: Array) -> tuple[float, Array]:
        """Return value and gradient at ``theta = (log s, parameters of the chart)``."""
        # A line search tries surfaces of any size; what is not finite counts as infinitely bad.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
            value, gradient = self._at(chart, theta.astype(np.longdouble))
            return float(value), gradient.astype(np.float64)

    def _at(self, chart: Any, theta: Array) -> tuple[float, Array]:
        log_scale = theta[0]
        nowhere = np.inf, np.zeros_like(theta)
        if not (abs(log_scale) < 300.0 and np.abs(theta).max() < 300.0):
            return nowhere
        surface, to_chart = chart.at(theta[1:])
        distances, pull_back = self.rows.distances(surface)
        from_origin, pull_origin = self.origin.distances(surface)
        if pull_back is None or pull_origin is None:
            return nowhere
        score, by_distance, by_scale = hyperbolic_score(log_scale, distances)
        loss = ARSINH_1 - self.labels * score
        active = np.where(loss > 0, self.weights, 0.0)
        excess = abs(from_origin[0]) - self.reach
        total = float(self.weights.sum())
        square = np.exp(2.0 * log_scale)
        value = 0.5 * square + float(active @ loss) + total * max(excess, 0.0)
        push = -active * self.labels
        by_w, by_c = pull_back(push * by_distance)
        if excess > 0:
            back = pull_origin(total * np.sign(from_origin))
            by_w, by_c = by_w + back[0], by_c + back[1]
        by_log_scale = square + float(push @ by_scale)
        gradient = np.r_[by_log_scale, to_chart(by_w, by_c)]
        return (value, gradient) if np.isfinite(gradient).all() else nowhere


def hyperbolic_score(log_scale: float, distances: Array) -> tuple[Array, Array, Array]:
    """Return ``arsinh(s sinh D)`` and its derivatives by D and log s, at any distance."""
    size = np.abs(distances)
    with np.errstate(under="ignore"):
        once = np.exp(-size)
    sinh, cosh = -0.5 * np.expm1(-2.0 * size), 0.5 * (1.0 + once**2)  # times exp(-|D|)
    root = np.maximum(np.hypot(once * np.exp(-log_scale), sinh), TINY)
    sign = np.sign(distances)
    # log(s sinh D + sqrt(1 + s² sinh² D)), with s exp(|D|) taken out.
    score = np.log(sinh + root) + size + log_scale
    return sign * score, cosh / root, sign * sinh / root


SURFACES = [AnySurface(), Horosphere(1.0), Horosphere(-1.0), Sphere(1.0), Sphere(-1.0)]


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


@pytest.mark.parametrize("chart", SURFACES, ids=lambda chart: repr(chart)[-25:])
@settings(max_examples=40, deadline=None)
@example(seed=52172, n_dim=1, size=1.0)  # a sphere of radius 18
@given(seed=st.integers(0, 2**31 - 1), n_dim=st.integers(1, 4), size=st.floats(0.1, 3.0))
def test_the_objective_is_that_of_long_doubles(chart, seed, n_dim, size):
    rng = np.random.default_rng(seed)
    points = Points.from_chart(size * rng.normal(size=(50, n_dim)), "tangent")
    labels = rng.choice([-1, 0, 1], 50).astype(np.int8)
    theta = rng.normal(size=n_dim + 2 + isinstance(chart, AnySurface))
    expected, expected_gradient = CurvedObjective(points, labels, None, 2.0)(chart, theta)
    objective = SurfaceObjective(points, 2.0 * labels)
    kind = type(chart).__name__.replace("Surface", "").lower()
    value, gradient = objective.evaluate(kind, getattr(chart, "sign", 1.0), theta)
    assert_allclose(value, expected, rtol=1e-8)
    if points.largest_radius < 8:  # farther out the terms of the gradient by w cancel
        scale = np.abs(expected_gradient).max()
        assert_allclose(gradient, expected_gradient, rtol=1e-6, atol=1e-8 * scale)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.3, 10.0])
def test_the_optimum_is_that_of_an_independent_multistart(seed, C):
    points, labels = problem(seed)
    found = CurvedMargin().fit(points, labels, None, C)
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
