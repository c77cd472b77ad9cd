"""The shortest vector in a polyhedron, by a dual active-set method."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array

_INDEPENDENT = 1e-11
_STALLED = 20
_SLACK = 16.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LeastDistance:
    """What is known of ``min ½|v|²`` subject to ``rows @ v ≥ bound``.

    Attributes
    ----------
    point : ndarray of shape (n,)
        ``v``, the combination of rows below; feasible only where the status is "solved".
    active : ndarray of int
        Rows with a multiplier.
    multipliers : ndarray
        Theirs, not negative. Any such multipliers λ prove that the minimum is at least
        ``λ·bound - ½|rowsᵀλ|²``.
    status : {"solved", "beyond", "infeasible", "stopped"}
        "beyond": the minimum is above the ceiling. "infeasible": the multipliers are a ray,
        ``rowsᵀλ = 0`` with ``λ·bound > 0``, so that no vector satisfies the constraints.
        "stopped": the steps ran out, or only rounding is left.
    n_steps : int
        Passes over all rows.
    """

    point: Array
    active: NDArray[np.int64]
    multipliers: Array
    status: Literal["solved", "beyond", "infeasible", "stopped"]
    n_steps: int


def least_distance(
    rows: Array,
    bound: Array,
    *,
    start: NDArray[np.int64] | None = None,
    ceiling: float = np.inf,
    max_steps: int = 10_000,
) -> LeastDistance:
    """Minimise ``½|v|²`` subject to ``rows @ v ≥ bound``.

    Parameters
    ----------
    rows : ndarray of shape (m, n)
        Normals of the constraints.
    bound : ndarray of shape (m,)
        Their right-hand sides.
    start : ndarray of int, default=None
        Independent rows that are likely to be active, from a problem with the same rows.
    ceiling : float, default=inf
        Stop as soon as the minimum is proven to be above this.
    max_steps : int, default=10000
        Most changes of the active set.

    Returns
    -------
    solution : LeastDistance

    Notes
    -----
    The method of [1]_ for the identity: the constraint that is violated most enters the active set,
    and those whose multipliers would turn negative leave it. Every iterate is optimal for the
    constraints seen so far, so most of the m rows are only ever looked at, in one product.

    References
    ----------
    .. [1] D. Goldfarb and A. Idnani, "A numerically stable dual method for solving strictly convex
       quadratic programs", Mathematical Programming 27, 1983.

    Examples
    --------
    >>> solution = least_distance(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 3.0]))
    >>> solution.point, solution.active, solution.status
    (array([1.5, 1.5]), array([1]), 'solved')
    """
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    size = np.abs(bound)
    active, multipliers = _admissible(rows, bound, start)
    steps = stalled = 0
    reached = -np.inf
    while True:
        multipliers, point = _refreshed(rows, bound, active, multipliers)
        value = float(multipliers @ bound[active] - 0.5 * (point @ point))
        stalled = 0 if value > reached else stalled + 1  # every step raises it, apart from rounding
        reached = max(reached, value)
        violation = bound - rows @ point
        violation -= _SLACK * (size + norms * np.sqrt(point @ point))
        violation[active] = 0.0
        entering = int(np.argmax(violation))
        if violation[entering] <= 0.0:
            return LeastDistance(point, active, multipliers, "solved", steps)
        if value > ceiling:
            return LeastDistance(point, active, multipliers, "beyond", steps)
        if steps >= max_steps or stalled > _STALLED:
            return LeastDistance(point, active, multipliers, "stopped", steps)
        steps += 1
        entered = _enter(rows, bound, active, multipliers, entering)
        if entered is None:
            return _ray(rows, active, entering, steps)
        active, multipliers = entered


def _enter(
    rows: Array, bound: Array, active: NDArray[np.int64], multipliers: Array, entering: int
) -> tuple[NDArray[np.int64], Array] | None:
    """Raise the multiplier of a violated row until it holds; None where it never will."""
    point = rows[active].T @ multipliers
    row = rows[entering]
    length = float(np.sqrt(row @ row))
    raised = 0.0
    while True:
        share, rest = _split_off(rows[active], row)
        independent = float(np.sqrt(rest @ rest)) > _INDEPENDENT * length
        missing = float(bound[entering] - row @ point)
        full = missing / float(rest @ rest) if independent else np.inf
        falling = np.flatnonzero(share > 0.0)
        limits = multipliers[falling] / share[falling]
        step = min(full, float(limits.min(initial=np.inf)))
        if np.isinf(step):
            return None
        multipliers = multipliers - step * share
        raised += step
        if full <= step:
            return np.append(active, entering), np.append(np.maximum(multipliers, 0.0), raised)
        if independent:
            point = point + step * rest
        keep = np.ones(len(active), dtype=bool)
        keep[falling[int(np.argmin(limits))]] = False
        active, multipliers = active[keep], np.maximum(multipliers[keep], 0.0)


def _split_off(active_rows: Array, row: Array) -> tuple[Array, Array]:
    """Write a row as a combination of the active ones and a rest that is perpendicular to them."""
    if not len(active_rows):
        return np.empty(0), row
    q, r = np.linalg.qr(active_rows.T)
    along = q.T @ row
    rest = row - q @ along
    again = q.T @ rest  # twice, so that a small rest is perpendicular too
    return np.linalg.solve(r, along + again), rest - q @ again


def _equality_multipliers(active_rows: Array, bound: Array) -> Array:
    _, r = np.linalg.qr(active_rows.T)
    return np.asarray(np.linalg.solve(r, np.linalg.solve(r.T, bound)))


def _admissible(
    rows: Array, bound: Array, start: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], Array]:
    """Drop rows until the multipliers of the others, held as equations, are not negative."""
    active = np.empty(0, dtype=np.int64) if start is None else start
    while len(active):
        multipliers = _equality_multipliers(rows[active], bound[active])
        if np.all(multipliers >= 0.0):
            return active, multipliers
        active = np.delete(active, int(np.argmin(multipliers)))
    return active, np.empty(0)


def _refreshed(
    rows: Array, bound: Array, active: NDArray[np.int64], multipliers: Array
) -> tuple[Array, Array]:
    """Solve for the multipliers of the active set anew, so that rounding does not add up."""
    if len(active):
        fresh = _equality_multipliers(rows[active], bound[active])
        if np.all(fresh >= 0.0):
            multipliers = fresh
    return multipliers, rows[active].T @ multipliers


def _ray(rows: Array, active: NDArray[np.int64], entering: int, steps: int) -> LeastDistance:
    share, _ = _split_off(rows[active], rows[entering])
    ray = np.append(np.maximum(-share, 0.0), 1.0)
    active = np.append(active, entering)
    return LeastDistance(rows[active].T @ ray, active, ray, "infeasible", steps)
