"""Points along hypercycles, on the hyperboloid."""

import numpy as np

from hyplane._typing import Array


def hypercycle_points(
    offset: float, normal: Array, distance: float = 0.0, *, reach: float = 12.0, n_points: int = 801
) -> Array:
    """Return hyperboloid points at a signed distance d from a hyperplane ``(a, u)`` of the plane.

    ``cosh d γ(t) - sinh d ŵ`` with the unit normal ŵ and γ the hyperplane by its arc length t.

    Parameters
    ----------
    offset : float
        Signed distance a of the origin.
    normal : ndarray of shape (2,)
        Unit normal u.
    distance : float, default=0.0
        Signed distance d, at curvature -1.
    reach : float, default=12.0
        How far to go either way along the hyperplane.
    n_points : int, default=801

    Returns
    -------
    points : ndarray of shape (n_points, 3)

    Examples
    --------
    >>> hypercycle_points(0.0, np.array([1.0, 0.0]), 0.0, reach=1.0, n_points=3).round(3) + 0.0
    array([[ 1.543,  0.   , -1.175],
           [ 1.   ,  0.   ,  0.   ],
           [ 1.543,  0.   ,  1.175]])
    """
    t = np.linspace(-reach, reach, n_points)[:, None]
    middle = np.concatenate([[np.cosh(offset)], np.sinh(offset) * normal])
    along = np.array([0.0, -normal[1], normal[0]])
    unit = np.concatenate([[np.sinh(offset)], np.cosh(offset) * normal])
    geodesic = np.cosh(t) * middle + np.sinh(t) * along
    return np.asarray(np.cosh(distance) * geodesic - np.sinh(distance) * unit)
