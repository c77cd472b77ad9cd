"""Any binary classifier by the paper's procedure, the mirror of `hyplane.HyperbolicSVCCV`."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state

from hyplane._typing import Array, ArrayLike
from hyplane.metrics import METRICS
from hyplane.svm._calibration import Sigmoids, constant_sigmoid, fit_sigmoid, normalise
from hyplane.svm._folds import Folds, assign_folds
from hyplane.svm._selection import best_of, middle_of
from hyplane.svm._svc_cv import DEFAULT_CS, DEFAULT_FOLDS
from hyplane.svm._targets import BinaryProblem, Targets

Scorer = Callable[[Any], Array]


class NestedCV(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One class against the rest, C chosen by cross validation, calibrated by Platt's sigmoid.

    Folds, choice of C, calibration and refit follow `hyplane.HyperbolicSVCCV` to the letter, and
    the same ``random_state`` gives the same folds, so that two methods differ in the binary
    classifier alone.

    Parameters
    ----------
    estimator : classifier
        A binary classifier with ``decision_function``.
    Cs : sequence of float, default=(0.1, 1.0, 10.0)
        Values of C to choose from.
    parameter : str, default="C"
        Name of C among the estimator's parameters, for instance ``"linearsvc__C"`` in a pipeline.
    cv : int, default=5
        Number of folds, never more than the rarer side of a problem has rows.
    scoring : {"average_precision", "trapezoid_aupr", "roc_auc"}, default="average_precision"
        What the pooled out-of-fold scores are judged by.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    C_ : ndarray of shape (n_problems,)
        The C chosen for each binary problem; nan for a label that all rows have, or none.
    sigmoids_ : Sigmoids
        Slope and intercept of each problem's log-odds.

    Examples
    --------
    >>> from hyplane.baselines import klein_svm
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(200, random_state=0)
    >>> clf = NestedCV(klein_svm(), parameter="linearsvc__C", random_state=0).fit(X, y)
    >>> clf.decision_function(X).shape
    (200, 4)
    """

    def __init__(
        self,
        estimator: Any,
        Cs: Sequence[float] = DEFAULT_CS,
        *,
        parameter: str = "C",
        cv: int = DEFAULT_FOLDS,
        scoring: str = "average_precision",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.Cs = Cs
        self.parameter = parameter
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
        self : NestedCV
        """
        X = np.asarray(X)
        targets = Targets.of(np.asarray(y))
        problems = targets.problems("ovr", None, None)
        # Drawn as HyperbolicSVCCV draws them: the first row is for its solver.
        random_state = check_random_state(self.random_state)
        fold_seeds = random_state.randint(np.iinfo(np.int32).max, size=(2, len(problems)))[1]
        fitted = [
            self._fit_problem(X, problem, int(seed))
            for problem, seed in zip(problems, fold_seeds, strict=True)
        ]
        self.classes_ = targets.classes
        self._multilabel = targets.multilabel
        self.C_ = np.array([C for C, _, _ in fitted])
        self._scorers = [scorer for _, scorer, _ in fitted]
        self.sigmoids_ = Sigmoids.of(sigmoid for _, _, sigmoid in fitted)
        return self

    def _fit_problem(
        self, X: NDArray[Any], problem: BinaryProblem, seed: int
    ) -> tuple[float, Scorer, tuple[float, float]]:
        if problem.constant:
            return np.nan, _zero, constant_sigmoid(problem.constant, len(problem.labels))
        Cs = np.asarray(self.Cs, dtype=np.float64)
        folds = assign_folds(problem, self.cv, seed)
        if folds is None:
            C = middle_of(Cs)
            scorer = self._refit(X, problem.labels, C)
            return C, scorer, fit_sigmoid(scorer(X), problem.labels)
        scores = self._out_of_fold_scores(X, problem.labels, folds, Cs)
        metric = METRICS[self.scoring]
        best = best_of(Cs, np.array([metric(problem.labels, column, None) for column in scores.T]))
        C = float(Cs[best])
        return C, self._refit(X, problem.labels, C), fit_sigmoid(scores[:, best], problem.labels)

    def _out_of_fold_scores(
        self, X: NDArray[Any], labels: NDArray[np.int8], folds: Folds, Cs: Array
    ) -> Array:
        """Score each row by the fits, one per C, of the fold that leaves it out."""
        scores = np.empty((len(labels), len(Cs)))
        for k in range(folds.max() + 1):
            left_out = folds == k
            for j, C in enumerate(Cs):
                scorer = self._refit(X[~left_out], labels[~left_out], float(C))
                scores[left_out, j] = scorer(X[left_out])
        return scores

    def _refit(self, X: NDArray[Any], labels: NDArray[np.int8], C: float) -> Scorer:
        fitted = clone(self.estimator).set_params(**{self.parameter: C}).fit(X, labels)
        return fitted.decision_function  # type: ignore[no-any-return]

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the calibrated log-odds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        log_odds : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``.
        """
        scores = np.column_stack([scorer(np.asarray(X)) for scorer in self._scorers])
        log_odds = self.sigmoids_.log_odds(scores)
        return log_odds[:, 0] if self._single else log_odds

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one, but for an indicator matrix.
        """
        log_odds = self.decision_function(X)
        if self._single:
            return np.asarray(expit(log_odds[:, None] * [-1.0, 1.0]))
        return np.asarray(expit(log_odds)) if self._multilabel else normalise(log_odds)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row, or its labels above one half.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        log_odds = self.decision_function(X)
        if self._multilabel:
            return (log_odds > 0).astype(np.int64)
        most = (log_odds > 0).astype(np.int64) if self._single else log_odds.argmax(axis=1)
        return np.asarray(self.classes_[most])

    @property
    def _single(self) -> bool:
        return len(self._scorers) == 1 and not self._multilabel


def _zero(X: Any) -> Array:
    return np.zeros(len(X))
