"""The exact boundaries of classifiers that have equations for them. Nothing is drawn here."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyplane._utils.typing import Array, Ints
from hyplane.features.projection import PlaneView
from hyplane.geometry import hyperplane_parameters, surface_in_ball, surface_kind
from hyplane.geometry.numerics import arsinh_exp, log_cosh
from hyplane.plotting.arcs import FARTHEST, Arcs, chord_arcs, circle_arcs, hypercycle_arcs
from hyplane.plotting.decision import Decision, inner_estimator


@dataclass(frozen=True)
class Boundaries:
    """Curves where a score is 0, and, where known, those where it is ±1."""

    zero: list[Arcs]  # a whole circle is two arcs, others are one
    margins: list[Arcs]
    owners: Ints  # the class that a boundary tells from the rest; -1 between two classes


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
    n_dim = 2 if decision.view is None else decision.view.components_.shape[1]
    if hasattr(estimator, "hyperplanes_"):
        planes = estimator.hyperplanes_
        return _hyperplanes(planes.log_scale, planes.offset, planes.normal, decision.view)
    if np.ndim(w) == 2 and np.shape(w)[1] == n_dim + 1 and hasattr(estimator, "coordinates"):
        scale, offset, normal = hyperplane_parameters(w)
        return _hyperplanes(np.log(scale), offset, normal, decision.view)
    # Only a classifier of ball coordinates has straight lines in the disk. Several classes with
    # probabilities are compared by a softmax: the zeros of single scores mean nothing.
    is_linear = np.ndim(w) == 2 and np.shape(w)[1] == 2 and decision.coordinates == "ball"
    is_linear = is_linear and decision.view is None
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


def _hyperplanes(
    log_scale: Array, offset: Array, normal: Array, view: PlaneView | None
) -> list[list[Arcs]]:
    if view is not None:
        log_scale, offset, normal = planes_in_slice(view, log_scale, offset, normal)
    curves = []
    for row, distance in enumerate(arsinh_exp(-log_scale)):
        own = slice(row, row + 1) if abs(offset[row]) <= FARTHEST else slice(0)
        levels = (0.0, -distance, distance)
        curves.append([hypercycle_arcs(offset[own], normal[own], level) for level in levels])
    return curves


def planes_in_slice(
    view: PlaneView, log_scale: Array, offset: Array, normal: Array
) -> tuple[Array, Array, Array]:
    """Return hyperplanes of the plane of a picture: those of the space, cut by its slice.

    The offset is infinite where they do not meet.
    """
    seen = [view.hyperplane_in_slice(*plane) for plane in zip(offset, normal, strict=True)]
    offsets, parts = np.array([a for a, _ in seen]), np.stack([part for _, part in seen])
    length = np.hypot(*parts.T)
    ratio = np.tanh(offsets) / np.maximum(length, 1e-300)
    meets = np.abs(ratio) < 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        # s² = cosh²a |u|² - sinh²a, in factors that keep their digits
        gap = np.log(length) + 0.5 * (np.log1p(-ratio) + np.log1p(ratio))
        shrunk = np.where(meets, log_scale + log_cosh(offsets) + gap, log_scale)
        moved = np.where(meets, np.arctanh(ratio), np.inf)
    return shrunk, moved, parts / np.maximum(length, 1e-300)[:, None]


def _surfaces(estimator: Any, decision: Decision) -> list[list[Arcs]] | None:
    """Return surfaces ``w*x = c``, and those at the distances of the margin where there is one."""
    w, level = np.asarray(estimator.coef_), np.asarray(estimator.level_)
    is_joint = getattr(estimator, "multi_class", "") == "joint" and decision.label is None
    if decision.view is not None or (is_joint and len(w) > 1):  # a softmax compares the classes
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
