"""Lengths, directions and logarithms of hyperbolic functions that never overflow."""

import numpy as np

from hyplane._utils.typing import Array

LOG_2 = float(np.log(2.0))


def row_norms(vectors: Array) -> Array:
    """Return the Euclidean length of every row, also where its square leaves the doubles.

    Parameters
    ----------
    vectors : ndarray of shape (m, n)

    Returns
    -------
    norms : ndarray of shape (m,)

    Examples
    --------
    >>> row_norms(np.array([[3.0, 4.0], [3e200, 4e200]]))
    array([5.e+000, 5.e+200])
    """
    with np.errstate(over="ignore", under="ignore"):
        square = np.asarray(np.einsum("ij,ij->i", vectors, vectors))
    norms: Array = np.sqrt(square)
    rows = np.flatnonzero(~((square > 1e-270) & (square < 1e300)))
    if rows.size:
        part = vectors[rows]
        largest = np.abs(part).max(axis=1, initial=0.0)
        scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
        part = part / scale[:, None]
        norms[rows] = scale * np.sqrt(np.einsum("ij,ij->i", part, part))
    return norms


def all_finite(values: Array) -> bool:
    """Say whether all numbers are finite.

    Examples
    --------
    >>> all_finite(np.array([1e308, 1e308])), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    # If the sum is finite, so are all numbers: one pass, without a temporary array.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())


def directions(vectors: Array, norms: Array) -> Array:
    """Return the rows divided by their lengths; the zero vector gets the first axis.

    Parameters
    ----------
    vectors : ndarray of shape (m, n)
    norms : ndarray of shape (m,)
        Their lengths, see `row_norms`.

    Returns
    -------
    units : ndarray of shape (m, n)

    Examples
    --------
    >>> directions(np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([2.0, 0.0]))
    array([[0., 1.],
           [1., 0.]])
    """
    zero = norms == 0
    if not zero.any():
        return np.asarray(vectors / norms[:, None])
    unit = vectors / np.where(zero, 1.0, norms)[:, None]
    unit[zero] = 0.0
    unit[zero, 0] = 1.0
    return unit


def log_sinh(x: Array) -> Array:
    """Return ``log(sinh(x))``.

    Parameters
    ----------
    x : ndarray
        Not negative.

    Returns
    -------
    values : ndarray

    Examples
    --------
    >>> log_sinh(np.array([0.0, 1000.0])).round(4)
    array([    -inf, 999.3069])
    """
    with np.errstate(divide="ignore"):
        return x - LOG_2 + np.log(-np.expm1(-2.0 * x))


def log_cosh(x: Array) -> Array:
    """Return ``log(cosh(x))``.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    values : ndarray

    Examples
    --------
    >>> log_cosh(np.array([0.0, -1000.0])).round(4)
    array([  0.    , 999.3069])
    """
    x = np.abs(x)
    return x - LOG_2 + np.log1p(np.exp(-2.0 * x))


def arsinh_exp(log_x: Array) -> Array:
    """Return ``arsinh(exp(log_x))``, also where the exponential overflows.

    Parameters
    ----------
    log_x : ndarray

    Returns
    -------
    values : ndarray

    Examples
    --------
    >>> arsinh_exp(np.array([-np.inf, 1000.0])).round(4)
    array([   0.    , 1000.6931])
    """
    return np.where(log_x > 40.0, log_x + LOG_2, np.arcsinh(np.exp(np.minimum(log_x, 40.0))))


def scaled_sinh(x: Array, scale: Array) -> Array:
    """Return ``sinh(x) exp(-scale)``; where the scale is 0 it is the plain sinh.

    Parameters
    ----------
    x, scale : ndarray of the same shape

    Returns
    -------
    values : ndarray

    Examples
    --------
    >>> scaled_sinh(np.array([0.0, 1000.0]), np.array([0.0, 1000.0]))
    array([0. , 0.5])
    """
    plain = np.sinh(np.where(scale == 0, x, 0.0))
    with np.errstate(under="ignore"):
        far = 0.5 * (np.exp(x - scale) - np.exp(-x - scale))
    return np.where(scale == 0, plain, far)


def scaled_cosh(x: Array, scale: Array) -> Array:
    """Return ``cosh(x) exp(-scale)``; where the scale is 0 it is the plain cosh.

    Parameters
    ----------
    x, scale : ndarray of the same shape

    Returns
    -------
    values : ndarray

    Examples
    --------
    >>> scaled_cosh(np.array([0.0, 1000.0]), np.array([0.0, 1000.0]))
    array([1. , 0.5])
    """
    plain = np.cosh(np.where(scale == 0, x, 0.0))
    with np.errstate(under="ignore"):
        far = 0.5 * (np.exp(x - scale) + np.exp(-x - scale))
    return np.where(scale == 0, plain, far)
