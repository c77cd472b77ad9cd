"""Fitted classifiers in the form that the script draws."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone

from hyplane._utils.typing import Array, ArrayLike, Ints
from hyplane.classifiers import HyperbolicSVC, HyperbolicSVCCV
from hyplane.explorer._projection import second_directions
from hyplane.plotting.decision import Decision, Targets, inner_estimator


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
    """The points that fits are shown with.

    Attributes
    ----------
    X : array
        Rows in the chart of the estimator.
    y : array or None
        Classes as the caller gave them.
    targets : Targets
        The number of each point's class, and the names of the classes, the estimator's first.
    farthest : float
        The largest radius at curvature -1.
    spread : ndarray of shape (n, n)
        The covariance of the points under the log map at the origin.
    """

    X: Any
    y: Any
    targets: Targets
    farthest: float
    spread: Array


def describe_fits(decision: Decision, shown: Shown, Cs: list[float] | None) -> dict[str, Any]:
    """Describe the given classifier and, where asked for, one for each C."""
    inner = inner_estimator(decision.estimator)
    C = inner.get_params(deep=False).get("C")
    fits = [] if Cs is None else _fits_over(Cs, decision.estimator, shown)
    if not any(given for _, _, given in fits):
        name = type(inner).__name__ if C is None else f"{type(inner).__name__}, C = {C:g}"
        fits.insert(0, (name, decision.estimator, True))
    described, last = [], None
    for name, fitted, given in fits:
        fit, last = _describe(replace(decision, estimator=fitted), shown, last)
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


def _describe(
    decision: Decision, shown: Shown, last: Array | None
) -> tuple[dict[str, Any], Array | None]:
    """Describe one fit; `last` are the second directions of the one before, if there are any."""
    predicted = decision.codes(shown.X)
    codes = shown.targets.codes
    fit: dict[str, Any] = {
        "plane_names": [],
        "owners": [],
        "pairs": [],
        "rule": "none",
        "texture": None,
        "predicted": packed_codes(predicted),
        "accuracy": None if codes is None else float((predicted == codes).mean()),
    }
    second = None
    estimator = inner_estimator(decision.estimator)
    if isinstance(estimator, HyperbolicSVC | HyperbolicSVCCV):
        fit |= _hyperplanes(estimator, decision, shown.targets.names)
        normal = estimator.hyperplanes_.normal[_rows(decision)]
        if normal.shape[1] == 1:  # a line is drawn in the plane
            normal = np.column_stack([normal, np.zeros(len(normal))])
        fit["normal"] = packed(normal, "f8")
        if len(shown.spread) > 2:
            second = second_directions(normal, shown.spread, last)
            fit["second"] = packed(second, "f8")
    if fit["rule"] == "none" and len(shown.spread) == 2:
        fit["texture"] = _texture(decision, shown.farthest)
    return fit, second


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
    """Ask the classifier on a grid of radii and angles about the origin."""
    n_radius, n_angle = 320, 480
    # Beyond 12 the angles of the grid are farther apart than the grid is wide.
    most = min(farthest + 2.0, 12.0)
    r = (np.arange(n_radius) + 0.5) * most / n_radius
    angle = (np.arange(n_angle) + 0.5) * 2.0 * np.pi / n_angle
    size, turn = np.repeat(np.tanh(0.5 * r), n_angle), np.tile(angle, n_radius)
    points = np.column_stack([size * np.cos(turn), size * np.sin(turn)])
    codes = packed_codes(decision.codes(decision.rows_at(points)))
    return {"codes": codes, "nRadius": n_radius, "nAngle": n_angle, "maxRadius": most}
