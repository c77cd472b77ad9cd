"""Busemann functions of ideal points as features, for trees and other learners."""

from numbers import Integral
from typing import Any, Self

import numpy as np
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
from hyplane.geometry import distance, to_polar
from hyplane.geometry.maps import boost_ideal_points
from hyplane.geometry.surfaces import check_ideal_points, polar_busemann


class HorofunctionFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Busemann functions: how far points lie in the directions of ideal points.

    A threshold on one of these features is a horosphere, as a threshold on a coordinate is a
    hyperplane parallel to the axes in Euclidean space.

    Parameters
    ----------
    ideal_points : {"geodesic", "harmonic", "uniform"} or array-like, default="geodesic"
        Unit vectors of shape (n_components, n), or how to draw them. "geodesic": the far ends of
        geodesics from a training point through another. "harmonic": where random walks from
        training points leave the space. "uniform": uniform on the sphere, which depends on the
        origin.
    n_components : int, default=32
        Number of ideal points to draw.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    random_state : int, RandomState instance or None, default=None
        Seed of the ideal points.

    Attributes
    ----------
    ideal_points_ : ndarray of shape (n_components, n)
        Unit vectors.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    hyplane.geometry.busemann : The features as a function.

    Notes
    -----
    ``log(w*x)`` with ``w = (1, ω)``, right at any radius and in any dimension. Moving the points by
    an isometry moves the laws of "geodesic" and "harmonic" with them and adds a constant to each
    feature, so that the splits of trees move with the points.

    References
    ----------
    Fan, Yang, Vemuri (2023). Horospherical decision boundaries for large margin classification in
    hyperbolic space. NeurIPS.

    Doorenbos, Márquez-Neila, Sznitman, Mettes (2023). Hyperbolic random forests. arXiv:2308.13279.

    Examples
    --------
    >>> from hyplane.features import HorofunctionFeatures
    >>> features = HorofunctionFeatures([[1.0, 0.0], [0.0, 1.0]])
    >>> features.fit_transform([[0.0, 0.0], [0.5, 0.0]]).round(4)
    array([[ 0.    ,  0.    ],
           [-1.0986,  0.5108]])
    """

    _saved = {  # noqa: RUF012
        "ideal_points_": "finite[n_components, n_dim]",
        "_n_features_out": "int[]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "ideal_points": [StrOptions({"geodesic", "harmonic", "uniform"}), "array-like"],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **CHART_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        ideal_points: str | ArrayLike = "geodesic",
        *,
        n_components: int = 32,
        coordinates: str = "ball",
        curvature: float = -1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.ideal_points = ideal_points
        self.n_components = n_components
        self.coordinates = coordinates
        self.curvature = curvature
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Draw the ideal points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : None
            Ignored.

        Returns
        -------
        self : HorofunctionFeatures
        """
        X = validate_points(self, X)
        radius, direction = to_polar(X, self.coordinates, curvature=self.curvature)
        if not isinstance(self.ideal_points, str):
            self.ideal_points_ = check_ideal_points(
                np.atleast_2d(self.ideal_points), direction.shape[1]
            )
        else:
            rng = check_random_state(self.random_state)
            if self.ideal_points == "uniform":  # the origin's harmonic measure
                radius = np.zeros_like(radius)
            draw = _draw_ends if self.ideal_points == "geodesic" else draw_harmonic
            self.ideal_points_ = draw(radius, direction, self.n_components, rng)
        self._n_features_out = len(self.ideal_points_)
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Evaluate the Busemann functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        values : ndarray of shape (n_samples, n_components)
            In units of the space's own curvature.
        """
        check_is_fitted(self)
        X = validate_points(self, X, reset=False)
        radius, direction = to_polar(X, self.coordinates, curvature=self.curvature)
        values = polar_busemann(radius, direction, self.ideal_points_)
        values /= np.sqrt(-self.curvature)
        return values


def draw_harmonic(radius: Array, direction: Array, size: int, rng: np.random.RandomState) -> Array:
    """Draw ideal points from the mean harmonic measure of points in polar coordinates.

    That of a is the image of the uniform law under the boost to a: the end of the geodesic that
    leaves a in a uniform direction.
    """
    uniform = rng.normal(size=(size, direction.shape[1]))
    uniform /= np.linalg.norm(uniform, axis=1)[:, None]
    which = rng.randint(len(radius), size=size)
    return boost_ideal_points(radius[which], direction[which], uniform)


def _draw_ends(radius: Array, direction: Array, size: int, rng: np.random.RandomState) -> Array:
    """Draw far ends of geodesics from a point p through another point q.

    The end is that of the null vector ``q - exp(-d) p`` of the plane of p and q, divided by
    ``exp(s)``, s being the radius of q: no term is then larger than 1 at any radius.
    """
    if len(radius) == 1:
        return draw_harmonic(radius, direction, size, rng)
    first = rng.randint(len(radius), size=size)
    second = (first + rng.randint(1, len(radius), size=size)) % len(radius)
    r, u, s, v = radius[first], direction[first], radius[second], direction[second]
    d = distance(r[:, None] * u, s[:, None] * v, coordinates="tangent")
    weight = -np.exp(np.minimum(r - d - s, 0.0)) * np.expm1(-2.0 * r)
    ends = -np.expm1(-2.0 * s)[:, None] * v - weight[:, None] * u
    length = np.linalg.norm(ends, axis=1, keepdims=True)
    # Where both points coincide, the direction of the point.
    return np.asarray(np.divide(ends, length, out=v, where=length > 0))
