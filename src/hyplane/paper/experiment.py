"""What an experiment is: the class that each of the paper's experiments extends."""

import hashlib
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, ArrayLike
from hyplane.evaluation import METHODS, evaluate
from hyplane.evaluation.protocol import PROTOCOLS
from hyplane.geometry import check_points
from hyplane.metrics import indicator_matrix
from hyplane.paper import narrative, pieces, summaries, tables
from hyplane.paper.figures import Figure
from hyplane.paper.pieces import Own, Piece, PieceStore, Result, derive_seed
from hyplane.paper.published import OURS, PAPER
from hyplane.paper.summaries import TESTED, Frame, Group, Test, find

SummaryDict = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """Base class of the experiments: sizes are fields, computations and reports are methods.

    A new experiment defines its pieces and its small version. The other methods have defaults for
    any comparison of the paper's two methods over data sets.

    Attributes
    ----------
    n_trials : int
        Hold-outs on each data set.
    methods : tuple of str
        Names of `hyplane.evaluation.METHODS`; by default the paper's two, and our two beside them.
    data : {"recipe", "authors"}
        Data drawn by the paper's recipe, or the files that its authors published, as
        `hyplane.datasets.fetch_hyplinear` returns them.
    protocol : {"holdout", "twofold"}
        Whether one half of each trial is tested, or both in turn.
    seed : int
        Seed that all others are derived from.
    Cs : tuple of float
        Values of C to choose from; empty for those of each method.
    estimators : dict
        The user's own methods by name, as `hyplane.paper.reproduce` takes them.

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
    estimators: Mapping[str, Own] = field(default_factory=dict)

    name: ClassVar[str]
    title: ClassVar[str]
    claim: ClassVar[str]  # the paper's finding, in our words
    published_p: ClassVar[float | None] = None  # of its one-sided paired t-test over data sets

    @abstractmethod
    def quick(self) -> Self:
        """Return a version that takes a second or two."""

    @abstractmethod
    def pieces(self) -> list[Piece]:
        """Return all pieces of work."""

    def __post_init__(self) -> None:
        data, grid = ("recipe", "authors"), (0.0 < C < float("inf") for C in self.Cs)
        for name, valid, words in (
            ("data", self.data in data, f"one of {', '.join(data)}"),
            ("protocol", self.protocol in PROTOCOLS, f"one of {', '.join(PROTOCOLS)}"),
            ("seed", type(self.seed) is int and self.seed >= 0, "an integer of at least 0"),
            ("n_trials", self.n_trials >= 1, "at least 1"),
            ("Cs", all(grid), "positive and finite"),
        ):
            if not valid:
                raise ValueError(f"{name} must be {words}; got {getattr(self, name)!r}.")

    def trials(
        self,
        name: str,
        settings: Mapping[str, Any],
        labels: Mapping[str, Any],
        n_classes: int,
        function: Callable[..., Result] | None = None,
        methods: Sequence[str] | None = None,
    ) -> list[Piece]:
        """Return a piece for each method on one data set, by `run_trials` or another function."""
        n_fits = n_classes * self.n_trials * (2 if self.protocol == "twofold" else 1)
        # Seconds, roughly, for one class or label in one trial.
        seconds = {"euclidean": 0.0025, "euclidean-ours": 0.003, "hyperbolic": 0.012}
        how = {"n_trials": self.n_trials, "protocol": self.protocol, "Cs": self.Cs}
        return [
            Piece(
                f"{name} {method}",
                function or run_trials,
                {**settings, **how, "method": method, "own": self.estimators.get(method)},
                labels,
                seconds.get(method, 0.02) * n_fits,
            )
            for method in methods or self.methods
        ]

    def groups(self, frame: Frame) -> list[Group]:
        """Return the groups of raw scores that are summed up and tested."""
        return [Group("all data sets", frame)]

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up the raw scores.

        Parameters
        ----------
        frame : DataFrame
            One row per trial.

        Returns
        -------
        summary : dict
            ``table``, ``tests``, and ``headline``, the test that decides whether the paper's
            finding is reproduced.
        """
        groups = self.groups(frame)
        table = [
            {"part": tables.title_of_data(group.over), **group.keys, **row}
            for group in groups
            for row in summaries.score_table(group.frame)
        ]
        tests = [
            test
            for compare in (summaries.compare_paper, summaries.compare_others)
            for group in groups
            for test in compare(group.frame, over=group.over, **group.keys)
        ]
        return {"table": table, "tests": tests, "headline": tests[0]}

    def outcome(self, summary: SummaryDict) -> str:
        """Return whether the paper's finding is reproduced.

        Returns
        -------
        outcome : {"reproduced", "partly reproduced", "not reproduced", "too small to tell"}
        """
        return narrative.outcome_of(summary["headline"])

    def reading(self, summary: SummaryDict) -> list[str]:
        """Return the findings as sentences, the outcome first."""
        n = summary["n_datasets"]
        where = "On one data set" if n == 1 else f"Over {n} data sets"
        return [
            narrative.outcome_sentence(self.claim, self.published_p, summary["outcome"]),
            narrative.compared(summary["headline"], where),
            narrative.other_scores(summary["tests"], over=summary["headline"]["over"]),
        ]

    def tables(self, summary: SummaryDict) -> list[tables.ReportTable]:
        """Return the tables of the report."""
        return [tables.scores_table(summary["table"]), tables.paired_table(summary["tests"])]

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw the figures of the report."""
        return ()

    def main_test(self, summary: SummaryDict, **wanted: Any) -> Test:
        """Return the first test of the paper's methods, by its own score, with wanted values."""
        main = {"first": PAPER[0], "second": PAPER[1], "score": TESTED[0]}
        return find(summary["tests"], **main, **wanted)[0]


@dataclass(frozen=True, kw_only=True)
class OwnData(Experiment):
    """The same comparison on data sets of the user, as `hyplane.paper.reproduce` takes them.

    Attributes
    ----------
    datasets : dict
        Data sets by name.

    Examples
    --------
    >>> OwnData().quick().n_trials
    2
    """

    datasets: Mapping[str, Own] = field(default_factory=dict)

    name = "own"
    title = "Own data"
    claim = "the hyperbolic SVM ranks better than the Euclidean SVM"

    def quick(self) -> Self:
        """Return a version with two trials."""
        return replace(self, n_trials=2)

    def pieces(self) -> list[Piece]:
        """Return one piece of work for each data set and method."""
        found = []
        for name, data in self.datasets.items():
            settings = {"data": data, "seed": derive_seed(self.seed, "own", name)}
            n_classes = len(np.unique(data.content[1]))
            found += self.trials(name, settings, {"dataset": name, "features": "points"}, n_classes)
        return found

    def outcome(self, summary: SummaryDict) -> str:
        """Return that the paper has no such data."""
        return "not in the paper"

    def reading(self, summary: SummaryDict) -> list[str]:
        """Return how the methods compare, in sentences."""
        return super().reading(summary)[1:]


def run_trials(settings: Mapping[str, Any], store: PieceStore) -> Result:
    """Evaluate one method. The splits depend on the seed only, so all methods get the same.

    Each record has the scores and ``macro_aupr_ceiling``, the score of a perfect ranking of its
    test rows; ``warnings`` are the messages of the warnings raised.
    """
    X, y = settings["data"].content
    method, own = settings["method"], settings.get("own")
    grid = {"Cs": settings["Cs"]} if settings.get("Cs") else {}
    estimator = own.content if own else METHODS[method].make(**grid)
    how = {key: settings[key] for key in ("n_trials", "protocol")}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = evaluate({method: estimator}, X, y, **how, random_state=settings["seed"])
    records = [
        {**record, "macro_aupr_ceiling": ceiling(y, trial.test)}
        for record, trial in zip(found.records, found.trials, strict=True)
    ]
    return {"records": records, "warnings": sorted({str(each.message) for each in caught})}


def ceiling(y: NDArray[Any], test: NDArray[np.int64]) -> float:
    """Return the macro AUPR of a perfect ranking of some rows, which is below 1.

    Examples
    --------
    >>> ceiling(np.array([0, 0, 1, 1, 1, 1]), np.arange(6))
    0.75
    """
    truth = y[test]
    if y.ndim == 1:
        classes = np.unique(y)
        truth = indicator_matrix(truth, classes)[:, 1 if len(classes) == 2 else 0 :]
    count = truth.sum(axis=0)
    count = count[(count > 0) & (count < len(truth))]
    # The trapezoids of P positive rows before all others begin at the recall 1/P.
    return float(np.mean(1.0 - 1.0 / count))


def own_method(estimator: Any, place: str = "") -> Own:
    """Check an estimator of the user. Its digest covers class, parameters and source file."""
    ranks = hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")
    if not (ranks and all(hasattr(estimator, key) for key in ("fit", "predict", "get_params"))):
        raise ValueError(
            "a method is an estimator with fit, predict, get_params, and decision_function or "
            f"predict_proba to rank test rows by; got {estimator!r}."
        )
    kind = type(estimator)
    parameters = {key: repr(value) for key, value in estimator.get_params().items()}
    digest = pieces.digest_of(
        [kind.__qualname__, pieces.source_digest(kind.__module__), parameters]
    )
    return Own(f"{kind.__name__} {digest[:16]}", estimator, place)


def imported_method(place: str) -> Own:
    """Import an estimator, or a class or function that makes one, from ``module:object``."""
    module, _, name = place.partition(":")
    if str(Path.cwd()) not in sys.path:  # as python -m does it
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"no method {place!r}: {error}.") from error
    is_estimator = hasattr(found, "fit") and not isinstance(found, type)
    return own_method(found if is_estimator or not callable(found) else found(), place)


def own_points(X: ArrayLike, y: ArrayLike, place: str = "") -> Own:
    """Check points of the ball and their labels."""
    points, labels = check_points(X, "ball"), np.asarray(y)
    if len(points) != len(labels):
        raise ValueError(f"there are {len(points)} points and {len(labels)} labels.")
    return data_set(points, labels, place)


def data_set(X: Array, y: NDArray[Any], place: str = "") -> Own:
    """Return points and labels with a digest of both."""
    content = hashlib.sha256(np.ascontiguousarray(X).tobytes() + repr(y.tolist()).encode())
    return Own(content.hexdigest()[:16], (X, y), place)
