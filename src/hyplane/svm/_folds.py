"""Cross validation of one binary problem: its folds, the scores of rows left out, the choice of C."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from hyplane.geometry._types import Array, ArrayLike
from hyplane.solvers.hyperplanes import Hyperplanes
from hyplane.solvers.packing import polar_chunks
from hyplane.svm._targets import BinaryProblem

Folds = NDArray[np.int64]  # for each row of a problem, the fold that leaves it out


class Splitter(Protocol):
    """A cross-validation splitter of scikit-learn."""

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Yield the rows of the training part and of the test part, fold by fold."""


@dataclass(frozen=True)
class Selection:
    """The chosen C, the scores of all, and the sigmoid fitted to what the chosen one left out."""

    C: float
    cv_scores: Array
    n_folds: int
    sigmoid: tuple[float, float] | None  # None where nothing could be left out


def assign_folds(problem: BinaryProblem, cv: int | Splitter, seed: int) -> Folds | None:
    """Divide the rows of a problem into folds; None where one side has fewer than two rows.

    Parameters
    ----------
    problem : BinaryProblem
    cv : int or splitter
        The most folds, or a splitter.
    seed : int
        Seed of the shuffled stratified folds.

    Returns
    -------
    folds : ndarray of int of shape (m,)
    """
    n_positive = int((problem.labels > 0).sum())
    rarer = min(n_positive, len(problem.labels) - n_positive)
    if rarer < 2:
        return None
    if isinstance(cv, int | np.integer):
        cv = StratifiedKFold(min(int(cv), rarer), shuffle=True, random_state=seed)
    folds = np.full(len(problem.labels), -1, dtype=np.int64)
    rows = np.arange(len(folds)) if problem.rows is None else problem.rows
    for k, (training, test) in enumerate(cv.split(rows[:, None], problem.labels)):
        if (folds[test] >= 0).any():
            raise ValueError(
                f"cv leaves row {rows[test][folds[test] >= 0][0]} out more than once. Use a "
                "splitter whose test parts are a partition, for instance StratifiedKFold."
            )
        if len(np.unique(problem.labels[training])) < 2:
            raise ValueError(
                f"the training part of fold {k} has one side only of {problem.name}. Use "
                "stratified folds, or fewer of them."
            )
        folds[test] = k
    if (folds < 0).any():
        raise ValueError(
            f"cv never leaves row {rows[folds < 0][0]} out. Use a splitter whose test parts are a "
            "partition, for instance StratifiedKFold."
        )
    return folds


def out_of_fold_scores(
    X: ArrayLike,
    folds: Folds,
    planes: Sequence[Hyperplanes],
    *,
    coordinates: str,
    curvature: float,
) -> Array:
    """Score each row by the hyperplanes of the fold that left it out.

    Parameters
    ----------
    X : array of shape (m, n_columns)
        The rows of the problem.
    folds : ndarray of int of shape (m,)
    planes : sequence of Hyperplanes
        For each fold the hyperplanes of the grid.
    coordinates, curvature
        The chart of X.

    Returns
    -------
    scores : ndarray of shape (m, n_Cs)
        ``arsinh(w*x)``.
    """
    scores = np.empty((len(folds), len(planes[0].offset)))
    for rows, radius, direction in polar_chunks(X, coordinates, curvature=curvature):
        chunk, fold = scores[rows], folds[rows]
        for k, grid in enumerate(planes):
            left_out = fold == k
            if left_out.any():
                chunk[left_out] = grid.arsinh_score(radius[left_out], direction[left_out])
    return scores


def best_of(Cs: Array, cv_scores: Array) -> int:
    """Index of the C of the highest score, the smallest C of equals."""
    best = np.flatnonzero(cv_scores == cv_scores.max())
    return int(best[np.argmin(Cs[best])])


def middle_of(Cs: Array) -> float:
    """The middle C of the grid, the lower one of two."""
    return float(np.sort(Cs)[(len(Cs) - 1) // 2])
