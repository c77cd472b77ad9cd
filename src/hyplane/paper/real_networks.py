"""The paper's third experiment: real networks, embedded in hyperbolic and Euclidean space."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Self

from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram
from hyplane.model_files.codec import decode_array, encode_array
from hyplane.paper._authors import authors_dataset, authors_settings
from hyplane.paper._cells import (
    cells_table,
    embedding_title,
    find_cells,
    published_below,
    published_difference,
)
from hyplane.paper._networks import NETWORKS, file_settings, load_network, name_networks
from hyplane.paper._panels import draw_panels
from hyplane.paper._trials import expected_cost, run_trials, title_of
from hyplane.paper.experiment import Experiment, SummaryDict
from hyplane.paper.figures import Figure, draw_figure
from hyplane.paper.paper import REAL_NETWORKS, Finding
from hyplane.paper.pieces import Piece, PieceStore, derive_seed
from hyplane.paper.reading import (
    compared,
    interval,
    listed,
    number,
    other_methods,
    outcome_of,
    outcome_sentence,
)
from hyplane.paper.summaries import (
    Frame,
    compare_all,
    compare_others,
    score_table,
    select,
)
from hyplane.paper.tables import SCORE_TITLES, ReportTable, is_highest, spread, tests_table

_NODES = {"karate": 34, "polbooks": 105, "football": 115, "polblogs": 1224}
_CLASSES = {"karate": 1, "polbooks": 3, "football": 12, "polblogs": 3}  # a large one counts more
_SCORE = "macro_aupr"


@dataclass(frozen=True)
class Corpus:
    """A way to embed a network.

    Attributes
    ----------
    title : str
    n_walks, walk_length : int
        Walks from each node, and nodes in a walk.
    bias : bool
        Whether the hyperbolic skip-gram has an output bias.
    deepwalk : bool
        Whether to embed by DeepWalk too, from walks of the same kind.
    """

    title: str
    n_walks: int = 1
    walk_length: int = 11
    bias: bool = True
    deepwalk: bool = True


CORPORA = {
    "published": Corpus(
        "Published setting: one walk of 11 nodes from each node, no output bias", bias=False
    ),
    "biased": Corpus("Our embedding: such walks, skip-gram with an output bias", deepwalk=False),
    "long": Corpus(
        "Our embedding: ten walks of 40 nodes from each node", n_walks=10, walk_length=40
    ),
    "authors": Corpus("The authors’ embeddings", deepwalk=False),
}


@dataclass(frozen=True, kw_only=True)
class RealNetworks(Experiment):
    """Sizes of the experiment; the defaults are the paper's, with our settings beside.

    Attributes
    ----------
    networks : tuple of str
        Names of the paper's networks, or of ``files``.
    files : dict
        Networks of one's own by name, as ``FILE:LABELS``: see
        `hyplane.paper.reproduce`.
    corpora : tuple of str
        Ways to embed a network. ``"published"``: one walk of 11 nodes from each node and no output
        bias, which gives points like those of the authors' files; ``"biased"``: the same with an
        output bias; ``"long"``: ten walks of 40 nodes, with it. The paper's finding is held
        against the first.
    dimensions : tuple of int
        Of DeepWalk's vectors.
    n_embeddings : int
        Embeddings of each network, corpus and dimension, from different seeds.
    methods : tuple of str
        On the hyperbolic embedding; DeepWalk's vectors go to the Euclidean SVM.

    Examples
    --------
    >>> RealNetworks().quick().networks
    ('karate', 'polbooks')
    """

    networks: tuple[str, ...] = tuple(NETWORKS)
    corpora: tuple[str, ...] = ("published", "biased", "long")
    dimensions: tuple[int, ...] = (2, 5, 10, 25)
    n_embeddings: int = 5
    files: Mapping[str, str] = field(default_factory=dict)

    name = "real"
    title = "Real networks"
    requires = ("networkx",)
    finding = Finding(
        "the hyperbolic SVM matches or exceeds the Euclidean SVM on hyperbolic embeddings of real "
        "networks"
    )

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of `CORPORA` that are embedded or read."""
        return ("authors",) if self.data == "authors" else self.corpora

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(
            self, networks=("karate", "polbooks"), dimensions=(2, 10), n_embeddings=2, n_trials=2
        )

    def on_networks(self, networks: Sequence[str]) -> Self:
        """Return the experiment with networks by name or path."""
        names, files = name_networks(networks)
        return replace(self, networks=names, files=files)

    def pieces(self) -> list[Piece]:
        """Return the embeddings, and one piece for each method on each."""
        embeddings, evaluations = [], []
        for network, index, corpus, embedding in self._embeddings():
            if "authors" not in embedding:
                embeddings.append(embedding_piece(embedding))
            features = _features(embedding)
            labels = {
                "dataset": f"{network}-{index + 1}",
                "network": network,
                "corpus": corpus,
                "features": features,
            }
            for method in self.methods if features == "hyperbolic" else ("euclidean",):
                trials = self.trials(method)
                settings = {
                    "embedding": embedding,
                    "trials": trials,
                    "seed": derive_seed(self.seed, "real", network, index),
                }
                name = f"{labels['dataset']} {features} {corpus} {method}"
                cost = expected_cost(trials, _CLASSES.get(network, 3))
                evaluations.append(Piece(name, run, settings, labels, cost))
        return embeddings + evaluations

    def _embeddings(self) -> Iterator[tuple[str, int, str, dict[str, Any]]]:
        """Give network, number, corpus and settings of each embedding."""
        for where in product(self.networks, range(self.n_embeddings), self.sources):
            for settings in self._embeddings_of(*where):
                yield *where, settings

    def _embeddings_of(self, network: str, index: int, corpus: str) -> Iterator[dict[str, Any]]:
        if corpus == "authors":
            name = f"{network}_{index + 1}"
            found = authors_settings("realnet", [name])[name]
            yield {"kind": "hyperbolic", "authors": found}
            return
        how = CORPORA[corpus]
        where: dict[str, Any] = {"network": network, "corpus": corpus}
        if network in self.files:
            where["file"] = file_settings(self.files[network])
        # The authors train the smallest network longer on so few walks.
        epochs = 10 if network == "karate" and how.n_walks == 1 else 5
        kinds: list[tuple[str, int, dict[str, Any]]] = [
            ("hyperbolic", 2, {"bias": how.bias, "epochs": epochs})
        ]
        kinds += [("deepwalk", n, {"epochs": 5}) for n in self.dimensions if how.deepwalk]
        for kind, n_dim, own in kinds:
            walks = {"n_walks": how.n_walks, "walk_length": how.walk_length}
            seed = derive_seed(self.seed, network, index, corpus, kind, n_dim)
            parameters = {"n_dim": n_dim, **own, **walks}
            yield {**where, "kind": kind, "parameters": parameters, "seed": seed}

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up each network, corpus, embedding and method, and judge each cell."""
        same = select(frame, features="hyperbolic")
        tests, others, cells = [], [], []
        for corpus in self.sources:
            part = select(same, corpus=corpus)
            over = f"{corpus}, all embeddings"
            tests += compare_all(part, over=over, corpus=corpus, network="all")
            others += compare_others(part, over=over, corpus=corpus, network="all")
            for network in self.networks:
                own, over = select(part, network=network), f"{corpus}, {network}"
                tests += compare_all(own, over=over, corpus=corpus, network=network)
                others += compare_others(own, over=over, corpus=corpus, network=network)
            own = select(frame, corpus=corpus)
            kinds = list(dict.fromkeys(zip(own["features"], own["method"], strict=True)))
            rivals = [kind for kind in kinds if kind[1] == "euclidean"]
            cells += find_cells(frame, corpus, self.networks, rivals, _SCORE)
        by = ["network", "corpus", "features", "method"]
        return {
            "table": score_table(frame, by, over_trials=True),
            "published_table": [
                {"features": kind[0], "method": kind[1], "scores": scores}
                for kind, scores in REAL_NETWORKS.items()
            ],
            "cells": cells,
            "tests": tests + others,
            "headline": tests[0],
        }

    def _cells(self, summary: SummaryDict, corpus: str, *, same: bool) -> list[dict[str, Any]]:
        return [
            cell
            for cell in summary["cells"]
            if cell["corpus"] == corpus and (cell["features"] == "hyperbolic") == same
        ]

    def outcome(self, summary: SummaryDict) -> str:
        """Say how the finding shows on the first corpus, network by network."""
        cells = self._cells(summary, self.sources[0], same=True)
        agrees = [cell["agrees"] for cell in cells if cell["published_difference"] is not None]
        if not agrees:  # none of the paper's networks
            return outcome_of(summary["headline"])
        if all(agrees):
            return "reproduced"
        if any(agrees):
            return "partly reproduced"
        return "not reproduced" if False in agrees else "too small to tell"

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say what was found in each cell of the paper's table, and on each corpus."""
        where = ""
        first = self.sources[0]
        if summary["outcome"] == "partly reproduced":
            groups = {
                words: [
                    cell["network"]
                    for cell in self._cells(summary, first, same=True)
                    if cell["agrees"] is agrees
                ]
                for words, agrees in (("on", True), ("not on", False), ("undecided on", None))
            }
            parts = [f"{words} {listed(names)}" for words, names in groups.items() if names]
            where = f": {', '.join(parts)}"
        sentences = [outcome_sentence(self.finding, summary["outcome"], where)]
        for corpus in self.sources:
            pooled = self.main_test(summary, network="all", corpus=corpus)
            sentences.append(compared(pooled, f"{CORPORA[corpus].title}. Over all embeddings"))
            sentences.append(self._by_network(summary, corpus))
            if CORPORA[corpus].deepwalk:
                sentences.append(self._against_deepwalk(summary, corpus))
        pooled_tests = [test for test in summary["tests"] if test["network"] == "all"]
        return sentences + other_methods(pooled_tests)

    def _by_network(self, summary: SummaryDict, corpus: str) -> str:
        cells = self._cells(summary, corpus, same=True)
        parts = [
            f"{cell['network']} {number(cell['difference'])}, {interval(cell)} ({cell['word']}"
            f"{published_difference(cell)})"
            for cell in cells
        ]
        return (
            f"Hyperbolic minus Euclidean SVM on the same {cells[0]['n']} embeddings a network, "
            f"with the 95\u00a0% interval: {'; '.join(parts)}."
        )

    def _against_deepwalk(self, summary: SummaryDict, corpus: str) -> str:
        cells = self._cells(summary, corpus, same=False)
        parts = []
        for word in dict.fromkeys(cell["word"] for cell in cells):
            found = [cell for cell in cells if cell["word"] == word]
            names = [f"{cell['network']} {cell['features'].partition('-')[2]}" for cell in found]
            which = "" if word == "higher" else f" ({', '.join(names)})"
            parts.append(f"{word} in {len(found)}{which}")
        return (
            "The hyperbolic SVM in two dimensions against the Euclidean SVM on DeepWalk's vectors "
            f"from walks of the same kind, {len(cells)} cells: {listed(parts)}."
        )

    def tables(self, summary: SummaryDict) -> list[ReportTable]:
        """Return the paper's table beside ours, the judgement of its cells, and the tests."""
        judged = [
            cells_table(
                [cell for cell in summary["cells"] if cell["corpus"] == corpus],
                CORPORA[corpus].title,
            )
            for corpus in self.sources
        ]
        tables = [self._table(summary, score) for score in (_SCORE, "macro_average_precision")]
        return [tables[0], *judged, tables[1], tests_table(summary["tests"])]

    def _table(self, summary: SummaryDict, score: str) -> ReportTable:
        body: list[Any] = []
        for corpus in self.sources:
            body.append(CORPORA[corpus].title)
            rows = [row for row in summary["table"] if row["corpus"] == corpus]
            for kind in dict.fromkeys((row["features"], row["method"]) for row in rows):
                cells = []
                for row in rows:
                    if (row["features"], row["method"]) != kind:
                        continue
                    network = row["network"]
                    rivals = [each for each in rows if each["network"] == network]
                    quote = corpus == self.sources[0] and score == _SCORE
                    below = published_below(*kind, network) if quote else ""
                    best = is_highest(score, row, rivals)
                    cells.append(spread(row["scores"][score], best=best, below=below))
                body.append([embedding_title(kind[0]), title_of(kind[1]), *cells])
        n = summary["table"][0]["scores"][score]["n"]
        title = SCORE_TITLES[score]
        caption = (
            f"{title[0].upper()}{title[1:]}: mean ± standard deviation of {n} scores (embeddings × "
            "trials); the highest of each network and setting in bold."
        )
        return ReportTable(caption, ["Embedding", "Classifier", *self.networks], body, n_text=2)

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw the table, one panel per network."""
        return [
            draw_figure(
                "real",
                "Macro AUPR, mean and standard deviation over embeddings and trials. HSVM and "
                "ESVM: hyperbolic and Euclidean SVM on the hyperbolic embedding in two "
                "dimensions, by the paper's procedure, and ours beside them; DW: Euclidean SVM on "
                "DeepWalk's vectors of that dimension. Grey: the paper's table.",
                (2.6 * len(self.networks) + 0.4, 3.4),
                lambda figure: draw_panels(figure, summary, self.networks, self.sources),
                title="Real networks",
                wide=True,
            )
        ]


def _features(embedding: dict[str, Any]) -> str:
    if embedding["kind"] == "hyperbolic":
        return "hyperbolic"
    return f"deepwalk-{embedding['parameters']['n_dim']}"


def embedding_piece(settings: dict[str, Any]) -> Piece:
    """Make the piece that embeds a network, on which evaluations build."""
    how = settings["parameters"]
    steps = how["n_walks"] * how["walk_length"] * how["epochs"]
    name = f"embedding {settings['network']} {settings['corpus']} {_features(settings)}"
    cost = 0.02 + 3e-6 * steps * _NODES.get(settings["network"], 1000)
    return Piece(name, embed, settings, cost=cost, stage=0)


def embed(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute an embedding."""
    maker = HyperbolicSkipGram if settings["kind"] == "hyperbolic" else DeepWalk
    embedding = maker(**settings["parameters"], random_state=settings["seed"])
    graph = load_network(settings).graph
    return {"points": encode_array(embedding.fit_transform(graph))}


def points_and_classes(embedding: dict[str, Any], store: PieceStore) -> tuple[Array, NDArray[Any]]:
    """Return an embedding and the classes of its nodes."""
    if "authors" in embedding:
        dataset = authors_dataset(embedding["authors"])
        target = dataset.target
        # One column per class, each node in one of them, is the same as a vector of classes.
        single = target.ndim == 2 and (target.sum(axis=1) == 1).all()
        return dataset.data, target.argmax(axis=1) if single else target
    # The embedding is nearly always there, since it was begun earlier.
    points = decode_array(store.obtain(embedding_piece(embedding))["points"])
    return points, load_network(embedding).target


def run(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute the trials of a method on an embedding."""
    X, y = points_and_classes(settings["embedding"], store)
    return run_trials(settings["trials"], X, y, seed=settings["seed"])
