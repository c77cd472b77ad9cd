"""What a fitted classifier says over the disk: regions, hyperplanes, scores. Nothing is drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter, minimum_filter

from hyplane.geometry import convert, hyperplane_parameters
from hyplane.geometry._types import Array
from hyplane.geometry._vectors import arsinh_exp
from hyplane.plotting._arcs import FARTHEST, Arcs, chord_arcs, hypercycle_arcs

Codes = NDArray[np.intp]

# Pixels beyond this radius repeat what is said at it: r = 8.3, a point of every chart.
_OUTERMOST = 0.9995
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


def pixel_centers(resolution: int) -> Array:
    """Return the centres of square pixels over [-1, 1]², row by row, pulled inside the disk."""
    ticks = (np.arange(resolution) + 0.5) * (2.0 / resolution) - 1.0
    x, y = np.meshgrid(ticks, ticks)
    points = np.stack([x, y], axis=-1).reshape(-1, 2)
    norms = np.linalg.norm(points, axis=1)
    return np.asarray(points * np.minimum(1.0, _OUTERMOST / norms)[:, None])


def label_pixels(codes_at: Callable[[Array], Codes], resolution: int) -> Codes:
    """Return the classes of all pixels; only pixels near an edge are asked at full resolution.

    Parameters
    ----------
    codes_at : callable
        Gives the classes of points of shape (m, 2).
    resolution : int
        Pixels a side, a multiple of 4.

    Returns
    -------
    codes : ndarray of shape (resolution, resolution)
        The first row is the lowest.

    Examples
    --------
    >>> label_pixels(lambda points: (points[:, 0] > 0).astype(np.intp), 4)[0]
    array([0, 0, 1, 1])
    """
    size = resolution // 4
    codes = codes_at(pixel_centers(size)).reshape(size, size)
    for _ in range(2):
        size *= 2
        mixed = maximum_filter(codes, 3) != minimum_filter(codes, 3)
        codes = codes.repeat(2, axis=0).repeat(2, axis=1)
        again = mixed.repeat(2, axis=0).repeat(2, axis=1)
        if again.any():
            codes[again] = codes_at(pixel_centers(size)[again.ravel()])
    return codes


@dataclass(frozen=True)
class Boundaries:
    """Curves where a score is 0, and, where known, those where it is ±1.

    Attributes
    ----------
    zero : Arcs
        The boundaries.
    margins : Arcs
        Curves of scores -1 and 1.
    owners : ndarray of int
        The class that each boundary tells from the rest; -1 where it tells two classes apart.
    """

    zero: Arcs
    margins: Arcs
    owners: Codes


def find_boundaries(decision: Decision) -> Boundaries | None:
    """Return the exact boundaries of a linear classifier, hyperbolic or Euclidean, else None."""
    linear = inner_estimator(decision.estimator)
    planes = _hyperplanes(linear)
    if planes is not None:
        scale, offset, normal = planes
        rows = _rows_of_label(np.arange(len(offset)), decision.label)
        rows = rows[np.abs(offset[rows]) <= FARTHEST]
        distance = arsinh_exp(-scale[rows])
        zero = hypercycle_arcs(offset[rows], normal[rows])
        margins = [hypercycle_arcs(offset[rows], normal[rows], side * distance) for side in (-1, 1)]
        return Boundaries(zero, _joined(margins), _owners(decision, len(offset))[rows])
    lines = _lines(linear, decision)
    if lines is None:
        return None
    intercept, coefficients = lines
    size = np.linalg.norm(coefficients, axis=1)
    rows = _rows_of_label(np.arange(len(size)), decision.label)
    owners = _owners(decision, len(size))
    levels = []
    for level in (0.0, -1.0, 1.0):
        crossing = rows[np.abs(intercept[rows] - level) < size[rows]]
        levels.append(chord_arcs(intercept[crossing] - level, coefficients[crossing]))
        if level == 0.0:
            owners_of_zero = owners[crossing]
    return Boundaries(levels[0], _joined(levels[1:]), owners_of_zero)


def inner_estimator(estimator: Any) -> Any:
    """Return the estimator that a search such as GridSearchCV chose, or the estimator itself."""
    return getattr(estimator, "best_estimator_", estimator)


def _hyperplanes(estimator: Any) -> tuple[Array, Array, Array] | None:
    """Return log of the scale, offset and normal of fitted hyperplanes of the hyperbolic plane."""
    planes = getattr(estimator, "hyperplanes_", None)
    if planes is not None:
        return planes.log_scale, planes.offset, planes.normal
    w = getattr(estimator, "coef_", None)
    if not hasattr(estimator, "coordinates") or np.ndim(w) != 2 or np.shape(w)[1] != 3:
        return None
    scale, offset, normal = hyperplane_parameters(w)
    return np.log(scale), offset, normal


def _lines(estimator: Any, decision: Decision) -> tuple[Array, Array] | None:
    """Return constant and coefficients of Euclidean lines in the unit disk.

    Only a classifier of ball coordinates has straight lines there.
    """
    try:
        coefficients, intercept = estimator.coef_, estimator.intercept_
    except AttributeError:
        return None
    if decision.coordinates != "ball" or np.ndim(coefficients) != 2:
        return None
    if not hasattr(estimator, "decision_function") or coefficients.shape[1] != 2:
        return None
    coefficients = np.asarray(coefficients, dtype=np.float64) / np.sqrt(-decision.curvature)
    return np.broadcast_to(np.asarray(intercept, np.float64), len(coefficients)), coefficients


def _rows_of_label(rows: Codes, label: int | None) -> Codes:
    return rows if label is None else rows[label : label + 1]


def _owners(decision: Decision, n_planes: int) -> Codes:
    n_classes = len(decision.estimator.classes_) if decision.label is None else 0
    shape = getattr(inner_estimator(decision.estimator), "multi_class", "ovr")
    one_each = n_planes == n_classes and n_classes > 2 and shape != "ovo"
    # With three classes there are as many pairs as classes; scikit-learn's SVC always takes pairs.
    pairs = hasattr(inner_estimator(decision.estimator), "decision_function_shape")
    if one_each and not pairs:
        return np.arange(n_planes)
    return np.full(n_planes, -1)


def _joined(parts: list[Arcs]) -> Arcs:
    return Arcs(
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.bulge for part in parts]),
    )
