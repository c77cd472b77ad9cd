"""Charts of hyperbolic space and the conversions between any two of them.

Native polar coordinates are the hub: every chart has a map to the pair of a radius (at curvature
-1) and a unit direction, and a map back. With ``x = (cosh r, sinh r · u)`` on the hyperboloid:

============ ================================================= ======= ====================
chart        coordinates at curvature -1                       columns radius held
============ ================================================= ======= ====================
ball         ``tanh(r/2) u``                                   n       37
hyperboloid  ``(cosh r, sinh r · u)``                          n + 1   709
halfspace    ``(1, sinh r · u2, …) / (cosh r + sinh r · u1)``  n       708
klein        ``tanh(r) u``                                     n       18
polar        ``(r, θ)`` in the plane, else ``(r, u)``          n + 1   any
tangent      ``r u``                                           n       any
============ ================================================= ======= ====================

At curvature -k all lengths (in polar coordinates: r alone) are divided by ``sqrt(k)``. The maps to
polar coordinates are compiled (`hyplane.native.charts`); those back are here.
"""

import numpy as np

from hyplane._utils.charts import CHARTS, chart_name
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import as_doubles, read_rows
from hyplane.geometry.errors import PointError
from hyplane.geometry.numerics import boundary_gap, row_norms
from hyplane.geometry.validation import (
    check_curvature,
    check_points,
    check_positive,
    direction_error,
    point_error,
    read_points,
)
from hyplane.native import charts as native


def convert(
    X: ArrayLike, coordinates: str, new_coordinates: str, *, curvature: float = -1.0
) -> Array:
    """Convert points from one chart to another.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart, also by other usual names: poincare, lorentz, upper_half_space.
    new_coordinates : same names
        The chart of the result. Polar points of the plane come out as ``(r, θ)``.
    curvature : float, default=-1.0
        A negative number, the same for both charts.

    Returns
    -------
    points : ndarray of shape (m, n_columns of the new chart)
        A new array, also when both charts are the same.

    Raises
    ------
    ValueError
        If a row is not a point of its chart, or lies farther out than the doubles of the new
        chart can represent.

    Examples
    --------
    >>> convert([[0.5, 0.0]], "ball", "klein")
    array([[0.8, 0. ]])
    >>> convert([[2.0, 0.0]], "polar", "hyperboloid").round(3)
    array([[3.762, 3.627, 0.   ]])
    """
    new, points = chart_name(new_coordinates), read_points(X, coordinates, curvature)
    if new == points.chart:
        return points.coordinates.copy()
    return write_points(points.radius, points.direction, new, points.k)


def to_polar(X: ArrayLike, coordinates: str, *, curvature: float = -1.0) -> tuple[Array, Array]:
    """Return radius and unit direction of points of any chart, at curvature -1.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        The curvature of the chart.

    Returns
    -------
    radius : ndarray of shape (m,)
        Distance to the origin in the space of curvature -1 (``sqrt(k)`` times the one at
        curvature -k).
    direction : ndarray of shape (m, n)
        Unit vectors; the origin has the first axis.

    Examples
    --------
    >>> radius, direction = to_polar([[0.0, 0.5], [0.0, 0.0]], "ball")
    >>> radius.round(4), direction
    (array([1.0986, 0.    ]), array([[0., 1.], [1., 0.]]))
    """
    points = read_points(X, coordinates, curvature)
    return points.radius, points.direction


def from_polar(
    radius: ArrayLike, direction: ArrayLike, coordinates: str, *, curvature: float = -1.0
) -> Array:
    """Convert radius and unit direction, at curvature -1, to points of any chart.

    Close to the boundary of the ball and of the Klein model the rounding of coordinates is as large
    as the distance to the boundary; the result is then rounded towards the inside, so that it is
    always a point of the chart.

    Parameters
    ----------
    radius : array-like of shape (m,)
        Distances to the origin in the space of curvature -1.
    direction : array-like of shape (m, n) or (m,)
        Unit vectors, or angles in the plane.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart to write the points in.
    curvature : float, default=-1.0
        The curvature of that chart.

    Returns
    -------
    points : ndarray of shape (m, n_columns)

    Examples
    --------
    >>> from_polar([2.0], [[0.0, 1.0]], "ball").round(4)
    array([[0.    , 0.7616]])
    >>> from_polar([50.0], [[0.0, 1.0]], "ball")
    Traceback (most recent call last):
    hyplane.geometry.errors.PointError: row 0 is at radius 50, farther out ...
    """
    chart, k = chart_name(coordinates), check_curvature(curvature)
    r, u = as_doubles(radius, "radius"), as_doubles(direction, "direction")
    if u.ndim == 1:
        u = np.stack([np.cos(u), np.sin(u)], axis=1)
    if r.ndim != 1 or u.ndim != 2 or len(r) != len(u) or not u.size:
        raise ValueError(
            "radius must have shape (m,) and direction shape (m, n) or, in the plane, (m,); "
            f"got {r.shape} and {np.shape(direction)}."
        )
    for row in np.flatnonzero(~((r >= 0) & np.isfinite(r))).tolist():
        problem = f"has radius {r[row]:.6g} but it must be finite and not negative"
        raise PointError(problem, row, r[row], coordinates="polar")
    norms = row_norms(u)
    for row in np.flatnonzero(~(np.abs(norms - 1.0) <= 1e-6)).tolist():
        raise direction_error(norms[row], row)
    return write_points(r, u, chart, k)


def clip_radius(
    X: ArrayLike, coordinates: str, *, max_radius: float, curvature: float = -1.0
) -> Array:
    """Pull points back to a ball around the origin.

    Rows farther than ``max_radius`` from the origin, those on or beyond the boundary of the chart
    included, are moved along their direction to that radius. A row of hyperboloid coordinates that
    misses the sheet gets the ``x0`` that its other coordinates call for, and one of half-space
    coordinates below the boundary is first lifted to it. All other rows come back unchanged.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Rows of finite numbers.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart the columns belong to.
    max_radius : float
        The largest hyperbolic distance from the origin that is left alone.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    points : ndarray of shape (m, n_columns)

    Examples
    --------
    >>> clip_radius([[0.5, 0.0], [3.0, 4.0]], "ball", max_radius=2.0).round(4)
    array([[0.5 , 0.    ],
           [0.457 , 0.6093]])
    """
    chart, k = chart_name(coordinates), check_curvature(curvature)
    limit = min(check_positive(max_radius, "max_radius") * np.sqrt(k), largest_radius(chart, k))
    if chart == "polar":  # a negative radius or a long direction is not far out but wrong
        check_points(X, chart, curvature=curvature)
    rows = read_rows(X, chart, "X")
    radius, _, bad_row = native.to_polar(rows, chart, k)  # infinite of a row that is no point
    if bad_row >= 0 and not np.isfinite(rows[bad_row]).all():
        raise point_error(rows, bad_row, chart, k, "X")
    outside = np.isinf(radius)
    points = np.array(rows, dtype=np.float64)
    if chart == "hyperboloid":
        points[outside, 0] = np.hypot(1.0 / np.sqrt(k), row_norms(points[outside, 1:]))
    elif chart == "halfspace":
        points[outside, 0] = np.finfo(np.float64).tiny
    radius, direction, _ = native.to_polar(points, chart, k)
    moved = radius > limit
    if chart == "polar":
        points[moved, 0] = limit / np.sqrt(k)
    else:
        points[moved] = write_points(np.full(moved.sum(), limit), direction[moved], chart, k)
    return points


def write_points(radius: Array, direction: Array, chart: str, k: float) -> Array:
    """Write polar points in a chart; a row too far out for it is an error."""
    if chart == "polar" and direction.shape[1] == 1:
        raise ValueError(
            "polar coordinates need at least two dimensions, and these points lie on a line. "
            "Use tangent coordinates: their one column is the signed distance to the origin."
        )
    limit, root = largest_radius(chart, k), float(np.sqrt(k))
    for row in np.flatnonzero(radius > limit).tolist():
        holders = [name for name in CHARTS if radius[row] <= largest_radius(name, k)]
        value = radius[row] / root
        problem = (
            f"is at radius {value:.6g}, farther out than {chart} coordinates in double "
            f"precision can represent (at most {limit / root:.4g} at curvature {-k:g})"
        )
        remedy = f"These coordinates hold it: {', '.join(holders)}"
        raise PointError(problem, row, value, remedy, coordinates=chart)
    if chart in ("ball", "klein"):
        return _inside_the_sphere(0.5 * radius if chart == "ball" else radius, direction, k)
    if chart == "halfspace":
        return _in_the_halfspace(radius, direction) / root
    if chart == "hyperboloid":
        time, space = np.cosh(radius) / root, (np.sinh(radius) / root)[:, None] * direction
        return np.concatenate([time[:, None], space], axis=1)
    if chart == "tangent":
        return np.asarray((radius / root)[:, None] * direction)
    if direction.shape[1] == 2:
        direction = np.arctan2(direction[:, 1], direction[:, 0])[:, None]
    return np.concatenate([(radius / root)[:, None], direction], axis=1)


def largest_radius(chart: str, k: float) -> float:
    """Return the largest radius, at curvature -1, that the doubles of a chart hold everywhere."""
    doubles = np.finfo(np.float64)
    if chart in ("ball", "klein"):  # the largest double below 1 is 1 - 2**-53
        return float(np.log(2.0**54 - 1.0)) * (1.0 if chart == "ball" else 0.5)
    if chart == "hyperboloid":  # cosh r overflows
        return float(np.log(doubles.max) + min(0.0, 0.5 * np.log(k)))
    if chart == "halfspace":  # exp(-r) loses digits below the smallest normal double
        return float(-np.log(doubles.tiny) - abs(0.5 * np.log(k)))
    return float(doubles.max) * min(1.0, float(np.sqrt(k)))


def _inside_the_sphere(radius: Array, direction: Array, k: float) -> Array:
    """Return ``tanh(r) u``, rounded so that it stays inside.

    Rounding the coordinates moves ``1 - |b|²`` by a few 1e-16. Close to the boundary that is as
    much as the gap itself, so the point could land on the sphere, outside it, or inside but
    absurdly close to it. Rows whose gap came out below half of what it should be are stepped
    inwards, one unit in the last place at a time.
    """
    points = (np.tanh(radius) / np.sqrt(k))[:, None] * direction
    rows = np.flatnonzero(radius > 15.0)
    while rows.size:
        rows = rows[boundary_gap(points[rows], k) < 0.5 * np.cosh(radius[rows]) ** -2]
        points[rows] = np.nextafter(points[rows], 0.0)
    return np.asarray(points)


def _in_the_halfspace(radius: Array, direction: Array) -> Array:
    """Return ``(1, sinh r · u2, …) / (cosh r + sinh r · u1)``."""
    first, rest = direction[:, 0], direction[:, 1:]
    sinh = np.sinh(radius)
    square = np.einsum("ij,ij->i", rest, rest)
    # 1 + u1 without cancellation, from the other components of the unit vector.
    one_plus = np.where(first < 0, square / (1.0 - np.minimum(first, 0.0)), 1.0 + first)
    points = np.concatenate([np.ones((len(radius), 1)), sinh[:, None] * rest], axis=1)
    return np.asarray(points / (np.exp(-radius) + sinh * one_plus)[:, None])
