"""Binary problems and the solvers of them; two that find hyperplanes of hyperbolic space."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, Mask
from hyplane.solvers._explain import (
    COUNT,
    FAILURES,
    NUMBER,
    SEED,
    WORD,
    name_what_does_not_fit,
)
from hyplane.solvers.fitted import Hyperplanes
from hyplane.solvers.hard_margin import HardMarginResult, solve_hard_margin
from hyplane.solvers.points import Points
from hyplane.solvers.soft_margin import (
    SoftMarginResult,
    hyperplanes_of_folds,
    solve_soft_margin,
)

Data = TypeVar("Data")  # rows that ``data[rows]`` takes from: Points, or a matrix
Result = TypeVar("Result")

# Rounding leaves the proof of a hard margin about this uncertain at radius 18.
SMALLEST_GAP = 1e-6
_FEW_SCORES = 100_000
_KINDS = {
    "tol": NUMBER, "max_iter": COUNT, "bound": WORD, "n_threads": COUNT, "C": NUMBER, "seed": SEED,
}  # fmt: skip


@dataclass(frozen=True)
class BinaryProblem:
    """Rows to be told apart.

    Attributes
    ----------
    labels : ndarray of int8 of shape (m,)
        1, -1, or 0 for a row that does not count.
    rows : ndarray of int of shape (m,) or None
        Where these rows are in the data; None for all, in order.
    weights : ndarray of shape (m,) or None
        Weights of the rows; None where all are 1.
    name : str
        What is told from what, for messages.

    Examples
    --------
    >>> problem = BinaryProblem(np.array([1, 1, -1], dtype=np.int8))
    >>> problem.constant, problem.leaving_out(np.array([False, False, True])).constant
    (0, 1)
    """

    labels: NDArray[np.int8]
    rows: NDArray[np.int64] | None = None
    weights: Array | None = None
    name: str = "the problem"

    @cached_property
    def constant(self) -> int:
        """The label that all rows of a positive weight have; 0 where there are two."""
        counts = self.labels if self.weights is None else self.labels[self.weights > 0]
        return int((counts > 0).any()) - int((counts < 0).any())

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(len(self.labels) if self.weights is None else self.weights.sum())

    def of(self, data: Any) -> Any:
        """Return the rows of this problem from points or a matrix of all rows."""
        return data if self.rows is None else data[self.rows]

    def leaving_out(self, rows: Mask) -> Self:
        """Return the problem in which some rows do not count."""
        return replace(self, labels=np.where(rows, np.int8(0), self.labels))


@dataclass(frozen=True)
class BlockProblem:
    """Which rows of blocks are to be told apart.

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
        """The three numbers that the passes know it by."""
        return self.positive, self.negative, self.left_out


class BinarySolver(ABC, Generic[Data, Result]):
    """Fits binary problems and scores rows by the results.

    `fit` and `score` see the rows of one problem only; `solve` and `out_of_fold_scores` see the
    rows of all problems, and pick.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [0.6, 0.0], [-0.5, 0.2], [-0.6, 0.0]])
    >>> problem = BinaryProblem(np.array([1, 1, -1, -1], dtype=np.int8))
    >>> solver: BinarySolver = SoftMargin()
    >>> folds = np.array([0, 1, 0, 1])
    >>> solver.out_of_fold_scores(points, problem, folds, range(2), np.array([0.1, 1.0])).shape
    (4, 2)
    """

    @abstractmethod
    def fit(
        self,
        data: Data,
        problem: BinaryProblem,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[Result] = (),
    ) -> Result:
        """Fit the rows of a problem that has both labels.

        Parameters
        ----------
        data : points or matrix
            The rows of this problem.
        problem : BinaryProblem
        C : float
            Weight of the losses.
        seed : int, default=0
            Seed of whatever is random.
        starts : sequence of results, default=()
            Results of problems much like this one, where the solver can make use of them.

        Returns
        -------
        result
        """

    @abstractmethod
    def constant(self, data: Data, sign: int) -> Result:
        """Return the result of a constant label: the same decision everywhere."""

    @abstractmethod
    def score(self, results: Sequence[Result], data: Data) -> Array:
        """Score rows by several results, in shape (m, n_results); positive for the label 1."""

    def sharing_rows(self, n_threads: int) -> Self:
        """Return a solver of the same results that divides the rows among threads, if it can."""
        return self

    def solve(
        self,
        data: Data,
        problem: BinaryProblem,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[Result] = (),
    ) -> Result:
        """Fit a problem, constant labels included.

        Parameters
        ----------
        data : points or matrix
            The rows of all problems.
        problem : BinaryProblem
        C : float
        seed : int, default=0
        starts : sequence of results, default=()
            As in `fit`.

        Returns
        -------
        result
        """
        own = problem.of(data)
        if problem.constant:
            return self.constant(own, problem.constant)
        return self.fit(own, problem, C, seed=seed, starts=starts)

    def out_of_fold_scores(
        self,
        data: Data,
        problem: BinaryProblem,
        folds: NDArray[np.int64],
        which: Iterable[int],
        Cs: Array,
        *,
        seed: int = 0,
    ) -> Array:
        """Score rows by the fits, one per C, of the fold that leaves them out.

        Parameters
        ----------
        data : points or matrix
            The rows of all problems.
        problem : BinaryProblem
        folds : ndarray of int of shape (m,)
            For each row of the problem the fold that leaves it out.
        which : iterable of int
            The folds to work on.
        Cs : ndarray
            The grid. A fit is a start for the next C of its own fold, and of no other fold: those
            have seen the rows that this one leaves out.
        seed : int, default=0

        Returns
        -------
        scores : ndarray of shape (m, n_Cs)
            Rows of other folds are 0.
        """
        own: Any = problem.of(data)
        scores = np.zeros((len(folds), len(Cs)))
        for k in which:
            left_out = folds == k
            part = problem.leaving_out(left_out)
            results: list[Result] = []
            for C in Cs:
                results.append(self.fit(own, part, float(C), seed=seed, starts=results[-1:]))
            scores[left_out] = self.score(results, own[left_out])
        return scores


def scores_left_out(scores: Array, folds: NDArray[np.int64], which: Sequence[int]) -> Array:
    """Keep of the scores of each row those by the fits that left it out.

    Parameters
    ----------
    scores : ndarray of shape (m, n_folds * n_Cs)
        By the fits of the first fold, one for each C, then by those of the next.
    folds : ndarray of int of shape (m,)
        For each row the fold that leaves it out.
    which : sequence of int
        The folds that were fitted.

    Returns
    -------
    scores : ndarray of shape (m, n_Cs)
        Zero for rows of other folds.
    """
    by_fold = scores.reshape(len(folds), len(which), -1)
    found = np.zeros((len(folds), by_fold.shape[2]))
    for place, k in enumerate(which):
        found[folds == k] = by_fold[folds == k, place]
    return found


class _Hyperplanes(BinarySolver[Points, Result]):
    """What solvers have in common whose results are hyperplanes of hyperbolic space."""

    def score(self, results: Sequence[Any], data: Points) -> Array:
        """Return ``arsinh(w*x)``."""
        return data.scores(Hyperplanes.of_results(results))

    @contextmanager
    def _naming_arguments(self, **given: Any) -> Iterator[None]:
        """Say which argument is of a wrong kind: the compiled code answers with its signature."""
        try:
            yield
        except FAILURES as error:
            name_what_does_not_fit(error, _KINDS, {**vars(self), **given})
            raise


@dataclass(frozen=True)
class SoftMargin(_Hyperplanes[SoftMarginResult]):
    """The paper's soft margin: see `solve_soft_margin`.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
    >>> problem = BinaryProblem(np.array([1, -1], dtype=np.int8))
    >>> result = SoftMargin().solve(points, problem, C=1.0)
    >>> SoftMargin().score([result], points).shape
    (2, 1)
    """

    tol: float = 1e-6
    max_iter: int = 1000
    bound: str = "ball"
    n_threads: int = 1

    def sharing_rows(self, n_threads: int) -> Self:
        """Return the solver with this many threads for each problem."""
        return replace(self, n_threads=n_threads)

    def out_of_fold_scores(
        self,
        data: Points,
        problem: BinaryProblem,
        folds: NDArray[np.int64],
        which: Iterable[int],
        Cs: Array,
        *,
        seed: int = 0,
    ) -> Array:
        """Score rows by shorter searches without them, in one compiled call."""
        numbers = list(which)
        own = problem.of(data)
        with self._naming_arguments(seed=seed):
            planes = hyperplanes_of_folds(
                own,
                problem.labels,
                problem.weights,
                folds=folds,
                which=numbers,
                Cs=Cs,
                tol=self.tol,
                max_iter=self.max_iter,
                seed=seed,
                bound=self.bound,
                n_threads=self.n_threads,
            )
        if len(folds) * len(planes.offset) <= _FEW_SCORES:  # one call is faster then
            return scores_left_out(own.scores(planes), folds, numbers)
        scores = np.zeros((len(folds), len(Cs)))
        for place, k in enumerate(numbers):
            left_out = folds == k
            first, last = place * len(Cs), (place + 1) * len(Cs)
            part = Hyperplanes(*(each[first:last] for each in planes.arrays))
            scores[left_out] = own[left_out].scores(part)
        return scores

    def fit(
        self,
        data: Points,
        problem: BinaryProblem,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[SoftMarginResult] = (),
    ) -> SoftMarginResult:
        """Minimise the soft-margin objective."""
        with self._naming_arguments(C=C, seed=seed):
            return solve_soft_margin(
                data,
                problem.labels,
                problem.weights,
                C=C,
                tol=self.tol,
                max_iter=self.max_iter,
                seed=seed,
                starts=starts,
                bound=self.bound,
                n_threads=self.n_threads,
            )

    def constant(self, data: Points, sign: int) -> SoftMarginResult:
        """Return the hyperplane at infinity."""
        return hyperplane_at_infinity(data.n_dim, sign)


@dataclass(frozen=True)
class HardMargin(_Hyperplanes[HardMarginResult | SoftMarginResult]):
    """The hard margin, which has no C: see `solve_hard_margin`.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.0], [-0.5, 0.0]])
    >>> problem = BinaryProblem(np.array([1, -1], dtype=np.int8))
    >>> round(HardMargin().fit(points, problem).margin, 4)
    1.0986
    """

    tol: float = 1e-6
    max_iter: int = 1000

    def fit(
        self,
        data: Points,
        problem: BinaryProblem,
        C: float = np.inf,
        *,
        seed: int = 0,
        starts: Sequence[Any] = (),
    ) -> HardMarginResult:
        """Find the hyperplane of largest margin."""
        try:
            with self._naming_arguments():
                return solve_hard_margin(
                    data.radius,
                    data.direction,
                    problem.labels,
                    tol=max(self.tol, SMALLEST_GAP),
                    max_iter=self.max_iter,
                )
        except ValueError as error:
            raise ValueError(f"{problem.name}: {error}") from error

    def constant(self, data: Points, sign: int) -> SoftMarginResult:
        """Return the hyperplane at infinity."""
        return hyperplane_at_infinity(data.n_dim, sign)


def hyperplane_at_infinity(n_dim: int, sign: int) -> SoftMarginResult:
    """Return the result for a constant label: every point is on the same side.

    Parameters
    ----------
    n_dim : int
    sign : {1, -1}

    Returns
    -------
    result : SoftMarginResult
        With an infinite offset.

    Examples
    --------
    >>> hyperplane_at_infinity(2, -1).offset
    -inf
    """
    return SoftMarginResult(
        log_scale=0.0,
        offset=sign * np.inf,
        normal=np.eye(n_dim)[0],
        objective=0.0,
        n_iter=1,
        n_evaluations=0,
        converged=True,
        reason="the label is constant",
    )
