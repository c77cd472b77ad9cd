"""The soft-margin hyperbolic SVM of one binary problem."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.native import core
from hyplane.solvers._wide_margin import widest_margin
from hyplane.solvers.fitted import Hyperplanes
from hyplane.solvers.points import Points

STOP_REASONS = {
    core.Stop.CONVERGED: "the predicted decrease of the objective is below the tolerance",
    core.Stop.CONVERGED_TO_ROUNDING: (
        "no step decreases the objective, and the predicted decrease is below what double "
        "precision resolves"
    ),
    core.Stop.STALLED: (
        "no step decreases the objective, though the predicted decrease is above the tolerance"
    ),
    core.Stop.ITERATIONS_RAN_OUT: "the iterations ran out",
}
# What is added to the reason where the problem is degenerate: no hyperplane inside the bound is
# the best one.
DEGENERATE = {
    "ball": (
        "degenerate: the hyperplane touches the ball of the points, which keeps it from running "
        "away to infinity"
    ),
    "horosphere": (
        "degenerate: the infimum is at infinity, where the level sets of the score become "
        "horospheres and all points get one label"
    ),
}
# How far outside the ball of the points the hyperplane may be. At distance R + k each product w*x
# differs from its limit at infinity by a factor of 1 ± exp(-2k), 1e-7 here; farther out double
# precision leaves the solver fewer digits.
BOUNDS = {"ball": 0.0, "horosphere": 8.0}
# A hyperplane this close to the ball touches it, relatively.
_TOUCHING = 1e-6
# At infinity s² = -w*w is 0, whatever the origin. Elsewhere it is a good part of the objective.
_VANISHING = 1e-6

# Why a result that the search calls converged is doubtful: its numbers leave the doubles.
_LOG_UNIT = float(np.log1p(np.sqrt(2.0)))  # the loss of a point on the hyperplane
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)  # of a loss
_LARGE_C = 1e8
_FARTHEST = 1e15  # beyond, neighbouring doubles are radii 0.1 and more apart
_SMALLEST_GAIN = 1e-6

# From this ratio on the weights of rows differ so much that they are first cut at these sizes.
_UNEQUAL, _CUTS = 1e3, (1e1, 1e2, 1e3, 1e4, 1e5)

_NO_GAIN = (
    "no hyperplane lowers the objective noticeably below that of none: C times the weights is too "
    "small for points so near the origin"
)
_ROUNDED_LOSSES = (
    "C times the weight of a row is so large that the rounding of the losses hides the margin; "
    "C=inf asks for the hard margin"
)
_TOO_FAR = (
    "the points lie beyond radius 1e15, where double precision has too few digits for their radii "
    "and angles"
)
# Minima are many where a hyperplane separates points that are far out by a margin beyond 6, or
# beyond 3 if the search begins on samples. Of 79 problems with a margin beyond 20 it missed the
# widest in all, of 26 between 12 and 20 in 22, of 52 between 4 and 12 in 11; some were left with a
# row or two on the wrong side. The hard margin finds it in 10 to 50 ms. In 2000 dimensions that
# takes minutes.
_WIDE, _WIDE_IF_SAMPLED, _HIGHEST_DIMENSION = -6.0, -3.0, 200
_LARGE_RADIUS, _FEW_LOSSES = 10.0, 30.0


@dataclass(frozen=True)
class SoftMarginResult:
    """A hyperplane ``w = s (sinh a, cosh a · u)`` and why the solver stopped there.

    Attributes
    ----------
    log_scale : float
        ``log s``. The logarithm, since s leaves the range of doubles for points far out.
    offset : float
        ``a``, the signed distance from the origin to the hyperplane.
    normal : ndarray of shape (n,)
        ``u``, of unit length.
    objective : float
        Value of the soft-margin objective.
    n_iter : int
        Iterations on all rows.
    n_evaluations : int
        Evaluations of the objective, those on samples and from other starts included.
    converged : bool
        Whether the tolerance was met, or the accuracy that double precision allows there.
    reason : str
        Why the solver stopped, one of `STOP_REASONS`, or why the result is doubtful all the same.
        Where the problem is degenerate, one of `DEGENERATE` follows.

    Examples
    --------
    >>> from hyplane import HyperbolicSVC
    >>> [result] = HyperbolicSVC().fit([[0.5, 0.1], [-0.5, 0.1]], [1, 0]).results_
    >>> result.reason
    'the predicted decrease of the objective is below the tolerance'
    """

    log_scale: float
    offset: float
    normal: Array
    objective: float
    n_iter: int
    n_evaluations: int
    converged: bool
    reason: str

    @property
    def degenerate(self) -> bool:
        """Whether the optimum is on the bound: there is no best hyperplane inside."""
        return self.reason.endswith(tuple(DEGENERATE.values()))


def solve_soft_margin(
    points: Points,
    labels: NDArray[np.int8],
    sample_weight: Array | None = None,
    *,
    C: float = 1.0,
    tol: float = 1e-6,
    max_iter: int = 1000,
    seed: int = 0,
    starts: Sequence[SoftMarginResult] = (),
    bound: str = "ball",
    tuning: core.Tuning | None = None,
    n_threads: int = 1,
) -> SoftMarginResult:
    r"""Minimise the soft-margin objective over hyperplanes.

    .. math::
        \min_{w*w<0} -\tfrac12\, w*w + C \sum_j c_j
        \max(0, \sinh^{-1} 1 - \sinh^{-1}(y_j\, w*x_j))

    Parameters
    ----------
    points : Points
    labels : ndarray of int8 of shape (m,)
        1, -1, or 0 for a row that does not count; both signs must occur.
    sample_weight : ndarray of shape (m,), default=None
        Non-negative weights :math:`c_j`.
    C : float, default=1.0
        Weight of the losses.
    tol : float, default=1e-6
        Relative accuracy of the objective at which to stop.
    max_iter : int, default=1000
        Most iterations on all rows from one start.
    seed : int, default=0
        Seed of the random starts and of the samples of large data.
    starts : sequence of SoftMarginResult, default=()
        Hyperplanes of problems much like this one. They take the place of most random starts, which
        is faster; the best of many minima may be missed more often.
    bound : {"ball", "horosphere"}, default="ball"
        ``"ball"``: the hyperplane must meet the smallest ball around the origin that holds the
        points. ``"horosphere"``: any hyperplane, and their limits at infinity, the horospheres.
    tuning : Tuning, optional
        Other numbers of the search than the usual ones.
    n_threads : int, default=1
        Threads that share the rows of large data. The result has the same bits for any number.

    Returns
    -------
    result : SoftMarginResult

    Notes
    -----
    The problem is not convex. Multistart: from several starts (for large data on a sample of the
    rows) quasi-Newton takes a few steps; the best candidates are carried to their minima by steps
    on a model that keeps the kinks of the loss, and perturbed by random weights of the rows. Where
    a hyperplane separates the classes by a wide margin, that of the widest takes its place.

    The infimum over :math:`w*w < 0` need not be attained: the hyperplane may run away. The bound
    ``"ball"`` prevents that, but depends on the origin. The minimum over the closed set
    :math:`w*w \le 0` always exists and is invariant under isometries; ``"horosphere"`` finds it.
    Its new members, :math:`w*w = 0`, score points by horospheres, and are represented by
    hyperplanes at distance R + 8 from the origin, R being the largest radius: their products are
    within a factor of :math:`1 \pm 10^{-7}` of the limits.

    The solver stops for one of four reasons (`STOP_REASONS`). It converged where the decrease that
    its model predicts is below ``tol`` times the objective. It converged to rounding where no step
    decreases the objective and the predicted decrease is below what double precision resolves: the
    change of the objective when each number of the hyperplane moves by one unit in its last place.
    Otherwise it stalled, or the iterations ran out; then ``converged`` is false. Stalls occur for
    points beyond a radius of about 20, where double precision tells few hyperplanes apart.
    ``converged`` is false also where the numbers leave what double precision can tell: no
    hyperplane lowers the objective by more than the tolerance (C times the weights is tiny, or the
    points are within 1e-6 or so of the origin), C times a weight is so large that the rounding of
    the losses hides the margin, or points lie beyond radius 1e15.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437.

    Lewis, Overton (2013). Nonsmooth optimization via quasi-Newton methods. Mathematical
    Programming 141.

    Boender, Rinnooy Kan (1987). Bayesian stopping rules for multistart global optimization methods.
    Mathematical Programming 37.

    Womersley, Fletcher (1986). An algorithm for composite nonsmooth optimization problems. Journal
    of Optimization Theory and Applications 48.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [0.5, -0.1], [-0.5, 0.1], [-0.5, -0.1]])
    >>> result = solve_soft_margin(points, np.array([1, 1, -1, -1], dtype=np.int8), C=10.0)
    >>> result.converged, round(result.offset, 6) + 0.0, result.normal.round(6) + 0.0
    (True, 0.0, array([-1.,  0.]))
    """
    if bound not in BOUNDS:
        raise ValueError(f"bound must be one of {', '.join(BOUNDS)}; got {bound!r}.")
    sample_weight, C = _scaled_weights(sample_weight, C)
    if not starts and tuning is None and sample_weight is not None:
        for lighter in _lighter_weights(labels, sample_weight):
            found = solve_soft_margin(
                points, labels, lighter, C=C, tol=tol, max_iter=max_iter, seed=seed,
                starts=starts[-1:], bound=bound, n_threads=n_threads,
            )  # fmt: skip
            starts = [*starts, found]
    solution = core.solve_soft_margin(
        points.packed,
        labels,
        sample_weight,
        C,
        tol,
        max_iter,
        seed,
        np.array([(each.log_scale, each.offset, *each.normal) for each in starts])
        if starts
        else None,
        core.Tuning() if tuning is None else tuning,
        n_threads=n_threads,
        beyond=BOUNDS[bound],
    )
    result = judged_result(solution, points, labels, sample_weight, C=C, tol=tol, bound=bound)
    if tuning is None and _separates_widely(result, points, sample_weight, C):
        plane = widest_margin(points, labels, sample_weight, result, result.objective, C=C, tol=tol)
        if plane is not None:
            wider = (*plane, result.n_iter, result.n_evaluations, core.Stop.CONVERGED)
            result = judged_result(wider, points, labels, sample_weight, C=C, tol=tol, bound=bound)
    return result


def _separates_widely(
    result: SoftMarginResult, points: Points, weights: Array | None, C: float
) -> bool:
    """Whether hardly a row has a loss, and the margin is such that wider ones were missed."""
    tuning = core.Tuning()
    sample = max(tuning.least_sample, tuning.sample_per_parameter * (points.n_dim + 2))
    wide = _WIDE if len(points) <= 2 * sample else _WIDE_IF_SAMPLED
    heaviest = C if weights is None else C * float(weights.max())
    return (
        result.log_scale < wide
        and points.largest_radius > _LARGE_RADIUS
        and points.n_dim <= _HIGHEST_DIMENSION
        and result.objective < 0.5 * float(np.exp(2.0 * result.log_scale)) + _FEW_LOSSES * heaviest
    )


def hyperplanes_of_folds(
    points: Points,
    labels: NDArray[np.int8],
    sample_weight: Array | None,
    *,
    folds: NDArray[np.int64],
    which: Sequence[int],
    Cs: Array,
    tol: float = 1e-6,
    max_iter: int = 1000,
    seed: int = 0,
    bound: str = "ball",
    n_threads: int = 1,
) -> Hyperplanes:
    """Fit each C without the rows of each fold, by shorter searches that do for a comparison.

    Parameters
    ----------
    points, labels, sample_weight, tol, max_iter, seed, bound, n_threads
        As in `solve_soft_margin`.
    folds : ndarray of int of shape (m,)
        For each row the fold that leaves it out.
    which : sequence of int
        The folds to work on.
    Cs : ndarray
        The grid. The minima with one C are starts for the next one of the same fold.

    Returns
    -------
    planes : Hyperplanes
        Those of the first fold, one for each C, then those of the next.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [0.6, 0.0], [-0.5, 0.2], [-0.6, 0.0]])
    >>> labels, folds = np.array([1, 1, -1, -1], dtype=np.int8), np.array([0, 1, 0, 1])
    >>> planes = hyperplanes_of_folds(
    ...     points, labels, None, folds=folds, which=[0, 1], Cs=np.array([0.1, 1.0, 10.0])
    ... )
    >>> planes.offset.shape
    (6,)
    """
    scaled = [_scaled_weights(sample_weight, float(C)) for C in Cs]
    if all(weights is not sample_weight for weights, _ in scaled):
        sample_weight, Cs = scaled[0][0], np.array([C for _, C in scaled])
    numbers = core.fit_folds(
        points.packed,
        labels,
        sample_weight,
        np.ascontiguousarray(folds, dtype=np.int64),
        np.array(which, dtype=np.int64),
        np.ascontiguousarray(Cs, dtype=np.float64),
        tol,
        max_iter,
        seed,
        n_threads=n_threads,
        beyond=BOUNDS[bound],
    ).reshape(-1, points.n_dim + 2)
    return Hyperplanes(numbers[:, 0].copy(), numbers[:, 1].copy(), numbers[:, 2:].copy())


def judged_result(
    solution: tuple[float, float, Array, float, int, int, core.Stop],
    points: Points,
    labels: NDArray[np.int8],
    sample_weight: Array | None,
    *,
    C: float,
    tol: float,
    bound: str,
) -> SoftMarginResult:
    """Say of a solution of the compiled code whether it is good, and whether it is degenerate.

    Parameters
    ----------
    solution : tuple
        What `core.solve_soft_margin` returns.
    points, labels, sample_weight, C, tol, bound
        As in `solve_soft_margin`.

    Returns
    -------
    result : SoftMarginResult
    """
    log_scale, offset, normal, objective, n_iter, n_evaluations, stop = solution
    converged = stop in (core.Stop.CONVERGED, core.Stop.CONVERGED_TO_ROUNDING)
    reason = STOP_REASONS[stop]
    if converged:
        doubts = _doubt(objective, labels, sample_weight, C, tol, points.largest_radius)
        converged, reason = doubts is None, doubts or reason
    radius = points.packed.largest_radius
    if bound == "ball":
        degenerate = abs(offset) >= (1.0 - _TOUCHING) * radius
    else:
        vanishing = 0.5 * np.exp(2.0 * log_scale) <= _VANISHING * objective
        degenerate = bool(abs(offset) > radius and vanishing)
    if degenerate:
        reason += f"; {DEGENERATE[bound]}"
    return SoftMarginResult(
        log_scale=log_scale,
        offset=offset,
        normal=normal,
        # The losses are not negative; with a C of 1e15 their rounding can be.
        objective=max(objective, 0.5 * float(np.exp(2.0 * log_scale))),
        n_iter=n_iter,
        n_evaluations=n_evaluations,
        converged=converged and bool(np.isfinite(objective)),
        reason=reason,
    )


def _scaled_weights(weights: Array | None, C: float) -> tuple[Array | None, float]:
    """Return the same problem with weights of ordinary size, moved into C by a power of two.

    The search takes steps of a size that suits weights near 1, while C may be any number.
    """
    largest = 1.0 if weights is None else float(np.max(weights, initial=0.0))
    if weights is None or not np.isfinite(largest) or 1e-6 < largest < 1e6 or largest == 0.0:
        return weights, C
    exponent = int(np.frexp(largest)[1])
    with np.errstate(over="ignore"):
        scaled = float(np.ldexp(C, exponent))
    # Where no double holds the product, the compiled code says so.
    return (weights, C) if scaled in (0.0, np.inf) else (np.ldexp(weights, -exponent), scaled)


def _lighter_weights(labels: NDArray[np.int8], weights: Array) -> list[Array]:
    """Return the weights cut at several sizes, where they differ very much.

    Heavy rows that may have no loss leave many minima, in which the search is caught. The minima of
    lighter weights lead to better ones: over 21 problems with a class of weight 1e4 to 1e8 the
    objective was above the best known by 1 % on average and not by 8 %.
    """
    if len(labels) != len(weights):
        return []  # the compiled code says so
    positive = weights[(labels != 0) & (weights > 0.0)]
    if not positive.size or positive.max() <= _UNEQUAL * positive.min():
        return []
    common = float(np.quantile(positive, 0.1))
    ratio = float(positive.max()) / common
    return [np.minimum(weights, size * common) for size in _CUTS if ratio > max(size, _UNEQUAL)]


def _doubt(
    objective: float,
    labels: NDArray[np.int8],
    weights: Array | None,
    C: float,
    tol: float,
    largest_radius: float,
) -> str | None:
    """Say why a hyperplane of that objective may be far from the best one, or None."""
    if largest_radius >= _FARTHEST:
        return _TOO_FAR
    counted = np.count_nonzero(labels) if weights is None else weights[labels != 0].sum()
    none = C * float(counted) * _LOG_UNIT  # the objective as the scale goes to zero
    gain = min(tol, _SMALLEST_GAIN)
    # |w*x| is at most sinh(2R) times the scale, so that none can gain more than this share.
    possible = C * float(counted) * np.sinh(min(2.0 * largest_radius, 100.0)) ** 2
    if none - objective <= gain * none and possible <= 1e3 * gain:
        return _NO_GAIN
    largest = C * (1.0 if weights is None else float(weights.max()))
    if largest > _LARGE_C and largest * _ROUNDING > 10.0 * tol * objective:
        return _ROUNDED_LOSSES
    return None
