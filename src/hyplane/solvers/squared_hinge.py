"""The linear SVM of Euclidean space with the squared hinge: the paper's baseline."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.rows import BinaryRows

_MAX_ITER = 100
_TOLERANCE = 1e-10
_MOST_HALVINGS = 50
# Most numbers of one array: fits times rows, or rows times pairs of columns.
_BATCH_SIZE = 4_000_000


class SquaredHinge(BinarySolver[Array, Array]):
    """Fits lines ``w·(x, 1)``; a result is the vector w, its last number the bias.

    The same minimum as ``sklearn.svm.LinearSVC(dual=False)``. All problems, folds and C of a data
    set are solved together, since an experiment has a hundred thousand fits of a few hundred rows.

    Examples
    --------
    >>> X, labels = np.array([[1.0], [-1.0]]), np.array([1, -1], dtype=np.int8)
    >>> SquaredHinge().fit(X, labels, None, C=1.0).round(6) + 0.0
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
        return self.fit_all([BinaryRows(data, labels, weights)], [C])[0]

    def constant(self, data: Array, sign: int) -> Array:
        """Return a line without direction: the sigmoid alone decides."""
        return np.zeros(data.shape[1] + 1)

    def score(self, results: Sequence[Array], data: Array) -> Array:
        """Return ``w·(x, 1)``."""
        return np.asarray(_with_ones(data) @ np.asarray(results).T)

    def fit_all(self, problems: Sequence[BinaryRows], Cs: Sequence[float]) -> list[Array]:
        """Fit problems of the same rows, each with its C; any C for a constant label."""
        # Without the losses the minimum is the line of a constant label.
        grids = [
            np.array([[0.0 if each.constant else C]]) for each, C in zip(problems, Cs, strict=True)
        ]
        return [lines[0] for lines in _solve(problems, grids)]

    def out_of_fold_scores_of_all(self, problems: Sequence[BinaryRows], Cs: Array) -> list[Array]:
        """Score the rows of each problem by the fits that leave their fold out."""
        divided = [np.unique(np.asarray(each.folds), return_inverse=True) for each in problems]
        grids = [
            np.kron(Cs[:, None], np.arange(len(names))[:, None] != fold) for names, fold in divided
        ]
        scores = []
        for rows, (names, fold), lines in zip(
            problems, divided, _solve(problems, grids), strict=True
        ):
            of_row = lines.reshape(len(Cs), len(names), -1)[:, fold]
            scores.append(np.einsum("cmd,md->mc", of_row, _with_ones(rows.data)))
        return scores


def _solve(problems: Sequence[BinaryRows], grids: Sequence[Array]) -> Iterator[Array]:
    """Yield the lines of each problem, one for each row of its grid.

    A grid has the C of every fit, in one column or in one for each row of the problem.
    """
    n_fits = max((len(grid) for grid in grids), default=0)
    n_rows = max((len(each.labels) for each in problems), default=0)
    size = max(1, _BATCH_SIZE // max(n_fits * n_rows, 1))
    for first in range(0, len(problems), size):
        batch = list(zip(problems[first : first + size], grids[first : first + size], strict=True))
        counts = [len(grid) for _, grid in batch]
        labels = np.repeat([rows.labels for rows, _ in batch], counts, axis=0)
        weights = np.concatenate([grid * _row_weights(rows) for rows, grid in batch])
        lines = squared_hinge_svms(batch[0][0].data, labels, weights)
        yield from np.split(lines, np.cumsum(counts)[:-1])


def _row_weights(rows: BinaryRows) -> Array:
    return np.asarray(
        np.where(rows.labels == 0, 0.0, 1.0 if rows.weights is None else rows.weights)
    )


def squared_hinge_svms(X: Array, labels: NDArray[np.int8], weights: Array) -> Array:
    """Solve several linear SVMs with the squared hinge on the same rows.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    labels : ndarray of shape (m,) or (n_fits, m)
        1 and -1, the same for all fits or those of each.
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
    B = _with_ones(X)
    weights = np.asarray(weights, dtype=np.float64)
    signs = np.broadcast_to(np.asarray(labels, dtype=np.float64), weights.shape)
    found = np.zeros((len(weights), B.shape[1]))
    running, w = np.arange(len(found)), found.copy()
    slack, value = _slack_and_value(B, signs, weights, w)
    with np.errstate(all="ignore"):
        products = _products_of_columns(B)
        for _ in range(_MAX_ITER):
            hessian = np.eye(B.shape[1]) + 2.0 * _hessians(B, products, weights * (slack > 0.0))
            gradient = w - 2.0 * _one_by_one(signs * weights * slack, B)
            step = -np.asarray(np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0], np.float64)
            # The solution of a system with an infinite number could be finite, and wrong.
            step[~np.isfinite(hessian).all(axis=(1, 2))] = np.nan
            ended = np.abs(step).max(axis=1) <= _TOLERANCE * (1.0 + np.abs(w).max(axis=1))
            found[running[ended]] = w[ended]
            if ended.any():
                running, w, step, gradient, signs, weights, value = (
                    each[~ended] for each in (running, w, step, gradient, signs, weights, value)
                )
            if not len(running):
                return found
            expected = np.einsum("ij,ij->i", gradient, step)
            w, slack, value = _moved(B, signs, weights, w, step, value, expected)
            if not np.isfinite(w).all():
                break
    raise ValueError(
        f"Newton's method did not end within {_MAX_ITER} steps; are the columns of X of very "
        "different sizes? Scale them."
    )


def _moved(
    B: Array, signs: Array, weights: Array, w: Array, step: Array, value: Array, expected: Array
) -> tuple[Array, Array, Array]:
    """Return w after the step of each fit, halved until the objective falls enough.

    The full step nearly always does. Rounding must not stop the last, tiny steps.
    """
    size = np.ones(len(w))
    for _ in range(_MOST_HALVINGS):
        moved = w + size[:, None] * step
        slack, lower = _slack_and_value(B, signs, weights, moved)
        enough = lower <= value * (1 + 1e-12) + 1e-4 * size * expected
        if enough.all():
            break
        size = np.where(enough, size, 0.5 * size)
    return moved, slack, lower


def _slack_and_value(B: Array, signs: Array, weights: Array, w: Array) -> tuple[Array, Array]:
    """Return ``max(0, 1 - y w·b)`` of all rows, and the objective of each fit."""
    slack = np.maximum(1.0 - signs * _one_by_one(w, B.T), 0.0)
    losses = np.einsum("ij,ij,ij->i", weights, slack, slack)
    return slack, 0.5 * np.einsum("ij,ij->i", w, w) + losses


def _products_of_columns(B: Array) -> Array | None:
    """Return the products of all pairs of columns, row by row; None if they are too many."""
    n_rows, n_columns = B.shape
    if n_rows * n_columns**2 > _BATCH_SIZE:
        return None
    return np.asarray((B[:, :, None] * B[:, None, :]).reshape(n_rows, n_columns**2))


def _hessians(B: Array, products: Array | None, weights: Array) -> Array:
    """Return ``Σ c b bᵀ`` for each row of weights c."""
    if products is None:
        return np.stack([(B.T * each) @ B for each in weights])
    return _one_by_one(weights, products).reshape(-1, B.shape[1], B.shape[1])


def _one_by_one(rows: Array, matrix: Array) -> Array:
    """Return ``rows @ matrix`` with the same rounding for equal rows.

    In one product of matrices the rounding depends on the place of a row. Labels that the same
    rows have would then get scores that differ in their last digits instead of equal ones.
    """
    return np.asarray((rows[:, None, :] @ matrix)[:, 0])


def _with_ones(X: Array) -> Array:
    return np.hstack([X, np.ones((len(X), 1))])
