"""Hyperplanes in the models of the hyperbolic plane, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hyplane._utils.charts import chart_name
from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, ArrayLike, finite_float
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
from hyplane.plotting.palette import INK, class_style

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
    color: Any = None,
    lw: float = 1.8,
) -> "Axes":
    """Draw a hyperplane of the plane (a geodesic), or several, in one of the models.

    Parameters
    ----------
    w : array-like of shape (3,) or (n_planes, 3)
        Normals in Minkowski space, ``w*w < 0``.
    model : {"ball", "klein", "halfspace", "hyperboloid"}
        The model to draw. The hyperboloid needs axes with ``projection="3d"``, and shows the plane
        ``w*x = 0`` that cuts it.
    margin : float, optional
        Draw the curves at this distance to either side too.
    shade : bool, default=True
        Colour the sides of a single hyperplane.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    color : color or list of colors, optional
        Colour of the curves; by default dark for one, and one colour each for several.
    lw : float, default=1.8
        Width of the hyperplanes' lines.

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
    model = _checked_model(model)
    planes = _Planes.of(w, margin, color)
    view = _view(model, planes)
    ax = checked_axes(ax, view)
    _draw_planes(ax, view, planes, shade=shade, lw=lw)
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
    """Draw hyperplanes, and points, in several models side by side (the paper's Figure 1).

    Parameters
    ----------
    w : array-like of shape (3,) or (n_planes, 3)
        Normals of the hyperplanes in Minkowski space.
    X : array-like of shape (m, n_columns), optional
        Points of the hyperbolic plane. The half-space and the hyperboloid are drawn in part, and
        show the points of that part.
    labels : array-like of shape (m,), optional
        Their classes; by default the sides of the (first) hyperplane they lie on.
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
    models = [_checked_model(model) for model in models]
    if figure is None:
        plt = import_optional("matplotlib.pyplot", "plot")
        figure = plt.figure(figsize=(3.9 * len(models), 3.9), layout="constrained")
    assert figure is not None
    planes = _Planes.of(w, margin)
    points = np.empty((0, 2)) if X is None else to_disk(X, coordinates, curvature=curvature)
    for position, model in enumerate(models):
        view = _view(model, planes, points)
        ax = figure.add_subplot(1, len(models), position + 1, projection=view.projection)
        _draw_planes(ax, view, planes)
        ax.set_title(view.title)
        if X is not None:
            first = planes.normals[0]
            sides = signed_distance(X, first, coordinates=coordinates, curvature=curvature) > 0
            targets = targets_of(sides if labels is None else labels, len(points), numeric=False)
            draw_marks(ax, view.place(points), targets, view=view, density=False)
    return figure


@dataclass(frozen=True)
class _Planes:
    """Hyperplanes as normals w, and as offsets and unit normals with their arcs of the disk."""

    normals: Array
    offset: Array
    direction: Array
    zero: Arcs
    margins: list[Arcs]
    colors: list[Any]

    @classmethod
    def of(cls, w: ArrayLike, margin: float | None, color: Any = None) -> Self:
        normals = np.asarray(w, dtype=np.float64)
        if normals.ndim not in (1, 2) or normals.shape[-1] != 3 or normals.size == 0:
            raise ValueError(
                "a hyperplane of the plane has a w of shape (3,), several have (n_planes, 3); "
                f"got shape {np.shape(w)}."
            )
        normals = np.atleast_2d(normals)
        _, offset, direction = hyperplane_parameters(normals)
        if margin is not None and finite_float(margin) is None:
            raise ValueError(f"margin must be a finite number; got {margin!r}.")
        levels = [] if margin is None else [-float(margin), float(margin)]
        if color is None:
            few = len(normals) == 1
            color = [INK] if few else [class_style(k)["color"] for k in range(len(normals))]
        colors = color if isinstance(color, list) else [color] * len(normals)
        if len(colors) != len(normals):
            raise ValueError(f"color has {len(colors)} colours for {len(normals)} hyperplanes.")
        return cls(
            normals,
            offset,
            direction,
            hypercycle_arcs(offset, direction),
            [hypercycle_arcs(offset, direction, level) for level in levels],
            colors,
        )


def _draw_planes(
    ax: Any, view: View, planes: _Planes, *, shade: bool = True, lw: float = 1.8
) -> None:
    """Draw the frame of a view, the sides of one hyperplane, the hyperplanes and their margins."""
    shade = shade and len(planes.normals) == 1
    view.frame(ax)
    if isinstance(view, HyperboloidView):
        view.show_image(ax, _sides(planes.normals[0], view) if shade else grey_sheet(), alpha=0.6)
        for offset, direction, color in zip(
            planes.offset, planes.direction, planes.colors, strict=True
        ):
            view.add_plane(ax, float(offset), direction, color)
    elif shade:
        view.show_image(ax, _sides(planes.normals[0], view))
    for k, color in enumerate(planes.colors):
        view.add_curves(ax, planes.zero[k : k + 1], color=color, lw=lw)
        for curves in planes.margins:
            view.add_curves(ax, curves[k : k + 1], color=color, lw=0.65 * lw, ls=DASHES)


def _view(model: str, planes: _Planes, points: Array | None = None) -> View:
    """Return the part of a model that shows hyperplanes and points of the disk."""
    if model == "ball":
        return BallView()
    if model == "klein":
        return KleinView()
    if model == "hyperboloid":
        first = planes.direction[0]
        return HyperboloidView(azimuth=float(np.degrees(np.arctan2(first[1], first[0]))) - 62.0)
    shown = curves_of(joined([planes.zero, *planes.margins]), 50)
    shown += [] if points is None else [points]
    places = np.concatenate([HalfPlaneView(-1.0, 1.0, 1.0).place(part) for part in shown])
    # What is far away is cut off.
    return window_for(places[(np.abs(places[:, 0]) < 4.0) & (places[:, 1] < 4.0)])


def _sides(w: ArrayLike, view: View) -> Array:
    """Return the image of both sides of a hyperplane."""
    points = view.disk_points(pixel_centers(view.extent, _PIXELS))
    positive = signed_distance(points, w) > 0
    return region_image(positive.reshape(_PIXELS, _PIXELS).astype(np.intp), 2)


def _checked_model(model: str) -> str:
    try:
        name = chart_name(model)
    except ValueError:
        name = ""
    if name not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}; got {model!r}.")
    return name
