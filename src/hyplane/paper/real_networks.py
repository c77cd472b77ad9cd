"""The paper's third experiment: real networks, embedded in hyperbolic and Euclidean space."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils import Bunch

from hyplane import datasets
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram
from hyplane.paper import narrative, summaries
from hyplane.paper.experiment import Experiment, SummaryDict, data_set, run_trials
from hyplane.paper.figures import Figure, panels_figure
from hyplane.paper.narrative import interval, listed, number
from hyplane.paper.pieces import Own, Piece, PieceStore, Result, derive_seed
from hyplane.paper.published import NETWORKS, PAPER, REAL_NETWORKS
from hyplane.paper.summaries import TESTED, Frame, Group, Test, compare, find, score_table, select
from hyplane.paper.tables import Cell, ReportTable, Rows, paired_table, score_title, spread

# Two digits of the paper's table do not show differences up to this one.
TIE = 0.01


@dataclass(frozen=True)
class Corpus:
    """A way to embed a network: walks from each node, their length, an output bias, DeepWalk."""

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
    "long": Corpus("Our embedding: ten walks of 40 nodes from each node", 10, 40),
    "authors": Corpus("The authors’ embeddings", deepwalk=False),
}


@dataclass(frozen=True, kw_only=True)
class RealNetworks(Experiment):
    """The experiment on real networks. The defaults are the paper's, and our own corpora.

    Attributes
    ----------
    networks : tuple of str
        Names of the paper's networks, or ``FILE:LABELS`` for one of the user, named after its
        file: see `hyplane.paper.reproduce`.
    corpora : tuple of str
        Ways to embed a network. ``"published"``: one walk of 11 nodes from each node and no output
        bias, which gives points like those of the authors' files; ``"biased"``: the same with an
        output bias; ``"long"``: ten walks of 40 nodes, with an output bias. The paper's finding is
        tested on the first.
    dimensions : tuple of int
        Dimensions of DeepWalk's vectors.
    n_embeddings : int
        Number of embeddings of each network, corpus and dimension, from different seeds.
    methods : tuple of str
        Methods on the hyperbolic embedding. The Euclidean SVM alone is run on DeepWalk's vectors.

    Examples
    --------
    >>> RealNetworks().quick().networks
    ('karate', 'polbooks')
    """

    networks: tuple[str, ...] = NETWORKS
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
        for network in self.networks:
            path, _, labels = str(network).rpartition(":")
            if network not in NETWORKS and not (path and labels):
                raise ValueError(
                    f"no network {network!r}: there are {', '.join(NETWORKS)}, and one of your own "
                    "is given as FILE:LABELS, where LABELS is an attribute of its nodes or a table "
                    "with their labels."
                )
        for name in self.names:
            if self.names.count(name) > 1:
                raise ValueError(f"two networks are called {name!r}: rename the file of one.")

    @property
    def names(self) -> list[str]:
        """Names of the networks; the user's are those of their files."""
        return [Path(each.rpartition(":")[0] or each).stem for each in self.networks]

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of `CORPORA` that are embedded or read."""
        return ("authors",) if self.data == "authors" else self.corpora

    def quick(self) -> Self:
        """Return a small version that takes a second or two."""
        small: dict[str, Any] = {"networks": ("karate", "polbooks"), "dimensions": (2, 10)}
        return replace(self, **small, n_embeddings=2, n_trials=2)

    def pieces(self) -> list[Piece]:
        """Return the embeddings, and one piece for each method on each."""
        # A class of a large network counts more.
        n_classes = {"karate": 1, "polbooks": 3, "football": 12, "polblogs": 3}
        embeddings, trials = [], []
        for name, index, corpus in product(self.names, range(self.n_embeddings), self.sources):
            seed = derive_seed(self.seed, "real", name, index)
            labels = {"dataset": f"{name}-{index + 1}", "network": name, "corpus": corpus}
            for features, settings in self._embeddings(name, index, corpus):
                if embedded := "embedding" in settings:
                    embeddings.append(_embedding_piece(settings["embedding"]))
                trials += self.trials(
                    f"{name}-{index + 1} {features} {corpus}",
                    {**settings, "seed": seed},
                    {**labels, "features": features},
                    n_classes.get(name, 3),
                    run_on_embedding if embedded else run_trials,
                    self.methods if features == "hyperbolic" else PAPER[1:],
                )
        return embeddings + trials

    def _embeddings(
        self, name: str, index: int, corpus: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give the name and the settings of each embedding of a network."""
        if corpus == "authors":
            [found] = datasets.fetch_hyplinear("realnet", subset=[f"{name}_{index + 1}"])
            y = found.target
            # One column per class, each node in one of them, is the same as a vector of classes.
            single = y.ndim == 2 and (y.sum(axis=1) == 1).all()
            yield "hyperbolic", {"data": data_set(found.data, y.argmax(axis=1) if single else y)}
            return
        network, how = self.networks[self.names.index(name)], CORPORA[corpus]
        where = {"network": network, "name": name, "corpus": corpus}
        where["sha256"] = "" if network in NETWORKS else _file_digest(network)
        walks = {"n_walks": how.n_walks, "walk_length": how.walk_length}
        # The authors train the smallest network longer on so few walks.
        epochs = 10 if network == "karate" and how.n_walks == 1 else 5
        kinds = {"hyperbolic": {"n_components": 2, "epochs": epochs, "bias": how.bias}}
        for n_dim in self.dimensions if how.deepwalk else ():
            kinds[f"deepwalk-{n_dim}"] = {"n_components": n_dim, "epochs": 5}
        for features, own in kinds.items():
            kind = features.partition("-")[0]
            seed = derive_seed(self.seed, name, index, corpus, kind, own["n_components"])
            embedding = {**where, "features": features, "how": {**walks, **own}, "seed": seed}
            yield features, {"embedding": embedding}

    def groups(self, frame: Frame) -> list[Group]:
        """For each corpus, the hyperbolic embeddings of all networks and of each."""
        groups = []
        for corpus in self.sources:
            part = select(frame, features="hyperbolic", corpus=corpus)
            keys = {"corpus": corpus, "network": "all"}
            groups.append(Group(f"{corpus}, all embeddings", part, keys))
            for name in self.names:
                own, keys = select(part, network=name), {"corpus": corpus, "network": name}
                groups.append(Group(f"{corpus}, {name}", own, keys))
        return groups

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up each network, corpus, embedding and method, and judge each cell."""
        by = ["network", "corpus", "features", "method"]
        summary = super().summarize(frame)
        summary["table"] = score_table(frame, by, over_trials=True)
        summary["published_table"] = [
            {"features": kind[0], "method": kind[1], "scores": scores}
            for kind, scores in REAL_NETWORKS.items()
        ]
        summary["cells"] = []
        for corpus, name in product(self.sources, self.names):
            summary["cells"] += find_cells(select(frame, corpus=corpus, network=name))
        return summary

    def outcome(self, summary: SummaryDict) -> str:
        """Return whether the finding is reproduced on the first corpus, over its networks."""
        cells = find(summary["cells"], corpus=self.sources[0], features="hyperbolic")
        agrees = [cell["agrees"] for cell in cells if cell["published_difference"] is not None]
        if not agrees:  # none of the paper's networks
            return narrative.outcome_of(summary["headline"])
        if any(agrees):
            return "reproduced" if all(agrees) else "partly reproduced"
        return "not reproduced" if False in agrees else "too small to tell"

    def reading(self, summary: SummaryDict) -> list[str]:
        """Return on which networks the finding is reproduced, and the test of each corpus."""
        parts = []
        if summary["outcome"] == "partly reproduced":
            cells = find(summary["cells"], corpus=self.sources[0], features="hyperbolic")
            for words, agrees in (("on", True), ("not on", False), ("undecided on", None)):
                names = [cell["network"] for cell in find(cells, agrees=agrees)]
                parts += [f"{words} {listed(names)}"] if names else []
        where = f": {', '.join(parts)}" if parts else ""
        sentences = [narrative.outcome_sentence(self.claim, None, summary["outcome"], where)]
        for corpus in self.sources:
            pooled = self.main_test(summary, network="all", corpus=corpus)
            title = f"{CORPORA[corpus].title}. Over all embeddings"
            sentences.append(narrative.compared(pooled, title))
        return sentences

    def tables(self, summary: SummaryDict) -> list[ReportTable]:
        """Return the paper's table beside ours, the judgement of its cells, and the tests."""
        judged = [_cells_table(find(summary["cells"], corpus=corpus)) for corpus in self.sources]
        first, second = (self._table(summary["table"], score) for score in TESTED[:2])
        return [first, *judged, second, paired_table(summary["tests"])]

    def _table(self, table: Sequence[Mapping[str, Any]], score: str) -> ReportTable:
        body: Rows = []
        for corpus in self.sources:
            body.append(CORPORA[corpus].title)
            rows = find(table, corpus=corpus)
            quote = corpus == self.sources[0] and score == TESTED[0]
            for features, method in dict.fromkeys((row["features"], row["method"]) for row in rows):
                cells: list[Cell | str] = [_embedding_title(features), summaries.title_of(method)]
                for row in find(rows, features=features, method=method):
                    quoted = REAL_NETWORKS.get((features, method), {}).get(row["network"])
                    below = "paper {:.2f} ± {:.2f}".format(*quoted) if quote and quoted else ""
                    cells.append(spread(score, row, find(rows, network=row["network"]), below))
                body.append(cells)
        n, title = table[0]["scores"][score]["n"], score_title(score)
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
            "paper's procedure and by ours. DW: Euclidean SVM on DeepWalk's vectors of that "
            "dimension. Grey: the paper's table."
        )
        return [panels_figure("real", caption, summary, self.names)]


def _file_digest(network: str) -> str:
    path, _, labels = network.rpartition(":")
    if not Path(path).is_file():
        raise ValueError(f"no file {path!r} for a network.")
    files = [Path(file) for file in (path, labels) if Path(file).is_file()]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@lru_cache(maxsize=8)  # every embedding and every method on it asks for its network
def _load_network(network: str, sha256: str) -> Bunch:
    if network in NETWORKS:
        return getattr(datasets, f"load_{network}")()
    path, _, labels = network.rpartition(":")
    return datasets.load_graph(path, labels=labels)


def _embedding_piece(settings: dict[str, Any]) -> Piece:
    """Return the piece that embeds a network, on which evaluations build."""
    how, features = settings["how"], settings["features"]
    nodes = {"karate": 34, "polbooks": 105, "football": 115}.get(settings["name"], 1200)
    steps = nodes * how["n_walks"] * how["walk_length"] * how["epochs"]
    cost = 0.01 + (3e-6 if features == "hyperbolic" else 6e-7) * steps  # seconds, roughly
    name = f"embedding {settings['name']} {settings['corpus']} {features}"
    return Piece(name, embed, settings, cost=cost, stage=0)


def embed(settings: Mapping[str, Any], store: PieceStore) -> Result:
    """Compute an embedding."""
    kind = HyperbolicSkipGram if settings["features"] == "hyperbolic" else DeepWalk
    network = _load_network(settings["network"], settings["sha256"])
    embedding = kind(**settings["how"], random_state=settings["seed"])
    return {"points": embedding.fit_transform(network.graph).tolist()}


def embedded(settings: Mapping[str, Any], store: PieceStore) -> Own:
    """Return the points of an embedding, which is computed if it is missing, and their labels."""
    embedding = settings["embedding"]
    points = np.array(store.obtain(_embedding_piece(embedding))["points"])
    return Own("", (points, _load_network(embedding["network"], embedding["sha256"]).target))


def run_on_embedding(settings: Mapping[str, Any], store: PieceStore) -> Result:
    """Evaluate one method on an embedding."""
    return run_trials({**settings, "data": embedded(settings, store)}, store)


def find_cells(frame: Frame) -> list[dict[str, Any]]:
    """Compare the hyperbolic SVM with each rival on the embeddings of one network."""
    score, cells = TESTED[0], []
    ours = select(frame, features="hyperbolic")
    for features in frame["features"].unique():
        theirs = select(frame, features=features)
        keys = {key: frame[key].iloc[0] for key in ("network", "corpus")}
        test = compare(ours, over=features, against=theirs, features=features, **keys)
        both = [select(ours, method=PAPER[0]), select(theirs, method=PAPER[1])]
        gap = max((each[f"{score}_ceiling"] - each[score]).mean() for each in both)
        kinds = (("hyperbolic", PAPER[0]), (features, PAPER[1]))
        quoted = [REAL_NETWORKS.get(kind, {}).get(keys["network"]) for kind in kinds]
        first, second = quoted
        difference = round(first[0] - second[0], 2) if first and second else None
        means = [float(each[score].mean()) for each in both]
        judgement = judge(test, difference, at_ceiling=bool(gap < 0.005))
        quotes = {"published": quoted, "published_difference": difference}
        cells.append({**test, "means": means, **quotes, **judgement})
    return cells


def judge(test: Test, published: float | None, *, at_ceiling: bool) -> dict[str, Any]:
    """Judge a difference of two cells of a row by its interval.

    The paper claims that the hyperbolic SVM matches or exceeds the other. Where the two numbers in
    its table are equal, the claim is that the hyperbolic SVM is not lower by more than `TIE`, and
    elsewhere that it is higher. ``agrees`` is None where the interval does not decide. At the
    ceiling both methods score as high as a perfect ranking.

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
    word = narrative.verdict(test)
    if at_ceiling:
        word = "tie at the ceiling"
    elif test["low"] >= -TIE and test["high"] <= TIE:
        word = "tie"
    holds = fails = False
    if published is not None and abs(published) < TIE / 2:
        holds, fails = test["low"] >= -TIE, test["high"] < -TIE
    elif published is not None:
        holds, fails = word == "higher", test["high"] <= TIE
    return {"word": word, "agrees": True if holds else False if fails else None}


def _cells_table(cells: Sequence[Mapping[str, Any]]) -> ReportTable:
    """Return the comparisons on a corpus, one row per rival, one column per network."""
    body: Rows = []
    signs = {True: "yes", False: "no", None: "quiet"}
    for features in dict.fromkeys(cell["features"] for cell in cells):
        same = features == "hyperbolic"
        title = "Euclidean SVM, same embedding" if same else _embedding_title(features)
        row: list[Cell | str] = [title]
        for cell in find(cells, features=features):
            quoted, below = cell["published_difference"], interval(cell)
            below += "" if quoted is None else f"; paper {number(quoted, 2)}"
            difference = number(cell["difference"])
            row.append(Cell(cell["word"], difference, below, signs[cell["agrees"]]))
        body.append(row)
    caption = (
        f"{CORPORA[cells[0]['corpus']].title}: hyperbolic SVM minus each rival, macro AUPR, with "
        f"the 95 % interval over {cells[0]['n']} embeddings. A tie: the interval lies within "
        f"±{TIE}, less than the two published digits show. Green: agrees with the paper (a tie or "
        "higher where its numbers are equal, else higher). Red: disagrees. Grey: undecided."
    )
    return ReportTable(caption, ["Rival", *dict.fromkeys(cell["network"] for cell in cells)], body)


def _embedding_title(features: str) -> str:
    kind, _, dimension = features.partition("-")
    return f"DeepWalk, {dimension}" if kind == "deepwalk" else "Hyperbolic skip-gram, 2"
