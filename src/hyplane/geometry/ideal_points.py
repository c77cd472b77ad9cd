"""Points at infinity, and how far away they are: the Busemann function."""

import numpy as np
from scipy.spatial.distance import cdist

from hyplane._typing import Array
from hyplane.geometry.numerics import LOG_2

_NEAR = 1.0


def polar_busemann(radius: Array, direction: Array, ideal: Array) -> Array:
    """Return the Busemann function ``log(cosh r - sinh r u·ω)`` of all points and ideal points.

    It is constant on the horospheres at ω, 0 on the one through the origin, and grows by 1 for
    each unit of length away from ω. ``exp(-B)`` is the Poisson kernel ``(1-|b|²) / |b-ω|²``.

    Parameters
    ----------
    radius : ndarray of shape (m,)
        Radii at curvature -1, any finite number.
    direction : ndarray of shape (m, n)
        Unit directions.
    ideal : ndarray of shape (n_ideal, n)
        Ideal points: unit vectors.

    Returns
    -------
    values : ndarray of shape (m, n_ideal)

    Examples
    --------
    >>> polar_busemann(np.array([5.0]), np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [-1.0, 0.0]]))
    array([[-5.,  5.]])
    """
    gap = 0.5 * cdist(direction, ideal, "sqeuclidean")  # 1 - u·ω, with all its digits
    near = radius < _NEAR
    if near.any():
        values = np.empty_like(gap)
        # exp(-r) + sinh r (1 - u·ω) is close to 1 there: only the difference has the digits.
        r = radius[near, None]
        values[near] = np.log1p(np.expm1(-r) + np.sinh(r) * gap[near])
        if not near.all():
            values[~near] = polar_busemann(radius[~near], direction[~near], ideal)
        return np.asarray(values)
    gap += (2.0 - gap) * np.exp(-2.0 * radius)[:, None]
    # Beyond radius 350 the exponential is 0, and so is the gap where ω is the direction itself.
    np.log(np.maximum(gap, np.finfo(np.float64).tiny, out=gap), out=gap)
    return np.asarray(gap + radius[:, None] - LOG_2)


def boost_ideal_points(radius: Array, direction: Array, ideal: Array) -> Array:
    """Carry ideal points, row by row, by the boosts that take the origin to polar points.

    Parameters
    ----------
    radius : ndarray of shape (m,)
        Radii at curvature -1.
    direction : ndarray of shape (m, n)
        Unit directions.
    ideal : ndarray of shape (m, n)
        Ideal points: unit vectors.

    Returns
    -------
    carried : ndarray of shape (m, n)

    Notes
    -----
    With t the component of ω along the direction, the others shrink by ``cosh r + t sinh r``.

    Examples
    --------
    >>> east, north = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> boost_ideal_points(np.array([1.0]), east, north).round(4)
    array([[0.7616, 0.6481]])
    """
    along = np.einsum("ij,ij->i", ideal, direction)
    across = ideal - along[:, None] * direction
    shrink = np.exp(-2.0 * radius) * (1.0 - along)
    carried = (1.0 + along - shrink)[:, None] * direction
    carried += 2.0 * np.exp(-radius)[:, None] * across
    return np.asarray(carried / np.linalg.norm(carried, axis=1)[:, None])
