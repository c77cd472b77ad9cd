"""A step from a kink, where no single gradient points downhill."""

from collections.abc import Callable

import numpy as np

from hyplane._utils.typing import Array
from hyplane.solvers._least_distance import least_distance

# A step is halved until it decreases the value by this share of what its slope promises.
DECREASE = 1e-4
MOST_TRIALS = 50
# How near to a kink gradients are sampled, in the parameters of the charts, which are of size 1.
SAMPLING = (1e-2, 1e-4, 1e-6)
SAMPLES = 20  # per parameter


def sampled_step(
    function: Callable[[Array], tuple[float, Array]], x: Array, value: float
) -> tuple[Array | None, float]:
    """Step from a kink along the shortest mean of gradients at points near it.

    Parameters
    ----------
    function : callable
        Returns value and gradient; an infinite value for a point outside its domain.
    x : ndarray of shape (n,)
        The kink.
    value : float
        The value there.

    Returns
    -------
    new : ndarray of shape (n,) or None
        A point of a lower value; None where none was found.
    shortest : float
        The length of the shortest mean: near 0 at a minimum with kinks, where no gradient is.

    References
    ----------
    Burke, Lewis, Overton (2005). A robust gradient sampling algorithm for nonsmooth, nonconvex
    optimization. SIAM Journal on Optimization 15.

    Examples
    --------
    >>> def kink(x):
    ...     return float(abs(x[0]) + x[1]), np.array([np.sign(x[0]), 1.0])
    >>> new, shortest = sampled_step(kink, np.zeros(2), 0.0)
    >>> bool(new[1] < 0.0), round(shortest, 6)
    (True, 1.0)
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
            for step in 0.5 ** np.arange(MOST_TRIALS):
                new = x - step * mean
                if function(new)[0] < value - DECREASE * step * length**2:
                    return new, shortest
    return None, shortest
