"""The soft-margin hyperbolic SVM of one binary problem."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.native import core
from hyplane.solvers import tuning
from hyplane.solvers.binary_solver import HyperplaneSolver
from hyplane.solvers.result import (
    Hyperplanes,
    SoftMarginResult,
    plane_array,
    soft_margin_result,
)
from hyplane.solvers.rows import BinaryRows, Points
from hyplane.solvers.wide_margin import widest_margin

# How far outside the ball of the points the hyperplane may be. At distance R + k each product w*x
# differs from its limit at infinity by a factor of 1 ± exp(-2k), 1e-7 here; farther out double
# precision leaves the solver fewer digits.
BOUNDS = {"ball": 0.0, "horosphere": 8.0}


@dataclass(frozen=True)
class SoftMargin(HyperplaneSolver[SoftMarginResult]):
    """The paper's soft margin: see `solve_soft_margin`.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
    >>> result = SoftMargin().fit(points, np.array([1, -1], dtype=np.int8), None, C=1.0)
    >>> SoftMargin().score([result], points).shape
    (2, 1)
    """

    tol: float = 1e-6
    max_iter: int = 1000
    bound: str = "horosphere"
    n_threads: int = 1

    def sharing_rows(self, n_threads: int) -> Self:
        """Return the solver with this many threads for each problem."""
        return replace(self, n_threads=n_threads)

    def out_of_fold_scores(
        self, rows: BinaryRows, which: Sequence[int], Cs: Array, *, seed: int = 0
    ) -> Array:
        """Score rows by shorter searches without them, in one compiled call.

        The minima with one C are starts for the next one of the same fold.
        """
        own, _ = _within_span(rows.data)
        weights, folds = rows.weights, np.ascontiguousarray(rows.folds, dtype=np.int64)
        scaled = [_scaled_weights(weights, float(C)) for C in Cs]
        if all(each is not weights for each, _ in scaled):
            weights, Cs = scaled[0][0], np.array([C for _, C in scaled])
        numbers = core.fit_folds(
            own.packed,
            rows.labels,
            weights,
            folds,
            np.array(which, dtype=np.int64),
            np.ascontiguousarray(Cs, dtype=np.float64),
            self.tol,
            self.max_iter,
            seed,
            n_threads=self.n_threads,
            beyond=BOUNDS[self.bound],
        ).reshape(len(which), len(Cs), own.n_dim + 2)
        scores = np.zeros((len(folds), len(Cs)))
        for k, of_fold in zip(which, numbers, strict=True):
            left_out = folds == k
            scores[left_out] = own[left_out].scores(Hyperplanes.of_array(of_fold))
        return scores

    def fit(
        self,
        data: Points,
        labels: NDArray[np.int8],
        weights: Array | None,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[SoftMarginResult] = (),
    ) -> SoftMarginResult:
        """Minimise the soft-margin objective."""
        return solve_soft_margin(data, labels, weights, C=C, seed=seed, starts=starts, **vars(self))


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
    bound: str = "horosphere",
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
    bound : {"horosphere", "ball"}, default="horosphere"
        How problems without an optimal hyperplane are regularised. ``"horosphere"``: their limits
        at infinity, the horospheres, are allowed too. ``"ball"``: the hyperplane must meet the
        smallest ball around the origin that holds the points.
    n_threads : int, default=1
        Threads that share the rows of large data. The result has the same bits for any number.

    Returns
    -------
    result : SoftMarginResult

    Notes
    -----
    The problem is not convex. Multistart: from several starts (for large data on a sample of the
    rows) a few steps are taken on a model that keeps the kinks of the loss; the best candidates are
    carried to their minima and perturbed by random weights of the rows. The same steps lead to the
    minimum on all rows, each from one pass over them. Where the classes are separated by a wide
    margin, the hyperplane of the widest margin is taken.

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

    Womersley, Fletcher (1986). An algorithm for composite nonsmooth optimization problems. Journal
    of Optimization Theory and Applications 48.

    Duffield, Lund, Thorup (2007). Priority sampling for estimation of arbitrary subset sums.
    Journal of the ACM 54.

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
    given, (points, basis) = points, _within_span(points)
    if points is not given:
        starts = [replace(each, normal=_unit(each.normal @ basis)) for each in starts]
    solution = core.solve_soft_margin(
        points.packed,
        labels,
        sample_weight,
        C,
        tol,
        max_iter,
        seed,
        np.array([plane_array(each) for each in starts]) if starts else None,
        n_threads=n_threads,
        beyond=BOUNDS[bound],
    )
    radius = points.packed.largest_radius
    result = soft_margin_result(solution, radius, labels, sample_weight, C=C, tol=tol, bound=bound)
    if _separates_widely(result, points, sample_weight, C):
        plane = widest_margin(points, labels, sample_weight, result, result.objective, C=C, tol=tol)
        if plane is not None:
            wider = (*plane, result.n_iter, result.n_evaluations, core.Stop.CONVERGED)
            result = soft_margin_result(
                wider, radius, labels, sample_weight, C=C, tol=tol, bound=bound
            )
    return result if points is given else replace(result, normal=basis @ result.normal)


def _within_span(points: Points) -> tuple[Points, Array]:
    """Return the points in fewer dimensions where they have more than rows, and a basis of these.

    A normal has no part across all directions, except for a hyperplane at its bound: one dimension
    more than the span of the directions has room for that part.
    """
    n_rows, n_dim = len(points), points.n_dim
    if n_dim <= n_rows + 1:
        return points, np.empty((0, 0))
    across = np.random.default_rng(0).standard_normal((1, n_dim))
    basis, _ = np.linalg.qr(np.vstack([points.direction, across]).T)
    return Points(points.radius, _unit(points.direction @ basis)), basis


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _separates_widely(
    result: SoftMarginResult, points: Points, weights: Array | None, C: float
) -> bool:
    """Whether few rows have a loss, and the margin is so wide that wider ones may be missed."""
    sampled = len(points) > max(1024, 64 * (points.n_dim + 2))
    wide = tuning.WIDE_MARGIN_IF_SAMPLED if sampled else tuning.WIDE_MARGIN
    heaviest = C if weights is None else C * float(weights.max())
    return (
        result.log_scale < -wide
        and points.n_dim <= tuning.HIGHEST_DIMENSION
        and result.objective - 0.5 * np.exp(2.0 * result.log_scale) < tuning.FEW_LOSSES * heaviest
    )


def weight_exponent(largest: float) -> int:
    """Return the power of two to take out of weights; 0 where their size is ordinary."""
    ordinary = largest == 0.0 or not np.isfinite(largest) or 1e-6 < largest < 1e6
    return 0 if ordinary else int(np.frexp(largest)[1])


def _scaled_weights(weights: Array | None, C: float) -> tuple[Array | None, float]:
    """Return the same problem with weights of ordinary size, moved into C by a power of two.

    The search takes steps of a size that suits weights near 1, while C may be any number.
    """
    largest = 1.0 if weights is None else float(np.max(weights, initial=0.0))
    exponent = weight_exponent(largest)
    if weights is None or exponent == 0:
        return weights, C
    with np.errstate(over="ignore"):
        scaled = float(np.ldexp(C, exponent))
    # Where no double holds the product, the compiled code says so.
    return (weights, C) if scaled in (0.0, np.inf) else (np.ldexp(weights, -exponent), scaled)
