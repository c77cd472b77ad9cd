"""The paper's soft-margin objective, stated in NumPy."""

import numpy as np

from hyplane._utils.typing import Array
from hyplane.geometry import minkowski_product
from hyplane.solvers._explain import NUMBER, TABLE, explained


@explained(x=TABLE, C=NUMBER)
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
    return float(-0.5 * minkowski_product(w, w)) + float(C) * float(weights @ losses)
