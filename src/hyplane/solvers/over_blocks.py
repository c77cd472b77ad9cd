"""The soft margin on rows that are read block by block."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, Ints
from hyplane.blocks import Blocks
from hyplane.native import core
from hyplane.solvers.block_samples import MANY_CLASSES, BlockSample, Rows
from hyplane.solvers.block_summary import Summary
from hyplane.solvers.fitted import (
    SoftMarginResult,
    hyperplane_at_infinity,
    judged_result,
    numbers_of,
)
from hyplane.solvers.one_vs_rest import FOLLOW, LARGEST_CLASS, REACH, OneVsRest, tuned
from hyplane.solvers.points import Points
from hyplane.solvers.shared_passes import (
    Ask,
    Solver,
    asking_from_a_thread,
    run_solvers,
)
from hyplane.solvers.soft_margin import BOUNDS, solve_soft_margin
from hyplane.solvers.working_set import WorkingSet

# Problems that share a pass: usually, and at most where the classes are many and small. The sums of
# a pass cost far more than reading it. Problems that descend by sums have a thread each.
_TOGETHER, _MOST_TOGETHER = 512, 1024
# Rows of the sample for the first solve of a problem, as many as in memory, and for later ones.
_START, _SMALL = 1 << 17, 4096
# Near rows: the least and the most for one problem, and the most for all problems of a pass, which
# is larger where the classes are many and small, since these seldom use their share.
_LEAST_NEAR, _MOST_NEAR, _NEAR_OF_ALL, _NEAR_OF_MANY = 300, 1 << 16, 1 << 19, 1 << 21
# Where the classes are many: near rows in the first round, near rows for each row with a loss, and
# the near and the other rows of the sample that a problem keeps. All were measured with 20 000
# overlapping classes of 30 rows. Half of the first or of the last number takes more rounds.
_FIRST_NEAR, _NEAR_OF_A_LOSS, _NEAR_OF_SAMPLE, _OTHERS_OF_SAMPLE = 1024, 2, 1024, 2048
# Rows that are expected to be gathered for each row of the class.
_GATHERED = 8
# Where fewer rows have a loss, the last steps keep the kink of each: the solver's own limit.
_FEW_LOSSES = 1 << 14
_FEW_PARAMETERS = 640
# Most rounds, one pass each; after the second number a problem of many keeps to its minimum.
_ROUNDS, _SEARCHED = 20, 2

_POLISH = tuned(
    brief_iterations=2, carried=1, starts_of_a_brief_round=0, n_scales=2, largest_regression=0
)
# A pass costs far more than the curvature of some thousand rows, and a good curvature saves passes.
_ROWS_OF_CURVATURE = 4  # times the small sample
_DESCENT = tuned(curvature_rows=_ROWS_OF_CURVATURE * _SMALL, band_share=0.1)


@dataclass(frozen=True)
class BlockProblem:
    """Which rows of blocks a solver separates.

    Attributes
    ----------
    positive : int
        Number of the class, or of the label, on the positive side.
    negative : int, default=-1
        Number of the class on the other side; -1 for all other rows.
    left_out : int, default=-1
        Fold whose rows do not count; -1 for none.
    C : float, default=1.0
        Weight of the losses.
    seed : int, default=0
        Of the random starts.
    start : SoftMarginResult, optional
        The hyperplane of a problem much like this one.
    sides : tuple of float, default=(1.0, 1.0)
        What the weights of the positive and of the negative rows are multiplied by.

    Examples
    --------
    >>> BlockProblem(positive=2).numbers, BlockProblem(positive=2, negative=0).numbers
    ((2, -1, -1), (2, 0, -1))
    """

    positive: int
    negative: int = -1
    left_out: int = -1
    C: float = 1.0
    seed: int = 0
    start: SoftMarginResult | None = None
    sides: tuple[float, float] = (1.0, 1.0)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three numbers that identify it in a pass."""
        return self.positive, self.negative, self.left_out


def solve_over_blocks(
    blocks: Blocks,
    summary: Summary,
    problems: Sequence[BlockProblem],
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    bound: str = "ball",
    seed: int = 0,
    n_threads: int = 1,
) -> list[SoftMarginResult]:
    """Minimise the soft-margin objectives of several problems on the same rows.

    Each problem is solved on a sample in memory first. From there quasi-Newton goes on with sums
    over all rows. Where few rows have a loss, those and the rows near the margin are gathered, the
    minimum on them is found in memory, and a pass over all rows checks that no other row has a
    loss there. One pass serves all problems.

    Parameters
    ----------
    blocks : Blocks
        Blocks of `ReadyBlock`.
    summary : Summary
    problems : sequence of BlockProblem
    tol, max_iter, bound
        As in `solve_soft_margin`.
    seed : int, default=0
        Seed of the sample.
    n_threads : int, default=1
        Problems that are solved side by side, between the passes.

    Returns
    -------
    results : list of SoftMarginResult

    Examples
    --------
    >>> from hyplane.blocks import MemoryBlocks
    >>> from hyplane.solvers import Summary, pack_block, ready_block
    >>> X = np.array([[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]])
    >>> blocks = MemoryBlocks(X, np.array(["b", "b", "a", "a"]), rows_per_block=3)
    >>> packed = blocks.prepared(pack_block)
    >>> summary = Summary.of(packed)
    >>> ready = packed.prepared(ready_block, summary.classes)
    >>> [result] = solve_over_blocks(ready, summary, [BlockProblem(positive=1)])
    >>> result.converged
    True
    """
    sample = BlockSample.draw(blocks, summary, seed)
    settings = _Settings(summary, tol, max_iter, bound, max(1, n_threads // len(problems)))
    many: dict[float, OneVsRest] = {}
    n_classes = 0 if summary.several else len(summary.classes)
    if n_classes >= MANY_CLASSES and np.bincount(sample.codes).min() <= LARGEST_CLASS:
        points = _polar_points(sample)
        Cs = {each.C for each in problems}
        many = {C: settings.one_vs_rest(points, sample, C) for C in Cs}
    together = min(len(problems), _together(summary) if many else _TOGETHER)
    solvers = (
        _OneProblem(sample, settings, problem, many.get(problem.C), together).solve()
        for problem in problems
    )
    return run_solvers(
        solvers,
        blocks,
        at_a_time=together,
        n_threads=n_threads,
        total=len(problems) if len(problems) >= MANY_CLASSES else 0,
    )


def _together(summary: Summary) -> int:
    """Return how many problems of many classes share a pass: more where they are smaller."""
    gathered = max(_FIRST_NEAR, _GATHERED * float(np.median(summary.counts)))
    return int(min(max(_NEAR_OF_MANY / gathered, _TOGETHER), _MOST_TOGETHER))


def _polar_points(sample: BlockSample) -> Points:
    """Return the rows of a sample, and one more at the largest radius."""
    radius, direction = core.polar(sample.points)
    return Points(
        np.append(radius, sample.largest_radius),
        np.vstack([direction, np.eye(direction.shape[1])[0]]),
    )


@dataclass(frozen=True)
class _Settings:
    summary: Summary
    tol: float
    max_iter: int
    bound: str
    n_threads: int  # for each problem

    def one_vs_rest(self, points: Points, sample: BlockSample, C: float) -> OneVsRest:
        """Return the problems of many classes on the sample."""
        weights = sample.weights * sample.stands_for
        return OneVsRest(
            points,
            np.append(sample.codes, 0),
            np.append(weights, 0.0),
            C=C,
            tol=self.tol,
            max_iter=self.max_iter,
            bound=self.bound,
        )


class _OneProblem:
    """One problem from the sample to its minimum on all rows."""

    def __init__(
        self,
        sample: BlockSample,
        settings: _Settings,
        problem: BlockProblem,
        many: OneVsRest | None,
        together: int,
    ) -> None:
        self.sample, self.settings, self.problem = sample, settings, problem
        if many is not None and (
            problem.negative >= 0
            or problem.left_out >= 0
            or len(many.rows_of(problem.positive)) > LARGEST_CLASS
        ):
            many = None
        self.many = many
        each = (_NEAR_OF_ALL if many is None else _NEAR_OF_MANY) // together
        self.most = max(_LEAST_NEAR, min(_MOST_NEAR, each))
        self.n_small = max(2 * _LEAST_NEAR, min(_SMALL, each))

    def solve(self) -> Solver[SoftMarginResult]:
        """Ask for what is needed, and return the result."""
        sample = self.sample
        if self.many is None:
            labels = sample.labels(self.problem.numbers)
            if not (labels > 0).any() or not (labels < 0).any():
                sign = 1 if (labels > 0).any() else -1
                return hyperplane_at_infinity(self.settings.summary.n_dim, sign)
        start = self._start()
        if sample.complete:
            return start
        near, n_losses = self._near_in_sample(start)
        few_parameters = len(start.normal) + 2 <= _FEW_PARAMETERS
        if few_parameters and n_losses <= min(_FEW_LOSSES, self.most):
            result = yield from self._by_near_rows(start, near, n_losses)
            if result is not None:
                return result
        return (yield from self._by_sums(start))

    def _start(self) -> SoftMarginResult:
        """Return the minimum on the sample."""
        sample, problem = self.sample, self.problem
        if self.many is not None:
            return self.many.solve(problem.positive, seed=problem.seed, start=problem.start)
        size = 2 * len(sample.rows) if sample.complete else _START
        return self._solved(self._rows_of(*sample.part(problem.numbers, size)), problem.start, None)

    def _near_in_sample(self, plane: SoftMarginResult) -> tuple[Ints, float]:
        """Return the rows of the sample that are near, and how many of all rows have a loss."""
        sample = self.sample
        line = np.array([self.problem.numbers], dtype=np.int32)
        [(near, products, n_with_loss)] = core.near_rows_of_block(
            sample.points,
            sample.codes,
            sample.folds,
            numbers_of(plane)[None],
            line,
            REACH,
            [len(sample.rows) if self.many is None else _NEAR_OF_SAMPLE],
        )
        losses = near[products < 1.0]
        n_losses = float(sample.stands_for[losses].sum())
        if self.many is None:  # then they are not needed, and there may be many
            near = near[:0].copy()
        return near, n_losses * n_with_loss / max(len(losses), 1)

    def _small(self, near: Ints) -> tuple[Ints, Array]:
        """Return a small part of the sample, and for how many rows each stands."""
        sample, many = self.sample, self.many
        if many is None:
            return sample.part(self.problem.numbers, self.n_small)
        # The rows of the class and the near ones as in the sample, and few of the others.
        m, k = len(sample.rows), self.problem.positive
        own = many.rows_of(k)
        kept = np.union1d(own[own < m], near)  # the last row is the farthest
        others = np.setdiff1d(np.arange(0, m, max(1, m // _OTHERS_OF_SAMPLE)), kept)
        stand_for = sample.stands_for[np.concatenate([kept, others])]
        stand_for[len(kept) :] *= (m - len(kept)) / max(len(others), 1)
        return np.concatenate([kept, others]), stand_for

    def _rows_of(self, places: Ints, stand_for: Array) -> Rows:
        """Return rows of the sample as a problem of the solver."""
        rows = self.sample.as_rows(self.problem.numbers, places, stand_for)
        return replace(rows, weights=self._sided(rows.labels, rows.weights))

    def _sided(self, labels: NDArray[np.int8], weights: Array) -> Array:
        positive, negative = self.problem.sides
        if positive == negative == 1.0:
            return weights
        return np.where(labels > 0, positive, negative) * weights

    def _solved(
        self, rows: Rows, start: SoftMarginResult | None, tuning: core.Tuning | None
    ) -> SoftMarginResult:
        settings = self.settings
        return solve_soft_margin(
            rows.packed,
            rows.labels,
            rows.weights,
            C=self.problem.C,
            tol=settings.tol,
            max_iter=settings.max_iter,
            seed=self.problem.seed,
            starts=[] if start is None else [start],
            bound=settings.bound,
            tuning=tuning,
            n_threads=settings.n_threads,
        )

    def _by_near_rows(
        self, start: SoftMarginResult, near_in_sample: Ints, n_losses: float
    ) -> Generator[Ask, Any, SoftMarginResult | None]:
        """Gather rows until no other one has a loss; None where there are too many."""
        result, n_evaluations, many = start, start.n_evaluations, self.many is not None
        working_set = WorkingSet(self.sample, self.problem.numbers, *self._small(near_in_sample))
        largest = len(working_set) + 3 * self.most
        for n_looks in range(_ROUNDS):
            most = self.most
            if many:  # so that all of them have room
                least = _LEAST_NEAR if n_looks else _FIRST_NEAR
                most = min(most, max(least, int(_NEAR_OF_A_LOSS * n_losses)))
            near = yield Ask(numbers_of(result), self.problem.numbers, REACH, most)
            n_losses = near.n_with_loss
            if n_losses > self.most and not many:
                return None
            if not working_set.take(near) and n_losses <= most:
                return replace(result, n_evaluations=n_evaluations)
            if len(working_set) > largest:
                return None
            del near  # memory: hundreds of other problems are waiting
            tuning = FOLLOW if many and n_looks >= _SEARCHED else _POLISH
            result = self._on_working_set(working_set, result, tuning)
            n_evaluations += result.n_evaluations
        return None

    def _on_working_set(
        self, working_set: WorkingSet, start: SoftMarginResult, tuning: core.Tuning
    ) -> SoftMarginResult:
        rows = working_set.rows(self._sided)
        if rows.points.far:  # their minima are close together: search anew
            return self._solved(rows, None, None)
        return self._solved(rows, start, tuning)

    def _by_sums(self, start: SoftMarginResult) -> Solver[SoftMarginResult]:
        """Descend by sums over all rows."""
        numbers, settings = self.problem.numbers, self.settings
        rows = self._rows_of(*self.sample.part(numbers, _ROWS_OF_CURVATURE * self.n_small))
        sides = self.problem.sides

        def compute(ask: Any) -> Any:
            def sums(log_scale: float, offset: float, normal: Array) -> Array:
                plane = np.array([log_scale, offset, *normal])
                answer: Array = ask(Ask(plane, numbers, sides=sides))
                return answer

            return core.descend(
                rows.points,
                rows.labels,
                rows.weights,
                self.problem.C,
                settings.tol,
                settings.max_iter,
                numbers_of(start)[None],
                sums,
                _DESCENT,
                beyond=BOUNDS[settings.bound],
            )

        solution = yield from asking_from_a_thread(compute)
        result = judged_result(
            solution,
            rows.points.largest_radius,
            rows.labels,
            rows.weights,
            C=self.problem.C,
            tol=settings.tol,
            bound=settings.bound,
        )
        return replace(result, n_evaluations=result.n_evaluations + start.n_evaluations)
