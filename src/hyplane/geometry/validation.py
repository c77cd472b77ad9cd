"""Validation: a row that is not a point of its chart is an error, never silently moved."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array, ArrayLike, Ints, finite_float
from hyplane._utils.validation import read_rows
from hyplane.geometry.errors import PointError
from hyplane.geometry.numerics import row_norms
from hyplane.native import charts as native


class Points(NamedTuple):
    """Valid points: coordinates in a chart of curvature -k, radius at curvature -1, direction."""

    coordinates: Array
    radius: Array
    direction: Array
    chart: str
    k: float

    def take(self, rows: Ints) -> "Points":
        """Return some of the rows."""
        coordinates, radius, direction = (part[rows] for part in self[:3])
        return Points(coordinates, radius, direction, self.chart, self.k)


def check_points(
    X: ArrayLike, coordinates: str, *, curvature: float = -1.0, name: str = "X"
) -> Array:
    """Return points as an array of doubles; an error names the first row that is not a point.

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
    return read_points(X, coordinates, curvature, name).coordinates


def read_points(X: ArrayLike, coordinates: str, curvature: float, name: str = "X") -> Points:
    """Return the points of a chart, or raise the error of `check_points`."""
    chart, k = chart_name(coordinates), check_curvature(curvature)
    rows = read_rows(X, chart, name)
    radius, direction, bad_row = native.to_polar(rows, chart, k)
    if bad_row >= 0:
        raise point_error(rows, bad_row, chart, k, name)
    return Points(rows.astype(np.float64, copy=False), radius, direction, chart, k)


def as_rows(X: ArrayLike) -> ArrayLike:
    """Return a single point as an array of one row, anything else as it is."""
    return np.asanyarray(X)[None, :] if np.ndim(X) == 1 else X


def check_curvature(curvature: object) -> float:
    """Return ``k``, minus the curvature, which must be a negative number."""
    number = finite_float(curvature)
    if number is None or not number < 0:
        raise ValueError(
            f"curvature must be a negative finite number such as -1.0; got {curvature!r}. "
            "The curvature of the space is meant here, not its absolute value."
        )
    return -number


def check_positive(value: object, name: str) -> float:
    """Return a number as a float; it must be positive and finite."""
    number = finite_float(value)
    if number is not None and number > 0:
        return number
    raise ValueError(f"{name} must be a positive finite number; got {value!r}.")


def check_dimension(n_components: int, n_dim: int, name: str) -> None:
    """Raise a ValueError unless a vector of Minkowski space fits points of a dimension."""
    if n_components != n_dim + 1:
        raise ValueError(
            f"{name} has {n_components} components but points of dimension {n_dim} need "
            f"{n_dim + 1}."
        )


def check_reach(radius: Array, name: str, k: float) -> None:
    """Raise a PointError for points so far out that cosh overflows."""
    limit = 709.0
    for row in np.flatnonzero(radius > limit).tolist():
        value = radius[row] / np.sqrt(k)
        problem = (
            f"is at radius {value:.6g}: vectors of Minkowski space reach to "
            f"{limit / np.sqrt(k):.4g} in double precision"
        )
        raise PointError(problem, row, value, "Move the origin closer first (apply_isometry)", name)


def point_error(rows: NDArray[Any], row: int, chart: str, k: float, name: str) -> PointError:
    """Return the error that says why a row is not a point of its chart."""
    x = rows[row].astype(np.float64)
    for column in np.flatnonzero(~np.isfinite(x)).tolist():
        problem = f"has {x[column]} in column {column}: input contains NaN or infinity"
        return PointError(problem, row, x[column], "Remove or repair such rows first", name, column)
    if chart in ("ball", "klein"):
        return _outside_the_sphere(rows, row, chart, k, name)
    if chart == "hyperboloid":
        return _off_the_sheet(x, row, k, name)
    if chart == "halfspace" and x[0] <= 0:
        problem = (
            f"is not in the upper half-space: its first coordinate is {x[0]:.6g} but it must be "
            "positive"
        )
        remedy = "The height comes first in this chart; reorder the columns"
        return PointError(problem, row, x[0], remedy, name, 0, chart, can_clip=True)
    if chart == "polar" and x[0] < 0:
        problem = f"has radius {x[0]:.6g} but it must not be negative"
        remedy = "The radius comes first in this chart; reorder the columns, or turn the direction"
        return PointError(problem, row, x[0], remedy, name, 0, chart)
    if chart == "polar" and np.isfinite(float(np.sqrt(k)) * float(x[0])):
        return direction_error(row_norms(x[None, 1:])[0], row, name)
    problem = f"is too far out for double precision at curvature {-k:g}"
    return PointError(problem, row, np.abs(x).max(), "Rescale the points", name, None, chart)


def _outside_the_sphere(
    rows: NDArray[Any], row: int, chart: str, k: float, name: str
) -> PointError:
    title, letter = ("Poincaré", "b") if chart == "ball" else ("Klein", "k")
    norm = float(row_norms(rows[row : row + 1].astype(np.float64))[0])
    bound = "1" if k == 1 else f"1/sqrt({k:g}) = {1 / np.sqrt(k):.6g}"
    problem = (
        f"is not inside the {title} ball: |{letter}| = {norm:.17g} but it must be below {bound} "
        f"(curvature {-k:g})"
    )
    remedy = "Rescale the points"
    hint = (
        'For feature vectors, use coordinates="tangent" or hyplane.features.TangentScaler. '
        "scikit-learn's tools that change one column at a time need tangent coordinates. To draw "
        "decisions, use hyplane.plotting.PoincareDisplay."
    )
    eps = float(np.finfo(rows.dtype).eps)
    # As far off as the rounding of single precision can bring a point that was inside.
    if rows.dtype == np.float32 and norm * np.sqrt(k) <= 1.0 + 2.0 * eps:
        farthest = -np.log(eps / 4.0) * (1.0 if chart == "ball" else 0.5)
        problem += (
            ". It was rounded to the boundary: coordinates of this precision hold points "
            f"up to a radius of about {farthest / np.sqrt(k):.0f}"
        )
        remedy = "Compute and keep the points in double precision, or in another chart"
        hint = ""
    return PointError(problem, row, norm, remedy, name, None, chart, can_clip=True, hint=hint)


def _off_the_sheet(x: Array, row: int, k: float, name: str) -> PointError:
    value, column = float(x[0]), 0 if x[0] <= 0 else None
    problem = f"has x0 = {value:.6g} but it must be positive"
    if column is None:
        norm = float(row_norms(x[None, 1:])[0])
        value = (value - norm) * (value + norm)
        problem = f"has x*x = x0² - |x1:|² = {value:.6g} but it must be {1 / k:.6g}"
    problem = f"is not on the hyperboloid: it {problem} (curvature {-k:g})"
    remedy = "Check the order of the columns (x0 comes first) and the curvature"
    return PointError(problem, row, value, remedy, name, column, "hyperboloid", can_clip=True)


def direction_error(length: np.float64, row: int, name: str = "") -> PointError:
    """Return the error that says that a direction is no unit vector."""
    problem = f"has a direction of length {length:.6g} but it must be 1"
    remedy = (
        "Polar points are a radius and a unit vector (or the angle alone in the plane); divide "
        "the direction by its length"
    )
    return PointError(problem, row, length, remedy, name, None, "polar")
