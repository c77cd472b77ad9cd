"""The soft margin of one class against all others, for many classes on the same rows."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, Ints, Mask
from hyplane.geometry.numerics import log_sinh
from hyplane.native import core
from hyplane.solvers.fitted import SoftMarginResult, numbers_of
from hyplane.solvers.points import PackedRows, Points
from hyplane.solvers.soft_margin import solve_soft_margin

# A class with a larger share of the rows, or with more rows, is solved on all rows, and so is every
# class of a smaller data set: little can be saved, and on large data the solver draws samples.
LARGEST_SHARE = 1 / 16
LARGEST_CLASS = 1000
FEWEST_ROWS = 2048
# Rows of other classes that stand for all of them while the hyperplane is not near them.
# These four were chosen by hand, among a few, on the sets of benchmarks/many_classes.py.
_SAMPLE = 256
# A row of another class is near, and is taken itself, within this many margins of the hyperplane.
# At most this many are taken, the nearest first.
REACH, _MOST_NEAR = 4.0, 300
# Rounds of looking at all rows; a class that needs more is solved on all rows.
_ROUNDS = 12
# A row within this many margins may hold the hyperplane in place: one, and a little for rounding.
AT_THE_KINK = 1.0 + 1e-6


def tuned(**numbers: float | bool) -> core.Tuning:
    """Return the numbers of the search with some of them changed."""
    tuning = core.Tuning()
    for name, value in numbers.items():
        setattr(tuning, name, value)
    return tuning


# A short search for the minimum; a shorter one once the rows near it are known; then only steps to
# the minimum from a hyperplane that is near.
_SEARCH = tuned(brief_iterations=8, carried=2, starts_of_a_brief_round=0, n_scales=3)
_POLISH = tuned(
    brief_iterations=2,
    brief_kink_steps=1,
    carried=2,
    starts_of_a_brief_round=0,
    n_scales=1,
    largest_regression=0,
)
FOLLOW = tuned(brief_iterations=2, carried=1, starts_of_a_brief_round=0, only_given_starts=True)


class OneVsRest:
    """The one-vs-rest problems of many classes on the same rows.

    A row counts in the objective only while it is on the wrong side of its margin. For a class of
    few rows, few rows of other classes do. The minimum is searched for on the rows of the class
    and a weighted sample of the others; then the rows near the hyperplane are added one
    by one, until a look at all rows finds no further one that counts. The result is then a minimum
    of the objective on all rows.

    Parameters
    ----------
    points : Points
        All rows.
    codes : ndarray of int of shape (m,)
        The class of each row, from 0.
    weights : ndarray of shape (m,), default=None
        Weights of the rows.
    **options
        As `solve_soft_margin` has them: ``C``, ``tol``, ``max_iter`` and others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat(np.arange(40), 60)
    >>> centers = rng.normal(size=(40, 3))
    >>> X = 1.5 * centers[codes] + 0.2 * rng.normal(size=(2400, 3))
    >>> shared = OneVsRest(Points.from_chart(X, "tangent"), codes)
    >>> shared.solve(7).converged
    True
    """

    def __init__(
        self,
        points: Points,
        codes: NDArray[np.integer],
        weights: Array | None = None,
        **options: Any,
    ) -> None:
        codes = np.asarray(codes)
        if codes.dtype.kind not in "iu" or codes.shape != (len(points),):
            raise TypeError(
                f"codes must be {len(points)} integers, the class of each row; got an array of "
                f"{codes.dtype} of shape {codes.shape}."
            )
        self.points, self.weights, self.options = points, weights, options
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self._by_class = np.argsort(codes, kind="stable")
        self._ends = np.cumsum(np.bincount(codes))
        self._farthest = int(points.radius.argmax())
        # The same sample for all classes, and for every run.
        m = len(points)
        self._sample = np.random.default_rng(0).choice(m, min(_SAMPLE, m), replace=False)

    def solve(
        self, k: int, *, seed: int = 0, start: SoftMarginResult | None = None
    ) -> SoftMarginResult:
        """Find the hyperplane of class number k.

        Parameters
        ----------
        k : int
        seed : int, default=0
            Seed of the random starts.
        start : SoftMarginResult, optional
            The hyperplane of a problem much like this one.

        Returns
        -------
        result : SoftMarginResult
        """
        own = self.rows_of(k)
        m = len(self.points)
        if m < FEWEST_ROWS or len(own) > min(LARGEST_SHARE * m, LARGEST_CLASS):
            return self._on_all_rows(k, seed, start)
        taken = np.zeros(m, dtype=bool)
        taken[own] = True
        result = self._on_some_rows(k, taken, start or self._cap_around(own), _SEARCH, seed)
        n_evaluations = result.n_evaluations
        for n_looks in range(_ROUNDS):
            near, products = self._near(k, result)
            # Rows that the sample stood for and that have a loss now, or are at their kink.
            missed = near[(products < AT_THE_KINK) & ~taken[near]]
            if not missed.size:
                return replace(result, n_evaluations=n_evaluations)
            if len(near) > _MOST_NEAR:
                near = near[np.argpartition(products, _MOST_NEAR)[:_MOST_NEAR]]
            taken[near] = taken[missed] = True
            if np.count_nonzero(taken) > m // 4:
                break
            tuning = FOLLOW if n_looks else _POLISH
            result = self._on_some_rows(k, taken, result, tuning, seed)
            n_evaluations += result.n_evaluations
        return self._on_all_rows(k, seed, result)

    def rows_of(self, k: int) -> Ints:
        """Return the rows of class number k."""
        return self._by_class[self._ends[k - 1] if k else 0 : self._ends[k]]

    def _cap_around(self, rows: Ints) -> SoftMarginResult:
        """Return a hyperplane far out, across the mean direction of some rows.

        The best one for a rare class is often near. Its scale puts the mean of the rows one margin
        to the wrong side.
        """
        mean = self.points.direction[rows].mean(axis=0)
        length = float(np.linalg.norm(mean))
        normal = -mean / length if length > 0.0 else np.eye(len(mean))[0]
        bound = float(self.points.radius[self._farthest])
        distance = max(bound - float(self.points.radius[rows].mean()), 0.5)
        scale = -float(log_sinh(np.asarray(distance)))
        return SoftMarginResult(scale, -0.9999 * bound, normal, np.inf, 0, 0, False, "a start")

    def _on_some_rows(
        self, k: int, taken: Mask, start: SoftMarginResult, tuning: core.Tuning, seed: int
    ) -> SoftMarginResult:
        """Solve on the rows taken; the sample stands for all others."""
        own = np.flatnonzero(taken)
        others = self._sample[~taken[self._sample]]
        # The farthest row, which does not count, since its radius limits the hyperplanes.
        rows = np.concatenate([own, others, [self._farthest]])
        labels = np.where(self.codes[rows] == k, np.int8(1), np.int8(-1))
        labels[-1] = 0
        weights = np.ones(len(rows)) if self.weights is None else self.weights[rows]
        part = slice(len(own), len(rows) - 1)
        total = self._total_weight - weights[: len(own)].sum()
        weights[part] *= total / max(weights[part].sum(), np.finfo(float).tiny)
        return solve_soft_margin(
            PackedRows(self.points.packed.take(rows)),
            labels,
            weights,
            seed=seed,
            starts=[start],
            tuning=tuning,
            **self.options,
        )

    def _on_all_rows(
        self, k: int, seed: int, start: SoftMarginResult | None = None
    ) -> SoftMarginResult:
        return solve_soft_margin(
            self.points,
            np.where(self.codes == k, np.int8(1), np.int8(-1)),
            self.weights,
            seed=seed,
            starts=[] if start is None else [start],
            **self.options,
        )

    def _near(self, k: int, plane: SoftMarginResult) -> tuple[Ints, Array]:
        """Return other rows near the hyperplane of a class, or on its wrong side, and ``-w*x``."""
        line = numbers_of(plane)[None]
        problem = np.array([[k, -1, -1]], dtype=np.int32)
        [(near, products, _)] = core.near_rows_of_block(
            self.points.packed, self.codes, None, line, problem, REACH, [len(self.points)]
        )
        others = self.codes[near] != k
        return near[others], products[others]

    @cached_property
    def _total_weight(self) -> float:
        return float(len(self.points) if self.weights is None else self.weights.sum())
