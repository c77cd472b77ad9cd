"""Points as marks: shapes for a few, interleaved dots for thousands, a density layer beyond."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, Ints
from hyplane.plotting._views import DiskView, line_width
from hyplane.plotting.decision import Targets
from hyplane.plotting.style import GREY, INK, RIM, class_colors, class_style, mixed

# More points than this are drawn as plain dots: shapes cannot be told apart any more.
CROWD = 5_000


@dataclass(frozen=True)
class Marks:
    """What was drawn of the points."""

    artists: list[Any]  # one per class for a few points, one for all in a crowd
    handles: list[Any]  # what a legend shows, one per class
    scale: Any = None  # of numbers, for a colour bar


def draw_marks(
    ax: Any,
    view: DiskView,
    places: Array,
    targets: Targets,
    *,
    size: float | None = None,
    density: bool | None = None,
) -> Marks:
    """Draw points at places of a view's picture, coloured by their targets.

    The `size` is the area of a mark in square points. More than 50,000 points are drawn as a
    `density` layer unless it is False.
    """
    shown = view.shown(places)
    count = int(shown.sum())
    area = mark_area(count, ax) if size is None else float(size)
    is_flat, is_crowded = view.projection is None, count > CROWD
    is_dense = is_flat and (count > 50_000 if density is None else bool(density))
    # A few marks lie on the boundaries, many would hide them.
    style: dict[str, Any] = {"zorder": 3 if is_flat and is_crowded else 4.2}
    if is_crowded:
        alpha = 0.9 * float(np.clip(np.sqrt(CROWD / count), 0.55, 1.0))
        style |= {"linewidths": 0.0, "alpha": alpha, "rasterized": True}
    else:
        style["linewidths"] = 0.09 * np.sqrt(area)
    if targets.codes is not None and not (is_crowded or is_dense):
        artists = []
        for code, name in enumerate(targets.names):
            look = class_style(code)
            style |= {"c": look["color"], "marker": look["marker"], "label": name}
            style["edgecolors"] = mixed([look["color"]], 0.35, 0.0)
            own = places[shown & (targets.codes == code)]
            artists.append(view.scatter(ax, own, s=area * look["area"], **style))
        return Marks(artists, artists)
    rows = np.flatnonzero(shown)
    if is_crowded:  # in a fixed random order, so that no class lies on top of the others
        rows = np.random.default_rng(0).permutation(rows)
    scale, colors = _colors_of(targets, rows)
    handles = [] if targets.codes is None else _class_handles(targets.names)
    if is_dense:
        return Marks([_draw_density(ax, places[rows], colors, view)], handles, scale)
    edges = "none" if is_crowded else "white" if scale is None else (0.0, 0.0, 0.0, 0.45)
    drawn = view.scatter(ax, places[rows], s=area, c=colors, edgecolors=edges, **style)
    return Marks([drawn], handles, scale)


def mark_area(count: int, ax: Any) -> float:
    """Return the default area of a mark, in square points: smaller for more and smaller axes."""
    area = np.clip(12_000.0 / max(count, 1), 5.0, 28.0)
    if count > CROWD:
        area = max(1.0, 5.0 * np.sqrt(CROWD / count))
    return float(area) * mark_scale(ax)


def mark_scale(ax: Any) -> float:
    """Return the factor of the areas of marks in these axes; 1 for a side of 4.6 inches."""
    rc = import_optional("matplotlib", "plot").rcParams
    side = min(axes_size(ax)) / 4.6
    return float(np.clip(side, 0.5, 2.0) * (rc["lines.markersize"] / 6.0) ** 2)


def axes_size(ax: Any) -> tuple[float, float]:
    """Return width and height of axes in inches."""
    box = ax.get_position(original=True)
    width, height = ax.figure.get_size_inches()
    return box.width * width, box.height * height


def _class_handles(names: Sequence[str]) -> list[Any]:
    """Return dots for a legend, one per class."""
    line = import_optional("matplotlib.lines", "plot").Line2D
    style = {"ls": "", "marker": "o", "ms": 5.5}
    colors = class_colors(len(names))
    return [line([], [], color=colors[k], label=name, **style) for k, name in enumerate(names)]


def _colors_of(targets: Targets, rows: Ints) -> tuple[Any, Array]:
    """Return the scale of the numbers, if there are any, and the colour of each row or of all."""
    if targets.codes is not None:
        return None, mixed(class_colors(len(targets.names)), 0.0)[targets.codes[rows]]
    if targets.numbers is None:
        return None, mixed([INK], 0.0)
    matplotlib = import_optional("matplotlib", "plot")
    # A missing number is grey.
    cmap = matplotlib.colormaps["viridis"].with_extremes(bad=GREY)
    scale = import_optional("matplotlib.cm", "plot").ScalarMappable(cmap=cmap)
    scale.set_array(np.ma.masked_invalid(targets.numbers[rows]))
    scale.autoscale()
    return scale, scale.to_rgba(scale.get_array())[:, :3]


def _draw_density(ax: Any, places: Array, colors: Array, view: DiskView) -> Any:
    """Colour each pixel by the points in it: the mean of their colours, denser for more of them."""
    side = 480
    left, right, bottom, top = view.extent
    unit = (places - [left, bottom]) / [right - left, top - bottom]
    column, row = np.clip((unit * side).astype(np.intp), 0, side - 1).T

    def blurred(weights: Array | None) -> Array:
        sums = np.bincount(row * side + column, weights, side * side).reshape(side, side)
        return np.asarray(gaussian_filter(sums.astype(np.float64), 1.0, truncate=3.0))

    total = blurred(None)
    parts = np.broadcast_to(colors, (len(places), 3)).T
    mean = np.stack([blurred(part) for part in parts], axis=-1)
    mean /= np.maximum(total, 1e-300)[..., None]
    crowded = float(np.quantile(total[total > 1e-3], 0.95)) if len(places) else 1.0
    # The logarithm shows a place with a few points and one with thousands in the same picture.
    opacity = np.minimum(np.log1p(20.0 * total) / np.log1p(20.0 * crowded), 1.0)
    image = np.concatenate([np.clip(mean, 0.0, 1.0), opacity[..., None]], axis=-1)
    return view.show_image(ax, image, zorder=3, interpolation="bilinear")


def ring_marks(ax: Any, view: DiskView, places: Array, area: float) -> Any:
    """Put a ring around each place."""
    style = {"facecolors": "none", "edgecolors": INK, "linewidths": line_width(0.9)}
    return view.scatter(ax, places, s=3.2 * area, zorder=4.5, **style)


def explain_marks(ax: Any, view: DiskView, marks: Marks, title: str | None) -> Any:
    """Add the colour bar of numbers or the legend of classes, and return it."""
    if marks.scale is not None:
        return add_colorbar(ax, view, marks.scale, title)
    return _add_legend(ax, marks.handles, title, view.foot) if marks.handles else None


def add_colorbar(
    ax: Any, view: DiskView, scale: Any, label: str | None, location: str = "bottom"
) -> Any:
    """Add a scale of numbers below the picture of a view, or to its right."""
    if view.is_disk:
        bar = ax.figure.colorbar(scale, ax=ax, location=location, shrink=0.62, aspect=30, pad=0.02)
    else:
        # Inset axes follow the picture, whose shape is not that of the axes' slot.
        below, beside = (0.19, view.foot - 0.045, 0.62, 0.022), (1.015, 0.19, 0.022, 0.62)
        inset = ax.inset_axes(below if location == "bottom" else beside)
        turn = "horizontal" if location == "bottom" else "vertical"
        bar = ax.figure.colorbar(scale, cax=inset, orientation=turn)
    bar.outline.set_visible(False)
    bar.solids.set(alpha=1.0)
    bar.ax.tick_params(labelsize=_font_size(), length=2.5, width=line_width(0.7))
    if label is not None:
        bar.set_label(label, fontsize=_font_size(), parse_math=False)
    return bar


def add_note(ax: Any, view: DiskView, note: str, below: Any = None) -> Any:
    """Write a note below the picture, and below its legend or colour bar."""
    if not note:
        return None
    anchor = getattr(below, "ax", below)
    size = 0.8 * _font_size()
    # A wider note would make room for itself by shrinking the picture. A letter is .64 of its size
    # wide, and a layout engine makes axes wider than they are now.
    letters = 1.2 * 72.0 * axes_size(ax)[0] / (0.64 * size)
    text = ax.annotate(
        fill(note.replace(" %", "\N{NO-BREAK SPACE}%"), max(30, int(letters))),
        (0.5, view.foot if anchor is None else 0.0),
        xycoords="axes fraction" if anchor is None else anchor,
        xytext=(0.0, -4.0 if anchor is None else -1.0),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=size,
        color=RIM,
        annotation_clip=False,
    )
    text.set_parse_math(False)
    return text


def _add_legend(ax: Any, handles: Sequence[Any], title: str | None, height: float) -> Any:
    """Name the classes below a height of the axes (0 to 1), in as many rows as they need."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    rows = -(-len(handles) // int(np.clip(54 // (longest + 4), 1, 6)))
    legend = ax.legend(
        handles=list(handles),
        title=title,
        loc="upper center",
        bbox_to_anchor=(0.5, height),
        ncols=-(-len(handles) // rows),
        frameon=False,
        fontsize=_font_size(),
        title_fontsize=_font_size(),
        handletextpad=0.3,
        columnspacing=1.2,
        borderaxespad=0.2,
    )
    # Names of classes are no formulas, whatever characters they contain.
    for text in (*legend.get_texts(), legend.get_title()):
        text.set_parse_math(False)
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([0.42 * _font_size() ** 2])
    return legend


def _font_size() -> float:
    return float(0.9 * import_optional("matplotlib", "plot").rcParams["font.size"])
