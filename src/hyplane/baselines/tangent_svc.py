"""Linear SVM in the tangent space of a reference point."""

import sys
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.constraints import CHART_CONSTRAINTS
from hyplane._utils.typing import Array, ArrayLike
from hyplane.baselines.checked import LinearSVC
from hyplane.classifiers import PARAMETER_CONSTRAINTS, BaseHyperbolicClassifier, ClassWeight
from hyplane.geometry import (
    einstein_midpoint,
    from_polar,
    geodesic_midpoint,
    pairwise_distances,
    to_polar,
)
from hyplane.geometry.maps import polar_boost


class TangentSVC(BaseHyperbolicClassifier):
    """Linear SVM on the log map at a reference point between the classes: the "Poincaré SVM".

    The decision hyperplane passes through the reference point; a bias would make it something
    other than a geodesic hyperplane. With more than two classes it separates each from the rest,
    each with a reference point of its own.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses (squared hinge) against the margin.
    reference : {"auto", "hulls", "means", "origin"}, default="auto"
        "hulls": half way between the nearest vertices of the two classes' convex hulls, in the
        plane. "means": half way between the Einstein midpoints of the classes. "auto": hulls in the
        plane, means beyond it.
    fit_intercept : bool, default=False
        Whether to add a bias, although the boundary is then no geodesic hyperplane.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of X.
    curvature : float, default=-1.0
        Its curvature.
    class_weight : dict or "balanced", default=None
        Weights of the classes.
    max_iter : int, default=10000
        Most iterations.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    reference_points_ : ndarray of shape (n_problems, n_features_in_)
        The reference points, in the chart of X; one for two classes, else one per class.
    coef_ : ndarray of shape (n_problems, n)
        Normals in the tangent spaces, carried to the origin by the boost.
    intercept_ : ndarray of shape (n_problems,)
        Biases, 0 unless asked for.
    n_iter_ : int
        Most iterations any of the problems took.
    n_features_in_ : int
        Number of columns of X.

    References
    ----------
    Chien, Pan, Tabaghi, Milenkovic (2021). Highly Scalable and Provably Accurate Classification in
    Poincaré Balls. ICDM.

    Examples
    --------
    >>> from hyplane.baselines import TangentSVC
    >>> clf = TangentSVC().fit([[0.5, 0.0], [0.7, 0.1], [-0.5, 0.0], [-0.7, 0.1]], [1, 1, 0, 0])
    >>> clf.reference_points_.round(6) + 0.0
    array([[0., 0.]])
    >>> clf.predict([[0.3, 0.0], [-0.3, 0.5]])
    array([1, 0])
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "C": [Interval(Real, 0, sys.float_info.max, closed="right")],
        "reference": [StrOptions({"auto", "hulls", "means", "origin"})],
        "fit_intercept": ["boolean"],
        **CHART_CONSTRAINTS,
        "class_weight": PARAMETER_CONSTRAINTS["class_weight"],
        "max_iter": PARAMETER_CONSTRAINTS["max_iter"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        reference: str = "auto",
        fit_intercept: bool = False,
        coordinates: str = "ball",
        curvature: float = -1.0,
        class_weight: ClassWeight = None,
        max_iter: int = 10_000,
    ) -> None:
        self.C = C
        self.reference = reference
        self.fit_intercept = fit_intercept
        self.coordinates = coordinates
        self.curvature = curvature
        self.class_weight = class_weight
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the reference points and the hyperplanes through them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the chart of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : TangentSVC
        """
        X, targets, weights, _ = self._rows(X, y, sample_weight)
        vectors = self._tangent_vectors(X)
        problems = targets.problems("ovr", self.class_weight, weights)
        counts = np.ones(len(vectors)) if weights is None else weights
        self._references = np.zeros((len(problems), vectors.shape[1]))
        self.coef_ = np.zeros_like(self._references)
        self.intercept_ = np.array([float(problem.constant) for problem in problems])
        self.n_iter_: Any = 1
        for k, problem in enumerate(problems):
            if problem.constant:
                continue
            reference = _reference_point(self.reference, vectors, counts, problem.labels > 0)
            model = LinearSVC(
                C=self.C, fit_intercept=self.fit_intercept, dual=False, max_iter=self.max_iter
            )
            model.fit(_seen_from(reference, vectors), problem.labels, problem.weights)
            self._references[k] = reference
            self.coef_[k], self.intercept_[k] = model.coef_[0], np.ravel(model.intercept_)[0]
            self.n_iter_ = max(self.n_iter_, int(model.n_iter_))
        self._keep_kind(targets)
        radius, direction = to_polar(self._references, "tangent")
        self.reference_points_ = from_polar(radius, direction, **self._chart)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores of the classes in their tangent spaces.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``.
        """
        vectors = self._tangent_vectors(self._check_rows(X))
        scores = np.column_stack(
            [
                _seen_from(reference, vectors) @ normal + bias
                for reference, normal, bias in zip(
                    self._references, self.coef_, self.intercept_, strict=True
                )
            ]
        )
        return self._per_class(scores)

    def _tangent_vectors(self, X: ArrayLike) -> Array:
        radius, direction = to_polar(X, **self._chart)
        return np.asarray(radius[:, None] * direction)


def _seen_from(reference: Array, vectors: Array) -> Array:
    """Return tangent coordinates of points where the reference point is the origin."""
    radius, direction = to_polar(reference[None], "tangent")
    origin = np.repeat(radius, len(vectors)), np.repeat(-direction, len(vectors), axis=0)
    length, heading = polar_boost(*origin, *to_polar(vectors, "tangent"))
    return np.asarray(length[:, None] * heading)


def _reference_point(
    kind: str, vectors: Array, weights: Array, positive: NDArray[np.bool_]
) -> Array:
    n_dim = vectors.shape[1]
    if kind == "origin":
        return np.zeros(n_dim)
    left, right = vectors[positive], vectors[~positive]
    if kind == "hulls" and n_dim != 2:
        raise ValueError(
            f"reference='hulls' is for the plane; these points have dimension {n_dim}. "
            "Use reference='means'."
        )
    if kind == "means" or n_dim != 2:
        left = einstein_midpoint(left, weights[positive], coordinates="tangent")[None, :]
        right = einstein_midpoint(right, weights[~positive], coordinates="tangent")[None, :]
    else:
        left, right = _hull_vertices(left), _hull_vertices(right)
        gaps = pairwise_distances(left, right, coordinates="tangent")
        i, j = np.unravel_index(gaps.argmin(), gaps.shape)
        left, right = left[i : i + 1], right[j : j + 1]
    return geodesic_midpoint(left, right, coordinates="tangent").ravel()


def _hull_vertices(vectors: Array) -> Array:
    """Return the vertices of the geodesic convex hull: in Klein coordinates it is the plain one."""
    if len(vectors) < 4:
        return vectors
    radius, direction = to_polar(vectors, "tangent")
    # A point too far out for Klein coordinates is as good as on the boundary.
    klein = from_polar(np.minimum(radius, 18.0), direction, "klein")
    try:
        return np.asarray(vectors[ConvexHull(klein).vertices])
    except QhullError:  # all on one line, or all at one point
        return vectors
