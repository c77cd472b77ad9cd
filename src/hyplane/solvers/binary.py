"""What a binary problem is, and what every solver of one can do."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, Mask
from hyplane.solvers.fitted import Hyperplanes, hyperplane_at_infinity
from hyplane.solvers.points import Points

Data = TypeVar("Data")  # rows that ``data[rows]`` takes from: Points, or a matrix
Result = TypeVar("Result")


@dataclass(frozen=True)
class BinaryProblem:
    """Rows of two classes that a solver separates.

    Attributes
    ----------
    labels : ndarray of int8 of shape (m,)
        1, -1, or 0 for a row that does not count.
    rows : ndarray of int of shape (m,) or None
        Where these rows are in the data; None for all, in order.
    weights : ndarray of shape (m,) or None
        Weights of the rows; None where all are 1.
    name : str
        What the problem separates, for messages.

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
        return int(counts.max(initial=0) > 0) - int(counts.min(initial=0) < 0)

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


class BinarySolver(ABC, Generic[Data, Result]):
    """Fits binary problems and scores rows by the results.

    `fit` and `score` take the rows of one problem; `solve` and `out_of_fold_scores` take the rows
    of all problems and select those of theirs.

    Examples
    --------
    >>> from hyplane.solvers import SoftMargin
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
        """Score each row by the fits, one per C, that leave it out.

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
            The grid. A fit is a start for the next C of its own fold. It is none for another fold,
            whose rows it has seen.
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
    """For each row, keep the scores by the fits that left it out.

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
    place = np.full(max(int(folds.max()), *which) + 1, -1)
    place[list(which)] = np.arange(len(which))
    own = place[folds]
    found = by_fold[np.arange(len(folds)), own]
    found[own < 0] = 0.0
    return np.asarray(found)


class HyperplaneSolver(BinarySolver[Points, Result]):
    """A solver whose results are hyperplanes of hyperbolic space."""

    def constant(self, data: Points, sign: int) -> Any:
        """Return the hyperplane at infinity."""
        return hyperplane_at_infinity(data.n_dim, sign)

    def score(self, results: Sequence[Any], data: Points) -> Array:
        """Return ``arsinh(w*x)``."""
        return data.scores(Hyperplanes.of_results(results))
