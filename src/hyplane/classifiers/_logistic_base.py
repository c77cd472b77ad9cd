"""What the two logistic regressions share: classes at once, labels one by one."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS
from hyplane.classifiers._probabilistic import LARGEST_WEIGHT, ProbabilisticClassifier, row_weights
from hyplane.classifiers._softmax import Logits, SoftmaxResult, fit_softmax, probabilities
from hyplane.classifiers._targets import Targets, side_weights

# What the constructors have in common, as scikit-learn states constraints.
LOGISTIC_CONSTRAINTS = {
    "C": [Interval(Real, 1 / LARGEST_WEIGHT, LARGEST_WEIGHT, closed="both")],
    **CHART_CONSTRAINTS,
    **{name: PARAMETER_CONSTRAINTS[name] for name in ("class_weight", "tol", "random_state")},
    "max_iter": [Interval(Integral, 1, None, closed="left")],
}


@dataclass(frozen=True)
class Prepared:
    """Rows and labels as the likelihood takes them: all that does not depend on C.

    Attributes
    ----------
    logits : Logits
    targets : Targets
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    penalty : ndarray of shape (n_features,)
        Weights of the squared coefficients.
    constant : ndarray of shape (n_features,)
        Coefficients whose plain logit is 1 everywhere, for constant labels.
    basis : ndarray
        What the subclass needs to make attributes of the coefficients.
    starts : int
    seed : int
        As `fit_softmax` has them.
    """

    logits: Logits
    targets: Targets
    weights: Array | None
    penalty: Array
    constant: Array
    basis: Array
    starts: int = 1
    seed: int = 0


class LogisticClassifier(ProbabilisticClassifier):
    """A classifier by logits; a subclass makes the features and keeps the coefficients."""

    C: float

    @abstractmethod
    def _prepared(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Prepared:
        """Check the rows and make their features."""

    @abstractmethod
    def _keep_coefficients(self, coef: Array, basis: Array) -> None:
        """Keep the coefficients as attributes."""

    @abstractmethod
    def _logits(self, X: ArrayLike) -> Array:
        """Return the logits of checked rows, of shape (m, n_columns)."""

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the logits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : object
        """
        self._fit_logits(self._prepared(X, y, sample_weight))
        return self

    def fit_path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        Cs: Iterable[float],
        sample_weight: ArrayLike | None = None,
    ) -> list[Self]:
        """Fit for several values of C; what does not depend on C is computed once.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        Cs : iterable of float
            Values in the place of ``C``. With a kernel, where the problem is convex, each fit
            starts from the one before: rising values are quickest.

        Returns
        -------
        models : list
            A fitted copy of this classifier for each value.

        Examples
        --------
        >>> from hyplane import HyperbolicKernelLogisticRegression
        >>> X, y = [[0.0, 0.1], [0.1, 0.0], [0.8, 0.0], [0.0, 0.8]], [0, 0, 1, 1]
        >>> path = HyperbolicKernelLogisticRegression().fit_path(X, y, [0.1, 1.0, 10.0])
        >>> [model.C for model in path]
        [0.1, 1.0, 10.0]
        """
        first = clone(self)
        first._validate_params()
        prepared = first._prepared(X, y, sample_weight)
        models: list[Self] = []
        coef = None
        for C in Cs:
            model = copy(first).set_params(C=C)
            model._validate_params()
            found = model._fit_logits(prepared, coef)
            coef = found if prepared.logits.radius is None else None
            models.append(model)
        return models

    def _fit_logits(self, prepared: Prepared, first: Array | None = None) -> Array:
        """Fit all classes at once, or each label by itself; keep and return the coefficients."""
        logits, targets, weights = prepared.logits, prepared.targets, prepared.weights
        settings: dict[str, Any] = {
            "C": self.C,
            "penalty": prepared.penalty,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "starts": prepared.starts,
            "seed": prepared.seed,
        }
        results: list[SoftmaxResult] = []
        coef: list[Array] = []
        if targets.multilabel:
            sides = side_weights(targets.counts, len(targets.codes), self.class_weight)
            for codes, (positive, negative) in zip(targets.codes.T, sides, strict=True):
                own = np.where(codes == 1, positive, negative)
                own = own if weights is None else own * weights
                if codes.min() == codes.max():
                    odds = (2 * codes[0] - 1) * np.log1p(own.sum())
                    level = odds if logits.radius is None else np.sinh(odds)
                    coef.append(level * prepared.constant[None])
                    continue
                start = None if first is None else first[len(coef), None]
                fit = fit_softmax(logits, codes, 2, own, first=start, **settings)
                results.append(fit)
                coef.append(fit.coef)
        else:
            both = row_weights(targets, self.class_weight, weights)
            n_classes = len(targets.classes)
            fit = fit_softmax(logits, targets.codes, n_classes, both, first=first, **settings)
            results.append(fit)
            coef.append(fit.coef)
        self._keep_kind(targets)
        self._keep_results(results)
        stacked = np.vstack(coef)
        self._keep_coefficients(stacked, prepared.basis)
        return stacked

    def _keep_results(self, results: Sequence[SoftmaxResult]) -> None:
        self.objective_ = np.array([result.objective for result in results])
        self.n_iter_ = np.array([result.n_iter for result in results], dtype=np.int64)
        if not results:  # constant labels only
            self.n_iter_ = np.ones(1, dtype=np.int64)
        failed = [result for result in results if not result.converged]
        if failed:
            warnings.warn(
                f"the solver stopped before it converged ({failed[0].reason}). Raise max_iter "
                f"(now {self.max_iter}) or tol (now {self.tol:g}), or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the logits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        logits : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``; else one per class or label.
            Of several classes only their differences count. Finite at any radius.
        """
        logits = self._logits(self._check_rows(X))
        return logits[:, 0] if self.decomposition_ == "binary" else logits

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one. For an indicator matrix the columns are independent.
        """
        logits = self._logits(self._check_rows(X))
        if self.decomposition_ == "binary":
            return np.asarray(expit(logits * [-1.0, 1.0]))
        return probabilities(logits, self.decomposition_)
