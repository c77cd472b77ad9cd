"""Fitted classifiers in the form that the script draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers import HyperbolicSVC, HyperbolicSVCCV
from hyplane.plotting._decision import Decision, inner_estimator
from hyplane.plotting.explorer._arrays import packed, packed_codes

# Radii and angles at which a classifier without hyperplanes is asked.
N_RADIUS, N_ANGLE = 320, 480
# Beyond it the angles of the grid are farther apart than the grid is wide.
_LARGEST_RADIUS = 12.0
_SHARED = (
    "coordinates",
    "curvature",
    "multi_class",
    "class_weight",
    "bound",
    "tol",
    "max_iter",
    "n_jobs",
    "random_state",
)


@dataclass(frozen=True)
class Shown:
    """The points that a fit is shown with.

    Attributes
    ----------
    X : array
        Points in the chart of the estimator.
    radius, direction : ndarray
        The same at curvature -1, as `hyplane.geometry.to_polar` gives them.
    codes : ndarray of int or None
        Number of each point's class.
    class_names : list of str
        Names of the classes, those of the estimator first.
    """

    X: Any
    radius: Array
    direction: Array
    codes: NDArray[np.intp] | None
    class_names: list[str]

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return int(self.direction.shape[1])


def fit_payload(
    decision: Decision, shown: Shown, name: str, given: bool, last: Array | None = None
) -> tuple[dict[str, Any], Array | None]:
    """Describe one fitted classifier.

    Parameters
    ----------
    decision : Decision
        The fitted classifier.
    shown : Shown
        The points.
    name : str
        What to call the fit.
    given : bool
        Whether it is the caller's own estimator, whose probabilities the page has.
    last : ndarray, optional
        Second directions of the fit before, so that the picture does not flip.

    Returns
    -------
    payload : dict
    second : ndarray of shape (n_planes, n) or None
        Second directions of this fit, in more than two dimensions.
    """
    predicted = _predicted(decision, shown)
    payload: dict[str, Any] = {
        "name": name,
        "given": given,
        "plane_names": [],
        "owners": [],
        "pairs": [],
        "rule": "none",
        "texture": None,
        "predicted": packed_codes(predicted),
        "accuracy": None,
    }
    if shown.codes is not None:
        payload["accuracy"] = float((predicted == shown.codes).mean())
    estimator = inner_estimator(decision.estimator)
    second = None
    if isinstance(estimator, HyperbolicSVC | HyperbolicSVCCV):
        second = _add_planes(payload, estimator, decision, shown, last)
    if payload["rule"] == "none" and shown.dim == 2:
        payload["texture"] = _texture(decision, shown.radius)
    return payload, second


def _predicted(decision: Decision, shown: Shown) -> NDArray[np.intp]:
    predicted = np.asarray(decision.estimator.predict(shown.X))
    if decision.label is not None:
        predicted = predicted[:, decision.label]
    order = np.argsort(decision.classes)
    return np.asarray(order[np.searchsorted(decision.classes, predicted, sorter=order)])


def _add_planes(
    payload: dict[str, Any],
    estimator: HyperbolicSVC | HyperbolicSVCCV,
    decision: Decision,
    shown: Shown,
    last: Array | None,
) -> Array | None:
    """Add the hyperplanes and the rule that decides by them."""
    rows = slice(None) if decision.label is None else slice(decision.label, decision.label + 1)
    planes = estimator.hyperplanes_
    offset, normal = planes.offset[rows], planes.normal[rows]
    n_classes = len(decision.classes)
    pairwise = decision.label is None and n_classes > 2 and estimator.multi_class == "ovo"
    payload["plane_names"], payload["owners"] = _names(decision, shown, len(offset), pairwise)
    payload["log_scale"] = packed(planes.log_scale[rows], "f8")
    payload["offset"] = packed(offset, "f8")
    calibrated = isinstance(estimator, HyperbolicSVCCV)
    if calibrated:
        payload["slope"] = packed(estimator.sigmoids_.slope[rows], "f8")
        payload["intercept"] = packed(estimator.sigmoids_.intercept[rows], "f8")
    if pairwise:
        payload["pairs"] = [list(pair) for pair in combinations(range(n_classes), 2)]
        # Coupled probabilities of pairs are asked of the estimator instead.
        payload["rule"] = "none" if calibrated else "votes"
    else:
        payload["rule"] = "sign" if n_classes == 2 else "argmax"
    names = np.asarray(getattr(estimator, "score_functions_", ()))
    if (names[rows] == "klein").any():
        payload["rule"] = "none"  # the page knows the Minkowski score alone
    if normal.shape[1] == 1:
        normal = np.column_stack([normal, np.zeros(len(normal))])
    payload["normal"] = packed(normal, "f8")
    if shown.dim == 2:
        return None
    second = _second_directions(normal, shown, last)
    payload["second"] = packed(second, "f8")
    return second


def _names(
    decision: Decision, shown: Shown, n_planes: int, pairwise: bool
) -> tuple[list[str], list[int]]:
    """Name the hyperplanes, and say which class each tells from the rest, -1 for none."""
    names = shown.class_names
    if n_planes == 1:
        return [f"{names[1]} (+) against {names[0]}"], [-1]
    if pairwise:
        pairs = combinations(range(len(decision.classes)), 2)
        return [f"{names[b]} (+) against {names[a]}" for a, b in pairs], [-1] * n_planes
    return [f"{name} against the rest" for name in names[:n_planes]], list(range(n_planes))


def _second_directions(normal: Array, shown: Shown, last: Array | None) -> Array:
    """Return beside each normal the direction along which the points spread most."""
    spread = tangent_covariance(shown)
    directions = np.empty_like(normal)
    for k, u in enumerate(normal):
        across = np.eye(len(u)) - np.outer(u, u)
        directions[k] = np.linalg.eigh(across @ spread @ across)[1][:, -1]
        directions[k] -= (directions[k] @ u) * u
        directions[k] /= np.linalg.norm(directions[k])
        before = np.abs(directions[k]).argmax()
        sign = directions[k] @ last[k] if last is not None else directions[k, before]
        directions[k] *= 1.0 if sign >= 0 else -1.0
    return directions


def tangent_covariance(shown: Shown) -> Array:
    """Return the covariance of the points under the log map at the origin."""
    tangent = shown.radius[:, None] * shown.direction
    tangent = tangent - tangent.mean(axis=0)
    return np.asarray(tangent.T @ tangent / len(tangent))


def _texture(decision: Decision, radius: Array) -> dict[str, Any]:
    """Ask the classifier on a grid of radii and angles about the origin."""
    most = float(min(radius.max() + 2.0, _LARGEST_RADIUS))
    r = (np.arange(N_RADIUS) + 0.5) * most / N_RADIUS
    angle = (np.arange(N_ANGLE) + 0.5) * 2.0 * np.pi / N_ANGLE
    size = np.repeat(np.tanh(0.5 * r), N_ANGLE)
    turn = np.tile(angle, N_RADIUS)
    codes = decision.codes(np.column_stack([size * np.cos(turn), size * np.sin(turn)]))
    return {
        "codes": packed_codes(codes),
        "nRadius": N_RADIUS,
        "nAngle": N_ANGLE,
        "maxRadius": most,
    }


def estimators_over(
    Cs: Sequence[float], estimator: Any, X: Any, y: ArrayLike
) -> list[tuple[float, Any, bool]]:
    """Fit one classifier per C.

    Parameters
    ----------
    Cs : sequence of float
        Weights of the losses.
    estimator : classifier
        A fitted classifier with a parameter C, which is used again where it has one of these C, or
        a `HyperbolicSVCCV`, in whose place a `HyperbolicSVC` with its settings is fitted.
    X, y : array
        Points and classes.

    Returns
    -------
    fits : list of tuple
        C, the fitted classifier, and whether it is the given one, in the order of C.
    """
    inner = inner_estimator(estimator)
    settings = inner.get_params(deep=False)
    if isinstance(inner, HyperbolicSVCCV):
        template: Any = HyperbolicSVC(**{name: settings[name] for name in _SHARED})
        own = None
    elif "C" in settings:
        template, own = inner, float(settings["C"])
    else:
        raise ValueError(
            f"Cs needs a classifier with a parameter C; {type(inner).__name__} has none. Leave Cs "
            "out."
        )
    fits = []
    for C in Cs:
        if own == C:
            fits.append((C, estimator, True))
        else:
            fits.append((C, clone(template).set_params(C=C).fit(X, y), False))
    return fits
