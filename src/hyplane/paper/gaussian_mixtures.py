"""The paper's first experiment: mixtures of hyperbolic Gaussians."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import METHODS
from hyplane.paper._authors import authors_dataset, authors_settings
from hyplane.paper._trials import expected_cost, run_trials
from hyplane.paper.experiment import Experiment, SummaryDict
from hyplane.paper.figures import Figure, draw_figure, scatter_methods, typical_dataset
from hyplane.paper.paper import PAPER, Finding
from hyplane.paper.pieces import Piece, PieceStore, derive_seed
from hyplane.paper.reading import (
    compared,
    other_methods,
    other_scores,
    outcome_sentence,
)
from hyplane.paper.summaries import (
    Frame,
    compare_all,
    compare_others,
    score_table,
    select,
)

# Where the mixtures come from, in words. The paper's text gives variances, and its density is that
# of the Riemannian law; the files of its authors are wrapped normals with the same two numbers as
# standard deviations.
SOURCES = {
    "riemannian": "Riemannian Gaussians, variances {} and {} (the paper’s wording)",
    "wrapped": "wrapped normals, standard deviations {} and {} (as in the authors’ files)",
    "authors": "the authors’ files",
}
# Of the derived seeds, and of the names of data sets.
_WORDS = {"riemannian": "gaussian", "wrapped": "wrapped", "authors": "authors"}


@dataclass(frozen=True, kw_only=True)
class GaussianMixtures(Experiment):
    """Sizes of the experiment; the defaults are the paper's.

    Attributes
    ----------
    n_datasets : int
        Number of mixtures of each law.
    n_classes, n_per_class : int
        Components of a mixture, and points of each.
    laws : tuple of str
        ``"riemannian"``: density proportional to exp(-d² / 2σ²), with the spreads below for
        variances, as the paper words it. ``"wrapped"``: normals in the tangent space carried over
        by the exponential map, with the spreads for standard deviations, as in the files of the
        authors. The paper's finding is held against the first.
    center_spread, spread : float
        Of the law that the centres are drawn from, and of the points around them.

    Examples
    --------
    >>> experiment = GaussianMixtures().quick()
    >>> experiment.pieces()[0].name
    'gaussian 1 hyperbolic'
    """

    n_datasets: int = 100
    n_classes: int = 4
    n_per_class: int = 100
    laws: tuple[str, ...] = ("riemannian", "wrapped")
    center_spread: float = 1.5
    spread: float = 1.0

    name = "gaussian"
    title = "Gaussian mixtures"
    finding = Finding(
        "the hyperbolic SVM ranks better than the Euclidean SVM on mixtures of hyperbolic "
        "Gaussians",
        6.17e-28,
    )

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the mixtures come from: names of `SOURCES`."""
        return ("authors",) if self.data == "authors" else self.laws

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(self, n_datasets=8, n_per_class=30, n_trials=2)

    def pieces(self) -> list[Piece]:
        """One per data set and method."""
        pieces = []
        for source in self.sources:
            word = _WORDS[source]
            for index, dataset in enumerate(self._datasets(source)):
                labels = {
                    "dataset": f"{word}-{index + 1:03d}",
                    "part": source,
                    "features": "points",
                }
                for method in self.methods:
                    trials = self.trials(method)
                    settings = {**dataset, "trials": trials}
                    cost = expected_cost(trials, self.n_classes)
                    pieces.append(
                        Piece(f"{word} {index + 1} {method}", run, settings, labels, cost)
                    )
        return pieces

    def _datasets(self, source: str) -> list[dict[str, Any]]:
        """Return the settings of all mixtures of a source."""
        indices = range(self.n_datasets)
        seeds = [{"seed": derive_seed(self.seed, _WORDS[source], index)} for index in indices]
        if source == "authors":
            found = authors_settings("gaussian", [f"{index + 1:03d}" for index in indices])
            return [
                {"authors": each, **seed} for each, seed in zip(found.values(), seeds, strict=True)
            ]
        # A spread is a variance of the one law and a standard deviation of the other.
        power = 2 if source == "wrapped" else 1
        mixture = {
            "n_samples": self.n_classes * self.n_per_class,
            "n_classes": self.n_classes,
            "center_variance": self.center_spread**power,
            "variance": self.spread**power,
            "law": source,
        }
        return [{"mixture": mixture, **seed} for seed in seeds]

    def _title(self, source: str) -> str:
        return SOURCES[source].format(f"{self.center_spread:g}", f"{self.spread:g}")

    def summarize(self, frame: Frame) -> dict[str, Any]:
        """Sum up the scores, each source of mixtures for itself."""
        table: list[dict[str, Any]] = []
        tests: list[dict[str, Any]] = []
        others: list[dict[str, Any]] = []
        for source in self.sources:
            own = select(frame, part=source)
            title = self._title(source)
            heading = title[0].upper() + title[1:]
            table += [
                {"part": heading, "source": source, **r} for r in score_table(own, ["method"])
            ]
            tests += compare_all(own, over=title, source=source)
            others += compare_others(own, over=title, source=source)
        return {"table": table, "tests": tests + others, "headline": tests[0]}

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say what was found, source by source."""
        sentences = [outcome_sentence(self.finding, summary["outcome"])]
        for source in self.sources:
            test = self.main_test(summary, source=source)
            sentences += [
                compared(test, f"Over {test['n']} mixtures of {self._title(source)}"),
                other_scores(summary["tests"], source=source),
            ]
        return sentences + other_methods(summary["tests"])

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw figures 2a, 2b and 2c."""
        first = select(frame, part=self.sources[0])
        example = int(typical_dataset(first).rpartition("-")[2])
        X, y = points_and_classes(self._datasets(self.sources[0])[example - 1])
        groups = {source: select(frame, part=source) for source in self.sources}
        figures = [
            draw_figure(
                "2a",
                f"Macro AUPR of both methods on {summary['n_datasets']} mixtures; bars are one "
                "standard deviation over trials. Above the line the hyperbolic SVM is better.",
                (4.6, 4.4),
                lambda figure: scatter_methods(
                    figure, groups, legend="Mixtures" if len(groups) > 1 else None
                ),
            )
        ]
        figures += [
            draw_figure(
                f"2{letter}",
                f"{METHODS[method].title} fitted to all points of mixture {example} of the "
                f"{self.sources[0]} ones, that with the median difference between the methods. "
                "Curves: the boundary of each class against the rest; shades: the most probable "
                "class.",
                (4.4, 4.8),
                self._decision(method, X, y),
            )
            for letter, method in zip("bc", PAPER, strict=True)
        ]
        return figures

    def _decision(self, method: str, X: Array, y: NDArray[Any]) -> Callable[[Any], None]:
        names = [f"class {number + 1}" for number in range(len(np.unique(y)))]

        def draw_decision(figure: Any) -> None:
            display = import_module("hyplane.plotting").PoincareDisplay
            fitted = METHODS[method].make().set_params(random_state=self.seed).fit(X, y)
            shown = _Lines(fitted) if hasattr(fitted, "intercept_") else fitted
            ax = figure.add_subplot()
            display.from_estimator(shown, X, y, ax=ax, class_names=names, resolution=640)

        return draw_decision


class _Lines:
    """The Euclidean SVM as its lines, one per class, beside what it predicts.

    To the display, probabilities of several classes mean that they are compared as by a softmax,
    where single lines say nothing. These are fitted one against the rest, like the hyperbolic ones.
    """

    def __init__(self, fitted: Any) -> None:
        self.classes_, self.coef_ = fitted.classes_, fitted.coef_
        self.intercept_ = fitted.intercept_
        self.predict, self.decision_function = fitted.predict, fitted.decision_function


def points_and_classes(settings: dict[str, Any]) -> tuple[Array, NDArray[Any]]:
    """Draw or read the points and classes of a data set."""
    if "authors" in settings:
        dataset = authors_dataset(settings["authors"])
        return dataset.data, dataset.target
    X, y = make_hyperbolic_gaussians(**settings["mixture"], random_state=settings["seed"])[:2]
    return X, y


def run(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute a piece."""
    return run_trials(settings["trials"], *points_and_classes(settings), seed=settings["seed"])
