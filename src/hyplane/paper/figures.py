"""The figures of the report."""

import base64
import io
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.files import replacing
from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array
from hyplane.evaluation import METHODS
from hyplane.paper.published import OURS, PAPER
from hyplane.paper.summaries import TESTED, Frame, select, unit_means

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"


@dataclass(frozen=True)
class Figure:
    """A finished figure: the name of its files, its title, its caption and both files.

    A wide one takes the whole width of the page.
    """

    name: str
    title: str
    caption: str
    svg: bytes
    png: bytes
    wide: bool

    def save(self, folder: Path) -> None:
        """Write both files."""
        folder.mkdir(parents=True, exist_ok=True)
        for kind in ("svg", "png"):
            with replacing(folder / f"{self.name}.{kind}") as file:
                file.write(getattr(self, kind))

    @property
    def data_uri(self) -> str:
        """The vector picture as an address that holds it."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()


def figure_style() -> AbstractContextManager[None]:
    """Return the context in which the figures of the report are drawn."""
    style = {"font.family": "sans-serif", "font.size": 10, "axes.linewidth": 0.8}
    style |= {"axes.spines.top": False, "axes.spines.right": False}
    style |= {"svg.hashsalt": "hyplane"}  # the same figure gives the same file
    return import_optional("matplotlib", "plot").rc_context(style)  # type: ignore[no-any-return]


def new_figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure of a size in inches."""
    module = import_optional("matplotlib.figure", "plot")
    return module.Figure(figsize=(width, height), layout="constrained")


def finished(figure: Any, name: str, caption: str, title: str = "", wide: bool = False) -> Figure:
    """Render a figure; `name` is for its files and, without a `title`, above its caption."""
    svg, png = io.BytesIO(), io.BytesIO()
    figure.savefig(svg, format="svg", dpi=160, metadata={"Date": None})
    figure.savefig(png, format="png", dpi=160)
    files = (svg.getvalue(), png.getvalue())
    return Figure(f"figure-{name}", title or f"Figure {name}", caption, *files, wide)


def models_figure() -> Figure:
    """Figure 1: three hyperplanes in three models of the hyperbolic plane, to scale."""
    plotting = import_module("hyplane.plotting")
    planes = (([0.0, 1.0, 0.25], BLUE), ([0.5, 0.7, 1.0], ORANGE), ([-0.8, 0.3, 1.0], GREEN))
    models = {"hyperboloid": "Hyperboloid", "ball": "Poincaré disk", "halfspace": "Half-plane"}
    figure = new_figure(10.0, 3.6)
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
    caption = (
        "Three hyperplanes w∗x = 0 of the hyperbolic plane, each in its colour in three models: "
        "where a plane through the origin cuts the hyperboloid, and arcs that meet the boundary "
        "at right angles in the disk and in the half-plane."
    )
    return finished(figure, "1", caption, wide=True)


def scatter_figure(name: str, caption: str, groups: Mapping[str, Frame], legend: str) -> Figure:
    """Draw the scores of the paper's methods against each other, one point per data set."""
    figure = new_figure(4.6, 4.4)
    ax = figure.add_subplot()
    ends = []
    styles = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"))
    for (group, frame), (color, marker) in zip(groups.items(), styles, strict=False):
        parts = [select(frame, method=method) for method in PAPER]
        y, x = (unit_means(part, TESTED[0]) for part in parts)
        spreads = (part.groupby("dataset", sort=False)[TESTED[0]].std() for part in parts)
        y_bar, x_bar = (spread.fillna(0.0).reindex(y.index) for spread in spreads)
        x = x.reindex(y.index)
        style = {"color": color, "ecolor": color, "mec": "white", "mew": 0.5, "elinewidth": 0.6}
        ax.errorbar(x, y, y_bar, x_bar, fmt=marker, ms=4.5, alpha=0.85, label=group, **style)
        ends += [(x - x_bar).min(), (y - y_bar).min(), (x + x_bar).max(), (y + y_bar).max()]
    margin = 0.03 * (max(ends) - min(ends))
    limits = min(ends) - margin, max(ends) + margin
    ax.plot(limits, limits, color=GREY, lw=0.9, ls=(0, (4, 3)), zorder=0)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.set_xlabel(f"{METHODS[PAPER[1]].title}, macro AUPR")
    ax.set_ylabel(f"{METHODS[PAPER[0]].title}, macro AUPR")
    if len(groups) > 1:
        box = ax.legend(title=legend, frameon=False, loc="lower right")
        for text in box.get_texts():
            text.set_parse_math(False)  # names of data sets
    return finished(figure, name, caption)


def decision_figure(
    name: str, caption: str, method: str, X: Array, y: NDArray[Any], seed: int
) -> Figure:
    """Draw what a method, fitted to all points, says of the disk."""
    fitted = METHODS[method].make().set_params(random_state=seed).fit(X, y)
    shown = _Lines(fitted) if hasattr(fitted, "intercept_") else fitted
    names = [f"class {number + 1}" for number in range(len(np.unique(y)))]
    figure = new_figure(4.4, 4.8)
    display = import_module("hyplane.plotting").PoincareDisplay
    how = {"ax": figure.add_subplot(), "class_names": names, "resolution": 640}
    display.from_estimator(shown, X, y, **how)
    return finished(figure, name, caption)


class _Lines:
    """The Euclidean SVM as its lines, one per class, beside what it predicts.

    To the display, probabilities of several classes mean that they are compared as by a softmax,
    where single lines say nothing. These are fitted one against the rest, like the hyperbolic ones.
    """

    def __init__(self, fitted: Any) -> None:
        self.classes_, self.coef_ = fitted.classes_, fitted.coef_
        self.intercept_ = fitted.intercept_
        self.predict, self.decision_function = fitted.predict, fitted.decision_function


def network_figure(
    name: str, caption: str, points: Array, edges: NDArray[Any], labels: NDArray[Any]
) -> Figure:
    """Draw a network in the disk; colours are the first label of each node."""
    plotting = import_module("hyplane.plotting")
    figure = new_figure(4.4, 4.8)
    ax = figure.add_subplot()
    plotting.draw_graph(points, edges, ax=ax, node_size=5, edge_alpha=0.4)
    ax.collections[-1].set(facecolor="#9a9a9a")
    labelled = (labels > 0).any(axis=1)
    names = [f"label {number + 1}" for number in range(labels.shape[1])]
    first = (labels > 0).argmax(axis=1)[labelled]
    plotting.draw_points(points[labelled], np.array(names)[first], ax=ax, size=26.0)
    return finished(figure, name, caption)


def panels_figure(
    name: str, caption: str, summary: Mapping[str, Any], networks: Sequence[str]
) -> Figure:
    """Draw means and standard deviations on real networks beside the paper's, one panel each."""
    ours = [
        (row["network"], row["corpus"], _short_name(row), found["mean"], found["sd"])
        for row in summary["table"]
        for found in [row["scores"][TESTED[0]]]
    ]
    paper = [
        (network, "paper", _short_name(row), *found)
        for row in summary["published_table"]
        for network, found in row["scores"].items()
    ]
    sources = list(dict.fromkeys(source for _, source, *_ in ours))
    styles = [(ORANGE, "o"), (GREEN, "^"), (BLUE, "s")][: len(sources)]
    styles.append((GREY, "D"))
    shifts = 0.17 * (np.arange(len(styles)) - (len(styles) - 1) / 2)
    figure = new_figure(2.6 * len(networks) + 0.4, 3.4)
    axes = figure.subplots(1, len(networks), squeeze=False)[0]
    for ax, network in zip(axes, networks, strict=True):
        columns = list(dict.fromkeys(column for place, _, column, *_ in ours if place == network))
        for source, (color, marker), shift in zip((*sources, "paper"), styles, shifts, strict=True):
            own = [
                (columns.index(column) + shift, mean, sd)
                for *where, column, mean, sd in ours + paper
                if where == [network, source] and column in columns
            ]
            x, mean, sd = np.reshape(own, (-1, 3)).T
            style = {"color": color, "fmt": marker, "ms": 4.5, "elinewidth": 1.0, "capsize": 2}
            ax.errorbar(x, mean, yerr=sd, label=source, **style)
        # Names of files and methods are text: a $ in them starts no formula.
        plain = {"parse_math": False}
        ax.set_title(network, fontsize=11, **plain)
        ax.set_xticks(range(len(columns)), columns, rotation=60, ha="right", fontsize=8.5, **plain)
        ax.grid(axis="y", color="#dddddd", lw=0.6)
        ax.set_axisbelow(True)
    axes[0].set_ylabel("Macro AUPR")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return finished(figure, name, caption, "Real networks", wide=True)


def _short_name(row: Mapping[str, Any]) -> str:
    if row["features"] != "hyperbolic":
        return "DW " + str(row["features"]).partition("-")[2]
    names = dict(zip((*PAPER, *OURS), ("HSVM", "ESVM", "HSVM, ours", "ESVM, our C"), strict=True))
    return names.get(row["method"], str(row["method"]))
