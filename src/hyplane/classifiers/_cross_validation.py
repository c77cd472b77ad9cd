"""The paper's procedure for any binary solver: folds, choice of C, Platt's sigmoid, refit.

A solver of hyperplanes may also choose what points are ranked by: see `_score_functions`.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane._utils.validation import check_numbers
from hyplane.classifiers._base import (
    BinaryProblemsClassifier,
    draw_seeds,
    side_by_side,
    solve_all,
)
from hyplane.classifiers._calibration import (
    CALIBRATIONS,
    IsotonicCurves,
    Sigmoids,
    constant_sigmoid,
    couple,
    normalise,
)
from hyplane.classifiers._probabilistic import ProbabilisticClassifier
from hyplane.classifiers._score_functions import SCORE_FUNCTIONS, klein_scores
from hyplane.classifiers._targets import Targets
from hyplane.metrics import METRICS, areas_of_columns
from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import BinaryProblem, BinaryRows, Rows, folds_by_class

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


@dataclass(frozen=True)
class CVResult:
    """What cross validation found for one binary problem.

    Attributes
    ----------
    C : float
        The chosen C; nan for a constant label.
    cv_scores : ndarray of shape (n_Cs,)
        Scores of the pooled out-of-fold scores; nan where nothing could be left out.
    n_folds : int
        Folds used; 0 where nothing could be left out.
    sigmoid : tuple of (slope, intercept), or of (scores, log-odds) of an isotonic curve
        Of the log-odds; None if it is fitted to the scores of the refit.
    score_function : {"minkowski", "klein"}
        What the points are ranked by.
    """

    C: float
    cv_scores: Array
    n_folds: int
    sigmoid: tuple[Any, Any] | None
    score_function: str


@dataclass(frozen=True)
class CrossValidation:
    """The procedure with its settings.

    Attributes
    ----------
    solver : BinarySolver
    Cs : ndarray
        The grid.
    scoring : str
        A name of `hyplane.metrics.METRICS`.
    score_function : {"auto", "minkowski", "klein"}
        What points are ranked by; ``"auto"`` chooses together with C. All but ``"minkowski"``, the
        solver's own score, need data that are `Points`.
    n_jobs : int or None
        Threads.
    verbose : int
        Whether to say how many fits are done.
    calibration : {"sigmoid", "isotonic"}
        What turns scores into log-odds.
    """

    solver: BinarySolver[Any, Any]
    Cs: Array
    scoring: str
    score_function: str = SCORE_FUNCTIONS[0]
    n_jobs: int | None = None
    verbose: int = 0
    calibration: str = "sigmoid"

    def run(
        self, rows: Rows | OutOfCoreRows, problems: Sequence[BinaryProblem], folds: Any, seed: int
    ) -> tuple[list[Any], list[CVResult]]:
        """Choose C for every problem, calibrate and refit.

        `folds` has for each problem the folds of its rows, None where nothing can be left out; for
        rows that are read block by block, the number of folds.
        """
        judged = (
            self._out_of_core(rows, problems, folds, seed)
            if isinstance(rows, OutOfCoreRows)
            else self._in_memory(rows, problems, folds, seed)
        )
        chosen = side_by_side(self._choose, judged, self.n_jobs)
        results = solve_all(
            self.solver,
            rows,
            problems,
            [each.C for each in chosen],
            seed=seed,
            n_jobs=self.n_jobs,
            progress="last fits" if self.verbose else "",
        )
        for k, (own, _) in enumerate(judged):
            if chosen[k].sigmoid is None:  # calibrated on the training rows
                scores = self.solver.score([results[k]], own.data)
                ranked = self._ranked(own, scores)[chosen[k].score_function]
                sigmoid = CALIBRATIONS[self.calibration](ranked[:, 0], own.labels, own.weights)
                chosen[k] = replace(chosen[k], sigmoid=sigmoid)
        return results, chosen

    def _in_memory(
        self, rows: Rows, problems: Sequence[BinaryProblem], folds: Sequence[Any], seed: int
    ) -> list[tuple[BinaryRows, Array | None]]:
        """Return the rows of each problem and their scores by the fits that left them out."""
        own = [
            each._replace(folds=of_problem)
            for each, of_problem in zip(map(rows.of, problems), folds, strict=True)
        ]
        one_by_one = effective_n_jobs(self.n_jobs) == 1
        tasks: list[tuple[int, Sequence[int]]] = []
        for k, each in enumerate(own):
            which = [] if each.folds is None else np.unique(each.folds).tolist()
            tasks += [(k, which)] if one_by_one and which else [(k, [fold]) for fold in which]

        def score(k: int, which: Sequence[int]) -> tuple[int, Array]:
            return k, self.solver.out_of_fold_scores(own[k], which, self.Cs, seed=seed)

        scores: list[Array | None] = [None] * len(own)
        progress = "cross validation" if self.verbose else ""
        for k, part in side_by_side(score, tasks, self.n_jobs, progress=progress):
            known = scores[k]
            scores[k] = part if known is None else known + part
        return list(zip(own, scores, strict=True))

    def _out_of_core(
        self, rows: OutOfCoreRows, problems: Sequence[BinaryProblem], n_folds: int, seed: int
    ) -> list[tuple[BinaryRows, Array | None]]:
        """Return a sample of the rows of each problem and their scores by fits of all others."""
        sample = rows.sample
        own = [sample.of(problem) for problem in problems]
        divided = [k for k, each in enumerate(own) if _fewest(each.labels) >= 2]
        asked = [replace(problems[k], left_out=fold) for k in divided for fold in range(n_folds)]
        fits: list[list[Any]] = []
        for C in self.Cs if asked else []:
            start = fits[-1] if fits else None
            grid = [float(C)] * len(asked)
            fits.append(
                solve_all(
                    self.solver, rows, asked, grid, seed=seed, starts=start, n_jobs=self.n_jobs
                )
            )
        scores: list[Array | None] = [None] * len(own)
        for place, k in enumerate(divided):
            folds = own[k].folds
            scores[k] = of_problem = np.zeros((len(own[k].labels), len(self.Cs)))
            for fold in range(n_folds):
                left_out = folds == fold
                planes = [of_C[place * n_folds + fold] for of_C in fits]
                of_problem[left_out] = own[k].data[left_out].scores(Hyperplanes.of_results(planes))
        return list(zip(own, scores, strict=True))

    def _choose(self, rows: BinaryRows, scores: Array | None) -> CVResult:
        """Judge each C by the pooled scores of the rows left out, and calibrate the best."""
        if scores is None:
            return self._without_folds(rows)
        ranked = self._ranked(rows, scores)
        areas = areas_of_columns(
            rows.labels, np.hstack([*ranked.values()]), [self.scoring], rows.weights
        )
        by_name = areas.reshape(len(ranked), len(self.Cs))
        which = int(np.flatnonzero(by_name.max(axis=1) >= by_name.max() - EQUAL_SCORES)[0])
        cv_scores = by_name[which]
        equal = np.flatnonzero(cv_scores >= cv_scores.max() - EQUAL_SCORES)
        best = equal[np.argmin(self.Cs[equal])]
        name = list(ranked)[which]
        of_best = ranked[name][:, best]
        sigmoid = CALIBRATIONS[self.calibration](of_best, rows.labels, rows.weights)
        n_folds = len(np.unique(np.asarray(rows.folds)))
        return CVResult(float(self.Cs[best]), cv_scores, n_folds, sigmoid, name)

    def _ranked(self, rows: BinaryRows, scores: Array) -> dict[str, Array]:
        """Return the scores by each score function that may be chosen."""
        names = SCORE_FUNCTIONS if self.score_function == "auto" else (self.score_function,)
        return {
            name: klein_scores(scores, rows.data.radius) if name == "klein" else scores
            for name in names
        }

    def _without_folds(self, rows: BinaryRows) -> CVResult:
        """Take the middle C of the grid, the lower one of two."""
        unknown, name = np.full(len(self.Cs), np.nan), self.score_function
        name = SCORE_FUNCTIONS[0] if name == "auto" else name
        if rows.constant:
            n_rows = len(rows.labels) if rows.weights is None else rows.weights.sum()
            sigmoid = constant_sigmoid(rows.constant, float(n_rows))
            return CVResult(np.nan, unknown, 0, sigmoid, SCORE_FUNCTIONS[0])
        middle = float(np.sort(self.Cs)[(len(self.Cs) - 1) // 2])
        return CVResult(middle, unknown, 0, None, name)


class CrossValidatedClassifier(BinaryProblemsClassifier):
    """Classes told apart by the procedure; a subclass names the binary solver.

    A subclass has the parameters ``Cs``, ``cv``, ``scoring`` and ``random_state``.

    Attributes
    ----------
    C_, cv_scores_, n_folds_, sigmoids_
        What was chosen for each binary problem.
    """

    _saved = {  # noqa: RUF012
        "C_": "float[n_problems]",
        "cv_scores_": "float[n_problems, n_Cs]",
        "n_folds_": "int[n_problems]",
        "sigmoids_": Sigmoids,
        "sigmoids_.slope": "finite[n_problems]",
        "sigmoids_.intercept": "finite[n_problems]",
        "isotonic_": IsotonicCurves,
        "isotonic_.scores": "finite[n_problems, n_points]",
        "isotonic_.log_odds_at": "finite[n_problems, n_points]",
    }
    # For classifiers that rank by the solver's own score alone, calibrated by sigmoids.
    score_function: str = SCORE_FUNCTIONS[0]
    calibration: str = "sigmoid"

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
        # The first two are those that HyperbolicSVC draws: the last fit is the same as its fit.
        seed, sample_seed, fold_seed = draw_seeds(self.random_state, 3)
        task = "cross validation"
        with self._training_rows(X, y, sample_weight, task=task, seed=sample_seed) as training:
            rows, targets, kept = training
            rows, problems = self._problems(rows, targets)
            folds: Any
            if isinstance(rows, OutOfCoreRows):
                folds = self._n_folds_out_of_core(rows)
                rows = rows.with_folds(folds, fold_seed)
            else:
                self._check_size(rows.data, Cs, rows.weights)
                cv = DEFAULT_FOLDS if self.cv is None else self.cv
                folds = _folds(rows, problems, cv, fold_seed, kept)
            validation = CrossValidation(
                *(self._solver(), Cs, self.scoring, self.score_function),
                *(self.n_jobs, self.verbose, self.calibration),
            )
            results, chosen = validation.run(rows, problems, folds, seed)
        self._keep_choices(targets, results, chosen)
        if hasattr(self, "converged_"):
            self._warn_where_not_converged(problems)
        self._warn_where_not_validated(problems, chosen)
        return self

    def _n_folds_out_of_core(self, rows: OutOfCoreRows) -> int:
        n_folds = DEFAULT_FOLDS if self.cv is None else self.cv
        if not isinstance(n_folds, int | np.integer):
            raise ValueError(
                "cv is a number of folds where the rows are read block by block; got "
                f"{type(n_folds).__name__}."
            )
        if rows.summary.multilabel:
            raise ValueError(
                "cross validation has one label a row where the rows are read block by block: each "
                "of several labels would need folds of its own. Fit one label at a time, or "
                "HyperbolicSVC, which takes several, with a C that a sample chose."
            )
        return _checked_folds(n_folds, rows.summary.n_counted)

    def _check_size(self, points: Any, Cs: Array, weights: Array | None) -> None:
        """Refuse numbers that the solver cannot work with."""

    def _keep_choices(
        self, targets: Targets, results: list[Any], chosen: Sequence[CVResult]
    ) -> None:
        """Set the learned attributes."""
        self._keep(targets, results)
        self.C_ = np.array([each.C for each in chosen])
        self.cv_scores_ = np.array([each.cv_scores for each in chosen])
        self.n_folds_ = np.array([each.n_folds for each in chosen])
        for name in ("sigmoids_", "isotonic_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        fitted = [each.sigmoid for each in chosen if each.sigmoid is not None]
        if self.calibration == "isotonic":
            self.isotonic_ = IsotonicCurves.of(fitted)
        else:
            self.sigmoids_ = Sigmoids.of(fitted)

    def _warn_where_not_validated(
        self, problems: Sequence[BinaryProblem], chosen: Sequence[CVResult]
    ) -> None:
        """Warn where nothing could be left out."""
        names = [
            problem.name
            for problem, each in zip(problems, chosen, strict=True)
            if each.n_folds == 0 and not np.isnan(each.C)
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
        check_is_fitted(self)
        if self.decomposition_ == "ovo":
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
        check_is_fitted(self)
        if self.decomposition_ == "ovo":
            return self._coupled(X)
        log_odds = self._log_odds(X)
        match self.decomposition_:
            case "multilabel":
                return np.asarray(expit(log_odds))
            case "binary":
                return np.asarray(expit(log_odds * [-1.0, 1.0]))
        return normalise(log_odds)

    predict_log_proba = ProbabilisticClassifier.predict_log_proba

    def _coupled(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes from those of the pairs."""
        n_classes = len(self.classes_)
        return self._in_chunks(X, lambda part: couple(expit(self._log_odds(part)), n_classes))

    def _log_odds(self, X: ArrayLike) -> Array:
        curves = self.isotonic_ if hasattr(self, "isotonic_") else self.sigmoids_
        return curves.log_odds(self._scores(X))


def _fewest(labels: NDArray[np.int8]) -> int:
    """Return how many rows the rarer side has."""
    return int(min(np.count_nonzero(labels > 0), np.count_nonzero(labels < 0)))


def _folds(
    rows: Rows,
    problems: Sequence[BinaryProblem],
    cv: Any,
    seed: int,
    kept: Mask | None,
) -> list[NDArray[Any] | None]:
    """Return for each problem the folds of its rows; None where one side has a single row.

    Explicit splits number the rows as the user has them, those of weight 0 included; `kept` says
    which of those are left.
    """
    shared: NDArray[Any] | None = None
    multilabel = rows.codes.ndim == 2

    def divide(codes: NDArray[Any]) -> NDArray[Any]:
        if isinstance(cv, int | np.integer):
            return folds_by_class(codes, _checked_folds(cv, len(codes)), seed)
        return _folds_of_splits(cv.split(np.zeros((len(codes), 1)), codes), len(codes))

    if not isinstance(cv, int | np.integer) and not hasattr(cv, "split"):
        n_rows = len(rows) if kept is None else len(kept)
        shared = _folds_of_splits(cv, n_rows)
        shared = shared if kept is None else shared[kept]
    elif not multilabel:
        shared = divide(rows.codes)
    found: list[NDArray[Any] | None] = []
    for problem in problems:
        labels = problem.labels(rows.codes)
        folds = divide((labels > 0).astype(np.int64)) if shared is None else shared
        own = labels != 0
        folds, labels = folds[own], labels[own]
        if _fewest(labels) < 2:
            found.append(None)
            continue
        for fold in np.unique(folds):
            if len(np.unique(labels[folds != fold])) < 2:
                raise ValueError(
                    f"the training part of fold {fold} has one side only of {problem.name}. Use "
                    "stratified folds, or fewer of them."
                )
        found.append(folds)
    return found


def _checked_folds(n_folds: int | np.integer, n_rows: int) -> int:
    """Return the number of folds, at most one for each row."""
    if n_folds < 2:
        raise ValueError(f"cv must be at least 2 folds; got {n_folds}.")
    return min(int(n_folds), max(n_rows, 2))


def _folds_of_splits(splits: Iterable[Any], n_rows: int) -> NDArray[np.int64]:
    """Return for each row the number of the test part it is in; these must be a partition."""
    folds, how_often = np.empty(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    for k, split in enumerate(splits):
        try:
            _, rows = split
        except (TypeError, ValueError):
            message = f"split {k} of cv must be a pair (training rows, test rows); got {split!r}."
            raise ValueError(message) from None
        test = np.asarray(rows)
        if not test.size:
            continue
        if test.ndim != 1 or test.dtype.kind not in "iub":
            raise ValueError(f"the test rows of split {k} of cv must be integers; got {rows!r}.")
        rows_left_out = np.flatnonzero(test) if test.dtype == bool else test
        outside = rows_left_out[(rows_left_out < 0) | (rows_left_out >= n_rows)]
        if outside.size:
            raise ValueError(
                f"split {k} of cv leaves out row {outside[0]}, and X has the rows 0 to "
                f"{n_rows - 1}."
            )
        folds[rows_left_out] = k
        np.add.at(how_often, rows_left_out, 1)
    for times, is_wrong in (("more than once", how_often > 1), ("never", how_often == 0)):
        wrong = np.flatnonzero(is_wrong)
        if not wrong.size:
            continue
        raise ValueError(
            f"cv leaves {len(wrong)} rows out {times} (first: row {wrong[0]}). Use folds whose "
            "test parts are a partition, for instance StratifiedKFold."
        )
    return folds


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
