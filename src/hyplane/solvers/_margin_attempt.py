"""The hard margin seen from one origin."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.geometry.maps import Recentering
from hyplane.geometry.numerics import arsinh_exp, log_cosh
from hyplane.solvers._margin_search import MarginSearch
from hyplane.solvers._slices import Slices

_NAMED_ROWS = 10
_TINY = 1e-300
OUT_OF_REACH = (
    "double precision cannot hold a hyperplane between the classes: the points that it would pass "
    "between are too far out. Use a finite C (the soft margin), for instance C=1."
)


class PolarPoints(NamedTuple):
    """Radii, unit directions, and labels 1 or -1."""

    radius: Array
    direction: Array
    labels: Array


@dataclass
class Attempt:
    """The search from one origin; lengths of w are in units of ``exp(log_unit)``, t in ``unit``."""

    points: PolarPoints
    view: Recentering
    log_unit: float
    unit: float
    limit: float  # no margin is larger: half the distance of two points of different classes
    start: tuple[float, Array | None, float] | None = None

    @classmethod
    def between(cls, points: PolarPoints, pair: NDArray[np.int64], apart: float) -> Self:
        """Put the origin half way between two points of different classes."""
        view = Recentering.between(points.radius[pair], points.direction[pair])
        _, log_time = view.klein(points.radius[pair], points.direction[pair])
        half = 0.5 * apart
        return cls(points, view, float(log_time.max()), float(np.tanh(half)), half)

    @classmethod
    def at_origin(cls, points: PolarPoints, apart: float) -> Self:
        """Leave the origin where it is."""
        view = Recentering(0.0, np.eye(points.direction.shape[1])[0])
        return cls(points, view, float(log_cosh(points.radius).min()), 1.0, 0.5 * apart)

    def run(self, tol: float, max_iter: int) -> str | None:
        """Search; return what is wrong where no hyperplane is found."""
        labels = self.points.labels
        klein, log_time = self.view.klein(self.points.radius, self.points.direction)
        self.log_unit = min(self.log_unit, float(log_time.min()) + 50.0)  # no square overflows
        edge = np.maximum(np.exp(self.log_unit - log_time), _TINY)
        slices = Slices(-labels[:, None] * klein, edge, labels, log_time)
        if self.start is None:
            size = 1.0
            for _ in range(2):  # the guard against rounding depends on the size of v
                found = slices.separating(self.unit, size)
                if found.status == "infeasible":
                    return _not_separable(labels, found.active[found.multipliers > 0.0])
                v = found.point[1:]
                size = 2.0 * float(np.sqrt(v @ v))
            self.start = self.unit * float(found.point[0]), v, size
        self.search = MarginSearch(slices)
        self.search.run(*self.start, tol, max_iter)
        if not np.isfinite(self.search.best):
            return OUT_OF_REACH
        self.support, self.multipliers = self.search.multipliers(self.unit)
        return None

    def hyperplane(self) -> tuple[float, Array]:
        """Return offset and normal of the best hyperplane, seen from the points' own origin."""
        t, v = self.search.t, self.search.v
        length = float(np.sqrt(v @ v))
        return self.view.hyperplane_back(float(np.arctanh(t / length)), v / length)

    def centred(self) -> "Attempt":
        """Move the origin to the mean of the support, and measure w in its own length."""
        search = self.search
        klein = -self.points.labels[self.support, None] * search.slices.rows[self.support]
        mean = self.multipliers @ klein / self.multipliers.sum()
        scale = np.sqrt(2.0 * search.best)
        t = float((search.t - mean @ search.v) / scale / np.sqrt(max(1.0 - mean @ mean, 1e-16)))
        log_unit = self.log_unit - float(np.log(scale))
        unit = float(np.tanh(arsinh_exp(np.asarray(log_unit))))
        start = (t, None, 2.0 * float(np.hypot(1.0, t)))
        view = self.view.moved_to(mean)
        return Attempt(self.points, view, log_unit, unit, self.limit, start)


def _not_separable(signs: Array, rows: NDArray[np.int64]) -> str:
    names = []
    for sign in (1.0, -1.0):
        part = np.sort(rows[signs[rows] == sign])
        more = ", …" if len(part) > _NAMED_ROWS else ""
        names.append(", ".join(str(row) for row in part[:_NAMED_ROWS]) + more)
    return (
        "the classes are not separable by a hyperplane, to double precision: the convex hull of "
        f"rows {names[0]} (label 1) meets that of rows {names[1]} (label -1). Use a finite C (the "
        "soft margin), for instance C=1."
    )
