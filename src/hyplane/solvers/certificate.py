"""A proven lower bound of the soft-margin objective for points of the hyperbolic plane."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane._utils.validation import validate_weights
from hyplane.native import certificate, core
from hyplane.solvers.result import Hyperplane
from hyplane.solvers.rows import Points
from hyplane.solvers.soft_margin import BOUNDS

END_REASONS = {
    certificate.End.PROVEN: "the lower bound is within rel_gap of the lowest value known",
    certificate.End.TIME_RAN_OUT: "the time ran out",
    certificate.End.BOXES_RAN_OUT: "the boxes ran out",
    certificate.End.DIGITS_RAN_OUT: "the boxes became too small for double precision",
}


@dataclass(frozen=True)
class Certificate:
    """How far a fitted hyperplane can be from the best one.

    Attributes
    ----------
    lower_bound : float
        No hyperplane that meets the ball of the points has a lower objective.
    objective : float
        The objective of the hyperplane in question, on these points.
    gap : float
        ``(objective - lower_bound) / objective``.
    upper_bound : float
        The lowest value known: `objective`, or less where the search came across a better
        hyperplane.
    better : Hyperplane or None
        That better hyperplane ``w = s (sinh a, cosh a · u)``: its ``log_scale`` (log s), ``offset``
        (a) and ``normal`` (u).
    n_boxes : int
        Boxes of hyperplanes that were bounded.
    seconds : float
        Time taken.
    proven : bool
        Whether the hyperplane is proven to be optimal within ``rel_gap``: ``gap <= rel_gap``.
    reason : str
        Why the search stopped.

    Examples
    --------
    >>> from hyplane import HyperbolicSVC
    >>> X, y = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]], [1, 1, 0, 0]
    >>> [proof] = HyperbolicSVC().fit(X, y).certify(X, y)
    >>> proof.proven, proof.lower_bound <= proof.upper_bound <= proof.objective
    (True, True)
    """

    lower_bound: float
    objective: float
    gap: float
    upper_bound: float
    better: Hyperplane | None
    n_boxes: int
    seconds: float
    proven: bool
    reason: str


def certify_soft_margin(
    points: Points,
    labels: NDArray[np.int8],
    sample_weight: Array | None = None,
    *,
    C: float,
    plane: Hyperplane,
    rel_gap: float = 1e-4,
    max_seconds: float = 10.0,
    max_boxes: int = 1_000_000,
    bound: str = "horosphere",
) -> Certificate:
    r"""Bound the soft-margin objective from below, and say how close a hyperplane is to the bound.

    Parameters
    ----------
    points : Points
        Of the plane (n = 2) or the line (n = 1), at radii of at most 80.
    labels : ndarray of int8 of shape (m,)
        1, -1, or 0 for a row that does not count; both signs must occur.
    sample_weight : ndarray of shape (m,), default=None
        Non-negative weights of the rows.
    C : float
        Weight of the losses.
    plane : Hyperplane
        The hyperplane in question, for instance the result of `solve_soft_margin`. It is evaluated
        on these points, with these weights and this C; its objective elsewhere does not
        matter. It must satisfy the same bound as the hyperplanes that it is compared with.
    rel_gap : float, default=1e-4
        Stop when the bound is this close to the lowest value known, relatively.
    max_seconds : float, default=10.0
        Stop after this time. The result of a search that is cut short depends on the speed of
        the machine; otherwise it is always the same.
    max_boxes : int, default=1_000_000
        Stop after this number of boxes, which also limits the memory.
    bound : {"horosphere", "ball"}, default="horosphere"
        Which hyperplanes there are, as in `solve_soft_margin`.

    Returns
    -------
    certificate : Certificate
        A bound in any case; a search that is cut short has a larger gap.

    Notes
    -----
    Best-first branch and bound over boxes in :math:`(\log s, a, \theta)`, where
    :math:`w = s(\sinh a, \cosh a\, u(\theta))` and :math:`|a|` is bounded as in
    `solve_soft_margin`. The product :math:`w*x` is monotone in :math:`a` and in
    :math:`\cos(\theta-\theta_x)`, so its range over a box is exact. On that range each loss is
    replaced by a line below it (a tangent where it is convex, a chord where it is concave). The
    lines are linear in w and add up to one linear function, and the minimum of its sum with
    :math:`\frac12 s^2` over the box has a closed form: the bound is off by the square of the width
    of the box, which also resolves classes that overlap.

    All rounding is accounted for: ranges are widened, and an explicit bound of the rounding of the
    sums is subtracted. Far from the origin double precision tells fewer hyperplanes apart than
    there are, and the gap of separable classes can stay wide beyond a radius of about 30.

    Examples
    --------
    >>> from hyplane.solvers import solve_soft_margin
    >>> X = np.array([[0.5, 0.1], [0.4, -0.1], [-0.5, 0.1], [-0.2, -0.1], [0.3, 0.3]])
    >>> points = Points.from_chart(X, "ball")
    >>> y = np.array([1, 1, -1, -1, -1], dtype=np.int8)
    >>> fit = solve_soft_margin(points, y)
    >>> result = certify_soft_margin(points, y, C=1.0, plane=fit)
    >>> result.proven, result.gap < 1e-4
    (True, True)
    """
    angle = _check_points(points)
    signed_weights = _signed_weights(points, labels, sample_weight, C)
    if bound not in BOUNDS:
        raise ValueError(f"bound must be one of {', '.join(BOUNDS)}; got {bound!r}.")
    limit = float(points.radius.max()) + BOUNDS[bound]
    _check_plane(plane, points, limit)
    signs, weights = np.sign(signed_weights).astype(np.int8), np.abs(signed_weights)
    objective = best = points.soft_margin_objective(plane, signs, weights, C=1.0)
    kept = signs != 0
    start = time.perf_counter()
    lower, found, n_boxes, end = certificate.bound_objective(
        points.radius[kept],
        angle[kept],
        signed_weights[kept],
        min(limit, core.LARGEST_NEAR_RADIUS),
        points.n_dim == 1,
        objective,
        float(rel_gap),
        float(max_seconds),
        int(max_boxes),
    )
    better: Hyperplane | None = None
    if found is not None:
        scale, offset, theta = found
        normal = np.array([np.cos(theta), np.sin(theta)])
        normal = normal if points.n_dim == 2 else np.sign(normal[:1])
        better = Hyperplane(float(np.log(scale)), offset, normal)
        # The search has a kernel of its own: keep its hyperplane only where the solver's agrees.
        best = points.soft_margin_objective(better, signs, weights, C=1.0)
        if not best < objective:
            better, best = None, objective
    gap = (objective - lower) / objective
    return Certificate(
        lower_bound=lower,
        objective=objective,
        gap=float(gap),
        upper_bound=best,
        better=better,
        n_boxes=n_boxes,
        seconds=time.perf_counter() - start,
        proven=bool(gap <= rel_gap),
        reason=END_REASONS[end],
    )


def _check_points(points: Points) -> Array:
    """Return the angles of the points."""
    if points.n_dim not in (1, 2):
        raise ValueError(
            f"the bound is made for points of the plane (n = 2); these have n = {points.n_dim}. "
            "There is none for higher dimensions."
        )
    radius, direction = points.radius, points.direction
    # Farther out, e^(a + r) and its square would leave the range that the bounds are proven for.
    largest = core.LARGEST_NEAR_RADIUS
    bad = np.flatnonzero(~((radius >= 0.0) & (radius <= largest)))
    if bad.size:
        raise ValueError(
            f"row {bad[0]} has radius {radius[bad[0]]!r}; the bound is proven for radii from 0 to "
            f"{largest:g}. Leave such points out, or pull them in with clip_radius."
        )
    across = direction[:, 1] if points.n_dim == 2 else np.zeros(len(radius))
    return np.asarray(np.arctan2(across, direction[:, 0]))


def _check_plane(plane: Hyperplane, points: Points, limit: float) -> None:
    normal = np.asarray(plane.normal, dtype=np.float64)
    if normal.shape != (points.n_dim,) or not abs(normal @ normal - 1.0) <= 1e-9:
        raise ValueError(
            f"the normal of the hyperplane is {normal.tolist()}; it must be a unit vector of "
            f"{points.n_dim} numbers."
        )
    if not np.isfinite(plane.log_scale):
        raise ValueError(f"log_scale must be finite; got {plane.log_scale!r}.")
    # Rounding may put a hyperplane on the bound a little beyond it.
    if not abs(plane.offset) <= limit * (1.0 + 1e-12):
        raise ValueError(
            f"the hyperplane is at distance {abs(plane.offset):g} from the origin and does not "
            f"meet the ball of radius {limit:g} that these points and the bound allow. The proof "
            "is for hyperplanes that do: certify the rows that it was fitted on, with the bound "
            "of the fit."
        )


def _signed_weights(
    points: Points,
    labels: NDArray[np.int8],
    sample_weight: Array | None,
    C: float,
    *,
    largest_sum: float = 1e60,  # products s e^(a + r) are squared: this is far from overflow
) -> Array:
    """Return C times weight times label of each row."""
    labels = np.asarray(labels)
    if labels.shape != (len(points),) or not np.isin(labels, (-1, 0, 1)).all():
        raise ValueError("labels must be 1, -1 or 0, one per point.")
    if not (np.isfinite(C) and C > 0.0):
        raise ValueError(f"C must be positive and finite; got {C!r}.")
    signed = (
        C * labels * (1.0 if sample_weight is None else validate_weights(sample_weight, points))
    )
    if not ((signed > 0.0).any() and (signed < 0.0).any()):
        raise ValueError("rows of a positive weight must have both labels, 1 and -1.")
    total = np.abs(signed).sum()
    if total > largest_sum:
        raise ValueError(
            f"C times the sum of the weights is {total:g}, more than the bound is proven for "
            f"({largest_sum:g}). Use a smaller C."
        )
    return np.asarray(signed)
