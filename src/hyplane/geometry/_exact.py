"""Compensated arithmetic: for the few expressions that need more than double precision.

Near the boundary of the ball the radius depends on ``1 - |b|²`` alone, and evaluating that in
plain double precision loses every digit long before the doubles run out. The functions here return
it, and two relatives, right to rounding for the coordinates as they are given.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from hyplane._utils.typing import Array

_GapFunction: TypeAlias = Callable[[Array, float], Array]

_BLOCK = 4096
_SPLITTER = 134217729.0  # 2**27 + 1
_PLAIN_ABOVE = 0.1
_TWO_PIECES_ABOVE = 1e-7
_DOUBLED_ABOVE = 1e-16


def two_sum(a: Array | float, b: Array) -> tuple[Array, Array]:
    """Return the rounded sum and its rounding error (Knuth)."""
    total = np.asarray(a + b)
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Array | float, b: Array) -> tuple[Array, Array]:
    """Return the rounded product and its rounding error (Dekker, with Veltkamp's splitting)."""
    product = np.asarray(a * b)
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, error


def _split(a: Array | float) -> tuple[Array, Array]:
    scaled = np.asarray(_SPLITTER * a)
    high = scaled - (scaled - a)
    return high, a - high


def boundary_gap(points: Array, k: float) -> Array:
    """Return ``1 - k |b|²`` of every row, right to rounding, its sign included.

    Cheap where nothing cancels; each further step is taken only by the rows that need it.
    """
    gap = np.asarray(1.0 - k * np.einsum("ij,ij->i", points, points))
    _refine(gap, points, k, _PLAIN_ABOVE, _gap_in_two_pieces)
    _refine(gap, points, k, _TWO_PIECES_ABOVE, _gap_in_doubled_precision)
    _refine(gap, points, k, _DOUBLED_ABOVE, _gap_in_fractions)
    return gap


def _refine(gap: Array, points: Array, k: float, above: float, better: _GapFunction) -> None:
    rows = np.flatnonzero(np.abs(gap) < above)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        gap[block] = better(points[block], k)


def _gap_in_two_pieces(points: Array, k: float) -> Array:
    """Split each coordinate at a fixed bit: the squares of the high pieces then add up exactly."""
    # The unit is 2**-26 of a power of two not below the radius of the ball.
    unit = float(2.0 ** (np.ceil(-0.5 * np.log2(k)) - 26))
    shift = 1.5 * 2.0**52 * unit
    high = (points + shift) - shift
    low = points - high
    square = np.einsum("ij,ij->i", high, high)
    rest = np.einsum("ij,ij->i", low, points + high)
    product, error = two_product(k, np.asarray(square))
    return np.asarray((1.0 - product) - (error + k * rest))


def _gap_in_doubled_precision(points: Array, k: float) -> Array:
    square, rest = sum_of_squares(points)
    product, error = two_product(k, square)
    difference, lost = two_sum(1.0, -product)
    return difference + (lost - (error + k * rest))


def _gap_in_fractions(points: Array, k: float) -> Array:
    """Rational arithmetic, for the rare rows within the last bits of the boundary."""
    exact = [1 - Fraction(k) * sum(Fraction(b) ** 2 for b in row) for row in points.tolist()]
    return np.array([float(gap) for gap in exact])


def sum_of_squares(vectors: Array) -> tuple[Array, Array]:
    """Return the sum of squares of every row in doubled precision: a double and its remainder."""
    return dot_product(vectors, vectors)


def dot_product(left: Array, right: Array) -> tuple[Array, Array]:
    """Return the dot product of matching rows in doubled precision."""
    total = np.zeros(len(left))
    rest = np.zeros(len(left))
    # One column at a time over contiguous memory: the passes of the splitting then run in cache.
    for a, b in zip(np.ascontiguousarray(left.T), np.ascontiguousarray(right.T), strict=True):
        product, error = two_product(a, b)
        total, lost = two_sum(total, product)
        rest += lost + error
    return total, rest
