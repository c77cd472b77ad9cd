"""The soft margin on rows that are read block by block."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.native import core
from hyplane.out_of_core import Blocks
from hyplane.solvers import tuning
from hyplane.solvers.block_samples import BlockSample
from hyplane.solvers.block_summary import Summary
from hyplane.solvers.fitted import (
    SoftMarginResult,
    hyperplane_at_infinity,
    judged_result,
    numbers_of,
)
from hyplane.solvers.ready_blocks import ReadyBlock
from hyplane.solvers.soft_margin import BOUNDS, solve_soft_margin

_OF_A_SAMPLE = "rows beyond radius 80 are read block by block: the hyperplane is that of a sample"


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

    Each problem is solved on a sample in memory first. Its descent then asks for passes over all
    rows, and one pass answers the questions of all problems. Where few rows have a loss, a pass
    gathers these and the rows nearest to having one, and the descent goes on in memory until the
    next pass checks that no other row has a loss.

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
    >>> from hyplane.out_of_core import MemoryBlocks
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
    together = min(len(problems), tuning.PROBLEMS_TOGETHER)
    n_working = tuning.WORKING_ROWS // max(together, 128)
    settings = _Settings(summary, tol, max_iter, bound, max(1, n_threads // len(problems)))
    results: dict[int, SoftMarginResult] = {}
    searches: dict[int, _Search] = {}
    upcoming = iter(enumerate(problems))

    with ThreadPoolExecutor(n_threads) as pool:
        while True:
            for k, problem in islice(upcoming, together - len(searches)):
                searches[k] = _Search(sample, settings, problem, n_working)
            list(pool.map(_Search.start, searches.values()))
            ended = [k for k, search in searches.items() if search.done]
            for k in ended:
                results[k] = searches.pop(k).result()
            if len(problems) >= tuning.MANY_CLASSES:
                blocks.tell(f"{len(results)} of {len(problems)} problems solved")
            if ended:
                continue  # the next ones begin before the pass
            if not searches:
                return [results[k] for k in sorted(results)]
            waiting = list(searches.values())
            list(pool.map(_Search.tell, waiting, _one_pass(blocks, waiting)))


@dataclass(frozen=True)
class _Settings:
    summary: Summary
    tol: float
    max_iter: int
    bound: str
    n_threads: int  # for each problem


class _Search:
    """One problem on its way from the sample to its minimum on all rows."""

    def __init__(
        self, sample: BlockSample, settings: _Settings, problem: BlockProblem, n_working: int
    ) -> None:
        self.sample, self.settings, self.problem = sample, settings, problem
        self.n_working = n_working
        self.descent: core.Descent | None = None
        self.found: SoftMarginResult | None = None

    @property
    def done(self) -> bool:
        return self.found is not None or (self.descent is not None and self.descent.done)

    def start(self) -> None:
        """Solve the problem on the sample, unless that was done."""
        if self.descent is not None or self.found is not None:
            return
        sample, settings, problem = self.sample, self.settings, self.problem
        labels = sample.labels(problem.numbers)
        if not (labels > 0).any() or not (labels < 0).any():
            sign = 1 if (labels > 0).any() else -1
            self.found = hyperplane_at_infinity(settings.summary.n_dim, sign)
            return
        size = 2 * len(sample.rows) if sample.complete else tuning.SAMPLE_ROWS
        rows = sample.as_rows(problem.numbers, *sample.part(problem.numbers, size))
        weights = self._weights(rows.labels, rows.weights)
        self.of_sample = solve_soft_margin(
            rows.packed,
            rows.labels,
            weights,
            C=problem.C,
            tol=settings.tol,
            max_iter=settings.max_iter,
            seed=problem.seed,
            starts=[] if problem.start is None else [problem.start],
            bound=settings.bound,
            n_threads=settings.n_threads,
        )
        if sample.complete:
            self.found = self.of_sample
            return
        if rows.points.far:
            self.found = replace(self.of_sample, converged=False, reason=_OF_A_SAMPLE)
            return
        self.rows, self.weights = rows, weights
        self.descent = core.Descent(
            rows.points,
            rows.labels,
            weights,
            problem.C,
            numbers_of(self.of_sample)[None],
            settings.tol,
            settings.max_iter,
            self.n_working,
            BOUNDS[settings.bound],
        )

    def tell(self, answer: Array) -> None:
        """Take what a pass over all rows answered."""
        assert self.descent is not None
        self.descent.tell(answer)

    def result(self) -> SoftMarginResult:
        """Return the minimum on all rows."""
        if self.found is not None:
            return self.found
        assert self.descent is not None
        result = judged_result(
            self.descent.result(),
            self.rows.points.largest_radius,
            self.rows.labels,
            self.weights,
            C=self.problem.C,
            tol=self.settings.tol,
            bound=self.settings.bound,
        )
        return replace(result, n_evaluations=result.n_evaluations + self.of_sample.n_evaluations)

    def _weights(self, labels: NDArray[np.int8], weights: Array) -> Array:
        positive, negative = self.problem.sides
        if positive == negative == 1.0:
            return weights
        return np.where(labels > 0, positive, negative) * weights


def _one_pass(blocks: Blocks, searches: Sequence[_Search]) -> Iterable[Array]:
    """Return what all rows answer to the question of each search."""
    questions = np.array([search.descent.ask() for search in searches if search.descent])
    problems = np.array([search.problem.numbers for search in searches], dtype=np.int32)
    sides = np.array([search.problem.sides for search in searches])
    weights = None if (sides == 1.0).all() else sides
    answers: list[Array] = []
    for part in blocks.map(_passes_of_block, questions, problems, weights):
        if not answers:
            answers = part
        elif part:
            both = zip(answers, part, questions, strict=True)
            answers = [core.merge_passes(*each) for each in both]
    return answers


def _passes_of_block(
    block: ReadyBlock, questions: Array, problems: NDArray[np.int32], sides: Array | None
) -> list[Array]:
    if block.points is None:
        return []
    return core.passes_of_block(
        block.points, block.codes, block.weights, block.folds, questions, problems, sides
    )
