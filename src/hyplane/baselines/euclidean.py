"""The paper's Euclidean SVM, with all the fits of a cross validation solved at once."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, ArrayLike
from hyplane.baselines.nested_cv import NestedCV, Scorer
from hyplane.svm._folds import Folds
from hyplane.svm._svc_cv import DEFAULT_CS, DEFAULT_FOLDS

_MAX_ITER = 100
_TOLERANCE = 1e-10


class EuclideanSVCCV(NestedCV):
    """Linear SVM with the squared hinge and a bias, by the procedure of `NestedCV`.

    The same minimum as ``sklearn.svm.LinearSVC(dual=False)``, whose objective is that of the
    paper's baseline: ``½|w|² + C Σ max(0, 1 - y w·x)²`` with a column of ones for the bias. An
    experiment has a hundred thousand fits of a few hundred rows and a few columns, so Newton's
    method is run on all folds and all C of a problem together.

    Parameters
    ----------
    Cs, cv, scoring, random_state
        As in `NestedCV`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n_features)
        Coefficients of the lines, before calibration.
    intercept_ : ndarray of shape (n_problems,)
        Their constants.
    classes_, C_, sigmoids_
        As in `NestedCV`.

    Examples
    --------
    >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
    >>> clf = EuclideanSVCCV(random_state=0).fit(X, ["right", "right", "left", "left"])
    >>> clf.predict([[0.3, 0.0], [-0.3, 0.0]]).tolist()
    ['right', 'left']
    """

    def __init__(
        self,
        Cs: Sequence[float] = DEFAULT_CS,
        *,
        cv: int = DEFAULT_FOLDS,
        scoring: str = "average_precision",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose C, calibrate and fit, for each class or label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or a binary indicator matrix.

        Returns
        -------
        self : EuclideanSVCCV
        """
        X = np.asarray(X, dtype=np.float64)
        super().fit(X, y)
        rows = [
            scorer.w if isinstance(scorer, _Line) else np.zeros(X.shape[1] + 1)
            for scorer in self._scorers
        ]
        self.coef_ = np.array(rows)[:, :-1]
        self.intercept_ = np.array(rows)[:, -1]
        return self

    def _out_of_fold_scores(
        self, X: NDArray[Any], labels: NDArray[np.int8], folds: Folds, Cs: Array
    ) -> Array:
        n_folds = int(folds.max()) + 1
        counts = np.repeat(folds != np.arange(n_folds)[:, None], len(Cs), axis=0)
        w = squared_hinge_svms(X, labels, counts * np.tile(Cs, n_folds)[:, None])
        scores = (_with_ones(X) @ w.T).reshape(len(X), n_folds, len(Cs))
        return np.asarray(scores[np.arange(len(X)), folds])

    def _refit(self, X: NDArray[Any], labels: NDArray[np.int8], C: float) -> Scorer:
        return _Line(squared_hinge_svms(X, labels, np.full((1, len(X)), C))[0])


class _Line:
    def __init__(self, w: Array) -> None:
        self.w = w

    def __call__(self, X: Any) -> Array:
        return np.asarray(_with_ones(np.asarray(X, dtype=np.float64)) @ self.w)


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
    outer = (Z[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
    d = Z.shape[1]
    w = np.zeros((len(weights), d))
    running = np.arange(len(weights))
    for _ in range(_MAX_ITER):
        slack = 1.0 - w[running] @ Z.T
        active = np.where(slack > 0, weights[running], 0.0)
        gradient = w[running] - 2.0 * (active * slack) @ Z
        hessian = np.eye(d) + 2.0 * (active @ outer).reshape(-1, d, d)
        step = np.linalg.solve(hessian, -gradient[:, :, None])[:, :, 0]
        moves = np.abs(step).max(axis=1) > _TOLERANCE * (1.0 + np.abs(w[running]).max(axis=1))
        if not moves.any():
            return w
        running, step, gradient = running[moves], step[moves], gradient[moves]
        w[running] += _line_search(w[running], step, gradient, Z, weights[running])[:, None] * step
    raise RuntimeError(
        f"Newton's method did not end within {_MAX_ITER} steps; are the columns of X of very "
        "different sizes? Scale them."
    )


def _line_search(w: Array, step: Array, gradient: Array, Z: Array, weights: Array) -> Array:
    """Halve the steps until the objective falls enough; full steps nearly always do."""
    size = np.ones(len(w))
    slope = (gradient * step).sum(axis=1)
    before = _objective(w, Z, weights)
    for _ in range(50):
        after = _objective(w + size[:, None] * step, Z, weights)
        # Rounding must not stop the last, tiny steps.
        short = after > before + 1e-4 * size * slope + 1e-12 * np.abs(before)
        if not short.any():
            break
        size[short] /= 2.0
    return size


def _objective(w: Array, Z: Array, weights: Array) -> Array:
    slack = np.maximum(0.0, 1.0 - w @ Z.T)
    return np.asarray(0.5 * (w**2).sum(axis=1) + (weights * slack**2).sum(axis=1))


def _with_ones(X: Array) -> Array:
    return np.hstack([X, np.ones((len(X), 1))])
