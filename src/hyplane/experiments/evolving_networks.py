"""The paper's second experiment: labels that spread on growing networks, embedded by LaBNE."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.datasets import (
    PopularitySimilarityNetwork,
    popularity_similarity_graph,
    propagate_labels,
)
from hyplane.embeddings import LaBNE
from hyplane.experiments._trials import expected_cost, run_trials
from hyplane.experiments.experiment import Experiment, Summary
from hyplane.experiments.figures import Figure, draw_figure, scatter_methods
from hyplane.experiments.paper import Finding
from hyplane.experiments.pieces import Piece, PieceStore, derive_seed
from hyplane.experiments.reading import compared, p_text
from hyplane.experiments.summaries import Frame, compare_all, score_table, select
from hyplane.geometry import from_polar


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
        Radius of the outermost node in LaBNE's embedding.
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
    >>> len(EvolvingNetworks().pieces())  # 150 data sets, two methods
    300
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
        cases = product(range(self.n_networks), self.size_ranges, range(self.n_repetitions))
        for (network, (low, high), repetition), method in product(cases, self.methods):
            dataset = f"{network + 1:02d}-{low}-{high}-{repetition + 1}"
            labels = {
                "dataset": f"evolving-{dataset}",
                "network": network + 1,
                "size_range": f"{low}-{high}",
                "features": "LaBNE",
            }
            settings = {**self._settings(network, (low, high), repetition), "method": method}
            cost = expected_cost(method, self.n_labels, self.n_trials)
            pieces.append(Piece(f"evolving {dataset} {method}", run, settings, labels, cost))
        return pieces

    def _settings(
        self, network: int, size_range: tuple[int, int], repetition: int
    ) -> dict[str, Any]:
        return {
            "size_range": list(size_range),
            "graph": [self.n_nodes, self.mean_degree, self.exponent, self.temperature],
            "labne": [self.disc_radius, self.x_min],
            "graph_seed": derive_seed(self.seed, "network", network),
            "n_labels": self.n_labels,
            "probability": self.probability,
            "n_trials": self.n_trials,
            "seed": derive_seed(self.seed, "labels", network, *size_range, repetition),
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
        tests += compare_all(frame, over="means of networks", unit="network")
        # The paper's methods before the others.
        n = len(compare_all(frame, over=""))
        tests = [*summary["tests"][:n], *tests, *summary["tests"][n:]]
        return {**summary, "table": table, "tests": tests}

    def reading(self, summary: Summary) -> list[str]:
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
        return [outcome, over_all, *sizes, dependence, *rest]

    def figures(self, frame: Frame, summary: Summary) -> Sequence[Figure]:
        """Figures 3a, 3b and 3c."""
        settings = self._settings(0, self.size_ranges[0], 0)
        network, points = grow_and_embed(settings)
        labels = draw_labels(settings, network)[:, :3]
        low, high = self.size_ranges[0]
        # Radii up to 2 ln N leave nothing but a rim to see: those of 3a are shrunk like LaBNE's.
        shrink = self.disc_radius / (2.0 * np.log(network.n_nodes))
        direction = np.column_stack([np.cos(network.angle), np.sin(network.angle)])
        grown = from_polar(shrink * network.radius, direction, "ball")
        ranges = {
            f"{size.replace('-', '–')} nodes": select(frame, size_range=size)
            for size in frame["size_range"].unique()
        }
        return [
            draw_figure(
                "3a",
                f"Network 1 of the popularity-similarity model, {network.n_nodes} nodes and "
                f"{len(network.edges)} edges, each node where it grew, its radius shrunk as in 3b.",
                (4.4, 4.8),
                lambda figure: _network(figure, grown, network.edges, labels),
            ),
            draw_figure(
                "3b",
                "The same network as LaBNE embeds it, which is what the classifiers see. Colours: "
                f"the first labels of a data set, of {low} to {high} nodes (of several, the "
                "first).",
                (4.4, 4.8),
                lambda figure: _network(figure, points, network.edges, labels),
            ),
            draw_figure(
                "3c",
                f"Macro AUPR of both methods on {summary['n_datasets']} data sets, by the number "
                "of nodes of a label; bars are one standard deviation over trials.",
                (4.6, 4.4),
                lambda figure: scatter_methods(figure, ranges, legend="Nodes of a label"),
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


def grow_and_embed(settings: dict[str, Any]) -> tuple[PopularitySimilarityNetwork, Array]:
    """Grow a network and embed it by LaBNE; rows of the embedding are nodes in order of birth."""
    return _grow_and_embed(*settings["graph"], *settings["labne"], settings["graph_seed"])


@lru_cache(maxsize=4)  # the data sets on one network follow each other
def _grow_and_embed(
    n_nodes: int,
    mean_degree: float,
    exponent: float,
    temperature: float,
    disc_radius: float,
    x_min: int,
    seed: int,
) -> tuple[PopularitySimilarityNetwork, Array]:
    network = popularity_similarity_graph(
        n_nodes,
        mean_degree=mean_degree,
        exponent=exponent,
        temperature=temperature,
        random_state=seed,
    )
    labne = LaBNE(x_min=x_min, disc_radius=disc_radius, disconnected="error")
    points = labne.fit_transform(network.edges)
    return network, points[np.argsort(labne.node_names_)]


def draw_labels(settings: dict[str, Any], network: PopularitySimilarityNetwork) -> NDArray[np.intp]:
    """Draw the labels of a data set."""
    low, high = settings["size_range"]
    return propagate_labels(
        network,
        settings["n_labels"],
        (low, high),
        probability=settings["probability"],
        random_state=settings["seed"],
    )[0]


def run(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute a piece."""
    network, points = grow_and_embed(settings)
    return run_trials(
        settings["method"],
        points,
        draw_labels(settings, network),
        n_trials=settings["n_trials"],
        seed=settings["seed"],
    )
