"""Fitted classifiers in the form that the script draws."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone

from hyplane._utils.typing import Array, ArrayLike, Ints
from hyplane.classifiers.svc import HyperbolicSVC
from hyplane.classifiers.svc_cv import HyperbolicSVCCV
from hyplane.features import HyperplaneView
from hyplane.features.projection import PlaneView
from hyplane.geometry import to_polar
from hyplane.plotting.decision import Decision, Targets, inner_estimator, refined_codes
from hyplane.plotting.projection import note_on, with_view


def packed(values: ArrayLike, kind: str) -> dict[str, str]:
    """Return an array as base64 of its little-endian bytes, which the script reads bit for bit.

    The kind is "f8", "f4", "i4", "u1" or "u2".
    """
    data = np.asarray(values, dtype=f"<{kind}").tobytes()
    return {"type": kind, "data": base64.b64encode(data).decode("ascii")}


def packed_codes(codes: Ints) -> dict[str, str]:
    """Return the numbers of classes in one or two bytes each."""
    largest = int(codes.max(initial=0))
    if largest >= 1 << 16:
        raise ValueError(f"the page can show up to 65536 classes; got {largest + 1}.")
    return packed(codes, "u1" if largest < 1 << 8 else "u2")


@dataclass(frozen=True)
class Shown:
    """The points that fits are shown with, as given and in polar coordinates of curvature -1."""

    X: Any  # in the chart of the estimator
    y: Any  # classes as the caller gave them
    targets: Targets  # the classes of the estimator come first
    radius: Array
    direction: Array

    def places(self, view: PlaneView | None) -> tuple[Array, Array]:
        """Return where the picture has the points, as radius and direction."""
        places = self.radius, self.direction
        return places if view is None else view.to_plane(*places)

    @staticmethod
    def packed(places: tuple[Array, Array]) -> dict[str, Any]:
        """Return places for the script."""
        return {"radius": packed(places[0], "f8"), "direction": packed(places[1], "f8")}


def describe_fits(decision: Decision, shown: Shown, Cs: list[float] | None) -> dict[str, Any]:
    """Describe the given classifier and, where asked for, one for each C."""
    inner = inner_estimator(decision.estimator)
    C = inner.get_params(deep=False).get("C")
    fits = [] if Cs is None else _fits_over(Cs, decision.estimator, shown)
    if not any(given for _, _, given in fits):
        name = type(inner).__name__ if C is None else f"{type(inner).__name__}, C = {C:g}"
        fits.insert(0, (name, decision.estimator, True))
    described = []
    for name, fitted, given in fits:
        own = replace(decision, estimator=fitted)
        # The view of a hyperplane is another for each fit.
        is_one = isinstance(decision.view, HyperplaneView) and len(decision.classes) == 2
        moves = is_one and not given
        own = with_view(own, "hyperplane", shown.X) if moves else own
        places = shown.places(own.view)
        fit = _describe(own, shown, float(places[0].max()))
        fit["places"] = shown.packed(places) if moves else None
        described.append({"name": name, "given": given, **fit})
    found: dict[str, Any] = {
        "fits": described,
        "initial_fit": [given for _, _, given in fits].index(True),
    }
    if hasattr(decision.estimator, "predict_proba"):
        probabilities = decision.probabilities(shown.X)
        found["probabilities"] = packed(probabilities, "f4")
        found["probability_names"] = shown.targets.names[: probabilities.shape[1]]
    return found


def _fits_over(Cs: Sequence[float], estimator: Any, shown: Shown) -> list[tuple[str, Any, bool]]:
    """Fit one classifier per C, and return name, classifier and whether it is the given one.

    In place of a `HyperbolicSVCCV`, which has no C, a `HyperbolicSVC` with its settings is fitted.
    """
    template = inner_estimator(estimator)
    settings = template.get_params(deep=False)
    if isinstance(template, HyperbolicSVCCV):
        shared = settings.keys() & HyperbolicSVC().get_params(deep=False).keys()
        template = HyperbolicSVC(**{name: settings[name] for name in shared})
    elif "C" not in settings:
        raise ValueError(
            f"Cs needs a classifier with a parameter C; {type(template).__name__} has none. Leave "
            "Cs out."
        )
    fits = []
    for C in Cs:
        given = settings.get("C") == C
        fitted = estimator if given else clone(template).set_params(C=C).fit(shown.X, shown.y)
        fits.append((f"C = {C:g}", fitted, given))
    return fits


def _describe(decision: Decision, shown: Shown, farthest: float) -> dict[str, Any]:
    """Describe one fit, whose picture has its points up to a radius."""
    predicted = decision.codes(shown.X)
    codes = shown.targets.codes
    fit: dict[str, Any] = {
        "plane_names": [],
        "owners": [],
        "pairs": [],
        "rule": "none",
        "texture": None,
        "slice": None,
        "note": note_on(decision.view, decision, shown.X),
        "support": _support(decision.estimator, shown.X),
        "predicted": packed_codes(predicted),
        "accuracy": None if codes is None else float((predicted == codes).mean()),
    }
    estimator = inner_estimator(decision.estimator)
    if isinstance(estimator, HyperbolicSVC | HyperbolicSVCCV):
        fit |= _hyperplanes(estimator, decision, shown.targets.names)
        planes, rows = estimator.hyperplanes_, _rows(decision)
        offset, normal = planes.offset[rows], planes.normal[rows]
        if decision.view is not None:
            fit |= _on_slice(decision.view, offset, normal)
        if normal.shape[1] == 1:  # a line is drawn in the plane
            normal = np.column_stack([normal, np.zeros(len(normal))])
        fit["normal"] = packed(normal, "f8")
    if fit["rule"] == "none":
        fit["texture"] = _texture(decision, farthest)
    return fit


def _support(estimator: Any, X: Any) -> dict[str, str] | None:
    """Return which rows are the support of a fit; None where they are not rows of the fit."""
    inner, rows = inner_estimator(estimator), np.asarray(X)
    support = getattr(inner, "support_", np.empty(0, dtype=np.intp))
    if not len(support) or support.max() >= len(rows):
        return None
    if not np.array_equal(rows[support], inner.support_vectors_):
        return None
    return packed(np.isin(np.arange(len(rows)), support), "u1")


def _on_slice(view: PlaneView, offset: Array, normal: Array) -> dict[str, Any]:
    """Describe hyperplanes as they are seen from the centre of the slice that is drawn.

    A row has the signed distance of the centre and the part of the normal in the slice. The score
    of a hyperplane at infinity is ``±x0``, the product with the origin.
    """
    rows = np.zeros((len(offset), 3))
    for k, (a, u) in enumerate(zip(offset, normal, strict=True)):
        rows[k, 0], rows[k, 1:] = (a, 0.0) if np.isinf(a) else view.hyperplane_in_slice(a, u)
    [radius], [direction] = to_polar(view.center_[None], view.coordinates, curvature=view.curvature)
    origin = [np.cosh(radius), *(-np.sinh(radius) * (view.components_ @ direction))]
    return {"slice": packed(rows, "f8"), "origin": origin}


def _rows(decision: Decision) -> slice:
    """Return the rows of the hyperplanes that are shown."""
    return slice(None) if decision.label is None else slice(decision.label, decision.label + 1)


def _hyperplanes(
    estimator: HyperbolicSVC | HyperbolicSVCCV, decision: Decision, names: Sequence[str]
) -> dict[str, Any]:
    """Describe the hyperplanes and the rule that decides by them."""
    rows = _rows(decision)
    planes = estimator.hyperplanes_
    count, n_classes = len(planes.offset[rows]), len(decision.classes)
    found: dict[str, Any] = {
        "log_scale": packed(planes.log_scale[rows], "f8"),
        "offset": packed(planes.offset[rows], "f8"),
        "rule": "sign" if n_classes == 2 else "argmax",
        "owners": [-1] * count,
    }
    is_calibrated = isinstance(estimator, HyperbolicSVCCV)
    by_side = getattr(estimator, "threshold", "") == "side" and estimator.decomposition_ == "binary"
    if hasattr(estimator, "sigmoids_") and not by_side:
        found["slope"] = packed(estimator.sigmoids_.slope[rows], "f8")
        found["intercept"] = packed(estimator.sigmoids_.intercept[rows], "f8")
    if count == 1:
        found["plane_names"] = [f"{names[1]} (+) against {names[0]}"]
    elif estimator.multi_class == "ovo":
        pairs = [list(pair) for pair in combinations(range(n_classes), 2)]
        found["plane_names"] = [f"{names[b]} (+) against {names[a]}" for a, b in pairs]
        found["pairs"] = pairs
        # The page does not couple the probabilities of pairs: it asks the estimator on a grid.
        found["rule"] = "none" if is_calibrated else "votes"
    else:
        found["plane_names"] = [f"{name} against the rest" for name in names[:count]]
        found["owners"] = list(range(count))
    score_functions = np.asarray(getattr(estimator, "score_functions_", ()))
    if (score_functions[rows] == "klein").any() or hasattr(estimator, "isotonic_"):
        found["rule"] = "none"  # the page knows the Minkowski score and sigmoids alone
    return found


def _texture(decision: Decision, farthest: float) -> dict[str, Any]:
    """Ask the classifier on a grid of radii and angles about the centre of the picture.

    Between neighbours of different classes the place of the change is found by bisection.
    """
    # Beyond 12 the angles of the grid are farther apart than the grid is wide.
    most = min(farthest + 2.0, 12.0)

    def codes_at(place: Any, shape: tuple[int, ...]) -> Ints:
        row, column = place
        size = np.tanh(0.5 * (row + 0.5) * most / shape[0])
        angle = column * 2.0 * np.pi / shape[1]
        points = np.column_stack([size * np.cos(angle), size * np.sin(angle)])
        return decision.codes(decision.rows_at(points))

    codes = refined_codes(
        (160, 240), lambda shape, chosen: codes_at(np.nonzero(chosen), shape), doublings=1
    )
    texture: dict[str, Any] = {"nRadius": len(codes), "nAngle": codes.shape[1], "maxRadius": most}
    for axis, name in enumerate(("outward", "around")):
        place = np.nonzero(codes != np.roll(codes, -1, axis=axis))
        change = np.zeros(len(place[0]))
        for part in 0.5 ** np.arange(1, 9):
            way = (change + part) * np.eye(2)[axis][:, None]
            change += part * (codes_at(place + way, codes.shape) == codes[place])
        parts = np.full(codes.shape, 255)  # no change
        parts[place] = np.minimum(256 * change, 254)
        texture[name] = packed(parts, "u1")
    return texture | {"codes": packed_codes(codes)}
