"""What classifiers with probabilities of their own share."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import BaseHyperbolicClassifier
from hyplane.classifiers._targets import ClassWeight, Targets, check_class_weight

LARGEST_WEIGHT = 1e100  # of C and of weights, for solvers that square them


class ProbabilisticClassifier(BaseHyperbolicClassifier):
    """A classifier of all classes at once; a subclass has `predict_proba`.

    A subclass has the parameters ``coordinates`` and ``curvature``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    decomposition_ : {"binary", "joint", "multilabel"}
        What kind of labels there were.
    """

    multi_class = "joint"

    @abstractmethod
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


def class_shares(targets: Targets, weights: Array | None) -> Array:
    """Return the shares of the classes, or of the labels, kept away from 0 and 1.

    Parameters
    ----------
    targets : Targets
    weights : ndarray of shape (m,) or None

    Returns
    -------
    shares : ndarray of shape (n_classes,)
        ``(N_k + 1) / (N + K)`` for K classes, ``(N_k + 1) / (N + 2)`` for labels.

    Examples
    --------
    >>> class_shares(Targets.of(np.array(["a", "a", "b"])), None)
    array([0.6, 0.4])
    """
    weight = np.ones(len(targets.codes)) if weights is None else weights
    if targets.multilabel:
        return np.asarray((weight @ targets.codes + 1.0) / (weight.sum() + 2.0))
    counts = np.bincount(targets.codes, weight, len(targets.classes))
    return np.asarray((counts + 1.0) / (weight.sum() + len(counts)))


def row_weights(
    targets: Targets, class_weight: ClassWeight, sample_weight: Array | None
) -> Array | None:
    """Return the weights of rows by class and by sample together; None where all are 1.

    Parameters
    ----------
    targets : Targets
    class_weight : dict, "balanced" or None
        As in scikit-learn. For an indicator matrix "balanced" is the product over its columns.
    sample_weight : ndarray of shape (m,) or None

    Returns
    -------
    weights : ndarray of shape (m,) or None

    Examples
    --------
    >>> targets = Targets.of(np.array([0, 0, 0, 1]))
    >>> row_weights(targets, "balanced", None).round(2)
    array([0.67, 0.67, 0.67, 2.  ])
    """
    check_class_weight(class_weight)
    if class_weight is None:
        return None if sample_weight is None else _in_range(sample_weight)
    if targets.multilabel:
        if isinstance(class_weight, dict):
            raise ValueError("class_weight of an indicator matrix is 'balanced' or None here.")
        weights = compute_sample_weight(class_weight, targets.codes)
    else:
        weights = compute_sample_weight(class_weight, targets.classes[targets.codes])
    return _in_range(weights if sample_weight is None else weights * sample_weight)


def _in_range(weights: Array) -> Array:
    """Refuse weights whose products leave the doubles."""
    bad = np.flatnonzero(
        (weights > 0) & ((weights < 1 / LARGEST_WEIGHT) | (weights > LARGEST_WEIGHT))
    )
    if bad.size:
        raise ValueError(
            f"the weight of row {bad[0]} is {weights[bad[0]]:.3g}; weights are between "
            f"{1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, or 0."
        )
    return np.asarray(weights)
