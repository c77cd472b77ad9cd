"""Maps: exponential and logarithm map, midpoints, and the boost to a point at any radius.

Tangent vectors are vectors of Minkowski space: at the point x they satisfy ``v*x = 0``, and their
length is ``sqrt(-v*v)``. `lorentz_boost` is the boost as a matrix, which loses the digits of far
points; `polar_boost` is the same isometry on polar coordinates, where nothing is a difference of
large numbers and no exponential overflows.
"""

from dataclasses import dataclass

import numpy as np

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import as_doubles
from hyplane.geometry.charts import write_points
from hyplane.geometry.distances import (
    Separation,
    matching_points,
    polar_distance,
    separate,
    third_side,
)
from hyplane.geometry.errors import PointError
from hyplane.geometry.numerics import LOG_2, arsinh_exp, directions, log_cosh, log_sinh, row_norms
from hyplane.geometry.validation import as_rows, check_curvature, check_reach, read_points


def exponential_map(
    V: ArrayLike,
    base: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Follow geodesics: return the end points of tangent vectors.

    Parameters
    ----------
    V : array-like of shape (m, n + 1)
        Tangent vectors in hyperboloid coordinates, whatever the chart: ``v*x = 0`` at the base
        point x, hence a first component 0 at the origin.
    base : array-like of shape (m, n_columns) or (n_columns,), optional
        The points where the vectors start, or one point for all; the origin by default.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the base points and of the result.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    points : ndarray of shape (m, n_columns)

    See Also
    --------
    logarithm_map : The inverse.

    Examples
    --------
    >>> exponential_map([[0.0, 2.0, 0.0]], coordinates="polar")
    array([[2., 0.]])
    """
    vectors = as_doubles(as_rows(V), "V")
    if vectors.ndim != 2 or vectors.shape[0] == 0 or vectors.shape[1] < 2:
        raise ValueError(
            "V must be a 2-D array of tangent vectors in hyperboloid coordinates, one a row, with "
            f"n + 1 columns; got shape {vectors.shape}."
        )
    for row in np.flatnonzero(~np.isfinite(vectors).all(axis=1)).tolist():
        raise PointError("has NaN or infinite components", row, float("nan"), name="V")
    chart, k = chart_name(coordinates), check_curvature(curvature)
    radius, direction = np.zeros(1), np.eye(1, vectors.shape[1] - 1)
    if base is not None:
        _, radius, direction, *_ = read_points(as_rows(base), chart, curvature, "base")
        check_reach(radius, "base", k)
    if direction.shape[1] != vectors.shape[1] - 1 or len(radius) not in (1, len(vectors)):
        raise ValueError(
            f"V has {len(vectors)} rows of {vectors.shape[1]} columns, so base must be one point "
            f"or {len(vectors)} points of dimension {vectors.shape[1] - 1}; got {len(radius)} of "
            f"dimension {direction.shape[1]}."
        )
    radius = np.broadcast_to(radius, len(vectors))
    direction = np.broadcast_to(direction, (len(vectors), direction.shape[1]))
    time, spatial = np.sqrt(k) * vectors[:, 0], np.sqrt(k) * vectors[:, 1:]
    along = np.einsum("ij,ij->i", spatial, direction)
    expected = np.tanh(radius) * along
    for row in np.flatnonzero(~(np.abs(time - expected) <= 1e-6 * row_norms(spatial))).tolist():
        problem = (
            f"is not tangent at its base point: v0 = {time[row]:.6g} where v*x = 0 asks for "
            f"{expected[row]:.6g} (at curvature -1)"
        )
        remedy = "V takes hyperboloid coordinates, with v0 first; at the origin v0 = 0"
        raise PointError(problem, row, time[row], remedy, "V", 0)
    # The boost back to the origin shrinks the part along the direction of the base point.
    across = spatial - along[:, None] * direction
    at_origin = across + (along / np.cosh(radius))[:, None] * direction
    length = row_norms(at_origin)
    ends = polar_boost(radius, direction, length, directions(at_origin, length))
    return write_points(*ends, chart, k)


def logarithm_map(
    X: ArrayLike,
    base: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the tangent vectors at the base points that lead to the points.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    base : array-like of shape (m, n_columns) or (n_columns,), optional
        The points where the vectors start, or one point for all; the origin by default.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of all these points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    vectors : ndarray of shape (m, n + 1)
        Tangent vectors in hyperboloid coordinates; their length is the distance.

    Examples
    --------
    >>> logarithm_map([[2.0, 0.0]], coordinates="polar")
    array([[0., 2., 0.]])
    """
    if base is None:
        _, radius, direction, _, k = read_points(as_rows(X), coordinates, curvature)
        return np.insert(radius[:, None] * direction / np.sqrt(k), 0, 0.0, axis=1)
    points, start = matching_points(X, base, coordinates, curvature, "base")
    radius = start.radius
    check_reach(radius, "base", start.k)
    gap = separate(points, start)
    length = third_side(points.radius, radius, gap.difference, gap.sine)
    along, across = _heading(radius, points.radius, gap)
    vectors = np.empty((len(radius), points.direction.shape[1] + 1))
    vectors[:, 0] = length * along * np.sinh(radius)
    vectors[:, 1:] = (length * along * np.cosh(radius))[:, None] * start.direction
    vectors[:, 1:] += length[:, None] * across
    origin = radius == 0  # where every direction is radial
    vectors[origin, 1:] = (points.radius[:, None] * points.direction)[origin]
    return np.asarray(vectors / np.sqrt(start.k))


def geodesic_midpoint(
    X: ArrayLike, Y: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the points half way between matching rows.

    Parameters
    ----------
    X, Y : array-like of shape (m, n_columns)
        Points of one chart. Either may be a single point.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart, and that of the result.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    midpoints : ndarray of shape (m, n_columns)

    Notes
    -----
    On the hyperboloid it is ``(x + y) / (2 cosh(d/2))``.

    Examples
    --------
    >>> geodesic_midpoint([[1.0, 0.0]], [[3.0, 0.0]], coordinates="polar")
    array([[2., 0.]])
    """
    left, right = matching_points(X, Y, coordinates, curvature)
    gap = separate(left, right)
    length = third_side(left.radius, right.radius, gap.difference, gap.sine)
    middle = _midpoint(left.radius, left.direction, right.radius, right.direction, length)
    return write_points(*middle, left.chart, left.k)


def _midpoint(r: Array, u: Array, s: Array, v: Array, length: Array) -> tuple[Array, Array]:
    """Return the polar midpoints of polar points that are a length apart."""
    # sinh r and sinh s, divided by the exponential of the larger radius
    largest = np.maximum(r, s)
    a, b = (-0.5 * np.exp(t - largest) * np.expm1(-2.0 * t) for t in (r, s))
    total = a[:, None] * u + b[:, None] * v
    norms = row_norms(total)
    with np.errstate(divide="ignore"):
        radius = arsinh_exp(np.log(norms) + (largest - log_cosh(0.5 * length)) - LOG_2)
    return radius, directions(total, norms)


def polar_boost(
    radius: Array, direction: Array, length: Array, heading: Array
) -> tuple[Array, Array]:
    """Carry polar points by the boosts that take the origin to other polar points.

    Row by row, ``(length, heading)`` is carried by the boost that takes the origin to
    ``(radius, direction)``: go from there by a length in the direction of a heading. With the
    opposite direction it is the view from that point. Everything is at curvature -1.
    """
    chord = heading + direction
    opening = 0.5 * np.einsum("ij,ij->i", chord, chord)  # 1 + cos of the angle between the two
    across = chord - opening[:, None] * direction
    gap = Separation(length - radius, 0.5 * opening, across)
    along, across = _heading(radius, length, gap)
    moved = across - along[:, None] * direction
    norms = row_norms(moved)
    at_origin = (norms == 0.0)[:, None]
    moved = np.where(at_origin, direction, moved / np.where(at_origin, 1.0, norms[:, None]))
    return third_side(length, radius, gap.difference, gap.sine), moved


def boost_ideal_points(radius: Array, direction: Array, ideal: Array) -> Array:
    """Carry ideal points, row by row, by the boosts that take the origin to polar points."""
    far = 2.0 * radius + 1000.0  # at infinity, as far as doubles can tell
    return polar_boost(radius, direction, far, ideal)[1]


def _heading(r: Array, s: Array, gap: Separation) -> tuple[Array, Array]:
    """Return unit vectors from base points at radius r towards points at s, along and across.

    They are proportional to ``sinh(s - r) - 2 sinh s cosh r sin²(φ/2)`` along the direction of the
    base point and ``sinh s sin φ`` across it. Both are divided by ``exp(r + s) / 2``.
    """
    # On one ray there is nothing across, and the size of the part along it does not matter.
    smaller = np.where(gap.sine == 0.0, 0.0, np.minimum(r, s))
    grown = -np.expm1(-2.0 * s)
    along = -np.copysign(np.exp(-2.0 * smaller), gap.difference)
    along *= np.expm1(-2.0 * np.abs(gap.difference))
    along -= (1.0 + np.exp(-2.0 * r)) * grown * gap.sine
    side = np.exp(-r) * grown
    # By a power of two, which rounds nothing: products of the smallest doubles have no digits left.
    exponent = -np.frexp(np.maximum(np.abs(along), side))[1]
    along = np.ldexp(along, exponent)
    across = np.ldexp(side, exponent)[:, None] * gap.across
    size = np.hypot(along, row_norms(across))
    size = np.where(size == 0.0, 1.0, size)
    return along / size, across / size[:, None]


@dataclass(frozen=True)
class Recentering:
    """The isometry that carries the point (radius, direction) to the origin along a geodesic."""

    radius: float
    direction: Array

    @classmethod
    def between(cls, radius: Array, direction: Array) -> "Recentering":
        """Put the origin half way between two polar points."""
        (r, s), (u, v) = np.split(radius, 2), np.split(direction, 2)
        middle, towards = _midpoint(r, u, s, v, polar_distance(r, u, s, v))
        return cls(float(middle[0]), towards[0])

    def klein(self, radius: Array, direction: Array) -> tuple[Array, Array]:
        """Return Klein coordinates and ``log x0`` of polar points, seen from the new origin."""
        origin = np.full_like(radius, self.radius)
        towards = np.broadcast_to(-self.direction, direction.shape)
        radius, direction = polar_boost(origin, towards, radius, direction)
        return np.tanh(radius)[:, None] * direction, log_cosh(radius)

    def moved_to(self, klein: Array) -> "Recentering":
        """Put the origin at a point, given by its Klein coordinates from this one."""
        length = row_norms(klein[None])
        radius, direction = polar_boost(
            np.array([self.radius]),
            self.direction[None],
            np.arctanh(np.minimum(length, 1.0 - 1e-15)),
            directions(klein[None], length),
        )
        return Recentering(float(radius[0]), direction[0])

    def hyperplane_back(self, offset: float, normal: Array) -> tuple[float, Array]:
        """Return offset and normal, seen from the old origin, of a hyperplane seen from the new.

        The normal is rounded first; the offset is then the one that keeps the distance of the
        new origin, ``a = artanh(c tanh q) + arsinh(sinh a' / sqrt(1 + sinh²q (1 - c²)))``
        with ``c = cos`` of the angle between the normal and the direction of the new origin. If
        the two were computed apart, the rounding of the normal would be multiplied by ``exp q``
        where the points are.
        """
        q = np.asarray(self.radius)
        cosine = self.direction @ normal
        turned = (normal - cosine * self.direction) * np.exp(-log_cosh(q))
        turned += (cosine + np.tanh(q) * np.tanh(offset)) * self.direction
        turned /= np.sqrt(turned @ turned)
        side = 1.0 if turned @ self.direction >= 0.0 else -1.0
        chord = turned - side * self.direction
        half = 0.5 * (chord @ chord)
        with np.errstate(divide="ignore"):
            # 1 - c tanh q = (1 - tanh q) + tanh q (1 - c)
            log_complement = np.logaddexp(-q - log_cosh(q), np.log(np.tanh(q) * half))
            radial = side * 0.5 * (np.log(2.0 - np.exp(log_complement)) - log_complement)
            log_size = 0.5 * np.logaddexp(0.0, 2.0 * log_sinh(q) + np.log(half * (2.0 - half)))
            log_offset = log_sinh(np.abs(np.asarray(offset))) - log_size
        return float(radial + np.sign(offset) * arsinh_exp(log_offset)), turned
