"""The paper's first experiment: mixtures of hyperbolic Gaussians."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.datasets import fetch_hyplinear, make_hyperbolic_gaussians
from hyplane.evaluation import METHODS
from hyplane.paper import narrative
from hyplane.paper.experiment import Experiment, SummaryDict, data_set
from hyplane.paper.figures import Figure, decision_figure, scatter_figure
from hyplane.paper.pieces import Piece, derive_seed
from hyplane.paper.published import PAPER
from hyplane.paper.summaries import TESTED, Frame, Group, select, unit_means


@dataclass(frozen=True, kw_only=True)
class GaussianMixtures(Experiment):
    """The experiment on Gaussian mixtures. The default sizes are the paper's.

    Attributes
    ----------
    n_datasets : int
        Number of mixtures of each law.
    n_classes, n_per_class : int
        Components of a mixture, and points of each.
    laws : tuple of str
        ``"riemannian"``: density proportional to exp(-d² / 2σ²); the spreads below are variances,
        as in the paper's text. ``"wrapped"``: normals of the tangent space, mapped by the
        exponential map; the spreads are standard deviations, as in the authors' files. The paper's
        finding is tested on the first.
    center_spread, spread : float
        Spread of the centres, and of the points around their centre.

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
    claim = (
        "the hyperbolic SVM ranks better than the Euclidean SVM on mixtures of hyperbolic Gaussians"
    )
    published_p = 6.17e-28

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the mixtures come from: laws, or the authors' files."""
        return ("authors",) if self.data == "authors" else self.laws

    def quick(self) -> Self:
        """Return a small version that takes a second or two."""
        return replace(self, n_datasets=8, n_per_class=30, n_trials=2)

    def pieces(self) -> list[Piece]:
        """Return one piece of work for each data set and method."""
        pieces = []
        for source, index in product(self.sources, range(self.n_datasets)):
            X, y, seed = self._mixture(source, index)
            word = _word(source)
            labels = {"dataset": f"{word}-{index + 1:03d}", "part": source, "features": "points"}
            settings = {"data": data_set(X, y), "seed": seed}
            pieces += self.trials(f"{word} {index + 1}", settings, labels, self.n_classes)
        return pieces

    def _mixture(self, source: str, index: int) -> tuple[Array, NDArray[Any], int]:
        """Draw or read points and classes; the seed is also that of the trials."""
        seed = derive_seed(self.seed, _word(source), index)
        if source == "authors":
            [found] = fetch_hyplinear("gaussian", subset=[f"{index + 1:03d}"])
            return found.data, found.target, seed
        # A spread is a variance of the one law and a standard deviation of the other.
        power = 2 if source == "wrapped" else 1
        X, y = make_hyperbolic_gaussians(
            self.n_classes * self.n_per_class,
            n_classes=self.n_classes,
            center_variance=self.center_spread**power,
            variance=self.spread**power,
            law=source,
            random_state=seed,
        )[:2]
        return X, y, seed

    def _title(self, source: str) -> str:
        """Describe a source of mixtures.

        The paper's text gives variances, and its density is that of the Riemannian law. The files
        of its authors are wrapped normals with the same two numbers as standard deviations.
        """
        spreads = f"{self.center_spread:g} and {self.spread:g}"
        return {
            "riemannian": f"Riemannian Gaussians, variances {spreads} (the paper’s wording)",
            "wrapped": f"wrapped normals, standard deviations {spreads} (as in the authors’ files)",
        }.get(source, "the authors’ files")

    def groups(self, frame: Frame) -> list[Group]:
        """Return one group of scores for each source of mixtures."""
        return [
            Group(self._title(source), select(frame, part=source), {"source": source})
            for source in self.sources
        ]

    def reading(self, summary: SummaryDict) -> list[str]:
        """Return the findings as sentences, one for each source."""
        sentences = [narrative.outcome_sentence(self.claim, self.published_p, summary["outcome"])]
        for source in self.sources:
            test = self.main_test(summary, source=source)
            sentences += [
                narrative.compared(test, f"Over {test['n']} mixtures of {self._title(source)}"),
                narrative.other_scores(summary["tests"], source=source),
            ]
        return sentences

    def figures(self, frame: Frame, summary: SummaryDict) -> Sequence[Figure]:
        """Draw figures 2a, 2b and 2c."""
        groups = {source: select(frame, part=source) for source in self.sources}
        caption = (
            f"Macro AUPR of both methods on {summary['n_datasets']} mixtures; bars are one "
            "standard deviation over trials. Above the line the hyperbolic SVM is better."
        )
        figures = [scatter_figure("2a", caption, groups, "Mixtures")]
        source = self.sources[0]
        example = _median_dataset(groups[source])
        X, y, _ = self._mixture(source, example)
        for name, method in zip(("2b", "2c"), PAPER, strict=True):
            caption = (
                f"{METHODS[method].title} fitted to all points of the {source} mixture "
                f"{example + 1}, which has the median difference between the methods. Curves: the "
                "boundary of each class against the rest. Shades: the most probable class."
            )
            figures.append(decision_figure(name, caption, method, X, y, self.seed))
        return figures


def _word(source: str) -> str:
    """Return the word for a source in names and derived seeds."""
    return "gaussian" if source == "riemannian" else source


def _median_dataset(frame: Frame) -> int:
    """Return the number of the data set whose difference between the methods is the median."""
    ours, theirs = (unit_means(select(frame, method=method), TESTED[0]) for method in PAPER)
    difference = (ours - theirs.reindex(ours.index)).to_numpy()
    return int(np.argsort(difference, kind="stable")[(len(difference) - 1) // 2])
