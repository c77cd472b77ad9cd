"""The upper sheet of the hyperboloid on matplotlib's 3-d axes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._optional import import_optional
from hyplane._typing import Array, ArrayLike
from hyplane.geometry import hyperplane_parameters
from hyplane.plotting.palette import COLORS, QUIET, RIM, class_style, darkened, pale

# Radius up to which the sheet is drawn; its rim is a circle at height cosh of it.
TOP_RADIUS = 1.7
_TOP = float(np.cosh(TOP_RADIUS))
_FOOT = 0.4


def draw_sheet(ax: Any, w: ArrayLike, *, shade: bool) -> None:
    """Draw the sheet, its positive side shaded, and the plane ``w*x = 0`` that cuts it."""
    _, offset, normal = hyperplane_parameters(w)
    across = np.array([-normal[1], normal[0]])
    radius = np.linspace(0.0, TOP_RADIUS, 40)[:, None]
    angle = np.linspace(0.0, 2.0 * np.pi, 121)[None, :]
    x, y = np.sinh(radius) * np.cos(angle), np.sinh(radius) * np.sin(angle)
    z = np.broadcast_to(np.cosh(radius), x.shape)
    score = np.sinh(offset) * z - np.cosh(offset) * (normal[0] * x + normal[1] * y)
    colors = pale(list(COLORS[:2]), 0.8) if shade else pale(["#888888"] * 2, 0.8)
    faces = np.concatenate(
        [colors[(score > 0).astype(np.intp)], np.full((*x.shape, 1), 0.55)], axis=-1
    )
    ax.plot_surface(
        x, y, z, facecolors=faces, rstride=1, cstride=1, shade=False, linewidth=0, zorder=1
    )
    for level in np.linspace(0.0, TOP_RADIUS, 5)[1:]:
        circle = np.sinh(level) * np.exp(1j * angle[0])
        width = 1.2 if level == TOP_RADIUS else 0.5
        ax.plot(
            circle.real,
            circle.imag,
            np.cosh(level),
            color=RIM if width > 1 else QUIET,
            lw=width,
            zorder=2,
        )
    _draw_plane(ax, float(offset), normal, across)
    ax.set_axis_off()
    ax.set_box_aspect((2 * np.sinh(TOP_RADIUS), 2 * np.sinh(TOP_RADIUS), _TOP), zoom=1.33)
    half = np.sinh(TOP_RADIUS)
    ax.set(xlim=(-half, half), ylim=(-half, half), zlim=(0.0, _TOP))
    ax.view_init(elev=18, azim=np.degrees(np.arctan2(normal[1], normal[0])) - 62)
    ax.computed_zorder = False


def _draw_plane(ax: Any, offset: float, normal: Array, across: Array) -> None:
    """Draw the part of the plane between a little above the origin and the sheet's rim."""
    art = import_optional("mpl_toolkits.mplot3d.art3d", "plot")
    half = 0.95 * np.sinh(TOP_RADIUS)
    corners = [(_FOOT, -half), (_FOOT, half), (_TOP, half), (_TOP, -half)]
    polygon = [
        (*(height * np.tanh(offset) * normal + side * across), height) for height, side in corners
    ]
    ax.add_collection3d(
        art.Poly3DCollection(
            [polygon], facecolors=(0.3, 0.3, 0.3, 0.14), edgecolors=QUIET, lw=0.8, zorder=1.5
        )
    )


def draw_curve(ax: Any, points: Array, style: dict[str, Any]) -> None:
    """Draw a curve of the sheet up to its rim."""
    inside = points[points[:, 0] <= _TOP]
    ax.plot(inside[:, 1], inside[:, 2], inside[:, 0], zorder=4, **style)


def scatter(ax: Any, points: Array, codes: NDArray[np.intp]) -> None:
    """Scatter points of the sheet that lie below its rim."""
    inside = points[:, 0] <= _TOP
    for code in np.unique(codes):
        own = points[inside & (codes == code)]
        look = class_style(int(code))
        ax.scatter(
            own[:, 1],
            own[:, 2],
            own[:, 0],
            s=30.0 * look["area"],
            color=look["color"],
            marker=look["marker"],
            edgecolors=[tuple(darkened([look["color"]], 0.35)[0])],
            linewidths=0.4,
            depthshade=False,
            zorder=5,
        )
