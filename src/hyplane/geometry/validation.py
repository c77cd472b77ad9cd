"""Validation: a row that is not a point of its chart is an error, never silently moved."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from hyplane._utils.typing import Array, ArrayLike, finite_float
from hyplane._utils.validation import check_numbers
from hyplane.geometry._inside import off_the_sheet
from hyplane.geometry._table import Chart, find_chart
from hyplane.geometry.errors import PointError
from hyplane.geometry.numerics import all_finite


def check_points(
    X: ArrayLike, coordinates: str, *, curvature: float = -1.0, name: str = "X"
) -> Array:
    """Return points as an array of doubles, or say which row is not a point and why.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points, one a row. Never modified; a float64 array is returned as it is, without a copy.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart the columns belong to.
    curvature : float, default=-1.0
        A negative number. The ball of curvature -k has radius ``1/sqrt(k)``.
    name : str, default="X"
        What to call the array in messages.

    Returns
    -------
    points : ndarray of shape (m, n_columns), float64

    Raises
    ------
    ValueError
        Where the shape is wrong.
    PointError
        Where a row lies outside the chart: NaN or infinite, on or beyond the boundary, off the
        hyperboloid. It has the first such row, its value and a remedy.

    Examples
    --------
    >>> check_points([[0.5, 0.5]], "ball")
    array([[0.5, 0.5]])
    >>> check_points([[0.5, 0.5], [1.0, 0.5]], "ball")
    Traceback (most recent call last):
    hyplane.geometry.errors.PointError: row 1 of X is not inside the ...
    """
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    points, eps = _finite_rows(X, chart, name)
    chart.check(points, k, eps, name)
    return points


def checked_polar(X: ArrayLike, chart: Chart, k: float, name: str = "X") -> tuple[Array, Array]:
    """Return radius and direction of the points, or the error that `check_points` raises."""
    points, eps = _finite_rows(X, chart, name)
    if not chart.infinite_outside:
        chart.check(points, k, eps, name)
    radius, direction = chart.to_polar(points, k)
    if chart.infinite_outside and not np.isfinite(radius).all():
        chart.check(points, k, eps, name)
    return radius, direction


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
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    max_radius = check_positive(max_radius, "max_radius")
    points, eps = _finite_rows(X, chart, "X")
    if chart.name == "polar":  # a negative radius or a long direction is not far out but wrong
        chart.check(points, k, eps, "X")
    points = points.copy()
    limit = min(max_radius * np.sqrt(k), chart.max_radius(k))
    radius, direction = chart.to_polar(points, k)
    moved = radius > limit
    if chart.name == "hyperboloid":
        moved |= off_the_sheet(points, k, eps)
    radius = np.minimum(radius[moved], limit)
    if chart.name == "polar":
        points[moved, 0] = radius / np.sqrt(k)
    else:
        points[moved] = chart.from_polar(radius, direction[moved], k)
    return points


def check_curvature(curvature: Any) -> float:
    """Return ``k``, minus the curvature, or say that a curvature is a negative number."""
    number = finite_float(curvature)
    if number is None or not number < 0:
        raise ValueError(
            f"curvature must be a negative finite number such as -1.0; got {curvature!r}. "
            "The curvature of the space is meant here, not its absolute value."
        )
    return -number


def check_positive(value: Any, name: str) -> float:
    """Return a positive finite number as a float, or say that it is not one."""
    number = finite_float(value)
    if number is not None and number > 0:
        return number
    raise ValueError(f"{name} must be a positive finite number; got {value!r}.")


def _finite_rows(X: ArrayLike, chart: Chart, name: str) -> tuple[Array, float]:
    """Return the rows as doubles, with the rounding unit they came in."""
    points, eps = as_doubles(X, name)
    if points.ndim != 2:
        raise ValueError(
            f"{name} must be a 2-D array, one point a row; got {points.ndim} dimension(s). "
            "Reshape a single point with X.reshape(1, -1)."
        )
    if points.shape[0] == 0:
        raise ValueError(f"{name} has no rows: at least one point is needed.")
    if points.shape[1] < chart.min_columns():
        raise ValueError(
            f"{name} has {points.shape[1]} column(s) but points in {chart.name} coordinates have "
            f"at least {chart.min_columns()}."
        )
    _check_finite(points, name)
    return points, eps


def as_doubles(values: ArrayLike, name: str) -> tuple[Array, float]:
    """Return numbers as float64 and the rounding unit of the type they came in."""
    if issparse(values):
        raise TypeError(
            f"{name} is a sparse matrix, and points of hyperbolic space are dense. "
            f"Pass {name}.toarray()."
        )
    check_numbers(values, name)
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers. Complex data not supported.")
    try:
        doubles = array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}.") from error
    coarse = array.dtype.kind == "f" and array.dtype.itemsize < 8
    return doubles, float(np.finfo(array.dtype if coarse else np.float64).eps)


def _check_finite(points: Array, name: str) -> None:
    if all_finite(points):
        return
    row, column = np.argwhere(~np.isfinite(points))[0]
    value, remedy = float(points[row, column]), "Remove or repair such rows first"
    problem = f"has {value} in column {column}: input contains NaN or infinity"
    raise PointError(problem, int(row), value, remedy, name, int(column))
