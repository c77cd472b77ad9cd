"""What the figures of the report share: files, style, and the scatter plots of the paper."""

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hyplane._utils.files import replacing
from hyplane._utils.optional import import_optional
from hyplane.evaluation import METHODS
from hyplane.paper.paper import PAPER
from hyplane.paper.summaries import TESTED, Frame, select, unit_means

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
_STYLE = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "svg.hashsalt": "hyplane",  # the same figure gives the same file
}


@dataclass(frozen=True)
class Figure:
    """A finished figure.

    Attributes
    ----------
    name : str
        Of its files.
    title, caption : str
    svg : bytes
    png : bytes
    wide : bool
        Whether it takes the whole width of the page.
    """

    name: str
    title: str
    caption: str
    svg: bytes
    png: bytes
    wide: bool = False

    def save(self, folder: Path) -> None:
        """Write both files."""
        folder.mkdir(parents=True, exist_ok=True)
        for kind, content in (("svg", self.svg), ("png", self.png)):
            with replacing(folder / f"{self.name}.{kind}") as file:
                file.write(content)

    @property
    def data_uri(self) -> str:
        """The vector picture as an address that holds it."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()


def draw_figure(
    name: str,
    caption: str,
    size: tuple[float, float],
    draw: Callable[[Any], None],
    *,
    title: str | None = None,
    wide: bool = False,
) -> Figure:
    """Draw a figure of the report.

    Parameters
    ----------
    name : str
        As in ``"2a"``, for the files and, without a `title`, the caption.
    caption : str
    size : tuple of float
        In inches.
    draw : callable
        Draws on a matplotlib Figure.
    title : str, optional
    wide : bool, default=False

    Returns
    -------
    figure : Figure

    Examples
    --------
    >>> def draw(figure):
    ...     figure.add_subplot().plot([0, 1])
    >>> draw_figure("0", "A line.", (2, 2), draw).title
    'Figure 0'
    """
    matplotlib = import_optional("matplotlib", "plot")
    figure_module = import_optional("matplotlib.figure", "plot")
    files = {}
    with matplotlib.rc_context(_STYLE):
        figure = figure_module.Figure(figsize=size, layout="constrained")
        draw(figure)
        for kind, metadata in (("svg", {"Date": None}), ("png", {})):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, dpi=160, metadata=metadata)
            files[kind] = buffer.getvalue()
    title = f"Figure {name}" if title is None else title
    return Figure(f"figure-{name}", title, caption, files["svg"], files["png"], wide)


@cache
def models_figure() -> Figure:
    """Figure 1: three hyperplanes in three models of the hyperbolic plane, to scale."""
    plotting = import_module("hyplane.plotting")
    planes = (([0.0, 1.0, 0.25], BLUE), ([0.5, 0.7, 1.0], ORANGE), ([-0.8, 0.3, 1.0], GREEN))
    models = {"hyperboloid": "Hyperboloid", "ball": "Poincaré disk", "halfspace": "Half-plane"}

    def draw(figure: Any) -> None:
        for place, (model, title) in enumerate(models.items(), start=1):
            projection = "3d" if model == "hyperboloid" else None
            ax = figure.add_subplot(1, len(models), place, projection=projection)
            sides = []
            for w, color in planes:
                plotting.draw_hyperplane(w, model=model, shade=False, ax=ax, color=color)
                sides.append(ax.axis())
            if model == "halfspace":
                left, right, low, high = np.transpose(sides)
                ax.set(xlim=(left.min(), right.max()), ylim=(low.min(), high.max()))
            ax.set_title(title)

    return draw_figure(
        "1",
        "Three hyperplanes w∗x = 0 of the hyperbolic plane, each in its colour in three models: "
        "where a plane through the origin cuts the hyperboloid, and arcs that meet the boundary "
        "at right angles in the disk and in the half-plane.",
        (10.0, 3.6),
        draw,
        wide=True,
    )


def scatter_methods(
    figure: Any,
    groups: Mapping[str, Frame],
    colors: Sequence[str] = (BLUE, ORANGE, GREEN),
    *,
    legend: str | None = None,
) -> None:
    """Draw the scores of the paper's methods against each other, one point per data set.

    Parameters
    ----------
    figure : matplotlib Figure
    groups : dict of str to DataFrame
        Raw scores, by name.
    colors : sequence of color
        Of the groups.
    legend : str, optional
        Title of a legend of the groups.
    """
    ax = figure.add_subplot()
    lowest, highest = 1.0, 0.0
    for (name, frame), color, marker in zip(groups.items(), colors, "os^", strict=False):
        parts = [select(frame, method=method) for method in PAPER]
        y, x = (unit_means(part, TESTED[0]) for part in parts)
        y_bar, x_bar = (
            part.groupby("dataset", sort=False)[TESTED[0]].std(ddof=1).fillna(0.0) for part in parts
        )
        ax.errorbar(
            x.reindex(y.index),
            y,
            xerr=x_bar.reindex(y.index),
            yerr=y_bar,
            fmt=marker,
            ms=4.5,
            color=color,
            mec="white",
            mew=0.5,
            ecolor=color,
            elinewidth=0.6,
            alpha=0.85,
            label=name,
        )
        lowest = min(lowest, (x - x_bar).min(), (y - y_bar).min())
        highest = max(highest, (x + x_bar).max(), (y + y_bar).max())
    room = 0.03 * (highest - lowest)
    limits = lowest - room, highest + room
    ax.plot(limits, limits, color=GREY, lw=0.9, ls=(0, (4, 3)), zorder=0)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.set_xlabel(f"{METHODS[PAPER[1]].title}, macro AUPR")
    ax.set_ylabel(f"{METHODS[PAPER[0]].title}, macro AUPR")
    if legend is not None:
        box = ax.legend(title=legend, frameon=False, loc="lower right")
        for text in box.get_texts():
            text.set_parse_math(False)  # names of data sets


def typical_dataset(frame: Frame) -> str:
    """Return the data set whose difference between the paper's methods is the median.

    Parameters
    ----------
    frame : DataFrame
        Raw scores.

    Returns
    -------
    dataset : str
        Its name; of two in the middle, the lower.
    """
    ours, theirs = (unit_means(select(frame, method=method), TESTED[0]) for method in PAPER)
    difference = (ours - theirs.reindex(ours.index)).to_numpy()
    middle = np.argsort(difference, kind="stable")[(len(difference) - 1) // 2]
    return str(ours.index[middle])
