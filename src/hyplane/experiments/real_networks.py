"""The paper's third experiment: real networks, embedded in hyperbolic and Euclidean space."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from hyplane.datasets import load_football, load_karate, load_polblogs, load_polbooks
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram
from hyplane.evaluation.methods import PAPER
from hyplane.experiments._trials import expected_cost, run_trials
from hyplane.experiments.pieces import (
    Piece,
    PieceStore,
    decode_array,
    derive_seed,
    encode_array,
)

NETWORKS = {
    "karate": load_karate,
    "polbooks": load_polbooks,
    "football": load_football,
    "polblogs": load_polblogs,
}
# Walks from each node and nodes in a walk: the published corpus, and DeepWalk's usual one.
CORPORA = {"short": (1, 10), "long": (10, 40)}
# The authors train this network longer on the short corpus.
_EPOCHS = {("karate", "short"): 10}
_NODES = {"karate": 34, "polbooks": 105, "football": 115, "polblogs": 1224}
_CLASSES = {"karate": 1, "polbooks": 3, "football": 12, "polblogs": 3}  # a large one counts more


@dataclass(frozen=True)
class RealNetworks:
    """Sizes of the experiment; the defaults are the paper's, with the longer corpus beside.

    Attributes
    ----------
    networks : tuple of str
    corpora : tuple of str
        ``"short"``, one walk of 10 nodes from each node, and ``"long"``, ten walks of 40.
    dimensions : tuple of int
        Of DeepWalk's vectors.
    n_embeddings : int
        Embeddings of each network, corpus and dimension, from different seeds.
    n_trials : int
        Hold-outs on each embedding.
    methods : tuple of str
        On the hyperbolic embedding; DeepWalk's vectors go to the Euclidean SVM.
    seed : int

    Examples
    --------
    >>> RealNetworks().quick().networks
    ('karate', 'polbooks')
    """

    networks: tuple[str, ...] = tuple(NETWORKS)
    corpora: tuple[str, ...] = tuple(CORPORA)
    dimensions: tuple[int, ...] = (2, 5, 10, 25)
    n_embeddings: int = 5
    n_trials: int = 5
    methods: tuple[str, ...] = PAPER
    seed: int = 0

    name = "real"
    title = "Real networks"

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(
            self, networks=("karate", "polbooks"), dimensions=(2, 10), n_embeddings=2, n_trials=2
        )

    def pieces(self) -> list[Piece]:
        """Return the embeddings, the longest first, then one piece for each method on each."""
        embeddings = {
            piece.key: piece
            for settings in self._all_settings()
            for piece in [embedding_piece(settings["embedding"])]
        }
        longest_first = sorted(embeddings.values(), key=lambda piece: -piece.cost)
        return longest_first + self._evaluations()

    def _evaluations(self) -> list[Piece]:
        return [
            Piece(
                f"{settings['dataset']} {features_of(settings['embedding'])} "
                f"{settings['embedding']['corpus']} {settings['method']}",
                run,
                settings,
                cost=_cost(settings),
            )
            for settings in self._all_settings()
        ]

    def _all_settings(self) -> Iterator[dict[str, Any]]:
        for network in self.networks:
            for number in range(self.n_embeddings):
                for corpus in self.corpora:
                    for dimension in (None, *self.dimensions):
                        methods = self.methods if dimension is None else ("euclidean",)
                        for method in methods:
                            yield self._settings(network, number, corpus, dimension, method)

    def _settings(
        self, network: str, number: int, corpus: str, dimension: int | None, method: str
    ) -> dict[str, Any]:
        kind = "hyperbolic" if dimension is None else "deepwalk"
        n_walks, walk_length = CORPORA[corpus]
        return {
            "dataset": f"{network}-{number + 1}",
            "embedding": {
                "network": network,
                "corpus": corpus,
                "kind": kind,
                "n_components": dimension or 2,
                "n_walks": n_walks,
                "walk_length": walk_length,
                "epochs": _EPOCHS.get((network, corpus), 5) if dimension is None else 5,
                "seed": derive_seed(self.seed, network, number, corpus, kind, dimension or 2),
            },
            "method": method,
            "n_trials": self.n_trials,
            "seed": derive_seed(self.seed, "real", network, number),
        }

    def rows(self, store: PieceStore) -> list[dict[str, Any]]:
        """Return every score, with what it belongs to."""
        return [
            {
                "experiment": self.name,
                "dataset": piece.settings["dataset"],
                "network": piece.settings["embedding"]["network"],
                "corpus": piece.settings["embedding"]["corpus"],
                "features": features_of(piece.settings["embedding"]),
                **record,
            }
            for piece in self._evaluations()
            for record in store.obtain(piece)["records"]
        ]


def features_of(embedding: dict[str, Any]) -> str:
    """Name an embedding: ``"hyperbolic"``, or ``"deepwalk-"`` and the dimension."""
    if embedding["kind"] == "hyperbolic":
        return "hyperbolic"
    return f"deepwalk-{embedding['n_components']}"


def embedding_piece(settings: dict[str, Any]) -> Piece:
    """Make the piece that embeds a network."""
    steps = settings["n_walks"] * settings["walk_length"] * settings["epochs"]
    name = f"embedding {settings['network']} {settings['corpus']} {features_of(settings)}"
    return Piece(name, embed, settings, cost=0.02 + 3e-6 * steps * _NODES[settings["network"]])


def _cost(settings: dict[str, Any]) -> float:
    n_problems = _CLASSES[settings["embedding"]["network"]]
    return expected_cost(settings["method"], n_problems, settings["n_trials"])


def embed(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute an embedding."""
    maker = HyperbolicSkipGram if settings["kind"] == "hyperbolic" else DeepWalk
    embedding = maker(
        settings["n_components"],
        n_walks=settings["n_walks"],
        walk_length=settings["walk_length"],
        epochs=settings["epochs"],
        random_state=settings["seed"],
    )
    graph = NETWORKS[settings["network"]]().graph
    return {"points": encode_array(embedding.fit_transform(graph))}


def run(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute the trials of a method on an embedding."""
    # The embedding is nearly always there, being earlier in the queue.
    embedding = store.obtain(embedding_piece(settings["embedding"]))
    return run_trials(
        settings["method"],
        decode_array(embedding["points"]),
        NETWORKS[settings["embedding"]["network"]]().target,
        n_trials=settings["n_trials"],
        seed=settings["seed"],
    )
