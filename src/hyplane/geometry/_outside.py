"""What it means, chart by chart, that a row of numbers is a point of hyperbolic space.

Each function looks at finite rows and returns the first one that is not a point of the chart with
a sentence about it, or None. ``eps`` is the rounding unit of the dtype the rows came in, so that
single precision coordinates are judged by their own standard.
"""

from typing import NamedTuple

import numpy as np

from hyplane._typing import Array, Mask
from hyplane.geometry._exact import boundary_gap
from hyplane.geometry._vectors import row_norms

CLIP = "pull them back explicitly with hyplane.geometry.clip_radius"


class Violation(NamedTuple):
    """The first row that is not a point, what is wrong with it, and what to do."""

    row: int
    problem: str
    remedy: str


def _first(bad: Mask) -> int | None:
    return int(np.argmax(bad)) if bad.any() else None


def outside_ball(points: Array, k: float, eps: float) -> Violation | None:
    """``|b| < 1``."""
    return _outside_sphere(points, k, "Poincaré ball", "b")


def outside_klein(points: Array, k: float, eps: float) -> Violation | None:
    """``|k| < 1``."""
    return _outside_sphere(points, k, "Klein ball", "k")


def _outside_sphere(points: Array, k: float, chart: str, letter: str) -> Violation | None:
    row = _first(boundary_gap(points, k) <= 0)
    if row is None:
        return None
    norm = row_norms(points[row : row + 1])[0]
    bound = "1" if k == 1 else f"1/sqrt({k:g}) = {1 / np.sqrt(k):.6g}"
    return Violation(
        row,
        f"is not inside the {chart}: |{letter}| = {norm:.17g} but it must be below {bound} "
        f"(curvature {-k:g})",
        f"Rescale the points, or {CLIP}",
    )


def outside_hyperboloid(points: Array, k: float, eps: float) -> Violation | None:
    """``x*x = 1`` and ``x0 > 0``, to rounding."""
    row = _first(off_the_sheet(points, k, eps))
    if row is None:
        return None
    if points[row, 0] <= 0:
        problem = f"has x0 = {points[row, 0]:.6g} but it must be positive"
    else:
        x0, norm = points[row, 0], row_norms(points[row : row + 1, 1:])[0]
        with np.errstate(over="ignore", invalid="ignore"):
            value = (x0 - norm) * (x0 + norm)
        wanted = f"{1 / k:.6g}"
        problem = f"has x*x = x0² - |x1:|² = {value:.6g} but it must be {wanted}"
    return Violation(
        row,
        f"is not on the hyperboloid: it {problem} (curvature {-k:g})",
        f"Check the order of the columns (x0 comes first) and the curvature, or {CLIP}, "
        "which recomputes x0",
    )


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


def outside_halfspace(points: Array, k: float, eps: float) -> Violation | None:
    """``h1 > 0``."""
    row = _first(points[:, 0] <= 0)
    if row is None:
        return None
    return Violation(
        row,
        f"is not in the upper half-space: its first coordinate is {points[row, 0]:.6g} "
        "but it must be positive",
        f"The height comes first in this chart; reorder the columns, or {CLIP}",
    )


def outside_polar(points: Array, k: float, eps: float) -> Violation | None:
    """``r ≥ 0``, and a direction of length 1 when it is not an angle."""
    row = _first(points[:, 0] < 0)
    if row is not None:
        return Violation(
            row,
            f"has radius {points[row, 0]:.6g} but it must not be negative",
            "The radius comes first in this chart; reorder the columns, or turn the direction",
        )
    if points.shape[1] == 2:
        return None
    norms = row_norms(points[:, 1:])
    row = _first(~(np.abs(norms - 1.0) <= max(1e-6, 64.0 * eps)))
    if row is None:
        return None
    return Violation(
        row,
        f"has a direction of length {norms[row]:.6g} but it must be 1",
        "Polar columns are the radius and then a unit vector (or the angle alone in the plane); "
        "divide the direction by its length",
    )


def outside_tangent(points: Array, k: float, eps: float) -> Violation | None:
    """Every finite vector is a point."""
    return None
