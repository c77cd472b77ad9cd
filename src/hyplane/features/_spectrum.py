"""How often each horocycle wave occurs in an invariant kernel.

An invariant kernel on H^n that falls faster than ``exp(-ρ d)``, ``ρ = (n-1)/2``, is a mixture
``∫ p(λ) φ_λ(d) dλ`` of spherical functions. Its mixing density is ``p(λ) ∝ k̂(λ) |c(λ)|^-2``, with
the spherical transform k̂ of the kernel and Harish-Chandra's ``|c(λ)|^-2 = |Γ(ρ+iλ) / Γ(iλ)|²``.
"""

import numpy as np
from scipy.special import loggamma

from hyplane._utils.typing import Array

SPECTRA = ("secant", "heat", "normal")

_POINTS = 4000
_GREATEST = 1e30  # beyond, the logarithms of the density differ by less than their rounding
_DROP = 60.0  # the density is followed until it is exp(-60) of its maximum


def draw_frequencies(
    spectrum: str, gamma: float, n_dim: int, size: int, rng: np.random.RandomState
) -> Array:
    """Draw λ > 0 from the spectrum of a kernel on H^n."""
    rho = 0.5 * (n_dim - 1)
    if spectrum == "secant" and gamma <= rho:
        raise ValueError(
            f"the secant kernel of gamma={gamma:g} falls too slowly in dimension {n_dim} to be a "
            f"mixture of horocycle waves: gamma must be greater than (n - 1)/2 = {rho:g}. For a "
            "smaller gamma use the kernel itself (secant_kernel) with a Nystroem approximation."
        )
    if gamma > _GREATEST:
        raise ValueError(
            f"gamma is {gamma:g}; random features can be drawn up to {_GREATEST:g}, where the "
            "kernel tells all points apart already."
        )
    frequencies, probability = _cumulative(spectrum, gamma, rho)
    return np.asarray(np.interp(rng.uniform(size=size), probability, frequencies))


def log_density(spectrum: str, frequency: Array, gamma: float, rho: float) -> Array:
    """Return the logarithm of the density of λ > 0, up to a constant."""
    imaginary = 1j * frequency
    if spectrum == "secant":
        values = 2.0 * loggamma(0.5 * (gamma - rho + imaginary)).real
    else:
        values = -0.5 * frequency**2 / gamma
    if spectrum != "normal" and rho > 0:
        values = values + 2.0 * (loggamma(rho + imaginary) - loggamma(imaginary)).real
    return np.asarray(values)


def _cumulative(spectrum: str, gamma: float, rho: float) -> tuple[Array, Array]:
    """Tabulate the distribution function on a geometric grid, which any width of p fits."""
    largest = 1.0
    while not _ends_before(largest, spectrum, gamma, rho):
        largest *= 2.0
    frequencies = largest * np.geomspace(1e-10, 1.0, _POINTS)
    values = log_density(spectrum, frequencies, gamma, rho)
    mass = np.exp(values - values.max()) * frequencies  # per unit of log λ
    total = np.concatenate([[0.0], np.cumsum(mass[1:] + mass[:-1])])
    return frequencies, total / total[-1]


def _ends_before(largest: float, spectrum: str, gamma: float, rho: float) -> bool:
    values = log_density(spectrum, largest * np.geomspace(1e-10, 1.0, 100), gamma, rho)
    return bool(values[-1] < values.max() - _DROP)
