"""What every solver of binary problems can do."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.solvers.result import Hyperplanes, hyperplane_at_infinity
from hyplane.solvers.rows import BinaryRows, Points

Data = TypeVar("Data")  # Points, or a matrix
Result = TypeVar("Result")


class BinarySolver(ABC, Generic[Data, Result]):
    """Fits binary problems and scores rows by the results.

    Examples
    --------
    >>> from hyplane.solvers import SoftMargin
    >>> points = Points.from_chart([[0.5, 0.1], [0.6, 0.0], [-0.5, 0.2], [-0.6, 0.0]])
    >>> solver: BinarySolver = SoftMargin()
    >>> result = solver.fit(points, np.array([1, 1, -1, -1], dtype=np.int8), None, C=1.0)
    >>> solver.score([result], points).shape
    (4, 1)
    """

    @abstractmethod
    def fit(
        self,
        data: Data,
        labels: NDArray[np.int8],
        weights: Array | None,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[Result] = (),
    ) -> Result:
        """Fit rows of both labels.

        Parameters
        ----------
        data : Points or matrix
        labels : ndarray of int8 of shape (m,)
            1, -1, or 0 for a row that does not count.
        weights : ndarray of shape (m,) or None
            Weights of the rows; None where all are 1.
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

    def out_of_fold_scores(
        self, rows: BinaryRows, which: Sequence[int], Cs: Array, *, seed: int = 0
    ) -> Array:
        """Score each row by the fits, one per C, that leave its fold out.

        A fit is a start for the next C of its own fold. It is none for another fold, whose rows it
        has seen. The result is of shape (m, n_Cs); rows of folds that are not in `which` are 0.
        """
        data: Any = rows.data
        assert rows.folds is not None
        scores = np.zeros((len(rows.labels), len(Cs)))
        for k in which:
            left_out = rows.folds == k
            labels = np.where(left_out, np.int8(0), rows.labels)
            results: list[Result] = []
            for C in Cs:
                results.append(
                    self.fit(data, labels, rows.weights, float(C), seed=seed, starts=results[-1:])
                )
            scores[left_out] = self.score(results, data[left_out])
        return scores


class HyperplaneSolver(BinarySolver[Points, Result]):
    """A solver whose results are hyperplanes of hyperbolic space."""

    def constant(self, data: Points, sign: int) -> Any:
        """Return the hyperplane at infinity."""
        return hyperplane_at_infinity(data.n_dim, sign)

    def score(self, results: Sequence[Any], data: Points) -> Array:
        """Return ``arsinh(w*x)``."""
        return data.scores(Hyperplanes.of_results(results))
