"""The hard margin as a problem of one variable, and lower bounds that cover whole intervals of it.

With Klein coordinates k and ``e = 1/x0``, scaled to a convenient unit, the hard margin is

    min ½|v|² - ½t²   subject to   y (t - v·k) ≥ e   for all points.

For a fixed t it is a least-distance problem in v with the value φ(t). Multipliers ``λ ≥ 0``,
however they were found, prove ``φ(t) ≥ λ·e - (λ·y) t - ½|Σ λ y k|²`` for *every* t: a
`SupportLine` under φ. Multipliers may be mixed: ``(1-θ) λ + θ λ'`` gives another line for each θ,
and the envelope of those is φ itself wherever both ends have the same active set.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.solvers._least_distance import LeastDistance, least_distance

EPSILON = float(np.finfo(np.float64).eps)
# Times EPSILON: more than the rounding of coordinates, of 1/x0 and of the sums of a bound.
_ROUNDING = 32.0
_CEILING = 2.0


@dataclass(frozen=True)
class SupportLine:
    """The line ``height - slope·t - ½|v|²`` under φ, and the sizes its rounding depends on."""

    height: float
    slope: float
    v: Array
    total: float
    weight: float


@dataclass(frozen=True)
class Slice:
    """What was learnt at one t.

    ``v`` is None where the slice was given up as too high. The active rows are those of the cut;
    those to start the next slice from are independent.
    """

    t: float
    v: Array | None
    cut: SupportLine
    active: NDArray[np.int64]
    independent: NDArray[np.int64]


@dataclass(frozen=True)
class Slices:
    """The constraints ``y (t - v·k) ≥ e``.

    Attributes
    ----------
    rows : ndarray of shape (m, n)
        ``-y k``.
    edge : ndarray of shape (m,)
        e.
    labels : ndarray of shape (m,)
        y, 1 or -1.
    log_time : ndarray of shape (m,)
        ``log x0``.
    """

    rows: Array
    edge: Array
    labels: Array
    log_time: Array

    def separating(self, unit: float, size: float) -> LeastDistance:
        """Minimise ``½(t/unit)² + ½|v|²``; infeasible where no hyperplane separates the classes."""
        return least_distance(np.column_stack([unit * self.labels, self.rows]), self._guarded(size))

    def solve(
        self, t: float, start: NDArray[np.int64] | None, best: float, size: float
    ) -> tuple[Slice, int]:
        """Solve the slice at t, unless its value turns out to be well above the best known."""
        ceiling = 0.5 * t * t + _CEILING * best
        bound = self._guarded(size) - self.labels * t
        solution = least_distance(self.rows, bound, start=start, ceiling=ceiling)
        multipliers = solution.multipliers
        active = independent = solution.active
        if solution.status == "infeasible":
            independent = active[:-1]
            rise = float(multipliers @ bound[active])
            multipliers = multipliers * (ceiling / rise if np.isfinite(ceiling) else 1.0)
        v = solution.point if solution.status in ("solved", "stopped") else None
        cut = self._cut(active, multipliers)
        return Slice(t, v, cut, active, independent), solution.n_steps

    def _guarded(self, size: float) -> Array:
        """Keep a point that is nearly at infinity on its side in spite of rounding.

        Its e is below the rounding of ``t - v·k``; this asks for a little more than that.
        """
        return np.maximum(self.edge, 2.0 * _ROUNDING * EPSILON * size)

    def _cut(self, active: NDArray[np.int64], multipliers: Array) -> SupportLine:
        rows = self.rows[active]
        return SupportLine(
            height=float(multipliers @ self.edge[active]),
            slope=float(multipliers @ self.labels[active]),
            v=multipliers @ rows,
            total=float(multipliers.sum()),
            weight=float(multipliers @ np.sqrt(np.einsum("ij,ij->i", rows, rows))),
        )

    def scores(self, t: float, v: Array) -> Array:
        """Return ``y (t - v·k)``."""
        return np.asarray(self.labels * t + self.rows @ v)

    def scale_to_feasible(self, t: float, v: Array) -> float:
        """Return c such that ``(t, v)/c`` just satisfies all constraints, if it is positive."""
        with np.errstate(over="ignore"):  # points at infinity are far on one side or the other
            return float(np.min(self.scores(t, v) / self.edge))

    def interval(self, best: float) -> tuple[float, float]:
        """Bound t for all hyperplanes that are feasible and not worse than the best known.

        A negative point gives ``v·k ≥ t + e``, so ``(t + e)² ≤ |k|² (2 best + t²)`` for t ≥ 0; with
        ``1 - |k|² = 1/x0²`` this is a quadratic inequality in t. Positive points bound -t.
        """
        square = np.einsum("ij,ij->i", self.rows, self.rows)
        room = np.maximum(2.0 * best * square - self.edge**2, 0.0)
        root = np.sqrt(self.edge**2 + np.exp(-2.0 * self.log_time) * room)
        largest = room / (self.edge + root) * (1.0 + 1e-9) + 1e-12 * np.sqrt(best)
        return -float(largest[self.labels > 0].min()), float(largest[self.labels < 0].min())


def interval_bound(left: Slice, right: Slice) -> tuple[float, float, float]:
    """Bound ``φ(t) - ½t²`` from below on the interval between two slices.

    Returns the bound, where it is attained, and how much of it is an allowance for rounding.

    With θ the mixture of the two cuts, the envelope over θ is the left line, then a parabola, then
    the right line. Minus ½t² the lines are concave, so the minimum is at an end of one of the
    pieces or at the vertex of the parabola.
    """
    a, b = left.cut, right.cut
    t_size = max(abs(left.t), abs(right.t))
    v_size = float(np.sqrt(max(a.v @ a.v, b.v @ b.v)))
    allowances = [_rounding(cut, t_size, v_size) for cut in (a, b)]
    heights = [a.height - allowances[0], b.height - allowances[1]]
    turn = b.v - a.v
    square = float(turn @ turn)
    slope = b.slope - a.slope
    rise = heights[1] - heights[0] - float(a.v @ turn)

    def mixture(t: float) -> float:
        gain = rise - slope * t
        return min(1.0, max(0.0, gain / square)) if square > 0.0 else float(gain > 0.0)

    def envelope(t: float) -> float:
        theta = mixture(t)
        v = a.v + theta * turn
        line = (1.0 - theta) * (heights[0] - a.slope * t) + theta * (heights[1] - b.slope * t)
        return line - 0.5 * float(v @ v) - 0.5 * t * t

    candidates = [left.t, right.t]
    if slope != 0.0:
        candidates += [rise / slope, (rise - square) / slope]
    curvature = slope * slope - square
    if curvature > 0.0:
        candidates.append((a.slope * square + slope * rise) / curvature)
    inside = [t for t in candidates if left.t <= t <= right.t]
    values = [envelope(t) for t in inside]
    lowest = int(np.argmin(values))
    theta = mixture(inside[lowest])
    return values[lowest], inside[lowest], (1.0 - theta) * allowances[0] + theta * allowances[1]


def _rounding(cut: SupportLine, t: float, v: float) -> float:
    """Bound the rounding of a cut; linear in the multipliers, so that it can be mixed like them."""
    terms = cut.height + cut.total * t + cut.weight * v + v * v + t * t
    return _ROUNDING * EPSILON * terms
