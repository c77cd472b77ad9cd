"""How far two points are apart in radius and in angle, keeping the digits of near neighbours.

Subtracting two radii, or two directions, that were rounded separately leaves only noise when the
points nearly coincide. Here the differences come from the coordinates themselves, subtracted while
they are still exact.
"""

from typing import NamedTuple

import numpy as np

from hyplane._utils.typing import Array
from hyplane.geometry._exact import boundary_gap, dot_product, two_product, two_sum
from hyplane.geometry._table import Chart
from hyplane.geometry.numerics import arsinh_exp, log_sinh, row_norms

_PLAIN_BELOW = 300.0


class Separation(NamedTuple):
    """Matching rows of two sets of points, in units of curvature -1.

    ``difference`` is ``radius - other_radius``, ``sine`` is ``sin²(φ/2)`` of the angle φ between
    their directions, that is, a quarter of the squared chord.
    """

    radius: Array
    other_radius: Array
    difference: Array
    sine: Array


def separate(X: Array, Y: Array, chart: Chart, k: float) -> Separation:
    """Compare matching rows of valid points of one chart."""
    radius, direction = chart.to_polar(X, k)
    other, other_direction = chart.to_polar(Y, k)
    scale = float(np.sqrt(k))
    if chart.name == "halfspace":
        return Separation(radius, other, radius - other, half_angle(direction, other_direction))
    if chart.name == "polar":
        sine = _half_angle_of_polar(X, Y)
        return Separation(radius, other, scale * (X[:, 0] - Y[:, 0]), sine)
    if chart.name == "hyperboloid":
        X, Y = X[:, 1:], Y[:, 1:]
    shift = norm_difference(X, Y)
    if chart.name == "hyperboloid":
        shift = _hyperboloid_difference(X, Y, shift, 1.0 / scale)
    elif chart.name == "tangent":
        shift = scale * shift
    else:  # sinh of the difference, of its half in the ball
        gaps = np.sqrt(boundary_gap(X, k)) * np.sqrt(boundary_gap(Y, k))
        shift = np.arcsinh(scale * shift / gaps) * (2.0 if chart.name == "ball" else 1.0)
    return Separation(radius, other, shift, half_angle(X, Y))


def distance_of(separation: Separation) -> Array:
    """Return ``2 arsinh sqrt(sinh²((r - s)/2) + sinh r sinh s sin²(φ/2))`` at any radius."""
    r, s, difference, sine = separation
    difference = np.abs(difference)
    near = np.maximum(r, s) < _PLAIN_BELOW
    a, b, c = (np.where(near, value, 0.0) for value in (r, s, difference))
    across = np.sqrt(np.sinh(a)) * np.sqrt(np.sinh(b)) * np.sqrt(sine)
    distances = 2.0 * np.arcsinh(np.hypot(np.sinh(0.5 * c), across))
    if not near.all():
        far = ~near
        distances[far] = _far_distance(r[far], s[far], difference[far], sine[far])
    return np.asarray(distances)


def _far_distance(r: Array, s: Array, difference: Array, sine: Array) -> Array:
    with np.errstate(divide="ignore"):
        across = log_sinh(r) + log_sinh(s) + np.log(sine)
    return 2.0 * arsinh_exp(0.5 * np.logaddexp(2.0 * log_sinh(0.5 * difference), across))


def norm_difference(P: Array, Q: Array) -> Array:
    """Return ``|p| - |q|`` of matching rows as ``(p - q)·(p + q) / (|p| + |q|)``."""
    exponent = np.maximum(_exponents(P), _exponents(Q))
    P, Q = np.ldexp(P, -exponent[:, None]), np.ldexp(Q, -exponent[:, None])
    difference, difference_rest = two_sum(P, -Q)
    total, total_rest = two_sum(P, Q)
    product, rest = dot_product(difference, total)
    rest = rest + np.einsum("ij,ij->i", difference, total_rest)
    rest = rest + np.einsum("ij,ij->i", difference_rest, total)
    norms = row_norms(P) + row_norms(Q)
    quotient = (product + rest) / np.where(norms == 0, 1.0, norms)
    return np.asarray(np.ldexp(quotient, exponent))


def _hyperboloid_difference(P: Array, Q: Array, shift: Array, unit: float) -> Array:
    """``sinh(r - s) = (|p|² - |q|²) / (|p| cosh s + |q| cosh r)``, without overflow."""
    p, q = row_norms(P), row_norms(Q)
    largest = np.maximum(p, q)
    largest[largest == 0] = 1.0
    a, b = p / largest, q / largest
    denominator = a * np.hypot(unit, q) + b * np.hypot(unit, p)
    denominator[denominator == 0] = 1.0
    return np.asarray(np.arcsinh(shift * ((a + b) / denominator)))


def half_angle(P: Array, Q: Array) -> Array:
    """Return ``sin²(φ/2)`` of the angle between matching rows, 0 where one of them is zero."""
    P, Q = scaled(P), scaled(Q)
    p, q = row_norms(P), row_norms(Q)
    p[p == 0] = q[q == 0] = 1.0
    cosine = np.einsum("ij,ij->i", P, Q) / (p * q)
    sine = row_norms(perpendicular(P, Q)) / q
    half = sine**2 / (2.0 * (1.0 + np.abs(cosine)))
    return np.asarray(np.where(cosine < 0, 1.0 - half, half))


def perpendicular(P: Array, Q: Array) -> Array:
    """Return the part of each row of Q that is perpendicular to the row of P.

    It keeps its digits where p and q are nearly parallel. With j the largest component of p, the
    determinants ``m_i = p_j q_i - p_i q_j`` are formed without rounding; ``m / p_j`` differs from q
    by a multiple of p, and is itself never much longer than its perpendicular part.
    """
    rows = np.arange(len(P))
    largest = np.abs(P).argmax(axis=1)
    p = np.broadcast_to(P[rows, largest][:, None], P.shape)
    q = np.broadcast_to(Q[rows, largest][:, None], P.shape)
    left, left_error = two_product(p, Q)
    right, right_error = two_product(P, q)
    minors = ((left - right) + (left_error - right_error)) / np.where(p == 0, 1.0, p)
    square = np.asarray(np.einsum("ij,ij->i", P, P))
    square[square == 0] = 1.0
    return np.asarray(minors - (np.einsum("ij,ij->i", P, minors) / square)[:, None] * P)


def _half_angle_of_polar(X: Array, Y: Array) -> Array:
    if X.shape[1] == 2:
        return np.asarray(np.sin(0.5 * (X[:, 1] - Y[:, 1])) ** 2)
    return half_angle(X[:, 1:], Y[:, 1:])


def _exponents(vectors: Array) -> Array:
    """Return the power of two just above each row, for exact scaling."""
    largest = np.abs(vectors).max(axis=1)
    exponent = np.frexp(largest)[1]
    return np.asarray(np.where(largest == 0, -1000, np.maximum(exponent, -1000)))


def scaled(vectors: Array) -> Array:
    """Return the rows divided by powers of two, so that none is very long or very short."""
    return np.asarray(np.ldexp(vectors, -_exponents(vectors)[:, None]))
