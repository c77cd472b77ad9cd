"""How well scores rank: areas under the precision-recall and ROC curves, class by class or pooled.

The metrics are scikit-learn's and the trapezoid rule of the paper's authors. Labels are True and
False, 1 and 0, or 1 and -1; scores are higher for True. Only the order of the scores counts, so
they may be infinite, and a row of weight 0 does not count. Where the labels leave a metric
undefined it is nan, and averages over classes leave such a class out.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import validate_weights

__all__ = ["METRICS", "indicator_matrix", "macro_average", "micro_average", "trapezoid_aupr"]


def trapezoid_aupr(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return the area under the precision-recall curve as the paper's authors computed it.

    The trapezoids join the points (recall, precision) of the observed scores, without the
    customary first point (0, 1). What lies left of the first point is therefore missing: a perfect
    ranking of P positive rows scores 1 - 1/P. For comparison with the published numbers; prefer
    scikit-learn's ``average_precision_score`` otherwise.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels: True and False, 1 and 0, or 1 and -1.
    y_score : array-like of shape (n_samples,)
        Scores.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    area : float
        nan without a positive row.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437; the code that its authors published.

    Examples
    --------
    >>> trapezoid_aupr([1, 1, 1, 1, 0, 0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    0.75
    """
    return _area("trapezoid_aupr", y_true, y_score, sample_weight)


def _area(
    metric: str, y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    labels, scores = column_or_1d(y_true), np.asarray(column_or_1d(y_score), dtype=np.float64)
    check_consistent_length(labels, scores)
    if not np.isin(labels, (-1, 0, 1)).all():
        raise ValueError(
            "labels of a binary metric are True and False, 1 and 0, or 1 and -1; got "
            f"{np.unique(labels)[:5].tolist()}. Use indicator_matrix for class labels."
        )
    if np.isnan(scores).any():
        raise ValueError(f"the score of row {np.flatnonzero(np.isnan(scores))[0]} is nan.")
    weights = None
    if sample_weight is not None:
        weights = validate_weights(sample_weight, labels)
        kept = weights > 0  # scikit-learn lets rows of weight 0 add thresholds
        labels, scores, weights = labels[kept], scores[kept], weights[kept] / weights.max()
    if not len(labels):
        raise ValueError("there are no rows: a metric needs at least one.")
    positive = labels > 0
    if not positive.any() or (metric == "roc_auc" and positive.all()):
        return np.nan
    ranks = np.unique(scores, return_inverse=True)[1]  # scikit-learn takes no infinite scores
    if metric == "average_precision":
        return float(average_precision_score(positive, ranks, sample_weight=weights))
    if metric == "roc_auc":
        return float(roc_auc_score(positive, ranks, sample_weight=weights))
    precision, recall, _ = precision_recall_curve(positive, ranks, sample_weight=weights)
    # The last point is scikit-learn's (0, 1).
    return float(auc(recall[:-1], precision[:-1])) if len(recall) > 2 else 0.0


METRICS: dict[str, Callable[..., float]] = {
    name: partial(_area, name) for name in ("average_precision", "trapezoid_aupr", "roc_auc")
}


def areas_of_columns(
    y_true: NDArray[Any], y_score: Array, metrics: Sequence[str], sample_weight: Array | None = None
) -> Array:
    """Return metrics of columns of scores, of shape (n_metrics, n_columns).

    `y_true` has one column for all columns of scores, or one for each.

    Where no scores of a column are equal, all columns are computed at once, since scikit-learn's
    functions need a millisecond each: see ``benchmarks/metric_shortcut.py``.
    """
    for name in metrics:
        if name not in METRICS:
            raise ValueError(f"metric must be one of {sorted(METRICS)}; got {name!r}.")
    labels = y_true if y_true.ndim == 2 else np.broadcast_to(y_true[:, None], y_score.shape)
    areas = _areas_without_ties(labels, y_score, metrics) if sample_weight is None else None
    if areas is not None:
        return areas
    columns = list(zip(labels.T, y_score.T, strict=True))
    return np.array(
        [[METRICS[name](*column, sample_weight) for column in columns] for name in metrics]
    )


def indicator_matrix(y: ArrayLike, classes: ArrayLike) -> NDArray[np.int64]:
    """Return one column per class: 1 where a row has it.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels.
    classes : array-like of shape (n_classes,)
        The classes, in the order of the columns; two classes have two columns.

    Returns
    -------
    indicator : ndarray of shape (n_samples, n_classes)

    Examples
    --------
    >>> indicator_matrix(["a", "b", "a"], ["a", "b"])
    array([[1, 0],
           [0, 1],
           [1, 0]])
    """
    labels, known = np.asarray(y), np.asarray(classes)
    if labels.ndim != 1 or known.ndim != 1:
        raise ValueError(f"y and classes are lists; got shapes {labels.shape} and {known.shape}.")
    if len(set(known.tolist())) < len(known):
        raise ValueError(f"classes contains a class twice: {known.tolist()}.")
    indicator = labels[:, None] == known
    for row in np.flatnonzero(~indicator.any(axis=1)):
        label = labels.tolist()[row]
        raise ValueError(f"row {row} has the label {label!r}, which is not among the classes.")
    return np.asarray(indicator, dtype=np.int64)


def macro_average(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric: str = "average_precision",
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean of a metric over the classes for which it is defined.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_classes)
        Indicator matrix; see `indicator_matrix`.
    y_score : array-like of shape (n_samples, n_classes)
        Scores.
    metric : {"average_precision", "trapezoid_aupr", "roc_auc"}, default="average_precision"
        The metric of each class against the rest.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    score : float
        nan if the metric is undefined for all classes.

    Examples
    --------
    >>> macro_average([[1, 0, 0], [0, 1, 0]], [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0]])
    1.0
    """
    y_true, y_score = _columns(y_true, y_score)
    scores = areas_of_columns(y_true, y_score, [metric], sample_weight)[0]
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if defined.size else np.nan


def micro_average(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric: str = "average_precision",
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return a metric of all decisions pooled: every pair of a row and a class is one.

    The scores of different classes are compared with each other, so they should be calibrated.

    Parameters
    ----------
    y_true, y_score, metric, sample_weight
        As in `macro_average`.

    Returns
    -------
    score : float

    Examples
    --------
    >>> micro_average([[1, 0], [0, 1]], [[0.9, 0.1], [0.6, 0.4]])
    0.8333...
    """
    y_true, y_score = _columns(y_true, y_score)
    if sample_weight is not None:
        sample_weight = np.repeat(validate_weights(sample_weight, y_true), y_true.shape[1])
    pooled = y_true.ravel(), y_score.reshape(-1, 1)
    return float(areas_of_columns(*pooled, [metric], sample_weight)[0, 0])


def _areas_without_ties(
    labels: NDArray[Any], y_score: Array, metrics: Sequence[str]
) -> Array | None:
    """Return what `areas_of_columns` does; None if scores are equal or nan, or labels no signs."""
    if not y_score.size or labels.dtype.kind not in "biu" or labels.max() > 1 or labels.min() < -1:
        return None
    order = (-y_score).argsort(axis=0)
    falling = np.take_along_axis(y_score, order, axis=0)
    if np.isnan(falling[-1]).any() or not (falling[1:] < falling[:-1]).all():
        return None
    positive = np.take_along_axis(labels > 0, order, axis=0)
    true = positive.cumsum(axis=0, dtype=np.float64)  # true positives at each threshold
    n_positive, n_negative = true[-1], len(true) - true[-1]
    precision = true / np.arange(1.0, len(true) + 1.0)[:, None]
    areas = []
    for name in metrics:
        if name == "average_precision":
            area, whole = (positive * precision).sum(axis=0), n_positive
        elif name == "trapezoid_aupr":
            means = (precision[1:] + precision[:-1]) / 2.0
            area, whole = (positive[1:] * means).sum(axis=0), n_positive
        else:
            area, whole = (~positive * true).sum(axis=0), n_positive * n_negative
        areas.append(np.divide(area, whole, out=np.full_like(whole, np.nan), where=whole > 0))
    return np.array(areas)


def _columns(y_true: ArrayLike, y_score: ArrayLike) -> tuple[NDArray[Any], Array]:
    y_true = check_array(y_true, dtype=None, input_name="y_true")
    y_score = check_array(y_score, dtype=np.float64, input_name="y_score", ensure_all_finite=False)
    if y_true.shape != y_score.shape:
        raise ValueError(
            f"y_true has the shape {y_true.shape} and y_score {y_score.shape}: both need one row "
            "per sample and one column per class."
        )
    return y_true, y_score
