"""The models of the hyperbolic plane as pictures: where a point is drawn, and how a curve is drawn.

Points enter as points of the unit disk, curves as arcs of the disk. Each view puts them where its
model has them. Widths of lines follow ``rcParams``.
"""

from typing import Any

import numpy as np
from scipy.ndimage import map_coordinates

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, Mask
from hyplane.plotting.arcs import Arcs, complex_of, halfplane_arcs, to_halfplane
from hyplane.plotting.style import GREY, INK, RIM

DASHES = (0, (4, 2.5))


class DiskView:
    """The Poincaré disk as a picture; the views of other models derive from it.

    Attributes
    ----------
    title : str
        Name of the model.
    projection : str or None
        The projection that its axes need.
    is_disk : bool
        Whether it is a disk of radius 1, so that images are clipped to it.
    extent : tuple of float
        Left, right, bottom and top of the part that regions are drawn in.
    foot : float
        The height of the axes, between 0 and 1, below which nothing is drawn.
    """

    title = "Poincaré ball"
    projection: str | None = None
    is_disk = True
    extent = (-1.0, 1.0, -1.0, 1.0)
    foot = 0.0

    def __init__(self, points: Array | None = None) -> None:
        """Choose the part of the model that shows most of these points of the disk."""

    def frame(self, ax: Any, facecolor: Any = "white", edgecolor: Any = RIM) -> None:
        """Draw the rim of the model, and give the axes their limits."""
        circle = import_optional("matplotlib.patches", "plot").Circle
        ax.set(aspect="equal", xlim=(-1.03, 1.03), ylim=(-1.03, 1.03))
        ax.set_axis_off()
        ax.add_patch(circle((0, 0), 1.0, facecolor=facecolor, edgecolor="none", zorder=0))
        style = {"facecolor": "none", "edgecolor": edgecolor, "lw": line_width(1.2), "zorder": 2.5}
        ax.add_patch(circle((0, 0), 1.0, gid="rim", **style))

    def place(self, points: Array) -> Array:
        """Return the places in the picture of points of the disk, both of shape (m, 2)."""
        return points

    def disk_points(self, places: Array) -> Array:
        """Return the points of the disk at places of the picture, those on the rim moved inside."""
        return moved_inside(places)

    def add_curves(self, ax: Any, arcs: Arcs, **style: Any) -> list[Any]:
        """Draw arcs of the disk, and return the artists."""
        return add_arcs(ax, arcs, **style)

    def shown(self, places: Array) -> Mask:
        """Return which places lie in the part of the model that is drawn."""
        left, right, bottom, top = self.extent
        inside = (places >= [left - 1e-9, bottom - 1e-9]) & (places <= [right + 1e-9, top + 1e-9])
        return np.asarray(inside.all(axis=1))

    def ticks(self, n_pixels: int) -> tuple[Array, Array]:
        """Return the middles of the columns and of the rows of a square of pixels."""
        left, right, bottom, top = self.extent
        parts = (np.arange(n_pixels) + 0.5) / n_pixels
        return left + (right - left) * parts, bottom + (top - bottom) * parts

    def pixels(self, n_pixels: int, chosen: Mask | None = None) -> Array:
        """Return the points of the disk at all or chosen pixels, row by row, the lowest first."""
        x, y = self.ticks(n_pixels)
        rows, columns = np.nonzero(np.ones((n_pixels, n_pixels)) if chosen is None else chosen)
        return self.disk_points(np.column_stack([x[columns], y[rows]]))

    def show_image(self, ax: Any, image: Array, **style: Any) -> Any:
        """Lay an image of colours over the extent, lowest row first."""
        style = {"interpolation": "none", "zorder": 1, **style}
        shown = ax.imshow(image, extent=self.extent, origin="lower", aspect="equal", **style)
        return self._clipped(ax, shown)

    def add_contour(self, ax: Any, values: Array, level: float, **style: Any) -> Any:
        """Draw where values over the pixels of the extent cross a level."""
        return self._clipped(ax, ax.contour(*self.ticks(len(values)), values, [level], **style))

    def scatter(self, ax: Any, places: Array, **style: Any) -> Any:
        """Scatter marks at places of the picture."""
        return ax.scatter(places[:, 0], places[:, 1], clip_on=False, **style)

    def _clipped(self, ax: Any, artist: Any) -> Any:
        if self.is_disk:
            circle = import_optional("matplotlib.patches", "plot").Circle
            artist.set_clip_path(circle((0, 0), 1.0, transform=ax.transData))
        return artist


class KleinView(DiskView):
    """The Klein disk, where geodesics are chords."""

    title = "Klein"

    def place(self, points: Array) -> Array:
        return np.asarray(2.0 * points / (1.0 + (points**2).sum(axis=1, keepdims=True)))

    def disk_points(self, places: Array) -> Array:
        square = np.minimum((places**2).sum(axis=1, keepdims=True), 1.0)
        return moved_inside(places / (1.0 + np.sqrt(1.0 - square)))

    def add_curves(self, ax: Any, arcs: Arcs, **style: Any) -> list[Any]:
        """Draw chords, and arcs of ellipses, as fine polylines."""
        return add_lines(ax, [self.place(curve) for curve in polylines(arcs)], **style)


class HalfPlaneView(DiskView):
    """A part of the upper half-plane, its height upwards and its boundary at the bottom.

    It shows most of the given points of the disk, except those with a coordinate of `farthest` or
    more, and the origin (0, 1).
    """

    title = "Upper half-space"
    is_disk = False

    def __init__(self, points: Array | None = None, farthest: float = 1e6) -> None:
        places = self.place(np.empty((0, 2)) if points is None else points)
        places = places[(np.abs(places) < farthest).all(axis=1)]
        if len(places) == 0:
            places = np.array([[0.0, 1.0]])
        left, right = np.quantile(places[:, 0], [0.02, 0.98])
        left, right = min(-1.2, float(left)), max(1.2, float(right))
        top = 1.12 * max(1.6, float(np.quantile(places[:, 1], 0.97)))
        # The picture is at most twice as wide as high: points low and far to the side are close
        # together anyway.
        width = min(max(1.16 * (right - left), top), 4.0 * top)
        top = max(top, 0.5 * width)
        middle = float(np.clip(0.5 * (left + right), -0.4 * width, 0.4 * width))
        self.extent = (middle - 0.5 * width, middle + 0.5 * width, 0.0, top)

    def frame(self, ax: Any, facecolor: Any = "white", edgecolor: Any = RIM) -> None:
        left, right, _, top = self.extent
        ax.set(aspect="equal", xlim=(left, right), ylim=(-0.02 * top, top))
        ax.set_axis_off()
        ax.axhspan(0.0, top, facecolor=facecolor, edgecolor="none", zorder=0)
        ax.axhline(0.0, color=edgecolor, lw=line_width(1.2), zorder=2.5)

    def place(self, points: Array) -> Array:
        """Return ``i (1 - z) / (1 + z)``; points at infinity come out far outside the picture."""
        z = to_halfplane(complex_of(points))
        places = np.column_stack([z.real, z.imag])
        return np.where(np.isfinite(places), places, 1e30)

    def disk_points(self, places: Array) -> Array:
        h = complex_of(places)
        z = (1j - h) / (1j + h)
        return moved_inside(np.column_stack([z.real, z.imag]))

    def add_curves(self, ax: Any, arcs: Arcs, **style: Any) -> list[Any]:
        return add_arcs(ax, halfplane_arcs(arcs), **style)


class HyperboloidView(DiskView):
    """The upper sheet of the hyperboloid up to a radius, on matplotlib's 3-d axes.

    The picture is made over the plane below the sheet: a point x is placed at ``(x1, x2)``, and
    lifted to its height ``x0 = √(1 + x1² + x2²)`` where it is drawn.

    Parameters
    ----------
    points : ndarray of shape (m, 2), optional
        Points of the disk, most of which the part should show.
    normal : ndarray of shape (2,), optional
        Direction of a hyperplane, which is seen from the side together with the plane that cuts it.
    """

    title = "Hyperboloid"
    projection = "3d"
    is_disk = False

    def __init__(self, points: Array | None = None, normal: Array | None = None) -> None:
        if normal is not None:
            radius, self.elevation, bottom = 1.7, 18.0, 0.0
            self.azimuth = float(np.degrees(np.arctan2(normal[1], normal[0]))) - 62.0
        else:
            self.elevation, self.azimuth, bottom = 38.0, -62.0, 1.0
            # Below the smallest radius the sheet looks flat, above the largest like a cone with all
            # points near its tip.
            smallest, largest = 1.3, 2.6
            norm = np.zeros(1) if points is None or not len(points) else np.hypot(*points.T)
            distance = 2.0 * np.arctanh(np.minimum(norm, 1.0 - 1e-16))
            radius = float(np.clip(1.1 * np.quantile(distance, 0.97), smallest, largest))
        self.radius = radius
        self.half = half = float(np.sinh(radius))
        self.bottom, self.top = bottom, float(np.cosh(radius))
        self.extent = (-half, half, -half, half)
        # The axes are square and the sheet seen from the side is not. Either its lowest point or
        # the near side of its rim is lowest in the picture, whose width is 0.87 of the axes.
        tilt = np.radians(self.elevation)
        depth = 0.5 * np.cos(tilt) * (self.top - bottom) / (2.0 * half)
        lowest = max(depth, 0.5 * np.sin(tilt) - depth)
        self.foot = float(np.clip(0.47 - 0.87 * lowest, 0.0, 0.5))

    def frame(self, ax: Any, facecolor: Any = "white", edgecolor: Any = RIM) -> None:
        """Draw a net of circles and geodesics through the lowest point, and set the limits."""
        net = {"color": GREY, "lw": line_width(0.5), "alpha": 0.7, "zorder": 2}
        rim = {"color": edgecolor, "lw": line_width(1.2), "zorder": 2.5}
        angle = np.linspace(0.0, 2.0 * np.pi, 241)
        levels = np.linspace(0.0, self.radius, 5)[1:]
        for level in levels:
            style = rim if level == levels[-1] else net
            ax.plot(*_on_sheet(np.full(241, level), angle).T, **style)
        radius = np.linspace(0.0, self.radius, 60)
        for turn in np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False):
            ax.plot(*_on_sheet(radius, np.full(60, turn)).T, **net)
        ax.set_axis_off()
        ax.set_box_aspect((2 * self.half, 2 * self.half, self.top - self.bottom), zoom=1.33)
        ax.set(xlim=self.extent[:2], ylim=self.extent[2:], zlim=(self.bottom, self.top))
        ax.view_init(elev=self.elevation, azim=self.azimuth)
        ax.computed_zorder = False

    def place(self, points: Array) -> Array:
        """Return ``2b / (1 - |b|²)``; points on the rim come out far outside the picture."""
        gap = 1.0 - (points**2).sum(axis=1, keepdims=True)
        return np.asarray(2.0 * points / np.maximum(gap, 1e-12))

    def disk_points(self, places: Array) -> Array:
        return moved_inside(places / (1.0 + self.lifted(places)[:, 2:]))

    def shown(self, places: Array) -> Mask:
        return np.asarray(np.hypot(*places.T) <= self.half * (1.0 + 1e-9))

    def lifted(self, places: Array) -> Array:
        """Return the points of the sheet above places, of shape (m, 3)."""
        height = np.sqrt(1.0 + (places**2).sum(axis=1, keepdims=True))
        return np.hstack([places, height])

    def add_curves(self, ax: Any, arcs: Arcs, **style: Any) -> list[Any]:
        lines = [self._inside(self.place(curve)) for curve in polylines(arcs)]
        return add_lines(ax, [part for line in lines for part in line], **style)

    def show_image(self, ax: Any, image: Array, alpha: float = 1.0, **style: Any) -> Any:
        """Colour the facets of the sheet by an image over its extent."""
        rings, sectors = (64, 240) if np.ptp(image, axis=(0, 1)).any() else (16, 120)
        radius = np.linspace(0.0, self.radius, rings + 1)[:, None]
        angle = np.linspace(0.0, 2.0 * np.pi, sectors + 1)
        grid = _on_sheet(radius, angle)
        middle = _on_sheet(0.5 * (radius[1:] + radius[:-1]), 0.5 * (angle[1:] + angle[:-1]))
        pixels = [(middle[..., k] / self.half + 1.0) * 0.5 * len(image) - 0.5 for k in (1, 0)]
        colors = [map_coordinates(image[..., k], pixels, order=1, mode="nearest") for k in range(3)]
        opacity = np.full((rings, sectors), alpha)
        faces = np.stack([*np.clip(colors, 0.0, 1.0), opacity], axis=-1).reshape(-1, 4)
        corners = [grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]]
        # plot_surface would be slow: it takes the facets and their colours one by one.
        sheet = import_optional("mpl_toolkits.mplot3d.art3d", "plot").Poly3DCollection(
            np.stack(corners, axis=2).reshape(-1, 4, 3),
            facecolors=faces,
            edgecolors=faces,
            linewidths=0,
            antialiased=alpha < 1.0,
            rasterized=True,
            zorder=1,
        )
        return ax.add_collection3d(sheet)

    def add_contour(self, ax: Any, values: Array, level: float, **style: Any) -> Any:
        contourpy = import_optional("contourpy", "plot")
        lines = contourpy.contour_generator(*self.ticks(len(values)), values).lines(level)
        pieces = [part for line in lines for part in self._inside(np.asarray(line))]
        art = import_optional("mpl_toolkits.mplot3d.art3d", "plot")
        return ax.add_collection3d(art.Line3DCollection(pieces, **style))

    def scatter(self, ax: Any, places: Array, **style: Any) -> Any:
        return ax.scatter(*self.lifted(places).T, depthshade=False, **style)

    def add_plane(self, ax: Any, offset: float, normal: Array, color: Any) -> None:
        """Draw the part of the plane ``w*x = 0`` from above the origin up to the sheet's rim."""
        # A little wider than what it cuts off the rim; wider, its corners would leave the axes.
        chord = np.sqrt(max(0.0, self.half**2 - (self.top * np.tanh(offset)) ** 2))
        half = float(np.clip(1.15 * chord, 0.4 * self.half, 0.95 * self.half))
        side = half * np.array([-normal[1], normal[0]])
        foot = 0.4
        polygon = [
            (*(height * np.tanh(offset) * normal + sign * side), height)
            for height, sign in [(foot, -1), (foot, 1), (self.top, 1), (self.top, -1)]
        ]
        rgb = import_optional("matplotlib.colors", "plot").to_rgb(color)
        style = {"facecolors": (*rgb, 0.14), "edgecolors": (*rgb, 0.6), "lw": line_width(0.8)}
        art = import_optional("mpl_toolkits.mplot3d.art3d", "plot")
        ax.add_collection3d(art.Poly3DCollection([polygon], zorder=1.5, **style))

    def _inside(self, places: Array) -> list[Array]:
        """Return the stretches of a polyline that lie below the rim, lifted to the sheet."""
        inside = self.shown(places)
        breaks = np.flatnonzero(np.diff(inside)) + 1
        parts = zip(np.split(places, breaks), np.split(inside, breaks), strict=True)
        return [self.lifted(part) for part, kept in parts if kept.all() and len(part) > 1]


def _on_sheet(radius: Array, angle: Array) -> Array:
    """Return points of the hyperboloid, of shape (..., 3)."""
    x, y = np.sinh(radius) * np.cos(angle), np.sinh(radius) * np.sin(angle)
    return np.stack([x, y, np.broadcast_to(np.cosh(radius), x.shape)], axis=-1)


def axes_for(view: DiskView, ax: Any) -> Any:
    """Return axes that a view can be drawn in: those given, or those of a new pyplot figure."""
    if ax is not None:
        if (view.projection == "3d") != (ax.name == "3d"):
            needs = 'axes with projection="3d"' if view.projection else "plane axes, not 3-d"
            raise ValueError(f"a picture of the {view.title} needs {needs}.")
        return ax
    plt = import_optional("matplotlib.pyplot", "plot")
    size = plt.rcParams["figure.figsize"]
    side = 5.0 if size == plt.rcParamsDefault["figure.figsize"] else min(size)
    figure = plt.figure(figsize=(side, 1.04 * side), layout="constrained")
    return figure.add_subplot(projection=view.projection)


def line_width(width: float) -> float:
    """Return a width of a line, chosen for matplotlib's defaults, for the style in force."""
    matplotlib = import_optional("matplotlib", "plot")
    return float(width * matplotlib.rcParams["lines.linewidth"] / 1.5)


def arc_paths(arcs: Arcs) -> list[Any]:
    """Return the arcs as matplotlib paths."""
    path = import_optional("matplotlib.path", "plot").Path
    curves = arcs.beziers()
    return [path(curve, [path.MOVETO] + [path.CURVE4] * (len(curve) - 1)) for curve in curves]


def add_arcs(ax: Any, arcs: Arcs, **style: Any) -> list[Any]:
    """Add one patch per arc."""
    patch = import_optional("matplotlib.patches", "plot").PathPatch
    style = {"capstyle": "butt", **_line_style(style), "fill": False}
    return [ax.add_patch(patch(path, **style)) for path in arc_paths(arcs)]


def add_lines(ax: Any, curves: list[Array], **style: Any) -> list[Any]:
    """Add one line per curve, given as vertices of shape (n_points, 2) or (n_points, 3)."""
    return [ax.plot(*curve.T, **_line_style(style))[0] for curve in curves]


def _line_style(style: dict[str, Any]) -> dict[str, Any]:
    merged = {"color": INK, "lw": 1.5, "zorder": 4, **style}
    return {**merged, "lw": line_width(merged["lw"])}


def polylines(arcs: Arcs, n_points: int = 1501) -> list[Array]:
    """Return arcs of the disk as polylines of shape (n_points, 2)."""
    return [np.column_stack([z.real, z.imag]) for z in arcs.points(n_points)]


def moved_inside(points: Array) -> Array:
    """Return points of the plane, those on and beyond the rim of the unit disk moved inside it.

    The largest radius is r = 8.3, which has a point in every chart.
    """
    outermost = 0.9995
    radius = np.hypot(points[:, 0], points[:, 1])
    return np.asarray(points * (outermost / np.maximum(radius, outermost))[:, None])
