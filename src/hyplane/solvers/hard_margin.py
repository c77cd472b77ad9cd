"""The hard-margin hyperbolic SVM, solved to global optimality with a proof."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry import PointError
from hyplane.geometry.distances import polar_distance
from hyplane.geometry.hyperplanes import polar_signed_distance
from hyplane.geometry.numerics import arsinh_exp, log_sinh
from hyplane.solvers._margin_attempt import OUT_OF_REACH, Attempt, PolarPoints
from hyplane.solvers._margin_search import RAN_OUT, ROUNDING
from hyplane.solvers.binary_solver import HyperplaneSolver
from hyplane.solvers.result import SoftMarginResult
from hyplane.solvers.rows import Points

_ATTEMPTS = 3
_STARTS = 8
# At radius 18 the proven gap of a hard margin is uncertain by about this much, by rounding.
_SMALLEST_GAP = 1e-6


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

    Examples
    --------
    >>> result = solve_hard_margin([1.0, 3.0], [[1.0, 0.0], [-1.0, 0.0]], [1, -1])
    >>> round(result.margin, 6), result.support, result.converged
    (2.0, array([0, 1]), True)
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


@dataclass(frozen=True)
class HardMargin(HyperplaneSolver[HardMarginResult | SoftMarginResult]):
    """The hard margin, which has no C: see `solve_hard_margin`.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.0], [-0.5, 0.0]])
    >>> round(HardMargin().fit(points, np.array([1, -1], dtype=np.int8)).margin, 4)
    1.0986
    """

    tol: float = 1e-6
    max_iter: int = 1000

    def fit(
        self,
        data: Points,
        labels: NDArray[np.int8],
        weights: Array | None = None,
        C: float = np.inf,
        *,
        seed: int = 0,
        starts: Sequence[Any] = (),
    ) -> HardMarginResult:
        """Find the hyperplane of largest margin."""
        return solve_hard_margin(
            data.radius,
            data.direction,
            labels,
            tol=max(self.tol, _SMALLEST_GAP),
            max_iter=self.max_iter,
        )


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
    of t minimises ``φ(t) - ½t²`` and proves how much is left to gain.

    The proof accounts for rounding. Double precision holds a point at radius r to
    ``exp(r) · 1e-16``, so beyond radius 20 or so the gap may have to be larger than the tolerance;
    it then says by how much. Multipliers are exact to rounding wherever the support could be
    identified, which fails now and then for points that far out.

    References
    ----------
    .. [1] H. Cho, B. DeMeo, J. Peng and B. Berger, "Large-margin classification in hyperbolic
       space", AISTATS 2019, arXiv:1806.00437.

    Examples
    --------
    >>> result = solve_hard_margin([1.0, 3.0], [[1.0, 0.0], [-1.0, 0.0]], [1, -1])
    >>> round(result.margin, 6), round(result.offset, 6), result.normal.round(6) + 0.0
    (2.0, 1.0, array([-1.,  0.]))
    >>> result.gap < 1e-12, result.support
    (True, array([0, 1]))
    """
    points = _checked(radius, direction, labels)
    pair, apart = _mutual_neighbours(*points)
    if apart == 0.0:
        raise ValueError(
            f"the classes are not separable: rows {pair[0]} and {pair[1]} are the same point with "
            "different labels. Use a finite C (the soft margin)."
        )
    best = _best_of(Attempt.between(points, pair, apart), tol, max_iter)
    if isinstance(best, str):
        # Very far out, the search sometimes succeeds only with the origin where it is.
        message, best = best, _best_of(Attempt.at_origin(points, apart), tol, max_iter)
        if isinstance(best, str):
            raise ValueError(message)
    return best


def _best_of(attempt: Attempt, tol: float, max_iter: int) -> HardMarginResult | str:
    """Search from one origin, then from one with less rounding; a string says why it failed."""
    best: HardMarginResult | None = None
    for _ in range(_ATTEMPTS):
        try:
            with np.errstate(over="raise", invalid="raise"):
                problem = attempt.run(tol, max_iter)
                if problem is not None:
                    return problem if best is None else best
                result = _measured(attempt, tol)
        except (FloatingPointError, np.linalg.LinAlgError):
            break
        done = result is not None and result.converged and attempt.search.exact
        if result is not None and (done or best is None or result.gap < best.gap):
            best = result
        if done:
            break
        # Rounding is least where the support, weighted by its multipliers, is centred.
        attempt = attempt.centred()
    return OUT_OF_REACH if best is None else best


def _mutual_neighbours(
    radius: Array, direction: Array, labels: Array
) -> tuple[NDArray[np.int64], float]:
    """Return a point of each class, each the nearest of its class to the other, and their distance.

    The best of a few alternating searches; not always the closest pair of all.
    """
    sides = [np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)]

    def nearest(row: int, side: NDArray[np.int64]) -> tuple[int, float]:
        away = polar_distance(radius[side], direction[side], radius[row], direction[row])
        best = int(np.argmin(away))
        return int(side[best]), float(away[best])

    best = (np.array([sides[0][0], sides[1][0]]), np.inf)
    for start in sides[0][:: max(1, len(sides[0]) // _STARTS)][:_STARTS]:
        pair, apart = [int(start), int(start)], np.inf
        turn = 1
        while True:
            found, closer = nearest(pair[1 - turn], sides[turn])
            if not closer < apart:
                break
            pair[turn], apart = found, closer
            turn = 1 - turn
        if apart < best[1]:
            best = (np.array(pair), apart)
    return best


def _measured(attempt: Attempt, tol: float) -> HardMarginResult | None:
    """Carry the hyperplane back to the points as they were given, and measure it there.

    None where rounding has put it on the wrong side of a point.
    """
    search = attempt.search
    radius, direction, labels = attempt.points
    offset, normal = attempt.hyperplane()
    distances = labels * polar_signed_distance(radius, direction, offset, normal)
    margin = float(distances.min())
    if not margin > 0.0:
        return None
    limit = attempt.limit
    if search.bound > 0.0:
        log_sine = attempt.log_unit - 0.5 * np.log(2.0 * search.bound)
        limit = min(limit, float(arsinh_exp(np.asarray(log_sine))))
    log_scale = -float(log_sinh(np.asarray(margin)))
    log_ratio = -log_scale - float(log_sinh(np.asarray(limit)))
    gap = max(limit - margin, 0.0)
    converged = gap <= tol * min(1.0, margin)
    reason = search.reason if converged or search.reason == RAN_OUT else ROUNDING
    share = attempt.multipliers * search.slices.edge[attempt.support]
    return HardMarginResult(
        log_scale=log_scale,
        offset=offset,
        normal=normal,
        objective=0.5 * float(np.exp(2.0 * log_scale)),
        n_iter=search.n_slices,
        n_evaluations=search.n_steps,
        converged=converged,
        reason=reason,
        margin=margin,
        gap=gap,
        relative_gap=max(0.0, -float(np.expm1(2.0 * log_ratio))),
        support=attempt.support,
        multipliers=np.exp(2.0 * log_scale) * share / share.sum(),
    )


def _checked(radius: ArrayLike, direction: ArrayLike, labels: ArrayLike) -> PolarPoints:
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
        problem = f"is not a polar point: radius {radius[row]:g}, direction {direction[row]}"
        remedy = "Radii are finite and not negative"
        raise PointError(problem, row, float(radius[row]), remedy, coordinates="polar")
    odd = np.abs(signs) != 1.0
    if odd.any():
        row = int(np.argmax(odd))
        raise ValueError(f"labels are 1 or -1; row {row} has {signs[row]:g}.")
    if not (signs > 0).any() or not (signs < 0).any():
        raise ValueError("the hard margin needs points of both classes; all labels are the same.")
    return PolarPoints(radius, direction, signs)
