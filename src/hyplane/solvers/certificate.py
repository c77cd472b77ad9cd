"""A proven lower bound of the soft-margin objective for points of the hyperbolic plane."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.native import certificate, core

# Beyond this radius e^(a + r) and its square would leave the range that the bounds are proven for.
LARGEST_RADIUS = core.LARGEST_NEAR_RADIUS

# Products s e^(a + r) are squared: this keeps them far from overflow.
LARGEST_TOTAL_WEIGHT = 1e60

# In the order of `End` in branch_and_bound.hpp.
END_REASONS = (
    "the lower bound is within rel_gap of the lowest value known",
    "the time ran out",
    "the boxes ran out",
    "the boxes became too small for double precision",
)


@dataclass(frozen=True)
class Certificate:
    """How far a fitted hyperplane can be from the best one.

    Attributes
    ----------
    lower_bound : float
        No hyperplane that meets the ball of the points has a lower objective.
    objective : float
        The value that was to be certified.
    gap : float
        ``(objective - lower_bound) / objective``.
    upper_bound : float
        The lowest value known: `objective`, or less where the search came across a better
        hyperplane.
    better : tuple of (log_scale, offset, normal) or None
        That better hyperplane ``w = s (sinh a, cosh a · u)``.
    n_boxes : int
        Boxes of hyperplanes that were bounded.
    seconds : float
        Time taken.
    proven : bool
        Whether the search came to its end: ``lower_bound`` is within ``rel_gap`` of
        ``upper_bound``.
    reason : str
        Why the search stopped.
    """

    lower_bound: float
    objective: float
    gap: float
    upper_bound: float
    better: tuple[float, float, Array] | None
    n_boxes: int
    seconds: float
    proven: bool
    reason: str


def certify_soft_margin(
    radius: Array,
    direction: Array,
    labels: NDArray[np.int8],
    sample_weight: Array | None = None,
    *,
    C: float,
    upper_bound: float,
    rel_gap: float = 1e-4,
    max_seconds: float = 10.0,
    max_boxes: int = 1_000_000,
) -> Certificate:
    r"""Bound the soft-margin objective from below, over all hyperplanes that meet the ball.

    Parameters
    ----------
    radius : ndarray of shape (m,)
        Distances of the points from the origin (curvature -1), at most 80.
    direction : ndarray of shape (m, n)
        Their unit directions, n = 2 (or 1).
    labels : ndarray of int8 of shape (m,)
        1, -1, or 0 for a row that does not count; both signs must occur.
    sample_weight : ndarray of shape (m,), default=None
        Non-negative weights of the rows.
    C : float
        Weight of the losses.
    upper_bound : float
        The objective of a fitted hyperplane, as from `solve_soft_margin` on the same rows.
    rel_gap : float, default=1e-4
        Stop when the bound is this close to the lowest value known, relatively.
    max_seconds : float, default=10.0
        Stop after this time. A search that it cuts short depends on the speed of the machine;
        without that the result is always the same.
    max_boxes : int, default=1_000_000
        Stop after this number of boxes, which also limits the memory.

    Returns
    -------
    certificate : Certificate
        A bound in any case; a search that is cut short has a larger gap.

    Notes
    -----
    Best-first branch and bound over boxes in :math:`(\log s, a, \theta)`, where
    :math:`w = s(\sinh a, \cosh a\, u(\theta))` and :math:`|a|` is at most the largest radius, as in
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
    >>> from hyplane.solvers import pack_points, solve_soft_margin
    >>> from hyplane.geometry import to_polar
    >>> X = np.array([[0.5, 0.1], [0.4, -0.1], [-0.5, 0.1], [-0.2, -0.1], [0.3, 0.3]])
    >>> y = np.array([1, 1, -1, -1, -1], dtype=np.int8)
    >>> fit = solve_soft_margin(pack_points(X), y)
    >>> result = certify_soft_margin(*to_polar(X, "ball"), y, C=1.0, upper_bound=fit.objective)
    >>> result.proven, result.gap < 1e-4
    (True, True)
    """
    radius, angle = _check_points(radius, direction)
    signed_weights = _check_weights(labels, sample_weight, C, len(radius))
    _check_limits(upper_bound, rel_gap, max_seconds, max_boxes)
    counts = signed_weights != 0.0
    start = time.perf_counter()
    lower, best, plane, n_boxes, end = certificate.bound_objective(
        np.ascontiguousarray(radius[counts]),
        np.ascontiguousarray(angle[counts]),
        np.ascontiguousarray(signed_weights[counts]),
        float(radius.max()),
        direction.shape[1] == 1,
        float(upper_bound),
        float(rel_gap),
        float(max_seconds),
        int(max_boxes),
    )
    better = None
    if plane is not None:
        better, best = _confirm(plane, radius, direction, signed_weights, upper_bound)
    return Certificate(
        lower_bound=lower,
        objective=float(upper_bound),
        gap=float((upper_bound - lower) / upper_bound),
        upper_bound=best,
        better=better,
        n_boxes=n_boxes,
        seconds=time.perf_counter() - start,
        proven=end == 0,
        reason=END_REASONS[end],
    )


def _confirm(
    plane: tuple[float, float, float],
    radius: Array,
    direction: Array,
    signed_weights: Array,
    upper_bound: float,
) -> tuple[tuple[float, float, Array] | None, float]:
    """Keep a hyperplane of the search only where the solver's own kernel finds it better too."""
    scale, offset, angle = plane
    n = direction.shape[1]
    normal = np.array([np.cos(angle), np.sin(angle)]) if n == 2 else np.sign([np.cos(angle)])
    points = core.PackedPoints(len(radius), n, far=False)
    points.fill(0, radius, np.ascontiguousarray(direction, dtype=np.float64))
    labels = np.sign(signed_weights).astype(np.int8)
    log_scale = float(np.log(scale))
    value = core.loss_and_gradient(
        points, labels, np.abs(signed_weights), 1.0, log_scale, offset, normal
    )[0]
    if value < upper_bound:
        return (log_scale, offset, normal), value
    return None, float(upper_bound)


def _check_points(radius: Array, direction: Array) -> tuple[Array, Array]:
    radius = np.ascontiguousarray(radius, dtype=np.float64)
    direction = np.asarray(direction, dtype=np.float64)
    if radius.ndim != 1 or direction.ndim != 2 or len(direction) != len(radius):
        raise ValueError(
            "radius must have shape (m,) and direction (m, n); got "
            f"{radius.shape} and {direction.shape}."
        )
    if not len(radius):
        raise ValueError("no points: at least one row of either class is needed.")
    if direction.shape[1] not in (1, 2):
        raise ValueError(
            f"the bound is made for points of the plane (n = 2); these have n = "
            f"{direction.shape[1]}. There is none for higher dimensions."
        )
    bad = np.flatnonzero(~((radius >= 0.0) & (radius <= LARGEST_RADIUS)))
    if bad.size:
        raise ValueError(
            f"row {bad[0]} has radius {radius[bad[0]]!r}; the bound is proven for radii from 0 to "
            f"{LARGEST_RADIUS:g}. Leave such points out, or pull them in with clip_radius."
        )
    length = np.linalg.norm(direction, axis=1)
    bad = np.flatnonzero(~(np.abs(length - 1.0) <= 1e-9))
    if bad.size:
        raise ValueError(
            f"the direction of row {bad[0]} has length {length[bad[0]]!r}; it must be 1."
        )
    across = direction[:, 1] if direction.shape[1] == 2 else np.zeros(len(radius))
    return radius, np.arctan2(across, direction[:, 0])


def _check_weights(
    labels: NDArray[np.int8], sample_weight: Array | None, C: float, m: int
) -> Array:
    """Return C times weight times label of each row."""
    labels = np.asarray(labels)
    if labels.shape != (m,) or not np.isin(labels, (-1, 0, 1)).all():
        raise ValueError("labels must be 1, -1 or 0, one per point.")
    weights = np.ones(m) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (m,) or not ((weights >= 0.0) & np.isfinite(weights)).all():
        raise ValueError("sample_weight must be finite and not negative, one per point.")
    if not (np.isfinite(C) and C > 0.0):
        raise ValueError(f"C must be positive and finite; got {C!r}.")
    signed = C * weights * labels
    if not ((signed > 0.0).any() and (signed < 0.0).any()):
        raise ValueError("rows of a positive weight must have both labels, 1 and -1.")
    if np.abs(signed).sum() > LARGEST_TOTAL_WEIGHT:
        raise ValueError(
            f"C times the sum of the weights is {np.abs(signed).sum():g}, more than the bound is "
            f"proven for ({LARGEST_TOTAL_WEIGHT:g}). Use a smaller C."
        )
    return signed


def _check_limits(upper_bound: float, rel_gap: float, max_seconds: float, max_boxes: int) -> None:
    if not (np.isfinite(upper_bound) and upper_bound > 0.0):
        raise ValueError(f"upper_bound must be positive and finite; got {upper_bound!r}.")
    if not 0.0 < rel_gap < 1.0:
        raise ValueError(f"rel_gap must be between 0 and 1; got {rel_gap!r}.")
    if not max_seconds > 0.0:
        raise ValueError(f"max_seconds must be positive; got {max_seconds!r}.")
    if max_boxes < 1:
        raise ValueError(f"max_boxes must be at least 1; got {max_boxes!r}.")
