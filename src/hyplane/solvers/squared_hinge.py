"""The linear SVM of Euclidean space with the squared hinge: the paper's baseline."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.rows import BinaryRows

_MAX_ITER = 100
_TOLERANCE = 1e-10
_MOST_HALVINGS = 50


class SquaredHinge(BinarySolver[Array, Array]):
    """Fits lines ``w·(x, 1)``; a result is the vector w, its last number the bias.

    The same minimum as ``sklearn.svm.LinearSVC(dual=False)``. All folds and all C of a problem are
    solved together, since an experiment has a hundred thousand fits of a few hundred rows.

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
        scores = self.score(list(w), rows.data).reshape(len(kept[0]), len(which), len(Cs))
        return np.asarray(np.einsum("mfc,mf->mc", scores, rows.folds[:, None] == np.array(which)))


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
    weights = np.asarray(weights, dtype=np.float64)
    found = np.zeros((len(weights), Z.shape[1]))
    running, w = np.arange(len(found)), found.copy()
    slack, value = _slack_and_value(Z, w, weights)
    with np.errstate(all="ignore"):
        for _ in range(_MAX_ITER):
            w, slack, value, ended = _newton_step(Z, w, weights, slack, value)
            if ended.any():
                found[running[ended]] = w[ended]
                kept = ~ended
                running, w, weights = running[kept], w[kept], weights[kept]
                slack, value = slack[kept], value[kept]
            if not len(running):
                return found
            if not np.isfinite(w).all():
                break
    raise ValueError(
        f"Newton's method did not end within {_MAX_ITER} steps; are the columns of X of very "
        "different sizes? Scale them."
    )


def _newton_step(
    Z: Array, w: Array, weights: Array, slack: Array, value: Array
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Take one step of each fit; those whose step is within the tolerance stay and have ended."""
    gradient = w - 2.0 * (weights * slack) @ Z
    curvature = 2.0 * weights * (slack > 0.0)
    hessian = (curvature[:, None, :] * Z.T) @ Z + np.eye(Z.shape[1])
    step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
    # The solution of a system with an infinite number could be finite, and wrong.
    step[~np.isfinite(hessian).all(axis=(1, 2))] = np.nan
    ended = np.abs(step).max(axis=1) <= _TOLERANCE * (1.0 + np.abs(w).max(axis=1))
    # Steps are halved until the objective falls enough; the full one nearly always does. Rounding
    # must not stop the last, tiny steps.
    allowed = 1e-4 * np.einsum("ij,ij->i", gradient, step)
    size = np.where(ended, 0.0, 1.0)
    for _ in range(_MOST_HALVINGS):
        moved = w + size[:, None] * step
        slack, lower = _slack_and_value(Z, moved, weights)
        enough = lower <= value * (1 + 1e-12) + size * allowed
        if enough.all():
            break
        size = np.where(enough, size, 0.5 * size)
    return moved, slack, lower, ended


def _slack_and_value(Z: Array, w: Array, weights: Array) -> tuple[Array, Array]:
    """Return ``max(0, 1 - w·z)`` of all rows, and the objective of each fit."""
    slack = np.maximum(1.0 - w @ Z.T, 0.0)
    losses = np.einsum("ij,ij,ij->i", weights, slack, slack)
    return slack, 0.5 * np.einsum("ij,ij->i", w, w) + losses


def _with_ones(X: Array) -> Array:
    return np.hstack([X, np.ones((len(X), 1))])
