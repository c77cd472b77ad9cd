"""The Poincaré disk on matplotlib axes, and what is drawn in it: points and geodesics."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hyplane._utils.typing import Array, ArrayLike, finite_float
from hyplane.geometry import to_polar
from hyplane.plotting._arcs import geodesic_arcs
from hyplane.plotting._artists import add_arcs, new_axes
from hyplane.plotting._marks import add_legend as add_legend
from hyplane.plotting._marks import draw_marks, explain_marks
from hyplane.plotting._targets import Codes, ShownTargets, targets_of
from hyplane.plotting._views import BallView, complex_of
from hyplane.plotting.palette import RIM

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_disk", "draw_geodesic", "draw_points", "scatter_classes", "to_disk"]
_LARGEST_MARK = 1e9


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
    ax = new_axes() if ax is None else ax
    BallView().frame(ax, facecolor=facecolor, edgecolor=edgecolor)
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
    z = complex_of(ends)
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
) -> "Axes":
    """Draw points in the disk, each class with its own colour and shape, or numbers on a scale.

    Above 5,000 points the marks are small transparent dots in random order, so that no class lies
    on top of another. Above 50,000 they are a density layer.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points of the hyperbolic plane.
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
        Name the classes below the disk, or add the colour bar.
    legend_title : str, optional
        Title of the legend or of the colour bar.

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
    points = to_disk(X, coordinates, curvature=curvature)
    targets = targets_of(labels, len(points), numeric=numeric)
    if size is not None and not 0.0 < (finite_float(size) or 0.0) < _LARGEST_MARK:
        raise ValueError(f"size must be a positive number of square points; got {size!r}.")
    ax = draw_disk() if ax is None else ax
    marks = draw_marks(ax, points, targets, size=size, density=density)
    if legend:
        explain_marks(ax, marks, legend_title)
    return ax


def scatter_classes(
    ax: "Axes", points: Array, codes: Codes | None, names: Sequence[str], size: float | None = None
) -> list[Any]:
    """Scatter points of the disk class by class, and return what `add_legend` takes.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes of a disk.
    points : ndarray of shape (m, 2)
        Points of the unit disk.
    codes : ndarray of int of shape (m,) or None
        The number of each point's class.
    names : sequence of str
        Names of the classes.
    size : float, optional
        Area of the markers in square points.

    Returns
    -------
    handles : list of artists

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = draw_disk(Figure().add_subplot())
    >>> len(scatter_classes(ax, np.zeros((2, 2)), np.array([0, 1]), ["a", "b"]))
    2
    """
    return draw_marks(ax, points, ShownTargets(codes, names), size=size).handles
