"""Hyperplanes in the models of the hyperbolic plane, side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hyplane._utils.charts import chart_name
from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, ArrayLike, finite_float
from hyplane.geometry import hyperplane_parameters, signed_distance
from hyplane.plotting._views import (
    DASHES,
    DiskView,
    HalfPlaneView,
    HyperboloidView,
    KleinView,
    axes_for,
    polylines,
)
from hyplane.plotting.arcs import Arcs, hypercycle_arcs
from hyplane.plotting.decision import targets_of
from hyplane.plotting.disk import to_disk
from hyplane.plotting.displays import region_image
from hyplane.plotting.marks import draw_marks
from hyplane.plotting.style import INK, class_colors, pale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
    planes = _Planes(w, margin, color)
    view = planes.view(model, np.empty((0, 2)))
    ax = axes_for(view, ax)
    planes.draw(ax, view, shade=shade, lw=lw)
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
    planes = _Planes(w, margin)
    points = np.empty((0, 2)) if X is None else to_disk(X, coordinates, curvature=curvature)
    if X is not None and labels is None:
        w = planes.normals[0]
        labels = signed_distance(X, w, coordinates=coordinates, curvature=curvature) > 0
    targets = targets_of(labels, len(points), numeric=False, name="labels")
    views = [planes.view(model, points) for model in models]
    if figure is None:
        plt = import_optional("matplotlib.pyplot", "plot")
        figure = plt.figure(figsize=(3.9 * len(models), 3.9), layout="constrained")
    for position, view in enumerate(views, start=1):
        ax = figure.add_subplot(1, len(views), position, projection=view.projection)
        planes.draw(ax, view)
        ax.set_title(view.title)
        if X is not None:
            draw_marks(ax, view, view.place(points), targets, density=False)
    return figure


class _Planes:
    """Hyperplanes of the plane: normals w, offsets and unit normals, margins and colours."""

    def __init__(self, w: ArrayLike, margin: float | None, color: Any = None) -> None:
        normals = np.asarray(w, dtype=np.float64)
        if normals.ndim not in (1, 2) or normals.shape[-1] != 3 or normals.size == 0:
            raise ValueError(
                "a hyperplane of the plane has a w of shape (3,), several have (n_planes, 3); "
                f"got shape {np.shape(w)}."
            )
        if margin is not None and finite_float(margin) is None:
            raise ValueError(f"margin must be a finite number; got {margin!r}.")
        self.normals = np.atleast_2d(normals)
        count = len(self.normals)
        _, self.offset, self.direction = hyperplane_parameters(self.normals)
        self.levels = [0.0] if margin is None else [0.0, -float(margin), float(margin)]
        if color is None:
            color = [INK] if count == 1 else class_colors(count)
        self.colors = color if isinstance(color, list) else [color] * count
        if len(self.colors) != count:
            raise ValueError(f"color has {len(self.colors)} colours for {count} hyperplanes.")

    def arcs(self, level: float) -> Arcs:
        """Return the curves at a distance from the hyperplanes."""
        return hypercycle_arcs(self.offset, self.direction, level)

    def view(self, model: str, points: Array) -> DiskView:
        """Return the part of a model that shows the hyperplanes and points of the disk."""
        models = ("ball", "klein", "halfspace", "hyperboloid")
        try:
            name = chart_name(model)
        except ValueError:
            name = ""
        if name not in models:
            raise ValueError(f"model must be one of {', '.join(models)}; got {model!r}.")
        if name == "hyperboloid":
            return HyperboloidView(normal=self.direction[0])
        if name == "halfspace":
            curves = [line for level in self.levels for line in polylines(self.arcs(level), 50)]
            return HalfPlaneView(np.concatenate([*curves, points]), farthest=4.0)
        return DiskView() if name == "ball" else KleinView()

    def draw(self, ax: Any, view: DiskView, *, shade: bool = True, lw: float = 1.8) -> None:
        """Draw the frame of a view, the sides of one hyperplane, the hyperplanes and margins."""
        view.frame(ax)
        sides = None
        if shade and len(self.normals) == 1:
            n_pixels = 600
            is_positive = signed_distance(view.pixels(n_pixels), self.normals[0]) > 0
            sides = region_image(is_positive.reshape(n_pixels, n_pixels).astype(np.intp), 2)
        if isinstance(view, HyperboloidView):
            grey = np.broadcast_to(pale(["#888888"], 0.8)[0], (2, 2, 3))
            view.show_image(ax, grey if sides is None else sides, alpha=0.6)
            for row, color in enumerate(self.colors):
                view.add_plane(ax, float(self.offset[row]), self.direction[row], color)
        elif sides is not None:
            view.show_image(ax, sides)
        margin = {"lw": 0.65 * lw, "ls": DASHES}
        for row, color in enumerate(self.colors):
            for level in self.levels:
                style: dict[str, Any] = margin if level else {"lw": lw}
                view.add_curves(ax, self.arcs(level)[row : row + 1], color=color, **style)
