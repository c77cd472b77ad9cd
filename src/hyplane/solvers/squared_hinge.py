"""The linear SVM of Euclidean space with the squared hinge: the paper's baseline."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.native import convex
from hyplane.solvers.binary import BinaryProblem, BinarySolver, scores_left_out


class SquaredHinge(BinarySolver[Array, Array]):
    """Fits lines ``w·(x, 1)``; a result is the vector w, its last number the bias.

    The same minimum as ``sklearn.svm.LinearSVC(dual=False)``. All folds and all C of a problem are
    one compiled call, since an experiment has a hundred thousand fits of a few hundred rows.

    Examples
    --------
    >>> problem = BinaryProblem(np.array([1, -1], dtype=np.int8))
    >>> SquaredHinge().solve(np.array([[1.0], [-1.0]]), problem, C=1.0).round(6) + 0.0
    array([0.8, 0. ])
    """

    def fit(
        self,
        data: Array,
        problem: BinaryProblem,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[Array] = (),
    ) -> Array:
        """Minimise ``½|w|² + C Σ c max(0, 1 - y w·(x, 1))²``."""
        return np.asarray(_solve(data, problem, np.full((1, len(data)), C))[0])

    def constant(self, data: Array, sign: int) -> Array:
        """Return a line without direction: the sigmoid alone decides."""
        return np.zeros(data.shape[1] + 1)

    def score(self, results: Sequence[Array], data: Array) -> Array:
        """Return ``w·(x, 1)``."""
        return np.asarray(_with_ones(data) @ np.asarray(results).T)

    def out_of_fold_scores(
        self,
        data: Array,
        problem: BinaryProblem,
        folds: NDArray[np.int64],
        which: Iterable[int],
        Cs: Array,
        *,
        seed: int = 0,
    ) -> Array:
        """Score rows by the fits of the fold that leaves them out, all solved at once."""
        numbers, own = list(which), problem.of(data)
        kept = np.repeat(folds != np.array(numbers)[:, None], len(Cs), axis=0)
        w = _solve(own, problem, kept * np.tile(Cs, len(numbers))[:, None])
        return scores_left_out(self.score(list(w), own), folds, numbers)


def _solve(X: Array, problem: BinaryProblem, C: Array) -> Array:
    """Solve a fit for each row of C, the weight of each row of X, by Newton's method.

    The objective is strictly convex and piecewise quadratic: the steps end at the exact minimum
    once the rows inside the margin stay the same.
    """
    weights = C * np.abs(problem.labels) * (1.0 if problem.weights is None else problem.weights)
    Z = _with_ones(X) * problem.labels[:, None]
    w = convex.squared_hinge(np.ascontiguousarray(Z.T), weights, tolerance=1e-10, max_iter=100)
    return np.asarray(w.reshape(len(C), -1))


def _with_ones(X: Array) -> Array:
    return np.hstack([X, np.ones((len(X), 1))])
