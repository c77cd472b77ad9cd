"""Graphs in the Poincaré disk: nodes as points, edges as geodesics."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import ArrayLike
from hyplane.plotting._arcs import geodesic_arcs
from hyplane.plotting._artists import arc_paths, line_width, mark_scale
from hyplane.plotting._marks import draw_marks, explain_marks
from hyplane.plotting._targets import targets_of
from hyplane.plotting._views import complex_of
from hyplane.plotting.disk import draw_disk, to_disk
from hyplane.plotting.palette import QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_graph"]


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
    edge_color: Any = QUIET,
    edge_width: float | None = None,
    edge_alpha: float | None = None,
    legend: bool = True,
    legend_title: str | None = None,
) -> "Axes":
    """Draw a graph with its edges as geodesics.

    Parameters
    ----------
    points : array-like of shape (n_nodes, n_columns)
        Places of the nodes in the hyperbolic plane.
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
        Name the classes below the disk, or add the colour bar.
    legend_title : str, optional
        Title of the legend or of the colour bar.

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
    places = to_disk(points, coordinates, curvature=curvature)
    pairs = _check_edges(edges, len(places))
    targets = targets_of(labels, len(places), numeric=numeric, each="node")
    ax = draw_disk(ax)
    z = complex_of(places)
    crowd = 1.0 / np.sqrt(1.0 + len(pairs) / 800.0)
    collections = import_optional("matplotlib.collections", "plot")
    lines = collections.PathCollection(
        arc_paths(geodesic_arcs(z[pairs[:, 0]], z[pairs[:, 1]])),
        facecolors="none",
        edgecolors=edge_color,
        linewidths=line_width(max(0.25, 0.9 * crowd)) if edge_width is None else edge_width,
        alpha=max(0.12, 0.75 * crowd) if edge_alpha is None else edge_alpha,
        zorder=2,
    )
    ax.add_collection(lines, autolim=False)
    area = float(np.clip(6000.0 / max(len(places), 1), 3.0, 22.0))
    size = area * mark_scale(ax) if node_size is None else node_size
    marks = draw_marks(ax, places, targets, size=size, density=False)
    if legend:
        explain_marks(ax, marks, legend_title)
    return ax


def _check_edges(edges: ArrayLike, n_nodes: int) -> NDArray[np.intp]:
    pairs = np.asarray(edges)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            "edges must be an array of integers of shape (n_edges, 2); "
            f"got shape {pairs.shape} and type {pairs.dtype}."
        )
    wrong = ((pairs < 0) | (pairs >= n_nodes)).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"edge {row} is {tuple(pairs[row].tolist())}, but nodes are numbered from 0 to "
            f"{n_nodes - 1}."
        )
    return pairs.astype(np.intp)
