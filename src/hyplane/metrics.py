"""How well scores rank: areas under the precision-recall and ROC curves, class by class or pooled.

Each metric takes the labels of one class (booleans, or 1 for yes and 0 or -1 for no) and scores,
higher for yes. Only their order counts, so they may be infinite. Where the labels leave the metric
undefined it is nan, and averages over classes leave such a class out.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length

from hyplane._utils.inputs import check_numbers
from hyplane._utils.typing import Array, ArrayLike

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
    return float(_step_area(*_counts(y_true, y_score, sample_weight))[0])


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
    return float(_trapezoid_area(*_counts(y_true, y_score, sample_weight))[0])


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
    return float(_roc_area(*_counts(y_true, y_score, sample_weight))[0])


METRICS: dict[str, Metric] = {
    "average_precision": average_precision,
    "trapezoid_aupr": trapezoid_aupr,
    "roc_auc": roc_auc,
}


def all_metrics(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> dict[str, float]:
    """Return every metric of `METRICS`; the scores are sorted once.

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
    areas : dict of str to float

    Examples
    --------
    >>> all_metrics([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])["roc_auc"]
    0.75
    """
    counts = _counts(y_true, y_score, sample_weight)
    return {name: float(area(*counts)[0]) for name, area in _AREAS.items()}


def areas_of_columns(
    y_true: NDArray[Any],
    y_score: Array,
    metrics: Sequence[str],
    sample_weight: Array | None = None,
) -> Array:
    """Return metrics of several columns of scores.

    The same numbers as of the columns one by one, in a fraction of the time where no two scores of
    a column are equal: a choice of C takes ten metrics of a few hundred rows.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,) or (n_samples, n_columns)
        Labels, positive for yes; of all columns, or of each.
    y_score : ndarray of shape (n_samples, n_columns)
        Scores.
    metrics : sequence of str
        Names of `METRICS`.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    areas : ndarray of shape (n_metrics, n_columns)

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.1, 0.4]])
    >>> areas_of_columns(np.array([1, 0, 1, 0]), scores, ["roc_auc"])
    array([[0.75, 0.25]])
    """
    # Weighted sums are not counts, and rows of weight 0 are no rows.
    counts = _counts_without_ties(y_true, y_score) if sample_weight is None else None
    if counts is not None:
        return np.array([_AREAS[name](*counts) for name in metrics])
    labels = y_true.T if y_true.ndim == 2 else [y_true] * y_score.shape[1]
    columns = [
        _counts(own, scores, sample_weight) for own, scores in zip(labels, y_score.T, strict=True)
    ]
    return np.array([[_AREAS[name](*each)[0] for each in columns] for name in metrics])


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
        raise ValueError(f"classes holds a class twice: {known.tolist()}.")
    place = {label: number for number, label in enumerate(known.tolist())}
    columns = np.zeros((len(labels), len(known)), dtype=np.int64)
    for row, label in enumerate(labels.tolist()):
        if label not in place:
            raise ValueError(f"row {row} has the label {label!r}, which is not among the classes.")
        columns[row, place[label]] = 1
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
    weights = None
    if sample_weight is not None:
        weights = np.repeat(_weights(sample_weight, len(y_true)), y_true.shape[1])
    return _metric(metric)(y_true.ravel(), y_score.ravel(), weights)


def _counts(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Array, Array]:
    """Count the true and the false positives at each distinct score, from the highest down.

    Each in a table of one row.
    """
    labels, scores = np.asarray(y_true), np.asarray(y_score, dtype=np.float64)
    if labels.ndim != 1 or scores.ndim != 1:
        raise ValueError(
            f"y_true and y_score have one number a row; got shapes {labels.shape} and "
            f"{scores.shape}. Use class_scores for several classes."
        )
    if len(labels) != len(scores):
        check_consistent_length(labels, scores)  # raises
    weights = None if sample_weight is None else _weights(sample_weight, len(labels))
    if not _are_signs(labels):
        raise ValueError(
            "labels of a binary metric are True and False, 1 and 0, or 1 and -1; got "
            f"{np.unique(labels)[:5].tolist()}. Use indicator_matrix for class labels."
        )
    if np.isnan(scores).any():
        raise ValueError(f"the score of row {np.flatnonzero(np.isnan(scores))[0]} is nan.")
    order = np.argsort(-scores, kind="stable")
    if weights is not None:  # a row of weight 0 is no row: it must not add a threshold
        order = order[weights[order] > 0]
    if not order.size:
        raise ValueError("no rows: at least one of positive weight is needed.")
    scores, positive = scores[order], labels[order] > 0
    last = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)
    if weights is None:
        true = np.cumsum(positive, dtype=np.float64)[np.newaxis, last]
        return true, (last + 1.0) - true
    weights = weights[order]
    true, false = np.cumsum(weights * positive), np.cumsum(weights * ~positive)
    return true[np.newaxis, last], false[np.newaxis, last]


def _counts_without_ties(y_true: NDArray[Any], y_score: Array) -> tuple[Array, Array] | None:
    """Count as `_counts` does, all columns at once; None where that would be wrong.

    That is where scores are equal or nan, or labels are something else than signs.
    """
    n_rows, n_columns = y_score.shape
    if n_columns == 0 or n_rows < 2 or not _are_signs(y_true):
        return None
    falling = np.negative(y_score.T, order="C")
    order = falling.argsort(axis=1)
    falling.sort(axis=1)
    if not (falling[:, 1:] > falling[:, :-1]).all():
        return None
    positive = y_true > 0
    if y_true.ndim == 1:
        found = positive[order]
    else:
        found = positive[order, np.arange(n_columns)[:, np.newaxis]]
    true = found.cumsum(axis=1, dtype=np.float64)
    return true, np.arange(1.0, n_rows + 1.0) - true


def _step_area(true: Array, false: Array) -> Array:
    steps = true - _shifted(true)
    return _share(_products(steps, true / (true + false)), true[:, -1])


def _trapezoid_area(true: Array, false: Array) -> Array:
    precision = true / (true + false)
    widths, heights = true[:, 1:] - true[:, :-1], precision[:, 1:] + precision[:, :-1]
    return _share(_products(widths, heights) / 2.0, true[:, -1])


def _roc_area(true: Array, false: Array) -> Array:
    widths, heights = false - _shifted(false), true + _shifted(true)
    return _share(_products(widths, heights) / 2.0, false[:, -1] * true[:, -1])


def _shifted(counts: Array) -> Array:
    """Return the counts before each threshold."""
    before = np.zeros_like(counts)
    before[:, 1:] = counts[:, :-1]
    return before


def _products(left: Array, right: Array) -> Array:
    return np.array([a @ b for a, b in zip(left, right, strict=True)])


def _share(area: Array, of: Array) -> Array:
    """Divide; nan where there is nothing to divide by."""
    share: Array = np.divide(area, of, out=np.full(len(of), np.nan), where=of > 0)
    return share


# The metrics as functions of the counts at each threshold, one row for each column of scores.
_AREAS = {
    "average_precision": _step_area,
    "trapezoid_aupr": _trapezoid_area,
    "roc_auc": _roc_area,
}


def _are_signs(labels: NDArray[Any]) -> bool:
    """Say whether all labels are 1, 0 or -1; for integers without a search."""
    if labels.dtype.kind == "b" or not labels.size:
        return True
    if labels.dtype.kind in "iu":
        return bool(labels.min() >= -1 and labels.max() <= 1)
    return bool(np.isin(labels, (-1, 0, 1)).all())


def _weights(sample_weight: ArrayLike, n_rows: int) -> Array:
    check_numbers(sample_weight, "sample_weight")
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has the shape {weights.shape} where ({n_rows},) is wanted."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(
            f"the weight of row {bad[0]} is {weights[bad[0]]}; weights are finite and not negative."
        )
    # Only their ratios count, and their squares must stay within the range of doubles.
    return weights / (weights.max(initial=0.0) or 1.0)


def _columns(y_true: ArrayLike, y_score: ArrayLike) -> tuple[NDArray[Any], Array]:
    y_true = check_array(y_true, dtype=None, input_name="y_true")
    y_score = check_array(y_score, dtype=np.float64, input_name="y_score", ensure_all_finite=False)
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
