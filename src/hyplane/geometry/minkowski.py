"""The Minkowski product."""

import numpy as np

from hyplane._typing import Array, ArrayLike

__all__ = ["minkowski_product"]


def minkowski_product(x: ArrayLike, y: ArrayLike) -> Array:
    """Return ``x*y = x0 y0 - x1 y1 - … - xn yn`` over the last axis.

    Parameters
    ----------
    x, y : array-like of shape (..., n + 1)
        Vectors of Minkowski space, broadcast against each other.

    Returns
    -------
    product : ndarray of shape (...)

    Examples
    --------
    >>> float(minkowski_product([1.25, 0.75, 0.0], [1.25, 0.75, 0.0]))
    1.0
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim == 0 or y.ndim == 0 or x.shape[-1] != y.shape[-1] or x.shape[-1] < 2:
        raise ValueError(
            "x and y must have the same number of components, two or more; "
            f"got shapes {x.shape} and {y.shape}."
        )
    spatial = np.einsum("...i,...i->...", x[..., 1:], y[..., 1:])
    return np.asarray(x[..., 0] * y[..., 0] - spatial)
