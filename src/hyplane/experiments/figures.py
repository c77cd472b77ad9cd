"""The figures of the report, as in the paper."""

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._optional import import_optional
from hyplane._typing import Array
from hyplane.baselines.euclidean import EuclideanSVCCV
from hyplane.evaluation.methods import METHODS, PAPER
from hyplane.experiments.evolving_networks import EvolvingNetworks
from hyplane.experiments.gaussian_mixtures import GaussianMixtures
from hyplane.experiments.summaries import Row, dataset_means, dataset_spreads, values_of, where
from hyplane.geometry import from_polar

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
_STYLE = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "svg.hashsalt": "hyplane",  # the same figure gives the same file
}
_SCORE = "macro_aupr"


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
    """

    name: str
    title: str
    caption: str
    svg: bytes
    png: bytes

    def save(self, folder: Path) -> None:
        """Write both files."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.svg").write_bytes(self.svg)
        (folder / f"{self.name}.png").write_bytes(self.png)

    @property
    def data_uri(self) -> str:
        """The vector picture as an address that holds it."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()


def _draw(
    name: str, title: str, caption: str, size: tuple[float, float], draw: Callable[[Any], None]
) -> Figure:
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
    return Figure(name, title, caption, files["svg"], files["png"])


def gaussian_figures(experiment: GaussianMixtures, rows: Sequence[Row]) -> list[Figure]:
    """Figures 2a, 2b and 2c."""
    example = typical_dataset(rows)
    X, y = experiment.dataset(example)
    names = [f"class {label + 1}" for label in range(experiment.n_classes)]

    def decision(method: str) -> Callable[[Any], None]:
        def draw(figure: Any) -> None:
            display = import_module("hyplane.plotting").PoincareDisplay
            clf = METHODS[method].make().set_params(random_state=experiment.seed).fit(X, y)
            shown = _Lines(clf) if isinstance(clf, EuclideanSVCCV) else clf
            ax = figure.add_subplot()
            display.from_estimator(shown, X, y, ax=ax, class_names=names, resolution=640)

        return draw

    figures = [
        _draw(
            "figure-2a",
            "Figure 2a",
            f"Macro AUPR of both methods on {len(values_of(rows, 'dataset'))} mixtures; bars are "
            "one standard deviation over trials. Above the line the hyperbolic SVM is better.",
            (4.6, 4.4),
            lambda figure: _scatter(figure, {"": rows}, [BLUE]),
        )
    ]
    for letter, method in zip("bc", PAPER, strict=True):
        figures.append(
            _draw(
                f"figure-2{letter}",
                f"Figure 2{letter}",
                f"{METHODS[method].title} fitted to all points of mixture {example + 1}, the one "
                "with the median difference between the methods. Curves: the boundary of each "
                "class against the rest; shades: the most probable class.",
                (4.4, 4.8),
                decision(method),
            )
        )
    return figures


class _Lines:
    """The Euclidean SVM as its lines, one per class, beside what it predicts.

    To the display, probabilities of several classes mean that they are compared as by a softmax,
    where single lines say nothing. These are fitted one against the rest, like the hyperbolic ones.
    """

    def __init__(self, fitted: EuclideanSVCCV) -> None:
        self.classes_, self.coef_ = fitted.classes_, fitted.coef_
        self.intercept_ = fitted.intercept_
        self.predict, self.decision_function = fitted.predict, fitted.decision_function


def typical_dataset(rows: Sequence[Row]) -> int:
    """Return the number of the data set whose difference between the methods is the median."""
    means = [dataset_means(where(rows, method=method), _SCORE) for method in PAPER]
    difference = np.array([means[0][name] - means[1][name] for name in means[0]])
    return int(np.argsort(difference, kind="stable")[(len(difference) - 1) // 2])


def evolving_figures(experiment: EvolvingNetworks, rows: Sequence[Row]) -> list[Figure]:
    """Figures 3a, 3b and 3c."""
    network, points = experiment.network(0)
    labels = experiment.labels(0, 0, 0)
    low, high = experiment.size_ranges[0]
    # Radii up to 2 ln N leave nothing but a rim to see: those of 3a are shrunk like LaBNE's.
    shrink = experiment.disc_radius / (2.0 * np.log(network.n_nodes))
    direction = np.column_stack([np.cos(network.angle), np.sin(network.angle)])
    grown = from_polar(shrink * network.radius, direction, "ball")

    ranges = {
        f"{size.replace('-', '–')} nodes": where(rows, size_range=size)
        for size in values_of(rows, "size_range")
    }
    return [
        _draw(
            "figure-3a",
            "Figure 3a",
            f"Network 1 of the popularity-similarity model, {network.n_nodes} nodes and "
            f"{len(network.edges)} edges, each node where it grew, its radius shrunk as in 3b.",
            (4.4, 4.8),
            lambda figure: _network(figure, grown, network.edges, labels[:, :3]),
        ),
        _draw(
            "figure-3b",
            "Figure 3b",
            "The same network as LaBNE embeds it, which is what the classifiers see. Colours: the "
            f"first labels of a data set, of {low} to {high} nodes (of several, the first).",
            (4.4, 4.8),
            lambda figure: _network(figure, points, network.edges, labels[:, :3]),
        ),
        _draw(
            "figure-3c",
            "Figure 3c",
            f"Macro AUPR of both methods on {len(values_of(rows, 'dataset'))} data sets, by the "
            "number of nodes of a label; bars are one standard deviation over trials.",
            (4.6, 4.4),
            lambda figure: _scatter(figure, ranges, [BLUE, ORANGE, GREEN]),
        ),
    ]


def _network(figure: Any, points: Array, edges: Any, labels: NDArray[np.intp]) -> None:
    plotting = import_module("hyplane.plotting")
    disk = import_module("hyplane.plotting.disk")
    ax = figure.add_subplot()
    plotting.draw_graph(points, edges, ax=ax, node_size=5, edge_alpha=0.4)
    ax.collections[-1].set(facecolor="#9a9a9a")
    labelled = (labels > 0).any(axis=1)
    names = [f"label {number + 1}" for number in range(labels.shape[1])]
    first = (labels > 0).argmax(axis=1)[labelled]
    handles = disk.scatter_classes(ax, points[labelled], first, names, 26.0)
    disk.add_legend(ax, handles)


def _scatter(figure: Any, groups: Mapping[str, Sequence[Row]], colors: Sequence[str]) -> None:
    ax = figure.add_subplot()
    lowest, highest = 1.0, 0.0
    for (name, rows), color, marker in zip(groups.items(), colors, "os^", strict=False):
        means = [dataset_means(where(rows, method=method), _SCORE) for method in PAPER]
        spreads = [dataset_spreads(where(rows, method=method), _SCORE) for method in PAPER]
        y, x = (np.array([mean[key] for key in means[0]]) for mean in means)
        y_bar, x_bar = (np.array([spread[key] for key in means[0]]) for spread in spreads)
        ax.errorbar(
            x,
            y,
            xerr=x_bar,
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
        lowest = min(lowest, float((x - x_bar).min()), float((y - y_bar).min()))
        highest = max(highest, float((x + x_bar).max()), float((y + y_bar).max()))
    room = 0.03 * (highest - lowest)
    limits = lowest - room, highest + room
    ax.plot(limits, limits, color=GREY, lw=0.9, ls=(0, (4, 3)), zorder=0)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.set_xlabel("Euclidean SVM, macro AUPR")
    ax.set_ylabel("Hyperbolic SVM, macro AUPR")
    if len(groups) > 1:
        ax.legend(title="Nodes of a label", frameon=False, loc="lower right")


def real_figures(table: Sequence[Row]) -> list[Figure]:
    """Draw the table, one panel per network."""
    networks = list(dict.fromkeys(row["network"] for row in table))
    return [
        _draw(
            "figure-real",
            "Real networks",
            "Macro AUPR, mean and standard deviation over embeddings and trials. HSVM and ESVM: "
            "hyperbolic and Euclidean SVM on the hyperbolic embedding in two dimensions; DW: "
            "Euclidean SVM on DeepWalk's vectors of that dimension.",
            (2.6 * len(networks) + 0.4, 3.4),
            lambda figure: _panels(figure, table, networks),
        )
    ]


def _panels(figure: Any, table: Sequence[Row], networks: Sequence[str]) -> None:
    axes = np.atleast_1d(figure.subplots(1, len(networks), squeeze=True))
    styles = {"short": (ORANGE, "o", -0.13), "long": (BLUE, "s", 0.13)}
    for ax, network in zip(axes, networks, strict=True):
        part = where(table, network=network)
        columns = list(dict.fromkeys(_short_name(row) for row in part))
        for corpus, (color, marker, shift) in styles.items():
            rows = where(part, corpus=corpus)
            ax.errorbar(
                [columns.index(_short_name(row)) + shift for row in rows],
                [row["scores"][_SCORE]["mean"] for row in rows],
                yerr=[row["scores"][_SCORE]["sd"] for row in rows],
                fmt=marker,
                ms=5,
                color=color,
                elinewidth=1.0,
                capsize=2,
                label=f"{corpus} corpus",
            )
        ax.set_title(network, fontsize=11)
        ax.set_xticks(range(len(columns)), columns, rotation=60, ha="right", fontsize=8.5)
        ax.grid(axis="y", color="#dddddd", lw=0.6)
        ax.set_axisbelow(True)
    axes[0].set_ylabel("Macro AUPR")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)


def _short_name(row: Row) -> str:
    if row["features"] != "hyperbolic":
        return "DW " + str(row["features"]).partition("-")[2]
    return {"hyperbolic": "HSVM", "euclidean": "ESVM"}.get(row["method"], str(row["method"]))
