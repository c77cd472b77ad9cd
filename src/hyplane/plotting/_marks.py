"""Points as marks: shapes for a few, interleaved dots for thousands, a density layer beyond."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.ndimage import gaussian_filter

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array
from hyplane.plotting._artists import font_size, line_width, mark_scale
from hyplane.plotting._targets import Codes, ShownTargets
from hyplane.plotting._views import BallView, View
from hyplane.plotting.palette import INK, QUIET, class_style, darkened, lightened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

# More points than this are drawn as plain dots: shapes cannot be told apart any more.
CROWD = 5_000
# More points than this are drawn as a density layer, unless density=False.
DENSE = 50_000
_DENSITY_PIXELS = 480
COLORMAP = "viridis"


@dataclass(frozen=True)
class Marks:
    """What was drawn of the points.

    Attributes
    ----------
    artists : list
        The artists: one per class for a few points, one for all in a crowd.
    handles : list
        What a legend shows, one per class.
    scale : ScalarMappable or None
        The scale of numbers, for a colour bar.
    """

    artists: list[Any]
    handles: list[Any]
    scale: Any = None


def draw_marks(
    ax: Any,
    places: Array,
    targets: ShownTargets,
    *,
    size: float | None = None,
    density: bool | None = None,
    view: View | None = None,
) -> Marks:
    """Draw points at places of a view's picture, coloured by their targets.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    places : ndarray of shape (m, 2)
        Places of the picture.
    targets : ShownTargets
        Classes or numbers.
    size : float, optional
        Area of the marks in square points; by default smaller for more points and smaller axes.
    density : bool, optional
        Whether to draw a density layer; by default above 50,000 points.
    view : View, optional
        The model; by default the Poincaré disk.

    Returns
    -------
    marks : Marks
    """
    view = BallView() if view is None else view
    shown = view.shown(places)
    count = int(shown.sum())
    area = mark_area(count, ax) if size is None else float(size)
    flat = view.projection is None
    if flat and (count > DENSE if density is None else density):
        return _draw_density(ax, places, targets, shown, view)
    crowded = count > CROWD
    # A few marks lie on the boundaries, many would hide them.
    style: dict[str, Any] = {"zorder": 3 if flat and crowded else 4.2, "clip_on": False}
    if crowded:
        style |= {"linewidths": 0.0, "alpha": crowd_alpha(count), "rasterized": True}
    else:
        style |= {"linewidths": 0.09 * np.sqrt(area)}
    if targets.codes is not None and not crowded:
        artists = _draw_shapes(ax, places, shown, targets, area, view, style)
        return Marks(artists, artists)
    order = _mixed(np.flatnonzero(shown)) if crowded else np.flatnonzero(shown)
    if targets.numbers is not None:
        drawn = _draw_numbers(ax, places[order], targets.numbers[order], area, view, style)
        return Marks([drawn], [], drawn)
    if targets.codes is None:
        look = {"c": INK, "edgecolors": "none" if crowded else "white"}
        return Marks([view.scatter(ax, places[order], s=area, **look, **style)], [])
    colors = np.array([class_style(code)["color"] for code in range(len(targets.names))])
    drawn = view.scatter(ax, places[order], s=area, c=colors[targets.codes[order]], **style)
    return Marks([drawn], class_handles(targets.names))


def mark_area(count: int, ax: "Axes") -> float:
    """Return the usual area of a mark, in square points, where there are so many."""
    if count <= CROWD:
        area = float(np.clip(12_000.0 / max(count, 1), 5.0, 28.0))
    else:
        area = max(1.0, 5.0 * np.sqrt(CROWD / count))
    return area * mark_scale(ax)


def crowd_alpha(count: int) -> float:
    """Return the opacity of a dot where there are so many."""
    return float(np.clip(np.sqrt(CROWD / max(count, 1)), 0.55, 1.0) * 0.9)


def class_handles(names: Sequence[str]) -> list[Any]:
    """Return dots for a legend, one per class."""
    line = import_optional("matplotlib.lines", "plot").Line2D
    return [
        line([], [], ls="", marker="o", ms=5.5, color=class_style(code)["color"], label=name)
        for code, name in enumerate(names)
    ]


def _draw_shapes(
    ax: Any,
    places: Array,
    shown: Any,
    targets: ShownTargets,
    area: float,
    view: View,
    style: dict[str, Any],
) -> list[Any]:
    artists = []
    for code, name in enumerate(targets.names):
        own = places[shown & (targets.codes == code)]
        look = class_style(code)
        artists.append(
            view.scatter(
                ax,
                own,
                s=area * look["area"],
                c=look["color"],
                marker=look["marker"],
                edgecolors=[tuple(darkened([look["color"]], 0.35)[0])],
                label=name,
                **style,
            )
        )
    return artists


def _draw_numbers(
    ax: Any, places: Array, numbers: Array, area: float, view: View, style: dict[str, Any]
) -> Any:
    edges = "none" if style["linewidths"] == 0 else (0.0, 0.0, 0.0, 0.45)
    look = {"cmap": _colormap(), "edgecolors": edges, "plotnonfinite": True}
    return view.scatter(ax, places, s=area, c=numbers, **look, **style)


def _draw_density(ax: Any, places: Array, targets: ShownTargets, shown: Any, view: View) -> Marks:
    """Colour each pixel by the points in it: the mean of their colours, denser for more of them."""
    left, right, bottom, top = view.extent
    side = _DENSITY_PIXELS
    inside = np.flatnonzero(shown)
    unit = (places[inside] - [left, bottom]) / [right - left, top - bottom]
    column, row = np.clip((unit * side).astype(np.intp), 0, side - 1).T
    pixel = row * side + column
    scale, handles = None, []
    if targets.numbers is not None:
        colors, scale = _number_colors(targets.numbers[inside])
    else:
        palette = [class_style(code)["color"] for code in range(len(targets.names))]
        colors = lightened(palette if targets.codes is not None else [INK], 0.0)
        if targets.codes is not None:
            colors = colors[targets.codes[inside]]
            handles = class_handles(targets.names)
        else:
            colors = np.broadcast_to(colors, (len(inside), 3))
    total = _blurred(pixel, np.ones(len(inside)), side)
    sums = [_blurred(pixel, colors[:, k], side) for k in range(3)]
    mean = np.stack(sums, axis=-1) / np.maximum(total, 1e-300)[..., None]
    crowded = float(np.quantile(total[total > 1e-3], 0.95)) if len(inside) else 1.0
    # The logarithm shows a place with a few points and one with thousands in the same picture.
    opacity = np.minimum(np.log1p(20.0 * total) / np.log1p(20.0 * crowded), 1.0)
    image = np.concatenate([np.clip(mean, 0.0, 1.0), opacity[..., None]], axis=-1)
    drawn = view.show_image(ax, image, zorder=3, interpolation="bilinear")
    return Marks([drawn], handles, scale)


def _blurred(pixel: Codes, weights: Array, side: int) -> Array:
    """Return the sums of weights per pixel, each spread a little over its neighbours."""
    sums = np.bincount(pixel, weights, side * side).reshape(side, side)
    return np.asarray(gaussian_filter(sums, 1.0, truncate=3.0))


def _number_colors(numbers: Array) -> tuple[Array, Any]:
    cm = import_optional("matplotlib.cm", "plot")
    scale = cm.ScalarMappable(cmap=_colormap())
    known = np.isfinite(numbers)
    scale.set_array(numbers[known])
    scale.autoscale()
    return np.asarray(scale.to_rgba(np.ma.masked_invalid(numbers)))[:, :3], scale


def _colormap() -> Any:
    """Return the colours of numbers, grey for a missing one."""
    return import_optional("matplotlib", "plot").colormaps[COLORMAP].with_extremes(bad=QUIET)


def _mixed(rows: Codes) -> Codes:
    """Return rows in a fixed random order, so that no class lies on top of the others."""
    return np.random.default_rng(0).permutation(rows)


def ring_marks(ax: Any, places: Array, area: float, view: View) -> Any:
    """Put a ring around each place."""
    style = {"facecolors": "none", "edgecolors": INK, "linewidths": line_width(0.9)}
    return view.scatter(ax, places, s=3.2 * area, zorder=4.5, clip_on=False, **style)


def explain_marks(ax: "Axes", marks: Marks, title: str | None = None) -> None:
    """Add the legend of classes, or the colour bar of numbers."""
    if marks.scale is not None:
        add_colorbar(ax, marks.scale, title)
    elif marks.handles:
        add_legend(ax, marks.handles, title)


def add_colorbar(
    ax: "Axes",
    scale: Any,
    label: str | None = None,
    *,
    location: str = "bottom",
    view: View | None = None,
) -> Any:
    """Add a scale of numbers below the picture of a view, or to its right."""
    figure: Any = ax.figure
    if view is None or view.round:
        bar = figure.colorbar(scale, ax=ax, location=location, shrink=0.62, aspect=30, pad=0.02)
    else:
        # Inset axes follow the picture, whose shape is not that of the axes' slot.
        below = (0.19, view.foot - 0.045, 0.62, 0.022)
        inset = ax.inset_axes(below if location == "bottom" else (1.015, 0.19, 0.022, 0.62))
        turn = "horizontal" if location == "bottom" else "vertical"
        bar = figure.colorbar(scale, cax=inset, orientation=turn)
    bar.outline.set_visible(False)
    bar.solids.set(alpha=1.0)
    bar.ax.tick_params(labelsize=font_size(), length=2.5, width=line_width(0.7))
    if label is not None:
        bar.set_label(label, fontsize=font_size(), parse_math=False)
    return bar


def add_legend(
    ax: "Axes", handles: Sequence[Any], title: str | None = None, *, height: float = 0.0
) -> "Legend":
    """Name the classes below the picture, in as many rows as they need.

    The legend hangs from a height of the axes between 0 and 1.
    """
    longest = max((len(str(handle.get_label())) for handle in handles), default=1)
    columns = int(np.clip(54 // (longest + 4), 1, 6))
    rows = -(-len(handles) // columns)
    legend = ax.legend(
        handles=list(handles),
        title=title,
        loc="upper center",
        bbox_to_anchor=(0.5, height),
        ncols=-(-len(handles) // max(rows, 1)),
        frameon=False,
        fontsize=font_size(),
        title_fontsize=font_size(),
        handletextpad=0.3,
        columnspacing=1.2,
        borderaxespad=0.2,
    )
    # Names of classes are no formulas, whatever signs they hold.
    for text in (*legend.get_texts(), legend.get_title()):
        text.set_parse_math(False)
    for handle in legend.legend_handles:
        resize = getattr(handle, "set_sizes", None)
        if resize is not None:
            resize([0.42 * font_size() ** 2])
    return legend
