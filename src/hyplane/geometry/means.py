"""The weighted mean of points: the Einstein midpoint."""

import numpy as np
from scipy.special import logsumexp

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import as_doubles
from hyplane.geometry.charts import write_points
from hyplane.geometry.numerics import directions, log_sinh, row_norms
from hyplane.geometry.validation import read_points


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
    log_weights = _log_weights(weights, len(radius))
    log_sinhs = log_sinh(radius) + log_weights
    largest = log_sinhs.max()
    if np.isneginf(largest):  # all the weight on the origin
        return write_points(np.zeros(1), direction[:1], chart, k).ravel()
    total = np.exp(log_sinhs - largest) @ direction
    norm = row_norms(total[None, :])
    mean_direction = directions(total[None, :], norm)
    log_gap = _log_gap(radius, direction - mean_direction, log_weights)
    with np.errstate(divide="ignore"):
        ratio = np.log(2.0 * norm) + largest - log_gap
    return write_points(0.5 * np.logaddexp(0.0, ratio), mean_direction, chart, k).ravel()


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
