"""How well scores rank: areas under the precision-recall and ROC curves, class by class or pooled.

Each metric takes the labels of one class (booleans, or 1 for yes and 0 or -1 for no) and scores,
higher for yes. Where the labels leave the metric undefined it is nan, and averages over classes
leave such a class out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score
from sklearn.preprocessing import label_binarize
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from hyplane.geometry._types import Array, ArrayLike, Mask

Metric = Callable[[ArrayLike, ArrayLike, ArrayLike | None], float]

__all__ = [
    "METRICS",
    "average_precision",
    "class_scores",
    "indicator_matrix",
    "macro_average",
    "micro_average",
    "roc_auc",
    "trapezoid_aupr",
]


def average_precision(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return the average precision, the step-wise area under the precision-recall curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, positive for yes.
    y_score : array-like of shape (n_samples,)
        Scores.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    area : float
        1 for a perfect ranking; nan without a positive row.

    Examples
    --------
    >>> average_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.8333...
    """
    positive = _positive(y_true)
    if not positive.any():
        return np.nan
    return float(average_precision_score(positive, y_score, sample_weight=sample_weight))


def trapezoid_aupr(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return the area under the precision-recall curve as the paper's authors computed it.

    The trapezoids join the points (recall, precision) of the observed scores, without the
    customary first point (0, 1). What lies left of the first point is therefore missing: a perfect
    ranking of P positive rows scores 1 - 1/P. For comparison with the published numbers; prefer
    `average_precision` otherwise.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, positive for yes.
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
    positive = _positive(y_true)
    if not positive.any():
        return np.nan
    precision, recall, _ = precision_recall_curve(positive, y_score, sample_weight=sample_weight)
    # The curve comes from the lowest threshold up; its last point is the customary (0, 1).
    heights = (precision[1:-1] + precision[:-2]) / 2.0
    return float(heights @ (recall[:-2] - recall[1:-1]))


def roc_auc(y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, positive for yes.
    y_score : array-like of shape (n_samples,)
        Scores.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    area : float
        nan unless rows of both kinds occur.

    Examples
    --------
    >>> roc_auc([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.75
    """
    positive = _positive(y_true)
    if not positive.any() or positive.all():
        return np.nan
    return float(roc_auc_score(positive, y_score, sample_weight=sample_weight))


METRICS: dict[str, Metric] = {
    "average_precision": average_precision,
    "trapezoid_aupr": trapezoid_aupr,
    "roc_auc": roc_auc,
}


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
    columns = np.asarray(label_binarize(y, classes=classes), dtype=np.int64)
    if len(np.asarray(classes)) == 2:
        columns = np.hstack([1 - columns, columns])
    return columns


def class_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric: str = "average_precision",
    *,
    sample_weight: ArrayLike | None = None,
) -> Array:
    """Return the metric of each class against the rest.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_classes)
        Indicator matrix; see `indicator_matrix`.
    y_score : array-like of shape (n_samples, n_classes)
        Scores.
    metric : {"average_precision", "trapezoid_aupr", "roc_auc"}, default="average_precision"
        The metric.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    scores : ndarray of shape (n_classes,)
        nan for a class where the metric is undefined.

    Examples
    --------
    >>> class_scores([[1, 0, 0], [0, 1, 0]], [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0]])
    array([ 1.,  1., nan])
    """
    y_true, y_score = _columns(y_true, y_score)
    function = _metric(metric)
    return np.array(
        [
            function(labels, scores, sample_weight)
            for labels, scores in zip(y_true.T, y_score.T, strict=True)
        ]
    )


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
    y_true, y_score, metric, sample_weight
        As in `class_scores`.

    Returns
    -------
    score : float
        nan where no class has one.

    Examples
    --------
    >>> macro_average([[1, 0, 0], [0, 1, 0]], [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0]])
    1.0
    """
    scores = class_scores(y_true, y_score, metric, sample_weight=sample_weight)
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
        As in `class_scores`.

    Returns
    -------
    score : float

    Examples
    --------
    >>> micro_average([[1, 0], [0, 1]], [[0.9, 0.1], [0.6, 0.4]])
    0.8333...
    """
    y_true, y_score = _columns(y_true, y_score)
    weights = None if sample_weight is None else np.repeat(sample_weight, y_true.shape[1])
    return _metric(metric)(y_true.ravel(), y_score.ravel(), weights)


def _positive(y_true: ArrayLike) -> Mask:
    labels = column_or_1d(y_true)
    if not np.isin(labels, (-1, 0, 1)).all():
        raise ValueError(
            "labels of a binary metric are True and False, 1 and 0, or 1 and -1; got "
            f"{np.unique(labels)[:5].tolist()}. Use indicator_matrix for class labels."
        )
    return np.asarray(labels > 0)


def _columns(y_true: ArrayLike, y_score: ArrayLike) -> tuple[NDArray[Any], Array]:
    y_true = check_array(y_true, dtype=None, input_name="y_true")
    y_score = check_array(y_score, dtype=np.float64, input_name="y_score")
    check_consistent_length(y_true, y_score)
    if y_true.shape != y_score.shape:
        raise ValueError(
            f"y_true has {y_true.shape[1]} columns and y_score {y_score.shape[1]}: both need one "
            "per class."
        )
    return y_true, y_score


def _metric(name: str) -> Metric:
    if name not in METRICS:
        raise ValueError(f"metric must be one of {sorted(METRICS)}; got {name!r}.")
    return METRICS[name]
