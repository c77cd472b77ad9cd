"""What an experiment is: the class that each of the paper's experiments extends."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from hyplane.evaluation.protocol import PROTOCOLS
from hyplane.paper._trials import OwnMethod
from hyplane.paper.figures import Figure
from hyplane.paper.paper import OURS, PAPER, Finding
from hyplane.paper.pieces import Piece, PieceStore
from hyplane.paper.reading import (
    compared,
    other_methods,
    other_scores,
    outcome_of,
    outcome_sentence,
)
from hyplane.paper.summaries import (
    TESTED,
    Frame,
    compare_all,
    compare_others,
    find_test,
    score_table,
)
from hyplane.paper.tables import ReportTable, scores_table, tests_table

SummaryDict = Mapping[str, Any]
DATA = ("recipe", "authors")


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """Sizes of an experiment, as fields, and all that is particular to it, as methods.

    A new experiment says of which pieces it consists and what its small version is. The rest has
    defaults that serve any comparison of the paper's two methods over data sets; an experiment
    that has more to say overrides them.

    Attributes
    ----------
    n_trials : int
        Hold-outs on each data set.
    methods : tuple of str
        Names of `hyplane.evaluation.METHODS`; by default the paper's two, and our two beside them.
    data : {"recipe", "authors"}
        Data drawn anew by the paper's recipe, or the files that its authors published, as
        `hyplane.datasets.fetch_hyplinear` gives them.
    protocol : {"holdout", "twofold"}
        Whether one half of each trial is tested, or both in turn.
    seed : int
        Everything random is derived from it.
    Cs : tuple of float
        The grid that C is chosen from; empty for the paper's.
    estimators : dict
        Methods of one's own by name, as `hyplane.paper.reproduce` takes them.

    Examples
    --------
    >>> from hyplane.paper import GaussianMixtures
    >>> issubclass(GaussianMixtures, Experiment), GaussianMixtures().n_trials
    (True, 5)
    """

    n_trials: int = 5
    methods: tuple[str, ...] = (*PAPER, *OURS)
    data: str = "recipe"
    protocol: str = "holdout"
    seed: int = 0
    Cs: tuple[float, ...] = ()
    estimators: Mapping[str, OwnMethod] = field(default_factory=dict)

    name: ClassVar[str]
    title: ClassVar[str]
    finding: ClassVar[Finding]
    requires: ClassVar[tuple[str, ...]] = ()
    of_the_paper: ClassVar[bool] = True

    @abstractmethod
    def quick(self) -> Self:
        """Return a version that takes a second or two."""

    def on_networks(self, networks: Sequence[str]) -> Self:
        """Return the experiment with these networks, if it has any to choose."""
        return self

    @abstractmethod
    def pieces(self) -> list[Piece]:
        """Return all pieces of work."""

    def __post_init__(self) -> None:
        for name, known in (("data", DATA), ("protocol", PROTOCOLS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}; got {getattr(self, name)!r}."
                )
        if self.n_trials < 1:
            raise ValueError(f"n_trials must be at least 1; got {self.n_trials!r}.")
        if not all(0.0 < C < float("inf") for C in self.Cs):
            raise ValueError(f"Cs must be positive and finite; got {', '.join(map(str, self.Cs))}.")

    def trials(self, method: str) -> dict[str, Any]:
        """Return the settings of the trials of a method."""
        trials = {"method": method, "n_trials": self.n_trials, "protocol": self.protocol}
        if method in self.estimators:
            return {**trials, "own": self.estimators[method]}
        return {**trials, "Cs": list(self.Cs)} if self.Cs else trials

    def rows(self, store: PieceStore) -> list[dict[str, Any]]:
        """Return every raw score, with what it belongs to."""
        return [
            {"experiment": self.name, **piece.labels, **record}
            for piece in self.pieces()
            for record in store.obtain(piece).get("records", ())
        ]

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up the raw scores.

        Parameters
        ----------
        frame : DataFrame
            Of `rows`.

        Returns
        -------
        summary : dict
            ``table``, ``tests`` and ``headline``, the test that the paper's finding is held
            against; what else an experiment adds is for its own methods.
        """
        tests = compare_all(frame, over="all data sets") + compare_others(frame)
        return {"table": score_table(frame, ["method"]), "tests": tests, "headline": tests[0]}

    def outcome(self, summary: SummaryDict) -> str:
        """Say how the paper's finding shows.

        Returns
        -------
        outcome : {"reproduced", "partly reproduced", "not reproduced", "too small to tell"}
        """
        return outcome_of(summary["headline"])

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say in sentences what was found, the outcome first."""
        return [
            outcome_sentence(self.finding, summary["outcome"]),
            compared(summary["headline"], f"Over {summary['n_datasets']} data sets"),
            other_scores(summary["tests"], over=summary["headline"]["over"]),
            *other_methods(summary["tests"]),
        ]

    def tables(self, summary: SummaryDict) -> list[ReportTable]:
        """Return the tables of the report."""
        return [scores_table(summary["table"]), tests_table(summary["tests"])]

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw the figures of the report."""
        return ()

    def main_test(self, summary: SummaryDict, **wanted: Any) -> Mapping[str, Any]:
        """Return the first test of the paper's methods, by its own score, with wanted values."""
        wanted = {"first": PAPER[0], "second": PAPER[1], "score": TESTED[0], **wanted}
        return find_test(summary["tests"], **wanted)
