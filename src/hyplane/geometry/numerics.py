"""Lengths and logarithms that never overflow, and sums in doubled precision.

Near the boundary of the ball the radius depends on ``1 - |b|²`` alone, and plain double precision
loses every digit of it long before the doubles run out. `boundary_gap` returns it right to
rounding for the coordinates as they are given.
"""

from fractions import Fraction

import numpy as np

from hyplane._utils.typing import Array

LOG_2 = float(np.log(2.0))


def row_scales(vectors: Array) -> Array:
    """Return the power of two just below the largest entry of every row: it divides exactly."""
    largest = np.abs(vectors).max(axis=1, initial=np.finfo(np.float64).tiny)
    return np.asarray(np.ldexp(1.0, np.frexp(largest)[1] - 1))


def row_norms(vectors: Array) -> Array:
    """Return the Euclidean length of every row, also where its square leaves the doubles."""
    scale = row_scales(vectors)
    scaled = vectors / scale[:, None]
    return np.asarray(scale * np.sqrt(np.einsum("ij,ij->i", scaled, scaled)))


def directions(vectors: Array, norms: Array) -> Array:
    """Return the rows divided by their lengths; the zero vector gets the first axis."""
    zero = norms == 0
    unit = np.asarray(vectors / np.where(zero, 1.0, norms)[:, None])
    unit[zero] = np.eye(1, vectors.shape[1])
    return unit


def log_sinh(x: Array) -> Array:
    """Return ``log(sinh(x))`` for x ≥ 0."""
    with np.errstate(divide="ignore"):
        return x - LOG_2 + np.log(-np.expm1(-2.0 * x))


def log_cosh(x: Array) -> Array:
    """Return ``log(cosh(x))``."""
    x = np.abs(x)
    near = 0.5 * np.log1p(np.sinh(np.minimum(x, 1.0)) ** 2)  # the digits of small x
    return np.where(x < 1.0, near, x - LOG_2 + np.log1p(np.exp(-2.0 * x)))


def arsinh_exp(log_x: Array) -> Array:
    """Return ``arsinh(exp(log_x))``, also where the exponential overflows."""
    return np.where(log_x > 40.0, log_x + LOG_2, np.arcsinh(np.exp(np.minimum(log_x, 40.0))))


def two_sum(a: Array | float, b: Array) -> tuple[Array, Array]:
    """Return the rounded sum and its rounding error (Knuth)."""
    total = np.asarray(a + b)
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Array | float, b: Array) -> tuple[Array, Array]:
    """Return the rounded product and its rounding error (Dekker, with Veltkamp's splitting)."""
    product = np.asarray(a * b)
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, error


def _halves(a: Array | float) -> tuple[Array, Array]:
    scaled = np.asarray((2.0**27 + 1.0) * a)
    high = scaled - (scaled - a)
    return high, a - high


def dot_product(left: Array, right: Array) -> tuple[Array, Array]:
    """Return the dot product of matching rows in doubled precision: a double and the rest."""
    total, rest = np.zeros(len(left)), np.zeros(len(left))
    # One column at a time over contiguous memory: the passes of the splitting then run in cache.
    for a, b in zip(np.ascontiguousarray(left.T), np.ascontiguousarray(right.T), strict=True):
        product, error = two_product(a, b)
        total, lost = two_sum(total, product)
        rest += lost + error
    return total, rest


def boundary_gap(points: Array, k: float) -> Array:
    """Return ``1 - k |b|²`` of every row, right to rounding, its sign included."""
    gap = np.asarray(1.0 - k * np.einsum("ij,ij->i", points, points))
    rows = np.flatnonzero(np.abs(gap) < 0.1)  # elsewhere nothing cancels
    square, rest = dot_product(points[rows], points[rows])
    product, error = two_product(k, square)
    difference, lost = two_sum(1.0, -product)
    gap[rows] = difference + (lost - (error + k * rest))
    for row in np.flatnonzero(np.abs(gap) < 1e-16):  # within the last bits of the boundary
        exact = 1 - Fraction(k) * sum(Fraction(b) ** 2 for b in points[row].tolist())
        gap[row] = float(exact)
    return gap
