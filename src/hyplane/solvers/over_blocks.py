"""The soft margin on rows that are read block by block."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.native import core
from hyplane.solvers import tuning
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.result import (
    SoftMarginResult,
    hyperplane_at_infinity,
    plane_array,
    soft_margin_result,
)
from hyplane.solvers.rows import BinaryProblem, BinaryRows, Rows
from hyplane.solvers.soft_margin import BOUNDS, SoftMargin, weight_exponent


def solve_over_blocks(
    solver: SoftMargin,
    rows: OutOfCoreRows,
    problems: Sequence[BinaryProblem],
    Cs: Sequence[float],
    *,
    seed: int = 0,
    starts: Sequence[SoftMarginResult] | None = None,
) -> list[SoftMarginResult]:
    """Minimise the soft-margin objectives of several problems on the same rows.

    Each problem is solved on a sample in memory first. Its descent then asks for passes over all
    rows, and one pass answers the questions of all problems. Where few rows have a loss, a pass
    gathers these and the rows nearest to having one, and the descent goes on in memory until the
    next pass checks that no other row has a loss.
    """
    together = min(len(problems), tuning.PROBLEMS_TOGETHER)
    n_working = tuning.WORKING_ROWS // max(together, 128)
    alone = solver.sharing_rows(max(1, solver.n_threads // max(1, len(problems))))
    results: dict[int, Any] = {}
    searches: dict[int, _Search] = {}
    upcoming = iter(enumerate(problems))

    _ = rows.sample  # drawn once, before threads ask for it
    with ThreadPoolExecutor(solver.n_threads) as pool:
        while len(results) < len(problems):
            for k, problem in islice(upcoming, together - len(searches)):
                start = [] if starts is None else [starts[k]]
                searches[k] = _Search(alone, rows, problem, float(Cs[k]), seed, start, n_working)
            list(pool.map(_Search.begin, searches.values()))
            ended = [k for k, search in searches.items() if search.result is not None]
            results |= {k: searches.pop(k).result for k in ended}
            if len(problems) >= tuning.MANY_CLASSES:
                rows.blocks.tell(f"{len(results)} of {len(problems)} problems solved")
            if searches and not ended:  # else the next ones begin before the pass
                waiting = list(searches.values())
                list(pool.map(_Search.tell, waiting, _one_pass(rows, waiting)))
    return [results[k] for k in range(len(problems))]


class _Search:
    """One problem on its way from the sample to its minimum on all rows."""

    def __init__(
        self,
        solver: SoftMargin,
        rows: OutOfCoreRows,
        problem: BinaryProblem,
        C: float,
        seed: int,
        starts: list[SoftMarginResult],
        n_working: int,
    ) -> None:
        self.solver, self.rows, self.seed, self.starts = solver, rows, seed, starts
        self.n_working = n_working
        # Weights of ordinary size for the passes; the rest goes into C.
        exponent = weight_exponent(rows.summary.largest_weight * max(problem.side_weights))
        positive, negative = np.ldexp(problem.side_weights, -exponent).tolist()
        self.problem = replace(problem, side_weights=(positive, negative))
        self.C = float(np.ldexp(C, exponent))
        self.descent: core.Descent | None = None
        self.result: SoftMarginResult | None = None

    def begin(self) -> None:
        """Solve the problem on the sample, unless that was done."""
        if self.descent is not None or self.result is not None:
            return
        sample, solver = self.rows.sample, self.solver
        complete = len(sample) == self.rows.summary.n_counted
        self.own = own = _part(sample, self.problem, None if complete else tuning.SAMPLE_ROWS)
        if own.constant:
            self.result = hyperplane_at_infinity(self.rows.n_dim, own.constant)
            return
        found = solver.fit(
            own.data, own.labels, own.weights, self.C, seed=self.seed, starts=self.starts
        )
        self.n_evaluations = found.n_evaluations
        if complete:
            self.result = found
        elif own.data.packed.far:
            reason = "rows beyond radius 80 are read block by block: this is the fit of a sample"
            self.result = replace(found, converged=False, reason=reason)
        else:
            assert own.weights is not None
            self.descent = core.Descent(
                own.data.packed,
                own.labels,
                own.weights,
                self.C,
                plane_array(found)[None],
                solver.tol,
                solver.max_iter,
                self.n_working,
                BOUNDS[solver.bound],
            )
            self._end_if_done()

    def tell(self, answer: Array) -> None:
        """Take what a pass over all rows answered."""
        assert self.descent is not None
        self.descent.tell(answer)
        self._end_if_done()

    def _end_if_done(self) -> None:
        if self.descent is None or not self.descent.done:
            return
        solver, own = self.solver, self.own
        result = soft_margin_result(
            self.descent.result(),
            own.data.largest_radius,
            own.labels,
            own.weights,
            C=self.C,
            tol=solver.tol,
            bound=solver.bound,
        )
        n_evaluations = result.n_evaluations + self.n_evaluations
        self.result = replace(result, n_evaluations=n_evaluations)


def _part(sample: Rows, problem: BinaryProblem, size: int | None) -> BinaryRows:
    """Return rows of a sample for one problem, about `size` of them, half positive if possible."""
    labels = problem.labels(sample.codes, sample.folds)
    sides = [np.flatnonzero(labels == sign) for sign in (1, -1)]
    rare = min(len(side) for side in sides)
    chosen, factors = [], []
    for side in sides:
        step = 1
        if size is not None:
            most = size // 2 if len(side) == rare else size - min(rare, size // 2)
            step = max(1, -(-len(side) // max(most, 1)))
        chosen.append(side[::step])
        factors.append(np.full(len(chosen[-1]), len(side) / max(len(chosen[-1]), 1)))
    places = np.concatenate(chosen)
    part = sample.take(places)
    part.data.set_largest_radius(sample.data.largest_radius)
    assert part.weights is not None
    weights = np.concatenate(factors) * part.weights
    return BinaryRows(part.data, labels[places], problem.weights(labels[places], weights))


def _one_pass(rows: OutOfCoreRows, searches: Sequence[_Search]) -> Iterable[Array]:
    """Return what all rows answer to the question of each search."""
    questions = np.array([search.descent.ask() for search in searches if search.descent])
    asked = [search.problem for search in searches]
    problems = np.array([(p.positive, p.negative, p.left_out) for p in asked], dtype=np.int32)
    sides = np.array([p.side_weights for p in asked])
    parts = rows.map(_answers, questions, problems, None if (sides == 1.0).all() else sides)
    answers = next(parts)
    for part in parts:
        pairs = zip(answers, part, questions, strict=True)
        answers = [core.merge_passes(*pair) for pair in pairs]
    return answers


def _answers(
    rows: Rows, questions: Array, problems: NDArray[np.int32], sides: Array | None
) -> list[Array]:
    return core.passes_of_block(
        rows.data.packed, rows.codes, rows.weights, rows.folds, questions, problems, sides
    )
