"""What the kernels are made of: each is ``exp(-γ D)`` of a dissimilarity D.

``exp(-γ D)`` is positive definite for every γ > 0 exactly when D is conditionally negative
definite (Schoenberg). ``log cosh d`` and ``d`` are, and so is the squared Euclidean distance of
tangent vectors at one fixed point, or of points of the ball; ``d²`` is not.
"""

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry import pairwise_distances, to_polar
from hyplane.geometry.distances import log_cosh_distances
from hyplane.geometry.validation import as_rows

Dissimilarity = Callable[..., Array]

_GAUSSIAN = {"gaussian", "geodesic_gaussian", "geodesic_rbf", "rbf"}


def plain_distance(
    X: ArrayLike, Y: ArrayLike | None, *, coordinates: str, curvature: float
) -> Array:
    """Return the distances of all pairs in units of curvature -1.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
    Y : array-like of shape (m2, n_columns) or None
        X itself where None.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
    curvature : float
        A negative number.

    Returns
    -------
    D : ndarray of shape (m1, m2)

    Examples
    --------
    >>> plain_distance([[3.0, 0.0]], [[1.0, 0.0]], coordinates="polar", curvature=-4.0)
    array([[4.]])
    """
    d = pairwise_distances(X, Y, coordinates=coordinates, curvature=curvature)
    d *= np.sqrt(-curvature)
    return d


def squared_tangent_distance(
    X: ArrayLike, Y: ArrayLike | None, *, coordinates: str, curvature: float
) -> Array:
    """Return ``|log x - log y|²`` of all pairs: the log map is that of the origin.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
    Y : array-like of shape (m2, n_columns) or None
        X itself where None.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
    curvature : float
        A negative number.

    Returns
    -------
    D : ndarray of shape (m1, m2)

    Examples
    --------
    >>> squared_tangent_distance([[3.0, 0.0]], [[1.0, 0.0]], coordinates="polar", curvature=-1.0)
    array([[4.]])
    """
    return _squared_distances(tangent_vectors, X, Y, coordinates, curvature)


def squared_ball_distance(
    X: ArrayLike, Y: ArrayLike | None, *, coordinates: str, curvature: float
) -> Array:
    """Return ``|b - b'|²`` of all pairs, b being the points of the unit ball.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
    Y : array-like of shape (m2, n_columns) or None
        X itself where None.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
    curvature : float
        A negative number.

    Returns
    -------
    D : ndarray of shape (m1, m2)

    Examples
    --------
    >>> squared_ball_distance([[0.5, 0.0]], [[0.0, 0.5]], coordinates="ball", curvature=-1.0)
    array([[0.5]])
    """
    return _squared_distances(ball_vectors, X, Y, coordinates, curvature)


def _squared_distances(
    vectors: Callable[[ArrayLike, str, float], Array],
    X: ArrayLike,
    Y: ArrayLike | None,
    coordinates: str,
    curvature: float,
) -> Array:
    left = vectors(X, coordinates, curvature)
    right = left if Y is None else vectors(Y, coordinates, curvature)
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            "X and Y must have the same number of columns; "
            f"got points of dimension {left.shape[1]} and {right.shape[1]}."
        )
    return np.asarray(cdist(left, right, "sqeuclidean"))


def tangent_vectors(X: ArrayLike, coordinates: str, curvature: float) -> Array:
    """Return the log map at the origin, in units of curvature -1.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
    curvature : float
        A negative number.

    Returns
    -------
    vectors : ndarray of shape (m, n)

    Examples
    --------
    >>> tangent_vectors([[3.0, 0.0]], "polar", -1.0)
    array([[3., 0.]])
    """
    radius, direction = to_polar(X, coordinates, curvature=curvature)
    return np.asarray(radius[:, None] * direction)


def ball_vectors(X: ArrayLike, coordinates: str, curvature: float) -> Array:
    """Return the points of the unit ball, in units of curvature -1.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
    curvature : float
        A negative number.

    Returns
    -------
    vectors : ndarray of shape (m, n)

    Examples
    --------
    >>> ball_vectors([[3.0, 0.0]], "polar", -1.0).round(3)
    array([[0.905, 0.   ]])
    """
    radius, direction = to_polar(X, coordinates, curvature=curvature)
    return np.asarray(np.tanh(0.5 * radius)[:, None] * direction)


DISSIMILARITIES: dict[str, Dissimilarity] = {
    "secant": log_cosh_distances,
    "laplacian": plain_distance,
    "tangent_rbf": squared_tangent_distance,
    "ball_rbf": squared_ball_distance,
}


def find_dissimilarity(kernel: str) -> Dissimilarity:
    """Return the dissimilarity of a kernel by its name.

    Parameters
    ----------
    kernel : {"secant", "laplacian", "tangent_rbf", "ball_rbf"}

    Returns
    -------
    dissimilarity : callable
        Called as ``dissimilarity(X, Y, coordinates=…, curvature=…)``.

    Raises
    ------
    ValueError
        If there is no such kernel; the message says why.

    Examples
    --------
    >>> find_dissimilarity("laplacian").__name__
    'plain_distance'
    """
    if kernel in _GAUSSIAN:
        raise ValueError(
            f"kernel={kernel!r}: the Gaussian exp(-gamma d²) of the geodesic distance is not "
            "positive definite on hyperbolic space, so it is not a kernel. Use "
            "'secant', cosh(d)**-gamma, which is and behaves like a Gaussian for near points, or "
            "'tangent_rbf', the Gaussian of the log map at the origin, which depends on the origin."
        )
    if kernel not in DISSIMILARITIES:
        raise ValueError(f"kernel must be one of {list(DISSIMILARITIES)}; got {kernel!r}.")
    return DISSIMILARITIES[kernel]


def single_points(X: ArrayLike, Y: ArrayLike | None) -> tuple[ArrayLike, ArrayLike | None, bool]:
    """Return both as arrays of rows, and whether they were two single points.

    Parameters
    ----------
    X, Y : array-like
        Points, or two single points; Y may be None.

    Returns
    -------
    X, Y : array-like
    single : bool

    Examples
    --------
    >>> single_points([0.0, 0.0], [0.5, 0.0])[2]
    True
    """
    if Y is None or np.ndim(X) != 1 or np.ndim(Y) != 1:
        return X, Y, False
    return as_rows(X), as_rows(Y), True
