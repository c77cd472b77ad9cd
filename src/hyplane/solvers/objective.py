"""The paper's soft-margin objective, stated in NumPy: what the compiled kernel must agree with."""

import numpy as np

from hyplane._typing import Array
from hyplane.geometry import hyperplane_normal, minkowski_product


def soft_margin_objective(
    x: Array, y: Array, w: Array, C: float = 1.0, sample_weight: Array | None = None
) -> float:
    r"""Return :math:`-\frac12 w*w + C \sum_j c_j \max(0, \sinh^{-1}1 - \sinh^{-1}(y_j\, w*x_j))`.

    Parameters
    ----------
    x : ndarray of shape (m, n + 1)
        Points in hyperboloid coordinates, curvature -1.
    y : ndarray of shape (m,)
        Labels, 1 or -1.
    w : ndarray of shape (n + 1,)
        Normal vector of the hyperplane, ``w*w < 0``.
    C : float, default=1.0
        Weight of the losses.
    sample_weight : ndarray of shape (m,), default=None
        The weights :math:`c_j`; 1 by default.

    Returns
    -------
    objective : float

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437, equation 10.

    Examples
    --------
    >>> x = np.array([[np.cosh(2.0), np.sinh(2.0)], [np.cosh(2.0), -np.sinh(2.0)]])
    >>> soft_margin_objective(x, np.array([-1.0, 1.0]), np.array([0.0, 1.0]))
    0.5
    """
    weights = np.ones(len(x)) if sample_weight is None else sample_weight
    scores = y * minkowski_product(x, w)
    losses = np.maximum(0.0, np.arcsinh(1.0) - np.arcsinh(scores))
    return float(-0.5 * minkowski_product(w, w) + C * (weights @ losses))


def soft_margin_gradient(
    x: Array, y: Array, w: Array, C: float = 1.0, sample_weight: Array | None = None
) -> Array:
    """Return the gradient of `soft_margin_objective` in ``w`` (where no score is exactly 1).

    Parameters
    ----------
    x, y, w, C, sample_weight
        As in `soft_margin_objective`.

    Returns
    -------
    gradient : ndarray of shape (n + 1,)

    Examples
    --------
    >>> x = np.array([[np.cosh(2.0), np.sinh(2.0)], [np.cosh(2.0), -np.sinh(2.0)]])
    >>> soft_margin_gradient(x, np.array([-1.0, 1.0]), np.array([0.0, 1.0]))
    array([-0.,  1.])
    """
    weights = np.ones(len(x)) if sample_weight is None else sample_weight
    signs = np.r_[1.0, -np.ones(x.shape[1] - 1)]
    scores = y * minkowski_product(x, w)
    slopes = np.where(scores < 1.0, weights * y / np.sqrt(1.0 + scores**2), 0.0)
    return np.asarray(-signs * w - C * signs * (slopes @ x))


def hyperplane_gradient(gradient: Array, log_scale: float, offset: float, normal: Array) -> Array:
    """Carry a gradient in ``w`` to the chart ``w = s (sinh a, cosh a · u)``.

    Parameters
    ----------
    gradient : ndarray of shape (n + 1,)
        Gradient in ``w``.
    log_scale, offset : float
        ``log s`` and ``a``.
    normal : ndarray of shape (n,)
        The unit vector ``u``.

    Returns
    -------
    gradient : ndarray of shape (n + 2,)
        Derivatives in ``log s``, ``a`` and ``u`` (tangential to the sphere).

    Examples
    --------
    >>> hyperplane_gradient(np.array([1.0, 2.0, 3.0]), 0.0, 0.0, np.array([1.0, 0.0]))
    array([2., 1., 0., 3.])
    """
    scale = np.exp(log_scale)
    w = hyperplane_normal(scale, offset, normal)
    along_offset = scale * np.r_[np.cosh(offset), np.sinh(offset) * normal]
    along_normal = scale * np.cosh(offset) * gradient[1:]
    tangential = along_normal - (along_normal @ normal) * normal
    return np.concatenate([[gradient @ w, gradient @ along_offset], tangential])
