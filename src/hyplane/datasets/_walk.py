"""Going a given distance from a given point, in native polar coordinates."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def walk(
    radius: Floats, direction: Floats, length: Floats, heading: Floats
) -> tuple[Floats, Floats]:
    """Go from points along geodesics: the Lorentz boost to a point, in polar coordinates.

    The point ``(length, heading)`` is carried by the boost that takes the origin to
    ``(radius, direction)``. Everything is divided by ``exp(radius + length)``, so that no radius
    is too large, and nothing is a difference of near numbers, so that a walk back towards the
    origin keeps its digits (from radii up to 370, whose exponentials squared are still doubles).

    Parameters
    ----------
    radius, length : ndarray of shape (m,)
    direction, heading : ndarray of shape (m, n)
        Unit vectors.

    Returns
    -------
    radius : ndarray of shape (m,)
    direction : ndarray of shape (m, n)

    Examples
    --------
    >>> one, east, west = np.ones(1), np.array([[1.0, 0.0]]), np.array([[-1.0, 0.0]])
    >>> walk(one, east, 3 * one, west)
    (array([2.]), array([[-1.,  0.]]))
    """
    # 1 + cos of the angle between heading and direction, exact also where they are opposite.
    opening = ((heading + direction) ** 2).sum(axis=1) / 2.0
    across = heading + (1.0 - opening)[:, np.newaxis] * direction
    gap = np.abs(radius - length)
    damping = np.exp(-2.0 * np.minimum(radius, length))
    grown = -np.expm1(-2.0 * length)
    half = damping * np.expm1(-gap) ** 2 + -np.expm1(-2.0 * radius) * grown * opening / 2.0
    along = -np.copysign(damping, radius - length) * np.expm1(-2.0 * gap)
    along += (1.0 + np.exp(-2.0 * radius)) * grown * opening / 2.0
    with np.errstate(divide="ignore"):
        log_half = radius + length + np.log(half / 4.0)  # log sinh²(r/2)
    near = 2.0 * np.arcsinh(np.exp(np.minimum(log_half, 80.0) / 2.0))
    new_radius = np.where(log_half < 80.0, near, log_half + np.log(4.0))
    vector = along[:, np.newaxis] * direction
    vector += (np.exp(-radius) * grown)[:, np.newaxis] * across
    norm = np.linalg.norm(vector, axis=1)[:, np.newaxis]
    at_origin = norm == 0.0
    return new_radius, np.where(at_origin, direction, vector / np.where(at_origin, 1.0, norm))
