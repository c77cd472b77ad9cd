"""The choice of C for one binary problem, and its calibration, from rows left out of the fit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, ArrayLike, Mask
from hyplane.metrics import METRICS
from hyplane.native.core import PackedPoints
from hyplane.solvers.hyperplanes import Hyperplanes
from hyplane.solvers.packing import polar_chunks
from hyplane.solvers.soft_margin import SoftMarginResult, solve_soft_margin
from hyplane.svm._calibration import constant_sigmoid, fit_sigmoid
from hyplane.svm._folds import Folds
from hyplane.svm._targets import BinaryProblem

# Scores closer than this differ by rounding only: perfect rankings often tie.
EQUAL_SCORES = 1e-10


@dataclass(frozen=True)
class Selection:
    """The chosen C, the scores of all, and the sigmoid fitted to what the chosen one left out."""

    C: float
    cv_scores: Array
    n_folds: int
    sigmoid: tuple[float, float] | None  # None where nothing could be left out


@dataclass(frozen=True)
class Chart:
    """How rows of X are points."""

    coordinates: str
    curvature: float


def solve_fold(
    points: PackedPoints,
    problem: BinaryProblem,
    left_out: Mask,
    Cs: Array,
    *,
    tol: float,
    max_iter: int,
    seed: int,
    siblings: Sequence[SoftMarginResult] = (),
) -> list[SoftMarginResult]:
    """Find the hyperplanes of the grid without some rows of the problem.

    The rows left out have label 0: all folds share the packed points, and the ball that a
    hyperplane has to meet is that of all of them. A hyperplane of the grid is a start for the next
    one; so are those of a fold already solved (`siblings`), each for its own C.
    """
    part = points if problem.rows is None else points.take(problem.rows)
    labels: NDArray[np.int8] = np.where(left_out, np.int8(0), problem.labels)
    results: list[SoftMarginResult] = []
    for k, C in enumerate(Cs):
        results.append(
            solve_soft_margin(
                part,
                labels,
                problem.weights,
                C=float(C),
                tol=tol,
                max_iter=max_iter,
                seed=seed,
                starts=[*siblings[k : k + 1], *results[-1:]],
            )
        )
    return results


def out_of_fold_scores(
    X: ArrayLike, chart: Chart, problem: BinaryProblem, folds: Folds, planes: Sequence[Hyperplanes]
) -> Array:
    """Score each row by the hyperplanes of the fold that left it out.

    Parameters
    ----------
    X : array of shape (n_samples, n_columns)
    chart : Chart
    problem : BinaryProblem
        Which rows of X.
    folds : ndarray of int of shape (m,)
    planes : sequence of Hyperplanes
        For each fold the hyperplanes of the grid.

    Returns
    -------
    scores : ndarray of shape (m, n_Cs)
        ``arsinh(w*x)``.
    """
    X = X if problem.rows is None else X[problem.rows]
    scores = np.empty((len(folds), len(planes[0].offset)))
    for rows, radius, direction in polar_chunks(X, chart.coordinates, curvature=chart.curvature):
        chunk, fold = scores[rows], folds[rows]
        for k, grid in enumerate(planes):
            left_out = fold == k
            if left_out.any():
                chunk[left_out] = grid.arsinh_score(radius[left_out], direction[left_out])
    return scores


def select(
    X: ArrayLike,
    chart: Chart,
    problem: BinaryProblem,
    folds: Folds | None,
    planes: Sequence[Hyperplanes],
    Cs: Array,
    scoring: str,
) -> Selection:
    """Judge each C by the pooled scores of the rows left out, and calibrate the best."""
    if folds is None:
        C = np.nan if problem.constant else middle_of(Cs)
        return Selection(C, np.full(len(Cs), np.nan), 0, None)
    scores = out_of_fold_scores(X, chart, problem, folds, planes)
    metric = METRICS[scoring]
    cv_scores = np.array([metric(problem.labels, column, problem.weights) for column in scores.T])
    best = best_of(Cs, cv_scores)
    sigmoid = fit_sigmoid(scores[:, best], problem.labels, problem.weights)
    return Selection(float(Cs[best]), cv_scores, len(planes), sigmoid)


def training_sigmoid(
    X: ArrayLike, chart: Chart, problem: BinaryProblem, result: SoftMarginResult
) -> tuple[float, float]:
    """Calibrate on the training rows, for want of others."""
    n_rows = len(problem.labels)
    if problem.constant:
        weight = n_rows if problem.weights is None else float(problem.weights.sum())
        return constant_sigmoid(problem.constant, weight)
    one_fold = np.zeros(n_rows, dtype=np.int64)
    planes = [Hyperplanes.of_results([result])]
    scores = out_of_fold_scores(X, chart, problem, one_fold, planes)
    return fit_sigmoid(scores[:, 0], problem.labels, problem.weights)


def best_of(Cs: Array, cv_scores: Array) -> int:
    """Return the index of the C of the highest score, the smallest C of equals."""
    best = np.flatnonzero(cv_scores >= cv_scores.max() - EQUAL_SCORES)
    return int(best[np.argmin(Cs[best])])


def middle_of(Cs: Array) -> float:
    """Return the middle C of the grid, the lower one of two."""
    return float(np.sort(Cs)[(len(Cs) - 1) // 2])
