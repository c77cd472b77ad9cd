"""Surfaces ``w*x = c`` of constant curvature, and the soft-margin objective over them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hyplane._utils.typing import Array

# Parameters beyond this size are no surface.
LARGEST_PARAMETER = 300.0
# The distance from the centre of a sphere has a kink there; closer than this its derivatives are
# capped.
_NEAREST_CENTRE = 1e-9
_TINY = float(np.finfo(np.float64).tiny)
_ARSINH_1 = float(np.arcsinh(1.0))


class Surface(NamedTuple):
    """A surface scaled to ``c² - w*w = 1`` and turned to ``w0 >= 0``.

    Then c < 1 is an equidistant of a hyperplane, c = 1 a horosphere and c > 1 a sphere. The
    positive side is that of ``sign (w*x - c) > 0``. ``c - 1`` has the digits of a large sphere.
    """

    w: Array
    c: float
    c_less_1: float
    sign: float


def surface_at(
    kind: str, sign: float, theta: Array
) -> tuple[Surface, Callable[[Array, float], Array]]:
    """Return the surface of some parameters: one number and a vector v, whose direction is u.

    ==========  ==========  ====================================================================
    any         (a, v)      w = ±(sinh a, cosh a · u), c = ±cosh a · u', where (u, u') = v / abs(v)
    horosphere  (b, v)      w = exp(-b) (1, u), c = 1
    sphere      (log ρ, v)  w = (cosh abs(v), sinh abs(v) · u) / sinh ρ, c = coth ρ
    ==========  ==========  ====================================================================

    All have the form w = (p, q u), of which p, q and c have simple derivatives. The function
    returned beside the surface takes the derivatives by w and c to those by the parameters.
    """
    first, v = theta[0], theta[1:]
    length = np.sqrt(v @ v)
    unit = v / length if length > 0 else np.eye(len(v))[0]
    p_by_length = q_by_length = c_by_first = 0.0
    if kind == "any":
        sign = 1.0 if first >= 0 else -1.0
        p = q_by_first = sign * np.sinh(first)
        q = p_by_first = sign * np.cosh(first)
        c = q * unit[-1]
        c_less_1 = c - 1.0
        w = np.concatenate([[p], q * unit[:-1]])
    else:
        if kind == "horosphere":
            p = q = np.exp(-first)
            p_by_first = q_by_first = -p
            c, c_less_1 = 1.0, 0.0
        else:
            radius = np.exp(first)
            sinh = np.sinh(radius)
            p = q_by_length = np.cosh(length) / sinh
            q = p_by_length = np.sinh(length) / sinh
            c, c_less_1 = 1.0 / np.tanh(radius), 2.0 / np.expm1(2.0 * radius)
            p_by_first, q_by_first = -radius * c * p, -radius * c * q
            c_by_first = -radius / sinh / sinh
        w = np.concatenate([[p], q * unit])
    # At the centre of the chart of spheres every direction is the same.
    per_length = q / length if length > 0 or kind != "sphere" else 1.0 / sinh

    def pull_back(by_w: Array, by_c: float) -> Array:
        by_unit = np.append(by_w[1:], by_c) if kind == "any" else by_w[1:]
        along = unit @ by_unit
        by_first = by_w[0] * p_by_first + along * q_by_first + by_c * c_by_first
        outward = by_w[0] * p_by_length + along * q_by_length
        by_v = per_length * (by_unit - along * unit) + outward * unit
        return np.concatenate([[by_first], by_v])

    return Surface(w, c, c_less_1, sign), pull_back


@dataclass(frozen=True)
class _Distances:
    """Signed distances D, and their derivatives by ``exp(-r) w*x`` and by c."""

    value: Array
    by_product: Array
    by_c: Array


class _Rows:
    """Points as ``exp(-r) x``, which is finite at any radius."""

    def __init__(self, radius: Array, direction: Array) -> None:
        self.radius, self.direction = radius, direction
        self.small = np.exp(-radius)
        self.square = self.small**2

    def distances(self, surface: Surface) -> _Distances:
        """Return ``log(z + sqrt(z² - σ)) - log(1 + c)`` with z = w*x and σ = c² - 1."""
        w, c, c_less_1, sign = surface
        length = np.sqrt(w[1:] @ w[1:])
        apart = self.direction - w[1:] / (length if length > 0 else 1.0)
        sigma = c_less_1 * (c + 1.0)
        # exp(-r) w*x, with the digits that w0 cosh r - length sinh r (normal · v) loses: see
        # native/kernels/product.hpp. w0 - length is sigma / (w0 + length).
        product = 0.5 * (sigma / (w[0] + length) + (w[0] + length) * self.square)
        product += 0.25 * length * (1.0 - self.square) * np.einsum("ij,ij->i", apart, apart)
        nearest = np.maximum(_NEAREST_CENTRE * self.small, _TINY)
        root = np.sqrt(np.maximum(product**2 - sigma * self.square, nearest**2))
        total = np.maximum(np.abs(product) + root, _TINY)
        height = self.radius + np.log(total)
        by_sigma = -0.5 * self.square / (root * total)
        if sigma < 0.0:
            behind = product < 0.0
            height = np.where(behind, np.log(-sigma) - height, height)
            by_sigma = np.where(behind, 0.5 * total / (root * sigma), by_sigma)
        by_c = sign * (2.0 * c * by_sigma - 1.0 / (1.0 + c))
        return _Distances(sign * (height - np.log1p(c)), sign / root, by_c)

    def gradient(self, by_product: Array) -> Array:
        """Return the derivatives by w from those by ``exp(-r) w*x``."""
        by_first = 0.5 * (by_product @ (1.0 + self.square))
        pull = 0.5 * by_product * (1.0 - self.square)
        return np.concatenate([[by_first], -(pull @ self.direction)])


def _hyperbolic_scores(log_scale: float, distance: Array) -> tuple[Array, Array, Array]:
    """Return ``arsinh(s sinh D)`` and its derivatives by D and log s, at any distance."""
    size = np.abs(distance)
    once = np.exp(-size)
    sinh, cosh = -0.5 * np.expm1(-2.0 * size), 0.5 * (1.0 + once**2)
    root = np.maximum(np.hypot(once * np.exp(-log_scale), sinh), _TINY)
    # log(s sinh D + sqrt(1 + s² sinh² D)), with s exp|D| taken out.
    value = np.copysign(np.log(sinh + root) + size + log_scale, distance)
    return value, cosh / root, np.copysign(sinh / root, distance)


def surface_scores(radius: Array, direction: Array, surface: Surface, log_scale: float) -> Array:
    """Return ``arsinh(s sinh D)`` of points at signed distance D from a surface.

    A surface whose w is zero stands for the same decision everywhere, one unit of distance away.
    """
    if not surface.w.any():
        distance = np.full(len(radius), surface.sign)
    else:
        with np.errstate(all="ignore"):
            distance = _Rows(radius, direction).distances(surface).value
    return _hyperbolic_scores(log_scale, distance)[0]


class SurfaceObjective:
    """``½ s² + Σ c_j max(0, arsinh 1 - y_j arsinh(s sinh D(x_j)))``, with C in the weights c_j.

    The surface has to meet the ball of radius `reach`: an exact penalty on its distance from the
    origin.
    """

    def __init__(
        self, radius: Array, direction: Array, signed_weights: Array, reach: float
    ) -> None:
        counts = signed_weights != 0
        n_dim = direction.shape[1]
        # The last row is the origin.
        self._rows = _Rows(
            np.append(radius[counts], 0.0), np.vstack([direction[counts], np.zeros(n_dim)])
        )
        self._signed_weights = signed_weights[counts]
        self._weights = np.abs(self._signed_weights)
        self._reach = reach

    def evaluate(self, kind: str, sign: float, theta: Array) -> tuple[float, Array]:
        """Return value and gradient at θ = (log s, parameters of the surface).

        The value is infinite and the gradient zero where there is no such surface, or where its
        numbers leave the doubles.
        """
        if np.abs(theta).max() < LARGEST_PARAMETER:
            with np.errstate(all="ignore"):
                value, gradient = self._at(kind, sign, theta)
            if np.isfinite(value) and np.isfinite(gradient).all():
                return float(value), gradient
        return np.inf, np.zeros_like(theta)

    def _at(self, kind: str, sign: float, theta: Array) -> tuple[float, Array]:
        surface, pull_back = surface_at(kind, sign, theta[1:])
        distances = self._rows.distances(surface)
        from_origin = distances.value[-1]
        score, by_distance, by_log_scale = _hyperbolic_scores(theta[0], distances.value[:-1])
        loss = self._weights * _ARSINH_1 - self._signed_weights * score
        slope = np.where(loss > 0.0, -self._signed_weights, 0.0)
        square = np.exp(2.0 * theta[0])
        value = 0.5 * square + np.maximum(loss, 0.0).sum()
        outward = 0.0
        if abs(from_origin) > self._reach:
            total = self._weights.sum()
            value += total * (abs(from_origin) - self._reach)
            outward = np.copysign(total, from_origin)
        pull = np.append(slope * by_distance, outward)
        by_w = self._rows.gradient(pull * distances.by_product)
        by_theta = pull_back(by_w, float(pull @ distances.by_c))
        return value, np.concatenate([[square + slope @ by_log_scale], by_theta])
