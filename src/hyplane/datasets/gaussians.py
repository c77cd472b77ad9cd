"""Mixtures of isotropic Gaussians on hyperbolic space."""

from collections.abc import Callable, Sequence
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.stats import chi
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints

from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array, Ints
from hyplane.geometry import from_polar, to_polar
from hyplane.geometry.maps import polar_boost
from hyplane.geometry.validation import check_curvature

# More rows, classes or dimensions than this are a mistake that would fill the memory.
_MOST = 100_000_000


def make_hyperbolic_gaussians(
    n_samples: int | Sequence[int] = 400,
    *,
    n_dim: int = 2,
    n_classes: int = 4,
    centers: ArrayLike | None = None,
    center_variance: float | None = None,
    variance: float | Sequence[float] | None = None,
    law: str = "riemannian",
    coordinates: str = "ball",
    curvature: float = -1.0,
    shuffle: bool = True,
    return_centers: bool = False,
    random_state: RandomState = None,
) -> tuple[Array, Ints] | tuple[Array, Ints, Array]:
    """Draw points from a mixture of isotropic hyperbolic Gaussians, one component per class.

    Parameters
    ----------
    n_samples : int or sequence of int, default=400
        Number of points, divided evenly among the classes, or the number of each class.
    n_dim : int, default=2
        Dimension of the hyperbolic space, 1 or more. Taken from `centers` where these are given.
    n_classes : int, default=4
        Number of classes. Taken from `centers`, or a sequence `n_samples`, where given.
    centers : array-like of shape (n_classes, n_columns), optional
        Centres in the chart `coordinates`. By default they are drawn from the zero-mean law of
        variance `center_variance`.
    center_variance : float, optional
        Parameter σ² of the law of the centres; 1.5 times the default of `variance` by default.
    variance : float or sequence of float, optional
        Parameter σ² of all the components, or of each. By default 1, but at most
        ``10 / (n_dim |curvature|)``, so that the points of any dimension can be written in ball
        coordinates. At curvature -1 this is less than 1 from 11 dimensions on.
    law : {"riemannian", "wrapped"}, default="riemannian"
        ``"riemannian"``: density proportional to exp(-d(x, μ)² / 2σ²) with respect to the
        hyperbolic volume, drawn exactly. ``"wrapped"``: a normal vector of covariance σ² I in
        the tangent space at μ, carried over by the exponential map. The centres follow the
        same law.
    coordinates : str, default="ball"
        Chart of the points.
    curvature : float, default=-1.0
        Curvature of the space; distances and variances are those of that space.
    shuffle : bool, default=True
        Shuffle the points; otherwise they are ordered by class.
    return_centers : bool, default=False
        Return the centres too.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    X : ndarray of shape (n_samples, n_columns)
        Points in the chart `coordinates`.
    y : ndarray of shape (n_samples,)
        Classes 0, …, n_classes - 1.
    centers : ndarray of shape (n_classes, n_columns)
        Only where `return_centers` is set.

    Notes
    -----
    At a distance r from its centre the Riemannian law has the density sinh^(n-1)(r)
    exp(-r² / 2σ²) up to a constant (curvature -1), with a uniform direction. In high dimension
    the points lie near r = (n - 1) σ². Where a variance of your own puts them farther out than the
    ball can say, choose ``coordinates="polar"`` or ``"tangent"``.

    References
    ----------
    H. Cho, B. DeMeo, J. Peng and B. Berger (2019). Large-margin classification in hyperbolic
    space. AISTATS. arXiv:1806.00437.

    Examples
    --------
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(400, random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((400, 2), [100, 100, 100, 100])
    """
    count = Interval(Integral, 1, _MOST, closed="both")
    positive = Interval(Real, 0, 1e6, closed="right")
    constraints = {
        "n_samples": [count, "array-like"],
        "n_dim": [count],
        "n_classes": [count],
        "law": [StrOptions({"riemannian", "wrapped"})],
        "variance": [None, positive, "array-like"],
        "center_variance": [None, positive],
    }
    validate_parameter_constraints(constraints, locals(), caller_name="make_hyperbolic_gaussians")
    scale = np.sqrt(check_curvature(curvature))
    rng = as_generator(random_state)
    if centers is not None:
        center_radius, center_direction = to_polar(centers, coordinates, curvature=curvature)
        n_classes, n_dim = center_direction.shape
    sizes = _class_sizes(n_samples, n_classes)
    if centers is not None and sizes.size != n_classes:
        raise ValueError(f"n_samples has {sizes.size} entries and centers {n_classes} rows")
    # Most points are then within 10 of their centre, and the centres within 15 of the origin, at
    # curvature -1; the ball ends at 37.
    usual = min(1.0, 10.0 / (n_dim * scale**2))
    sigmas = scale * np.sqrt(_variances(usual if variance is None else variance, sizes.size))
    if int(sizes.sum()) * n_dim > _MOST:
        raise ValueError(f"n_samples times n_dim must be at most {_MOST}")
    if centers is None:
        center_sigma = scale * np.sqrt(center_variance or 1.5 * usual)
        center_radius = _radii(law, n_dim, center_sigma, sizes.size, rng)
        center_direction = _directions(sizes.size, n_dim, rng)
    y = np.repeat(np.arange(sizes.size), sizes)
    length = np.empty(y.size)
    for sigma in np.unique(sigmas):
        own = sigmas[y] == sigma
        length[own] = _radii(law, n_dim, sigma, int(own.sum()), rng)
    heading = _directions(y.size, n_dim, rng)
    radius, direction = polar_boost(center_radius[y], center_direction[y], length, heading)
    order = rng.permutation(y.size) if shuffle else np.arange(y.size)
    X = from_polar(radius[order], direction[order], coordinates, curvature=curvature)
    if return_centers:
        means = from_polar(center_radius, center_direction, coordinates, curvature=curvature)
        return X, y[order], means
    return X, y[order]


def _radii(law: str, n_dim: int, sigma: float, size: int, rng: np.random.Generator) -> Array:
    """Draw distances from the centre."""
    if law == "riemannian" and n_dim > 1:
        return _riemannian_radii(n_dim, sigma, size, rng)
    if law == "riemannian":
        return np.abs(rng.normal(0.0, sigma, size))
    return np.asarray(chi.rvs(n_dim, scale=sigma, size=size, random_state=rng), dtype=np.float64)


def _riemannian_radii(n_dim: int, sigma: float, size: int, rng: np.random.Generator) -> Array:
    """Draw from the density proportional to sinh^(n-1)(r) exp(-r² / 2σ²), r > 0.

    The density is log-concave, so that three tangents of its logarithm h (at the mode, and
    where h is 1 below the mode on either side) bound it from above by pieces of exponentials.
    Rejection under that envelope is exact for every dimension and every σ, and keeps most draws.
    """
    power = n_dim - 1

    def log_density(r: Array | float) -> Array:
        log_sinh = r + np.log(-np.expm1(-2.0 * np.asarray(r)))
        return np.asarray(power * log_sinh - np.square(np.asarray(r) / sigma) / 2.0)

    def slope(r: float) -> float:
        return float(power / np.tanh(r) - r / sigma**2)

    # coth r lies between max(1, 1/r) and 1 + 1/r, which brackets the root of the slope.
    low = sigma * max(np.sqrt(power), power * sigma)
    high = (power * sigma + np.sqrt((power * sigma) ** 2 + 4.0 * power)) * sigma / 2.0
    mode = _root(slope, low * (1.0 - 1e-9), high * (1.0 + 1e-9))
    top = log_density(mode)
    # h'' ≤ -1/σ²: on the right h is 1 below the mode after at most √2 σ.
    sides = (mode * 1e-9, mode), (mode, mode + 1.5 * sigma)
    touch = np.array([_root(lambda r: float(log_density(r) - top + 1.0), *side) for side in sides])
    slopes = np.array([slope(r) for r in touch])
    start, stop = touch + 1.0 / slopes  # where the tangents reach the height of the mode
    # An exponential piece from height 1 downwards with slope s has the mass 1 / |s|.
    masses = np.array([1.0 / slopes[0], stop - start, -1.0 / slopes[1]])
    kept: list[Array] = [np.empty(0)]
    while (missing := size - sum(draws.size for draws in kept)) > 0:
        proposed = missing + missing // 2 + 8
        piece = rng.choice(3, size=proposed, p=masses / masses.sum())
        fall = rng.standard_exponential(proposed)
        flat = start + (stop - start) * rng.random(proposed)
        ends = [start - fall / slopes[0], stop - fall / slopes[1]]
        r = np.select([piece == 0, piece == 2], ends, flat)
        bound = np.where(piece == 1, 0.0, -fall)[r > 0.0]
        r = r[r > 0.0]
        kept.append(r[np.log1p(-rng.random(r.size)) < log_density(r) - top - bound])
    return np.concatenate(kept)[:size]


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Root to the last digits, whatever the unit: σ may be tiny."""
    return float(brentq(function, low, high, xtol=1e-15 * high, rtol=1e-15))


def _directions(size: int, n_dim: int, rng: np.random.Generator) -> Array:
    vectors = rng.standard_normal((size, n_dim))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _class_sizes(n_samples: int | Sequence[int], n_classes: int) -> Ints:
    sizes = np.ravel(np.asarray(n_samples))
    if np.ndim(n_samples) == 0:
        return np.asarray(sizes // n_classes + (np.arange(n_classes) < sizes % n_classes))
    if sizes.dtype.kind not in "iu" or not sizes.size or sizes.min() < 1 or sizes.max() > _MOST:
        raise ValueError(f"n_samples must be positive integers up to {_MOST}; got {n_samples!r}")
    return sizes.astype(np.intp)


def _variances(variance: float | Sequence[float], n_classes: int) -> Array:
    values = np.ravel(np.asarray(variance, dtype=np.float64))
    if not ((values > 0.0) & (values <= 1e6)).all():
        raise ValueError(f"variance must be positive and at most 1e6; got {variance!r}")
    if values.size not in (1, n_classes):
        raise ValueError(f"variance has {values.size} entries for {n_classes} classes")
    return np.broadcast_to(values, n_classes)
