"""What the two logistic regressions share: classes at once, labels one by one."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from hyplane._typing import Array, ArrayLike
from hyplane.logistic.softmax import Logits, SoftmaxResult, fit_softmax, probabilities
from hyplane.svm.probabilistic import ProbabilisticClassifier, row_weights
from hyplane.svm.targets import Targets


class LogisticClassifier(ProbabilisticClassifier):
    """A classifier by logits; a subclass makes the features and keeps the coefficients."""

    @abstractmethod
    def _logits(self, X: ArrayLike) -> Array:
        """Return the logits of checked rows, of shape (m, n_columns)."""

    def _fit_logits(
        self,
        logits: Logits,
        targets: Targets,
        weights: Array | None,
        penalty: Array,
        constant: Array,
        *,
        starts: int = 1,
        seed: int = 0,
    ) -> Array:
        """Fit all classes at once, or each label by itself; return the coefficients.

        ``constant`` is the vector of coefficients whose plain logit is 1 everywhere, for labels
        that all rows have, or none.
        """
        settings: dict[str, Any] = {
            "C": self.C,
            "penalty": penalty,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "starts": starts,
            "seed": seed,
        }
        results: list[SoftmaxResult] = []
        coef: list[Array] = []
        if targets.multilabel:
            for problem in targets.problems("ovr", self.class_weight, weights):
                if problem.constant:
                    odds = problem.constant * np.log1p(problem.total_weight)
                    level = odds if logits.radius is None else np.sinh(odds)
                    coef.append(level * constant[None])
                    continue
                codes = (problem.labels > 0).astype(np.int64)
                results.append(fit_softmax(logits, codes, 2, problem.weights, **settings))
                coef.append(results[-1].coef)
        else:
            both = row_weights(targets, self.class_weight, weights)
            n_classes = len(targets.classes)
            results.append(fit_softmax(logits, targets.codes, n_classes, both, **settings))
            coef.append(results[-1].coef)
        self._keep_kind(targets)
        self._keep_results(results)
        return np.vstack(coef)

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
