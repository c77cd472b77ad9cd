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

At curvature -k all lengths (in polar coordinates: r alone) are divided by ``sqrt(k)``.
"""

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry._inside import check_units, first_row
from hyplane.geometry._table import TABLE, Chart, find_chart
from hyplane.geometry.errors import PointError
from hyplane.geometry.validation import as_doubles, check_curvature, check_points, checked_polar


def convert(X: ArrayLike, source: str, target: str, *, curvature: float = -1.0) -> Array:
    """Convert points from one chart to another.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points in the chart ``source``.
    source, target : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Charts, also by other usual names: poincare, lorentz, upper_half_space. Polar points of
        the plane come out as ``(r, θ)``.
    curvature : float, default=-1.0
        A negative number, the same for both charts.

    Returns
    -------
    points : ndarray of shape (m, n_columns of the target)
        A new array, also when both charts are the same.

    Raises
    ------
    ValueError
        Where a row is not a point of the source chart, or lies farther out than the doubles of the
        target chart can say.

    Examples
    --------
    >>> convert([[0.5, 0.0]], "ball", "klein")
    array([[0.8, 0. ]])
    >>> convert([[2.0, 0.0]], "polar", "hyperboloid").round(3)
    array([[3.762, 3.627, 0.   ]])
    """
    chart = find_chart(target)
    origin = find_chart(source)
    if origin is chart:
        return check_points(X, source, curvature=curvature).copy()
    k = check_curvature(curvature)
    radius, direction = checked_polar(X, origin, k)
    return written_in(chart, radius, direction, k)


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
    return checked_polar(X, find_chart(coordinates), check_curvature(curvature))


def from_polar(
    radius: ArrayLike, direction: ArrayLike, coordinates: str, *, curvature: float = -1.0
) -> Array:
    """Write points given by radius and unit direction, at curvature -1, in any chart.

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
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    distances, _ = as_doubles(radius, "radius")
    units, eps = as_doubles(direction, "direction")
    if units.ndim == 1:
        units = np.stack([np.cos(units), np.sin(units)], axis=1)
    if distances.ndim != 1 or units.ndim != 2 or len(distances) != len(units) or not units.size:
        raise ValueError(
            "radius must have shape (m,) and direction shape (m, n) or, in the plane, (m,); "
            f"got {distances.shape} and {np.shape(direction)}."
        )
    row = first_row(~((distances >= 0) & np.isfinite(distances)))
    if row is not None:
        value = float(distances[row])
        problem = f"has radius {value:.6g} but it must be finite and not negative"
        raise PointError(problem, row, value, chart="polar")
    check_units(units, eps, "")
    return written_in(chart, distances, units, k)


def written_in(chart: Chart, radius: Array, direction: Array, k: float) -> Array:
    """Write polar points in a chart, or say which row lies too far out for it."""
    if chart.name == "polar" and direction.shape[1] == 1:
        raise ValueError(
            "polar coordinates need at least two dimensions, and these points lie on a line. "
            "Use tangent coordinates: their one column is the signed distance to the origin."
        )
    limit = chart.max_radius(k)
    row = first_row(radius > limit)
    if row is not None:
        holders = [c.name for c in TABLE.values() if radius[row] <= c.max_radius(k)]
        value = float(radius[row] / np.sqrt(k))
        problem = (
            f"is at radius {value:.6g}, farther out than {chart.name} coordinates in double "
            f"precision can say (at most {limit / np.sqrt(k):.4g} at curvature {-k:g})"
        )
        remedy = f"These coordinates hold it: {', '.join(holders)}"
        raise PointError(problem, row, value, remedy, chart=chart.name)
    return chart.from_polar(radius, direction, k)
