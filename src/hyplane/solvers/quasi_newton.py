"""Descent for few parameters, from a start that may be far from any minimum."""

from collections.abc import Callable

import numpy as np

from hyplane._utils.typing import Array

# The two conditions of weak Wolfe, with the usual constants.
_DECREASE, _SLOPE = 1e-4, 0.9
_MOST_TRIALS = 50  # a step halved so often is near the last place
_RESOLUTION = 1e-14  # relative; what is smaller is rounding
_WINDOW = 8  # iterations over which progress is judged

_Function = Callable[[Array], tuple[float, Array]]
_Place = tuple[Array, float, Array]  # parameters, value, gradient


def descend(
    function: _Function, x: Array, tol: float, max_iter: int
) -> tuple[Array, float, int, bool]:
    """Minimise by BFGS with a line search that needs no smoothness at the minimum.

    Parameters
    ----------
    function : callable
        Returns value and gradient; an infinite value for a point outside its domain.
    x : ndarray of shape (n,)
        Where to start.
    tol : float
        Ends where several iterations together decrease the value by at most this, relative.
        Predicted decreases tell less: at a minimum on as many kinks as there are parameters they
        are too small long before it.
    max_iter : int
        Most iterations.

    Returns
    -------
    x : ndarray of shape (n,)
        The point with the lowest value.
    value : float
        The value there.
    n_iter : int
        Iterations.
    converged : bool
        Whether the value hardly decreased any more, or the gradient is zero.

    References
    ----------
    Lewis, Overton (2013). Nonsmooth optimization via quasi-Newton methods. Mathematical
    Programming 141.

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
        if uphill @ gradient == 0.0:
            return x, value, n_iter, True
        new, lower, new_gradient = _line_search(function, (x, value, gradient), uphill)
        if not lower < value:
            return x, value, n_iter, False
        _update(inverse, new - x, new_gradient - gradient)
        x, value, gradient = new, lower, new_gradient
        values.append(value)
        if len(values) > _WINDOW and values[-1 - _WINDOW] - value <= tol * abs(value):
            return x, value, n_iter, True
    return x, value, max(max_iter, 0), False


def _update(inverse: Array, step: Array, change: Array) -> None:
    """Teach the inverse Hessian the change of the gradient along a step, in place."""
    curvature = step @ change
    if not curvature > _RESOLUTION * np.sqrt((step @ step) * (change @ change)):
        return
    h = inverse @ change
    half = (0.5 * (1.0 + change @ h / curvature) * step - h) / curvature
    outer = np.outer(half, step)
    inverse += outer + outer.T


def _line_search(function: _Function, start: _Place, uphill: Array) -> _Place:
    """Find the point of weak Wolfe against an ascending direction, by bisection.

    If the trials run out, the best point with a sufficient decrease; if there is none, the start.
    """
    x, value, gradient = start
    slope = -float(gradient @ uphill)
    low, high, t = 0.0, np.inf, 1.0
    best = start
    for _ in range(_MOST_TRIALS):
        new = x - t * uphill
        place = (new, *function(new))
        if place[1] < value + _DECREASE * t * slope:
            if -(place[2] @ uphill) >= _SLOPE * slope:
                return place
            best = min(best, place, key=lambda each: each[1])
            low = t
        else:
            high = t
        t = 2.0 * t if np.isinf(high) else 0.5 * (low + high)
        if high - low < _RESOLUTION * high:
            break
    return best
