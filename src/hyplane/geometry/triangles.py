"""Hyperbolic triangles at curvature -1."""

import numpy as np

from hyplane._typing import Array, ArrayLike
from hyplane.geometry._arrays import finite_array

_LONGEST = 700.0  # the products of exponentials below overflow a little later


def solve_triangle(
    radius: ArrayLike, heading: ArrayLike, length: ArrayLike
) -> tuple[Array, Array, Array]:
    """Go a length from points of the plane, by a heading measured from the outward direction.

    The origin, the start and the end are the corners of a triangle of which two sides and an angle
    are known.

    Parameters
    ----------
    radius : array-like of shape (m,)
        Distances of the starts from the origin.
    heading : array-like of shape (m,)
        Angles between the way and the outward direction.
    length : float or array-like of shape (m,)
        Length of the way. Twice the radius and the length together may be 700 at most.

    Returns
    -------
    reached : ndarray of shape (m,)
        Distances of the ends from the origin.
    turn : ndarray of shape (m,)
        Change of the polar angle. It is computed by itself and has all its digits, however small
        it is far out.
    back : ndarray of shape (m,)
        Heading of the way back, measured from the outward direction at the end.

    Examples
    --------
    >>> reached, turn, back = solve_triangle(np.array([1.0]), np.array([0.0]), 2.0)
    >>> reached, turn, bool(abs(back[0]) == np.pi)
    (array([3.]), array([0.]), True)
    """
    radius, heading = finite_array(radius, "radius"), finite_array(heading, "heading")
    length = finite_array(length, "length")
    if (2.0 * np.abs(radius) > _LONGEST - np.abs(length)).any():
        raise ValueError(
            f"2 radius + length must be at most {_LONGEST:g}, where the angles are still doubles; "
            f"got radii up to {np.abs(radius).max():g} and length {np.abs(length).max():g}."
        )
    ahead = 2.0 * np.cos(heading / 2.0) ** 2  # 1 + cos, without cancellation
    half = np.sinh((radius - length) / 2.0) ** 2
    half = half + np.sinh(radius) * np.sinh(length) * ahead / 2.0
    reached = 2.0 * np.arcsinh(np.sqrt(half))
    along = np.sinh(radius - length) + np.cosh(radius) * np.sinh(length) * ahead
    turn = np.arctan2(np.sinh(length) * np.sin(heading), along)
    inward = np.sinh(radius - reached)
    inward = inward - np.cosh(reached) * np.sinh(radius) * 2.0 * np.sin(turn / 2.0) ** 2
    return reached, turn, np.arctan2(-np.sinh(radius) * np.sin(turn), inward)
