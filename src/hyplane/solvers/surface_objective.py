"""Surfaces ``w*x = c`` of constant curvature, and the soft-margin objective over them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hyplane._utils.typing import Array
from hyplane.solvers.rows import Points

LARGEST_PARAMETER = 300.0  # parameters beyond this size, and points beyond this radius, overflow
_TINY = float(np.finfo(np.float64).tiny)


class Surface(NamedTuple):
    """A surface scaled to ``c² - w*w = 1``; its positive side is that of ``w*x > c``.

    Where w0 >= 0, c < 1 is an equidistant of a hyperplane, c = 1 a horosphere and c > 1 a sphere.
    The square is ``c² - 1``, of which c alone says too little for a large sphere.
    """

    w: Array
    c: float
    square: float


def surface_at(
    kind: str, sign: float, theta: Array
) -> tuple[Surface, Callable[[Array, float], Array]]:
    """Return the surface of some parameters, one number and a vector v whose direction is u.

    ==========  ==========  ====================================================================
    any         (a, v)      w = (sinh a, cosh a · u), c = cosh a · u', where (u, u') = v / abs(v)
    horosphere  (b, v)      w = ± exp(-b) (1, u), c = ±1
    sphere      (log ρ, v)  w = ± (cosh abs(v), sinh abs(v) · u) / sinh ρ, c = ±coth ρ
    ==========  ==========  ====================================================================

    All have the form w = (p, q u), of which p, q and c have simple derivatives. The function
    returned beside the surface takes the derivatives by w and c to those by the parameters.
    """
    first, v = theta[0], theta[1:]
    length = np.sqrt(v @ v)
    unit = v / length if length > 0 else np.eye(len(v))[0]
    p_by_length = q_by_length = c_by_first = 0.0
    if kind == "any":
        p = q_by_first = np.sinh(first)
        q = p_by_first = np.cosh(first)
        c = q * unit[-1]
        square = (c - 1.0) * (c + 1.0)
    elif kind == "horosphere":
        p = q = sign * np.exp(-first)
        p_by_first = q_by_first = -p
        c, square = np.float64(sign), 0.0
    else:
        radius = np.exp(first)
        sinh = sign * np.sinh(radius)
        p = q_by_length = np.cosh(length) / sinh
        q = p_by_length = np.sinh(length) / sinh
        c, square = sign / np.tanh(radius), 1.0 / sinh**2
        coth = abs(c)
        p_by_first, q_by_first = -radius * coth * p, -radius * coth * q
        c_by_first = -radius / sinh / abs(sinh)
    # At the centre of the chart of spheres every direction is the same.
    per_length = q / length if length > 0 or kind != "sphere" else 1.0 / sinh

    def pull_back(by_w: Array, by_c: float) -> Array:
        by_unit = np.append(by_w[1:], by_c) if kind == "any" else by_w[1:]
        along = unit @ by_unit
        by_first = by_w[0] * p_by_first + along * q_by_first + by_c * c_by_first
        outward = by_w[0] * p_by_length + along * q_by_length
        by_v = per_length * (by_unit - along * unit) + outward * unit
        return np.append(by_first, by_v)

    w = np.append(p, q * (unit[:-1] if kind == "any" else unit))
    return Surface(w, c, square), pull_back


class ScaledRows:
    """Points as ``exp(-r) x``, which is finite at any radius."""

    def __init__(self, radius: Array, direction: Array) -> None:
        self.radius, self.direction = radius, direction
        self.small = np.exp(-radius)
        twice = self.small**2
        # With the signs of w*x taken in.
        self.vectors = 0.5 * np.column_stack([1.0 + twice, (twice - 1.0)[:, None] * direction])

    def distances(self, surface: Surface) -> tuple[Array, Array, Array]:
        """Return the signed distances, and their derivatives by ``exp(-r) w*x`` and by c.

        Where w0 >= 0 they are ``log(z + sqrt(z² - c² + 1)) - log(1 + c)`` with z = w*x.
        """
        sign = 1.0 if surface.w[0] >= 0.0 else -1.0
        w, c, square = sign * surface.w, sign * surface.c, surface.square
        length = np.sqrt(w[1:] @ w[1:])
        apart = self.direction - w[1:] / (length if length > 0 else 1.0)
        # exp(-r) w*x, with the digits that w0 cosh r - length sinh r (normal · v) loses: see
        # native/kernels/product.hpp. w0 - length is square / (w0 + length).
        product = 0.5 * (square / (w[0] + length) + (w[0] + length) * self.small**2)
        product += 0.25 * length * (1.0 - self.small**2) * np.einsum("ij,ij->i", apart, apart)
        scale = np.sqrt(abs(square)) * self.small
        if square < 0.0:
            root = np.hypot(product, scale)
        else:  # sqrt(product² - scale²), at any size of the two
            root = np.sqrt(np.maximum(product - scale, 0.0)) * np.sqrt(product + scale)
        total = np.maximum(np.abs(product) + root, _TINY)
        height = self.radius + np.log(total)
        # The distance from the centre of a sphere has a kink there, so its derivatives are capped
        # closer than 1e-9; those of other surfaces where they would have lost all digits.
        size = scale if square > 0.0 else w[0] * self.small
        root = np.maximum(root, np.maximum(1e-9 * size, _TINY))
        by_square = -0.5 * (self.small / root) * (self.small / total)
        if square < 0.0:
            behind = product < 0.0
            height = np.where(behind, np.log(-square) - height, height)
            by_square = np.where(behind, 0.5 * total / (root * square), by_square)
        by_c = 2.0 * c * by_square - 1.0 / (1.0 + c)
        return sign * (height - np.log1p(c)), 1.0 / root, by_c


def hyperbolic_scores(log_scale: float, distance: Array) -> tuple[Array, Array, Array]:
    """Return ``arsinh(s sinh D)`` and its derivatives by D and log s, at any distance."""
    size = np.abs(distance)
    once = np.exp(-size)
    sinh, cosh = -0.5 * np.expm1(-2.0 * size), 0.5 * (1.0 + once**2)
    root = np.maximum(np.hypot(once * np.exp(-log_scale), sinh), _TINY)
    # log(s sinh D + sqrt(1 + s² sinh² D)), with s exp|D| taken out.
    value = np.copysign(np.log(sinh + root) + size + log_scale, distance)
    return value, cosh / root, np.copysign(sinh / root, distance)


class SurfaceObjective:
    """``½ s² + Σ c_j max(0, arsinh 1 - y_j arsinh(s sinh D(x_j)))``, with C in the weights c_j.

    The surface has to meet the smallest ball around the origin that holds the points: an exact
    penalty on its distance from the origin.
    """

    def __init__(self, points: Points, signed_weights: Array) -> None:
        kept = signed_weights != 0
        origin = np.zeros(points.n_dim)  # the last row
        self._rows = ScaledRows(
            np.append(points.radius[kept], 0.0), np.vstack([points.direction[kept], origin])
        )
        self._signed_weights = signed_weights[kept]
        self._weights = np.abs(self._signed_weights)
        self._reach = points.largest_radius

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
        distances, by_product, by_c = self._rows.distances(surface)
        score, by_distance, by_log_scale = hyperbolic_scores(theta[0], distances[:-1])
        loss = self._weights * np.arcsinh(1.0) - self._signed_weights * score
        slope = np.where(loss > 0.0, -self._signed_weights, 0.0)
        scale_square = np.exp(2.0 * theta[0])
        value = 0.5 * scale_square + np.maximum(loss, 0.0).sum()
        outward = 0.0
        from_origin = distances[-1]
        if abs(from_origin) > self._reach:
            total = self._weights.sum()
            value += total * (abs(from_origin) - self._reach)
            outward = np.copysign(total, from_origin)
        pull = np.append(slope * by_distance, outward)
        by_w = (pull * by_product) @ self._rows.vectors
        by_theta = pull_back(by_w, float(pull @ by_c))
        return value, np.append(scale_square + slope @ by_log_scale, by_theta)
