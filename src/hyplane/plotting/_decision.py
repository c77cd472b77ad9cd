"""A fitted classifier, asked in points of the disk."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane.geometry import convert
from hyplane.plotting._targets import Codes, ShownTargets, looks_numeric

# Kernel methods form a matrix of these rows against the training points.
_BLOCK = 8192
# A score this near to 1 is on the margin as far as a picture shows.
_ON_MARGIN = 1e-3


@dataclass(frozen=True)
class Decision:
    """A fitted classifier, asked in points of the unit disk.

    Attributes
    ----------
    estimator : classifier
        The fitted estimator.
    coordinates, curvature
        The chart and curvature of the points it takes.
    classes : ndarray
        Classes in the order of the codes; ``[0, 1]`` for one label of several.
    label : int or None
        Which label, where a point can have several.
    """

    estimator: Any
    coordinates: str
    curvature: float
    classes: NDArray[Any]
    label: int | None = None

    def codes(self, points: Array) -> Codes:
        """Return the class of each point of the disk, as its number."""
        predicted = self._blockwise(self.estimator.predict, points)
        if self.label is not None:
            predicted = predicted[:, self.label]
        order = np.argsort(self.classes)
        return np.asarray(order[np.searchsorted(self.classes, predicted, sorter=order)])

    def scores(self, points: Array) -> Array | None:
        """Return the score of two classes, positive for the second; None where there is none."""
        function = getattr(self.estimator, "decision_function", None)
        if function is None or len(self.classes) != 2:
            return None
        return self._of_label(self._blockwise(function, points))

    def probabilities(self, points: Array) -> Array:
        """Return the probabilities of the classes, of shape (m, n_classes)."""
        function = getattr(self.estimator, "predict_proba", None)
        if function is None:
            raise ValueError(
                f"response_method='predict_proba' needs a classifier with probabilities, and "
                f"{type(self.estimator).__name__} has none. Use one with predict_proba, such as "
                "HyperbolicSVCCV."
            )
        found = self._blockwise(function, points)
        if self.label is None:
            return found
        # scikit-learn's own multi-label classifiers give an array of (absent, present) per label.
        own = found[:, self.label] if found.ndim == 2 else found[:, self.label, 1]
        return np.column_stack([1.0 - own, own])

    def support(self, X: ArrayLike, codes: Codes | None) -> Mask:
        """Return which rows of X lie on their margin, inside it or on the wrong side.

        These hold the boundary of a support vector machine in place. Without their classes, the
        rows on and between both margins.
        """
        inner = inner_estimator(self.estimator)
        function = getattr(self.estimator, "decision_function", None)
        # Log-odds have no margin at 1, the products w*x have.
        function = getattr(inner, "minkowski_products", function)
        scores = None
        if function is not None and len(self.classes) == 2:
            scores = self._of_label(np.asarray(function(X)))
            if scores is not None and hasattr(inner, "level_"):
                scores = np.sinh(np.clip(scores, -700.0, 700.0))
        if scores is None:
            raise ValueError(
                "support points are those of one boundary: draw a classifier of two classes with a "
                "decision_function, or one label of several."
            )
        if codes is None:
            return np.asarray(np.abs(scores) <= 1.0 + _ON_MARGIN)
        towards = np.select([codes == 0, codes == 1], [-scores, scores], np.inf)
        return np.asarray(towards <= 1.0 + _ON_MARGIN)

    def _of_label(self, scores: NDArray[Any]) -> Array | None:
        if scores.ndim == 1:
            return scores
        return None if self.label is None else np.asarray(scores[:, self.label])

    def _blockwise(self, function: Callable[[Any], Any], points: Array) -> NDArray[Any]:
        blocks = [points[i : i + _BLOCK] for i in range(0, len(points), _BLOCK)]
        return np.concatenate([_rows_first(function(self._input(block))) for block in blocks])

    def _input(self, points: Array) -> Any:
        X = convert(
            points / np.sqrt(-self.curvature), "ball", self.coordinates, curvature=self.curvature
        )
        names = getattr(self.estimator, "feature_names_in_", None)
        if names is None:
            return X
        import pandas as pd  # the estimator was fitted on a table, so pandas is there

        return pd.DataFrame(X, columns=names)


def _rows_first(answer: Any) -> NDArray[Any]:
    """Return what an estimator answers as an array; a list holds an array per label."""
    return np.stack(answer, axis=1) if isinstance(answer, list) else np.asarray(answer)


def inner_estimator(estimator: Any) -> Any:
    """Return the estimator that a search such as GridSearchCV chose, or the estimator itself."""
    return getattr(estimator, "best_estimator_", estimator)


def decision_of(
    estimator: Any,
    coordinates: str | None,
    curvature: float | None,
    label: int | None,
    X: ArrayLike,
) -> Decision:
    """Return the decision of a fitted classifier, in its own chart where none is named."""
    if not hasattr(estimator, "classes_"):
        raise ValueError(
            f"a display draws a fitted classifier, and {type(estimator).__name__} has no classes_. "
            "Fit it first; for numbers without a classifier use draw_points."
        )
    inner = inner_estimator(estimator)
    chart = getattr(inner, "coordinates", "ball") if coordinates is None else coordinates
    number = getattr(inner, "curvature", -1.0) if curvature is None else curvature
    predicted = np.asarray(estimator.predict(X[:1]))
    if predicted.ndim == 1:
        if label is not None:
            raise ValueError(
                "label chooses among several labels a point, and this estimator gives one class a "
                "point. Leave label out."
            )
        return Decision(estimator, chart, number, np.asarray(estimator.classes_))
    if label is None or not 0 <= label < predicted.shape[1]:
        raise ValueError(
            f"the estimator gives {predicted.shape[1]} labels a point: choose one to draw with "
            f"label=0, …, {predicted.shape[1] - 1}; got label={label!r}."
        )
    return Decision(estimator, chart, number, np.array([0, 1]), label)


def class_codes(
    decision: Decision, y: ArrayLike | None, n_points: int
) -> tuple[NDArray[Any], Codes | None]:
    """Return the classes, first the estimator's, then any others in y, and each point's number."""
    if y is None:
        return decision.classes, None
    values = _values_of(decision, y, n_points)
    known = list(decision.classes)
    classes = np.array(known + [value for value in np.unique(values) if value not in known])
    order = np.argsort(classes)
    return classes, np.asarray(order[np.searchsorted(classes, values, sorter=order)])


def targets_in(decision: Decision, y: ArrayLike | None, n_points: int) -> ShownTargets:
    """Return y as classes, or as numbers on a scale where it holds numbers that are no classes."""
    if y is not None:
        values = _values_of(decision, y, n_points)
        if looks_numeric(values) and not np.isin(values, decision.classes).all():
            names = [str(value) for value in decision.classes]
            return ShownTargets(names=names, numbers=values.astype(np.float64))
    classes, codes = class_codes(decision, y, n_points)
    return ShownTargets(codes, [str(value) for value in classes])


def _values_of(decision: Decision, y: ArrayLike, n_points: int) -> NDArray[Any]:
    values = np.asarray(y)
    if decision.label is not None and values.ndim == 2:
        values = values[:, decision.label]
    if values.shape != (n_points,):
        raise ValueError(
            f"y must have one class for each of the {n_points} points; got shape {np.shape(y)}."
        )
    return values
