"""The signed distance of points to hyperplanes (Theorem 1 of the paper), at any radius."""

import numpy as np
from scipy.spatial.distance import cdist

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry._arrays import finite_array, finite_rows
from hyplane.geometry._table import find_chart
from hyplane.geometry.hyperplanes import hyperplane_parameters
from hyplane.geometry.numerics import arsinh_exp, log_cosh, log_sinh
from hyplane.geometry.validation import as_doubles, check_curvature, checked_polar

_BLOCK = 1 << 16
_PLAIN_BELOW = 600.0


def signed_distance(
    X: ArrayLike, w: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the signed distance of points to hyperplanes, positive where ``w*x > 0``.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    w : array-like of shape (n + 1,) or (n_planes, n + 1)
        Normals in Minkowski space, ``w*w < 0``.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m,) or (m, n_planes)

    Notes
    -----
    ``arsinh(w*x / sqrt(-w*w))`` by Theorem 1 of [1]_, evaluated at any finite radius.

    References
    ----------
    .. [1] H. Cho, B. DeMeo, J. Peng and B. Berger, "Large-margin classification in hyperbolic
       space", AISTATS 2019, arXiv:1806.00437.

    Examples
    --------
    >>> signed_distance([[2.0, 0.0], [2.0, 3.14159265]], [0.0, 1.0, 0.0], coordinates="polar")
    array([-2.,  2.])
    """
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    radius, direction = checked_polar(X, chart, k)
    _, offset, normal = hyperplane_parameters(w)
    if normal.shape[-1] != direction.shape[1]:
        raise ValueError(
            f"w has {normal.shape[-1] + 1} components but points of dimension "
            f"{direction.shape[1]} need {direction.shape[1] + 1}."
        )
    distances = polar_signed_distance(radius, direction, offset, normal)
    distances /= np.sqrt(k)
    return distances


def polar_signed_distance(
    radius: ArrayLike, direction: ArrayLike, offset: ArrayLike, normal: ArrayLike
) -> Array:
    """Return the signed distance at curvature -1 of polar points to hyperplanes (a, u).

    The work of `signed_distance` for points that are already polar.

    Parameters
    ----------
    radius : array-like of shape (m,)
        Radii, any finite number.
    direction : array-like of shape (m, n)
        Unit directions.
    offset : float or array-like of shape (n_planes,)
        Signed distances of the origin.
    normal : array-like of shape (n,) or (n_planes, n)
        Unit normals.

    Returns
    -------
    distances : ndarray of shape (m,) or (m, n_planes)

    Notes
    -----
    ``w*x / s = sinh(a - r) + cosh a sinh r |u - v|²/2`` for a point in direction v. The squared
    chord keeps the digits that ``1 - u·v`` would lose for points in the direction of the normal;
    with a negative offset the same is done for the opposite normal.

    Examples
    --------
    >>> polar_signed_distance(np.array([5000.0]), np.array([[1.0, 0.0]]), 1.0, [1.0, 0.0])
    array([-4999.])
    """
    radius, direction = finite_rows(radius, direction)
    normal = finite_array(normal, "normal", 1, 2)
    single = normal.ndim == 1
    normals, offsets = np.atleast_2d(normal), np.atleast_1d(as_doubles(offset, "offset")[0])
    if not len(normals) or offsets.shape not in ((1,), (len(normals),)):
        raise ValueError(f"offset has shape {offsets.shape} for {len(normals)} normals.")
    if normals.shape[1] != direction.shape[1] or np.isnan(offsets).any():
        raise ValueError(
            f"normal has {normals.shape[1]} components for directions of {direction.shape[1]}, and "
            "an offset must not be nan."
        )
    side = np.where(offsets < 0, -1.0, 1.0)
    normals, offsets = side[:, None] * normals, np.abs(offsets)
    distances = np.empty((len(radius), len(normals)))
    step = max(1, _BLOCK // len(normals))
    for start in range(0, len(radius), step):
        rows = slice(start, start + step)
        half = cdist(direction[rows], normals, "sqeuclidean")
        half *= 0.5
        distances[rows] = _to_planes(radius[rows, None], half, offsets)
    distances *= side
    return distances[:, 0] if single else distances


def _to_planes(radius: Array, half: Array, offset: Array) -> Array:
    if radius.max() + offset.max() < _PLAIN_BELOW:
        half *= np.sinh(radius)
        half *= np.cosh(offset)
        half += np.sinh(offset - radius)
        return np.arcsinh(half, out=half)
    difference = offset - radius
    size = np.abs(difference)
    with np.errstate(divide="ignore"):
        across = log_cosh(offset) + log_sinh(radius) + np.log(half)
        largest = np.maximum(size, across)
        radial = 0.5 * np.sign(difference) * np.exp(size - largest) * -np.expm1(-2.0 * size)
        rest = radial + np.exp(across - largest)
        return np.asarray(np.sign(rest) * arsinh_exp(largest + np.log(np.abs(rest))))
