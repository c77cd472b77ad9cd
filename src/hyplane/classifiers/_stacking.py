"""Calibration of probabilities, and weights of classifiers by cross-validated likelihood."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._calibration import couple

TINY = float(np.finfo(np.float64).tiny)
# Probabilities are kept this far from 0 and 1 in logarithms.
SMALLEST_PROBABILITY = 1e-12
# In the comparison of classifiers, where a single row must not decide.
FLOOR = 1e-6
# Log-odds per unit of the scores of a kernel SVC, before the calibration. On development data the
# results of 1 to 4 were within noise.
SLOPE = 2.0
# Powers are between 1/20 and 20.
LARGEST_LOG_POWER = float(np.log(20.0))
# Few steps from equal weights: near-equal classifiers keep near-equal weights. On development data
# (Gaussians, trees, planted networks, tables of R) 10 to 300 steps were equally good.
STEPS = 30
# Weights below this share of the largest are dropped: each member costs a fit.
SMALLEST_SHARE = 0.1


def probabilities_of(model: Any, X: ArrayLike) -> Array:
    """Return the probabilities of the classes, also of a kernel SVC, which has only scores.

    Parameters
    ----------
    model : classifier
        Fitted, with `predict_proba` or with scores of pairs of classes.
    X : array-like of shape (m, n_columns)

    Returns
    -------
    probabilities : ndarray of shape (m, n_classes)
        Those from scores are not calibrated yet, which the power of `fit_power` does.

    Examples
    --------
    >>> from hyplane.classifiers import HyperbolicKernelSVC
    >>> X = np.array([[0.1, 0.0], [0.0, 0.1], [0.8, 0.0], [0.0, 0.8]])
    >>> model = HyperbolicKernelSVC(decision_function_shape="ovo").fit(X, [0, 0, 1, 2])
    >>> probabilities_of(model, X).argmax(axis=1)
    array([0, 0, 1, 2])
    """
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    scores = SLOPE * model.decision_function(X)
    if scores.ndim == 1:
        return np.asarray(expit(np.column_stack([-scores, scores])))
    if model.decomposition_ == "multilabel":
        return np.asarray(expit(scores))
    return couple(expit(-scores), len(model.classes_))  # positive for the first of a pair


def likelihood(probabilities: Array, indicator: NDArray[np.int64], multilabel: bool) -> Array:
    """Return the probabilities of what was seen: one per row, or one per row and label.

    Examples
    --------
    >>> likelihood(np.array([[0.8, 0.2], [0.7, 0.3]]), np.array([[1, 0], [0, 1]]), False)
    array([0.8, 0.3])
    """
    if multilabel:
        return np.asarray(np.where(indicator > 0, probabilities, 1.0 - probabilities).ravel())
    return np.asarray(np.where(indicator > 0, probabilities, 0.0).sum(axis=1))


def log_loss(found: Array) -> float:
    """Return the mean of ``-log`` of likelihoods, none below 1e-6.

    Examples
    --------
    >>> round(log_loss(np.array([0.5, 0.25])), 3)
    1.04
    """
    return float(-np.log(np.maximum(found, FLOOR)).mean())


def fit_power(probabilities: Array, indicator: NDArray[np.int64], multilabel: bool) -> float:
    """Return the power of the probabilities that fits best, which is how they are calibrated.

    Parameters
    ----------
    probabilities : ndarray of shape (m, n_classes)
        Of rows that took no part in the fit.
    indicator : ndarray of shape (m, n_classes)
    multilabel : bool
        Whether the columns are independent.

    Returns
    -------
    power : float
        Between 1/20 and 20; below 1 where the probabilities are too sure.

    Examples
    --------
    >>> sure = np.array([[0.99, 0.01]] * 4)
    >>> fit_power(sure, np.array([[1, 0], [1, 0], [1, 0], [0, 1]]), False) < 0.5
    True
    """

    def loss(log_power: float) -> float:
        raised = sharpen(probabilities, np.exp(log_power), multilabel)
        seen = likelihood(raised, indicator, multilabel)
        return -float(np.log(np.maximum(seen, TINY)).sum())

    bounds = (-LARGEST_LOG_POWER, LARGEST_LOG_POWER)
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 0.01})
    return float(np.exp(found.x))


def sharpen(probabilities: Array, power: float, multilabel: bool) -> Array:
    """Raise probabilities to a power and scale them back: log-odds are multiplied by it.

    Examples
    --------
    >>> sharpen(np.array([[0.8, 0.2]]), 2.0, False).round(3)
    array([[0.941, 0.059]])
    """
    p = np.clip(probabilities, SMALLEST_PROBABILITY, 1.0 - SMALLEST_PROBABILITY)
    raised = p**power
    total = raised + (1.0 - p) ** power if multilabel else raised.sum(axis=1, keepdims=True)
    return np.asarray(raised / total)


def stacking_weights(likelihoods: Array) -> Array:
    """Return weights of classifiers whose average makes what was seen likely.

    Steps of the EM algorithm for the weights of a mixture, from equal weights.

    Parameters
    ----------
    likelihoods : ndarray of shape (n_classifiers, k)
        As `likelihood` has them, of rows that took no part in the fits.

    Returns
    -------
    weights : ndarray of shape (n_classifiers,)
        Not negative, with sum 1; those below a tenth of the largest are 0.

    Examples
    --------
    >>> stacking_weights(np.array([[0.9, 0.2], [0.2, 0.9], [0.1, 0.1]])).round(2)
    array([0.5, 0.5, 0. ])
    """
    found = np.maximum(likelihoods, FLOOR)
    weights = np.full(len(found), 1.0 / len(found))
    for _ in range(STEPS):
        weights *= (found / (weights @ found)).mean(axis=1)
    weights[weights < SMALLEST_SHARE * weights.max()] = 0.0
    return np.asarray(weights / weights.sum())
