"""The widest margin between classes that a hyperplane separates, as a start of the soft margin."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.geometry.numerics import log_sinh
from hyplane.solvers.hard_margin import HardMarginResult, solve_hard_margin
from hyplane.solvers.result import Hyperplane, Hyperplanes
from hyplane.solvers.rows import Points
from hyplane.solvers.tuning import CLOSEST_ROWS

# Rounds in which rows join, and slices of each hard margin, at most.
_ROUNDS, _SLICES = 10, 100
# Amounts that are tried on the logarithm of the scale, in units of the largest radius.
_ROUNDING = np.array([0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2])


def widest_margin(
    points: Points,
    labels: NDArray[np.int8],
    weights: Array | None,
    found: Hyperplane,
    below: float,
    *,
    C: float,
    tol: float,
) -> tuple[float, float, Array, float] | None:
    """Find the separating hyperplane of the widest margin, from one that nearly does so.

    It minimises the soft-margin objective too where its multipliers, which add up to s², are below
    C times each weight.

    Parameters
    ----------
    points, labels, weights, C, tol
        As in `solve_soft_margin`.
    found : Hyperplane
        One that separates all or nearly all of the rows that count.
    below : float
        Its objective.

    Returns
    -------
    plane : tuple of float, float, ndarray and float, or None
        log s, a, u and the objective. None where it is not below that of `found`, the classes are
        not separable, or double precision cannot tell.
    """
    counts = labels != 0 if weights is None else (labels != 0) & (weights > 0.0)
    counted = np.where(counts, labels, 0).astype(np.int8)
    widest = _hard_margin(points, counted, found, 0.25 * tol)
    lightest = 1.0 if weights is None else float(weights[counts].min())
    if widest is None or np.exp(2.0 * widest.log_scale) > 0.5 * C * lightest:
        return None
    margin = _distances(points, counted, widest)[counts].min()
    if not margin > 0.0:
        return None
    # The product of a row at its margin carries the rounding of its radius and of the normal.
    log_scales = _ROUNDING * max(1.0, points.largest_radius) - log_sinh(margin)
    planes = [replace(widest, log_scale=float(each)) for each in log_scales]
    objectives = [points.soft_margin_objective(each, labels, weights, C=C) for each in planes]
    best = int(np.argmin(objectives))
    if not objectives[best] < below:
        return None
    return planes[best].log_scale, widest.offset, widest.normal, objectives[best]


def _hard_margin(
    points: Points, labels: NDArray[np.int8], found: Hyperplane, tol: float
) -> HardMarginResult | None:
    """Solve the hard margin on the rows closest to a hyperplane, and those that come closer."""
    plane: Hyperplane = found
    margin, rows = np.inf, np.zeros(0, dtype=np.intp)
    for _ in range(_ROUNDS):
        distances = _distances(points, labels, plane)
        closest = [
            _smallest(np.where(labels == label, distances, np.inf), margin) for label in (-1, 1)
        ]
        joined = np.union1d(rows, np.concatenate(closest))
        if isinstance(plane, HardMarginResult) and len(joined) == len(rows):
            return plane
        rows = joined
        chosen = points[rows]
        try:
            plane = solve_hard_margin(
                chosen.radius, chosen.direction, labels[rows], tol=tol, max_iter=_SLICES
            )
        except ValueError:
            return None
        margin = plane.margin
    return None


def _distances(points: Points, labels: NDArray[np.int8], plane: Hyperplane) -> Array:
    """Return the distances of rows to a hyperplane, negative on the wrong side."""
    signed = points.scores(Hyperplanes.of_results([plane]), "signed_distance")[:, 0]
    return np.asarray(labels * signed)


def _smallest(distances: Array, limit: float) -> NDArray[np.intp]:
    """Return the rows of the smallest distances below a limit, some of them if there are many."""
    below = np.flatnonzero(distances < limit)
    if len(below) <= CLOSEST_ROWS:
        return below
    return below[np.argpartition(distances[below], CLOSEST_ROWS)[:CLOSEST_ROWS]]
