"""Kernels as functions of two sets of points, in the manner of ``sklearn.metrics.pairwise``.

All distances are those at curvature -1 (``sqrt(k)`` times the ones at curvature -k), so that γ has
no unit: the same points written at another curvature give the same kernel.
"""

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.features.dissimilarity import find_dissimilarity, single_points
from hyplane.features.scale import resolve_gamma


def secant_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    gamma: float | str = "scale",
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Hyperbolic secant kernel ``cosh(d)^-γ = (x*y)^-γ``.

    Smooth, invariant under isometries and positive definite for every γ > 0. For near points it is
    a Gaussian, ``exp(-γ d²/2)``; for far ones it falls like ``2^γ exp(-γ d)``.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    gamma : float or "scale", default="scale"
        The exponent, a positive number. "scale" takes it from Y (or X, where Y is None), the
        training points in scikit-learn's estimators: see `scale_gamma`.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    K : ndarray of shape (m1, m2)
        Exactly 1 where the points are the same. Two single points (1-D) give a number.

    See Also
    --------
    HyperbolicKernel : The same as an object that every kernel method of scikit-learn takes.

    Examples
    --------
    >>> secant_kernel([[0.0, 0.0], [0.5, 0.0]], gamma=1.0).round(3)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    return _kernel("secant", X, Y, gamma, coordinates, curvature)


def laplacian_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    gamma: float | str = "scale",
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Laplacian kernel ``exp(-γ d)`` of the geodesic distance.

    Invariant under isometries and positive definite for every γ > 0: d counts the hyperplanes
    between two points, so it is conditionally negative definite. Not smooth at d = 0.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    gamma : float or "scale", default="scale"
        Decay, a positive number. "scale" takes it from Y (or X, where Y is None): see
        `scale_gamma`.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    K : ndarray of shape (m1, m2)
        Exactly 1 where the points are the same. Two single points (1-D) give a number.

    Examples
    --------
    >>> laplacian_kernel([[0.0, 0.0], [0.5, 0.0]], gamma=1.0).round(3)
    array([[1.   , 0.333],
           [0.333, 1.   ]])
    """
    return _kernel("laplacian", X, Y, gamma, coordinates, curvature)


def tangent_rbf_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    gamma: float | str = "scale",
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Gaussian ``exp(-γ |log x - log y|²)`` of the log map at the origin.

    Positive definite, but it depends on where the origin is: here for comparison.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    gamma : float or "scale", default="scale"
        A positive number. "scale" takes it from Y (or X, where Y is None): see `scale_gamma`.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    K : ndarray of shape (m1, m2)
        Exactly 1 where the points are the same. Two single points (1-D) give a number.

    References
    ----------
    Fang, Harandi, Petersson (2021). Kernel Methods in Hyperbolic Spaces. ICCV.

    Examples
    --------
    >>> tangent_rbf_kernel([[0.0, 0.0], [0.5, 0.0]], gamma=1.0).round(3)
    array([[1.   , 0.299],
           [0.299, 1.   ]])
    """
    return _kernel("tangent_rbf", X, Y, gamma, coordinates, curvature)


def _kernel(
    kernel: str,
    X: ArrayLike,
    Y: ArrayLike | None,
    gamma: float | str,
    coordinates: str,
    curvature: float,
) -> Array:
    dissimilarity = find_dissimilarity(kernel)
    X, Y, single = single_points(X, Y)
    if single and isinstance(gamma, str):
        raise ValueError(
            "two single points have no scale of their own: give gamma as a number. KernelRidge and "
            "KernelPCA call a function on one pair of points at a time; hyplane.features."
            "HyperbolicKernel works on whole arrays and is much faster there."
        )
    value = resolve_gamma(
        gamma, X if Y is None else Y, kernel, coordinates=coordinates, curvature=curvature
    )
    K = dissimilarity(X, Y, coordinates=coordinates, curvature=curvature)
    with np.errstate(over="ignore"):
        K *= -value  # -inf where the kernel is 0
    np.exp(K, out=K)
    return K[0, 0] if single else K
