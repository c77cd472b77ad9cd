"""Best-first search over the slices of the hard margin, with a proven bound."""

import heapq
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq

from hyplane._utils.typing import Array
from hyplane.solvers._least_distance import least_distance
from hyplane.solvers._slices import EPSILON, Slice, Slices, interval_bound

PROVEN = "the margin is proven to within the tolerance"
ROUNDING = "double precision does not hold the points to the tolerance"
RAN_OUT = "the iterations ran out"

_EVERY_THIRD = 3
_SHARP = 1e-12  # the relative gap at which nothing is left to gain
_EXTRA = 20
_NARROW = 1e-3  # of |v|: below it the allowance for rounding does not shrink with the interval
_SAME = 1.0 + 1e-9


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
    exact : bool
        Whether t and v were solved for from their support.
    """

    slices: Slices
    t: float = 0.0
    v: Array = field(default_factory=lambda: np.empty(0))
    best: float = np.inf
    bound: float = -np.inf
    n_slices: int = 0
    n_steps: int = 0
    reason: str = ""
    exact: bool = False
    _size: float = 1.0
    _seen: list[Slice] = field(default_factory=list)

    def run(self, t: float, v: Array | None, size: float, tol: float, max_iter: int) -> None:
        """Search from (t, v) until the relative gap of the objective is below the tolerance.

        A few more slices, where they help, find the support as well. The size is that of v,
        roughly. Without any feasible hyperplane there is nothing to bound.
        """
        self._size = size
        if v is not None:
            self._offer(t, v)
        self._at = first = self._slice(t, None)
        if not np.isfinite(self.best):
            return
        # No better hyperplane is outside this interval, even if rounding lowered the best value.
        low, high = self.slices.interval(self.best + 64.0 * EPSILON * float(self.v @ self.v))
        ends = [
            self._slice(min(low, t), first.independent),
            self._slice(max(high, t), first.independent),
        ]
        order = count()
        heap: list[tuple[float, int, int, Slice, Slice, float, float]] = []

        def push(left: Slice, right: Slice, depth: int) -> None:
            bound, where, rounding = interval_bound(left, right)
            heapq.heappush(heap, (bound, next(order), depth, left, right, where, rounding))

        push(ends[0], first, 0)
        push(first, ends[1], 0)
        self.reason = RAN_OUT
        last = max_iter
        while self.n_slices < last:
            bound, _, depth, left, right, where, rounding = heap[0]
            gap = self.best - bound
            if gap <= tol * self.best and last == max_iter:
                self.reason = PROVEN
                last = min(max_iter, self.n_slices + _EXTRA)
            if gap <= _SHARP * self.best:
                break
            if not self._worth_splitting(left.t, right.t, gap, rounding):
                if gap > tol * self.best:
                    self.reason = ROUNDING
                break
            heapq.heappop(heap)
            if depth % _EVERY_THIRD == _EVERY_THIRD - 1 or not left.t < where < right.t:
                where = 0.5 * (left.t + right.t)
            middle = self._slice(where, left.independent)
            push(left, middle, depth + 1)
            push(middle, right, depth + 1)
        self.bound = min(heap[0][0], self.best)

    def _worth_splitting(self, low: float, high: float, gap: float, rounding: float) -> bool:
        """Tell whether a narrower interval would have a better bound, or just as much rounding."""
        width, size = high - low, float(np.sqrt(self.v @ self.v))
        narrow = _NARROW if gap <= 2.0 * rounding else 4.0 * EPSILON
        return width > narrow * size

    def _slice(self, t: float, start: NDArray[np.int64] | None) -> Slice:
        result, steps = self.slices.solve(t, start, self.best, self._size)
        self.n_slices += 1
        self._seen.append(result)
        self.n_steps += steps + 1
        if result.v is not None and self._offer(t, result.v):
            self._at = result
        return result

    def _offer(self, t: float, v: Array, worse: float = 1.0) -> bool:
        """Keep a hyperplane if it is feasible, once scaled, and better than the best so far."""
        scale = self.slices.scale_to_feasible(t, v)
        if not scale > 0.0:
            return False
        length = float(np.sqrt(v @ v))
        objective = 0.5 * (length - t) * (length + t) / scale**2
        if not 0.0 < objective < worse * self.best:
            return False
        self.t, self.v, self.best = t / scale, v / scale, objective
        return True

    def multipliers(self, unit: float) -> tuple[NDArray[np.int64], Array]:
        """Return the support and its multipliers, after a last step that makes them exact.

        At a minimum ``(-t, v) = Σ λ y (1, -k)`` over points on the edge. The best t is known to the
        square root of the gap only, so the slack does not tell which; but they are those of the
        best slice, or of the slices to its left and right where φ has a kink between them.
        """
        candidates = self._candidates()
        fitted = self._fitted(candidates[-1], unit)
        for rows in [fitted[0], *candidates]:
            exact = self._stationary(rows, unit)
            if exact is not None and self._offer(exact[0], exact[1], _SAME):
                self.exact = True
                return exact[2], exact[3]
        return fitted

    def _fitted(self, rows: NDArray[np.int64], unit: float) -> tuple[NDArray[np.int64], Array]:
        """Fit the multipliers of the rows to the best hyperplane as it is."""
        scales = np.r_[unit, np.ones(len(self.v))]
        length = float(np.sqrt(self.v @ self.v))
        target = np.r_[-self.t, self.v] * scales / length
        normals = self._normals(rows) * scales
        # The dual of these least squares.
        found = least_distance(normals, normals @ target)
        multipliers = np.zeros(len(rows))
        multipliers[found.active] = found.multipliers
        return rows[multipliers > 0.0], length * multipliers[multipliers > 0.0]

    def _candidates(self) -> list[NDArray[np.int64]]:
        """Active sets of the best slice and of the nearest ones that have others, and unions."""
        here = np.sort(self._at.active)
        below = [one for one in self._seen if one.t < self._at.t]
        above = [one for one in self._seen if one.t > self._at.t]
        others = []
        for side in (below, above):
            side.sort(key=lambda one: abs(one.t - self._at.t))
            sets = (np.sort(one.active) for one in side)
            others.append(next((rows for rows in sets if not np.array_equal(rows, here)), here))
        left, right = others
        unions = [np.union1d(here, left), np.union1d(here, right), np.union1d(left, right)]
        return [here, *unions, np.union1d(unions[0], right)]

    def _stationary(
        self, rows: NDArray[np.int64], unit: float
    ) -> tuple[float, Array, NDArray[np.int64], Array] | None:
        """Solve for t, v and the multipliers with these rows, or some of them, as equations."""
        n = len(self.v) + 1
        metric = np.diag(np.r_[-1.0, np.ones(n - 1)])
        while len(rows):
            normals = self._normals(rows)
            system = np.block([[metric, -normals.T], [normals, np.zeros((len(rows),) * 2)]])
            scales = np.r_[unit, np.ones(n - 1 + len(rows))]
            target = np.r_[np.zeros(n), self.slices.edge[rows]]
            solution = lstsq(scales[:, None] * system * scales, scales * target)[0] * scales
            multipliers = solution[n:]
            if multipliers.min() > 0.0:
                return float(solution[0]), solution[1:n], rows, multipliers
            rows = np.delete(rows, int(np.argmin(multipliers)))
        return None

    def _normals(self, rows: NDArray[np.int64]) -> Array:
        return np.column_stack([self.slices.labels[rows], self.slices.rows[rows]])
