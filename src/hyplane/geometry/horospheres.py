"""Horospheres: spheres with their centre at infinity, and the Busemann functions behind them.

An ideal point is a unit vector ω, the end of a ray from the origin. The Busemann function of ω at x
is how much farther x is from ω than the origin is, ``log(w*x)`` with the null vector
``w = (1, ω)``. Its level sets are the horospheres centred at ω.
"""

import numpy as np
from scipy.spatial.distance import cdist

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry._arrays import finite_array, finite_rows
from hyplane.geometry._table import find_chart
from hyplane.geometry.numerics import row_norms
from hyplane.geometry.validation import as_doubles, check_curvature, checked_polar

__all__ = ["busemann", "check_ideal_points", "horosphere_distance", "polar_busemann"]

_BLOCK = 1 << 16


def busemann(
    X: ArrayLike, ideal: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the Busemann functions of ideal points, which are 0 at the origin.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    ideal : array-like of shape (n,) or (n_ideal, n)
        Ideal points, as unit vectors.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    values : ndarray of shape (m,) or (m, n_ideal)
        The limit of ``d(x, y) - d(o, y)`` as y goes to ω along a ray, o being the origin: negative
        on the side of ω. Two points differ in it by at most their distance.

    Notes
    -----
    ``log(w*x) = log(cosh r - sinh r cos φ)`` with ``w = (1, ω)`` and φ the angle between the
    point and ω; minus the logarithm of the Poisson kernel. It is evaluated as
    ``r + log(sin²(φ/2) + exp(-2r) cos²(φ/2))``, at any radius.

    Examples
    --------
    >>> busemann([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.0]], [1.0, 0.0]).round(4)
    array([-1.0986,  1.0986,  0.    ])
    >>> busemann([[5000.0, 0.0]], [1.0, 0.0], coordinates="polar")
    array([-5000.])
    """
    k = check_curvature(curvature)
    radius, direction = checked_polar(X, find_chart(coordinates), k)
    single = np.ndim(ideal) == 1
    values = polar_busemann(radius, direction, check_ideal_points(ideal, direction.shape[1]))
    values /= np.sqrt(k)
    return values[:, 0] if single else values


def horosphere_distance(
    X: ArrayLike,
    ideal: ArrayLike,
    level: ArrayLike = 0.0,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the signed distance of points to horospheres, negative inside.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    ideal : array-like of shape (n,) or (n_ideal, n)
        The centres, as unit vectors.
    level : float or array-like of shape (n_ideal,), default=0.0
        Values of the Busemann functions on the horospheres: the signed distance of the origin to
        each is ``-level``.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m,) or (m, n_ideal)

    Examples
    --------
    >>> horosphere_distance([[0.0, 0.0], [0.5, 0.0]], [1.0, 0.0], -1.0).round(4)
    array([ 1.    , -0.0986])
    """
    values = busemann(X, ideal, coordinates=coordinates, curvature=curvature)
    return np.asarray(values - as_doubles(level, "level")[0])


def polar_busemann(radius: Array, direction: Array, ideal: Array) -> Array:
    """Return Busemann functions at curvature -1 of polar points, without checks.

    Parameters
    ----------
    radius : ndarray of shape (m,)
        Radii, any finite number.
    direction : ndarray of shape (m, n)
        Unit directions.
    ideal : ndarray of shape (n_ideal, n)
        Unit vectors.

    Returns
    -------
    values : ndarray of shape (m, n_ideal)

    Examples
    --------
    >>> polar_busemann(np.array([2.0]), np.array([[1.0, 0.0]]), np.eye(2)).round(4)
    array([[-2.   ,  1.325]])
    """
    values = np.empty((len(radius), len(ideal)))
    step = max(1, _BLOCK // max(1, len(ideal)))
    for first in range(0, len(radius), step):
        rows = slice(first, first + step)
        # The squared chord keeps the digits that 1 - cos φ would lose towards ω.
        sine = 0.25 * cdist(direction[rows], ideal, "sqeuclidean")
        r = radius[rows, None]
        with np.errstate(divide="ignore", under="ignore", over="ignore"):
            far = r + np.logaddexp(np.log(sine), np.log1p(-np.minimum(sine, 1.0)) - 2.0 * r)
            # Below radius 1, e^-r + 2 sinh r sin² is close to 1: only the difference has digits.
            small = np.minimum(r, 1.0)
            near = np.log1p(np.expm1(-small) + 2.0 * np.sinh(small) * sine)
        values[rows] = np.where(r < 1.0, near, far)
    return values


def check_ideal_points(ideal: ArrayLike, n_dim: int) -> Array:
    """Return ideal points as rows of unit length, or say what is wrong with them.

    Parameters
    ----------
    ideal : array-like of shape (n,) or (n_ideal, n)
    n_dim : int
        The dimension of the space.

    Returns
    -------
    ideal : ndarray of shape (n_ideal, n)

    Examples
    --------
    >>> check_ideal_points([0.0, 1.0], 2)
    array([[0., 1.]])
    """
    values, _ = as_doubles(ideal, "ideal")
    rows = np.atleast_2d(values)
    if rows.ndim != 2 or not len(rows) or rows.shape[1] != n_dim:
        raise ValueError(
            f"ideal points of a space of dimension {n_dim} are unit vectors, of shape ({n_dim},) "
            f"or (n_ideal, {n_dim}); got shape {np.shape(values)}."
        )
    norms = row_norms(rows)
    wrong = ~(np.abs(norms - 1.0) <= 1e-6)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"ideal point {row} has length {norms[row]:.6g} but ideal points are unit vectors. "
            "Divide it by its length."
        )
    return np.asarray(rows / norms[:, None])


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
