"""The paper's second experiment: labels that spread on growing networks, embedded by LaBNE."""

from dataclasses import dataclass, replace
from functools import lru_cache
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
from hyplane.evaluation.methods import PAPER
from hyplane.experiments._trials import expected_cost, run_trials
from hyplane.experiments.pieces import Piece, PieceStore, derive_seed


@dataclass(frozen=True)
class EvolvingNetworks:
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
    n_trials : int
        Hold-outs on each data set.
    methods : tuple of str
    seed : int

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
    n_trials: int = 5
    methods: tuple[str, ...] = PAPER
    seed: int = 0

    name = "evolving"
    title = "Evolving networks"

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(self, n_networks=2, n_labels=3, n_repetitions=1, n_trials=2)

    def pieces(self) -> list[Piece]:
        """One per data set and method."""
        return [
            Piece(
                f"evolving {settings['dataset'][9:]} {settings['method']}",
                run,
                settings,
                cost=expected_cost(settings["method"], self.n_labels, self.n_trials),
            )
            for settings in self._all_settings()
        ]

    def network(self, index: int) -> tuple[PopularitySimilarityNetwork, Array]:
        """Grow a network of the experiment anew, and embed it."""
        return grow_and_embed(
            self.n_nodes,
            self.mean_degree,
            self.exponent,
            self.temperature,
            self.disc_radius,
            self.x_min,
            derive_seed(self.seed, "network", index),
        )

    def labels(self, network: int, size_range: int, repetition: int) -> NDArray[np.intp]:
        """Draw the labels of a data set anew."""
        return draw_labels(
            self._settings(network, size_range, repetition, PAPER[0]), self.network(network)[0]
        )

    def _all_settings(self) -> list[dict[str, Any]]:
        return [
            self._settings(network, size_range, repetition, method)
            for network in range(self.n_networks)
            for size_range in range(len(self.size_ranges))
            for repetition in range(self.n_repetitions)
            for method in self.methods
        ]

    def _settings(
        self, network: int, size_range: int, repetition: int, method: str
    ) -> dict[str, Any]:
        low, high = self.size_ranges[size_range]
        return {
            "dataset": f"evolving-{network + 1:02d}-{low}-{high}-{repetition + 1}",
            "network": network + 1,
            "size_range": [low, high],
            "graph": [self.n_nodes, self.mean_degree, self.exponent, self.temperature],
            "labne": [self.disc_radius, self.x_min],
            "graph_seed": derive_seed(self.seed, "network", network),
            "n_labels": self.n_labels,
            "probability": self.probability,
            "n_trials": self.n_trials,
            "method": method,
            "seed": derive_seed(self.seed, "labels", network, low, high, repetition),
        }

    def rows(self, store: PieceStore) -> list[dict[str, Any]]:
        """Return every score, with what it belongs to."""
        return [
            {
                "experiment": self.name,
                "dataset": piece.settings["dataset"],
                "network": piece.settings["network"],
                "size_range": "{}-{}".format(*piece.settings["size_range"]),
                "features": "LaBNE",
                **record,
            }
            for piece in self.pieces()
            for record in store.obtain(piece)["records"]
        ]


@lru_cache(maxsize=4)
def grow_and_embed(
    n_nodes: int,
    mean_degree: float,
    exponent: float,
    temperature: float,
    disc_radius: float,
    x_min: int,
    seed: int,
) -> tuple[PopularitySimilarityNetwork, Array]:
    """Grow a network and embed it by LaBNE; rows of the embedding are nodes in order of birth."""
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
    network, points = grow_and_embed(*settings["graph"], *settings["labne"], settings["graph_seed"])
    return run_trials(
        settings["method"],
        points,
        draw_labels(settings, network),
        n_trials=settings["n_trials"],
        seed=settings["seed"],
    )
