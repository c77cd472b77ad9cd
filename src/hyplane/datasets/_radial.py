"""Exact draws of the distance from the centre of an isotropic Gaussian on hyperbolic space."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from hyplane._utils.typing import Array


class RadialLaw:
    """The law with density proportional to sinh^(n-1)(r) exp(-r² / 2σ²), r > 0.

    The density is log-concave, so that three tangents of its logarithm h (at the mode, and
    where h is 1 below the mode on either side) bound it from above by pieces of exponentials.
    Rejection under that envelope is exact for every dimension and every σ, and keeps most draws.

    Parameters
    ----------
    n_dim : int
        Dimension of the space.
    sigma : float

    Examples
    --------
    >>> draws = RadialLaw(2, 1.0).sample(5, np.random.default_rng(0))
    >>> bool((draws > 0).all())
    True
    """

    def __init__(self, n_dim: int, sigma: float) -> None:
        self.n_dim, self.sigma = n_dim, sigma
        if n_dim == 1:
            return
        # coth r lies between max(1, 1/r) and 1 + 1/r, which brackets the root of the slope.
        power = n_dim - 1
        low = sigma * max(np.sqrt(power), power * sigma)
        high = (power * sigma + np.sqrt((power * sigma) ** 2 + 4.0 * power)) * sigma / 2.0
        self.mode = _root(self.slope, low * (1.0 - 1e-9), high * (1.0 + 1e-9))
        self.top = self.log_density(self.mode)
        left, right = self._one_below()
        self._make_envelope(left, right)

    def log_density(self, r: Array | float) -> Array | float:
        """Return the logarithm of the density, up to a constant."""
        log_sinh = r + np.log(-np.expm1(-2.0 * np.asarray(r)))
        return (self.n_dim - 1) * log_sinh - np.square(np.asarray(r) / self.sigma) / 2.0

    def slope(self, r: float) -> float:
        """Return the derivative of the logarithm of the density."""
        return float((self.n_dim - 1) / np.tanh(r) - r / self.sigma**2)

    def sample(self, size: int, rng: np.random.Generator) -> Array:
        """Draw independent distances.

        Parameters
        ----------
        size : int
        rng : numpy.random.Generator

        Returns
        -------
        r : ndarray of shape (size,)
        """
        if self.n_dim == 1:
            return np.abs(rng.normal(0.0, self.sigma, size))
        kept: list[Array] = [np.empty(0)]
        missing = size
        while missing > 0:
            r, bound = self._propose(missing + missing // 2 + 8, rng)
            inside = r > 0.0
            r, bound = r[inside], bound[inside]
            kept.append(r[np.log1p(-rng.random(r.size)) < self.log_density(r) - self.top - bound])
            missing = size - sum(draws.size for draws in kept)
        return np.concatenate(kept)[:size]

    def _one_below(self) -> tuple[float, float]:
        def drop(r: float) -> float:
            return float(self.log_density(r) - self.top + 1.0)

        # h'' ≤ -1/σ²: on the right h is 1 below the mode after at most √2 σ.
        right = _root(drop, self.mode, self.mode + 1.5 * self.sigma)
        return _root(drop, self.mode * 1e-9, self.mode), right

    def _make_envelope(self, left: float, right: float) -> None:
        """Tangents at left and right, a flat piece between the points where they reach the mode."""
        self._points = np.array([left, right])
        self._slopes = np.array([self.slope(left), self.slope(right)])
        self._ends = self._points + 1.0 / self._slopes
        start, stop = self._ends
        # An exponential piece from height 1 downwards with slope s has the mass 1 / |s|.
        masses = np.array([1.0 / self._slopes[0], stop - start, -1.0 / self._slopes[1]])
        self._shares = masses / masses.sum()

    def _propose(self, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw from the envelope; give the draws and the logarithm of the envelope there."""
        piece = rng.choice(3, size=size, p=self._shares)
        start, stop = self._ends
        fall = rng.standard_exponential(size)
        flat = start + (stop - start) * rng.random(size)
        rise, descent = start - fall / self._slopes[0], stop - fall / self._slopes[1]
        draws = np.select([piece == 0, piece == 2], [rise, descent], flat)
        return draws, np.where(piece == 1, 0.0, -fall)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Root to the last digits, whatever the unit: σ may be tiny."""
    return float(brentq(function, low, high, xtol=1e-15 * high, rtol=1e-15))
