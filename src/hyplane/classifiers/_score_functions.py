"""What a hyperplane ranks points by: the Minkowski product, or the product in Klein coordinates."""

import numpy as np

from hyplane._utils.typing import Array
from hyplane.geometry.numerics import arsinh_exp, log_cosh, log_sinh

SCORE_FUNCTIONS = ("minkowski", "klein")
# The parameter: one of them, or a choice by cross validation.
SCORE_FUNCTION_OPTIONS = ("auto", *SCORE_FUNCTIONS)


def klein_scores(scores: Array, radius: Array) -> Array:
    """Turn ``arsinh(w*x)`` into ``arsinh(w*x / x0)``.

    The quotient is linear in the Klein coordinates ``x1: / x0`` and zero on the same hyperplane. It
    is bounded, so that points do not rank high by their distance from the origin alone.

    Parameters
    ----------
    scores : ndarray of shape (m, n_problems)
        ``arsinh(w*x)``.
    radius : ndarray of shape (m,)
        Distances of the points from the origin, ``x0 = cosh r``.

    Returns
    -------
    scores : ndarray of shape (m, n_problems)

    Examples
    --------
    >>> klein_scores(np.arcsinh([[2.0], [-2.0]]), np.arccosh([1.0, 2.0])).round(6)
    array([[ 1.443635],
           [-0.881374]])
    """
    with np.errstate(divide="ignore"):  # a point on the hyperplane scores 0
        log_product = log_sinh(np.abs(scores))
    return np.asarray(np.sign(scores) * arsinh_exp(log_product - log_cosh(radius)[:, None]))
