"""The hard-margin hyperbolic SVM, solved to global optimality with a proof."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane.geometry import polar_signed_distance
from hyplane.geometry._types import Array, ArrayLike
from hyplane.geometry._vectors import arsinh_exp, log_sinh
from hyplane.solvers._frames import Frame, mutual_neighbours
from hyplane.solvers._margin_search import MarginSearch
from hyplane.solvers._slices import Slices

_NAMED_ROWS = 10


@dataclass(frozen=True)
class HardMarginResult:
    """The hyperplane ``w = s (sinh a, cosh a · u)`` of largest margin, and the proof of it.

    Attributes
    ----------
    log_scale : float
        ``log s``; the closest points have ``y w*x = 1``.
    offset : float
        ``a``, the signed distance from the origin to the hyperplane.
    normal : ndarray of shape (n,)
        ``u``, of unit length.
    objective : float
        ``-½ w*w = ½ s²``.
    n_iter : int
        Slices (convex problems) solved.
    n_evaluations : int
        Passes over all points.
    converged : bool
        Whether the gap is within the tolerance.
    reason : str
        Why the solver stopped.
    margin : float
        Distance of the closest point to the hyperplane, ``arsinh(1/s)``, at curvature -1.
    gap : float
        Proven: no hyperplane that separates the classes has a margin above ``margin + gap``.
    relative_gap : float
        Proven: no feasible objective is below ``(1 - relative_gap) · objective``.
    support : ndarray of int
        The rows that hold the hyperplane: those with a positive multiplier.
    multipliers : ndarray of the same shape
        ``μ > 0`` with ``w = -Σ μ y x``; they add up to ``s²``.
    """

    log_scale: float
    offset: float
    normal: Array
    objective: float
    n_iter: int
    n_evaluations: int
    converged: bool
    reason: str
    margin: float
    gap: float
    relative_gap: float
    support: NDArray[np.int64]
    multipliers: Array


def solve_hard_margin(
    radius: ArrayLike,
    direction: ArrayLike,
    labels: ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> HardMarginResult:
    r"""Find the hyperplane with the largest distance to the closest point of two classes.

    .. math::
        \min_{w*w<0} -\tfrac12\, w*w \quad\text{subject to}\quad y_j\, (w*x_j) \ge 1

    Parameters
    ----------
    radius : array-like of shape (m,)
        Distances of the points from the origin, at curvature -1.
    direction : array-like of shape (m, n)
        Their unit directions.
    labels : array-like of shape (m,)
        1 or -1; both must occur.
    tol : float, default=1e-6
        The proven gap to reach: at most this in hyperbolic distance, and at most this fraction of
        the margin.
    max_iter : int, default=1000
        Most convex problems to solve.

    Returns
    -------
    result : HardMarginResult

    Raises
    ------
    ValueError
        If no hyperplane separates the classes.

    Notes
    -----
    The problem of Theorem 2 of [1]_ is not convex, but it is in all of w except ``w0 = t``. For a
    fixed t it is a least-distance problem with a value φ(t) that is convex in t, and its
    multipliers bound φ from below for every other t as well. A best-first search over intervals
    of t minimises ``φ(t) - ½t²`` and proves how much is left to gain. The proof counts rounding: far
    from where the classes meet (beyond radius 20 or so, if the support is there) double precision
    cannot hold the points to 1e-6, and the gap says so.

    References
    ----------
    .. [1] H. Cho, B. DeMeo, J. Peng and B. Berger, "Large-margin classification in hyperbolic
       space", AISTATS 2019, arXiv:1806.00437.

    Examples
    --------
    >>> result = solve_hard_margin([1.0, 2.0, 1.0], [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], [1, 1, -1])
    >>> result.margin < 1.0, result.gap < 1e-6, result.support
    (True, True, array([0, 2]))
    """
    radius, direction, signs = _checked(radius, direction, labels)
    pair, apart = mutual_neighbours(radius, direction, signs)
    if apart == 0.0:
        raise ValueError(
            f"the classes are not separable: rows {pair[0]} and {pair[1]} are the same point with "
            "different labels. Use a finite C (the soft margin)."
        )
    frame = Frame.between(radius[pair], direction[pair])
    unit = float(np.tanh(0.5 * apart))
    klein, log_time = frame.klein(radius, direction)
    log_unit = float(log_time[pair].max())
    search = _search(klein, log_time, signs, log_unit, unit, tol, max_iter)
    return _result(search, frame, (radius, direction, signs), log_unit, 0.5 * apart, unit, tol)


def _checked(
    radius: ArrayLike, direction: ArrayLike, labels: ArrayLike
) -> tuple[Array, Array, Array]:
    radius = np.asarray(radius, dtype=np.float64)
    direction = np.asarray(direction, dtype=np.float64)
    signs = np.asarray(labels, dtype=np.float64)
    if direction.ndim != 2 or radius.shape != (len(direction),) or signs.shape != radius.shape:
        raise ValueError(
            "radius and labels need one value per row of direction; got shapes "
            f"{radius.shape}, {direction.shape} and {signs.shape}."
        )
    wrong = ~(np.isfinite(radius) & (radius >= 0.0) & np.isfinite(direction).all(axis=1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"row {row} is not a polar point: radius {radius[row]:g}, direction "
            f"{direction[row].tolist()}. Radii are finite and not negative."
        )
    odd = np.abs(signs) != 1.0
    if odd.any():
        row = int(np.argmax(odd))
        raise ValueError(f"labels are 1 or -1; row {row} has {signs[row]:g}.")
    if not (signs > 0).any() or not (signs < 0).any():
        raise ValueError("the hard margin needs points of both classes; all labels are the same.")
    return radius, direction, signs


def _search(
    klein: Array,
    log_time: Array,
    signs: Array,
    log_unit: float,
    unit: float,
    tol: float,
    max_iter: int,
) -> MarginSearch:
    slices = Slices(klein, np.exp(log_unit - log_time), signs, log_time)
    start = slices.separating(unit)
    if start.status == "infeasible":
        raise ValueError(_not_separable(signs, start.active[start.multipliers > 0.0]))
    t, v = unit * float(start.point[0]), start.point[1:]
    search = MarginSearch(slices)
    search.run(t, float(np.sqrt(v @ v)), tol, max_iter)
    return search


def _not_separable(signs: Array, rows: NDArray[np.int64]) -> str:
    names = []
    for sign in (1.0, -1.0):
        part = np.sort(rows[signs[rows] == sign])
        more = ", …" if len(part) > _NAMED_ROWS else ""
        names.append(", ".join(str(row) for row in part[:_NAMED_ROWS]) + more)
    return (
        "the classes are not separable by a hyperplane, to double precision: the convex hull of "
        f"rows {names[0]} (label 1) meets that of rows {names[1]} (label -1). Use a finite C (the "
        "soft margin), for instance C=1."
    )


def _result(
    search: MarginSearch,
    frame: Frame,
    data: tuple[Array, Array, Array],
    log_unit: float,
    half_apart: float,
    unit: float,
    tol: float,
) -> HardMarginResult:
    """Carry the hyperplane back to the points as they were given, and measure it there."""
    radius, direction, signs = data
    support, multipliers = search.multipliers(unit)
    length = float(np.sqrt(search.v @ search.v))
    offset, normal = frame.hyperplane_back(float(np.arctanh(search.t / length)), search.v / length)
    margin = float((signs * polar_signed_distance(radius, direction, offset, normal)).min())
    # No margin is larger than half the distance of two points of different classes.
    limit = half_apart
    if search.bound > 0.0:
        limit = min(limit, float(arsinh_exp(np.float64(log_unit - 0.5 * np.log(2 * search.bound)))))
    gap = max(limit - margin, 0.0)
    log_scale = -float(log_sinh(np.float64(margin)))
    share = multipliers * search.slices.edge[support]
    return HardMarginResult(
        log_scale=log_scale,
        offset=offset,
        normal=normal,
        objective=0.5 * float(np.exp(2.0 * log_scale)),
        n_iter=search.n_slices,
        n_evaluations=search.n_steps,
        converged=gap <= tol * min(1.0, margin),
        reason=search.reason,
        margin=margin,
        gap=gap,
        relative_gap=float(-np.expm1(2.0 * (log_sinh(np.float64(margin)) - log_sinh(np.float64(limit))))),
        support=support,
        multipliers=np.exp(2.0 * log_scale) * share / share.sum(),
    )
