"""What a fitted classifier says of points, and what is known of them: classes or numbers.

A picture shows points of the unit disk. `hyplane.plotting.to_disk` takes rows there, and
`Decision.rows_at` goes back, so that a classifier can be asked about any place of a picture.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter, minimum_filter

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array, ArrayLike, Ints, Mask
from hyplane.features.projection import PlaneView, rows_for
from hyplane.geometry import to_polar
from hyplane.plotting.style import COLORS


@dataclass(frozen=True)
class Targets:
    """Classes or numbers of points; neither where nothing is known of them."""

    codes: Ints | None = None  # the number of each point's class
    names: Sequence[str] = ()  # of the classes
    numbers: Array | None = None  # one for each point, shown by a colour bar


def targets_of(
    y: ArrayLike | None,
    n_points: int,
    *,
    classes: ArrayLike = (),
    class_names: Sequence[str] | None = None,
    label: int | None = None,
    numeric: bool | None = None,
    name: str = "y",
) -> Targets:
    """Return what is known of points as classes or as numbers.

    The `classes` of an estimator come first, others in y after them, sorted. A `label` is a column
    of the indicator matrix y. By default y is `numeric` if some are no whole numbers or no classes,
    or if there are more different ones than colours. Errors call y by `name`.
    """
    found = list(classes)
    codes = numbers = None
    if y is not None:
        values = np.asarray(y)
        values = values[:, label] if label is not None and values.ndim == 2 else values
        if values.shape != (n_points,):
            raise ValueError(
                f"{name} must have one value for each of the {n_points} points; "
                f"got shape {np.shape(y)}."
            )
        if numeric is None:
            numeric = _looks_numeric(values) and not (found and np.isin(values, found).all())
        if numeric:
            numbers = values.astype(np.float64)
        else:
            found += [value for value in np.unique(values).tolist() if value not in found]
            codes = codes_in(np.array(found), values)
    names = [str(value) for value in found]
    if label is not None:
        names = [f"without label {label}", f"with label {label}"][: len(found)]
    if class_names is not None:
        names = [str(each) for each in class_names]
    if len(names) != len(found):
        raise ValueError(f"class_names has {len(names)} names for {len(found)} classes.")
    return Targets(codes, names, numbers)


def codes_in(classes: NDArray[Any], values: NDArray[Any]) -> Ints:
    """Return the position of each value among the classes, which need not be sorted."""
    order = np.argsort(classes)
    return np.asarray(order[np.searchsorted(classes, values, sorter=order)])


def has_fractions(values: NDArray[Any]) -> bool:
    """Return whether some values are numbers that are not whole."""
    return values.dtype.kind == "f" and bool((values[np.isfinite(values)] % 1 > 0).any())


def _looks_numeric(values: NDArray[Any]) -> bool:
    """Return whether values are numbers on a scale rather than classes."""
    if values.dtype.kind not in "fiu":
        return False
    return has_fractions(values) or len(np.unique(values[np.isfinite(values)])) > len(COLORS)


@dataclass(frozen=True)
class Decision:
    """A fitted classifier with what is needed to draw its decision."""

    estimator: Any
    coordinates: str  # of the points it takes, as the curvature
    curvature: float
    classes: NDArray[Any]  # in the order of the codes; [0, 1] for one label of several
    label: int | None = None  # which one, where a point can have several
    view: PlaneView | None = None  # where the points have more than two dimensions

    def rows_at(self, points: Array) -> Any:
        """Return points of the unit disk as rows that the estimator takes."""
        return self.rows_of(*to_polar(points, "ball"))

    def rows_of(self, radius: Array, direction: Array) -> Any:
        """Return polar points of the picture as rows that the estimator takes."""
        if self.view is not None:
            radius, direction = self.view.from_plane(radius, direction)
        return rows_for(self.estimator, radius, direction, self.coordinates, self.curvature)

    def codes(self, X: Any) -> Ints:
        """Return the number of the class that is predicted for each row."""
        predicted = _blockwise(self.estimator.predict, X)
        return codes_in(self.classes, predicted if self.label is None else predicted[:, self.label])

    def scores(self, X: Any) -> Array | None:
        """Return the score of two classes, positive for the second; None where there is none."""
        function = getattr(self.estimator, "decision_function", None)
        return None if function is None else self._binary(_blockwise(function, X))

    def probabilities(self, X: Any) -> Array:
        """Return the probabilities of the classes, of shape (m, n_classes)."""
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"response_method='predict_proba' needs a classifier with probabilities, and "
                f"{type(self.estimator).__name__} has none. Use one with predict_proba, such as "
                "HyperbolicSVCCV."
            )
        found = _blockwise(self.estimator.predict_proba, X)
        if self.label is None:
            return found
        # scikit-learn's own multi-label classifiers give an array of (absent, present) per label.
        own = found[:, self.label] if found.ndim == 2 else found[:, self.label, 1]
        return np.column_stack([1.0 - own, own])

    def support(self, X: ArrayLike, codes: Ints | None) -> Mask:
        """Return which rows of X lie on their margin, inside it or on the wrong side.

        They determine the boundary of a support vector machine. Without their classes, the rows on
        and between both margins.
        """
        inner = inner_estimator(self.estimator)
        scores = self.scores(X)
        if scores is not None and hasattr(inner, "minkowski_products"):
            # Log-odds have no margin at 1, the products w*x have.
            scores = self._binary(np.asarray(inner.minkowski_products(X)))
        if scores is None:
            raise ValueError(
                "support points are those of one boundary: draw a classifier of two classes with a "
                "decision_function, or one label of several."
            )
        if hasattr(inner, "level_"):
            scores = np.sinh(np.clip(scores, -700.0, 700.0))
        on_margin = 1.0 + 1e-3  # as far as a picture shows
        if codes is None:
            return np.asarray(np.abs(scores) <= on_margin)
        return np.asarray(
            np.select([codes == 0, codes == 1], [-scores, scores], np.inf) <= on_margin
        )

    def _binary(self, scores: NDArray[Any]) -> Array | None:
        """Return the scores of the one boundary that is drawn; None for several."""
        if len(self.classes) != 2:
            return None
        if scores.ndim == 1:
            return scores
        return None if self.label is None else np.asarray(scores[:, self.label])


def refined_codes(
    shape: tuple[int, int], ask: Callable[[tuple[int, int], Mask], Ints], doublings: int = 2
) -> Ints:
    """Return the classes on a grid that is refined near the edges of regions alone.

    ``ask(shape, chosen)`` returns the classes at the chosen cells of a grid, row by row. Each
    doubling halves the cells. Opposite sides of the grid count as neighbours, since angles do.
    """
    codes = ask(shape, np.ones(shape, dtype=bool)).reshape(shape)
    for _ in range(doublings):
        is_mixed = maximum_filter(codes, 3, mode="wrap") != minimum_filter(codes, 3, mode="wrap")
        codes = codes.repeat(2, axis=0).repeat(2, axis=1)
        asked = is_mixed.repeat(2, axis=0).repeat(2, axis=1)
        if asked.any():
            codes[asked] = ask(codes.shape, asked)
    return codes


def decision_of(
    estimator: Any,
    X: ArrayLike,
    coordinates: str | None,
    curvature: float | None,
    label: int | None,
) -> Decision:
    """Return the decision of a fitted classifier, by default in its own chart."""
    if not hasattr(estimator, "classes_"):
        raise ValueError(
            f"a display draws a fitted classifier, and {type(estimator).__name__} has no classes_. "
            "Fit it first; for numbers without a classifier use draw_points."
        )
    chart, number = chart_of(estimator, coordinates, curvature)
    predicted = np.asarray(estimator.predict(X[:1]))
    check_label(label, predicted, "the estimator")
    if predicted.ndim == 1:
        return Decision(estimator, chart, number, np.asarray(estimator.classes_))
    return Decision(estimator, chart, number, np.array([0, 1]), label)


def check_label(label: int | None, y: NDArray[Any], owner: str) -> None:
    """Refuse a label that does not choose a column of an indicator matrix y."""
    if y.ndim < 2:
        if label is not None:
            raise ValueError(
                f"label chooses among several labels a point, and {owner} has one. Leave label out."
            )
    elif label is None or not 0 <= label < y.shape[1]:
        raise ValueError(
            f"{owner} has {y.shape[1]} labels a point: choose one to show with label=0, …, "
            f"{y.shape[1] - 1}; got label={label!r}."
        )


def chart_of(estimator: Any, coordinates: str | None, curvature: float | None) -> tuple[str, float]:
    """Return chart and curvature: those given, else the estimator's, else the ball of -1."""
    inner = inner_estimator(estimator)
    first = inner.steps[0][1] if hasattr(inner, "steps") else inner
    chart = getattr(first, "coordinates", "ball") if coordinates is None else coordinates
    return chart_name(chart), getattr(first, "curvature", -1.0) if curvature is None else curvature


def inner_estimator(estimator: Any) -> Any:
    """Return the estimator that a search such as GridSearchCV chose, or the estimator itself."""
    return getattr(estimator, "best_estimator_", estimator)


def _blockwise(function: Callable[[Any], Any], X: Any) -> NDArray[Any]:
    """Call a function on blocks of rows: a kernel method forms a matrix for each.

    A list of answers has an array per label.
    """
    size = 8192
    answers = [function(X[i : i + size]) for i in range(0, max(len(X), 1), size)]
    return np.concatenate(
        [np.stack(each, axis=1) if isinstance(each, list) else each for each in answers]
    )
