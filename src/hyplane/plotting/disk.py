"""The Poincaré disk on matplotlib axes, and what is drawn in it: points, geodesics, arcs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyplane._optional import import_optional
from hyplane._typing import Array, ArrayLike
from hyplane.geometry import to_polar
from hyplane.plotting._arcs import Arcs, geodesic_arcs
from hyplane.plotting.palette import INK, RIM, class_style, darkened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.legend import Legend
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

__all__ = ["draw_disk", "draw_geodesic", "draw_points", "to_disk"]

_MARGIN = 1.03


def to_disk(X: ArrayLike, coordinates: str = "ball", *, curvature: float = -1.0) -> Array:
    """Return points of the hyperbolic plane as points of the unit disk to draw.

    Unlike `hyplane.geometry.convert` it takes points at any radius: those too far out for ball
    coordinates come out on the rim, where a picture shows them anyway.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points of the hyperbolic plane.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number. The picture is the unit disk whatever the curvature.

    Returns
    -------
    points : ndarray of shape (m, 2)

    Examples
    --------
    >>> to_disk([[1.0, 0.0], [500.0, 0.0]], "polar").round(4)
    array([[0.4621, 0.    ],
           [1.    , 0.    ]])
    """
    radius, direction = to_polar(X, coordinates, curvature=curvature)
    if direction.shape[1] != 2:
        raise ValueError(
            f"a picture of the Poincaré disk needs points of the hyperbolic plane; got points of "
            f"dimension {direction.shape[1]} in {coordinates} coordinates. Embed in two dimensions "
            "to draw them."
        )
    return np.asarray(np.tanh(0.5 * radius)[:, None] * direction)


def draw_disk(
    ax: "Axes | None" = None, *, facecolor: str = "white", edgecolor: str = RIM
) -> "Axes":
    """Draw the unit circle, and give the axes equal scales and no frame.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    facecolor, edgecolor : color
        Colours of the disk and of its rim.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_disk(Figure().add_subplot())
    >>> len(ax.patches)
    2
    """
    patches = import_optional("matplotlib.patches", "plot")
    ax = new_axes() if ax is None else ax
    ax.set_aspect("equal")
    ax.set(xlim=(-_MARGIN, _MARGIN), ylim=(-_MARGIN, _MARGIN))
    ax.set_axis_off()
    ax.add_patch(patches.Circle((0, 0), 1.0, facecolor=facecolor, edgecolor="none", zorder=0))
    rim = patches.Circle((0, 0), 1.0, facecolor="none", edgecolor=edgecolor, lw=1.2, zorder=2.5)
    rim.set_gid("rim")
    ax.add_patch(rim)
    return ax


def draw_geodesic(
    p: ArrayLike,
    q: ArrayLike,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    ax: "Axes | None" = None,
    **style: Any,
) -> "Axes":
    """Draw the geodesic segment between two points as an exact circular arc.

    Parameters
    ----------
    p, q : array-like of shape (n_columns,)
        Its ends.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number.
    ax : matplotlib Axes, optional
        Axes of a disk; by default a new disk is drawn.
    **style
        Properties of the line, as of `matplotlib.patches.PathPatch`.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_disk(Figure().add_subplot())
    >>> draw_geodesic([0.5, 0.0], [0.0, 0.5], ax=ax, color="red") is ax
    True
    """
    ends = to_disk(np.stack([np.asarray(p), np.asarray(q)]), coordinates, curvature=curvature)
    ax = draw_disk() if ax is None else ax
    z = ends[:, 0] + 1j * ends[:, 1]
    add_arcs(ax, geodesic_arcs(z[:1], z[1:]), **style)
    return ax


def draw_points(
    X: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    ax: "Axes | None" = None,
    size: float | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw points in the disk, each class with its own colour and shape.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points of the hyperbolic plane.
    labels : array-like of shape (m,), optional
        Class of each point.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Chart of the points.
    curvature : float, default=-1.0
        A negative number.
    ax : matplotlib Axes, optional
        Axes of a disk; by default a new disk is drawn.
    size : float, optional
        Area of the markers in square points; by default smaller for more points.
    legend : bool, default=True
        Name the classes below the disk.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_disk(Figure().add_subplot())
    >>> _ = draw_points([[0.5, 0.0], [0.0, 0.5]], ["a", "b"], ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    points = to_disk(X, coordinates, curvature=curvature)
    ax = draw_disk() if ax is None else ax
    if labels is None:
        scatter_classes(ax, points, None, [], size)
        return ax
    values = np.asarray(labels)
    if values.shape != (len(points),):
        raise ValueError(
            f"labels must have shape ({len(points)},), one per point; got {values.shape}."
        )
    classes, codes = np.unique(values, return_inverse=True)
    drawn = scatter_classes(ax, points, codes, [str(label) for label in classes], size)
    if legend:
        add_legend(ax, drawn)
    return ax


def new_axes() -> "Axes":
    """Make a square figure of pyplot, so that ``plt.show()`` knows it."""
    plt = import_optional("matplotlib.pyplot", "plot")
    _, ax = plt.subplots(figsize=(5.0, 5.2), layout="constrained")
    return ax  # type: ignore[no-any-return]


def clip_to_disk(artist: Any, ax: "Axes") -> None:
    """Show an artist inside the unit disk only."""
    patches = import_optional("matplotlib.patches", "plot")
    artist.set_clip_path(patches.Circle((0, 0), 1.0, transform=ax.transData))


def arc_paths(arcs: Arcs) -> "list[Path]":
    """Return the arcs as matplotlib paths."""
    path = import_optional("matplotlib.path", "plot").Path
    paths = []
    for vertices in arcs.beziers():
        codes = np.full(len(vertices), path.CURVE4, dtype=path.code_type)
        codes[0] = path.MOVETO
        paths.append(path(vertices, codes))
    return paths


def add_arcs(ax: "Axes", arcs: Arcs, **style: Any) -> "list[PathPatch]":
    """Add one patch per arc."""
    patches = import_optional("matplotlib.patches", "plot")
    style = {"color": INK, "lw": 1.5, "zorder": 4, "capstyle": "butt", **style, "fill": False}
    added = [patches.PathPatch(path, **style) for path in arc_paths(arcs)]
    for patch in added:
        ax.add_patch(patch)
    return added


def scatter_classes(
    ax: "Axes",
    points: Array,
    codes: NDArray[np.intp] | None,
    names: Sequence[str],
    size: float | None = None,
    **style: Any,
) -> "list[PathCollection]":
    """Scatter the points class by class; without codes, all in one quiet colour."""
    area = float(np.clip(12000.0 / max(len(points), 1), 5.0, 28.0)) if size is None else float(size)
    style = {"linewidths": 0.09 * np.sqrt(area), "zorder": 3, "clip_on": False, **style}
    if codes is None:
        drawn = ax.scatter(points[:, 0], points[:, 1], s=area, c=INK, edgecolors="white", **style)
        return [drawn]
    collections = []
    for code, name in enumerate(names):
        own = points[codes == code]
        look = class_style(code)
        collections.append(
            ax.scatter(
                own[:, 0],
                own[:, 1],
                s=area * look["area"],
                c=look["color"],
                marker=look["marker"],
                edgecolors=[tuple(darkened([look["color"]], 0.35)[0])],
                label=name,
                **style,
            )
        )
    return collections


def add_legend(ax: "Axes", handles: Sequence[Any], title: str | None = None) -> "Legend":
    """Name the classes below the disk, where nothing is drawn, in as many rows as they need."""
    longest = max((len(str(handle.get_label())) for handle in handles), default=1)
    columns = int(np.clip(54 // (longest + 4), 1, 6))
    rows = -(-len(handles) // columns)
    legend = ax.legend(
        handles=list(handles),
        title=title,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=-(-len(handles) // max(rows, 1)),
        frameon=False,
        fontsize=9,
        handletextpad=0.3,
        columnspacing=1.2,
        borderaxespad=0.2,
    )
    for handle in legend.legend_handles:
        resize = getattr(handle, "set_sizes", None)
        if resize is not None:
            resize([34.0])
    return legend
