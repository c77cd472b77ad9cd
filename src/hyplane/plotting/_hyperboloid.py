"""The upper sheet of the hyperboloid on matplotlib's 3-d axes.

The picture is made over the plane below the sheet: a point x is placed at ``(x1, x2)``, and lifted
to its height ``x0 = √(1 + x1² + x2²)`` where it is drawn.
"""

from typing import Any

import numpy as np
from scipy.ndimage import map_coordinates

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, Mask
from hyplane.plotting._arcs import Arcs
from hyplane.plotting._artists import add_polylines, line_width
from hyplane.plotting._views import View, curves_of, pixel_ticks, pulled_inside
from hyplane.plotting.palette import QUIET, RIM, pale

# Radius of the sheet that shows a hyperplane and the plane that cuts it.
USUAL_RADIUS = 1.7
_FOOT = 0.4
_FACETS = (64, 240)
_FACETS_OF_ONE_COLOR = (16, 120)


class HyperboloidView(View):
    """The part of the sheet up to a radius, and the rim it has there.

    Parameters
    ----------
    radius : float, default=1.7
        Hyperbolic radius of the part.
    elevation, azimuth : float
        Where it is seen from, in degrees.
    bottom : float, default=0.0
        Lowest height of the picture; the sheet itself begins at 1.
    """

    title = "Hyperboloid"
    projection = "3d"

    def __init__(
        self,
        radius: float = USUAL_RADIUS,
        *,
        elevation: float = 18.0,
        azimuth: float = -62.0,
        bottom: float = 0.0,
    ) -> None:
        self.radius = radius
        self.elevation = elevation
        self.azimuth = azimuth
        self.bottom = bottom
        self.half = float(np.sinh(radius))
        self.top = float(np.cosh(radius))
        self.extent = (-self.half, self.half, -self.half, self.half)
        # The axes are square and the sheet seen from the side is not. Either its lowest point or
        # the near side of its rim is lowest in the picture, whose width is 0.87 of the axes.
        tilt = np.radians(elevation)
        depth = 0.5 * np.cos(tilt) * (self.top - bottom) / (2.0 * self.half)
        lowest = max(depth, 0.5 * np.sin(tilt) - depth)
        self.foot = float(np.clip(0.47 - 0.87 * lowest, 0.0, 0.5))

    def frame(self, ax: Any, *, facecolor: Any = "white", edgecolor: Any = RIM) -> None:
        """Draw a net of circles and geodesics through the lowest point, and set the limits."""
        angle = np.linspace(0.0, 2.0 * np.pi, 241)
        for level in np.linspace(0.0, self.radius, 5)[1:]:
            outermost = level == self.radius
            ax.plot(
                np.sinh(level) * np.cos(angle),
                np.sinh(level) * np.sin(angle),
                np.cosh(level),
                color=edgecolor if outermost else QUIET,
                lw=line_width(1.2 if outermost else 0.5),
                alpha=1.0 if outermost else 0.7,
                zorder=2.5 if outermost else 2,
            )
        radius = np.linspace(0.0, self.radius, 60)
        for turn in np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False):
            ax.plot(
                np.sinh(radius) * np.cos(turn),
                np.sinh(radius) * np.sin(turn),
                np.cosh(radius),
                color=QUIET,
                lw=line_width(0.5),
                alpha=0.7,
                zorder=2,
            )
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
        """Return the points of the disk below the sheet."""
        height = np.sqrt(1.0 + (places**2).sum(axis=1, keepdims=True))
        return pulled_inside(places / (1.0 + height))

    def shown(self, places: Array) -> Mask:
        """Return which places lie below the rim of the sheet."""
        return np.asarray(np.hypot(places[:, 0], places[:, 1]) <= self.half * (1.0 + 1e-9))

    def lifted(self, places: Array) -> Array:
        """Return the points of the sheet above places, of shape (m, 3)."""
        height = np.sqrt(1.0 + (places**2).sum(axis=1, keepdims=True))
        return np.hstack([places, height])

    def add_curves(self, ax: Any, arcs: Arcs, **style: Any) -> list[Any]:
        """Draw curves of the sheet up to its rim."""
        drawn = []
        for curve in curves_of(arcs):
            places = self.place(curve)
            drawn += add_polylines(ax, self._inside(places), **style)
        return drawn

    def show_image(self, ax: Any, image: Array, *, alpha: float = 1.0, **style: Any) -> Any:
        """Colour the sheet by an image over its extent."""
        rings, sectors = _FACETS if np.ptp(image, axis=(0, 1)).any() else _FACETS_OF_ONE_COLOR
        edges = np.linspace(0.0, self.radius, rings + 1)
        angle = np.linspace(0.0, 2.0 * np.pi, sectors + 1)
        x, y = (np.sinh(edges)[:, None] * wave(angle) for wave in (np.cos, np.sin))
        middle = 0.5 * (edges[1:] + edges[:-1])
        turned = 0.5 * (angle[1:] + angle[:-1])
        pixels = [
            (np.sinh(middle)[:, None] * wave(turned) / self.half + 1.0) * 0.5 * len(image) - 0.5
            for wave in (np.sin, np.cos)
        ]
        colors = [map_coordinates(image[..., k], pixels, order=1, mode="nearest") for k in range(3)]
        opacity = np.full((rings, sectors), alpha)
        faces = np.stack([*np.clip(colors, 0.0, 1.0), opacity], axis=-1).reshape(-1, 4)
        grid = np.stack([x, y, np.broadcast_to(np.cosh(edges)[:, None], x.shape)], axis=-1)
        corners = [grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]]
        # Not plot_surface, which takes the facets and their colours one by one.
        art = import_optional("mpl_toolkits.mplot3d.art3d", "plot")
        sheet = art.Poly3DCollection(
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
        """Draw where values over the pixels of the extent cross a level, as 3-d lines."""
        contourpy = import_optional("contourpy", "plot")
        ticks = pixel_ticks(self.extent, len(values))
        pieces = []
        for line in contourpy.contour_generator(*ticks, values).lines(level):
            pieces += self._inside(np.asarray(line))
        art = import_optional("mpl_toolkits.mplot3d.art3d", "plot")
        return ax.add_collection3d(art.Line3DCollection(pieces, **style))

    def scatter(self, ax: Any, places: Array, **style: Any) -> Any:
        """Scatter marks on the sheet."""
        style.pop("clip_on", None)
        points = self.lifted(places)
        return ax.scatter(*points.T, depthshade=False, **style)

    def add_plane(self, ax: Any, offset: float, normal: Array, color: Any = "#4D4D4D") -> None:
        """Draw the part of the plane ``w*x = 0`` from above the origin up to the sheet's rim."""
        art = import_optional("mpl_toolkits.mplot3d.art3d", "plot")
        # A little wider than what it cuts off the rim; wider, its corners would leave the axes.
        chord = np.sqrt(max(0.0, self.half**2 - (self.top * np.tanh(offset)) ** 2))
        half = float(np.clip(1.15 * chord, 0.4 * self.half, 0.95 * self.half))
        across = np.array([-normal[1], normal[0]])
        corners = [(_FOOT, -half), (_FOOT, half), (self.top, half), (self.top, -half)]
        polygon = [
            (*(height * np.tanh(offset) * normal + side * across), height)
            for height, side in corners
        ]
        rgb = import_optional("matplotlib.colors", "plot").to_rgb(color)
        look = {"facecolors": (*rgb, 0.14), "edgecolors": (*rgb, 0.6), "lw": line_width(0.8)}
        ax.add_collection3d(art.Poly3DCollection([polygon], zorder=1.5, **look))

    def _inside(self, places: Array) -> list[Array]:
        """Return the stretches of a polyline that lie below the rim, lifted to the sheet."""
        inside = self.shown(places)
        breaks = np.flatnonzero(np.diff(inside)) + 1
        parts = zip(np.split(places, breaks), np.split(inside, breaks), strict=True)
        return [self.lifted(part) for part, kept in parts if kept.all() and len(part) > 1]


def grey_sheet() -> Array:
    """Return the image of a sheet without regions."""
    return np.broadcast_to(pale(["#888888"], 0.8)[0], (2, 2, 3))
