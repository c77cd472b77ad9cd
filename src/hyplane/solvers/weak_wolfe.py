"""Quasi-Newton descent for functions with kinks."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hyplane._typing import Array
from hyplane.solvers._least_distance import least_distance

# Conditions of the line search: decrease, and a slope that has become flatter.
DECREASE = 1e-4
FLATTER = 0.9
MOST_TRIALS = 50
# Progress is judged over so many iterations.
WINDOW = 8
# How near to a kink gradients are sampled, in the parameters of the charts, which are of size 1.
SAMPLING = (1e-2, 1e-4, 1e-6)
SAMPLES = 20  # per parameter


@dataclass(frozen=True)
class Descent:
    """Where a descent ended.

    Attributes
    ----------
    x : ndarray
    value : float
    n_iter : int
    converged : bool
    reason : str
    """

    x: Array
    value: float
    n_iter: int
    converged: bool
    reason: str


def descend(
    function: Callable[[Array], tuple[float, Array]],
    start: Array,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Descent:
    """Minimise a function that is smooth but for kinks, from one start.

    Parameters
    ----------
    function : callable
        Returns value and gradient; an infinite value for a point outside its domain.
    start : ndarray of shape (n,)
    tol : float, default=1e-6
        Relative decrease over a few iterations at which to stop.
    max_iter : int, default=1000

    Returns
    -------
    descent : Descent

    References
    ----------
    Lewis, Overton (2013). Nonsmooth optimization via quasi-Newton methods. Mathematical
    Programming 141.

    Burke, Lewis, Overton (2005). A robust gradient sampling algorithm for nonsmooth, nonconvex
    optimization. SIAM Journal on Optimization 15. (Where the line search fails.)

    Examples
    --------
    >>> def kink(x):
    ...     return float(abs(x[0]) + x[1] ** 2), np.array([np.sign(x[0]), 2.0 * x[1]])
    >>> descend(kink, np.array([3.0, 1.0]), tol=1e-9).x.round(4) + 0.0
    array([0., 0.])
    """
    x, (value, gradient) = start, function(start)
    inverse = np.eye(len(x)) / max(1.0, float(np.linalg.norm(gradient)))
    values = [value]
    reason, converged, number = "the iterations ran out", False, 0
    while number < max_iter:
        number += 1
        direction = -inverse @ gradient
        slope = float(gradient @ direction)
        if not slope < 0:
            inverse, direction = np.eye(len(x)), -gradient
            slope = -float(gradient @ gradient)
        if slope == 0:
            reason, converged = "the gradient is zero", True
            break
        found = _weak_wolfe(function, x, value, direction, slope)
        if found is None:
            found, flatness = _sampled_step(function, x, value)
            inverse = np.eye(len(x))
        if found is None:
            reason = "no step decreases the objective any more"
            converged = flatness**2 <= tol * max(abs(value), 1.0)
            break
        new, value, new_gradient = found
        inverse = _updated(inverse, new - x, new_gradient - gradient)
        x, gradient = new, new_gradient
        values.append(value)
        if len(values) > WINDOW and values[-1 - WINDOW] - value <= tol * abs(value):
            reason, converged = "the objective hardly decreases any more", True
            break
    return Descent(x, value, number, converged, reason)


def _weak_wolfe(
    function: Callable[[Array], tuple[float, Array]],
    x: Array,
    value: float,
    direction: Array,
    slope: float,
) -> tuple[Array, float, Array] | None:
    """Bisect until the step decreases enough and the slope has become flatter.

    Where the trials run out, the best step that decreases is taken; None where there is none.
    """
    low, high, step = 0.0, np.inf, 1.0
    best: tuple[Array, float, Array] | None = None
    for _ in range(MOST_TRIALS):
        new = x + step * direction
        new_value, gradient = function(new)
        if not new_value < value + DECREASE * step * slope:
            high = step
        else:
            if best is None or new_value < best[1]:
                best = new, new_value, gradient
            if gradient @ direction >= FLATTER * slope:
                return new, new_value, gradient
            low = step
        step = 0.5 * (low + high) if np.isfinite(high) else 2.0 * step
        if high - low < 1e-14 * high:
            break
    return best


def _sampled_step(
    function: Callable[[Array], tuple[float, Array]], x: Array, value: float
) -> tuple[tuple[Array, float, Array] | None, float]:
    """Step from a kink along the shortest mean of gradients at points near it.

    Returns the step, None where none decreases, and the length of the shortest mean: near 0 at a
    minimum with kinks, where no single gradient is.
    """
    rng = np.random.default_rng(0)
    shortest = np.inf
    for reach in SAMPLING:
        near = x + reach * rng.uniform(-1.0, 1.0, (SAMPLES * len(x), len(x)))
        gradients = np.array([function(each)[1] for each in [x, *near]])
        size = float(np.abs(gradients).max()) or 1.0
        # Of the vectors v with g·v >= 1 for all gradients g, the shortest is a multiple of their
        # shortest mean.
        hull = least_distance(gradients / size, np.ones(len(gradients)))
        mean = hull.multipliers @ gradients[hull.active] / hull.multipliers.sum()
        length = float(np.linalg.norm(mean))
        shortest = min(shortest, length)
        if length > 0:
            found = _weak_wolfe(function, x, value, -mean, -(length**2))
            if found is not None:
                return found, shortest
    return None, shortest


def _updated(inverse: Array, step: Array, change: Array) -> Array:
    """Return the BFGS update of the inverse Hessian."""
    curvature = float(step @ change)
    if not curvature > 0:
        return inverse
    left = np.eye(len(step)) - np.outer(step, change) / curvature
    return np.asarray(left @ inverse @ left.T + np.outer(step, step) / curvature)
