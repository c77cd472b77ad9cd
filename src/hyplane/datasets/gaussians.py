"""Mixtures of isotropic Gaussians on hyperbolic space."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi
from sklearn.utils import check_array

from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array
from hyplane.datasets._radial import RadialLaw
from hyplane.geometry import PointError, from_polar, to_polar
from hyplane.geometry.maps import polar_boost
from hyplane.geometry.validation import check_curvature

LAWS = ("riemannian", "wrapped")

# More rows, classes or dimensions than this are a mistake that would fill the memory.
_MOST = 100_000_000
# Radii grow with the variance; the density cannot be tabulated beyond.
_WIDEST = 1e6
# Largest distance of most points from their centre, at curvature -1, by the default variance. That
# of the centres is half as much again, and the ball ends at 37.
_USUAL_RADIUS = 10.0


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
) -> tuple[Array, NDArray[np.intp]] | tuple[Array, NDArray[np.intp], Array]:
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
    if law not in LAWS:
        raise ValueError(f"law must be one of {', '.join(LAWS)}; got {law!r}")
    scale = np.sqrt(check_curvature(curvature))
    rng = as_generator(random_state)
    if centers is not None:
        try:
            centers = check_array(centers, dtype=np.float64)
        except OverflowError as error:
            raise ValueError(f"centers has a number without a float: {error}") from error
        center_radius, center_direction = to_polar(centers, coordinates, curvature=curvature)
        n_classes, n_dim = center_direction.shape
    sizes = _sizes(n_samples, n_classes, fixed=centers is not None)
    n_dim = _positive_integer(n_dim, "n_dim")
    usual = min(1.0, _USUAL_RADIUS / (n_dim * scale**2))
    variance = usual if variance is None else variance
    center_variance = 1.5 * usual if center_variance is None else center_variance
    sigmas = scale * np.sqrt(_variances(variance, sizes.size, "variance"))
    if int(sizes.sum()) * n_dim > _MOST:
        raise ValueError(f"n_samples times n_dim must be at most {_MOST}")
    if centers is None:
        [center_sigma] = scale * np.sqrt(_variances(center_variance, 1, "center_variance"))
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
    try:
        X = from_polar(radius[order], direction[order], coordinates, curvature=curvature)
    except PointError as error:
        remedy = f"{error.remedy}. You can also choose a smaller variance"
        raise PointError(
            error.problem, error.row, error.value, remedy, coordinates=error.coordinates
        ) from None
    if return_centers:
        means = from_polar(center_radius, center_direction, coordinates, curvature=curvature)
        return X, y[order], means
    return X, y[order]


def _radii(law: str, n_dim: int, sigma: float, size: int, rng: np.random.Generator) -> Array:
    if law == "riemannian":
        return RadialLaw(n_dim, sigma).sample(size, rng)
    return np.asarray(chi.rvs(n_dim, scale=sigma, size=size, random_state=rng), dtype=np.float64)


def _directions(size: int, n_dim: int, rng: np.random.Generator) -> Array:
    vectors = rng.standard_normal((size, n_dim))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _sizes(n_samples: int | Sequence[int], n_classes: int, *, fixed: bool) -> NDArray[np.intp]:
    if np.ndim(n_samples) == 0:
        total = _positive_integer(n_samples, "n_samples")
        n_classes = _positive_integer(n_classes, "n_classes")
        return total // n_classes + (np.arange(n_classes) < total % n_classes)
    sizes = np.array([_positive_integer(size, "n_samples") for size in np.ravel(n_samples)])
    if fixed and sizes.size != n_classes:
        raise ValueError(f"n_samples has {sizes.size} entries and centers {n_classes} rows")
    return sizes


def _variances(variance: float | Sequence[float], n_classes: int, name: str) -> Array:
    try:
        values = np.ravel(np.asarray(variance, dtype=np.float64))
    except OverflowError:
        values = np.array([np.inf])
    if not np.all((values > 0.0) & (values <= _WIDEST)):
        raise ValueError(f"{name} must be positive and at most {_WIDEST:g}; got {variance!r}")
    if values.size not in (1, n_classes):
        raise ValueError(f"{name} has {values.size} entries for {n_classes} classes")
    return np.broadcast_to(values, n_classes)


def _positive_integer(value: Any, name: str) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not 1 <= value <= _MOST:
        raise ValueError(f"{name} must be a positive integer up to {_MOST}; got {value!r}")
    return int(value)
