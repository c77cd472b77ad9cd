"""Surfaces ``w*x = c`` as points of a chart, and their signed distances with derivatives.

Every surface is scaled to ``c² - w*w = 1`` and turned to ``w0 ≥ 0``. Then c < 1 is an equidistant,
c = 1 a horosphere, c > 1 a sphere, and the signed distance of x is
``log(z + sqrt(z² - σ)) - log(1 + c)`` with ``z = w*x`` and ``σ = c² - 1``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hyplane._typing import Array
from hyplane.solvers.points import Points

# The distance from the centre of a sphere has a kink there; gradients closer than this are capped.
NEAREST_CENTRE = 1e-9
TINY = float(np.finfo(np.float64).tiny)

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
    """

    w: Array
    c: float
    sign: float


@dataclass(frozen=True)
class Rows:
    """Points as ``exp(-r) x``, which is finite at any radius, with the signs of w*x taken in."""

    points: Points
    vectors: Array = field(init=False)
    small: Array = field(init=False)

    def __post_init__(self) -> None:
        with np.errstate(under="ignore"):
            once, twice = np.exp(-self.points.radius), np.exp(-2.0 * self.points.radius)
        space = -(0.5 * (1.0 - twice))[:, None] * self.points.direction
        object.__setattr__(self, "vectors", np.column_stack([0.5 * (1.0 + twice), space]))
        object.__setattr__(self, "small", once)

    def distances(self, surface: Surface) -> tuple[Array, PullBack | None]:
        """Return the signed distances and the map of their weights to gradients by w and c.

        The second result is None, and the distances infinite, where there is no such surface.
        """
        w, c, sign = surface.w, surface.c, surface.sign
        if not c > -1.0:
            return np.full(len(self.small), np.inf), None
        square = (c - 1.0) * (c + 1.0)
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
        a, vector = float(theta[0]), theta[1:]
        length = float(np.linalg.norm(vector))
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
        length = float(np.linalg.norm(theta[1:]))
        unit, size = theta[1:] / length, float(np.exp(-theta[0]))
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
        radius, v = float(np.exp(theta[0])), theta[1:]
        t = float(np.linalg.norm(v))
        unit = v / t if t > 0 else np.eye(len(v))[0]
        sinh, coth = float(np.sinh(radius)), float(1.0 / np.tanh(radius))
        w = np.r_[np.cosh(t), np.sinh(t) * unit] / sinh

        def pull_back(by_w: Array, by_c: float) -> Array:
            by_radius = -coth * float(by_w @ w) - by_c / sinh / sinh
            along = float(by_w[1:] @ unit)
            stretch = np.sinh(t) / t if t > 0 else 1.0
            by_v = (by_w[0] * np.sinh(t) + np.cosh(t) * along) * unit
            by_v = by_v + stretch * (by_w[1:] - along * unit)
            return np.asarray(np.r_[radius * by_radius, by_v / sinh])

        return Surface(w, coth, self.sign), pull_back
