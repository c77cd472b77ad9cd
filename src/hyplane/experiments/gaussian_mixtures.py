"""The paper's first experiment: mixtures of hyperbolic Gaussians."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation.methods import PAPER
from hyplane.experiments._trials import expected_cost, run_trials
from hyplane.experiments.pieces import Piece, PieceStore, derive_seed


@dataclass(frozen=True)
class GaussianMixtures:
    """Sizes of the experiment; the defaults are the paper's.

    Attributes
    ----------
    n_datasets : int
        Number of mixtures.
    n_classes, n_per_class : int
        Components of a mixture, and points of each.
    center_variance, variance : float
        Of the law that the centres are drawn from, and of the points around them.
    n_trials : int
        Hold-outs on each data set.
    methods : tuple of str
    seed : int

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
    n_trials: int = 5
    methods: tuple[str, ...] = PAPER
    seed: int = 0

    name = "gaussian"
    title = "Gaussian mixtures"

    def quick(self) -> Self:
        """Return a version of a second or two."""
        return replace(self, n_datasets=8, n_per_class=30, n_trials=2)

    def pieces(self) -> list[Piece]:
        """One per data set and method."""
        return [
            Piece(
                f"gaussian {index + 1} {method}",
                run,
                self._settings(index, method),
                cost=expected_cost(method, self.n_classes, self.n_trials),
            )
            for index in range(self.n_datasets)
            for method in self.methods
        ]

    def dataset(self, index: int) -> tuple[Array, NDArray[np.intp]]:
        """Draw a data set anew: the same as in the experiment."""
        return draw(self._settings(index, PAPER[0]))

    def _settings(self, index: int, method: str) -> dict[str, Any]:
        return {
            "dataset": f"gaussian-{index + 1:03d}",
            "n_classes": self.n_classes,
            "n_per_class": self.n_per_class,
            "center_variance": self.center_variance,
            "variance": self.variance,
            "n_trials": self.n_trials,
            "method": method,
            "seed": derive_seed(self.seed, "gaussian", index),
        }

    def rows(self, store: PieceStore) -> list[dict[str, Any]]:
        """Return every score, with what it belongs to."""
        return [
            {
                "experiment": self.name,
                "dataset": piece.settings["dataset"],
                "features": "points",
                **record,
            }
            for piece in self.pieces()
            for record in store.obtain(piece)["records"]
        ]


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
