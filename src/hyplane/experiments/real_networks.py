"""The paper's third experiment: real networks, embedded in hyperbolic and Euclidean space."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Self

import numpy as np

from hyplane._codec import decode_array, encode_array
from hyplane.datasets import load_football, load_karate, load_polblogs, load_polbooks
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram
from hyplane.evaluation.methods import METHODS
from hyplane.experiments._trials import expected_cost, run_trials
from hyplane.experiments.experiment import Experiment, Summary
from hyplane.experiments.figures import BLUE, ORANGE, Figure, draw_figure
from hyplane.experiments.paper import Finding
from hyplane.experiments.pieces import Piece, PieceStore, derive_seed
from hyplane.experiments.reading import (
    compared,
    listed,
    number,
    outcome_of,
    outcome_sentence,
    p_equals,
    verdict,
)
from hyplane.experiments.summaries import Frame, compare_all, find_tests, score_table, select
from hyplane.experiments.tables import SCORE_TITLES, Table, is_highest, spread, tests_table

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
_SCORE = "macro_aupr"


@dataclass(frozen=True, kw_only=True)
class RealNetworks(Experiment):
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
    methods : tuple of str
        On the hyperbolic embedding; DeepWalk's vectors go to the Euclidean SVM.

    Examples
    --------
    >>> RealNetworks().quick().networks
    ('karate', 'polbooks')
    """

    networks: tuple[str, ...] = tuple(NETWORKS)
    corpora: tuple[str, ...] = tuple(CORPORA)
    dimensions: tuple[int, ...] = (2, 5, 10, 25)
    n_embeddings: int = 5

    name = "real"
    title = "Real networks"
    requires = ("gensim", "networkx")
    finding = Finding(
        "the hyperbolic SVM ranks better than the Euclidean SVM on hyperbolic embeddings of real "
        "networks"
    )

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(
            self, networks=("karate", "polbooks"), dimensions=(2, 10), n_embeddings=2, n_trials=2
        )

    def pieces(self) -> list[Piece]:
        """Return the embeddings, and one piece for each method on each."""
        embeddings: dict[str, Piece] = {}
        evaluations = []
        for network, number_, embedding in self._embeddings():
            piece = embedding_piece(embedding)
            embeddings[piece.key] = piece
            features = _features(embedding)
            methods = self.methods if features == "hyperbolic" else ("euclidean",)
            labels = {
                "dataset": f"{network}-{number_ + 1}",
                "network": network,
                "corpus": embedding["corpus"],
                "features": features,
            }
            for method in methods:
                settings = {
                    "embedding": embedding,
                    "method": method,
                    "n_trials": self.n_trials,
                    "seed": derive_seed(self.seed, "real", network, number_),
                }
                name = f"{labels['dataset']} {features} {embedding['corpus']} {method}"
                cost = expected_cost(method, _CLASSES[network], self.n_trials)
                evaluations.append(Piece(name, run, settings, labels, cost))
        return [*embeddings.values(), *evaluations]

    def _embeddings(self) -> Iterator[tuple[str, int, dict[str, Any]]]:
        numbers = range(self.n_embeddings)
        for network, number_, corpus in product(self.networks, numbers, self.corpora):
            for dimension in (None, *self.dimensions):
                kind = "hyperbolic" if dimension is None else "deepwalk"
                n_walks, walk_length = CORPORA[corpus]
                seed = derive_seed(self.seed, network, number_, corpus, kind, dimension or 2)
                yield (
                    network,
                    number_,
                    {
                        "network": network,
                        "corpus": corpus,
                        "kind": kind,
                        "n_components": dimension or 2,
                        "n_walks": n_walks,
                        "walk_length": walk_length,
                        "epochs": _EPOCHS.get((network, corpus), 5) if dimension is None else 5,
                        "seed": seed,
                    },
                )

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up each network, corpus, embedding and method."""
        same = select(frame, features="hyperbolic")
        tests = []
        for corpus in self.corpora:
            part = select(same, corpus=corpus)
            over = f"{corpus} corpus, all embeddings"
            tests += compare_all(part, over=over, corpus=corpus, network="all")
            for network in self.networks:
                own = select(part, network=network)
                over = f"{corpus} corpus, {network}"
                tests += compare_all(own, over=over, corpus=corpus, network=network)
        by = ["network", "corpus", "features", "method"]
        return {
            "table": score_table(frame, by, over_trials=True),
            "tests": tests,
            "headline": tests[0],
        }

    def outcome(self, summary: Summary) -> str:
        """Say how the finding shows on the first corpus; single networks have to agree."""
        shown, others = self._networks_that_show_it(summary)
        pooled = outcome_of(summary["headline"])
        if not others and pooled == "reproduced":
            return pooled
        return "partly reproduced" if shown or pooled == "reproduced" else "not reproduced"

    def _networks_that_show_it(self, summary: Summary) -> tuple[list[str], list[str]]:
        tests = [
            self.main_test(summary, network=network, corpus=self.corpora[0])
            for network in self.networks
        ]
        shown = [test["network"] for test in tests if verdict(test) == "first"]
        return shown, [network for network in self.networks if network not in shown]

    def reading(self, summary: Summary) -> list[str]:
        """Say what was found on each corpus."""
        where = ""
        if summary["outcome"] == "partly reproduced":
            shown, others = self._networks_that_show_it(summary)
            where = f": on {listed(shown) or 'no single network'}, not on {listed(others)}"
        sentences = [outcome_sentence(self.finding, summary["outcome"], where)]
        for corpus in self.corpora:
            pooled = self.main_test(summary, network="all", corpus=corpus)
            sentences.append(compared(pooled, f"On the {corpus} corpus, over all embeddings"))
            sentences.append(self._by_network(summary, corpus))
            sentences.append(self._against_deepwalk(summary, corpus))
        if len(self.corpora) > 1:
            sentences.append(self._corpus_effect(summary))
        return sentences

    def _by_network(self, summary: Summary, corpus: str) -> str:
        tests = find_tests(summary["tests"], score=_SCORE, corpus=corpus)
        parts = [
            f"{test['network']} {number(test['difference'])} "
            + ("(equal throughout)" if test["ties"] == test["n"] else f"({_p(test)})")
            for test in tests
            if test["network"] != "all"
        ]
        return (
            f"Hyperbolic minus Euclidean SVM on the same {corpus}-corpus embeddings, "
            f"{self.n_embeddings} a network: {', '.join(parts)}."
        )

    def _against_deepwalk(self, summary: Summary, corpus: str) -> str:
        parts = []
        for network in self.networks:
            rows = _rows(summary, network=network, corpus=corpus)
            [ours] = [_mean(row) for row in rows if _is_hyperbolic(row)]
            best = max((row for row in rows if row["features"] != "hyperbolic"), key=_mean)
            word = "above" if ours > _mean(best) else "below"
            if number(ours) == number(_mean(best)):
                word = "level"
            dimension = best["features"].partition("-")[2]
            means = f"{number(ours)} and {number(_mean(best))}, {dimension} dim."
            parts.append(f"{word} on {network} ({means})")
        return (
            f"Against the best DeepWalk dimension of the {corpus} corpus, the hyperbolic SVM in "
            f"two dimensions is {', '.join(parts)}."
        )

    def _corpus_effect(self, summary: Summary) -> str:
        short, long = self.corpora[0], self.corpora[-1]
        ours, walks = (
            {
                corpus: float(np.mean([_mean(r) for r in _rows(summary, corpus=corpus) if of(r)]))
                for corpus in (short, long)
            }
            for of in (_is_hyperbolic, lambda row: row["features"] != "hyperbolic")
        )
        first, last = (ours[corpus] - walks[corpus] for corpus in (short, long))
        holds = ""
        if first > 0 >= last:
            holds = f" The lead on the {short} corpus does not hold on the {long} one."
        elif min(first, last) > 0:
            holds = " The lead holds on both."
        return (
            f"From the {short} to the {long} corpus the mean macro AUPR changes by "
            f"{number(ours[long] - ours[short])} for the hyperbolic SVM and by "
            f"{number(walks[long] - walks[short])} for DeepWalk; the lead of the former over the "
            f"mean of the latter is {number(first)} on the {short} and {number(last)} on the "
            f"{long} corpus.{holds}"
        )

    def tables(self, summary: Summary) -> list[Table]:
        """Return the paper's table by two scores, and the tests."""
        tables = [self._table(summary, score) for score in (_SCORE, "macro_average_precision")]
        return [*tables, tests_table(summary["tests"])]

    def _table(self, summary: Summary, score: str) -> Table:
        body: list[Any] = []
        for corpus in self.corpora:
            n_walks, length = CORPORA[corpus]
            walks = f"{n_walks} walk{'s' * (n_walks > 1)} of {length} nodes from each node"
            body.append(f"{corpus.capitalize()} corpus: {walks}")
            rows = _rows(summary, corpus=corpus)
            for features, method in dict.fromkeys((r["features"], r["method"]) for r in rows):
                cells = [
                    spread(
                        row["scores"][score],
                        best=is_highest(
                            score, row, _rows(summary, corpus=corpus, network=row["network"])
                        ),
                    )
                    for row in rows
                    if (row["features"], row["method"]) == (features, method)
                ]
                body.append([_embedding(features), METHODS[method].title, *cells])
        n = self.n_embeddings * self.n_trials
        title = SCORE_TITLES[score]
        caption = (
            f"{title[0].upper()}{title[1:]}: mean ± standard deviation of {n} scores (embeddings × "
            "trials); the highest of each network and corpus in bold."
        )
        return Table(caption, ["Embedding", "Classifier", *self.networks], body, n_text=2)

    def figures(self, frame: Frame, summary: Summary) -> Sequence[Figure]:
        """Draw the table, one panel per network."""
        return [
            draw_figure(
                "real",
                "Macro AUPR, mean and standard deviation over embeddings and trials. HSVM and "
                "ESVM: hyperbolic and Euclidean SVM on the hyperbolic embedding in two "
                "dimensions; DW: Euclidean SVM on DeepWalk's vectors of that dimension.",
                (2.6 * len(self.networks) + 0.4, 3.4),
                lambda figure: self._panels(figure, summary),
                title="Real networks",
                wide=True,
            )
        ]

    def _panels(self, figure: Any, summary: Summary) -> None:
        axes = np.atleast_1d(figure.subplots(1, len(self.networks), squeeze=True))
        styles = ((ORANGE, "o", -0.13), (BLUE, "s", 0.13))
        for ax, network in zip(axes, self.networks, strict=True):
            columns = list(dict.fromkeys(map(_short_name, _rows(summary, network=network))))
            for corpus, (color, marker, shift) in zip(self.corpora, styles, strict=False):
                rows = _rows(summary, network=network, corpus=corpus)
                ax.errorbar(
                    [columns.index(_short_name(row)) + shift for row in rows],
                    [_mean(row) for row in rows],
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


def _p(test: Any) -> str:
    return p_equals(test["p_value"])


def _rows(summary: Summary, **wanted: Any) -> list[dict[str, Any]]:
    return [
        row for row in summary["table"] if all(row[name] == value for name, value in wanted.items())
    ]


def _mean(row: dict[str, Any]) -> float:
    return float(row["scores"][_SCORE]["mean"])


def _is_hyperbolic(row: dict[str, Any]) -> bool:
    return (row["features"], row["method"]) == ("hyperbolic", "hyperbolic")


def _features(embedding: dict[str, Any]) -> str:
    if embedding["kind"] == "hyperbolic":
        return "hyperbolic"
    return f"deepwalk-{embedding['n_components']}"


def _embedding(features: str) -> str:
    if features == "hyperbolic":
        return "Hyperbolic skip-gram, 2"
    return f"DeepWalk, {features.partition('-')[2]}"


def _short_name(row: dict[str, Any]) -> str:
    if row["features"] != "hyperbolic":
        return "DW " + str(row["features"]).partition("-")[2]
    return {"hyperbolic": "HSVM", "euclidean": "ESVM"}.get(row["method"], str(row["method"]))


def embedding_piece(settings: dict[str, Any]) -> Piece:
    """Make the piece that embeds a network, on which evaluations build."""
    steps = settings["n_walks"] * settings["walk_length"] * settings["epochs"]
    name = f"embedding {settings['network']} {settings['corpus']} {_features(settings)}"
    cost = 0.02 + 3e-6 * steps * _NODES[settings["network"]]
    return Piece(name, embed, settings, cost=cost, stage=0)


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
    # The embedding is nearly always there, since it was begun earlier.
    embedding = store.obtain(embedding_piece(settings["embedding"]))
    return run_trials(
        settings["method"],
        decode_array(embedding["points"]),
        NETWORKS[settings["embedding"]["network"]]().target,
        n_trials=settings["n_trials"],
        seed=settings["seed"],
    )
