"""The paper's procedure for any binary solver: folds, choice of C, Platt's sigmoid, refit."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self

import numpy as np
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
from hyplane.geometry.numerics import arsinh_exp, log_cosh, log_sinh
from hyplane.metrics import METRICS, areas_of_columns
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import BinaryProblem, BinaryRows, Rows, folds_by_class

# The paper's grid and folds.
DEFAULT_CS = (0.1, 1.0, 10.0)
DEFAULT_FOLDS = 5
# What a hyperplane can rank points by; classifiers may choose between them.
SCORE_FUNCTIONS = ("minkowski", "klein")
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
    """The result of cross validation for one binary problem.

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
        The score by which points are ranked.
    """

    C: float
    cv_scores: Array
    n_folds: int
    sigmoid: tuple[Any, Any] | None
    score_function: str


class CrossValidatedClassifier(BinaryProblemsClassifier):
    """A classifier that chooses C by cross validation; a subclass names the binary solver.

    A subclass has the parameters ``Cs``, ``cv``, ``scoring`` and ``random_state``.

    Attributes
    ----------
    C_, cv_scores_, n_folds_, sigmoids_
        The choices for each binary problem.
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
    score_function: str | None = None
    calibration: str = "sigmoid"

    def _scores(self, X: ArrayLike) -> Array:
        """Return the scores of every row and problem."""
        points = self._points(self._check_rows(X))
        return self._solver().score(self.results_, points)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose C by cross validation, calibrate the scores and fit on all rows.

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
            if isinstance(rows, OutOfCoreRows):
                n_folds = _n_folds_out_of_core(self.cv, rows)
                rows = rows.with_folds(n_folds, fold_seed)
                held_out = self._scores_over_blocks(rows, problems, n_folds, Cs, seed)
            else:
                folds = _folds(rows, problems, self.cv, fold_seed, kept)
                held_out = self._scores_in_memory(rows, problems, folds, Cs, seed)
            choices = [(Cs, *each) for each in held_out]
            chosen = side_by_side(self._choose, choices, self.n_jobs)
            results = self._solve(rows, problems, [each.C for each in chosen], seed)
        for k, (own, _) in enumerate(held_out):
            if chosen[k].sigmoid is None:  # calibrated on the training rows
                scores = self._solver().score([results[k]], own.data)
                ranked = self._ranked(own, scores)[chosen[k].score_function]
                sigmoid = CALIBRATIONS[self.calibration](ranked[:, 0], own.labels, own.weights)
                chosen[k] = replace(chosen[k], sigmoid=sigmoid)
        self._store(targets, results)
        self._store_choices(chosen)
        if hasattr(self, "converged_"):
            self._warn_where_not_converged(problems)
        self._warn_where_not_validated(problems, chosen)
        return self

    def _scores_in_memory(
        self,
        rows: Rows,
        problems: Sequence[BinaryProblem],
        folds: Sequence[Any],
        Cs: Array,
        seed: int,
    ) -> list[tuple[BinaryRows, Array | None]]:
        """Return the rows of each problem, and their scores by the fits that leave them out.

        There are no scores where a problem has no folds.
        """
        pairs = zip(map(rows.of, problems), folds, strict=True)
        parts = [each._replace(folds=of_problem) for each, of_problem in pairs]
        solver = self._solver()
        tasks: list[tuple[int, int]] = []
        scores: list[Any] = [None] * len(parts)
        for k, each in enumerate(parts):
            if each.folds is not None:
                scores[k] = np.zeros((len(each.labels), len(Cs)))
                tasks += [(k, fold) for fold in np.unique(each.folds).tolist()]

        def score(k: int, fold: int) -> None:
            of_fold = solver.out_of_fold_scores(parts[k], [fold], Cs, seed=seed)
            left_out = parts[k].folds == fold
            scores[k][left_out] = of_fold[left_out]

        side_by_side(score, tasks, self.n_jobs, progress="cross validation" * bool(self.verbose))
        return list(zip(parts, scores, strict=True))

    def _scores_over_blocks(
        self,
        rows: OutOfCoreRows,
        problems: Sequence[BinaryProblem],
        n_folds: int,
        Cs: Array,
        seed: int,
    ) -> list[tuple[BinaryRows, Array | None]]:
        """Return a sample of the rows of each problem, and their scores by fits of all others."""
        parts = [rows.sample.of(problem) for problem in problems]
        divided = [k for k, each in enumerate(parts) if _fewest(each.labels) >= 2]
        asked = [replace(problems[k], left_out=fold) for k in divided for fold in range(n_folds)]
        fits: list[list[Any]] = []
        for C in Cs if asked else []:
            start = fits[-1] if fits else None
            fits.append(self._solve(rows, asked, [float(C)] * len(asked), seed, start))
        scores: list[Array | None] = [None] * len(parts)
        for place, k in enumerate(divided):
            scores[k] = of_problem = np.zeros((len(parts[k].labels), len(Cs)))
            for fold in range(n_folds):
                left_out = parts[k].folds == fold
                planes = Hyperplanes.of_results([of_C[place * n_folds + fold] for of_C in fits])
                of_problem[left_out] = parts[k].data[left_out].scores(planes)
        return list(zip(parts, scores, strict=True))

    def _choose(self, Cs: Array, rows: BinaryRows, scores: Array | None) -> CVResult:
        """Choose the C that ranks the rows left out best, and calibrate its scores."""
        if scores is None:
            return self._without_folds(Cs, rows)
        ranked = self._ranked(rows, scores)
        areas = areas_of_columns(
            rows.labels, np.hstack([*ranked.values()]), [self.scoring], rows.weights
        )
        by_name = areas.reshape(len(ranked), len(Cs))
        which = int(np.flatnonzero(by_name.max(axis=1) >= by_name.max() - EQUAL_SCORES)[0])
        cv_scores = by_name[which]
        equal = np.flatnonzero(cv_scores >= cv_scores.max() - EQUAL_SCORES)
        best = equal[np.argmin(Cs[equal])]
        name = list(ranked)[which]
        sigmoid = CALIBRATIONS[self.calibration](ranked[name][:, best], rows.labels, rows.weights)
        n_folds = len(np.unique(np.asarray(rows.folds)))
        return CVResult(float(Cs[best]), cv_scores, n_folds, sigmoid, name)

    def _ranked(self, rows: BinaryRows, scores: Array) -> dict[str, Array]:
        """Return the scores by each score function that may be chosen."""
        return {
            name: klein_scores(scores, rows.data.radius) if name == "klein" else scores
            for name in self._score_functions()
        }

    def _score_functions(self) -> Sequence[str]:
        """Return the score functions to choose from."""
        if self.score_function is None:
            return SCORE_FUNCTIONS[:1]
        return SCORE_FUNCTIONS if self.score_function == "auto" else [self.score_function]

    def _without_folds(self, Cs: Array, rows: BinaryRows) -> CVResult:
        """Take the middle C of the grid, the lower one of two."""
        unknown = np.full(len(Cs), np.nan)
        if rows.constant:
            n_rows = len(rows.labels) if rows.weights is None else rows.weights.sum()
            sigmoid = constant_sigmoid(rows.constant, float(n_rows))
            return CVResult(np.nan, unknown, 0, sigmoid, SCORE_FUNCTIONS[0])
        middle = float(np.sort(Cs)[(len(Cs) - 1) // 2])
        return CVResult(middle, unknown, 0, None, self._score_functions()[0])

    def _store_choices(self, chosen: Sequence[CVResult]) -> None:
        """Set what was chosen for each binary problem."""
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
        if self.score_function is not None:
            self.score_functions_ = np.array([each.score_function for each in chosen])

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


def klein_scores(scores: Array, radius: Array) -> Array:
    """Turn ``arsinh(w*x)`` into ``arsinh(w*x / x0)``.

    The quotient is linear in the Klein coordinates ``x1: / x0`` and zero on the same hyperplane. It
    is bounded, so that points do not rank high by their distance from the origin alone.

    Parameters
    ----------
    scores : ndarray of shape (m, n_problems)
        ``arsinh(w*x)``.
    radius : ndarray of shape (m,)
        Distances of the points from the origin, ``x0 = cosh r``.

    Returns
    -------
    scores : ndarray of shape (m, n_problems)

    Examples
    --------
    >>> klein_scores(np.arcsinh([[2.0], [-2.0]]), np.arccosh([1.0, 2.0])).round(6)
    array([[ 1.443635],
           [-0.881374]])
    """
    with np.errstate(divide="ignore"):  # a point on the hyperplane scores 0
        log_product = log_sinh(np.abs(scores))
    return np.asarray(np.sign(scores) * arsinh_exp(log_product - log_cosh(radius)[:, None]))


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
    splits = None if _is_number_of_folds(cv) or hasattr(cv, "split") else list(cv)

    def divide(codes: NDArray[Any]) -> NDArray[Any]:
        if _is_number_of_folds(cv):
            return folds_by_class(codes, _n_folds(cv, len(codes)), seed)
        if splits is None:
            return _folds_of_splits(cv.split(np.zeros((len(codes), 1)), codes), len(codes))
        if kept is None:
            return _folds_of_splits(splits, len(codes))
        return _folds_of_splits(splits, len(kept))[kept]

    shared = divide(rows.codes) if rows.codes.ndim == 1 else None
    found: list[NDArray[Any] | None] = []
    for problem in problems:
        labels = problem.labels(rows.codes)
        folds = divide((labels > 0).astype(np.int64)) if shared is None else shared
        folds, labels = folds[labels != 0], labels[labels != 0]
        for fold in np.unique(folds) if _fewest(labels) >= 2 else []:
            if len(np.unique(labels[folds != fold])) < 2:
                raise ValueError(
                    f"the training part of fold {fold} has one side only of {problem.name}. Use "
                    "stratified folds, or fewer of them."
                )
        found.append(folds if _fewest(labels) >= 2 else None)
    return found


def _is_number_of_folds(cv: Any) -> bool:
    return cv is None or isinstance(cv, Integral)


def _n_folds(cv: int | None, n_rows: int) -> int:
    """Return the number of folds, at most one for each row."""
    return min(DEFAULT_FOLDS if cv is None else int(cv), max(n_rows, 2))


def _n_folds_out_of_core(cv: Any, rows: OutOfCoreRows) -> int:
    if not _is_number_of_folds(cv):
        raise ValueError(
            "cv is a number of folds where the rows are read block by block; got "
            f"{type(cv).__name__}."
        )
    if rows.summary.multilabel:
        raise ValueError(
            "cross validation has one label a row where the rows are read block by block: each "
            "of several labels would need folds of its own. Fit one label at a time, or "
            "HyperbolicSVC, which takes several, with a C that a sample chose."
        )
    return _n_folds(cv, rows.summary.n_counted)


def _folds_of_splits(splits: Iterable[Any], n_rows: int) -> NDArray[np.int64]:
    """Return for each row the number of the test part it is in; these must be a partition."""
    folds, how_often = np.empty(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    for k, split in enumerate(splits):
        try:
            _, rows = split
            left_out = np.arange(n_rows)[np.asarray(rows) if len(rows) else []]
        except (TypeError, ValueError, IndexError) as error:
            raise ValueError(
                f"split {k} of cv must be a pair (training rows, test rows) of the rows 0 to "
                f"{n_rows - 1} of X: {error}."
            ) from error
        folds[left_out] = k
        np.add.at(how_often, left_out, 1)
    for row in np.flatnonzero(how_often != 1):
        raise ValueError(
            f"cv leaves row {row} out {how_often[row]} times. Each row must be in one test part, "
            "as with StratifiedKFold."
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
