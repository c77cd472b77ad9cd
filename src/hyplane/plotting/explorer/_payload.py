"""Everything that the page shows, checked and collected."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers import HyperbolicSVC
from hyplane.geometry import to_polar
from hyplane.plotting._decision import Decision, class_codes, decision_of, inner_estimator
from hyplane.plotting.explorer._arrays import packed, packed_codes
from hyplane.plotting.explorer._fits import (
    Shown,
    estimators_over,
    fit_payload,
    tangent_covariance,
)
from hyplane.plotting.palette import class_style

# Different numbers beyond which y is a quantity and not a class.
_MOST_NUMBERS = 20
# Coordinates beyond which the page keeps seven digits of each instead of sixteen.
_MANY_NUMBERS = 2_000_000


def make_payload(
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    estimator: Any,
    Cs: list[float] | None,
    edges: ArrayLike | None,
    names: Sequence[Any] | None,
    class_names: Sequence[str] | None,
    label: int | None,
    coordinates: str | None,
    curvature: float | None,
    title: str | None,
) -> dict[str, Any]:
    """Collect what the page shows; parameters as of `hyplane.plotting.explore`."""
    chart, number = _chart(estimator, coordinates, curvature)
    radius, direction = to_polar(X, chart, curvature=number)
    if direction.shape[1] == 1:  # a line is drawn in the plane
        direction = np.column_stack([direction, np.zeros(len(direction))])
    n = len(radius)
    checked_names = _check_names(names, n)
    if Cs is not None and estimator is None:
        estimator = _first_fit(X, y, Cs[len(Cs) // 2], chart, number)
    decision = None
    if estimator is not None:
        decision = decision_of(estimator, chart, number, label, X)
    values = _quantity(y, n, decision)
    codes, classes = _classes(y, n, decision, label, values is not None)
    shown_names = _class_names(class_names, classes, label)
    shown = Shown(X, radius, direction, codes, shown_names)
    payload: dict[str, Any] = {
        "version": version("hyplane"),
        "title": "Points in hyperbolic space" if title is None else str(title),
        "n": n,
        "dim": shown.dim,
        "coordinates": chart,
        "curvature": float(number),
        "columns": _columns(X, chart),
        "max_radius": float(radius.max()),
        "radius": packed(radius, "f8"),
        "direction": packed(direction, "f8" if direction.size <= _MANY_NUMBERS else "f4"),
        "X": packed(X, "f8" if np.size(X) <= _MANY_NUMBERS else "f4"),
        "names": checked_names,
        "label_name": str(getattr(y, "name", None) or "Class"),
        "labelled": codes is not None,
        "codes": None if codes is None else packed_codes(codes),
        "classes": [_looks(code, name) for code, name in enumerate(shown_names)],
        "values": None,
        "edges": _check_edges(edges, checked_names, n),
        "fits": [],
        "initial_fit": 0,
        "probabilities": None,
        "principal": _principal(shown),
    }
    if values is not None:
        payload["values"] = packed(values, "f8")
        payload["low"], payload["high"] = float(values.min()), float(values.max())
        payload["label_name"] = str(getattr(y, "name", None) or "Value")
    if decision is not None:
        _add_fits(payload, decision, shown, Cs, y)
        _add_probabilities(payload, decision, shown)
    return payload


def _chart(estimator: Any, coordinates: str | None, curvature: float | None) -> tuple[str, float]:
    """Return chart and curvature: those given, else the estimator's, else the ball of -1."""
    inner = inner_estimator(estimator)
    first = inner.steps[0][1] if hasattr(inner, "steps") else inner
    chart = getattr(first, "coordinates", "ball") if coordinates is None else coordinates
    number = getattr(first, "curvature", -1.0) if curvature is None else curvature
    return chart_name(chart), number


def _first_fit(X: ArrayLike, y: ArrayLike | None, C: float, chart: str, number: float) -> Any:
    if y is None:
        raise ValueError("Cs asks for fits, and these need y: the class of each point.")
    return HyperbolicSVC(C=C, coordinates=chart, curvature=number, random_state=0).fit(X, y)


def _check_names(names: Sequence[Any] | None, n: int) -> list[str] | None:
    if names is None:
        return None
    words = [str(name) for name in names]
    if len(words) != n:
        raise ValueError(f"names must have one name for each of the {n} points; got {len(words)}.")
    return words


def _quantity(y: ArrayLike | None, n: int, decision: Decision | None) -> Array | None:
    """Return y where it is a quantity: many numbers, not all of them whole."""
    if y is None or decision is not None:
        return None
    values = np.asarray(y)
    if values.dtype.kind != "f" or values.shape != (n,):
        return None
    if len(np.unique(values)) <= _MOST_NUMBERS or (values == np.round(values)).all():
        return None
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"row {row} of y is {values[row]}, but a colour needs a finite number.")
    return np.asarray(values, dtype=np.float64)


def _classes(
    y: ArrayLike | None, n: int, decision: Decision | None, label: int | None, quantity: bool
) -> tuple[NDArray[np.intp] | None, NDArray[Any]]:
    """Return the number of each point's class, and the classes."""
    if decision is not None:
        classes, codes = class_codes(decision, y, n)
        return codes, classes
    if y is None or quantity:
        return None, np.array(["points"])
    values = np.asarray(y)
    if values.ndim == 2:
        if label is None or not 0 <= label < values.shape[1]:
            raise ValueError(
                f"y has {values.shape[1]} labels a point: choose one to show with label=0, …, "
                f"{values.shape[1] - 1}; got label={label!r}."
            )
        values = values[:, label]
    elif label is not None:
        raise ValueError("label chooses among several labels a point, and y has one. Leave it out.")
    if values.shape != (n,):
        raise ValueError(
            f"y must have one class for each of the {n} points; got shape {np.shape(y)}."
        )
    classes, codes = np.unique(values, return_inverse=True)
    return codes, classes


def _class_names(
    names: Sequence[str] | None, classes: NDArray[Any], label: int | None
) -> list[str]:
    if names is None and label is not None:
        return [f"without label {label}", f"with label {label}"][: len(classes)]
    if names is None:
        return [str(each) for each in classes.tolist()]
    if len(names) != len(classes):
        raise ValueError(
            f"class_names must have {len(classes)} names, one per class; got {len(names)}."
        )
    return [str(each) for each in names]


def _looks(code: int, name: str) -> dict[str, str]:
    style = class_style(code)
    return {"name": name, "color": style["color"], "marker": style["marker"]}


def _columns(X: ArrayLike, chart: str) -> list[str]:
    named = getattr(X, "columns", None)
    if named is not None:
        return [str(name) for name in named]
    n = np.shape(X)[1]
    if chart == "polar":
        return ["r", "θ"] if n == 2 else ["r", *(f"u{k}" for k in range(1, n))]
    first = 0 if chart == "hyperboloid" else 1
    return [f"x{k}" for k in range(first, first + n)]


def _check_edges(edges: ArrayLike | None, names: list[str] | None, n: int) -> dict[str, str] | None:
    """Return pairs of rows, from pairs of rows or of names."""
    if edges is None:
        return None
    pairs = np.asarray(edges if hasattr(edges, "shape") else list(edges))
    if pairs.size == 0:
        return packed(np.empty((0, 2)), "i4")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"edges must have shape (n_edges, 2); got {pairs.shape}.")
    if pairs.dtype.kind not in "iu":
        pairs = _rows_of_names(pairs, names)
    wrong = ((pairs < 0) | (pairs >= n)).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        edge = tuple(pairs[row].tolist())
        raise ValueError(f"edge {row} is {edge}, but points are numbered from 0 to {n - 1}.")
    return packed(pairs, "i4")


def _rows_of_names(pairs: NDArray[Any], names: list[str] | None) -> NDArray[np.intp]:
    if names is None:
        raise ValueError(
            f"edges hold {pairs.dtype} values, and without names they must be whole numbers: rows "
            "of X."
        )
    row_of = {name: row for row, name in enumerate(names)}
    rows = np.empty(pairs.shape, dtype=np.intp)
    for edge, ends in enumerate(pairs.tolist()):
        for side, end in enumerate(ends):
            if str(end) not in row_of:
                raise ValueError(f"edge {edge} goes to {str(end)!r}, and no point has that name.")
            rows[edge, side] = row_of[str(end)]
    return rows


def _principal(shown: Shown) -> list[list[float]] | None:
    """Return the two directions along which points of a larger space spread most."""
    if shown.dim == 2:
        return None
    directions = np.linalg.eigh(tangent_covariance(shown))[1][:, :-3:-1].T
    return np.asarray(directions).tolist()  # type: ignore[no-any-return]


def _add_fits(
    payload: dict[str, Any],
    decision: Decision,
    shown: Shown,
    Cs: list[float] | None,
    y: ArrayLike | None,
) -> None:
    """Add the given classifier and, where asked for, one for each C."""
    fits: list[tuple[str, Any, bool]] = []
    if Cs is not None:
        if y is None:
            raise ValueError("Cs asks for fits, and these need y: the class of each point.")
        over = estimators_over(Cs, decision.estimator, shown.X, y)
        fits = [(f"C = {C:g}", fitted, given) for C, fitted, given in over]
    if not any(given for _, _, given in fits):
        fits.insert(0, (_name(decision.estimator), decision.estimator, True))
    last = None
    for place, (name, fitted, given) in enumerate(fits):
        asked = Decision(
            fitted, decision.coordinates, decision.curvature, decision.classes, decision.label
        )
        described, last = fit_payload(asked, shown, name, given, last)
        payload["fits"].append(described)
        if given:
            payload["initial_fit"] = place


def _name(estimator: Any) -> str:
    inner = inner_estimator(estimator)
    C = inner.get_params(deep=False).get("C")
    name = type(inner).__name__
    return name if C is None else f"{name}, C = {C:g}"


def _add_probabilities(payload: dict[str, Any], decision: Decision, shown: Shown) -> None:
    ask = getattr(decision.estimator, "predict_proba", None)
    if ask is None:
        return
    probabilities = np.asarray(ask(shown.X))
    if decision.label is not None:
        positive = probabilities[:, decision.label]
        probabilities = np.column_stack([1.0 - positive, positive])
    payload["probabilities"] = packed(probabilities, "f4")
    payload["probability_names"] = shown.class_names[: probabilities.shape[1]]
