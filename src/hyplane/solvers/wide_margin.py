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

# Amounts that are added to the logarithm of the scale of the widest margin, in units of the largest
# radius: the least that leaves no row with a loss by rounding is best.
SCALE_ROUNDING = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2)


def widest_margin(
    points: Points,
    labels: NDArray[np.int8],
    weights: Array | None,
    found: Hyperplane,
    below: float,
    *,
    C: float,
    tol: float,
    most_rounds: int = 10,
    most_slices: int = 100,
) -> tuple[float, float, Array, float] | None:
    """Return log s, a, u and the objective of the separating hyperplane of the widest margin.

    The search begins with the rows closest to a hyperplane that was found, and adds those that come
    closer. None where the classes are not separable, double precision cannot tell, or the objective
    is not below that of the hyperplane that was found.
    """
    kept = labels != 0 if weights is None else (labels != 0) & (weights > 0.0)
    plane: HardMarginResult | None = None
    rows = np.zeros(0, dtype=np.intp)
    for _ in range(most_rounds):
        planes = Hyperplanes.of_results([plane or found])
        distances = labels * points.scores(planes, "signed_distance")[:, 0]
        margin = plane.margin if plane else np.inf
        joined = rows
        for label in (-1, 1):
            closer = np.flatnonzero(kept & (labels == label) & (distances < margin))
            closest = np.argsort(distances[closer])[:CLOSEST_ROWS]
            joined = np.union1d(joined, closer[closest])
        if plane and len(joined) == len(rows):
            break
        rows = joined
        try:
            plane = solve_hard_margin(
                points[rows], labels[rows], tol=0.25 * tol, max_iter=most_slices
            )
        except ValueError:
            return None
    else:
        return None
    # It minimises the soft margin too where its multipliers, which add up to s², are below C times
    # each weight.
    lightest = 1.0 if weights is None else float(weights[kept].min())
    closest_row = distances[kept].min()
    if np.exp(2.0 * plane.log_scale) > 0.5 * C * lightest or not closest_row > 0.0:
        return None
    # The product of a row at its margin carries the rounding of its radius and of the normal.
    log_scales = np.array(SCALE_ROUNDING) * max(1.0, points.largest_radius) - log_sinh(closest_row)
    candidates = [replace(plane, log_scale=float(each)) for each in log_scales]
    objectives = [points.soft_margin_objective(each, labels, weights, C=C) for each in candidates]
    best = int(np.argmin(objectives))
    if not objectives[best] < below:
        return None
    return candidates[best].log_scale, plane.offset, plane.normal, objectives[best]
