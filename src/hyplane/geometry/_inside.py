"""What it means, chart by chart, that a row of numbers is a point of hyperbolic space.

Each function takes finite rows and raises a `PointError` about the first one that is not a point of
the chart. ``eps`` is the rounding unit of the dtype the rows came in, so that single precision
coordinates are judged by their own standard; ``name`` is what the caller calls the rows.
"""

import numpy as np

from hyplane._utils.typing import Array, Mask
from hyplane.geometry._exact import boundary_gap
from hyplane.geometry.errors import PointError
from hyplane.geometry.numerics import row_norms


def first_row(bad: Mask) -> int | None:
    """Return the first row that is marked, or None."""
    return int(np.argmax(bad)) if bad.any() else None


def check_ball(points: Array, k: float, eps: float, name: str) -> None:
    """``|b| < 1``."""
    _check_inside_sphere(points, k, eps, name, "ball", "Poincaré ball", "b")


def check_klein(points: Array, k: float, eps: float, name: str) -> None:
    """``|k| < 1``."""
    _check_inside_sphere(points, k, eps, name, "klein", "Klein ball", "k")


def _check_inside_sphere(
    points: Array, k: float, eps: float, name: str, chart: str, title: str, letter: str
) -> None:
    row = first_row(boundary_gap(points, k) <= 0)
    if row is None:
        return
    norm = float(row_norms(points[row : row + 1])[0])
    bound = "1" if k == 1 else f"1/sqrt({k:g}) = {1 / np.sqrt(k):.6g}"
    problem = f"is not inside the {title}: |{letter}| = {norm:.17g} but it must be below {bound}"
    problem = f"{problem} (curvature {-k:g})"
    remedy = "Rescale the points"
    # As far off as the rounding of the coordinates can bring a point that was inside.
    if eps > np.finfo(np.float64).eps and norm * np.sqrt(k) <= 1.0 + 2.0 * eps:
        farthest = -np.log(eps / 4.0) * (1.0 if chart == "ball" else 0.5)
        problem = (
            f"{problem}. It was rounded to the boundary: coordinates of this precision hold points "
            f"up to a radius of about {farthest / np.sqrt(k):.0f}"
        )
        remedy = "Compute and keep the points in double precision, or in another chart"
    raise PointError(problem, row, norm, remedy, name, None, chart, can_clip=True)


def check_hyperboloid(points: Array, k: float, eps: float, name: str) -> None:
    """``x*x = 1`` and ``x0 > 0``, to rounding."""
    row = first_row(off_the_sheet(points, k, eps))
    if row is None:
        return
    value, column = float(points[row, 0]), 0 if points[row, 0] <= 0 else None
    problem = f"has x0 = {value:.6g} but it must be positive"
    if column is None:
        norm = float(row_norms(points[row : row + 1, 1:])[0])
        with np.errstate(over="ignore", invalid="ignore"):
            value = (value - norm) * (value + norm)
        problem = f"has x*x = x0² - |x1:|² = {value:.6g} but it must be {1 / k:.6g}"
    problem = f"is not on the hyperboloid: it {problem} (curvature {-k:g})"
    remedy = "Check the order of the columns (x0 comes first) and the curvature"
    raise PointError(problem, row, value, remedy, name, column, "hyperboloid", can_clip=True)


def off_the_sheet(points: Array, k: float, eps: float) -> Mask:
    """Tell which rows miss the hyperboloid by more than rounding.

    Rounding the coordinates alone moves ``x*x`` by ``eps x0²``. The comparison is made on
    ``x0 - sqrt(1 + |x1:|²)``, which is the excess of ``x*x`` divided by the sum of the two, so that
    nothing overflows.
    """
    time = points[:, 0]
    expected = np.hypot(1.0 / np.sqrt(k), row_norms(points[:, 1:]))
    share = np.abs(time) / (np.abs(time) + expected)
    tolerance = 1e-6 / k / (np.abs(time) + expected) + 64.0 * eps * np.abs(time) * share
    return np.asarray((time <= 0) | ~(np.abs(time - expected) <= tolerance))


def check_halfspace(points: Array, k: float, eps: float, name: str) -> None:
    """``h1 > 0``."""
    row = first_row(points[:, 0] <= 0)
    if row is None:
        return
    height = float(points[row, 0])
    problem = "is not in the upper half-space: its first coordinate is "
    problem = f"{problem}{height:.6g} but it must be positive"
    remedy = "The height comes first in this chart; reorder the columns"
    raise PointError(problem, row, height, remedy, name, 0, "halfspace", can_clip=True)


def check_polar(points: Array, k: float, eps: float, name: str) -> None:
    """``r ≥ 0``, and a direction of length 1 when it is not an angle."""
    row = first_row(points[:, 0] < 0)
    if row is not None:
        radius = float(points[row, 0])
        problem = f"has radius {radius:.6g} but it must not be negative"
        remedy = "The radius comes first in this chart; reorder the columns, or turn the direction"
        raise PointError(problem, row, radius, remedy, name, 0, "polar")
    if points.shape[1] > 2:
        check_units(points[:, 1:], eps, name)


def check_units(units: Array, eps: float, name: str) -> None:
    """Directions have length 1, to rounding."""
    norms = row_norms(units)
    row = first_row(~(np.abs(norms - 1.0) <= max(1e-6, 64.0 * eps)))
    if row is not None:
        problem = f"has a direction of length {norms[row]:.6g} but it must be 1"
        remedy = (
            "Polar points are a radius and a unit vector (or the angle alone in the plane); "
            "divide the direction by its length"
        )
        raise PointError(problem, row, float(norms[row]), remedy, name, None, "polar")


def check_tangent(points: Array, k: float, eps: float, name: str) -> None:
    """Every finite vector is a point."""
