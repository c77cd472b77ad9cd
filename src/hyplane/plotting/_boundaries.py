"""The exact boundaries of classifiers that have equations for them. Nothing is drawn here."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array
from hyplane.geometry import hyperplane_parameters, surface_in_ball, surface_kind
from hyplane.geometry.numerics import arsinh_exp
from hyplane.plotting._arcs import (
    FARTHEST,
    Arcs,
    chord_arcs,
    circle_arcs,
    hypercycle_arcs,
    joined,
)
from hyplane.plotting._decision import Decision, inner_estimator
from hyplane.plotting._targets import Codes


@dataclass(frozen=True)
class Boundaries:
    """Curves where a score is 0, and, where known, those where it is ±1.

    Attributes
    ----------
    zero : list of Arcs
        The boundaries; a whole circle is two arcs, others are one.
    margins : Arcs
        Curves of scores -1 and 1.
    owners : ndarray of int
        The class that each boundary tells from the rest; -1 where it tells two classes apart.
    """

    zero: list[Arcs]
    margins: Arcs
    owners: Codes


def find_boundaries(decision: Decision) -> Boundaries | None:
    """Return the boundaries where they are hyperplanes, surfaces ``w*x = c`` or straight lines."""
    linear = inner_estimator(decision.estimator)
    if hasattr(linear, "level_"):
        return _curved(linear, decision)
    planes = _hyperplanes(linear)
    if planes is not None:
        scale, offset, normal = planes
        rows = _rows_of_label(np.arange(len(offset)), decision.label)
        rows = rows[np.abs(offset[rows]) <= FARTHEST]
        distance = arsinh_exp(-scale[rows])
        zero = hypercycle_arcs(offset[rows], normal[rows])
        margins = [hypercycle_arcs(offset[rows], normal[rows], side * distance) for side in (-1, 1)]
        owners = _owners(decision, len(offset))[rows]
        return Boundaries(_one_each(zero), joined(margins), owners)
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
    return Boundaries(_one_each(levels[0]), joined(levels[1:]), owners_of_zero)


def _one_each(arcs: Arcs) -> list[Arcs]:
    return [arcs[row : row + 1] for row in range(len(arcs))]


def _curved(estimator: Any, decision: Decision) -> Boundaries | None:
    """Return surfaces ``w*x = c``, and those at the distances of the margin where there is one."""
    w, level = np.asarray(estimator.coef_), np.asarray(estimator.level_)
    joint = getattr(estimator, "multi_class", "") == "joint" and decision.label is None
    if w.shape[1] != 3 or (joint and len(w) > 1):  # a softmax compares the classes
        return None
    rows = _rows_of_label(np.arange(len(w)), decision.label)
    rows = rows[w[rows].any(axis=1)]
    zero = [surface_arcs(w[row], level[row]) for row in rows]
    margins = []
    if not joint:
        for row in rows:
            distance = float(arsinh_exp(np.asarray(-estimator.results_[row].log_scale)))
            margins += [surface_arcs(w[row], level[row], side * distance) for side in (-1, 1)]
    drawn = [row for row, arcs in enumerate(zero) if len(arcs)]
    owners = _owners(decision, len(w))[rows][drawn]
    nothing = chord_arcs(np.empty(0), np.empty((0, 2)))
    return Boundaries([zero[row] for row in drawn], joined([nothing, *margins]), owners)


def surface_arcs(w: Array, level: float, distance: float = 0.0) -> Arcs:
    """Return the curve at a signed distance from ``w*x = c`` in the disk; none where it is empty.

    Examples
    --------
    >>> surface_arcs(np.array([1.0, 0.0, 0.0]), np.cosh(1.0), 0.5).radius.round(4)
    array([0.6351, 0.6351])
    """
    size = float(np.abs(w).max())
    w, level = w / size, level / size
    kind = surface_kind(w)
    length = float(np.hypot(w[1], w[2]))
    if abs(abs(w[0]) - length) < 1e-14:
        kind = "horosphere"  # the kind is lost in the rounding of w
    if kind == "equidistant":
        scale, offset, normal = hyperplane_parameters(w[None])
        if np.abs(offset[0]) <= FARTHEST:
            return hypercycle_arcs(offset, normal, np.arcsinh(level / scale) + distance)
        kind = "horosphere"  # as far as a picture shows
    sign = 1.0 if w[0] > 0 else -1.0
    root = float(np.sqrt(max((abs(w[0]) - length) * (abs(w[0]) + length), 0.0)))
    if kind == "horosphere" or root < 1e-150:
        moved = level * np.exp(sign * distance)
    else:
        radius = np.arccosh(max(sign * level / root, 1.0)) + sign * distance
        if radius <= 0.0:
            return chord_arcs(np.empty(0), np.empty((0, 2)))
        moved = sign * root * np.cosh(radius)
    center, radius, _ = surface_in_ball(w, float(moved))
    return circle_arcs(complex(center[0], center[1]), radius)


def _hyperplanes(estimator: Any) -> tuple[Array, Array, Array] | None:
    """Return log of the scale, offset and normal of fitted hyperplanes of the hyperbolic plane."""
    planes = getattr(estimator, "hyperplanes_", None)
    if planes is not None:
        return planes.log_scale, planes.offset, planes.normal
    w = getattr(estimator, "coef_", None)
    if w is None or not hasattr(estimator, "coordinates"):
        return None
    if np.ndim(w) != 2 or np.shape(w)[1] != 3:
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
    if chart_name(decision.coordinates) != "ball" or np.ndim(coefficients) != 2:
        return None
    if not hasattr(estimator, "decision_function") or coefficients.shape[1] != 2:
        return None
    # Several classes with probabilities are compared with each other, as by a softmax: the zeros of
    # their scores mean nothing one by one.
    if len(coefficients) > 1 and hasattr(estimator, "predict_proba"):
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
