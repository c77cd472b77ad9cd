"""The paper's second experiment: labels that spread on growing networks, embedded by LaBNE."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.datasets import popularity_similarity_graph, propagate_labels
from hyplane.datasets.popularity_similarity import disc_radius
from hyplane.embeddings import LaBNE
from hyplane.geometry import from_polar
from hyplane.paper._authors import authors_dataset, authors_settings
from hyplane.paper._trials import expected_cost, run_trials
from hyplane.paper.experiment import Experiment, SummaryDict
from hyplane.paper.figures import Figure, draw_figure, scatter_methods
from hyplane.paper.paper import Finding
from hyplane.paper.pieces import Piece, PieceStore, derive_seed
from hyplane.paper.reading import compared, listed, number, p_text
from hyplane.paper.summaries import (
    TESTED,
    Frame,
    compare,
    compare_all,
    compare_others,
    find_tests,
    score_table,
    select,
)
from hyplane.paper.tables import Cell, ReportTable

# On some networks one draw in several thousand has 100 to 200 nodes.
_MOST_DRAWS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class EvolvingNetworks(Experiment):
    """Sizes of the experiment; the defaults are the paper's.

    Attributes
    ----------
    n_networks, n_nodes : int
        Number of networks and of the nodes of each.
    mean_degree, exponent, temperature : float
        Of the popularity-similarity model.
    disc_radius : float
        What the disc radius R_N of the model is scaled to in LaBNE's embedding. The authors take
        R_N for the exponent that LaBNE fits, so that the outermost nodes are a little inside.
    x_min : int
        Smallest degree in the fit of the exponent that LaBNE uses.
    n_labels : int
        Labels of a data set.
    probability : float
        With which an edge carries a label on.
    size_ranges : tuple of (int, int)
        Least and greatest number of nodes with a label.
    n_repetitions : int
        Data sets for each network and range.

    Examples
    --------
    >>> len(EvolvingNetworks().pieces())  # 150 data sets, four methods
    600
    """

    n_networks: int = 10
    n_nodes: int = 500
    mean_degree: float = 4.0
    exponent: float = 2.25
    temperature: float = 0.0
    disc_radius: float = 3.0
    x_min: int = 2
    n_labels: int = 10
    probability: float = 0.8
    size_ranges: tuple[tuple[int, int], ...] = ((20, 50), (50, 100), (100, 200))
    n_repetitions: int = 5

    name = "evolving"
    title = "Evolving networks"
    finding = Finding(
        "the hyperbolic SVM ranks better than the Euclidean SVM on labels of growing networks "
        "embedded by LaBNE",
        3.99e-21,
    )

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(self, n_networks=2, n_labels=3, n_repetitions=1, n_trials=2)

    def pieces(self) -> list[Piece]:
        """One per data set and method."""
        pieces = []
        networks = list(enumerate(self._networks()))
        cases = product(networks, self.size_ranges, range(self.n_repetitions), self.methods)
        for (index, network), (low, high), repetition, method in cases:
            dataset = f"{index + 1:02d}-{low}-{high}-{repetition + 1}"
            labels = {
                "dataset": f"evolving-{dataset}",
                "network": index + 1,
                "size_range": f"{low}-{high}",
                "features": "LaBNE",
            }
            trials = self.trials(method)
            settings = {
                "network": network,
                "labels": self._labels((low, high)),
                "trials": trials,
                "seed": derive_seed(self.seed, "labels", index, low, high, repetition),
            }
            cost = expected_cost(trials, self.n_labels)
            pieces.append(Piece(f"evolving {dataset} {method}", run, settings, labels, cost))
        return pieces

    def _networks(self) -> list[dict[str, Any]]:
        """Return the settings of all networks."""
        if self.data == "authors":
            names = [str(index + 1) for index in range(self.n_networks)]
            return [{"authors": each} for each in authors_settings("randnet", names).values()]
        graph = {
            "n_nodes": self.n_nodes,
            "mean_degree": self.mean_degree,
            "exponent": self.exponent,
            "temperature": self.temperature,
        }
        return [
            {
                "graph": graph,
                "x_min": self.x_min,
                "disc_radius": self.disc_radius,
                "seed": derive_seed(self.seed, "network", index),
            }
            for index in range(self.n_networks)
        ]

    def _labels(self, size_range: tuple[int, int]) -> dict[str, Any]:
        return {
            "n_labels": self.n_labels,
            "size_range": list(size_range),
            "probability": self.probability,
        }

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up the scores over all and by the size of the labels."""
        summary = super().summarize(frame)
        parts = {
            f"labels of {size} nodes": select(frame, size_range=size)
            for size in frame["size_range"].unique()
        }
        table = [{"part": "All data sets", **row} for row in summary["table"]]
        for over, part in parts.items():
            title = over.capitalize().replace("-", "–")
            table += [{"part": title, **row} for row in score_table(part, ["size_range", "method"])]
        tests = [test for over, part in parts.items() for test in compare_all(part, over=over)]
        others = [test for over, part in parts.items() for test in compare_others(part, over=over)]
        tests += compare_all(frame, over="means of networks", unit="network")
        tests += [
            compare(
                select(part, network=network),
                TESTED[0],
                over=f"{over}, network {network}",
                size_range=over,
                network=int(network),
            )
            for over, part in parts.items()
            for network in frame["network"].unique()
        ]
        # The paper's methods before the others.
        n = len(TESTED)
        tests = [*summary["tests"][:n], *tests, *summary["tests"][n:], *others]
        return {**summary, "table": table, "tests": tests}

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say what was found, also by the size of the labels and over networks."""
        outcome, over_all, *rest = super().reading(summary)
        sizes = [
            compared(self.main_test(summary, over=f"labels of {low}-{high} nodes"), words)
            for low, high in self.size_ranges
            for words in [f"Among labels of {low}–{high} nodes"]
        ]
        networks = self.main_test(summary, over="means of networks")
        dependence = (
            "Data sets on one network share its points, so they are not independent, as the test "
            f"over data sets takes them to be. Over the means of the {networks['n']} networks the "
            f"one-sided p is {p_text(networks['p_value'])}."
        )
        return [outcome, over_all, *sizes, *self._few_networks(summary), dependence, *rest]

    def _few_networks(self, summary: SummaryDict) -> list[str]:
        """Say of the largest labels how much of the mean difference two networks make."""
        low, high = self.size_ranges[-1]
        tests = find_tests(summary["tests"], size_range=f"labels of {low}-{high} nodes")
        if len(tests) < 5:
            return []
        values = np.array([test["difference"] for test in tests])
        far = np.argsort(-np.abs(values - np.median(values)), kind="stable")[:2]
        named = listed([f"{tests[i]['network']} ({number(values[i])})" for i in sorted(far)])
        return [
            f"Labels of {low}–{high} nodes, network by network: the mean differences run from "
            f"{number(values.min())} to {number(values.max())}. Without the two that lie farthest "
            f"out, {named}, their mean is {number(np.delete(values, far).mean())} instead of "
            f"{number(values.mean())}."
        ]

    def tables(self, summary: SummaryDict) -> list[ReportTable]:
        """Return all scores, the differences network by network, and the tests over more."""
        single = [test for test in summary["tests"] if "size_range" in test]
        rest = {**summary, "tests": [test for test in summary["tests"] if test not in single]}
        scores, tests = super().tables(rest)
        columns = list(dict.fromkeys(test["size_range"] for test in single))
        body: list[list[Cell | str]] = []
        for network in dict.fromkeys(test["network"] for test in single):
            cells = [
                Cell(number(test["difference"]), f"{test['wins']} of {test['n']}")
                for test in find_tests(single, network=network)
            ]
            body.append([f"Network {network}", *cells])
        by_network = ReportTable(
            "Hyperbolic minus Euclidean SVM, macro AUPR, network by network: mean difference, and "
            "in how many data sets the hyperbolic SVM is higher.",
            ["", *(column.capitalize().replace("-", "–") for column in columns)],
            body,
        )
        return [scores, by_network, tests]

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw figures 3a (not of the authors' files: they do not say where nodes grew), 3b, 3c."""
        network = network_of(self._networks()[0])
        low, high = self.size_ranges[0]
        seed = derive_seed(self.seed, "labels", 0, low, high, 0)
        labels = labels_on(network, self._labels((low, high)), seed)[:, :3]
        ranges = {
            f"{size.replace('-', '–')} nodes": select(frame, size_range=size)
            for size in frame["size_range"].unique()
        }
        figures = [
            draw_figure(
                "3b",
                "Network 1 as LaBNE embeds it, which is what the classifiers see. Colours: the "
                f"first labels of a data set, of {low} to {high} nodes (of several, the first).",
                (4.4, 4.8),
                lambda figure: _draw_network(figure, network.points, network.edges, labels),
            ),
            draw_figure(
                "3c",
                f"Macro AUPR of both methods on {summary['n_datasets']} data sets, by the number "
                "of nodes of a label; bars are one standard deviation over trials.",
                (4.6, 4.4),
                lambda figure: scatter_methods(figure, ranges, legend="Nodes of a label"),
            ),
        ]
        grown = network.grown
        if grown is None:
            return figures
        caption = (
            f"Network 1 of the popularity-similarity model, {len(grown)} nodes and "
            f"{len(network.edges)} edges, each node where it grew, its radius shrunk as in 3b."
        )
        first = draw_figure(
            "3a",
            caption,
            (4.4, 4.8),
            lambda figure: _draw_network(figure, grown, network.edges, labels),
        )
        return [first, *figures]


@dataclass(frozen=True)
class EmbeddedNetwork:
    """A network of the experiment; rows are nodes in the order of their birth.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2)
        Older and newer node.
    points : ndarray of shape (n_nodes, 2)
        LaBNE's embedding in the ball.
    grown : ndarray of shape (n_nodes, 2) or None
        Where the nodes grew, with radii scaled as those of the embedding, if it is known.
    """

    edges: NDArray[np.intp]
    points: Array
    grown: Array | None = None


def network_of(settings: dict[str, Any]) -> EmbeddedNetwork:
    """Grow a network and embed it by LaBNE, or read one of the authors'."""
    return _network_of(json.dumps(settings))


@lru_cache(maxsize=32)  # every method has a piece on every network
def _network_of(text: str) -> EmbeddedNetwork:
    settings = json.loads(text)
    if "authors" in settings:
        dataset = authors_dataset(settings["authors"])
        return EmbeddedNetwork(dataset.edges, dataset.data)
    network = popularity_similarity_graph(**settings["graph"], random_state=settings["seed"])
    labne = LaBNE(x_min=settings["x_min"], coordinates="polar", disconnected="error")
    radius, angle = labne.fit_transform(network.edges)[np.argsort(labne.node_names_)].T
    # The disc of the model whose exponent LaBNE found, as the authors scale it.
    model_radius = disc_radius(
        network.n_nodes,
        mean_degree=2.0 * len(network.edges) / network.n_nodes,
        exponent=labne.exponent_,
        temperature=settings["graph"]["temperature"],
    )
    scale = settings["disc_radius"] / model_radius
    return EmbeddedNetwork(
        network.edges,
        _in_the_ball(scale * radius, angle),
        _in_the_ball(scale * network.radius, network.angle),
    )


def _in_the_ball(radius: Array, angle: Array) -> Array:
    return from_polar(radius, np.column_stack([np.cos(angle), np.sin(angle)]), "ball")


def labels_on(network: EmbeddedNetwork, settings: dict[str, Any], seed: int) -> NDArray[np.intp]:
    """Draw the labels of a data set."""
    arguments = {**settings, "size_range": tuple(settings["size_range"])}
    n_nodes = len(network.points)
    return propagate_labels(
        network.edges, **arguments, n_nodes=n_nodes, max_tries=_MOST_DRAWS, random_state=seed
    )[0]


@lru_cache(maxsize=512)  # every method has a piece on every data set
def _dataset_of(network: str, labels: str, seed: int) -> tuple[Array, NDArray[np.intp]]:
    grown = _network_of(network)
    return grown.points, labels_on(grown, json.loads(labels), seed)


def run(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute a piece."""
    seed = settings["seed"]
    network, labels = (json.dumps(settings[key]) for key in ("network", "labels"))
    return run_trials(settings["trials"], *_dataset_of(network, labels, seed), seed=seed)


def _draw_network(figure: Any, points: Array, edges: Any, labels: NDArray[np.intp]) -> None:
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
