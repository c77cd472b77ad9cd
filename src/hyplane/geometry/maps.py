"""Exponential and logarithm map, the midpoint, and triangles.

Tangent vectors are vectors of Minkowski space: at the point x they satisfy ``v*x = 0``, and their
length is ``sqrt(-v*v)``. A vector is split into its part along the geodesic from the origin and the
part across it, so that nothing cancels when a far point is carried back towards the origin.
"""

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry._arrays import finite_array
from hyplane.geometry._inside import first_row
from hyplane.geometry._separation import distance_of, perpendicular, scaled, separate
from hyplane.geometry._table import Chart, find_chart
from hyplane.geometry.charts import written_in
from hyplane.geometry.distances import as_rows, matching_rows
from hyplane.geometry.errors import PointError
from hyplane.geometry.numerics import (
    arsinh_exp,
    directions,
    log_cosh,
    row_norms,
    scaled_sinh,
)
from hyplane.geometry.validation import as_doubles, check_curvature, checked_polar

_FAR = 300.0
_LONGEST = 700.0  # the products of exponentials in a triangle overflow a little later


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
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    vectors = _tangent_vectors(V)
    scale = np.sqrt(k)
    radius, direction = _base_points(base, chart, k, vectors)
    spatial = scale * vectors[:, 1:]
    _check_tangent(scale * vectors[:, 0], spatial, radius, direction)
    radius, direction = _follow(spatial, radius, direction)
    return written_in(chart, radius, direction, k)


def _follow(spatial: Array, radius: Array, direction: Array) -> tuple[Array, Array]:
    """Return the polar end points of vectors with these spatial parts.

    With ``α`` the component along the radial geodesic, ``β`` the one across and t the length, the
    end point has the spatial part ``cosh t sinh r + sinh t cosh r α/t`` along the direction of the
    base and ``sinh t β/t`` across. Towards the origin (α < 0) the first is
    ``sinh(r - t) + sinh t cosh r (1 + α/t)``.
    """
    along = np.einsum("ij,ij->i", spatial, direction)
    across = spatial - along[:, None] * direction
    along = along / np.cosh(radius)
    beta = row_norms(across)
    length = np.hypot(along, beta)
    # Far beyond the base point, a step of t multiplies the end point by exp(t).
    t = np.minimum(length, radius + 40.0)
    safe = np.where(length == 0, 1.0, length)
    back = np.minimum(along, 0.0)
    one_plus = (beta / safe) * (beta / np.where(length == 0, 1.0, length - back))
    radial = np.where(
        along < 0,
        np.sinh(radius - t) + np.sinh(t) * np.cosh(radius) * one_plus,
        np.cosh(t) * np.sinh(radius) + np.sinh(t) * np.cosh(radius) * (along / safe),
    )
    end = radial[:, None] * direction + (np.sinh(t) / safe)[:, None] * across
    norms = row_norms(end)
    with np.errstate(divide="ignore"):
        far = arsinh_exp(np.log(norms) + (length - t))
    return np.where(length > t, far, np.arcsinh(norms)), directions(end, norms)


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
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    if base is None:
        radius, direction = checked_polar(as_rows(X), chart, k)
        return _with_time(np.zeros(len(radius)), radius[:, None] * direction, k)
    points, start = matching_rows(X, base, coordinates, curvature, "X", "base")
    radius, direction = chart.to_polar(start, k)
    _check_in_reach(radius, find_chart("hyperboloid").max_radius(k), k)
    end_radius, end_direction = chart.to_polar(points, k)
    gap = separate(points, start, chart, k)
    scale = np.where(end_radius > _FAR, end_radius, 0.0)
    sinh = scaled_sinh(end_radius, scale)
    across, sine = _across(start, points, chart, direction, end_direction)
    along = scaled_sinh(gap.difference, scale) - 2.0 * sinh * np.cosh(radius) * gap.sine
    # sin φ from sin²(φ/2) has more digits for small angles, and half as many near π.
    sine = np.where(gap.sine < 0.5, 2.0 * np.sqrt(gap.sine * (1.0 - gap.sine)), sine)
    side = sinh * sine
    size = np.hypot(along, side)
    size[size == 0] = 1.0
    length = distance_of(gap)
    along, side = length * along / size, length * side / size
    spatial = (along * np.cosh(radius))[:, None] * direction + side[:, None] * across
    origin = radius == 0  # where every direction is radial
    spatial[origin] = end_radius[origin, None] * end_direction[origin]
    return _with_time(np.where(origin, 0.0, along * np.sinh(radius)), spatial, k)


def _across(base: Array, points: Array, chart: Chart, u: Array, v: Array) -> tuple[Array, Array]:
    """Return unit vectors across the directions of the base points, and the sine of the angle."""
    if chart.name in ("ball", "klein", "tangent"):  # no rounding before the subtraction
        u, v = base, points
    elif chart.name == "hyperboloid":
        u, v = base[:, 1:], points[:, 1:]
    u, v = scaled(u), scaled(v)
    rest = perpendicular(u, v)
    norms = row_norms(rest)
    sine = norms / np.maximum(row_norms(v), np.finfo(np.float64).tiny)
    return rest / np.where(norms == 0, 1.0, norms)[:, None], sine


def _with_time(time: Array, spatial: Array, k: float) -> Array:
    return np.asarray(np.concatenate([time[:, None], spatial], axis=1) / np.sqrt(k))


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
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    left, right = matching_rows(X, Y, coordinates, curvature, "X", "Y")
    (r, u), (s, v) = chart.to_polar(left, k), chart.to_polar(right, k)
    half = 0.5 * distance_of(separate(left, right, chart, k))
    largest = np.maximum(r, s)
    scale = np.where(largest > _FAR, largest, 0.0)
    total = scaled_sinh(r, scale)[:, None] * u + scaled_sinh(s, scale)[:, None] * v
    norms = row_norms(total)
    with np.errstate(divide="ignore"):
        far = arsinh_exp(scale + np.log(0.5 * norms) - log_cosh(half))
    near = np.arcsinh(0.5 * norms / np.cosh(np.minimum(half, 2.0 * _FAR)))
    return written_in(chart, np.where(scale > 0, far, near), directions(total, norms), k)


def _tangent_vectors(V: ArrayLike) -> Array:
    vectors, _ = as_doubles(as_rows(V), "V")
    if vectors.ndim != 2 or vectors.shape[0] == 0 or vectors.shape[1] < 2:
        raise ValueError(
            "V must be a 2-D array of tangent vectors in hyperboloid coordinates, one a row, with "
            f"n + 1 columns; got shape {vectors.shape}."
        )
    row = first_row(np.asarray(~np.isfinite(vectors).all(axis=1)))
    if row is not None:
        raise PointError("has NaN or infinite components", row, float("nan"), name="V")
    return vectors


def _base_points(
    base: ArrayLike | None, chart: Chart, k: float, vectors: Array
) -> tuple[Array, Array]:
    n_rows, n_dim = len(vectors), vectors.shape[1] - 1
    if base is None:
        direction = np.zeros((n_rows, n_dim))
        direction[:, 0] = 1.0
        return np.zeros(n_rows), direction
    radius, direction = checked_polar(as_rows(base), chart, k, "base")
    if direction.shape[1] != n_dim or len(radius) not in (1, n_rows):
        raise ValueError(
            f"V has {n_rows} rows of {n_dim + 1} columns, so base must be one point or {n_rows} "
            f"points of dimension {n_dim}; got {len(radius)} of dimension {direction.shape[1]}."
        )
    # A product of cosh r and sinh(r + 40) has to stay finite.
    _check_in_reach(radius, 330.0, k)
    return np.broadcast_to(radius, n_rows), np.broadcast_to(direction, (n_rows, n_dim))


def _check_in_reach(radius: Array, limit: float, k: float) -> None:
    row = first_row(radius > limit)
    if row is not None:
        value = float(radius[row] / np.sqrt(k))
        problem = (
            f"is at radius {value:.6g}: tangent vectors in hyperboloid coordinates reach to "
            f"{limit / np.sqrt(k):.4g} in double precision"
        )
        remedy = "Move the origin closer first (apply_isometry)"
        raise PointError(problem, row, value, remedy, "base")


def _check_tangent(time: Array, spatial: Array, radius: Array, direction: Array) -> None:
    expected = np.tanh(radius) * np.einsum("ij,ij->i", spatial, direction)
    row = first_row(~(np.abs(time - expected) <= 1e-6 * row_norms(spatial)))
    if row is not None:
        problem = (
            f"is not tangent at its base point: v0 = {time[row]:.6g} where v*x = 0 asks for "
            f"{expected[row]:.6g} (at curvature -1)"
        )
        remedy = "V takes hyperboloid coordinates, with v0 first; at the origin v0 = 0"
        raise PointError(problem, row, float(time[row]), remedy, "V", 0)


def solve_triangle(
    radius: ArrayLike, heading: ArrayLike, length: ArrayLike
) -> tuple[Array, Array, Array]:
    """Go a length from points of the plane, by a heading measured from the outward direction.

    The origin, the start and the end are the corners of a triangle of which two sides and an angle
    are known.

    Parameters
    ----------
    radius : array-like of shape (m,)
        Distances of the starts from the origin.
    heading : array-like of shape (m,)
        Angles between the way and the outward direction.
    length : float or array-like of shape (m,)
        Length of the way. Twice the radius and the length together may be 700 at most.

    Returns
    -------
    reached : ndarray of shape (m,)
        Distances of the ends from the origin.
    turn : ndarray of shape (m,)
        Change of the polar angle. It is computed by itself and has all its digits, however small
        it is far out.
    back : ndarray of shape (m,)
        Heading of the way back, measured from the outward direction at the end.

    Examples
    --------
    >>> reached, turn, back = solve_triangle(np.array([1.0]), np.array([0.0]), 2.0)
    >>> reached, turn, bool(abs(back[0]) == np.pi)
    (array([3.]), array([0.]), True)
    """
    radius, heading = finite_array(radius, "radius"), finite_array(heading, "heading")
    length = finite_array(length, "length")
    if (2.0 * np.abs(radius) > _LONGEST - np.abs(length)).any():
        raise ValueError(
            f"2 radius + length must be at most {_LONGEST:g}, where the angles are still doubles; "
            f"got radii up to {np.abs(radius).max():g} and length {np.abs(length).max():g}."
        )
    ahead = 2.0 * np.cos(heading / 2.0) ** 2  # 1 + cos, without cancellation
    half = np.sinh((radius - length) / 2.0) ** 2
    half = half + np.sinh(radius) * np.sinh(length) * ahead / 2.0
    reached = 2.0 * np.arcsinh(np.sqrt(half))
    along = np.sinh(radius - length) + np.cosh(radius) * np.sinh(length) * ahead
    turn = np.arctan2(np.sinh(length) * np.sin(heading), along)
    inward = np.sinh(radius - reached)
    inward = inward - np.cosh(reached) * np.sinh(radius) * 2.0 * np.sin(turn / 2.0) ** 2
    return reached, turn, np.arctan2(-np.sinh(radius) * np.sin(turn), inward)
