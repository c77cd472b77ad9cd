"""What an experiment is: the class that each of the paper's experiments extends."""

import hashlib
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, ArrayLike
from hyplane.datasets import fetch_hyplinear
from hyplane.evaluation import METHODS, evaluate
from hyplane.evaluation.protocol import PROTOCOLS
from hyplane.geometry import check_points
from hyplane.metrics import indicator_matrix
from hyplane.paper.figures import Figure
from hyplane.paper.narrative import (
    compared,
    other_methods,
    other_scores,
    outcome_of,
    outcome_sentence,
)
from hyplane.paper.pieces import (
    Own,
    Piece,
    PieceStore,
    Result,
    derive_seed,
    digest_of,
    source_digest,
)
from hyplane.paper.published import OURS, PAPER
from hyplane.paper.summaries import (
    TESTED,
    Frame,
    Group,
    Test,
    compare_all,
    compare_others,
    find_tests,
    score_table,
)
from hyplane.paper.tables import ReportTable, scores_table, tests_table

SummaryDict = Mapping[str, Any]


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
        for name, known in (("data", ("recipe", "authors")), ("protocol", PROTOCOLS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}; got {getattr(self, name)!r}."
                )
        if self.n_trials < 1:
            raise ValueError(f"n_trials must be at least 1; got {self.n_trials!r}.")
        if not all(0.0 < C < float("inf") for C in self.Cs):
            raise ValueError(f"Cs must be positive and finite; got {', '.join(map(str, self.Cs))}.")

    @staticmethod
    def load(settings: Mapping[str, Any], store: PieceStore) -> tuple[Array, NDArray[Any]]:
        """Return the points and classes of a data set from the settings of its pieces."""
        raise NotImplementedError

    @classmethod
    def run(cls, settings: Mapping[str, Any], store: PieceStore) -> Result:
        """Compute a piece of `trials`: the scores of one method on one data set."""
        return run_trials(settings["trials"], *cls.load(settings, store), seed=settings["seed"])

    def trials(
        self,
        name: str,
        settings: Mapping[str, Any],
        labels: dict[str, Any],
        n_classes: int,
        methods: Sequence[str] | None = None,
    ) -> list[Piece]:
        """Return a piece for each method on one data set, whose settings `load` understands."""
        # Seconds, roughly, for one class or label in one trial.
        seconds = {"euclidean": 0.0025, "euclidean-ours": 0.003, "hyperbolic": 0.007}
        pieces = []
        for method in methods or self.methods:
            own = self.estimators.get(method)
            how = {"method": method, "n_trials": self.n_trials, "protocol": self.protocol}
            trials = {**how, "own": own} if own else {**how, "Cs": list(self.Cs)}
            n_fits = n_classes * self.n_trials * (2 if self.protocol == "twofold" else 1)
            cost = seconds.get(method, 0.012) * n_fits
            full = {**settings, "experiment": self.name, "trials": trials}
            pieces.append(Piece(f"{name} {method}", self.run, full, labels, cost))
        return pieces

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
            ``table``, ``tests`` and ``headline``, the test that the paper's finding is held
            against; what else an experiment adds is for its own methods.
        """
        table: list[dict[str, Any]] = []
        tests: list[dict[str, Any]] = []
        others: list[dict[str, Any]] = []
        for group in self.groups(frame):
            rows = score_table(group.frame)
            table += [{"part": group.title, **group.keys, **row} for row in rows]
            tests += compare_all(group.frame, over=group.over, **group.keys)
            others += compare_others(group.frame, over=group.over, **group.keys)
        return {"table": table, "tests": tests + others, "headline": tests[0]}

    def outcome(self, summary: SummaryDict) -> str:
        """Say how the paper's finding shows.

        Returns
        -------
        outcome : {"reproduced", "partly reproduced", "not reproduced", "too small to tell"}
        """
        return outcome_of(summary["headline"])

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say in sentences what was found, the outcome first."""
        n = summary["n_datasets"]
        where = "On one data set" if n == 1 else f"Over {n} data sets"
        return [
            outcome_sentence(self.claim, self.published_p, summary["outcome"]),
            compared(summary["headline"], where),
            other_scores(summary["tests"], over=summary["headline"]["over"]),
            *other_methods(summary["tests"]),
        ]

    def tables(self, summary: SummaryDict) -> list[ReportTable]:
        """Return the tables of the report."""
        return [scores_table(summary["table"]), tests_table(summary["tests"])]

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw the figures of the report."""
        return ()

    def main_test(self, summary: SummaryDict, **wanted: Any) -> Test:
        """Return the first test of the paper's methods, by its own score, with wanted values."""
        main = {"first": PAPER[0], "second": PAPER[1], "score": TESTED[0]}
        return find_tests(summary["tests"], **main, **wanted)[0]


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
        """One per data set and method."""
        pieces = []
        for name, data in self.datasets.items():
            settings = {"data": data, "seed": derive_seed(self.seed, "own", name)}
            n_classes = 1 if data.content is None else len(np.unique(data.content[1]))
            pieces += self.trials(
                name, settings, {"dataset": name, "features": "points"}, n_classes
            )
        return pieces

    @staticmethod
    def load(settings: Mapping[str, Any], store: PieceStore) -> tuple[Array, NDArray[Any]]:
        """Return the points and labels that the piece brings along."""
        X, y = settings["data"].content
        return X, y

    def outcome(self, summary: SummaryDict) -> str:
        """Say that the paper has no such data."""
        return "not in the paper"

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say how the methods compare."""
        return super().reading(summary)[1:]


def run_trials(trials: Mapping[str, Any], X: Array, y: NDArray[Any], *, seed: int) -> Result:
    """Evaluate one method; the seed alone decides the splits, so they are those of every method.

    Beside the scores a record has ``macro_aupr_ceiling``, what a perfect ranking of its test part
    scores; ``warnings`` are the texts of those raised.
    """
    method = trials["method"]
    if "own" in trials:
        estimator = trials["own"].content
    else:
        estimator = METHODS[method].make(**({"Cs": trials["Cs"]} if trials.get("Cs") else {}))
    how = {"n_trials": trials["n_trials"], "protocol": trials["protocol"], "random_state": seed}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = evaluate({method: estimator}, X, y, **how)
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
    """Check an estimator of the user; the digest is of its class, parameters and file."""
    for needed in ("fit", "predict", "get_params"):
        if not hasattr(estimator, needed):
            raise ValueError(
                f"a method is an estimator, with fit, predict and get_params; got {estimator!r}, "
                f"which has no {needed}."
            )
    if not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")):
        raise ValueError(
            f"{estimator!r} has neither decision_function nor predict_proba, by one of which test "
            "rows are ranked."
        )
    kind = type(estimator)
    parameters = {key: repr(value) for key, value in estimator.get_params().items()}
    digest = digest_of([kind.__module__, kind.__qualname__, source_digest(kind), parameters])
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
    """Check points of the ball and their labels; the digest is of both."""
    points, labels = check_points(X, "ball"), np.asarray(y)
    if len(points) != len(labels):
        raise ValueError(f"there are {len(points)} points and {len(labels)} labels.")
    digest = digest_of([points.tolist(), repr(labels.tolist())])
    return Own(digest[:16], (points, labels), place)


def authors_data(collection: str, names: Sequence[str]) -> list[Own]:
    """Fetch data sets of the authors; the digest is of their content."""
    found = []
    for dataset in fetch_hyplinear(collection, subset=list(names)):
        arrays = [dataset[key] for key in ("data", "target", "edges") if key in dataset]
        content = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
        found.append(Own(hashlib.sha256(content).hexdigest(), dataset))
    return found
