"""One hyperplane in the models of the hyperbolic plane, side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from hyplane._optional import import_optional
from hyplane._typing import Array, ArrayLike
from hyplane.geometry import convert, hyperplane_parameters, signed_distance
from hyplane.plotting import _hyperboloid
from hyplane.plotting._arcs import Arcs, arcs_through, hypercycle_arcs
from hyplane.plotting._curves import hypercycle_points
from hyplane.plotting._pixels import pixel_centers
from hyplane.plotting.disk import add_arcs, clip_to_disk, draw_disk, scatter_classes
from hyplane.plotting.palette import COLORS, INK, RIM, pale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MODELS", "draw_hyperplane", "draw_models"]

MODELS = ("ball", "klein", "halfspace", "hyperboloid")
_TITLES = {
    "ball": "Poincaré ball",
    "klein": "Klein",
    "halfspace": "Upper half-space",
    "hyperboloid": "Hyperboloid",
}
_PIXELS = 600
# An ideal point this far along the half-plane's boundary is drawn as the one at infinity.
_INFINITY = 1e6
_RAY = 1e3
_DASHES = (0, (4, 2.5))


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
    >>> len(ax.patches)
    1
    """
    _check_model(model)
    _, offset, normal = hyperplane_parameters(w)
    if normal.shape != (2,):
        raise ValueError(
            f"a hyperplane of the plane has a w of shape (3,); got shape {np.shape(w)}."
        )
    ax = _new_axes(model) if ax is None else ax
    levels = [0.0] if margin is None else [0.0, -float(margin), float(margin)]
    if model == "hyperboloid":
        _hyperboloid.draw_sheet(ax, w, shade=shade)
    elif model == "halfspace":
        _draw_halfspace(ax, _view(float(offset), normal, levels))
    else:
        draw_disk(ax)
    if shade and model != "hyperboloid":
        _shade(ax, w, model)
    for level in levels:
        style = {"color": color, "lw": lw} if level == 0 else {"color": color, "ls": _DASHES}
        style = {"lw": 0.65 * lw, **style}
        _DRAWERS[model](ax, float(offset), normal, level, style)
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
    polar, codes = None, None
    if X is not None:
        polar = convert(X, coordinates, "polar", curvature=curvature)
        polar[:, 0] *= np.sqrt(-curvature)
        sides = signed_distance(polar, w, coordinates="polar") > 0
        codes = np.unique(sides if labels is None else labels, return_inverse=True)[1]
    for position, model in enumerate(models):
        projection = "3d" if model == "hyperboloid" else None
        ax = figure.add_subplot(1, len(models), position + 1, projection=projection)
        draw_hyperplane(w, model=model, margin=margin, ax=ax)
        if polar is not None:
            assert codes is not None
            _scatter(ax, polar, codes, model)
        ax.set_title(_TITLES[model], fontsize=12)
    return figure


def _scatter(ax: Any, polar: Array, codes: NDArray[np.intp], model: str) -> None:
    # At radius 18 a point is on the rim of every picture, and every chart can still say it.
    near = np.column_stack([np.minimum(polar[:, 0], 18.0), polar[:, 1]])
    points = convert(near, "polar", model)
    if model == "hyperboloid":
        _hyperboloid.scatter(ax, points, codes)
        return
    names = [str(code) for code in range(int(codes.max()) + 1)]
    shown = points[:, ::-1] if model == "halfspace" else points
    for collection in scatter_classes(ax, shown, codes, names, 30.0):
        collection.set_clip_on(model == "halfspace")


def _draw_ball_curve(
    ax: "Axes", offset: float, normal: Array, level: float, style: dict[str, Any]
) -> None:
    add_arcs(ax, hypercycle_arcs(np.array([offset]), normal[None], level), **style)


def _draw_klein_curve(
    ax: "Axes", offset: float, normal: Array, level: float, style: dict[str, Any]
) -> None:
    """Draw a chord, or for the margins arcs of ellipses."""
    x = hypercycle_points(offset, normal, level)
    ax.plot(x[:, 1] / x[:, 0], x[:, 2] / x[:, 0], zorder=4, **style)


def _draw_hyperboloid_curve(
    ax: Any, offset: float, normal: Array, level: float, style: dict[str, Any]
) -> None:
    _hyperboloid.draw_curve(ax, hypercycle_points(offset, normal, level), style)


def _draw_halfspace_curve(
    ax: "Axes", offset: float, normal: Array, level: float, style: dict[str, Any]
) -> None:
    add_arcs(ax, halfspace_arc(offset, normal, level), **style)


_DRAWERS = {
    "ball": _draw_ball_curve,
    "klein": _draw_klein_curve,
    "halfspace": _draw_halfspace_curve,
    "hyperboloid": _draw_hyperboloid_curve,
}


def halfspace_arc(offset: float, normal: Array, level: float = 0.0) -> Arcs:
    """Return a hyperplane, or a curve at a distance from it, in the upper half-plane.

    An arc between the ideal points ``tan(θ/2)``; a ray where one of them is at infinity. The
    half-plane is drawn with its height h1 upwards and h2 to the right.
    """
    ball = hypercycle_arcs(np.array([offset]), normal[None], level)
    with np.errstate(divide="ignore"):
        ends = np.tan(0.5 * np.angle(np.concatenate([ball.start, ball.end])))
    [middle] = ball.points(3)[:, 1]
    height = np.array([1.0 - abs(middle) ** 2])
    passed = (2.0 * middle.imag + 1j * height) / (1.0 + 2.0 * middle.real + abs(middle) ** 2)
    near = np.abs(ends) < _INFINITY
    if near.all():
        return arcs_through(ends[:1] + 0j, passed, ends[1:] + 0j)
    foot = ends[near][:1] + 0j
    half = (passed - foot) * (0.5 * _RAY / np.abs(passed - foot))
    return Arcs(foot + half, half, np.zeros(1))


def _view(offset: float, normal: Array, levels: list[float]) -> tuple[float, float, float]:
    """Choose what part of the half-plane to show: left, right and top, with (0, 1) inside."""
    z = np.concatenate([halfspace_arc(offset, normal, level).points(50)[0] for level in levels])
    # Arcs that run far away are cut off.
    z = z[(np.abs(z.real) < 4.0) & (z.imag < 4.0)]
    left, right = (
        min(-1.2, float(z.real.min(initial=0.0))),
        max(1.2, float(z.real.max(initial=0.0))),
    )
    top = max(1.6, float(z.imag.max(initial=0.0)))
    pad = 0.08 * (right - left)
    size = max(right - left + 2.0 * pad, top + pad)
    middle = 0.5 * (left + right)
    return middle - 0.5 * size, middle + 0.5 * size, size


def _draw_halfspace(ax: "Axes", view: tuple[float, float, float]) -> None:
    left, right, top = view
    ax.set_aspect("equal")
    ax.set(xlim=(left, right), ylim=(-0.02 * top, top))
    ax.set_axis_off()
    ax.axhline(0.0, color=RIM, lw=1.2, zorder=2.5)


def _shade(ax: "Axes", w: ArrayLike, model: str) -> None:
    if model == "halfspace":
        (left, right), top = ax.get_xlim(), ax.get_ylim()[1]
        x = left + (np.arange(_PIXELS) + 0.5) * (right - left) / _PIXELS
        h = (np.arange(_PIXELS) + 0.5) * top / _PIXELS
        points = np.stack(np.broadcast_arrays(h[:, None], x[None, :]), axis=-1).reshape(-1, 2)
        extent = (left, right, 0.0, top)
    else:
        points, extent = pixel_centers(_PIXELS), (-1.0, 1.0, -1.0, 1.0)
    positive = signed_distance(points, w, coordinates=model) > 0
    colors = pale(list(COLORS[:2]))
    image = gaussian_filter(
        colors[positive.astype(np.intp)].reshape(_PIXELS, _PIXELS, 3), (1.0, 1.0, 0.0)
    )
    shown = ax.imshow(image, extent=extent, origin="lower", interpolation="none", zorder=1)
    if model != "halfspace":
        clip_to_disk(shown, ax)


def _check_model(model: str) -> None:
    if model not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}; got {model!r}.")


def _new_axes(model: str) -> Any:
    plt = import_optional("matplotlib.pyplot", "plot")
    figure = plt.figure(figsize=(4.6, 4.6), layout="constrained")
    return figure.add_subplot(projection="3d" if model == "hyperboloid" else None)
