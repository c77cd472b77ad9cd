"""The paper's first experiment: mixtures of hyperbolic Gaussians."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation.methods import METHODS, PAPER
from hyplane.experiments._trials import expected_cost, run_trials
from hyplane.experiments.experiment import Experiment, Summary
from hyplane.experiments.figures import Figure, draw_figure, scatter_methods, typical_dataset
from hyplane.experiments.paper import Finding
from hyplane.experiments.pieces import Piece, PieceStore, derive_seed
from hyplane.experiments.summaries import Frame


@dataclass(frozen=True, kw_only=True)
class GaussianMixtures(Experiment):
    """Sizes of the experiment; the defaults are the paper's.

    Attributes
    ----------
    n_datasets : int
        Number of mixtures.
    n_classes, n_per_class : int
        Components of a mixture, and points of each.
    center_variance, variance : float
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
    center_variance: float = 1.5
    variance: float = 1.0

    name = "gaussian"
    title = "Gaussian mixtures"
    finding = Finding(
        "the hyperbolic SVM ranks better than the Euclidean SVM on mixtures of hyperbolic "
        "Gaussians",
        6.17e-28,
    )

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(self, n_datasets=8, n_per_class=30, n_trials=2)

    def pieces(self) -> list[Piece]:
        """One per data set and method."""
        return [
            Piece(
                f"gaussian {index + 1} {method}",
                run,
                {**self._settings(index), "method": method},
                labels={"dataset": f"gaussian-{index + 1:03d}", "features": "points"},
                cost=expected_cost(method, self.n_classes, self.n_trials),
            )
            for index in range(self.n_datasets)
            for method in self.methods
        ]

    def _settings(self, index: int) -> dict[str, Any]:
        return {
            "n_classes": self.n_classes,
            "n_per_class": self.n_per_class,
            "center_variance": self.center_variance,
            "variance": self.variance,
            "n_trials": self.n_trials,
            "seed": derive_seed(self.seed, "gaussian", index),
        }

    def figures(self, frame: Frame, summary: Summary) -> Sequence[Figure]:
        """Figures 2a, 2b and 2c."""
        example = int(typical_dataset(frame).rpartition("-")[2])
        X, y = draw(self._settings(example - 1))
        figures = [
            draw_figure(
                "2a",
                f"Macro AUPR of both methods on {summary['n_datasets']} mixtures; bars are one "
                "standard deviation over trials. Above the line the hyperbolic SVM is better.",
                (4.6, 4.4),
                lambda figure: scatter_methods(figure, {"": frame}),
            )
        ]
        figures += [
            draw_figure(
                f"2{letter}",
                f"{METHODS[method].title} fitted to all points of mixture {example}, the one "
                "with the median difference between the methods. Curves: the boundary of each "
                "class against the rest; shades: the most probable class.",
                (4.4, 4.8),
                self._decision(method, X, y),
            )
            for letter, method in zip("bc", PAPER, strict=True)
        ]
        return figures

    def _decision(self, method: str, X: Array, y: NDArray[np.intp]) -> Callable[[Any], None]:
        names = [f"class {label + 1}" for label in range(self.n_classes)]

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


def draw(settings: dict[str, Any]) -> tuple[Array, NDArray[np.intp]]:
    """Draw the points and classes of a data set."""
    X, y = make_hyperbolic_gaussians(
        settings["n_classes"] * settings["n_per_class"],
        n_classes=settings["n_classes"],
        center_variance=settings["center_variance"],
        variance=settings["variance"],
        random_state=settings["seed"],
    )[:2]
    return X, y


def run(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute a piece."""
    X, y = draw(settings)
    return run_trials(
        settings["method"], X, y, n_trials=settings["n_trials"], seed=settings["seed"]
    )
