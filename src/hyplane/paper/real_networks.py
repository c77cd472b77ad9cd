"""The paper's third experiment: real networks, embedded in hyperbolic and Euclidean space."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from hyplane._utils.typing import Array
from hyplane.datasets import load_football, load_graph, load_karate, load_polblogs, load_polbooks
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram
from hyplane.paper.experiment import Experiment, SummaryDict, authors_data
from hyplane.paper.figures import Figure, panels_figure
from hyplane.paper.narrative import (
    compared,
    interval,
    listed,
    number,
    other_methods,
    outcome_of,
    outcome_sentence,
    verdict,
)
from hyplane.paper.pieces import Piece, PieceStore, Result, derive_seed
from hyplane.paper.published import PAPER, REAL_NETWORKS
from hyplane.paper.summaries import (
    TESTED,
    Frame,
    Group,
    Test,
    compare,
    score_table,
    select,
    title_of,
)
from hyplane.paper.tables import Cell, ReportTable, Rows, score_title, spread, tests_table

NETWORKS = {
    "karate": load_karate,
    "polbooks": load_polbooks,
    "football": load_football,
    "polblogs": load_polblogs,
}
# Differences up to this one may be hidden by the two digits of the paper's table.
TIE = 0.01


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
        Names of the paper's networks, or ``FILE:LABELS`` for one of the user, named after its
        file: see `hyplane.paper.reproduce`.
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

    name = "real"
    title = "Real networks"
    claim = (
        "the hyperbolic SVM matches or exceeds the Euclidean SVM on hyperbolic embeddings of real "
        "networks"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        names = []
        for network in self.networks:
            path, _, labels = network.rpartition(":")
            if network not in NETWORKS and not (path and labels):
                raise ValueError(
                    f"no network {network!r}: there are {', '.join(NETWORKS)}, and one of your own "
                    "is given as FILE:LABELS, where LABELS is an attribute of its nodes or a table "
                    "with their labels."
                )
            names.append(_name_of(network))
            if names[-1] in names[:-1]:
                raise ValueError(f"two networks are called {names[-1]!r}: rename the file of one.")

    @property
    def names(self) -> list[str]:
        """Names of the networks, for tables."""
        return [_name_of(network) for network in self.networks]

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of `CORPORA` that are embedded or read."""
        return ("authors",) if self.data == "authors" else self.corpora

    def quick(self) -> Self:
        """Return a version of a second or two."""
        small = {"networks": ("karate", "polbooks"), "dimensions": (2, 10)}
        return replace(self, **small, n_embeddings=2, n_trials=2)

    def pieces(self) -> list[Piece]:
        """Return the embeddings, and one piece for each method on each."""
        # A class of a large network counts more.
        n_classes = {"karate": 1, "polbooks": 3, "football": 12, "polblogs": 3}
        embeddings, trials = [], []
        for network, index, corpus in product(
            self.networks, range(self.n_embeddings), self.sources
        ):
            name = _name_of(network)
            seed = derive_seed(self.seed, "real", name, index)
            for embedding in self._embeddings(network, index, corpus):
                if "authors" not in embedding:
                    embeddings.append(_embedding_piece(embedding))
                features = _features(embedding)
                dataset = f"{name}-{index + 1}"
                labels = {"dataset": dataset, "network": name, "corpus": corpus}
                trials += self.trials(
                    f"{dataset} {features} {corpus}",
                    {"embedding": embedding, "seed": seed},
                    {**labels, "features": features},
                    n_classes.get(network, 3),
                    None if features == "hyperbolic" else ("euclidean",),
                )
        return embeddings + trials

    def _embeddings(self, network: str, index: int, corpus: str) -> Iterator[dict[str, Any]]:
        """Give the settings of each embedding of a network."""
        how, name = CORPORA[corpus], _name_of(network)
        if corpus == "authors":
            [data] = authors_data("realnet", [f"{name}_{index + 1}"])
            yield {"kind": "hyperbolic", "authors": data}
            return
        # The authors train the smallest network longer on so few walks.
        epochs = 10 if network == "karate" and how.n_walks == 1 else 5
        kinds: list[tuple[str, int, dict[str, Any]]]
        kinds = [("hyperbolic", 2, {"bias": how.bias, "epochs": epochs})]
        kinds += [("deepwalk", n, {"epochs": 5}) for n in self.dimensions if how.deepwalk]
        for kind, n_dim, own in kinds:
            yield {
                "network": name,
                "corpus": corpus,
                "file": {} if network in NETWORKS else _file_settings(network),
                "kind": kind,
                "parameters": {
                    "n_dim": n_dim,
                    **own,
                    "n_walks": how.n_walks,
                    "walk_length": how.walk_length,
                },
                "seed": derive_seed(self.seed, name, index, corpus, kind, n_dim),
            }

    @staticmethod
    def load(settings: Mapping[str, Any], store: PieceStore) -> tuple[Array, NDArray[Any]]:
        """Return an embedding and the classes of its nodes."""
        embedding = settings["embedding"]
        if "authors" in embedding:
            dataset = embedding["authors"].content
            target = dataset.target
            # One column per class, each node in one of them, is the same as a vector of classes.
            single = target.ndim == 2 and (target.sum(axis=1) == 1).all()
            return dataset.data, target.argmax(axis=1) if single else target
        # The embedding is nearly always there, since it was begun earlier.
        points = store.obtain(_embedding_piece(embedding))["points"]
        return np.array(points), _load_network(embedding["network"], **embedding["file"]).target

    def groups(self, frame: Frame) -> list[Group]:
        """For each corpus, the hyperbolic embeddings of all networks and of each."""
        groups = []
        same = select(frame, features="hyperbolic")
        for corpus in self.sources:
            part = select(same, corpus=corpus)
            keys = {"corpus": corpus, "network": "all"}
            groups.append(Group(f"{corpus}, all embeddings", part, keys=keys))
            for name in self.names:
                own, keys = select(part, network=name), {"corpus": corpus, "network": name}
                groups.append(Group(f"{corpus}, {name}", own, keys=keys))
        return groups

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up each network, corpus, embedding and method, and judge each cell."""
        by = ["network", "corpus", "features", "method"]
        return {
            **super().summarize(frame),
            "table": score_table(frame, by, over_trials=True),
            "published_table": [
                {"features": kind[0], "method": kind[1], "scores": scores}
                for kind, scores in REAL_NETWORKS.items()
            ],
            "cells": [
                cell
                for corpus, name in product(self.sources, self.names)
                for cell in find_cells(select(frame, corpus=corpus, network=name))
            ],
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
        if any(agrees):
            return "reproduced" if all(agrees) else "partly reproduced"
        return "not reproduced" if False in agrees else "too small to tell"

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say what was found in each cell of the paper's table, and on each corpus."""
        where = ""
        if summary["outcome"] == "partly reproduced":
            cells = self._cells(summary, self.sources[0], same=True)
            parts = []
            for words, agrees in (("on", True), ("not on", False), ("undecided on", None)):
                names = [cell["network"] for cell in cells if cell["agrees"] is agrees]
                parts += [f"{words} {listed(names)}"] if names else []
            where = f": {', '.join(parts)}"
        sentences = [outcome_sentence(self.claim, None, summary["outcome"], where)]
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
            f"{_published_difference(cell)})"
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
            _cells_table([cell for cell in summary["cells"] if cell["corpus"] == corpus])
            for corpus in self.sources
        ]
        first, second = (self._table(summary, score) for score in TESTED[:2])
        return [first, *judged, second, tests_table(summary["tests"])]

    def _table(self, summary: SummaryDict, score: str) -> ReportTable:
        body: Rows = []
        for corpus in self.sources:
            body.append(CORPORA[corpus].title)
            rows = [row for row in summary["table"] if row["corpus"] == corpus]
            quote = corpus == self.sources[0] and score == TESTED[0]
            for kind in dict.fromkeys((row["features"], row["method"]) for row in rows):
                cells = []
                for row in rows:
                    if (row["features"], row["method"]) == kind:
                        rivals = [each for each in rows if each["network"] == row["network"]]
                        quoted = _published(*kind, row["network"]) if quote else None
                        below = ""
                        if quoted is not None:
                            below = f"paper {number(quoted[0], 2)} ± {number(quoted[1], 2)}"
                        cells.append(spread(score, row, rivals, below))
                body.append([_embedding_title(kind[0]), title_of(kind[1]), *cells])
        n, title = summary["table"][0]["scores"][score]["n"], score_title(score)
        caption = (
            f"{title[0].upper()}{title[1:]}: mean ± standard deviation of {n} scores (embeddings × "
            "trials); the highest of each network and setting in bold."
        )
        return ReportTable(caption, ["Embedding", "Classifier", *self.names], body, n_text=2)

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw the table, one panel per network."""
        caption = (
            "Macro AUPR, mean and standard deviation over embeddings and trials. HSVM and ESVM: "
            "hyperbolic and Euclidean SVM on the hyperbolic embedding in two dimensions, by the "
            "paper's procedure, and ours beside them; DW: Euclidean SVM on DeepWalk's vectors of "
            "that dimension. Grey: the paper's table."
        )
        return [panels_figure("real", caption, summary, self.names)]


def _name_of(network: str) -> str:
    return network if network in NETWORKS else Path(network.rpartition(":")[0]).stem


def _file_settings(network: str) -> dict[str, str]:
    """Return where a network is, and a digest of its content."""
    path, _, labels = network.rpartition(":")
    if not Path(path).is_file():
        raise ValueError(f"no file {path!r} for a network.")
    files = [Path(file) for file in (path, labels) if Path(file).is_file()]
    content = b"".join(file.read_bytes() for file in files)
    return {"path": path, "labels": labels, "sha256": hashlib.sha256(content).hexdigest()}


@lru_cache(maxsize=8)  # every embedding and every method on it asks for its network
def _load_network(name: str, path: str = "", labels: str = "", sha256: str = "") -> Bunch:
    if not path:
        return NETWORKS[name]()
    kind = {"labels": labels} if Path(labels).is_file() else {"label_attribute": labels}
    return load_graph(path, **kind)


def _features(embedding: Mapping[str, Any]) -> str:
    if embedding["kind"] == "hyperbolic":
        return "hyperbolic"
    return f"deepwalk-{embedding['parameters']['n_dim']}"


def _embedding_piece(settings: dict[str, Any]) -> Piece:
    """Make the piece that embeds a network, on which evaluations build."""
    how = settings["parameters"]
    nodes = {"karate": 34, "polbooks": 105, "football": 115, "polblogs": 1224}
    steps = how["n_walks"] * how["walk_length"] * how["epochs"]
    seconds = 4e-6 if settings["kind"] == "hyperbolic" else 8e-7
    name = f"embedding {settings['network']} {settings['corpus']} {_features(settings)}"
    cost = 0.01 + seconds * steps * nodes.get(settings["network"], 1000)
    return Piece(name, embed, settings, cost=cost, stage=0)


def embed(settings: Mapping[str, Any], store: PieceStore) -> Result:
    """Compute an embedding."""
    maker = HyperbolicSkipGram if settings["kind"] == "hyperbolic" else DeepWalk
    embedding = maker(**settings["parameters"], random_state=settings["seed"])
    network = _load_network(settings["network"], **settings["file"])
    return {"points": embedding.fit_transform(network.graph).tolist()}


def find_cells(frame: Frame) -> list[dict[str, Any]]:
    """Compare the hyperbolic SVM with each rival on the embeddings of one network."""
    score, cells = TESTED[0], []
    corpus, network = frame["corpus"].iloc[0], frame["network"].iloc[0]
    ours = select(frame, features="hyperbolic")
    for features in frame["features"].unique():
        theirs = select(frame, features=features)
        test = compare(ours, over=f"{corpus}, {network}, {features}", against=theirs)
        both = [select(ours, method=PAPER[0]), select(theirs, method=PAPER[1])]
        gap = max(float((each[f"{score}_ceiling"] - each[score]).mean()) for each in both)
        quoted = [
            _published("hyperbolic", PAPER[0], network),
            _published(features, PAPER[1], network),
        ]
        difference = None
        if quoted[0] is not None and quoted[1] is not None:
            difference = round(quoted[0][0] - quoted[1][0], 2)
        cells.append(
            {
                "network": network,
                "corpus": corpus,
                "features": features,
                "method": PAPER[1],
                "means": [float(each[score].mean()) for each in both],
                **{key: test[key] for key in ("n", "difference", "low", "high")},
                "published": quoted,
                "published_difference": difference,
                **judge(test, difference, at_ceiling=gap < 0.005),
            }
        )
    return cells


def judge(test: Test, published: float | None, *, at_ceiling: bool) -> dict[str, Any]:
    """Judge a difference of two cells of a row by its interval.

    The paper claims that the hyperbolic SVM matches or exceeds the other: equal numbers in its
    table claim that it is not lower by more than two digits show, others that it is higher.
    ``agrees`` is True or False where the interval decides, else None. At the ceiling both score
    what a perfect ranking scores.

    Examples
    --------
    >>> judge({"low": 0.02, "high": 0.09}, 0.07, at_ceiling=False)
    {'word': 'higher', 'agrees': True}
    >>> judge({"low": -0.02, "high": 0.09}, 0.07, at_ceiling=False)
    {'word': 'not clear', 'agrees': None}
    >>> judge({"low": -0.004, "high": 0.002}, 0.0, at_ceiling=False)
    {'word': 'tie', 'agrees': True}
    >>> judge({"low": -0.014, "high": -0.004}, 0.0, at_ceiling=False)
    {'word': 'lower', 'agrees': None}
    """
    word = verdict(test)
    if at_ceiling:
        word = "tie at the ceiling"
    elif test["low"] >= -TIE and test["high"] <= TIE:
        word = "tie"
    agrees = None
    if published is not None:
        matched = abs(published) < TIE / 2
        if test["low"] >= -TIE if matched else word == "higher":
            agrees = True
        elif test["high"] < -TIE if matched else test["high"] <= TIE:
            agrees = False
    return {"word": word, "agrees": agrees}


def _cells_table(cells: Sequence[Mapping[str, Any]]) -> ReportTable:
    """Return the comparisons on a corpus, one row per rival, one column per network."""
    body: Rows = []
    signs = {True: "yes", False: "no", None: "quiet"}
    for features in dict.fromkeys(cell["features"] for cell in cells):
        same = features == "hyperbolic"
        row: list[Cell | str]
        row = ["Euclidean SVM, same embedding" if same else _embedding_title(features)]
        for cell in cells:
            if cell["features"] == features:
                below = f"{interval(cell)}{_published_difference(cell)}"
                difference = number(cell["difference"])
                row.append(Cell(cell["word"], difference, below, signs[cell["agrees"]]))
        body.append(row)
    caption = (
        f"{CORPORA[cells[0]['corpus']].title}: hyperbolic SVM minus each rival, macro AUPR, with "
        f"the 95 % interval over {cells[0]['n']} embeddings. A tie: the interval lies within "
        f"±{TIE}, which two published digits do not show. Green agrees with the paper (matched "
        "where it has equal numbers, else exceeded), red does not, grey is undecided."
    )
    return ReportTable(caption, ["Rival", *dict.fromkeys(cell["network"] for cell in cells)], body)


def _published(features: str, method: str, network: str) -> tuple[float, float] | None:
    return REAL_NETWORKS.get((features, method), {}).get(network)


def _published_difference(cell: Mapping[str, Any]) -> str:
    quoted = cell["published_difference"]
    return "" if quoted is None else f"; paper {number(quoted, 2)}"


def _embedding_title(features: str) -> str:
    kind, _, dimension = features.partition("-")
    return f"DeepWalk, {dimension}" if kind == "deepwalk" else "Hyperbolic skip-gram, 2"
