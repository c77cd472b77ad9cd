"""One hyperplane in the models of the hyperbolic plane, side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hyplane._optional import import_optional
from hyplane._typing import Array, ArrayLike
from hyplane.geometry import hyperplane_parameters, signed_distance
from hyplane.plotting._arcs import Arcs, hypercycle_arcs, joined
from hyplane.plotting._artists import DASHES
from hyplane.plotting._hyperboloid import HyperboloidView, grey_sheet
from hyplane.plotting._marks import draw_marks
from hyplane.plotting._pixels import pixel_centers
from hyplane.plotting._shading import region_image
from hyplane.plotting._targets import targets_of
from hyplane.plotting._views import BallView, HalfPlaneView, KleinView, View, curves_of, window_for
from hyplane.plotting.disk import to_disk
from hyplane.plotting.model_display import checked_axes
from hyplane.plotting.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MODELS", "draw_hyperplane", "draw_models"]

MODELS = ("ball", "klein", "halfspace", "hyperboloid")
_PIXELS = 600


def draw_hyperplane(
    w: ArrayLike,
    *,
    model: str = "ball",
    margin: float | None = None,
    shade: bool = True,
    ax: "Axes | None" = None,
    color: Any = INK,
    lw: float = 1.8,
) -> "Axes":
    """Draw a hyperplane of the plane (a geodesic) in one of the models.

    Parameters
    ----------
    w : array-like of shape (3,)
        Its normal in Minkowski space, ``w*w < 0``.
    model : {"ball", "klein", "halfspace", "hyperboloid"}
        The model to draw. The hyperboloid needs axes with ``projection="3d"``, and shows the plane
        ``w*x = 0`` that cuts it.
    margin : float, optional
        Draw the curves at this distance to either side too.
    shade : bool, default=True
        Colour the side where ``w*x > 0``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    color : color
        Colour of the curves.
    lw : float, default=1.8
        Width of the hyperplane's line.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_hyperplane([0.2, 1.0, 0.5], model="halfspace", ax=Figure().add_subplot())
    >>> ax.get_aspect()
    1.0
    """
    _check_model(model)
    _, offset, normal = hyperplane_parameters(w)
    if normal.shape != (2,):
        raise ValueError(
            f"a hyperplane of the plane has a w of shape (3,); got shape {np.shape(w)}."
        )
    curves = _curves(float(offset), normal, margin)
    view = _view(model, normal, joined(curves))
    ax = checked_axes(ax, view)
    _draw_plane(ax, view, w, curves, shade=shade, color=color, lw=lw)
    return ax


def draw_models(
    w: ArrayLike,
    X: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    *,
    models: Sequence[str] = ("hyperboloid", "ball", "halfspace"),
    coordinates: str = "ball",
    curvature: float = -1.0,
    margin: float | None = None,
    figure: "Figure | None" = None,
) -> "Figure":
    """Draw one hyperplane, and points, in several models side by side (the paper's Figure 1).

    Parameters
    ----------
    w : array-like of shape (3,)
        Normal of the hyperplane in Minkowski space.
    X : array-like of shape (m, n_columns), optional
        Points of the hyperbolic plane. The half-space and the hyperboloid are drawn in part, and
        show the points of that part.
    labels : array-like of shape (m,), optional
        Their classes; by default the sides of the hyperplane they lie on.
    models : sequence of {"ball", "klein", "halfspace", "hyperboloid"}
        The models, from left to right.
    coordinates : str, default="ball"
        Chart of X.
    curvature : float, default=-1.0
        Curvature of X's chart. The pictures are those of curvature -1.
    margin : float, optional
        Draw the curves at this distance to either side too, at curvature -1.
    figure : matplotlib Figure, optional
        An empty figure to draw in; a new one by default.

    Returns
    -------
    figure : matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> figure = draw_models([0.2, 1.0, 0.5], [[0.1, 0.2], [-0.5, 0.0]], figure=Figure())
    >>> [ax.get_title() for ax in figure.axes]
    ['Hyperboloid', 'Poincaré ball', 'Upper half-space']
    """
    for model in models:
        _check_model(model)
    if figure is None:
        plt = import_optional("matplotlib.pyplot", "plot")
        figure = plt.figure(figsize=(3.9 * len(models), 3.9), layout="constrained")
    assert figure is not None
    _, offset, normal = hyperplane_parameters(w)
    curves = _curves(float(offset), normal, margin)
    points = np.empty((0, 2)) if X is None else to_disk(X, coordinates, curvature=curvature)
    for position, model in enumerate(models):
        view = _view(model, normal, joined(curves), points)
        ax = figure.add_subplot(1, len(models), position + 1, projection=view.projection)
        _draw_plane(ax, view, w, curves)
        ax.set_title(view.title)
        if X is not None:
            sides = signed_distance(X, w, coordinates=coordinates, curvature=curvature) > 0
            targets = targets_of(sides if labels is None else labels, len(points), numeric=False)
            draw_marks(ax, view.place(points), targets, view=view, density=False)
    return figure


def _draw_plane(
    ax: Any,
    view: View,
    w: ArrayLike,
    curves: list[Arcs],
    *,
    shade: bool = True,
    color: Any = INK,
    lw: float = 1.8,
) -> None:
    """Draw the frame of a view, the sides of a hyperplane, the hyperplane and its margin."""
    view.frame(ax)
    if isinstance(view, HyperboloidView):
        view.show_image(ax, _sides(w, view) if shade else grey_sheet(), alpha=0.6)
        _, offset, normal = hyperplane_parameters(w)
        view.add_plane(ax, float(offset), normal)
    elif shade:
        view.show_image(ax, _sides(w, view))
    view.add_curves(ax, curves[0], color=color, lw=lw)
    for curve in curves[1:]:
        view.add_curves(ax, curve, color=color, lw=0.65 * lw, ls=DASHES)


def _curves(offset: float, normal: Array, margin: float | None) -> list[Arcs]:
    """Return the hyperplane, and the curves of its margin, as arcs of the disk."""
    levels = [0.0] if margin is None else [0.0, -float(margin), float(margin)]
    return [hypercycle_arcs(np.array([offset]), normal[None], level) for level in levels]


def _view(model: str, normal: Array, curves: Arcs, points: Array | None = None) -> View:
    """Return the part of a model that shows curves and points of the disk."""
    if model == "ball":
        return BallView()
    if model == "klein":
        return KleinView()
    if model == "hyperboloid":
        return HyperboloidView(azimuth=float(np.degrees(np.arctan2(normal[1], normal[0]))) - 62.0)
    shown = curves_of(curves, 50) + ([] if points is None else [points])
    places = np.concatenate([HalfPlaneView(-1.0, 1.0, 1.0).place(part) for part in shown])
    # What is far away is cut off.
    return window_for(places[(np.abs(places[:, 0]) < 4.0) & (places[:, 1] < 4.0)])


def _sides(w: ArrayLike, view: View) -> Array:
    """Return the image of both sides of a hyperplane."""
    points = view.disk_points(pixel_centers(view.extent, _PIXELS))
    positive = signed_distance(points, w) > 0
    return region_image(positive.reshape(_PIXELS, _PIXELS).astype(np.intp), 2)


def _check_model(model: str) -> None:
    if model not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}; got {model!r}.")
