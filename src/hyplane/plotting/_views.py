"""The models of the hyperbolic plane as pictures: where a point goes, and how a curve is drawn.

Points enter as points of the unit disk, curves as arcs of the disk. Each view puts them where its
model has them.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, Mask
from hyplane.plotting._arcs import Arcs, Complex, halfplane_arcs, to_halfplane
from hyplane.plotting._artists import add_arcs, add_polylines, clip_to_disk, line_width
from hyplane.plotting.palette import RIM

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Extent = tuple[float, float, float, float]

# Points beyond this radius of the disk repeat what is said at it: r = 8.3, a point of every chart.
_OUTERMOST = 0.9995
_ROOM = 1.03
# Points of a curve that is neither a segment nor a circular arc in its model.
_CURVE_POINTS = 1501


class View(ABC):
    """A model of the hyperbolic plane as a picture.

    Attributes
    ----------
    title : str
        Name of the model.
    projection : str or None
        The projection that its axes need.
    round : bool
        Whether it is a disk of radius 1, so that images are clipped to it.
    extent : tuple of float
        Left, right, bottom and top of the part that regions are drawn in.
    foot : float
        The height of the axes, between 0 and 1, below which nothing is drawn.
    """

    title: ClassVar[str]
    projection: ClassVar[str | None] = None
    round: ClassVar[bool] = False
    extent: Extent
    foot: float = 0.0

    @abstractmethod
    def frame(self, ax: Any, *, facecolor: Any = "white", edgecolor: Any = RIM) -> None:
        """Draw the rim of the model, and give the axes their limits."""

    @abstractmethod
    def place(self, points: Array) -> Array:
        """Return the places in the picture of points of the disk, both of shape (m, 2)."""

    @abstractmethod
    def disk_points(self, places: Array) -> Array:
        """Return the points of the disk at places of the picture, pulled inside the rim."""

    @abstractmethod
    def add_curves(self, ax: Any, arcs: Arcs, **style: Any) -> list[Any]:
        """Draw arcs of the disk, and return the artists."""

    def shown(self, places: Array) -> Mask:
        """Return which places lie in the part of the model that is drawn."""
        left, right, bottom, top = self.extent
        x, y = places[:, 0], places[:, 1]
        slack = 1e-9
        return (
            (x >= left - slack) & (x <= right + slack) & (y >= bottom - slack) & (y <= top + slack)
        )

    def show_image(self, ax: Any, image: Array, **style: Any) -> Any:
        """Lay an image of colours over the extent, lowest row first."""
        style = {"interpolation": "none", "zorder": 1, **style}
        shown = ax.imshow(image, extent=self.extent, origin="lower", aspect="equal", **style)
        if self.round:
            clip_to_disk(shown, ax)
        return shown

    def add_contour(self, ax: Any, values: Array, level: float, **style: Any) -> Any:
        """Draw where values over the pixels of the extent cross a level."""
        lines = ax.contour(*pixel_ticks(self.extent, len(values)), values, levels=[level], **style)
        if self.round:
            clip_to_disk(lines, ax)
        return lines

    def scatter(self, ax: Any, places: Array, **style: Any) -> Any:
        """Scatter marks at places of the picture."""
        return ax.scatter(places[:, 0], places[:, 1], **style)


class BallView(View):
    """The Poincaré disk, where geodesics are circular arcs that meet the rim at right angles."""

    title = "Poincaré ball"
    round = True
    extent = (-1.0, 1.0, -1.0, 1.0)

    def frame(self, ax: "Axes", *, facecolor: Any = "white", edgecolor: Any = RIM) -> None:
        """Draw the unit circle, and give the axes equal scales and no frame."""
        patches = import_optional("matplotlib.patches", "plot")
        ax.set_aspect("equal")
        ax.set(xlim=(-_ROOM, _ROOM), ylim=(-_ROOM, _ROOM))
        ax.set_axis_off()
        ax.add_patch(patches.Circle((0, 0), 1.0, facecolor=facecolor, edgecolor="none", zorder=0))
        look = {"facecolor": "none", "edgecolor": edgecolor, "lw": line_width(1.2), "zorder": 2.5}
        rim = patches.Circle((0, 0), 1.0, **look)
        rim.set_gid("rim")
        ax.add_patch(rim)

    def place(self, points: Array) -> Array:
        """Return the points themselves."""
        return points

    def disk_points(self, places: Array) -> Array:
        """Return the places, those outside the disk pulled inside."""
        return pulled_inside(places)

    def add_curves(self, ax: "Axes", arcs: Arcs, **style: Any) -> list[Any]:
        """Draw exact circular arcs."""
        return add_arcs(ax, arcs, **style)


class KleinView(BallView):
    """The Klein disk, where geodesics are chords."""

    title = "Klein"

    def place(self, points: Array) -> Array:
        """Return ``2b / (1 + |b|²)``."""
        return np.asarray(2.0 * points / (1.0 + (points**2).sum(axis=1, keepdims=True)))

    def disk_points(self, places: Array) -> Array:
        """Return ``k / (1 + √(1 - |k|²))``."""
        square = np.minimum((places**2).sum(axis=1, keepdims=True), 1.0)
        return pulled_inside(places / (1.0 + np.sqrt(1.0 - square)))

    def add_curves(self, ax: "Axes", arcs: Arcs, **style: Any) -> list[Any]:
        """Draw chords, and arcs of ellipses, as fine polylines."""
        return add_polylines(ax, [self.place(curve) for curve in curves_of(arcs)], **style)


class HalfPlaneView(View):
    """A part of the upper half-plane, its height upwards and its boundary at the bottom.

    Parameters
    ----------
    left, right, top : float
        The part to show.
    """

    title = "Upper half-space"

    def __init__(self, left: float, right: float, top: float) -> None:
        self.extent = (left, right, 0.0, top)

    def frame(self, ax: "Axes", *, facecolor: Any = "white", edgecolor: Any = RIM) -> None:
        """Draw the boundary line."""
        left, right, _, top = self.extent
        ax.set_aspect("equal")
        ax.set(xlim=(left, right), ylim=(-0.02 * top, top))
        ax.set_axis_off()
        patches = import_optional("matplotlib.patches", "plot")
        ax.add_patch(
            patches.Rectangle(
                (left, 0.0), right - left, top, facecolor=facecolor, edgecolor="none", zorder=0
            )
        )
        ax.axhline(0.0, color=edgecolor, lw=line_width(1.2), zorder=2.5)

    def place(self, points: Array) -> Array:
        """Return ``i (1 - z) / (1 + z)``; points at infinity come out far outside the picture."""
        z = to_halfplane(complex_of(points))
        places = np.column_stack([z.real, z.imag])
        return np.where(np.isfinite(places), places, 1e30)

    def disk_points(self, places: Array) -> Array:
        """Return ``(i - h) / (i + h)``."""
        h = complex_of(places)
        z = (1j - h) / (1j + h)
        return pulled_inside(np.column_stack([z.real, z.imag]))

    def add_curves(self, ax: "Axes", arcs: Arcs, **style: Any) -> list[Any]:
        """Draw exact circular arcs and vertical rays."""
        return add_arcs(ax, halfplane_arcs(arcs), **style)


def complex_of(points: Array) -> Complex:
    """Return points of shape (m, 2) as complex numbers."""
    return np.asarray(points[:, 0] + 1j * points[:, 1])


def curves_of(arcs: Arcs, n_points: int = _CURVE_POINTS) -> list[Array]:
    """Return arcs of the disk as polylines of shape (n_points, 2)."""
    return [np.column_stack([z.real, z.imag]) for z in arcs.points(n_points)]


def pulled_inside(points: Array) -> Array:
    """Return points of the plane, those on and beyond the rim of the unit disk moved inside it."""
    radius = np.hypot(points[:, 0], points[:, 1])
    inwards = np.minimum(1.0, _OUTERMOST / np.maximum(radius, _OUTERMOST))
    return np.asarray(points * inwards[:, None])


def pixel_ticks(extent: Extent, resolution: int) -> tuple[Array, Array]:
    """Return the middles of equal parts of the width and of the height of an extent.

    Examples
    --------
    >>> pixel_ticks((-1.0, 1.0, 0.0, 2.0), 2)
    (array([-0.5,  0.5]), array([0.5, 1.5]))
    """
    left, right, bottom, top = extent
    parts = (np.arange(resolution) + 0.5) / resolution
    return left + (right - left) * parts, bottom + (top - bottom) * parts


def window_for(places: Array) -> HalfPlaneView:
    """Choose the part of the half-plane to show, with the origin (0, 1) inside.

    Places farther out than most are left out of the picture.
    """
    near = places[(np.abs(places[:, 0]) < 1e6) & (places[:, 1] < 1e6)]
    if len(near) == 0:
        near = np.array([[0.0, 1.0]])
    left, right = np.quantile(near[:, 0], [0.02, 0.98])
    top = 1.12 * max(1.6, float(np.quantile(near[:, 1], 0.97)))
    left, right = min(-1.2, float(left)), max(1.2, float(right))
    pad = 0.08 * (right - left)
    width = max(right - left + 2.0 * pad, top)
    # The picture is at most twice as wide as high: what is low and far to the side is tiny anyway.
    width = min(width, 4.0 * top)
    top = max(top, 0.5 * width)
    middle = float(np.clip(0.5 * (left + right), -0.4 * width, 0.4 * width))
    return HalfPlaneView(middle - 0.5 * width, middle + 0.5 * width, top)
