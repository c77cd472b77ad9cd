"""Hyperbolic distances, accurate for nearly equal points and for far ones.

Subtracting two radii, or two directions, that were rounded separately leaves only noise when the
points nearly coincide. Here the differences come from the coordinates themselves, subtracted while
they are still exact.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry.numerics import (
    arsinh_exp,
    boundary_gap,
    dot_product,
    log_cosh,
    log_sinh,
    row_norms,
    row_scales,
    two_product,
    two_sum,
)
from hyplane.geometry.validation import Points, as_rows, read_points


def distance(
    X: ArrayLike, Y: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the distance between matching rows.

    Parameters
    ----------
    X, Y : array-like of shape (m, n_columns)
        Points of one chart. Either may be a single point, of shape (1, n_columns) or (n_columns,).
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number. Distances at curvature -k are those at -1 divided by ``sqrt(k)``.

    Returns
    -------
    distances : ndarray of shape (m,)

    Notes
    -----
    The coordinates are subtracted first, so that nearly equal points keep their digits, and radii
    beyond the range of ``sinh`` are handled through logarithms. In the ball
    ``sinh(d/2) = |b - c| / sqrt((1 - |b|²)(1 - |c|²))``, in the half-space
    ``sinh(d/2) = |h - g| / (2 sqrt(h1 g1))``, elsewhere
    ``sinh²(d/2) = sinh²((r - s)/2) + sinh r sinh s sin²(φ/2)``.

    Examples
    --------
    >>> distance([[0.0, 0.0]], [[0.5, 0.0]]).round(6)
    array([1.098612])
    >>> distance([[10000.0, 0.0]], [[9000.0, 0.0]], coordinates="polar")
    array([1000.])
    """
    left, right = matching_points(X, Y, coordinates, curvature)
    return np.asarray(_matching_distances(left, right) / np.sqrt(left.k))


def pairwise_distances(
    X: ArrayLike, Y: ArrayLike | None = None, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the distances between all rows of X and all rows of Y.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m1, m2)

    Notes
    -----
    As accurate as `distance`. Coordinates are subtracted one by one (never through
    ``|x|² + |y|² - 2 x·y``). In charts other than the ball and the half-space the directions are
    rounded first; pairs in nearly the same direction, for which this matters, are computed again
    from their coordinates. Where most pairs are of this kind that takes some twenty times as long.

    Examples
    --------
    >>> pairwise_distances([[0.0, 0.0], [0.5, 0.0]]).round(4)
    array([[0.    , 1.0986],
           [1.0986, 0.    ]])
    """
    left, right = read_both(X, Y, coordinates, curvature)
    distances = _of_all_pairs(left, right)
    distances /= np.sqrt(left.k)
    return distances


def log_cosh_distances(
    X: ArrayLike, Y: ArrayLike | None = None, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return ``log cosh d`` of all pairs, for the distance d at curvature -1."""
    return _of_all_pairs(*read_both(X, Y, coordinates, curvature), log_cosh_of=True)


def polar_distance(r: Array, u: Array, s: Array | float, v: Array) -> Array:
    """Return the distance of polar points to others or to one, at curvature -1 and any radius."""
    chord = u - v
    sine = 0.25 * np.einsum("ij,ij->i", chord, chord)
    return third_side(r, np.full_like(r, s), r - s, sine)


def third_side(r: Array, s: Array, difference: Array, sine: Array) -> Array:
    """Return the third side of triangles with the sides r and s, at any radius.

    By the law of cosines it is ``2 arsinh sqrt(sinh²((r - s)/2) + sinh r sinh s sin²(φ/2))``.
    ``difference`` is r - s and ``sine`` is ``sin²(φ/2)``, a quarter of the squared chord.
    """
    difference = np.abs(difference)
    far = np.maximum(r, s) > 300.0
    a, b, c = (np.where(far, 0.0, value) for value in (r, s, difference))
    across = np.sqrt(np.sinh(a)) * np.sqrt(np.sinh(b)) * np.sqrt(sine)
    sides = np.asarray(2.0 * np.arcsinh(np.hypot(np.sinh(0.5 * c), across)))
    if far.any():
        with np.errstate(divide="ignore"):
            across = log_sinh(r[far]) + log_sinh(s[far]) + np.log(sine[far])
        radial = 2.0 * log_sinh(0.5 * difference[far])
        sides[far] = 2.0 * arsinh_exp(0.5 * np.logaddexp(radial, across))
    return sides


class Separation(NamedTuple):
    """How far points are from others: ``r - s``, ``sin²(φ/2)``, and ``sin φ`` as a vector.

    φ is the angle between the directions, and ``across`` the part of the first direction that is
    perpendicular to the second.
    """

    difference: Array
    sine: Array
    across: Array


def separate(X: Points, Y: Points) -> Separation:
    """Compare matching rows of one chart."""
    P, Q, chart, k = X.coordinates, Y.coordinates, X.chart, X.k
    if chart == "halfspace":
        return Separation(X.radius - Y.radius, *_angle(X.direction, Y.direction))
    if chart == "polar":
        difference = np.sqrt(k) * (P[:, 0] - Q[:, 0])
        if P.shape[1] > 2:
            return Separation(difference, *_angle(P[:, 1:], Q[:, 1:]))
        angle = P[:, 1] - Q[:, 1]
        turned = np.stack([-Y.direction[:, 1], Y.direction[:, 0]], axis=1)
        return Separation(difference, np.sin(0.5 * angle) ** 2, np.sin(angle)[:, None] * turned)
    if chart == "hyperboloid":
        P, Q = P[:, 1:], Q[:, 1:]
    difference = np.sqrt(k) * _norm_difference(P, Q)
    if chart == "hyperboloid":
        difference = _hyperboloid_difference(P, Q, difference, k)
    elif chart != "tangent":  # sinh of the difference, of its half in the ball
        gaps = np.sqrt(boundary_gap(P, k)) * np.sqrt(boundary_gap(Q, k))
        difference = np.arcsinh(difference / gaps) * (2.0 if chart == "ball" else 1.0)
    return Separation(difference, *_angle(P, Q))


def _norm_difference(P: Array, Q: Array) -> Array:
    """Return ``|p| - |q|`` of matching rows as ``(p - q)·(p + q) / (|p| + |q|)``."""
    scale = np.maximum(row_scales(P), row_scales(Q))
    P, Q = P / scale[:, None], Q / scale[:, None]
    difference, difference_rest = two_sum(P, -Q)
    total, total_rest = two_sum(P, Q)
    product, rest = dot_product(difference, total)
    rest = rest + np.einsum("ij,ij->i", difference, total_rest)
    rest = rest + np.einsum("ij,ij->i", difference_rest, total)
    norms = row_norms(P) + row_norms(Q)
    return np.asarray(scale * ((product + rest) / np.where(norms == 0, 1.0, norms)))


def _hyperboloid_difference(P: Array, Q: Array, shift: Array, k: float) -> Array:
    """``sinh(r - s) = (|p|² - |q|²) / (|p| cosh s + |q| cosh r)``, without overflow."""
    p, q = np.sqrt(k) * row_norms(P), np.sqrt(k) * row_norms(Q)
    largest = np.maximum(np.maximum(p, q), np.finfo(np.float64).tiny)
    a, b = p / largest, q / largest
    denominator = a * np.hypot(1.0, q) + b * np.hypot(1.0, p)
    quotient = (a + b) / np.where(denominator == 0, 1.0, denominator)
    return np.asarray(np.arcsinh(shift * quotient))


def _angle(P: Array, Q: Array) -> tuple[Array, Array]:
    """Return ``sin²(φ/2)`` of the angle between rows, and ``sin φ`` as the part of p across q.

    It keeps its digits where p and q are nearly parallel. With j the largest component of q, the
    determinants ``m_i = q_j p_i - q_i p_j`` are formed without rounding; ``m / q_j`` differs from p
    by a multiple of q, and is itself never much longer than its part across q. Both are 0 where
    p or q is.
    """
    P, Q = (rows / row_scales(rows)[:, None] for rows in (P, Q))
    largest = np.abs(Q).argmax(axis=1)[:, None]
    q, p = (np.take_along_axis(rows, largest, axis=1) for rows in (Q, P))
    left, left_error = two_product(q, P)
    right, right_error = two_product(Q, p)
    minors = ((left - right) + (left_error - right_error)) / np.where(q == 0, 1.0, q)
    p_norm, q_norm = (np.where(norms == 0, 1.0, norms) for norms in (row_norms(P), row_norms(Q)))
    along = np.einsum("ij,ij->i", Q, minors) / q_norm**2
    across = (minors - along[:, None] * Q) / p_norm[:, None]
    cosine = np.einsum("ij,ij->i", P, Q) / (p_norm * q_norm)
    half = row_norms(across) ** 2 / (2.0 * (1.0 + np.abs(cosine)))
    return np.where(cosine < 0, 1.0 - half, half), across


def read_both(
    X: ArrayLike, Y: ArrayLike | None, coordinates: str, curvature: float, y_name: str = "Y"
) -> tuple[Points, Points]:
    """Return points of one chart with the same number of columns; the same object twice if so."""
    left = read_points(X, coordinates, curvature)
    right = left if Y is None or Y is X else read_points(Y, coordinates, curvature, y_name)
    columns = left.coordinates.shape[1], right.coordinates.shape[1]
    if columns[0] != columns[1]:
        raise ValueError(
            f"X and {y_name} must have the same number of columns; got {columns[0]} and "
            f"{columns[1]}."
        )
    return left, right


def matching_points(
    X: ArrayLike, Y: ArrayLike, coordinates: str, curvature: float, y_name: str = "Y"
) -> tuple[Points, Points]:
    """Return two sets of points of equal length; one point alone meets every row."""
    left, right = read_both(as_rows(X), as_rows(Y), coordinates, curvature, y_name)
    sizes = len(left.radius), len(right.radius)
    if min(sizes) not in (1, max(sizes)):
        raise ValueError(
            f"X has {sizes[0]} rows and {y_name} has {sizes[1]}: rows are matched one to one, or "
            "one point with all. See pairwise_distances for all pairs."
        )
    every = np.zeros(max(sizes), dtype=np.intp)
    if sizes[0] < sizes[1]:
        return left.take(every), right
    return left, right.take(every) if sizes[1] < sizes[0] else right


def _matching_distances(X: Points, Y: Points) -> Array:
    """Return the distance between matching rows at curvature -1."""
    if X.chart not in ("ball", "halfspace"):
        gap = separate(X, Y)
        return third_side(X.radius, Y.radius, gap.difference, gap.sine)
    chord = row_norms(X.coordinates - Y.coordinates)
    w, v = _conformal_weights(X), _conformal_weights(Y)
    with np.errstate(over="ignore"):
        distances = 2.0 * np.arcsinh(w * v * chord)
    far = np.isinf(distances)
    distances[far] = 2.0 * arsinh_exp(np.log(chord[far]) + np.log(w[far]) + np.log(v[far]))
    return np.asarray(distances)


def _conformal_weights(X: Points) -> Array:
    """Return w with ``sinh(d/2) = w v |x - y|``, in the ball and in the half-space."""
    if X.chart == "halfspace":
        return np.asarray(np.sqrt(0.5) / np.sqrt(X.coordinates[:, 0]))
    return np.asarray(X.k**0.25 / np.sqrt(boundary_gap(X.coordinates, X.k)))


def _of_all_pairs(left: Points, right: Points, *, log_cosh_of: bool = False) -> Array:
    """Return the distances of all pairs at curvature -1, or their ``log cosh``.

    They come from ``sinh²(d/2)`` of all pairs at once, and pair by pair where that loses digits.
    """
    conformal = left.chart in ("ball", "halfspace")
    with np.errstate(over="ignore"):
        w, v = (
            _conformal_weights(side) ** 2 if conformal else 0.5 * np.sinh(side.radius)
            for side in (left, right)
        )
    values = np.empty((len(w), len(v)))
    for rows in gen_batches(len(w), max(1, (1 << 21) // len(v))):
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.multiply.outer(w[rows], v)
            if conformal:
                square = cdist(left.coordinates[rows], right.coordinates, "sqeuclidean")
                kept = square > 1e-290
                square *= size
            else:
                square = cdist(left.direction[rows], right.direction, "sqeuclidean")
                square *= size
                square += np.sinh(0.5 * (left.radius[rows, None] - right.radius)) ** 2
                # Directions are rounded: a relative error of 1e-13 in sin φ/2 here.
                kept = square > 2e-5 * size
            # Beyond these bounds a square has lost digits, or its logarithm is needed.
            kept &= (square > 1e-290) & (square < 1e290)
            values[rows] = (
                np.log1p(2.0 * square) if log_cosh_of else 2.0 * np.arcsinh(np.sqrt(square))
            )
        i, j = np.nonzero(~kept)
        i += rows.start
        n_parts = len(i) // (1 << 16) + 1
        for a, b in zip(np.array_split(i, n_parts), np.array_split(j, n_parts), strict=True):
            # Of points with themselves both orders of a pair get the same bits.
            m, n = (np.minimum(a, b), np.maximum(a, b)) if right is left else (a, b)
            d = _matching_distances(left.take(m), right.take(n))
            values[a, b] = log_cosh(d) if log_cosh_of else d
    return values
