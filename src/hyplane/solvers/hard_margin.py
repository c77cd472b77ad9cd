"""The hard-margin hyperbolic SVM, solved to global optimality with a proof."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hyplane.geometry import polar_signed_distance
from hyplane.geometry._types import Array, ArrayLike
from hyplane.geometry._vectors import arsinh_exp, log_cosh, log_sinh
from hyplane.solvers._frames import Frame, mutual_neighbours
from hyplane.solvers._margin_search import MarginSearch
from hyplane.solvers._slices import Slices

_NAMED_ROWS = 10
_TINY = 1e-300
_ATTEMPTS = 3
_OUT_OF_REACH = (
    "double precision cannot hold a hyperplane between the classes: the points that it would pass "
    "between are too far out. Use a finite C (the soft margin)."
)


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


class _Points(NamedTuple):
    radius: Array
    direction: Array
    labels: Array


@dataclass
class _Attempt:
    """The search in one frame; lengths of w are in units of ``exp(log_unit)``, t in ``unit``."""

    points: _Points
    frame: Frame
    log_unit: float
    unit: float
    limit: float  # no margin is larger: half the distance of two points of different classes
    start: tuple[float, Array | None, float] | None = None

    @classmethod
    def between(cls, points: _Points, pair: NDArray[np.int64], apart: float) -> Self:
        frame = Frame.between(points.radius[pair], points.direction[pair])
        _, log_time = frame.klein(points.radius[pair], points.direction[pair])
        half = 0.5 * apart
        return cls(points, frame, float(log_time.max()), float(np.tanh(half)), half)

    @classmethod
    def at_origin(cls, points: _Points, apart: float) -> Self:
        frame = Frame(0.0, np.eye(points.direction.shape[1])[0])
        return cls(points, frame, float(log_cosh(points.radius).min()), 1.0, 0.5 * apart)

    def run(self, tol: float, max_iter: int) -> str | None:
        """Search; return what is wrong where no hyperplane is found."""
        labels = self.points.labels
        klein, log_time = self.frame.klein(self.points.radius, self.points.direction)
        edge = np.maximum(np.exp(self.log_unit - log_time), _TINY)
        slices = Slices(-labels[:, None] * klein, edge, labels, log_time)
        if self.start is None:
            size = 1.0
            for _ in range(2):  # the guard against rounding depends on the size of v
                found = slices.separating(self.unit, size)
                if found.status == "infeasible":
                    return _not_separable(labels, found.active[found.multipliers > 0.0])
                v = found.point[1:]
                size = 2.0 * float(np.sqrt(v @ v))
            self.start = self.unit * float(found.point[0]), v, size
        self.search = MarginSearch(slices)
        self.search.run(*self.start, tol, max_iter)
        if not np.isfinite(self.search.best):
            return _OUT_OF_REACH
        self.support, self.multipliers = self.search.multipliers(self.unit)
        return None

    def result(self, tol: float) -> HardMarginResult | None:
        """Carry the hyperplane back to the points as they were given, and measure it there.

        None where rounding has put it on the wrong side of a point.
        """
        search = self.search
        radius, direction, labels = self.points
        length = float(np.sqrt(search.v @ search.v))
        offset = float(np.arctanh(search.t / length))
        offset, normal = self.frame.hyperplane_back(offset, search.v / length)
        distances = labels * polar_signed_distance(radius, direction, offset, normal)
        margin, limit = distances.min(), np.float64(self.limit)
        if not margin > 0.0:
            return None
        if search.bound > 0.0:
            limit = np.minimum(limit, arsinh_exp(self.log_unit - 0.5 * np.log(2.0 * search.bound)))
        gap = max(float(limit - margin), 0.0)
        log_scale = -float(log_sinh(margin))
        share = self.multipliers * search.slices.edge[self.support]
        return HardMarginResult(
            log_scale=log_scale,
            offset=offset,
            normal=normal,
            objective=0.5 * float(np.exp(2.0 * log_scale)),
            n_iter=search.n_slices,
            n_evaluations=search.n_steps,
            converged=gap <= tol * min(1.0, float(margin)),
            reason=search.reason,
            margin=float(margin),
            gap=gap,
            relative_gap=max(0.0, -float(np.expm1(2.0 * (log_sinh(margin) - log_sinh(limit))))),
            support=self.support,
            multipliers=np.exp(2.0 * log_scale) * share / share.sum(),
        )

    def centred(self) -> "_Attempt":
        """Move the origin to the mean of the support, and measure w in its own length."""
        search = self.search
        klein = -self.points.labels[self.support, None] * search.slices.rows[self.support]
        mean = self.multipliers @ klein / self.multipliers.sum()
        scale = np.sqrt(2.0 * search.best)
        t = float((search.t - mean @ search.v) / scale / np.sqrt(1.0 - mean @ mean))
        log_unit = self.log_unit - float(np.log(scale))
        unit = float(np.tanh(arsinh_exp(np.float64(log_unit))))
        start = (t, None, 2.0 * float(np.hypot(1.0, t)))
        frame = self.frame.moved_to(mean)
        return _Attempt(self.points, frame, log_unit, unit, self.limit, start)


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
    points = _checked(radius, direction, labels)
    pair, apart = mutual_neighbours(*points)
    if apart == 0.0:
        raise ValueError(
            f"the classes are not separable: rows {pair[0]} and {pair[1]} are the same point with "
            "different labels. Use a finite C (the soft margin)."
        )
    best = _best_of(_Attempt.between(points, pair, apart), tol, max_iter)
    if isinstance(best, str):  # beyond radius 40 or so the classes may still be told apart from here
        message, best = best, _best_of(_Attempt.at_origin(points, apart), tol, max_iter)
    if isinstance(best, str):
        raise ValueError(message)
    return best


def _best_of(attempt: _Attempt, tol: float, max_iter: int) -> HardMarginResult | str:
    """Search in a frame, then where the rounding is less; a string says why there is nothing."""
    best: HardMarginResult | None = None
    for _ in range(_ATTEMPTS):
        problem = attempt.run(tol, max_iter)
        if problem is not None:
            return problem if best is None else best
        result = attempt.result(tol)
        done = result is not None and result.converged and attempt.search.exact
        if result is not None and (done or best is None or result.gap < best.gap):
            best = result
        if done:
            break
        # Rounding is least where the support, weighted by its multipliers, is centred.
        attempt = attempt.centred()
    return _OUT_OF_REACH if best is None else best


def _checked(
    radius: ArrayLike, direction: ArrayLike, labels: ArrayLike
) -> _Points:
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
    return _Points(radius, direction, signs)


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
