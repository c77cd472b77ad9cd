"""A fitted classifier, asked in points of the disk."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, ArrayLike
from hyplane.geometry import convert

Codes = NDArray[np.intp]

# Kernel methods form a matrix of these rows against the training points.
_BLOCK = 8192


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
        scores = self._blockwise(function, points)
        if scores.ndim == 1:
            return scores
        return None if self.label is None else np.asarray(scores[:, self.label])

    def _blockwise(self, function: Callable[[Any], Any], points: Array) -> NDArray[Any]:
        blocks = [points[i : i + _BLOCK] for i in range(0, len(points), _BLOCK)]
        return np.concatenate([np.asarray(function(self._input(block))) for block in blocks])

    def _input(self, points: Array) -> Any:
        X = convert(
            points / np.sqrt(-self.curvature), "ball", self.coordinates, curvature=self.curvature
        )
        names = getattr(self.estimator, "feature_names_in_", None)
        if names is None:
            return X
        import pandas as pd  # the estimator was fitted on a table, so pandas is there

        return pd.DataFrame(X, columns=names)


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


def codes_of(
    decision: Decision, y: ArrayLike | None, n_points: int
) -> tuple[NDArray[Any], Codes | None]:
    """Return the classes, first the estimator's, then any others in y, and each point's number."""
    if y is None:
        return decision.classes, None
    values = np.asarray(y)
    if decision.label is not None and values.ndim == 2:
        values = values[:, decision.label]
    if values.shape != (n_points,):
        raise ValueError(
            f"y must have one class for each of the {n_points} points; got shape {np.shape(y)}."
        )
    known = list(decision.classes)
    classes = np.array(known + [value for value in np.unique(values) if value not in known])
    order = np.argsort(classes)
    return classes, np.asarray(order[np.searchsorted(classes, values, sorter=order)])
