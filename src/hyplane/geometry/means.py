"""Weighted means of points: the Einstein midpoint and the Fréchet mean."""

import numpy as np
from scipy.special import logsumexp

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import as_doubles
from hyplane.geometry.charts import write_points
from hyplane.geometry.maps import polar_boost
from hyplane.geometry.numerics import directions, log_sinh, row_norms
from hyplane.geometry.validation import read_points

Polar = tuple[Array, Array]


def einstein_midpoint(
    X: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the weighted mean of points.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    weights : array-like of shape (m,), optional
        Weights, none negative and not all zero; equal by default.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points and of the mean.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    mean : ndarray of shape (n_columns,)

    Notes
    -----
    In Klein coordinates it is the mean of the points, weighted by ``weights`` times the Lorentz
    factors ``γ = cosh r``; on the hyperboloid the weighted sum, scaled back to ``x*x = 1``. It
    moves with the points under isometries. With T and S the time and the space part of that sum,
    the radius is ``½ log((T + |S|) / (T - |S|))``, and ``T - |S|`` is summed from positive terms.

    References
    ----------
    A. A. Ungar, *Analytic Hyperbolic Geometry and Albert Einstein's Special Theory of Relativity*,
    World Scientific, 2008.

    Examples
    --------
    >>> einstein_midpoint([[1.0, 0.0], [3.0, 0.0]], coordinates="polar").round(12)
    array([2., 0.])
    """
    _, radius, direction, chart, k = read_points(X, coordinates, curvature)
    middle = _midpoint(radius, direction, _log_weights(weights, len(radius)))
    return write_points(*middle, chart, k).ravel()


def frechet_mean(
    X: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the Fréchet mean: the point with the least sum of squared distances to the points.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    weights : array-like of shape (m,), optional
        Weights, none negative and not all zero; equal by default.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points and of the mean.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    mean : ndarray of shape (n_columns,)

    See Also
    --------
    einstein_midpoint : Another mean, in closed form. A single far point moves it much farther.

    Notes
    -----
    Newton's method with a line search, from the Einstein midpoint or the mean of the log map. The
    points enter by their distance r and direction u seen from the present mean, where half the mean
    squared distance has the gradient ``-mean(r u)`` and the Hessian
    ``mean(u uᵀ + r coth r (I - u uᵀ))``. The function is convex, so the mean is unique.

    Examples
    --------
    >>> frechet_mean([[1.0, 0.0], [4.0, 0.0], [4.0, 0.0]], coordinates="polar").round(12)
    array([3., 0.])
    """
    _, radius, direction, chart, k = read_points(X, coordinates, curvature)
    mean = _frechet_mean(radius, direction, _log_weights(weights, len(radius)))
    return write_points(*mean, chart, k).ravel()


def seen_from(base: Polar, radius: Array, direction: Array) -> Polar:
    """Return polar points as they are seen from a polar point, after the boost to the origin."""
    start = np.broadcast_to(base[0], radius.shape)
    return polar_boost(start, np.broadcast_to(-base[1], direction.shape), radius, direction)


def _frechet_mean(radius: Array, direction: Array, log_weights: Array) -> Polar:
    """Return the Fréchet mean as a polar point."""
    shares = np.exp(log_weights - logsumexp(log_weights))
    value = np.inf
    # One far point pulls the midpoint to it, from where Newton's steps lose their direction.
    midpoint = _midpoint(radius, direction, log_weights)
    for start in (midpoint, _as_polar((shares * radius) @ direction)):
        seen = seen_from(start, radius, direction)
        if (start_value := 0.5 * shares @ seen[0] ** 2) < value:
            base, (r, u), value = start, seen, start_value
    for _ in range(50):
        descent = (shares * r) @ u
        step = np.linalg.solve(_hessian(shares, r, u), descent)
        decrease = float(descent @ step)
        # Close to the minimum the rounding of the value hides any decrease.
        rounding = 4.0 * np.finfo(np.float64).eps * value
        while decrease > 0.0:
            moved = polar_boost(*base, *_as_polar(step))
            r, u = seen_from(moved, radius, direction)
            new_value = 0.5 * shares @ r**2
            if new_value <= value - 1e-4 * decrease + rounding:
                base, value = moved, new_value
                break
            step, decrease = 0.5 * step, 0.5 * decrease
        if decrease <= 1e-6 * rounding:
            break
    return base


def _as_polar(tangent: Array) -> Polar:
    """Return the polar point of a tangent vector at the origin."""
    length = row_norms(tangent[None])
    return length, directions(tangent[None], length)


def _hessian(shares: Array, r: Array, u: Array) -> Array:
    """Return the Hessian of half the mean squared distance, ``r coth r`` being 1 at the base."""
    across = shares * np.divide(r, np.tanh(r), out=np.ones_like(r), where=r > 0)
    identity = np.eye(u.shape[1])
    return np.asarray((u * (shares - across)[:, None]).T @ u + across.sum() * identity)


def _midpoint(radius: Array, direction: Array, log_weights: Array) -> Polar:
    """Return the Einstein midpoint as a polar point."""
    log_sinhs = log_sinh(radius) + log_weights
    largest = log_sinhs.max()
    if np.isneginf(largest):  # all the weight on the origin
        return np.zeros(1), direction[:1]
    total = np.exp(log_sinhs - largest) @ direction
    norm = row_norms(total[None, :])
    mean_direction = directions(total[None, :], norm)
    log_gap = _log_gap(radius, direction - mean_direction, log_weights)
    with np.errstate(divide="ignore"):
        ratio = np.log(2.0 * norm) + largest - log_gap
    return 0.5 * np.logaddexp(0.0, ratio), mean_direction


def _log_gap(radius: Array, difference: Array, log_weights: Array) -> float:
    """Return the logarithm of ``T - |S| = Σ w (exp(-r) + sinh r |u - s|²/2)``."""
    square = np.einsum("ij,ij->i", difference, difference)
    # Unit vectors this close are the same direction, rounded differently.
    square[square <= (8.0 * np.finfo(np.float64).eps) ** 2] = 0.0
    with np.errstate(divide="ignore"):
        terms = np.logaddexp(-radius, log_sinh(radius) + np.log(0.5 * square))
    return float(logsumexp(terms + log_weights))


def _log_weights(weights: ArrayLike | None, n_points: int) -> Array:
    if weights is None:
        return np.zeros(n_points)
    values = as_doubles(weights, "weights")
    if values.shape != (n_points,):
        raise ValueError(f"weights must have shape ({n_points},); got {values.shape}.")
    for row in np.flatnonzero(~((values >= 0) & np.isfinite(values))):
        raise ValueError(
            f"weight {row} is {values[row]:.6g} but weights must be finite and not negative."
        )
    if not values.any():
        raise ValueError("all weights are zero: the mean of nothing is not defined.")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))
