"""The exact boundaries of classifiers that have equations for them. Nothing is drawn here."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyplane._utils.typing import Array, Ints
from hyplane.geometry import hyperplane_parameters, surface_in_ball, surface_kind
from hyplane.geometry.numerics import arsinh_exp
from hyplane.plotting._arcs import FARTHEST, Arcs, chord_arcs, circle_arcs, hypercycle_arcs
from hyplane.plotting.decision import Decision, inner_estimator


@dataclass(frozen=True)
class Boundaries:
    """Curves where a score is 0, and, where known, those where it is ±1.

    Attributes
    ----------
    zero : list of Arcs
        The boundaries; a whole circle is two arcs, others are one.
    margins : list of Arcs
        Curves of scores -1 and 1.
    owners : ndarray of int
        The class that each boundary tells from the rest; -1 where it tells two classes apart.
    """

    zero: list[Arcs]
    margins: list[Arcs]
    owners: Ints


def find_boundaries(decision: Decision) -> Boundaries | None:
    """Return the boundaries where they are hyperplanes, surfaces ``w*x = c`` or straight lines."""
    estimator = inner_estimator(decision.estimator)
    curves = _curves_of(estimator, decision)
    if curves is None:
        return None
    rows = list(range(len(curves))) if decision.label is None else [decision.label]
    drawn = [row for row in rows if len(curves[row][0])]
    margins = [arcs for row in rows for arcs in curves[row][1:] if len(arcs)]
    # With three classes there are as many pairs as classes; scikit-learn's SVC always takes pairs.
    is_pairs = hasattr(estimator, "decision_function_shape")
    is_pairs = is_pairs or getattr(estimator, "multi_class", "ovr") == "ovo"
    one_each = len(curves) == len(decision.classes) > 2 and not is_pairs
    owners = np.arange(len(curves)) if one_each else np.full(len(curves), -1)
    return Boundaries([curves[row][0] for row in drawn], margins, owners[drawn])


def _curves_of(estimator: Any, decision: Decision) -> list[list[Arcs]] | None:
    """Return for each boundary the curve of score 0 and, where known, those of -1 and 1."""
    if hasattr(estimator, "level_"):
        return _surfaces(estimator, decision)
    w: Any = getattr(estimator, "coef_", None)
    if hasattr(estimator, "hyperplanes_"):
        planes = estimator.hyperplanes_
        return _hyperplanes(planes.log_scale, planes.offset, planes.normal)
    if np.ndim(w) == 2 and np.shape(w)[1] == 3 and hasattr(estimator, "coordinates"):
        scale, offset, normal = hyperplane_parameters(w)
        return _hyperplanes(np.log(scale), offset, normal)
    # Only a classifier of ball coordinates has straight lines in the disk. Several classes with
    # probabilities are compared by a softmax: the zeros of single scores mean nothing.
    is_linear = np.ndim(w) == 2 and np.shape(w)[1] == 2 and decision.coordinates == "ball"
    is_linear = is_linear and hasattr(estimator, "decision_function")
    if not is_linear or (len(w) > 1 and hasattr(estimator, "predict_proba")):
        return None
    coefficients = np.asarray(w, dtype=np.float64) / np.sqrt(-decision.curvature)
    intercepts = np.broadcast_to(np.asarray(estimator.intercept_, dtype=np.float64), len(w))
    return [
        [_line(t, c), _line(t + 1.0, c), _line(t - 1.0, c)]
        for t, c in zip(intercepts, coefficients, strict=True)
    ]


def _line(intercept: float, coefficients: Array) -> Arcs:
    if abs(intercept) >= np.linalg.norm(coefficients):
        return _no_arcs()
    return chord_arcs(np.array([intercept]), coefficients[None])


def _hyperplanes(log_scale: Array, offset: Array, normal: Array) -> list[list[Arcs]]:
    curves = []
    for row, distance in enumerate(arsinh_exp(-log_scale)):
        own = slice(row, row + 1) if abs(offset[row]) <= FARTHEST else slice(0)
        levels = (0.0, -distance, distance)
        curves.append([hypercycle_arcs(offset[own], normal[own], level) for level in levels])
    return curves


def _surfaces(estimator: Any, decision: Decision) -> list[list[Arcs]] | None:
    """Return surfaces ``w*x = c``, and those at the distances of the margin where there is one."""
    w, level = np.asarray(estimator.coef_), np.asarray(estimator.level_)
    is_joint = getattr(estimator, "multi_class", "") == "joint" and decision.label is None
    if w.shape[1] != 3 or (is_joint and len(w) > 1):  # a softmax compares the classes
        return None
    curves = []
    for row in range(len(w)):
        levels = [0.0]
        if not is_joint:
            distance = float(arsinh_exp(np.asarray(-estimator.results_[row].log_scale)))
            levels += [-distance, distance]
        curves.append([surface_arcs(w[row], level[row], each) for each in levels])
    return curves


def surface_arcs(w: Array, level: float, distance: float = 0.0) -> Arcs:
    """Return the curve at a signed distance from ``w*x = c`` in the disk, which may be empty."""
    size = float(np.abs(w).max())
    if size == 0.0:
        return _no_arcs()
    w, level = w / size, level / size
    length = float(np.hypot(w[1], w[2]))
    # The kind may be lost in the rounding of w.
    kind = "horosphere" if abs(abs(w[0]) - length) < 1e-14 else surface_kind(w)
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
            return _no_arcs()
        moved = sign * root * np.cosh(radius)
    center, radius, _ = surface_in_ball(w, float(moved))
    return circle_arcs(complex(*center), radius)


def _no_arcs() -> Arcs:
    return circle_arcs(0j, 1.0)[:0]
