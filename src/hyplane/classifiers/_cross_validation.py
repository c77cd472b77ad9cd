"""The paper's procedure for any binary solver: folds, choice of C, Platt's sigmoid, refit.

A solver of hyperplanes may also choose what points are ranked by: see `score_functions`.
"""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Self, TypeVar

import numpy as np
from joblib import effective_n_jobs
from scipy.special import expit
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.inputs import check_numbers
from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import BinaryDecomposition, draw_seeds, side_by_side, threads_of_each
from hyplane.classifiers._block_fits import gathered, keep_columns
from hyplane.classifiers._calibration import (
    Sigmoids,
    constant_sigmoid,
    couple,
    fit_sigmoid,
    normalise,
)
from hyplane.classifiers._folds import Folds, assign_folds, folds_of_rows
from hyplane.classifiers._score_functions import SCORE_FUNCTIONS, klein_scores
from hyplane.classifiers._targets import Targets
from hyplane.metrics import METRICS, areas_of_columns
from hyplane.out_of_core import Blocks
from hyplane.out_of_core.disk import as_blocks
from hyplane.solvers import BinaryProblem, BinarySolver

# The paper's grid and folds.
DEFAULT_CS = (0.1, 1.0, 10.0)
DEFAULT_FOLDS = 5
# Scores closer than this differ by rounding only: perfect rankings often tie.
EQUAL_SCORES = 1e-10

PROCEDURE_CONSTRAINTS = {
    "Cs": ["array-like"],
    "cv": ["cv_object"],
    "scoring": [StrOptions(set(METRICS))],
    "random_state": ["random_state"],
}

Result = TypeVar("Result")


@dataclass(frozen=True)
class Selection(Generic[Result]):
    """What the procedure found for one binary problem.

    Attributes
    ----------
    result : object
        The fit on all rows with the chosen C.
    C : float
        The chosen C; nan for a constant label.
    cv_scores : ndarray of shape (n_Cs,)
        Scores of the pooled out-of-fold scores; nan where nothing could be left out.
    n_folds : int
        Folds used; 0 where nothing could be left out.
    sigmoid : tuple of (slope, intercept)
        Of the log-odds.
    score_function : {"minkowski", "klein"}
        What the points are ranked by.
    """

    result: Result
    C: float
    cv_scores: Array
    n_folds: int
    sigmoid: tuple[float, float]
    score_function: str = SCORE_FUNCTIONS[0]


@dataclass(frozen=True)
class Procedure(Generic[Result]):
    """The procedure with its settings, for one set of rows.

    Attributes
    ----------
    solver : BinarySolver
    data : points or matrix
        The rows of all problems.
    Cs : ndarray
        The grid.
    scoring : str
        A name of `hyplane.metrics.METRICS`.
    n_jobs : int or None
        Threads.
    score_function : {"auto", "minkowski", "klein"}
        What points are ranked by; ``"auto"`` chooses together with C. All but ``"minkowski"``, the
        solver's own score, need data that are `Points`.
    verbose : int
        Whether to say how many fits are done.
    """

    solver: BinarySolver[Any, Result]
    data: Any
    Cs: Array
    scoring: str
    n_jobs: int | None = None
    score_function: str = SCORE_FUNCTIONS[0]
    verbose: int = 0

    def run(
        self,
        problems: Sequence[BinaryProblem],
        folds: Sequence[Folds | None],
        seed: int,
    ) -> list[Selection[Result]]:
        """Choose C for every problem, calibrate and refit.

        Parameters
        ----------
        problems : sequence of BinaryProblem
        folds : sequence of ndarray of int, or None
            For each problem the folds of its rows; None where nothing can be left out.
        seed : int
            For the solver, the same for all problems: so their order does not matter.

        Returns
        -------
        selections : list of Selection
        """
        scores = self._out_of_fold_scores(problems, folds, seed)
        shared = self.solver.sharing_rows(threads_of_each(self.n_jobs, len(problems)))
        return side_by_side(
            partial(replace(self, solver=shared)._choose, seed=seed),
            zip(problems, folds, scores, strict=True),
            self.n_jobs,
            progress="last fits" if self.verbose else "",
        )

    def _out_of_fold_scores(
        self,
        problems: Sequence[BinaryProblem],
        folds: Sequence[Folds | None],
        seed: int,
    ) -> list[Array]:
        """Return for each problem the scores of its rows by the fits that left them out."""
        one_by_one = effective_n_jobs(self.n_jobs) == 1

        def score(k: int, which: Sequence[int]) -> tuple[int, Array]:
            own = folds[k]
            assert own is not None
            return k, self.solver.out_of_fold_scores(
                self.data, problems[k], own, which, self.Cs, seed=seed
            )

        tasks: list[tuple[int, Sequence[int]]] = []
        for k, own in enumerate(folds):
            numbers = range(0 if own is None else int(own.max()) + 1)
            tasks += [(k, numbers)] if one_by_one and numbers else [(k, [n]) for n in numbers]
        scores = [np.zeros((len(problem.labels), len(self.Cs))) for problem in problems]
        for k, part in side_by_side(
            score, tasks, self.n_jobs, progress="cross validation" if self.verbose else ""
        ):
            scores[k] += part
        return scores

    def _choose(
        self, problem: BinaryProblem, folds: Folds | None, scores: Array, seed: int
    ) -> Selection[Result]:
        """Judge each C by the pooled scores of the rows left out; calibrate and refit the best."""
        labels, weights = problem.labels, problem.weights
        if folds is None:
            return self._without_folds(problem, seed)
        ranked = self._ranked(problem, scores)
        areas = areas_of_columns(labels, np.hstack([*ranked.values()]), [self.scoring], weights)
        by_name = areas.reshape(len(ranked), len(self.Cs))
        which, best = choose(self.Cs, by_name)
        name, cv_scores = list(ranked)[which], by_name[which]
        C = float(self.Cs[best])
        result = self.solver.solve(self.data, problem, C, seed=seed)
        sigmoid = fit_sigmoid(ranked[name][:, best], labels, weights)
        return Selection(result, C, cv_scores, int(folds.max()) + 1, sigmoid, name)

    def _ranked(self, problem: BinaryProblem, scores: Array) -> dict[str, Array]:
        """Return the scores by each score function that may be chosen."""
        names = SCORE_FUNCTIONS if self.score_function == "auto" else (self.score_function,)
        return {
            name: scores
            if name == SCORE_FUNCTIONS[0]
            else klein_scores(scores, problem.of(self.data).radius)
            for name in names
        }

    def _without_folds(self, problem: BinaryProblem, seed: int) -> Selection[Result]:
        """Take the middle C and, where no rows are left out, calibrate on the training rows."""
        unknown = np.full(len(self.Cs), np.nan)
        if problem.constant:
            result = self.solver.solve(self.data, problem, np.nan, seed=seed)
            sigmoid = constant_sigmoid(problem.constant, problem.total_weight)
            return Selection(result, np.nan, unknown, 0, sigmoid)
        C = middle_of(self.Cs)
        result = self.solver.solve(self.data, problem, C, seed=seed)
        scores = self.solver.score([result], problem.of(self.data))
        name, ranked = next(iter(self._ranked(problem, scores).items()))
        sigmoid = fit_sigmoid(ranked[:, 0], problem.labels, problem.weights)
        return Selection(result, C, unknown, 0, sigmoid, name)


class CrossValidatedClassifier(BinaryDecomposition):
    """Classes told apart by the procedure; a subclass names the binary solver.

    A subclass has the parameters ``Cs``, ``cv``, ``scoring`` and ``random_state``.

    Attributes
    ----------
    C_, cv_scores_, n_folds_, sigmoids_
        What was chosen for each binary problem.
    """

    # For classifiers that rank by the solver's own score alone.
    score_function: str = SCORE_FUNCTIONS[0]

    @abstractmethod
    def _solver(self) -> BinarySolver[Any, Any]:
        """Return the solver of the binary problems."""

    def _scores(self, X: ArrayLike) -> Array:
        """Return the scores of every row and problem."""
        points = self._points(self._check_rows(X))
        return self._solver().score(self.results_, points)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose C, calibrate and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points. `HyperbolicSVCCV` reads a memory map of 64 MiB and more, columns of a
            `hyplane.out_of_core.ParquetTable` and Dask collections block by block.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        Cs = _grid(self.Cs)
        blocks = as_blocks(X, y, sample_weight, n_threads=effective_n_jobs(self.n_jobs))
        if blocks is not None:
            rows = gathered(blocks)
            if rows is None:
                return self._fit_blocks(blocks, Cs)
            X, y, sample_weight = rows
        X, targets, weights, counts = self._rows(X, y, sample_weight)
        if blocks is not None:
            keep_columns(self, blocks)
        problems = targets.problems(self.multi_class, self.class_weight, weights)
        # The first seed is the one that HyperbolicSVC draws: the last fit is the same as its fit.
        seed, fold_seed = draw_seeds(self.random_state, 2)
        cv = folds_of_rows(DEFAULT_FOLDS if self.cv is None else self.cv, len(X), counts)
        folds = [assign_folds(problem, cv, fold_seed) for problem in problems]
        points = self._points(X)
        self._check_size(points, Cs, weights)
        procedure = Procedure(
            self._solver(), points, Cs, self.scoring, self.n_jobs, self.score_function, self.verbose
        )
        self._keep_selections(targets, procedure.run(problems, folds, seed))
        self._warn_about(
            [problem.name for problem in problems], [bool(each.constant) for each in problems]
        )
        return self

    def _check_size(self, points: Any, Cs: Array, weights: Array | None) -> None:
        """Refuse numbers that the solver cannot work with."""

    def _fit_blocks(self, blocks: Blocks, Cs: Array) -> Self:
        """Choose C, calibrate and fit on rows that are read block by block."""
        raise ValueError(
            f"{type(self).__name__} needs its rows in memory, and these are read block by block: "
            "more than fit in a sample. HyperbolicSVCCV can do that; or fit a sample."
        )

    def _keep_selections(self, targets: Targets, chosen: Sequence[Selection[Any]]) -> None:
        """Set the learned attributes."""
        self._keep(targets, [each.result for each in chosen])
        self._keep_score_functions([each.score_function for each in chosen])
        self.C_ = np.array([each.C for each in chosen])
        self.cv_scores_ = np.array([each.cv_scores for each in chosen])
        self.n_folds_ = np.array([each.n_folds for each in chosen])
        self.sigmoids_ = Sigmoids.of(each.sigmoid for each in chosen)

    def _keep_score_functions(self, names: list[str]) -> None:
        """Keep what was chosen, in classifiers that have the choice."""

    def _warn_about(self, problems: Sequence[str], constant: Sequence[bool]) -> None:
        """Warn where nothing could be left out."""
        names = [
            name
            for name, n_folds, known in zip(problems, self.n_folds_, constant, strict=True)
            if n_folds == 0 and not known
        ]
        if names:
            warnings.warn(
                f"no cross validation for {', '.join(names[:3])}{', …' * (len(names) > 3)}: a "
                "single row on one side cannot be left out. The middle C of the grid is taken, and "
                "the probabilities rest on the training rows themselves. Add rows, or leave such "
                "classes out.",
                UserWarning,
                stacklevel=4,
            )

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the calibrated log-odds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        log_odds : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``; else one per class (against
            the rest) or label. In each column the points are in the order of the binary scores.
            One-vs-one gives the log-odds of the coupled probabilities. Finite at any radius.
        """
        if self._is_ovo():
            probabilities = self._coupled(X)
            others = probabilities @ (1.0 - np.eye(len(self.classes_)))
            return np.asarray(np.log(probabilities) - np.log(others))
        log_odds = self._log_odds(X)
        return log_odds[:, 0] if self.decomposition_ == "binary" else log_odds

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one: one-vs-rest probabilities are divided by their sum, those of pairs
            coupled by the rule of Wu, Lin and Weng. For an indicator matrix the columns are
            independent.
        """
        if self._is_ovo():
            return self._coupled(X)
        log_odds = self._log_odds(X)
        match self.decomposition_:
            case "multilabel":
                return np.asarray(expit(log_odds))
            case "binary":
                return np.asarray(expit(log_odds * [-1.0, 1.0]))
        return normalise(log_odds)

    def _is_ovo(self) -> bool:
        check_is_fitted(self)
        return bool(self.decomposition_ == "ovo")

    def _coupled(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes from those of the pairs."""
        n_classes = len(self.classes_)
        return self._in_chunks(X, lambda part: couple(expit(self._log_odds(part)), n_classes))

    def _log_odds(self, X: ArrayLike) -> Array:
        scores = self._scores(X)
        return self.sigmoids_.log_odds(scores)


def choose(Cs: Array, by_name: Array, equal: float = EQUAL_SCORES) -> tuple[int, int]:
    """Return which score function and which C rank best, the first and the smallest of equals.

    Parameters
    ----------
    Cs : ndarray of shape (n_Cs,)
    by_name : ndarray of shape (n_score_functions, n_Cs)
        How well each ranks, in the order of preference.
    equal : float
        Numbers closer than this count as equal.

    Returns
    -------
    which, best : int

    Examples
    --------
    >>> choose(np.array([10.0, 1.0]), np.array([[0.5, 0.4], [0.9, 0.9]]))
    (1, 1)
    """
    highest = by_name.max()
    which = int(np.flatnonzero(by_name.max(axis=1) >= highest - equal)[0])
    return which, best_of(Cs, by_name[which], equal)


def best_of(Cs: Array, cv_scores: Array, equal: float = EQUAL_SCORES) -> int:
    """Return the index of the C of the highest score, the smallest C of equals."""
    best = np.flatnonzero(cv_scores >= cv_scores.max() - equal)
    return int(best[np.argmin(Cs[best])])


def middle_of(Cs: Array) -> float:
    """Return the middle C of the grid, the lower one of two."""
    return float(np.sort(Cs)[(len(Cs) - 1) // 2])


def _grid(Cs: ArrayLike) -> Array:
    check_numbers(Cs, "Cs")
    grid = np.asarray(Cs, dtype=np.float64)
    if grid.ndim != 1 or not grid.size:
        raise ValueError(f"Cs must be a list of one or more numbers; got {Cs!r}.")
    wrong = grid[~(np.isfinite(grid) & (grid > 0))]
    if wrong.size:
        raise ValueError(
            f"Cs must be positive and finite; got {wrong[0]:g}. For the hard margin use "
            "HyperbolicSVC(C=np.inf)."
        )
    return grid
