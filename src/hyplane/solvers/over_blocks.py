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
    next pass checks that no other row has a loss. Where many have one and radii vary widely,
    several descents from perturbed hyperplanes follow, side by side, until none ends lower.
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
                asking = [(s.problem, d) for s in searches.values() for d in s.open_descents]
                descents = [descent for _, descent in asking]
                list(pool.map(core.Descent.tell, descents, _one_pass(rows, asking)))
                list(pool.map(_Search.go_on, searches.values()))
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
        self.descents: list[core.Descent] = []
        self.best: SoftMarginResult | None = None
        self.result: SoftMarginResult | None = None

    @property
    def open_descents(self) -> list[core.Descent]:
        """The descents that wait for a pass."""
        return [descent for descent in self.descents if not descent.done]

    def begin(self) -> None:
        """Solve the problem on the sample, unless that was done."""
        if self.descents or self.result is not None:
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
            self.descents = [self._descent(found, self.n_working)]

    def go_on(self) -> None:
        """Where all descents have ended, begin others or end the search."""
        if self.open_descents:
            return
        found = min(map(self._result_of, self.descents), key=lambda result: result.objective)
        self.n_evaluations += sum(descent.result()[5] for descent in self.descents)
        lower = self.best is None or found.objective < self.best.objective * (1 - self.solver.tol)
        if self.best is None or found.objective < self.best.objective:
            self.best = found
        n_perturbed = self.descents[0].n_perturbed
        if lower and n_perturbed:
            seeds = range(self.n_evaluations, self.n_evaluations + n_perturbed)
            n_working = max(1, self.n_working // n_perturbed)
            self.descents = [self._descent(self.best, n_working, seed) for seed in seeds]
        else:
            self.result = replace(self.best, n_evaluations=self.n_evaluations)

    def _descent(
        self, start: SoftMarginResult, n_working: int, seed: int | None = None
    ) -> core.Descent:
        own, solver = self.own, self.solver
        assert own.weights is not None
        return core.Descent(
            own.data.packed,
            own.labels,
            own.weights,
            self.C,
            plane_array(start)[None],
            solver.tol,
            solver.max_iter,
            n_working,
            BOUNDS[solver.bound],
            seed,
        )

    def _result_of(self, descent: core.Descent) -> SoftMarginResult:
        own, solver = self.own, self.solver
        return soft_margin_result(
            descent.result(),
            own.data.largest_radius,
            own.labels,
            own.weights,
            C=self.C,
            tol=solver.tol,
            bound=solver.bound,
        )


def _part(sample: Rows, problem: BinaryProblem, size: int | None) -> BinaryRows:
    """Return rows of a sample for one problem, about `size` of them, half positive if possible."""
    assert sample.weights is not None
    labels = problem.labels(sample.codes, sample.folds)
    sides = [np.flatnonzero(labels == sign) for sign in (1, -1)]
    rare = min(len(side) for side in sides)
    chosen, weights = [], []
    for side in sides:
        most = len(side)
        if size is not None:
            most = size // 2 if len(side) == rare else size - min(rare, size // 2)
        kept, stand_for = _thinned(sample.weights[side], most)
        chosen.append(side[kept])
        weights.append(stand_for)
    places = np.concatenate(chosen)
    data = sample.take(places).data
    data.set_largest_radius(sample.data.largest_radius)
    own = labels[places]
    return BinaryRows(data, own, problem.weights(own, np.concatenate(weights)))


def _thinned(weights: Array, most: int) -> tuple[NDArray[np.intp], Array]:
    """Return about so many rows, in proportion to their weights, and for what each stands."""
    if len(weights) <= most:
        return np.arange(len(weights)), weights
    share = np.minimum(weights * (most / weights.sum()), 1.0)
    kept = np.flatnonzero(np.diff(np.floor(np.cumsum(share) + 0.5), prepend=0.0))
    return kept, weights[kept] / share[kept]


def _one_pass(
    rows: OutOfCoreRows, asking: Sequence[tuple[BinaryProblem, core.Descent]]
) -> Iterable[Array]:
    """Return what all rows answer to the question of each descent."""
    questions = np.array([descent.ask() for _, descent in asking])
    asked = [problem for problem, _ in asking]
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
