"""Descent for few parameters, from a start that may be far from any minimum."""

from collections.abc import Callable

import numpy as np

from hyplane._utils.typing import Array

_Function = Callable[[Array], tuple[float, Array]]
_Place = tuple[Array, float, Array]  # parameters, value, gradient


def descend(
    function: _Function, x: Array, tol: float, max_iter: int, *, window: int = 8
) -> tuple[Array, float, int, bool]:
    """Minimise by BFGS with a line search that needs no smoothness at the minimum.

    The function returns value and gradient; an infinite value for a point outside its domain. It
    ends where `window` iterations together decrease the value by at most `tol`, relatively.
    Predicted decreases tell less: at a minimum on as many kinks as there are parameters they are
    too small long before it.

    Returns the point with the lowest value, the value there, the number of iterations, and whether
    the value hardly decreased any more. Lewis, Overton (2013). Nonsmooth optimization via
    quasi-Newton methods. Mathematical Programming 141.

    Examples
    --------
    >>> def kink(x):
    ...     return float(abs(x[0]) + x[1] ** 2), np.array([np.sign(x[0]), 2.0 * x[1]])
    >>> x, value, n_iter, converged = descend(kink, np.array([0.3, 1.0]), 1e-12, 100)
    >>> bool(value < 1e-6)
    True
    """
    value, gradient = function(x)
    inverse = np.eye(len(x)) / max(1.0, float(np.linalg.norm(gradient)))
    values = [value]
    for n_iter in range(1, max_iter + 1):
        uphill = inverse @ gradient
        if not uphill @ gradient > 0.0:
            inverse, uphill = np.eye(len(x)), gradient
        if not gradient.any():
            return x, value, n_iter, True
        new, lower, new_gradient = _line_search(function, (x, value, gradient), uphill)
        if not lower < value:
            return x, value, n_iter, False
        step, change = new - x, new_gradient - gradient
        curvature = step @ change
        if curvature > 1e-14 * np.sqrt((step @ step) * (change @ change)):  # else it is rounding
            h = inverse @ change
            half = (0.5 * (1.0 + change @ h / curvature) * step - h) / curvature
            outer = np.outer(half, step)
            inverse += outer + outer.T
        x, value, gradient = new, lower, new_gradient
        values.append(value)
        if len(values) > window and values[-1 - window] - value <= tol * abs(value):
            return x, value, n_iter, True
    return x, value, max_iter, False


def _line_search(
    function: _Function,
    start: _Place,
    uphill: Array,
    *,
    decrease: float = 1e-4,
    flatter: float = 0.9,
    most_trials: int = 50,
) -> _Place:
    """Find the point of weak Wolfe against an ascending direction, by bisection.

    If the trials run out, the best point with a sufficient decrease; if there is none, the start.
    """
    x, value, gradient = start
    slope = -float(gradient @ uphill)
    low, high, t = 0.0, np.inf, 1.0
    best = start
    for _ in range(most_trials):
        new = x - t * uphill
        place = (new, *function(new))
        if place[1] < value + decrease * t * slope:
            if -(place[2] @ uphill) >= flatter * slope:
                return place
            best = min(best, place, key=lambda each: each[1])
            low = t
        else:
            high = t
        t = 2.0 * t if np.isinf(high) else 0.5 * (low + high)
    return best
