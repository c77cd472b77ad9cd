"""Best-first search over the slices of the hard margin, with a proven bound."""

import heapq
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.optimize import nnls

from hyplane.geometry._types import Array
from hyplane.solvers._slices import EPSILON, Slice, Slices, interval_bound

_EVERY_THIRD = 3
_ON_THE_EDGE = 1e-6


@dataclass
class MarginSearch:
    """Minimise ``½|v|² - ½t²`` over the slices.

    Attributes
    ----------
    t, v : float, ndarray of shape (n,)
        The best hyperplane found, scaled so that it is feasible.
    best : float
        Its objective.
    bound : float
        No feasible hyperplane has an objective below this.
    n_slices, n_steps : int
        Slices solved; passes over the points made for them.
    reason : str
        Why the search stopped.
    """

    slices: Slices
    t: float = 0.0
    v: Array = field(default_factory=lambda: np.empty(0))
    best: float = np.inf
    bound: float = -np.inf
    n_slices: int = 0
    n_steps: int = 0
    reason: str = ""
    _size: float = 1.0

    def run(self, t: float, size: float, tol: float, max_iter: int) -> None:
        """Search from t until the relative gap of the objective is below the tolerance."""
        self._size = size
        first = self._slice(t, None)
        if not np.isfinite(self.best):
            self.reason = "the points are too far apart for double precision"
            return
        low, high = self.slices.interval(self.best)
        ends = [self._slice(min(low, t), first.active), self._slice(max(high, t), first.active)]
        order = count()
        heap: list[tuple[float, int, int, Slice, Slice, float, float]] = []

        def push(left: Slice, right: Slice, depth: int) -> None:
            bound, where, rounding = interval_bound(left, right)
            heapq.heappush(heap, (bound, next(order), depth, left, right, where, rounding))

        push(ends[0], first, 0)
        push(first, ends[1], 0)
        self.reason = "the iterations ran out"
        while self.n_slices < max_iter:
            bound, _, depth, left, right, where, rounding = heap[0]
            if self.best - bound <= tol * self.best:
                self.reason = "the bound is within the tolerance"
                break
            if self.best - bound <= 2.0 * rounding or not _splits(left.t, right.t):
                self.reason = "what is left of the gap is rounding"
                break
            heapq.heappop(heap)
            if depth % _EVERY_THIRD == _EVERY_THIRD - 1 or not left.t < where < right.t:
                where = 0.5 * (left.t + right.t)
            middle = self._slice(where, left.active)
            push(left, middle, depth + 1)
            push(middle, right, depth + 1)
        self.bound = min(heap[0][0], self.best)

    def _slice(self, t: float, start: NDArray[np.int64] | None) -> Slice:
        result, steps = self.slices.solve(t, start, self.best, self._size)
        self.n_slices += 1
        self.n_steps += steps + 1
        if result.v is not None:
            self._offer(t, result.v)
        return result

    def _offer(self, t: float, v: Array) -> bool:
        """Keep a hyperplane if it is feasible, once scaled, and better than the best so far."""
        scale = self.slices.scale_to_feasible(t, v)
        if not scale > 0.0:
            return False
        length = float(np.sqrt(v @ v))
        objective = 0.5 * (length - t) * (length + t) / scale**2
        if not 0.0 < objective < self.best:
            return False
        self.t, self.v, self.best = t / scale, v / scale, objective
        return True

    def multipliers(self, unit: float) -> tuple[NDArray[np.int64], Array]:
        """Return the support and its multipliers, after a last step that makes them exact.

        At a minimum ``(-t, v) = Σ λ y (1, -k)`` over the points on the edge. With those of positive
        λ held as equations, t and v follow from a linear system.
        """
        support, multipliers = self._stationary(unit)
        normals = self._normals(support)
        n = normals.shape[1]
        metric = np.diag(np.r_[-1.0, np.ones(n - 1)])
        system = np.block([[metric, -normals.T], [normals, np.zeros((len(support),) * 2)]])
        scales = np.r_[unit, np.ones(n - 1), np.ones(len(support))]
        target = np.r_[np.zeros(n), self.slices.edge[support]]
        solution = lstsq(scales[:, None] * system * scales, scales * target)[0] * scales
        if self._offer(float(solution[0]), solution[1:n]):
            support, multipliers = self._stationary(unit)
        return support, multipliers

    def _normals(self, rows: NDArray[np.int64]) -> Array:
        y = self.slices.labels[rows][:, None]
        return np.hstack([y, -y * self.slices.klein[rows]])

    def _stationary(self, unit: float) -> tuple[NDArray[np.int64], Array]:
        slices = self.slices
        score = slices.labels * (self.t - slices.klein @ self.v)
        slack = (score - slices.edge) / np.maximum(slices.edge, 64.0 * EPSILON * self._size)
        close = np.flatnonzero(slack <= _ON_THE_EDGE)
        scales = np.r_[unit, np.ones(len(self.v))]
        normals = self._normals(close) * scales
        length = float(np.sqrt(self.v @ self.v))
        multipliers, _ = nnls(normals.T, np.r_[-self.t, self.v] * scales / length)
        positive = multipliers > 0.0
        return close[positive], length * multipliers[positive]


def _splits(low: float, high: float) -> bool:
    return high - low > 4.0 * EPSILON * max(abs(low), abs(high))
