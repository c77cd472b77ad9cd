"""Arcs, lines and frames as matplotlib artists. Widths and font sizes follow ``rcParams``."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array
from hyplane.plotting._arcs import Arcs
from hyplane.plotting.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

DASHES = (0, (4, 2.5))
# The axes' side, in inches, for which the default sizes of marks were chosen.
_USUAL_SIDE = 4.6


def new_axes(projection: str | None = None) -> Any:
    """Make a square figure of pyplot, so that ``plt.show()`` knows it."""
    plt = import_optional("matplotlib.pyplot", "plot")
    if plt.rcParams["figure.figsize"] == plt.rcParamsDefault["figure.figsize"]:
        side = 5.0
    else:
        side = min(plt.rcParams["figure.figsize"])
    figure = plt.figure(figsize=(side, 1.04 * side), layout="constrained")
    return figure.add_subplot(projection=projection)


def line_width(width: float) -> float:
    """Return a width of a line, chosen for matplotlib's defaults, for the style in force."""
    matplotlib = import_optional("matplotlib", "plot")
    return float(width * matplotlib.rcParams["lines.linewidth"] / 1.5)


def mark_scale(ax: "Axes") -> float:
    """Return how much smaller or larger than usual the marks in these axes should be, in area."""
    matplotlib = import_optional("matplotlib", "plot")
    box = ax.get_position(original=True)
    width, height = ax.figure.get_size_inches()  # type: ignore[union-attr]
    side = min(box.width * width, box.height * height) / _USUAL_SIDE
    return float(np.clip(side, 0.5, 2.0) * (matplotlib.rcParams["lines.markersize"] / 6.0) ** 2)


def font_size(factor: float = 0.9) -> float:
    """Return a size of text as a part of the style's own."""
    return float(factor * import_optional("matplotlib", "plot").rcParams["font.size"])


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


def line_style(style: dict[str, Any]) -> dict[str, Any]:
    """Return the look of a curve: what is asked for, and the usual for the rest."""
    usual = {"color": INK, "lw": 1.5, "zorder": 4}
    merged = {**usual, **style}
    return {**merged, "lw": line_width(merged["lw"])}


def add_arcs(ax: "Axes", arcs: Arcs, **style: Any) -> "list[PathPatch]":
    """Add one patch per arc."""
    patches = import_optional("matplotlib.patches", "plot")
    look = {"capstyle": "butt", **line_style(style), "fill": False}
    added = [patches.PathPatch(path, **look) for path in arc_paths(arcs)]
    for patch in added:
        ax.add_patch(patch)
    return added


def add_polylines(ax: "Axes", curves: list[Array], **style: Any) -> list[Any]:
    """Add one line per curve, given as vertices of shape (n_points, 2) or (n_points, 3)."""
    return [ax.plot(*curve.T, **line_style(style))[0] for curve in curves if len(curve)]
