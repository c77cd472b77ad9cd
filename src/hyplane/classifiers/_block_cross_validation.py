"""The paper's procedure on rows read block by block: folds, choice of C, sigmoid, refit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hyplane._utils.typing import Array
from hyplane.classifiers._calibration import SMALLEST_SLOPE, fit_sigmoid
from hyplane.classifiers._cross_validation import Selection, choose, middle_of
from hyplane.classifiers._fold_scores import FoldScores, Histogram, histograms, sigmoid_sums
from hyplane.classifiers._score_functions import SCORE_FUNCTIONS
from hyplane.out_of_core import Blocks
from hyplane.solvers import (
    BlockProblem,
    BlockSample,
    Hyperplanes,
    SoftMargin,
    SoftMarginResult,
    Summary,
    solve_over_blocks,
)

# Newton's method begins at the sigmoid of a histogram, where two or three steps are enough.
_NEWTON_STEPS = 20
# Histograms of 8192 bins tell differences from about this size on: see the tests.
EQUAL_IN_BINS = 1e-5
_PREDICTED = 1e-14


@dataclass(frozen=True)
class BlockProcedure:
    """The procedure with its settings, for blocks that have folds.

    Attributes
    ----------
    solver : SoftMargin
        Only its ``tol``, ``max_iter``, ``bound`` and ``n_threads`` are used.
    blocks : Blocks
        Blocks of `ReadyBlock` with folds.
    summary : Summary
    n_folds : int
    Cs : ndarray
        The grid.
    scoring : str
        A name of `hyplane.metrics.METRICS`.
    score_function : {"auto", "minkowski", "klein"}
    seed : int
        Seed of the samples.
    unit : float, default=1.0
        What the weights of the blocks are to be multiplied by.
    """

    solver: SoftMargin
    blocks: Blocks
    summary: Summary
    n_folds: int
    Cs: Array
    scoring: str
    score_function: str
    seed: int
    unit: float = 1.0

    def run(self, problems: Sequence[BlockProblem]) -> list[Selection[SoftMarginResult]]:
        """Choose C for every problem, calibrate and refit.

        Parameters
        ----------
        problems : sequence of BlockProblem
            Without C.

        Returns
        -------
        selections : list of Selection

        Notes
        -----
        All problems and folds share the passes of one C, and a fit is a start for the next C of its
        own fold. A problem that has a single row on one side takes the middle C, and its sigmoid
        rests on the scores of the training rows.
        """
        divided = [self._fewest_rows(problem) >= 2 for problem in problems]
        middle = middle_of(self.Cs)
        left_out = self._fits_of_folds(
            [problem for problem, each in zip(problems, divided, strict=True) if each]
        )
        whole = self._solve(
            [
                replace(problem, C=middle)
                for problem, each in zip(problems, divided, strict=True)
                if not each
            ]
        )
        columns = _Columns([], [], [], [], [[] for _ in range(self.n_folds)])
        fits, single = iter(left_out), iter(whole)
        for number, problem in enumerate(problems):
            grid = self.Cs if divided[number] else [middle]
            by_C = next(fits) if divided[number] else [[next(single)] * self.n_folds]
            for name in self._names if divided[number] else self._names[:1]:
                for C, of_folds in zip(grid, by_C, strict=True):
                    columns.add(number, float(C), name, problem, of_folds)
        return self._select(problems, divided, columns)

    @property
    def _names(self) -> tuple[str, ...]:
        return SCORE_FUNCTIONS if self.score_function == "auto" else (self.score_function,)

    def _fewest_rows(self, problem: BlockProblem) -> int:
        counts = self.summary.counts
        positive = int(counts[problem.positive])
        others = int(counts.sum()) - positive
        return min(positive, others if problem.negative < 0 else int(counts[problem.negative]))

    def _solve(self, problems: Sequence[BlockProblem]) -> list[SoftMarginResult]:
        if not problems:
            return []
        return solve_over_blocks(
            self.blocks,
            self.summary,
            [replace(each, C=each.C * self.unit) for each in problems],
            seed=self.seed,
            **vars(self.solver),
        )

    def _fits_of_folds(
        self, problems: Sequence[BlockProblem]
    ) -> list[list[list[SoftMarginResult]]]:
        """Return for each problem, each C and each fold the fit without that fold."""
        asked = [
            replace(problem, left_out=fold) for problem in problems for fold in range(self.n_folds)
        ]
        found: list[list[SoftMarginResult]] = []
        for C in self.Cs:
            found.append(self._solve([replace(each, C=float(C)) for each in asked]))
            asked = [replace(each, start=fit) for each, fit in zip(asked, found[-1], strict=True)]
        return [
            [fits[k * self.n_folds : (k + 1) * self.n_folds] for fits in found]
            for k in range(len(problems))
        ]

    def _select(
        self, problems: Sequence[BlockProblem], divided: Sequence[bool], columns: "_Columns"
    ) -> list[Selection[SoftMarginResult]]:
        scorer = columns.scorer
        sample = BlockSample.draw(self.blocks, self.summary, self.seed)
        counted = [each.times(self.unit) for each in histograms(self.blocks, sample, scorer)]
        values = np.array([each.metric(self.scoring) for each in counted])
        n_Cs = len(self.Cs)
        chosen, told = [], []
        for number in range(len(problems)):
            own = columns.of(number)
            if not divided[number]:
                chosen.append(own[0])
                told.append(np.full(n_Cs, np.nan))
                continue
            by_name = values[own].reshape(-1, n_Cs)
            which, best = choose(self.Cs, by_name, EQUAL_IN_BINS)
            chosen.append(own[which * n_Cs + best])
            told.append(by_name[which])
        results = self._solve(
            [
                replace(problem, C=columns.Cs[column])
                for problem, column in zip(problems, chosen, strict=True)
            ]
        )
        sigmoids = self._sigmoids(scorer.taking(chosen), [counted[column] for column in chosen])
        return [
            Selection(
                result,
                columns.Cs[column],
                cv_scores,
                self.n_folds if each else 0,
                (float(slope), float(intercept)),
                columns.names[column],
            )
            for result, column, cv_scores, each, (slope, intercept) in zip(
                results, chosen, told, divided, sigmoids, strict=True
            )
        ]

    def _sigmoids(self, scorer: FoldScores, counted: Sequence[Histogram]) -> Array:
        """Fit Platt's sigmoids: to the histograms first, then by Newton steps on all rows."""
        at = np.array([fit_sigmoid(*each.as_rows) for each in counted])
        positive = np.array([each.positive.sum() for each in counted])
        negative = np.array([each.negative.sum() for each in counted])
        targets = np.array([(positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0)]).T
        # The flattest sigmoid that is allowed is no minimum: it stays as the histogram gave it.
        moving = at[:, 0] * [each.spread for each in counted] > 1.01 * SMALLEST_SLOPE
        best, lowest = at.copy(), np.full(len(at), np.inf)
        for _ in range(_NEWTON_STEPS):
            if not moving.any():
                break
            value, g_slope, g_both, h_slope, h_cross, h_both = sigmoid_sums(
                self.blocks, scorer, at, targets
            ).T
            lower = moving & (value < lowest)
            best[lower], lowest[lower] = at[lower], value[lower]
            determinant = h_slope * h_both - h_cross**2
            with np.errstate(divide="ignore", invalid="ignore"):
                step = np.array(
                    [
                        -(h_both * g_slope - h_cross * g_both) / determinant,
                        -(h_slope * g_both - h_cross * g_slope) / determinant,
                    ]
                ).T
            predicted = -(g_slope * step[:, 0] + g_both * step[:, 1])
            moving = lower & (predicted > _PREDICTED * value) & np.isfinite(step).all(axis=1)
            at = np.where(moving[:, None], at + step, best)
        return best


@dataclass(frozen=True)
class _Columns:
    """One column for each problem, score function and C."""

    numbers: list[int]
    Cs: list[float]
    names: list[str]
    sides: list[tuple[int, int]]
    fits: list[list[SoftMarginResult]]  # of each fold

    def add(
        self,
        number: int,
        C: float,
        name: str,
        problem: BlockProblem,
        of_folds: Sequence[SoftMarginResult],
    ) -> None:
        """Add a column."""
        self.numbers.append(number)
        self.Cs.append(C)
        self.names.append(name)
        self.sides.append((problem.positive, problem.negative))
        for fits, fit in zip(self.fits, of_folds, strict=True):
            fits.append(fit)

    def of(self, number: int) -> list[int]:
        """Return the columns of a problem."""
        return [column for column, each in enumerate(self.numbers) if each == number]

    @property
    def scorer(self) -> FoldScores:
        """What scores the rows."""
        return FoldScores(
            [Hyperplanes.of_results(fits) for fits in self.fits],
            self.sides,
            [name != SCORE_FUNCTIONS[0] for name in self.names],
        )
