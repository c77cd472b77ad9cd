"""The paper's second experiment: labels that spread on growing networks, embedded by LaBNE."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.datasets import fetch_hyplinear, popularity_similarity_graph, propagate_labels
from hyplane.datasets.popularity_similarity import disc_radius
from hyplane.embeddings import LaBNE
from hyplane.geometry import from_polar
from hyplane.paper.experiment import Experiment, SummaryDict, data_set
from hyplane.paper.figures import Figure, network_figure, scatter_figure
from hyplane.paper.narrative import compared, number, p_text
from hyplane.paper.pieces import Piece, derive_seed
from hyplane.paper.summaries import Frame, Group, compare, compare_paper, find, select
from hyplane.paper.tables import Cell, ReportTable, Rows, title_of_data


class EmbeddedNetwork(NamedTuple):
    """Edges, and the points of the nodes by LaBNE and in the model, the oldest node first."""

    edges: NDArray[np.intp]
    points: Array
    grown: Array | None = None  # radii scaled as in the embedding; None if not known


@dataclass(frozen=True, kw_only=True)
class EvolvingNetworks(Experiment):
    """The experiment on growing networks. The default sizes are the paper's.

    Attributes
    ----------
    n_networks, n_nodes : int
        Number of networks and of the nodes of each.
    mean_degree, exponent, temperature : float
        Parameters of the popularity-similarity model.
    disc_radius : float
        Radii of LaBNE's embedding are scaled so that the disc radius R_N of the model becomes this
        number. As in the authors' files, R_N is that of the exponent that LaBNE fits, so the
        outermost nodes are a little inside.
    x_min : int
        Smallest degree in the fit of the exponent that LaBNE uses.
    n_labels : int
        Number of labels of a data set.
    probability : float
        Probability that an edge passes a label on.
    size_ranges : tuple of (int, int)
        Smallest and largest number of nodes with a label.
    n_repetitions : int
        Number of data sets for each network and range.

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
    claim = (
        "the hyperbolic SVM ranks better than the Euclidean SVM on labels of growing networks "
        "embedded by LaBNE"
    )
    published_p = 3.99e-21

    def quick(self) -> Self:
        """Return a small version that takes a second or two."""
        return replace(self, n_networks=2, n_labels=3, n_repetitions=1, n_trials=2)

    def pieces(self) -> list[Piece]:
        """Return one piece of work for each data set and method."""
        pieces = []
        for index in range(self.n_networks):
            network = self._network(index)
            for (low, high), repetition in product(self.size_ranges, range(self.n_repetitions)):
                name = f"evolving {index + 1:02d}-{low}-{high}-{repetition + 1}"
                labels = {"dataset": name.replace(" ", "-"), "network": index + 1}
                labels |= {"size_range": f"{low}-{high}", "features": "LaBNE"}
                seed = derive_seed(self.seed, "labels", index, low, high, repetition)
                y = self._labels(network, (low, high), seed)
                settings = {"data": data_set(network.points, y), "seed": seed}
                pieces += self.trials(name, settings, labels, self.n_labels)
        return pieces

    def _network(self, index: int) -> EmbeddedNetwork:
        """Grow a network and embed it by LaBNE, or read one of the authors'."""
        if self.data == "authors":
            [found] = fetch_hyplinear("randnet", subset=[str(index + 1)])
            return EmbeddedNetwork(found.edges, found.data)
        network = popularity_similarity_graph(
            self.n_nodes,
            mean_degree=self.mean_degree,
            exponent=self.exponent,
            temperature=self.temperature,
            random_state=derive_seed(self.seed, "network", index),
        )
        labne = LaBNE(x_min=self.x_min, coordinates="polar", disconnected="error")
        radius, angle = labne.fit_transform(network.edges)[np.argsort(labne.node_names_)].T
        # The disc of the model whose exponent LaBNE found, as the authors scale it.
        scale = self.disc_radius / disc_radius(
            network.n_nodes,
            mean_degree=2.0 * len(network.edges) / network.n_nodes,
            exponent=labne.exponent_,
            temperature=self.temperature,
        )
        points, grown = (
            from_polar(scale * r, np.column_stack([np.cos(theta), np.sin(theta)]), "ball")
            for r, theta in ((radius, angle), (network.radius, network.angle))
        )
        return EmbeddedNetwork(network.edges, points, grown)

    def _labels(
        self, network: EmbeddedNetwork, size_range: tuple[int, int], seed: int
    ) -> NDArray[np.intp]:
        return propagate_labels(
            network.edges,
            n_nodes=len(network.points),
            n_labels=self.n_labels,
            size_range=size_range,
            probability=self.probability,
            max_tries=1_000_000,  # on some networks one draw in several thousand is large enough
            random_state=seed,
        )[0]

    def groups(self, frame: Frame) -> list[Group]:
        """All data sets, and those of each size of the labels."""
        sizes = frame["size_range"].unique()
        return [
            Group("all data sets", frame),
            *(Group(f"labels of {size} nodes", select(frame, size_range=size)) for size in sizes),
        ]

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up the scores over all, by the size of the labels, and network by network."""
        summary = super().summarize(frame)
        summary["tests"] += compare_paper(frame, over="means of networks", unit="network")
        summary["networks"] = [
            compare(select(group.frame, network=network), over=group.over, network=int(network))
            for network in frame["network"].unique()
            for group in self.groups(frame)[1:]
        ]
        return summary

    def reading(self, summary: SummaryDict) -> list[str]:
        """Return the findings as sentences, also by the size of the labels and over networks."""
        sentences = super().reading(summary)
        for low, high in self.size_ranges:
            test = self.main_test(summary, over=f"labels of {low}-{high} nodes")
            sentences.append(compared(test, f"Among labels of {low}–{high} nodes"))
        networks = self.main_test(summary, over="means of networks")
        dependence = (
            "The test over data sets treats them as independent, but data sets on one network "
            f"share its points. Over the means of the {networks['n']} networks the one-sided p is "
            f"{p_text(networks['p_value'])}."
        )
        return [*sentences, dependence]

    def tables(self, summary: SummaryDict) -> list[ReportTable]:
        """Return all scores, the differences network by network, and the tests."""
        scores, tests = super().tables(summary)
        body: Rows = []
        for network in dict.fromkeys(test["network"] for test in summary["networks"]):
            own = find(summary["networks"], network=network)
            titles = [title_of_data(test["over"]) for test in own]
            cells = [
                Cell(number(test["difference"]), f"{test['wins']} of {test['n']}") for test in own
            ]
            body.append([f"Network {network}", *cells])
        caption = (
            "Hyperbolic minus Euclidean SVM, macro AUPR, for each network: mean difference, and "
            "the number of data sets in which the hyperbolic SVM is higher."
        )
        return [scores, ReportTable(caption, ["", *titles], body), tests]

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw figures 3a (not of the authors' files: they do not say where nodes grew), 3b, 3c."""
        network = self._network(0)
        size_range = self.size_ranges[0]
        seed = derive_seed(self.seed, "labels", 0, *size_range, 0)
        drawn = (network.edges, self._labels(network, size_range, seed)[:, :3])
        figures = []
        if network.grown is not None:
            caption = (
                f"Network 1 of the popularity-similarity model, {len(network.grown)} nodes and "
                f"{len(network.edges)} edges, at the positions of the model, with radii scaled as "
                "in 3b."
            )
            figures.append(network_figure("3a", caption, network.grown, *drawn))
        caption = (
            "Network 1 embedded by LaBNE: the input of the classifiers. Colours: three labels of a "
            "data set, of {} to {} nodes each. A node with several labels has the colour of the "
            "first."
        ).format(*size_range)
        figures.append(network_figure("3b", caption, network.points, *drawn))
        ranges = {
            f"{size.replace('-', '–')} nodes": select(frame, size_range=size)
            for size in frame["size_range"].unique()
        }
        caption = (
            f"Macro AUPR of both methods on {summary['n_datasets']} data sets, by the number of "
            "nodes of a label; bars are one standard deviation over trials."
        )
        return [*figures, scatter_figure("3c", caption, ranges, "Nodes of a label")]
