"""Points at infinity, and how far away they are: the Busemann function."""

import numpy as np

from hyplane._typing import Array, ArrayLike
from hyplane.geometry._arrays import finite_array, finite_rows


def boost_ideal_points(radius: ArrayLike, direction: ArrayLike, ideal: ArrayLike) -> Array:
    """Carry ideal points, row by row, by the boosts that take the origin to polar points.

    Parameters
    ----------
    radius : array-like of shape (m,)
        Radii at curvature -1.
    direction : array-like of shape (m, n)
        Unit directions.
    ideal : array-like of shape (m, n)
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
    radius, direction = finite_rows(radius, direction)
    ideal = finite_array(ideal, "ideal", 2)
    if ideal.shape != direction.shape:
        raise ValueError(f"direction has shape {direction.shape} where ideal has {ideal.shape}.")
    along = np.einsum("ij,ij->i", ideal, direction)
    across = ideal - along[:, None] * direction
    shrink = np.exp(-2.0 * radius) * (1.0 - along)
    carried = (1.0 + along - shrink)[:, None] * direction
    carried += 2.0 * np.exp(-radius)[:, None] * across
    return np.asarray(carried / np.linalg.norm(carried, axis=1)[:, None])
