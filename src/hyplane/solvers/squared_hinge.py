"""The linear SVM of Euclidean space with the squared hinge: the paper's baseline."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.native import convex
from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.rows import BinaryRows, scores_left_out

_MAX_ITER = 100
_TOLERANCE = 1e-10


class SquaredHinge(BinarySolver[Array, Array]):
    """Fits lines ``w·(x, 1)``; a result is the vector w, its last number the bias.

    The same minimum as ``sklearn.svm.LinearSVC(dual=False)``. All folds and all C of a problem are
    one compiled call, since an experiment has a hundred thousand fits of a few hundred rows.

    Examples
    --------
    >>> rows = BinaryRows(np.array([[1.0], [-1.0]]), np.array([1, -1], dtype=np.int8))
    >>> SquaredHinge().solve(rows, C=1.0).round(6) + 0.0
    array([0.8, 0. ])
    """

    def fit(
        self,
        data: Array,
        labels: NDArray[np.int8],
        weights: Array | None,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[Array] = (),
    ) -> Array:
        """Minimise ``½|w|² + C Σ c max(0, 1 - y w·(x, 1))²``."""
        weights = C * _row_weights(labels, weights)
        return np.asarray(squared_hinge_svms(data, labels, weights[None])[0])

    def constant(self, data: Array, sign: int) -> Array:
        """Return a line without direction: the sigmoid alone decides."""
        return np.zeros(data.shape[1] + 1)

    def score(self, results: Sequence[Array], data: Array) -> Array:
        """Return ``w·(x, 1)``."""
        return np.asarray(_with_ones(data) @ np.asarray(results).T)

    def out_of_fold_scores(
        self, rows: BinaryRows, which: Sequence[int], Cs: Array, *, seed: int = 0
    ) -> Array:
        """Score rows by the fits of the fold that leaves them out, all solved at once."""
        assert rows.folds is not None
        kept = np.repeat(rows.folds != np.array(which)[:, None], len(Cs), axis=0)
        grid = np.tile(Cs, len(which))[:, None] * _row_weights(rows.labels, rows.weights)
        w = squared_hinge_svms(rows.data, rows.labels, kept * grid)
        return scores_left_out(self.score(list(w), rows.data), rows.folds, which)


def _row_weights(labels: NDArray[np.int8], weights: Array | None) -> Array:
    return np.asarray(np.where(labels == 0, 0.0, 1.0 if weights is None else weights))


def squared_hinge_svms(X: Array, labels: NDArray[np.int8], weights: Array) -> Array:
    """Solve several linear SVMs with the squared hinge on the same rows.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    labels : ndarray of shape (m,)
        1 and -1.
    weights : ndarray of shape (n_fits, m)
        The C of each row in each fit; 0 for a row that does not count.

    Returns
    -------
    w : ndarray of shape (n_fits, d + 1)
        The last is the bias, which counts in the norm.

    Notes
    -----
    The objective is strictly convex and piecewise quadratic: Newton's method with a line search
    ends at the exact minimum, after a few steps, once the rows inside the margin stay the same.

    Examples
    --------
    >>> w = squared_hinge_svms(np.array([[1.0], [-1.0]]), np.array([1, -1]), np.ones((1, 2)))
    >>> w.round(6)
    array([[0.8, 0. ]])
    """
    Z = _with_ones(X) * np.asarray(labels, dtype=np.float64)[:, None]
    w = convex.squared_hinge(
        np.ascontiguousarray(Z.T),
        np.ascontiguousarray(weights, dtype=np.float64),
        _TOLERANCE,
        _MAX_ITER,
    )
    return np.asarray(w.reshape(len(weights), Z.shape[1]))


def _with_ones(X: Array) -> Array:
    return np.hstack([X, np.ones((len(X), 1))])
