"""The exponent of a power law in the degrees, by discrete maximum likelihood."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import zeta

_EXPONENTS = (1.0 + 1e-6, 20.0)
# The least number of nodes in the tail. With fewer, the choice of x_min would end at a few hubs,
# whose degrees fit any law.
_MIN_TAIL = 10


@dataclass(frozen=True)
class PowerLaw:
    """A law ``P(k) ∝ k^-exponent`` for ``k ≥ x_min``.

    Attributes
    ----------
    exponent : float
    x_min : int
        The smallest degree that the law is fitted to.
    n_tail : int
        Nodes of at least this degree.
    ks_distance : float
        Largest difference between the observed and the fitted distribution function of the tail.

    Examples
    --------
    >>> law = fit_power_law([1] * 80 + [2] * 20 + [3] * 9 + [5] * 3, x_min=1)
    >>> law.x_min, law.n_tail
    (1, 112)
    """

    exponent: float
    x_min: int
    n_tail: int
    ks_distance: float


def fit_power_law(degrees: ArrayLike, *, x_min: int | None = None) -> PowerLaw:
    """Fit a discrete power law to degrees.

    Parameters
    ----------
    degrees : array-like of shape (n_nodes,)
        Whole numbers, at least 1.
    x_min : int, optional
        Smallest degree of the tail. By default the one whose tail is nearest to its fitted law in
        the Kolmogorov-Smirnov distance.

    Returns
    -------
    law : PowerLaw

    References
    ----------
    A. Clauset, C. R. Shalizi and M. E. J. Newman (2009). Power-law distributions in empirical
    data. SIAM Review 51, 661-703.

    Examples
    --------
    >>> degrees = np.repeat([1, 2, 3, 4, 5, 8], [100, 25, 11, 6, 4, 2])
    >>> law = fit_power_law(degrees, x_min=1)
    >>> round(law.exponent, 2), law.n_tail
    (2.4, 148)
    """
    values, counts = np.unique(_check_degrees(degrees), return_counts=True)
    if x_min is not None:
        return _fit_tail(values, counts, x_min)
    tail_sizes = counts[::-1].cumsum()[::-1]
    # At least two different degrees: the likelihood of a single one has no maximum.
    candidates = values[:-1][tail_sizes[:-1] >= min(_MIN_TAIL, tail_sizes[0])]
    if candidates.size == 0:
        return _fit_tail(values, counts, int(values[0]))
    laws = [_fit_tail(values, counts, int(candidate)) for candidate in candidates]
    return min(laws, key=lambda law: law.ks_distance)


def _check_degrees(degrees: ArrayLike) -> NDArray[np.int64]:
    values = np.asarray(degrees)
    if values.ndim != 1 or values.dtype.kind not in "iu" or values.size == 0 or values.min() < 1:
        raise ValueError("degrees must be a list of whole numbers, at least 1 each.")
    return values.astype(np.int64)


def _fit_tail(values: NDArray[np.int64], counts: NDArray[np.intp], x_min: int) -> PowerLaw:
    in_tail = values >= x_min
    x, n = values[in_tail], counts[in_tail]
    if x.size < 2:
        raise ValueError(
            f"the degrees of at least {x_min} are all equal or there are none: no power law can be "
            "fitted. Give the exponent."
        )
    total = int(n.sum())
    mean_log = float(n @ np.log(x)) / total
    exponent = float(
        minimize_scalar(
            lambda gamma: np.log(zeta(gamma, x_min)) + gamma * mean_log,
            bounds=_EXPONENTS,
            method="bounded",
            options={"xatol": 1e-8},
        ).x
    )
    # P(k > x), observed and fitted, at every whole number where either can jump the most: the
    # observed steps, and just before the next one.
    fitted = zeta(exponent, np.concatenate([x + 1.0, x[1:]])) / zeta(exponent, x_min)
    above = 1.0 - n.cumsum() / total
    distance = float(np.abs(fitted - np.concatenate([above, above[:-1]])).max())
    return PowerLaw(exponent, x_min, total, distance)
