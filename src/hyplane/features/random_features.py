"""Random horocycle waves: finite feature maps of invariant kernels."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import loggamma, logsumexp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS, validate_points
from hyplane.features.horofunctions import draw_harmonic
from hyplane.features.kernels import scale_gamma
from hyplane.geometry import to_polar
from hyplane.geometry.surfaces import polar_busemann

_LARGEST_GAMMA = 1e30  # beyond, the logarithms of the density differ by less than their rounding


class HyperbolicRandomFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Random features whose inner products approximate an invariant kernel.

    For kernel methods on data too large for a kernel matrix: transform, then fit a linear model.

    Parameters
    ----------
    kernel : {"secant", "heat", "normal"}, default="secant"
        The kernel to approximate, see Notes.
    gamma : float or "scale", default="scale"
        Its parameter. "scale" is (n - 1)/2 plus the `scale_gamma` of the secant kernel.
    n_components : int, default=100
        Number of features D. Each wave gives a cosine and a sine; of an odd number, the last wave
        gives one cosine with a random phase.
    n_anchors : int, default=100
        Number of training points that decide where on the boundary waves are drawn.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    random_state : int, RandomState instance or None, default=None
        Seed of the waves.

    Attributes
    ----------
    gamma_ : float
        The γ in use.
    ideal_points_ : ndarray of shape (⌈D/2⌉, n)
        Unit vectors: the points of the boundary where the waves come from.
    frequencies_ : ndarray of shape (⌈D/2⌉,)
        The λ of the waves.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    With the Poisson kernel ``P(x, ω) = (1-|b|²) / |b-ω|²`` and ``ρ = (n-1)/2``, the horocycle wave
    ``P^(ρ + iλ)`` is constant on horospheres at the ideal point ω, and

        ``∫ P(x, ω)^(ρ+iλ) P(y, ω)^(ρ-iλ) dω = φ_λ(d(x, y))``

    over the unit sphere of total measure 1 is the spherical function. Features ``P^ρ cos(λ log P)``
    and ``P^ρ sin(λ log P)`` with random ω and λ therefore have the mean inner product
    ``k(d) = E φ_λ(d)``, exactly invariant whatever the law of λ, with ``k(0) = 1``:

    - "secant": ``cosh(d)^-γ``, from the density ``|Γ((γ-ρ+iλ)/2)|² |c(λ)|^-2`` of λ; γ > ρ.
    - "heat": the heat kernel at time 1/(2γ) divided by its value at 0, from
      ``exp(-λ²/(2γ)) |c(λ)|^-2``; in three dimensions ``(d / sinh d) exp(-γ d²/2)``.
    - "normal": normal λ of variance γ, the choice of HyLa (whose λ is twice ours: γ = s²/4 for its
      scale s); in three dimensions ``sqrt(π/(2γ)) erf(d sqrt(γ/2)) / sinh d``.

    No mixture of waves falls more slowly than ``φ_0 ~ d exp(-ρ d)``. In high dimension these are
    therefore very local kernels; a slower one needs its kernel matrix, or Nystroem's approximation.

    A wave from a uniform ω is huge on few points: the variance of an inner product grows like
    ``exp((n-1) r)`` with the radius. So ω is drawn from the mixture q of the uniform law and of
    the harmonic measures ``P(a, ω)^(n-1)`` of anchors a among the training points (where a random
    walk from a ends), and the features are divided by ``sqrt(q)``. The mean is the same, the square
    of a wave at an anchor is at most ``n_anchors + 1``, and the error falls as ``1/sqrt(D)``.

    References
    ----------
    Helgason (1984). Groups and Geometric Analysis. Academic Press.

    Yu, De Sa (2022). HyLa: Hyperbolic Laplacian Features for Graph Learning. arXiv:2202.06854.

    Examples
    --------
    >>> from hyplane.features import HyperbolicRandomFeatures, secant_kernel
    >>> X = [[0.1, 0.2], [0.5, 0.0], [-0.3, 0.6]]
    >>> Z = HyperbolicRandomFeatures(gamma=2.0, n_components=20000, random_state=0).fit_transform(X)
    >>> bool(abs(Z @ Z.T - secant_kernel(X, gamma=2.0)).max() < 0.05)
    True
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "kernel": [StrOptions({"secant", "heat", "normal"})],
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, _LARGEST_GAMMA, closed="right")],
        "n_components": [Interval(Integral, 1, 10**7, closed="both")],
        "n_anchors": [Interval(Integral, 0, None, closed="left")],
        **CHART_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: str = "secant",
        *,
        gamma: float | str = "scale",
        n_components: int = 100,
        n_anchors: int = 100,
        coordinates: str = "ball",
        curvature: float = -1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.n_anchors = n_anchors
        self.coordinates = coordinates
        self.curvature = curvature
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Draw the waves.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points: their spread gives "scale", and some of them become anchors.
        y : None
            Ignored.

        Returns
        -------
        self : HyperbolicRandomFeatures
        """
        X = validate_points(self, X)
        radius, direction = to_polar(X, self.coordinates, curvature=self.curvature)
        n_dim = direction.shape[1]
        if self.gamma == "scale":
            scale = scale_gamma(X, coordinates=self.coordinates, curvature=self.curvature)
            self.gamma_ = scale + 0.5 * (n_dim - 1)
        else:
            self.gamma_ = float(self.gamma)
        rng = check_random_state(self.random_state)
        n_waves = (self.n_components + 1) // 2
        self.frequencies_ = _draw_frequencies(self.kernel, self.gamma_, n_dim, n_waves, rng)
        rows = rng.permutation(len(radius))[: self.n_anchors]
        # The harmonic measure of the origin is the uniform law.
        anchors = np.append(radius[rows], 0.0), np.vstack([direction[rows], np.eye(1, n_dim)])
        self.ideal_points_ = draw_harmonic(*anchors, n_waves, rng)
        log_measures = (1 - n_dim) * polar_busemann(*anchors, self.ideal_points_)
        self._log_law = logsumexp(log_measures, axis=0) - np.log(len(log_measures))
        self._last_phase = rng.uniform(0.0, 2.0 * np.pi)
        self._n_features_out = self.n_components
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Evaluate the waves.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            The cosines of all waves, then their sines.
        """
        check_is_fitted(self)
        X = validate_points(self, X, reset=False)
        radius, direction = to_polar(X, self.coordinates, curvature=self.curvature)
        log_poisson = -polar_busemann(radius, direction, self.ideal_points_)
        rho = 0.5 * (direction.shape[1] - 1)
        size = np.exp(rho * log_poisson - 0.5 * self._log_law)
        size /= np.sqrt(len(self.frequencies_))
        phase = self.frequencies_ * log_poisson
        n_sines = self._n_features_out - len(self.frequencies_)
        sines = size[:, :n_sines] * np.sin(phase[:, :n_sines])
        phase[:, n_sines:] += self._last_phase
        size[:, n_sines:] *= np.sqrt(2.0)
        return np.hstack([size * np.cos(phase), sines])


def _draw_frequencies(
    spectrum: str, gamma: float, n_dim: int, size: int, rng: np.random.RandomState
) -> Array:
    """Draw λ > 0 from the spectrum of a kernel on H^n.

    An invariant kernel that falls faster than ``exp(-ρ d)``, ``ρ = (n-1)/2``, is a mixture
    ``∫ p(λ) φ_λ(d) dλ`` of spherical functions. Its density is ``p(λ) ∝ k̂(λ) |c(λ)|^-2``, with the
    spherical transform k̂ of the kernel and Harish-Chandra's ``|c(λ)|^-2 = |Γ(ρ+iλ) / Γ(iλ)|²``.
    """
    rho = 0.5 * (n_dim - 1)
    if spectrum == "secant" and gamma <= rho:
        raise ValueError(
            f"the secant kernel of gamma={gamma:g} falls too slowly in dimension {n_dim} to be a "
            f"mixture of horocycle waves: gamma must be greater than (n - 1)/2 = {rho:g}. For a "
            "smaller gamma use the kernel itself (secant_kernel) with a Nystroem approximation."
        )
    if gamma > _LARGEST_GAMMA:
        raise ValueError(
            f"gamma is {gamma:g}; random features can be drawn up to {_LARGEST_GAMMA:g}, where the "
            "kernel tells all points apart already."
        )
    # The distribution function on a geometric grid, which fits a density of any width. It ends
    # where the density is exp(-60) of its maximum.
    largest, values = 0.5, np.zeros(1)
    while values[-1] >= values.max() - 60.0:
        largest *= 2.0
        values = _log_density(spectrum, largest * np.geomspace(1e-10, 1.0, 100), gamma, rho)
    frequencies = largest * np.geomspace(1e-10, 1.0, 4000)
    values = _log_density(spectrum, frequencies, gamma, rho)
    mass = np.exp(values - values.max()) * frequencies  # per unit of log λ
    probability = np.concatenate([[0.0], np.cumsum(mass[1:] + mass[:-1])])
    return np.interp(rng.uniform(size=size), probability / probability[-1], frequencies)


def _log_density(spectrum: str, frequency: Array, gamma: float, rho: float) -> Array:
    """Return the logarithm of the density of λ > 0, up to a constant."""
    imaginary = 1j * frequency
    if spectrum == "secant":
        values = 2.0 * loggamma(0.5 * (gamma - rho + imaginary)).real
    else:
        values = -0.5 * frequency**2 / gamma
    if spectrum != "normal" and rho > 0:
        values = values + 2.0 * (loggamma(rho + imaginary) - loggamma(imaginary)).real
    return np.asarray(values)
