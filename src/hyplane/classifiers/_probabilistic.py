"""What classifiers with probabilities of their own share."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import BaseHyperbolicClassifier
from hyplane.classifiers._targets import ClassWeight, Targets, check_class_weight
from hyplane.solvers import Points

LARGEST_WEIGHT = 1e100  # of C and of rows: solvers square them


class ProbabilisticClassifier(BaseHyperbolicClassifier):
    """A classifier of all classes at once, with ``coordinates`` and ``curvature``."""

    multi_class = "joint"

    @abstractmethod
    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes."""

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Return the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            The natural logarithm of `predict_proba`.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each point, or its labels above one half.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or the indicator matrix of labels.
        """
        probabilities = self.predict_proba(X)
        if self.decomposition_ == "multilabel":
            return (probabilities > 0.5).astype(np.int64)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])


def scaled_points(points: Points) -> Array:
    """Return ``exp(-r) x`` with x on the hyperboloid, which is finite at any radius."""
    with np.errstate(under="ignore"):
        small = np.exp(-2.0 * points.radius)
    return 0.5 * np.column_stack([1.0 + small, (1.0 - small)[:, None] * points.direction])


def class_shares(targets: Targets, weights: Array | None) -> Array:
    """Return ``(N_k + 1) / (N + K)`` of K classes, or ``(N_k + 1) / (N + 2)`` of labels."""
    weight = np.ones(len(targets.codes)) if weights is None else weights
    if targets.multilabel:
        return np.asarray((weight @ targets.codes + 1.0) / (weight.sum() + 2.0))
    counts = np.bincount(targets.codes, weight, len(targets.classes))
    return np.asarray((counts + 1.0) / (weight.sum() + len(counts)))


def row_weights(
    y: NDArray[Any], class_weight: ClassWeight, sample_weight: Array | None
) -> Array | None:
    """Return the weights of rows by class and by sample together; None where all are 1.

    For an indicator matrix the weights of its columns are multiplied.
    """
    check_class_weight(class_weight)
    weights = sample_weight
    if class_weight is not None:
        of_columns = y.ndim == 2 and class_weight != "balanced"
        by_class = compute_sample_weight(
            [class_weight] * y.shape[1] if of_columns else class_weight, y
        )
        weights = by_class if sample_weight is None else by_class * sample_weight
    if weights is None:
        return None
    limits = 1 / LARGEST_WEIGHT, LARGEST_WEIGHT
    bad = np.flatnonzero((weights > 0) & ((weights < limits[0]) | (weights > limits[1])))
    if bad.size:
        raise ValueError(
            f"the weight of row {bad[0]} is {weights[bad[0]]:.3g}; weights are between "
            f"{limits[0]:g} and {limits[1]:g}, or 0."
        )
    return np.asarray(weights)
