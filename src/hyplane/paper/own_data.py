"""An experiment on data sets of one's own: the same methods, trials and tests as in the paper's."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry import check_points
from hyplane.paper._trials import expected_cost, run_trials
from hyplane.paper.experiment import Experiment, SummaryDict
from hyplane.paper.paper import Finding
from hyplane.paper.pieces import Piece, PieceStore, derive_seed
from hyplane.paper.reading import compared, other_methods, other_scores


class OwnPoints(str):
    """A digest of points and labels, which carries them along.

    Examples
    --------
    >>> data = OwnPoints.of([[0.1, 0.2], [0.3, 0.0]], ["a", "b"])
    >>> data == OwnPoints.of([[0.1, 0.2], [0.3, 0.0]], ["b", "a"]), data.points.shape
    (False, (2, 2))
    """

    points: Array
    labels: NDArray[Any]
    place: str = ""  # the file they were read from, for those who read it again

    @classmethod
    def of(cls, X: ArrayLike, y: ArrayLike, place: str = "") -> "OwnPoints":
        """Check and wrap points of the ball and their labels."""
        points, labels = check_points(X, "ball"), np.asarray(y)
        if len(points) != len(labels):
            raise ValueError(f"there are {len(points)} points and {len(labels)} labels.")
        content = hashlib.sha256(np.ascontiguousarray(points).tobytes())
        content.update(repr(labels.tolist()).encode())
        made = cls(content.hexdigest()[:16])
        made.points, made.labels, made.place = points, labels, place
        return made

    @property
    def n_problems(self) -> int:
        """Classes or labels, roughly: what the cost of a fit grows with."""
        if not hasattr(self, "labels"):
            return 1
        return len(np.unique(self.labels)) if self.labels.ndim == 1 else self.labels.shape[1]


@dataclass(frozen=True, kw_only=True)
class OwnData(Experiment):
    """Sizes of the experiment.

    Attributes
    ----------
    datasets : dict of str to OwnPoints
        Data sets by name.

    Examples
    --------
    >>> data = OwnPoints.of([[0.5, 0.1], [0.6, 0.0], [-0.5, 0.2], [-0.6, 0.1]], [1, 1, 0, 0])
    >>> [piece.name for piece in OwnData(datasets={"mine": data}).pieces()][:2]
    ['mine hyperbolic', 'mine euclidean']
    """

    datasets: Mapping[str, OwnPoints] = field(default_factory=dict)

    name = "own"
    of_the_paper = False
    title = "Own data"
    finding = Finding("the hyperbolic SVM ranks better than the Euclidean SVM")

    def quick(self) -> Self:
        """Return a version with two trials."""
        return replace(self, n_trials=2)

    def pieces(self) -> list[Piece]:
        """One per data set and method."""
        return [
            Piece(
                f"{name} {method}",
                run,
                {
                    "data": data,
                    "trials": self.trials(method),
                    "seed": derive_seed(self.seed, "own", name),
                },
                {"dataset": name, "features": "points"},
                expected_cost(self.trials(method), data.n_problems),
            )
            for name, data in self.datasets.items()
            for method in self.methods
        ]

    def outcome(self, summary: SummaryDict) -> str:
        """Say that the paper has no such data."""
        return "not in the paper"

    def reading(self, summary: SummaryDict) -> list[str]:
        """Say how the methods compare."""
        n = summary["n_datasets"]
        where = "On your data set" if n == 1 else f"Over {n} data sets of your own"
        return [
            compared(summary["headline"], where),
            other_scores(summary["tests"], over=summary["headline"]["over"]),
            *other_methods(summary["tests"]),
        ]


def run(settings: dict[str, Any], store: PieceStore) -> dict[str, Any]:
    """Compute a piece."""
    data = settings["data"]
    return run_trials(settings["trials"], data.points, data.labels, seed=settings["seed"])
