"""The Poincaré disk on matplotlib axes, and what is drawn in it: points, geodesics and graphs."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, ArrayLike, Ints, finite_float
from hyplane.plotting._views import DiskView, add_arcs, arc_paths, axes_for, line_width
from hyplane.plotting.arcs import complex_of, geodesic_arcs
from hyplane.plotting.decision import targets_of
from hyplane.plotting.marks import add_note, draw_marks, explain_marks, mark_scale
from hyplane.plotting.projection import disk_points, fitted_view, note_on
from hyplane.plotting.style import GREY, RIM

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def to_disk(
    X: ArrayLike, coordinates: str = "ball", *, curvature: float = -1.0, projection: Any = None
) -> Array:
    """Return points as points of the unit disk to draw.

    Unlike `hyplane.geometry.convert` it takes points at any radius: those too far out for ball
    coordinates are drawn on the circle.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number. The picture is the unit disk whatever the curvature.
    projection : {"radial", "horo", "tangent", "orthogonal"} or transformer, optional
        How points of more than two dimensions are shown, by default "radial"; or a
        `HyperbolicProjection` or `HyperplaneView`.

    Returns
    -------
    points : ndarray of shape (m, 2)

    Examples
    --------
    >>> to_disk([[1.0, 0.0], [500.0, 0.0]], "polar").round(4)
    array([[0.4621, 0.    ],
           [1.    , 0.    ]])
    """
    view = fitted_view(projection, X, coordinates, curvature)
    return disk_points(X, coordinates, curvature, view)


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
    view = DiskView()
    ax = axes_for(view, ax)
    view.frame(ax, facecolor, edgecolor)
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
        The two points.
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
    z = complex_of(disk_points(np.stack([p, q]), coordinates, curvature, None))
    ax = draw_disk() if ax is None else ax
    add_arcs(ax, geodesic_arcs(z[:1], z[1:]), **style)
    return ax


def draw_points(
    X: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    ax: "Axes | None" = None,
    numeric: bool | None = None,
    size: float | None = None,
    density: bool | None = None,
    legend: bool = True,
    legend_title: str | None = None,
    projection: Any = None,
) -> "Axes":
    """Draw points in the disk, each class with its own colour and shape, or numbers on a scale.

    Above 5,000 points the marks are small transparent dots in random order, so that no class lies
    on top of another. Above 50,000 they are a density layer.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points. Beyond two dimensions they are projected, and a note below says how.
    labels : array-like of shape (m,), optional
        Class of each point, or a number.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Chart of the points.
    curvature : float, default=-1.0
        A negative number.
    ax : matplotlib Axes, optional
        Axes of a disk; by default a new disk is drawn.
    numeric : bool, optional
        Whether the labels are numbers on a scale, shown by a colour bar, rather than classes. By
        default they are if some are no whole numbers, or if there are more than 20 different ones.
    size : float, optional
        Area of the markers in square points; by default smaller for more points.
    density : bool, optional
        Whether to draw a density layer; by default above 50,000 points.
    legend : bool, default=True
        Name the classes below the disk, or add the colour bar, and the note on a projection.
    legend_title : str, optional
        Title of the legend or of the colour bar.
    projection : {"radial", "horo", "tangent", "orthogonal"} or transformer, optional
        How points of more than two dimensions are shown, by default "radial"; or a
        `HyperbolicProjection` or `HyperplaneView`.

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
    >>> ax = draw_disk(Figure().add_subplot())
    >>> figure = draw_points([[0.5, 0.0], [0.0, 0.5]], [0.25, 4.5], ax=ax).figure
    >>> len(figure.axes)  # the disk and the colour bar
    2
    """
    view = fitted_view(projection, X, coordinates, curvature)
    points = disk_points(X, coordinates, curvature, view)
    targets = targets_of(labels, len(points), numeric=numeric, name="labels")
    largest = 1e9  # matplotlib fails on marks much larger
    if size is not None and not 0.0 < (finite_float(size) or 0.0) < largest:
        raise ValueError(f"size must be a positive number of square points; got {size!r}.")
    ax = draw_disk() if ax is None else ax
    marks = draw_marks(ax, DiskView(), points, targets, size=size, density=density)
    if legend:
        below = explain_marks(ax, DiskView(), marks, legend_title)
        add_note(ax, DiskView(), note_on(view, None, X), below)
    return ax


def draw_graph(
    points: ArrayLike,
    edges: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    ax: "Axes | None" = None,
    numeric: bool | None = None,
    node_size: float | None = None,
    edge_color: Any = GREY,
    edge_width: float | None = None,
    edge_alpha: float | None = None,
    legend: bool = True,
    legend_title: str | None = None,
    projection: Any = None,
) -> "Axes":
    """Draw a graph with its edges as geodesics.

    Parameters
    ----------
    points : array-like of shape (n_nodes, n_columns)
        Places of the nodes. Beyond two dimensions they are projected, and a note says how; edges
        are geodesics of the picture.
    edges : array-like of shape (n_edges, 2)
        Pairs of rows of `points`.
    labels : array-like of shape (n_nodes,), optional
        A class or a number for each node.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Chart of the points.
    curvature : float, default=-1.0
        A negative number.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    numeric : bool, optional
        Whether the labels are numbers on a scale; see `draw_points`.
    node_size : float, optional
        Area of the markers in square points; by default smaller for more nodes.
    edge_color : color, optional
        One colour, or one per edge.
    edge_width, edge_alpha : float, optional
        Width and opacity of the edges; by default finer and fainter for more edges.
    legend : bool, default=True
        Name the classes below the disk, or add the colour bar, and the note on a projection.
    legend_title : str, optional
        Title of the legend or of the colour bar.
    projection : {"radial", "horo", "tangent", "orthogonal"} or transformer, optional
        How points of more than two dimensions are shown, by default "radial"; or a
        `HyperbolicProjection` or `HyperplaneView`.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> points = [[0.0, 0.0], [0.5, 0.0], [0.0, 0.9]]
    >>> ax = draw_graph(points, [[0, 1], [1, 2]], ax=Figure().add_subplot())
    >>> len(ax.collections[0].get_paths())
    2
    """
    view = fitted_view(projection, points, coordinates, curvature)
    nodes = disk_points(points, coordinates, curvature, view)
    pairs = checked_edges(edges, len(nodes))
    targets = targets_of(labels, len(nodes), numeric=numeric, name="labels")
    ax = draw_disk(ax)
    start, end = complex_of(nodes)[pairs].T
    crowd = 1.0 / np.sqrt(1.0 + len(pairs) / 800.0)
    lines = import_optional("matplotlib.collections", "plot").PathCollection(
        arc_paths(geodesic_arcs(start, end)),
        facecolors="none",
        edgecolors=edge_color,
        linewidths=line_width(max(0.25, 0.9 * crowd)) if edge_width is None else edge_width,
        alpha=max(0.12, 0.75 * crowd) if edge_alpha is None else edge_alpha,
        zorder=2,
    )
    ax.add_collection(lines, autolim=False)
    area = float(np.clip(6000.0 / max(len(nodes), 1), 3.0, 22.0))
    size = area * mark_scale(ax) if node_size is None else node_size
    marks = draw_marks(ax, DiskView(), nodes, targets, size=size, density=False)
    if legend:
        below = explain_marks(ax, DiskView(), marks, legend_title)
        add_note(ax, DiskView(), note_on(view, None, points), below)
    return ax


def checked_edges(edges: ArrayLike, n_points: int) -> Ints:
    """Return edges as pairs of rows, of shape (n_edges, 2)."""
    pairs = np.asarray(edges)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            "edges must be an array of integers of shape (n_edges, 2); "
            f"got shape {pairs.shape} and type {pairs.dtype}."
        )
    wrong = np.flatnonzero(((pairs < 0) | (pairs >= n_points)).any(axis=1))
    if len(wrong):
        edge = tuple(pairs[wrong[0]].tolist())
        raise ValueError(
            f"edge {wrong[0]} is {edge}, but points are numbered from 0 to {n_points - 1}."
        )
    return pairs.astype(np.intp)
