"""The shortest vector in a polyhedron, by a dual active-set method."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array

ROUNDING = 32.0 * float(np.finfo(np.float64).eps)  # of coordinates and sums, relatively
DEPENDENT = 1e-11  # the share of a row beyond other rows below which rounding makes it


@dataclass(frozen=True)
class LeastDistance:
    """The solution ``rows[active].T @ multipliers`` of a least-distance problem.

    Where it is not feasible, the multipliers are a ray that proves it: their combination of rows
    is 0 and that of the bounds is positive.
    """

    active: NDArray[np.int64]
    multipliers: Array
    feasible: bool
    n_steps: int


def least_distance(
    rows: Array, bound: Array, start: NDArray[np.int64] | None = None, *, most_stalled: int = 20
) -> LeastDistance:
    """Minimise ``½|v|²`` subject to ``rows @ v >= bound``, with a guess of the active rows.

    The dual method of Goldfarb and Idnani (1983) for the identity: the constraint that is violated
    most enters the active set, and those whose multipliers would turn negative leave it.

    Examples
    --------
    >>> solution = least_distance(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 3.0]))
    >>> solution.active, solution.multipliers, solution.feasible
    (array([1]), array([1.5]), True)
    """
    norms = np.linalg.norm(rows, axis=1)
    slack = 0.5 * ROUNDING  # of a constraint, relatively
    active, multipliers = _admissible(rows, bound, start)
    n_steps, highest, n_stalled = 0, -np.inf, 0
    while True:
        point = rows[active].T @ multipliers
        violation = bound - rows @ point
        violation -= slack * (np.abs(bound) + norms * np.linalg.norm(point))
        violation[active] = 0.0
        entering = int(np.argmax(violation))
        # Every step raises the dual objective, apart from rounding.
        value = float(multipliers @ bound[active] - 0.5 * point @ point)
        n_stalled = 0 if value > highest else n_stalled + 1
        highest = max(highest, value)
        if violation[entering] <= 0.0 or n_stalled > most_stalled:
            return LeastDistance(active, multipliers, True, n_steps)
        n_steps += 1
        raised, row = 0.0, rows[entering]
        while True:
            share, rest = _split_off(rows[active], row)
            independent = np.linalg.norm(rest) > DEPENDENT * norms[entering]
            missing = bound[entering] - row @ (rows[active].T @ multipliers + raised * row)
            full = missing / (rest @ rest) if independent else np.inf
            falling = np.flatnonzero(share > 0.0)
            limits = multipliers[falling] / share[falling]
            step = min(full, limits.min(initial=np.inf))
            if np.isinf(step):
                ray = np.append(np.maximum(-share, 0.0), 1.0)
                return LeastDistance(np.append(active, entering), ray, False, n_steps)
            multipliers = np.maximum(multipliers - step * share, 0.0)
            raised += step
            if full <= step:
                break
            leaving = falling[np.argmin(limits)]
            active, multipliers = np.delete(active, leaving), np.delete(multipliers, leaving)
        active, multipliers = np.append(active, entering), np.append(multipliers, raised)
        # Solve for the multipliers anew, so that rounding does not add up.
        fresh = _equality_multipliers(rows[active], bound[active])
        multipliers = fresh if np.all(fresh >= 0.0) else multipliers


def _equality_multipliers(rows: Array, bound: Array) -> Array:
    """Return the multipliers of ``min ½|v|²`` subject to ``rows @ v = bound``."""
    _, r = np.linalg.qr(rows.T)
    return np.asarray(np.linalg.solve(r, np.linalg.solve(r.T, bound)))


def _split_off(active_rows: Array, row: Array) -> tuple[Array, Array]:
    """Write a row as a combination of the active ones and a rest that is perpendicular to them."""
    q, r = np.linalg.qr(active_rows.T)
    along = q.T @ row
    rest = row - q @ along
    again = q.T @ rest  # twice, so that a small rest is perpendicular too
    return np.linalg.solve(r, along + again), rest - q @ again


def _admissible(
    rows: Array, bound: Array, start: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], Array]:
    """Drop rows until the multipliers of the others, held as equations, are not negative."""
    active = np.empty(0, dtype=np.int64) if start is None else start
    while True:
        multipliers = _equality_multipliers(rows[active], bound[active])
        if np.all(multipliers >= 0.0):
            return active, multipliers
        active = np.delete(active, int(np.argmin(multipliers)))
