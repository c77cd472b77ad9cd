"""Points of many dimensions in the hyperbolic plane: projections for pictures.

All of them see the points from a centre, and show the slice of the space that is spanned there by
two orthonormal directions. They differ in where a point outside the slice goes. Everything is
computed in polar coordinates at curvature -1, so that points may lie at any radius.
"""

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
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS, validate_points
from hyplane.features._frames import (
    MOST_PAIRS,
    Decisions,
    Pairs,
    Polar,
    horo_points,
    minimized,
    orthonormal,
    principal_frame,
    rotation,
)
from hyplane.geometry import frechet_mean, from_polar, hyperplane_parameters, to_polar
from hyplane.geometry.charts import largest_radius
from hyplane.geometry.distances import polar_distance
from hyplane.geometry.hyperplanes import polar_signed_distance
from hyplane.geometry.maps import Recentering, polar_boost
from hyplane.geometry.means import seen_from
from hyplane.geometry.numerics import arsinh_exp, directions, log_cosh, log_sinh, row_norms
from hyplane.geometry.surfaces import polar_busemann

MOST_ROWS = 2_000  # whose decisions a frame is to show


class PlaneView(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What projections onto the hyperbolic plane share: a centre, a frame and the way back."""

    coordinates: str
    curvature: float
    random_state: int | np.random.RandomState | None
    center_: Array
    components_: Array
    _base: Polar
    stress_: float

    def transform(self, X: ArrayLike) -> Array:
        """Project points onto the hyperbolic plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        points : ndarray of shape (n_samples, 2) or (n_samples, 3)
            Points of the plane in the same chart, with the centre at its origin.
        """
        check_is_fitted(self)
        X = validate_points(self, X, reset=False)
        points = self.to_plane(*to_polar(X, self.coordinates, curvature=self.curvature))
        return from_polar(*points, self.coordinates, curvature=self.curvature)

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Return the points of the space that the picture shows at points of the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, 2) or (n_samples, 3)
            Points of the plane.

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
            Points of the slice through the centre that `components_` spans.
        """
        check_is_fitted(self)
        places = to_polar(X, self.coordinates, curvature=self.curvature)
        points = self.from_plane(*places)
        return from_polar(*points, self.coordinates, curvature=self.curvature)

    def to_plane(self, radius: Array, direction: Array) -> Polar:
        """Project points given by radius and unit direction, at curvature -1 and any radius.

        Parameters
        ----------
        radius : ndarray of shape (m,)
            Distances to the origin.
        direction : ndarray of shape (m, n)
            Unit vectors.

        Returns
        -------
        radius : ndarray of shape (m,)
        direction : ndarray of shape (m, 2)
        """
        raise NotImplementedError

    def from_plane(self, radius: Array, direction: Array) -> Polar:
        """Return the points of the slice at places given by radius and unit direction.

        Parameters
        ----------
        radius : ndarray of shape (m,)
            Distances to the centre, at curvature -1.
        direction : ndarray of shape (m, 2)
            Unit vectors.

        Returns
        -------
        radius : ndarray of shape (m,)
        direction : ndarray of shape (m, n)
        """
        return self._moved_back(radius, direction @ self.components_)

    def hyperplane_in_slice(self, offset: float, normal: Array) -> tuple[float, Array]:
        """Return offset and normal of a hyperplane seen from the centre.

        Parameters
        ----------
        offset : float
            Signed distance of the origin to the hyperplane, at curvature -1.
        normal : ndarray of shape (n,)
            Its unit normal.

        Returns
        -------
        offset : float
            Signed distance of the centre.
        normal : ndarray of shape (2,)
            The part of the unit normal in the slice. The hyperplane meets the slice if this is
            longer than ``|tanh(offset)|``.
        """
        seen, turned = self._seen(offset, normal)
        return seen, self.components_ @ turned

    def _seen(self, offset: float, normal: Array) -> tuple[float, Array]:
        """Return offset and unit normal of a hyperplane seen from the centre."""
        [radius], [direction] = self._base
        return Recentering(radius, -direction).hyperplane_back(offset, normal)

    def _moved_back(self, radius: Array, direction: Array) -> Polar:
        """Return points that are given as they are seen from the centre."""
        start, towards = self._base
        towards = np.broadcast_to(towards, direction.shape)
        return polar_boost(np.broadcast_to(start, radius.shape), towards, radius, direction)

    def _read(self, X: ArrayLike) -> Polar:
        """Validate the points of a fit."""
        X = validate_points(self, X)
        points = to_polar(X, self.coordinates, curvature=self.curvature)
        if points[1].shape[1] < 2:
            raise ValueError(
                f"X has {X.shape[1]} feature(s): points on a line need no projection onto a plane."
            )
        return points

    def _keep(self, points: Polar, pairs: Pairs) -> None:
        """Set what a fit learns beside the frame."""
        self.center_ = from_polar(*self._base, self.coordinates, curvature=self.curvature)[0]
        self._n_features_out = 3 if chart_name(self.coordinates) == "hyperboloid" else 2
        exact, shown = (
            polar_distance(r[pairs.rows[0]], u[pairs.rows[0]], r[pairs.rows[1]], u[pairs.rows[1]])
            for r, u in (points, self.to_plane(*points))
        )
        size = max(float(np.linalg.norm(exact)), np.finfo(np.float64).tiny)
        self.stress_ = float(np.linalg.norm(shown - exact)) / size


class HyperbolicProjection(PlaneView):
    """Project points of any dimension onto the hyperbolic plane, for pictures.

    Parameters
    ----------
    method : {"radial", "horo", "tangent", "orthogonal"}, default="radial"
        "radial": the distance to the centre is kept, and the direction is projected. It distorts
        distances least. "horo": HoroPCA, which keeps two Busemann functions and never makes a
        distance longer. "tangent": the principal components of the log map at the centre.
        "orthogonal": the closest point of the slice; distances shrink exponentially with their
        height above it.
    center : {"mean", "origin"} or array-like of shape (n_features,), default="mean"
        The point at the centre of the picture; "mean" is the Fréchet mean.
    estimator : classifier, optional
        A fitted classifier of the same points. The radial frame is then chosen to show its
        decisions as well: points should lie on a region of the class that is predicted for them.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points, and of the plane.
    curvature : float, default=-1.0
        A negative number.
    random_state : int, RandomState instance or None, default=None
        Seed of the pairs of points that the frame is fitted to.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
        The point at the centre of the picture.
    components_ : ndarray of shape (2, n)
        Orthonormal directions at the centre that span the slice, carried to the origin along the
        geodesic.
    stress_ : float
        Root mean square of the errors of distances between points, divided by the root mean square
        distance. Estimated on at most 20 000 pairs.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    HyperplaneView : For two classes, with exact distances to the hyperplane between them.

    Notes
    -----
    A point at distance r and direction u from the centre has ``a = W u`` with the frame W. The
    radial projection is the point at distance r in the direction ``a/|a|``; directions close to
    orthogonal to the slice may be torn apart. W minimises the stress by L-BFGS, from the principal
    components of the log map.

    With an estimator, W minimises the cross entropy of the scores of the classes at the projected
    points plus ten times the squared stress, from 14 starts; the frame on whose slice the estimator
    agrees with most of its predictions is kept. The scores are those of the classifier's own
    hyperplanes if the highest one makes the decisions, as in one-vs-rest. Other classifiers are
    imitated by a logistic regression in Klein coordinates. The share of points on a region of their
    predicted class, for `HyperbolicSVC` with own scores and with imitated ones: 1.00 and .77 for
    five Gaussians of ten dimensions (mean of six sets), .90 and .90 for five digits, .54 and .52
    for ten digits, .81 and .78 for ten types of cells.

    References
    ----------
    Chami, Gu, Nguyen, Ré (2021). HoroPCA: hyperbolic dimensionality reduction via horospherical
    projections. ICML.

    Examples
    --------
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> from hyplane.features import HyperbolicProjection
    >>> X, y = make_hyperbolic_gaussians(100, n_dim=5, random_state=0)
    >>> projection = HyperbolicProjection(random_state=0)
    >>> projection.fit_transform(X).shape
    (100, 2)
    >>> projection.inverse_transform([[0.5, 0.0]]).shape
    (1, 5)
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "method": [StrOptions({"radial", "horo", "tangent", "orthogonal"})],
        "center": [StrOptions({"mean", "origin"}), "array-like"],
        "estimator": [HasMethods("predict"), None],
        **CHART_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        method: str = "radial",
        *,
        center: str | ArrayLike = "mean",
        estimator: Any = None,
        coordinates: str = "ball",
        curvature: float = -1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.method = method
        self.center = center
        self.estimator = estimator
        self.coordinates = coordinates
        self.curvature = curvature
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Find the centre and the frame.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : None
            Ignored.

        Returns
        -------
        self : HyperbolicProjection
        """
        if self.estimator is not None and self.method != "radial":
            raise ValueError(
                f"estimator is for method='radial'; method={self.method!r} does not look at "
                "decisions. Leave one of the two out."
            )
        points = self._read(X)
        rng = check_random_state(self.random_state)
        self._base = self._find_center(*points)
        seen = seen_from(self._base, *points)
        pairs = Pairs.draw(*seen, rng)
        self.components_ = self._find_frame(seen, pairs, rng)
        self._keep(points, pairs)
        return self

    def to_plane(self, radius: Array, direction: Array) -> Polar:
        """Project points given by radius and unit direction, at curvature -1 and any radius.

        Parameters
        ----------
        radius : ndarray of shape (m,)
            Distances to the origin.
        direction : ndarray of shape (m, n)
            Unit vectors.

        Returns
        -------
        radius : ndarray of shape (m,)
        direction : ndarray of shape (m, 2)
        """
        r, u = seen_from(self._base, radius, direction)
        if self.method == "horo":
            return horo_points(polar_busemann(r, u, self.components_))
        a = u @ self.components_.T
        length = row_norms(a)
        e = directions(a, length)
        if self.method == "tangent":
            r = r * length
        elif self.method == "orthogonal":
            height = row_norms(u - a @ self.components_)
            height[height <= 8.0 * np.finfo(np.float64).eps] = 0.0  # rounding of the directions
            with np.errstate(divide="ignore"):
                log_size = 0.5 * np.logaddexp(0.0, 2.0 * (log_sinh(r) + np.log(height)))
                r = arsinh_exp(log_sinh(r) + np.log(length) - log_size)
        return r, e

    def _find_center(self, radius: Array, direction: Array) -> Polar:
        if isinstance(self.center, str) and self.center == "origin":
            return np.zeros(1), np.eye(1, direction.shape[1])
        if isinstance(self.center, str):
            mean = frechet_mean(radius[:, None] * direction, coordinates="tangent")
            return to_polar(mean[None], "tangent")
        point = to_polar(np.atleast_2d(self.center), self.coordinates, curvature=self.curvature)
        if point[1].shape != (1, direction.shape[1]):
            raise ValueError(
                f"center must be one point of dimension {direction.shape[1]}; got "
                f"{len(point[1])} of dimension {point[1].shape[1]}."
            )
        return point

    def _find_frame(self, seen: Polar, pairs: Pairs, rng: np.random.RandomState) -> Array:
        n_dim = seen[1].shape[1]
        if n_dim == 2:
            return np.eye(2)
        principal = principal_frame(*seen)
        if self.method == "radial":
            fitted = minimized(pairs.radial, principal)
            return fitted if self.estimator is None else self._show(seen, fitted, rng)
        if self.method == "horo":
            # The two ideal points matter, not only the plane: turned frames are other starts.
            turns = (np.arange(8) + 0.5) * np.pi / 4.0
            starts = [rotation(turn) @ principal for turn in turns]
            starts.sort(key=lambda frame: pairs.horo(frame)[0])
            found = [minimized(pairs.horo, frame) for frame in starts[:3]]
            return min(found, key=lambda frame: pairs.horo(frame)[0])
        return principal

    def _show(self, seen: Polar, fitted: Array, rng: np.random.RandomState) -> Array:
        """Return the frame on whose slice most points lie on a region of their predicted class."""
        rows = rng.permutation(len(seen[0]))[:MOST_ROWS]
        r, u = seen[0][rows], seen[1][rows]
        predicted = self._predict(u, r)
        if (predicted == predicted[:1]).all():
            return fitted
        decisions = self._decisions(np.tanh(r)[:, None] * u, predicted)
        few = Pairs.draw(*seen, rng, MOST_PAIRS // 5)

        def objective(frame: Array) -> tuple[float, Array]:
            (loss, slope), (stress, pull) = decisions.loss(frame), few.radial(frame)
            return loss + 10.0 * stress, slope + 10.0 * pull

        starts = [fitted, decisions.principal()]
        starts += [orthonormal(rng.normal(size=fitted.shape))[0] for _ in range(12)]
        # Many starts show more decisions than many iterations.
        frames = [fitted, *(minimized(objective, start, 25) for start in starts)]
        agreements = []
        for frame in frames:
            e = u @ frame.T
            e = directions(e, row_norms(e))
            agreements.append(np.mean(self._predict(e @ frame, r) == predicted))
        return frames[int(np.argmax(agreements))]

    def _decisions(self, klein: Array, predicted: Array) -> Decisions:
        """Return decisions with the scores of the estimator's hyperplanes if these make them."""
        found = hyperplanes_of(self.estimator)
        classes = getattr(self.estimator, "classes_", ())
        if found is not None and len(found[0]) == len(classes) and np.isfinite(found[1]).all():
            log_scale, offset, normal = found
            seen = [self._seen(*plane) for plane in zip(offset, normal, strict=True)]
            offset, normal = np.array([a for a, _ in seen]), np.stack([u for _, u in seen])
            log_scale = log_scale - (log_scale + np.abs(offset)).max()
            intercepts = np.exp(log_scale + log_sinh(np.abs(offset))) * np.sign(offset)
            normals = -np.exp(log_scale + log_cosh(offset))[:, None] * normal
            codes = (intercepts + klein @ normals.T).argmax(axis=1)
            # Pairs of classes and calibrated scores decide in other ways.
            if np.mean(classes[codes] == predicted) > 0.9:
                codes = np.searchsorted(classes, predicted)
                return Decisions.sharpened(klein, codes, intercepts, normals)
        return Decisions.learn(klein, np.unique(predicted, return_inverse=True)[1])

    def _predict(self, direction: Array, radius: Array) -> Array:
        """Return what the estimator predicts for points seen from the centre."""
        points = self._moved_back(radius, direction)
        X = rows_for(self.estimator, *points, self.coordinates, self.curvature)
        predicted = np.asarray(self.estimator.predict(X))
        if predicted.ndim != 1:
            raise ValueError(
                "estimator gives several labels a point; a projection can show the decisions of a "
                "classifier with one class a point. Leave estimator out."
            )
        return predicted


class HyperplaneView(PlaneView):
    """Project points so that a hyperplane is a diameter and distances to it are exact.

    The picture of a classifier of two classes: each point has its own signed distance to the
    hyperplane, hence its side and its margin. The other axis is the direction of largest spread
    along the hyperplane. No distance is made longer.

    Parameters
    ----------
    hyperplane : classifier or array-like of shape (n + 1,)
        A fitted classifier with hyperplanes, such as `HyperbolicSVC`, or the normal of a hyperplane
        in Minkowski space.
    index : int, default=0
        Which hyperplane, where a classifier has several.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points, and of the plane.
    curvature : float, default=-1.0
        A negative number.
    random_state : int, RandomState instance or None, default=None
        Seed of the pairs of points that `stress_` is estimated on.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
        The point at the centre of the picture: the point of the hyperplane closest to the Fréchet
        mean.
    components_ : ndarray of shape (2, n)
        The direction along the hyperplane and the one across it, to its positive side, carried to
        the origin along the geodesic.
    stress_ : float
        As of `HyperbolicProjection`.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from hyplane import HyperbolicSVC
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> from hyplane.features import HyperplaneView
    >>> X, y = make_hyperbolic_gaussians(100, n_dim=5, n_classes=2, random_state=0)
    >>> clf = HyperbolicSVC().fit(X, y)
    >>> points = HyperplaneView(clf).fit_transform(X)
    >>> bool(((points[:, 1] > 0) == (clf.decision_function(X) > 0)).all())
    True
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "hyperplane": "no_validation",
        "index": [Interval(Integral, 0, None, closed="left")],
        **CHART_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        hyperplane: Any,
        *,
        index: int = 0,
        coordinates: str = "ball",
        curvature: float = -1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.hyperplane = hyperplane
        self.index = index
        self.coordinates = coordinates
        self.curvature = curvature
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Find the centre on the hyperplane and the direction of largest spread along it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : None
            Ignored.

        Returns
        -------
        self : HyperplaneView
        """
        points = self._read(X)
        self._plane = offset, normal = self._find_plane(points[1].shape[1])
        mean = frechet_mean(points[0][:, None] * points[1], coordinates="tangent")
        start = to_polar(mean[None], "tangent")
        height, across = Recentering(start[0][0], -start[1][0]).hyperplane_back(offset, normal)
        foot = np.array([abs(height)]), (across if height > 0 else -across)[None]
        self._base = polar_boost(*start, *foot)
        _, across = self._seen(offset, normal)
        spread = np.cov(self._feet(across, *points).T, bias=True)
        # Without any spread, some direction along the hyperplane.
        spread += (1e-12 * np.trace(spread) + 1e-200) * (
            np.eye(len(across)) - np.outer(across, across)
        )
        along = np.linalg.eigh(spread)[1][:, -1]
        along -= (along @ across) * across
        along *= np.sign(along[np.abs(along).argmax()])
        self.components_ = np.stack([along / np.linalg.norm(along), -across])
        rng = check_random_state(self.random_state)
        self._keep(points, Pairs.draw(*points, rng))
        return self

    def to_plane(self, radius: Array, direction: Array) -> Polar:
        """Project points given by radius and unit direction, at curvature -1 and any radius.

        Parameters
        ----------
        radius : ndarray of shape (m,)
            Distances to the origin.
        direction : ndarray of shape (m, n)
            Unit vectors.

        Returns
        -------
        radius : ndarray of shape (m,)
        direction : ndarray of shape (m, 2)
        """
        height = polar_signed_distance(radius, direction, *self._plane)
        along = self._feet(self.components_[1], radius, direction) @ self.components_[0]
        # (cosh s sinh v, sinh s), divided by the larger of the two
        logs = np.stack([log_cosh(height) + log_sinh(np.abs(along)), log_sinh(np.abs(height))], 1)
        largest = np.maximum(logs.max(axis=1), np.log(np.finfo(np.float64).tiny))
        place = np.exp(logs - largest[:, None]) * np.sign(np.stack([along, height], 1))
        length = row_norms(place)
        with np.errstate(divide="ignore"):
            return arsinh_exp(np.log(length) + largest), directions(place, length)

    def _feet(self, normal: Array, radius: Array, direction: Array) -> Array:
        """Return the closest points of the hyperplane under the log map at the centre."""
        r, u = seen_from(self._base, radius, direction)
        cosine = u @ normal
        beside = u - cosine[:, None] * normal
        length = row_norms(beside)
        with np.errstate(divide="ignore"):
            log_size = 0.5 * np.logaddexp(0.0, 2.0 * (log_sinh(r) + np.log(np.abs(cosine))))
            rho = arsinh_exp(log_sinh(r) + np.log(length) - log_size)
        return np.asarray(rho[:, None] * directions(beside, length))

    def _find_plane(self, n_dim: int) -> tuple[float, Array]:
        """Return offset and unit normal of the hyperplane."""
        found = hyperplanes_of(self.hyperplane)
        if found is None and hasattr(self.hyperplane, "predict"):
            raise ValueError(
                f"{type(self.hyperplane).__name__} has no hyperplanes, or is not fitted. Use "
                "HyperbolicProjection for other classifiers."
            )
        _, offsets, normals = found or map(np.atleast_1d, hyperplane_parameters(self.hyperplane))
        normals = np.atleast_2d(normals)
        if not 0 <= self.index < len(offsets):
            raise ValueError(f"index must be at most {len(offsets) - 1}; got {self.index}.")
        offset, normal = float(offsets[self.index]), normals[self.index]
        if len(normal) != n_dim:
            raise ValueError(
                f"the hyperplane has dimension {len(normal)} and the points have dimension {n_dim}."
            )
        if not np.isfinite(offset):
            raise ValueError(
                f"hyperplane {self.index} lies at infinity: the decision is the same everywhere. "
                "Use HyperbolicProjection."
            )
        return offset, normal


def hyperplanes_of(estimator: Any) -> tuple[Array, Array, Array] | None:
    """Return log scales, offsets and unit normals of a classifier's hyperplanes, if it has any."""
    inner = getattr(estimator, "best_estimator_", estimator)
    if hasattr(inner, "hyperplanes_"):
        planes = inner.hyperplanes_
        return planes.log_scale, planes.offset, planes.normal
    is_hyperbolic = hasattr(inner, "coef_") and hasattr(inner, "coordinates")
    if not is_hyperbolic or hasattr(inner, "level_"):
        return None
    scale, offset, normal = hyperplane_parameters(inner.coef_)
    return np.log(scale), offset, normal


def rows_for(
    estimator: Any, radius: Array, direction: Array, coordinates: str, curvature: float
) -> Any:
    """Return polar points as rows that an estimator takes: a table if it was fitted on one.

    A place of a picture that is too far out for the chart is moved to the largest radius it holds.
    """
    farthest = (1.0 - 1e-12) * largest_radius(chart_name(coordinates), -curvature)
    radius = np.minimum(radius, farthest)
    X = from_polar(radius, direction, coordinates, curvature=curvature)
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return X
    import pandas as pd  # the estimator was fitted on a table, so pandas is installed

    return pd.DataFrame(X, columns=names)
