"""Which projection a picture of points of more than two dimensions shows, and what to say of it."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.charts import PROJECTIONS, chart_name
from hyplane._utils.typing import Array
from hyplane.features import HyperbolicProjection, HyperplaneView
from hyplane.features.projection import PlaneView, hyperplanes_of
from hyplane.geometry import to_polar
from hyplane.plotting.decision import Decision


def fitted_view(
    projection: Any,
    X: Any,
    coordinates: str,
    curvature: float,
    decision: Decision | None = None,
) -> PlaneView | None:
    """Return the projection of a picture, fitted; None for points of the plane by default.

    It is given by name or as a transformer, fitted or not. By default it is the hyperplane view of
    two classes where they have a hyperplane, else the radial projection.
    """
    if isinstance(projection, PlaneView):
        return _given(projection, X, coordinates, curvature)
    n_dim = to_polar(X[:1], coordinates, curvature=curvature)[1].shape[1]
    if projection is None:
        if n_dim <= 2:
            return None
        projection = "radial" if _plane_index(decision) is None else "hyperplane"
    options: dict[str, Any] = {
        "coordinates": coordinates,
        "curvature": curvature,
        "random_state": 0,
    }
    if projection == "hyperplane":
        index = _plane_index(decision)
        if decision is None or index is None:
            raise ValueError(
                "projection='hyperplane' needs a fitted classifier of two classes with a "
                "hyperplane, such as HyperbolicSVC. For another hyperplane pass a HyperplaneView."
            )
        view = HyperplaneView(decision.estimator, index=index, **options)
        view.fit(X)
        return view
    if projection not in PROJECTIONS:
        raise ValueError(
            f"projection must be one of {', '.join(PROJECTIONS)}, a HyperbolicProjection or a "
            f"HyperplaneView; got {projection!r}."
        )
    shows = projection == "radial" and decision is not None and decision.label is None
    estimator = decision.estimator if shows and decision is not None else None
    view = HyperbolicProjection(str(projection), estimator=estimator, **options)
    return view.fit(X)  # type: ignore[no-any-return]


def with_view(decision: Decision, projection: Any, X: Any) -> Decision:
    """Return a decision with the projection that it is drawn in."""
    view = fitted_view(projection, X, decision.coordinates, decision.curvature, decision)
    return replace(decision, view=view)


def disk_points(X: Any, coordinates: str, curvature: float, view: PlaneView | None) -> Array:
    """Return points, projected where there is a view, as points of the unit disk."""
    radius, direction = to_polar(X, coordinates, curvature=curvature)
    if view is not None:
        radius, direction = view.to_plane(radius, direction)
    if direction.shape[1] != 2:
        raise ValueError(
            f"a picture of the Poincaré disk needs points of the hyperbolic plane; got points of "
            f"dimension {direction.shape[1]} in {coordinates} coordinates. Name a projection, or "
            "embed in two dimensions."
        )
    return np.asarray(np.tanh(0.5 * radius)[:, None] * direction)


def note_on(view: PlaneView | None, decision: Decision | None, X: Any) -> str:
    """Return what a reader has to know of a projected picture."""
    if view is None:
        return ""
    note = f"{_says(view)} (stress {view.stress_:.2f})."
    if decision is None:
        return note
    points = to_polar(X, decision.coordinates, curvature=decision.curvature)
    drawn = decision.rows_of(*view.to_plane(*points))
    share = np.mean(decision.codes(X) == decision.codes(drawn))
    return (
        f"{note} Regions are the decisions on the slice that is drawn: {100.0 * share:.0f} % of "
        "the points lie on a region of their predicted class."
    )


def _says(view: PlaneView) -> str:
    n_dim = view.components_.shape[1]
    if isinstance(view, HyperplaneView):
        return (
            f"{n_dim} dimensions, hyperplane view: signed distances to the hyperplane are exact, "
            "distances along it shrink"
        )
    assert isinstance(view, HyperbolicProjection)
    kept = {
        "radial": "distances to the centre are exact",
        "horo": "no distance grows",
        "tangent": "principal components at the centre",
        "orthogonal": "closest points of a slice, distances shrink much",
    }
    return f"{n_dim} dimensions, {view.method} projection: {kept[view.method]}"


def _given(view: PlaneView, X: Any, coordinates: str, curvature: float) -> PlaneView:
    """Return a transformer that the caller made, fitted if it is not."""
    own = chart_name(view.coordinates), view.curvature
    if own != (chart_name(coordinates), curvature):
        raise ValueError(
            f"the projection is one of {own[0]} coordinates at curvature {own[1]:g}, and the "
            f"points have {coordinates} coordinates at curvature {curvature:g}."
        )
    try:
        check_is_fitted(view)
    except NotFittedError:
        return copy(view).fit(X)  # type: ignore[no-any-return]
    return view


def _plane_index(decision: Decision | None) -> int | None:
    """Return the number of the one hyperplane that decides; None where none does alone."""
    found = None if decision is None else hyperplanes_of(decision.estimator)
    if found is None or decision is None or len(decision.classes) != 2:
        return None
    index = 0 if decision.label is None else decision.label
    return index if np.isfinite(found[1][index]) else None
