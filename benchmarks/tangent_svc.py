"""The "Poincaré SVM": a linear SVM in the tangent space of a point between two classes.

Chien, Pan, Tabaghi, Milenkovic (2021). Highly Scalable and Provably Accurate Classification in
Poincaré Balls. ICDM. A rival in `truth.py`, for two classes; scikit-learn's OneVsRestClassifier
makes it one for more.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC

from hyplane.geometry import (
    einstein_midpoint,
    from_polar,
    geodesic_midpoint,
    pairwise_distances,
    recentered,
    to_polar,
)

Array = NDArray[np.float64]


class TangentSVC(ClassifierMixin, BaseEstimator):
    """A hyperplane through a reference point, by a linear SVM without bias on the log map there.

    The reference point is half way between the nearest vertices of the two classes' convex hulls
    in the plane, and half way between the classes' Einstein midpoints beyond it.
    """

    def __init__(
        self, C: float = 1.0, *, coordinates: str = "ball", curvature: float = -1.0
    ) -> None:
        self.C = C
        self.coordinates = coordinates
        self.curvature = curvature

    def fit(self, X: Array, y: NDArray[Any]) -> Self:
        """Find the reference point and the hyperplane through it."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        vectors = self._tangent_vectors(X)
        self.reference_ = reference_point(vectors[codes == 1], vectors[codes == 0])
        svm = LinearSVC(C=self.C, fit_intercept=False, dual=False, max_iter=10_000)
        self.coef_ = svm.fit(recentered(vectors, self.reference_), codes).coef_[0]
        return self

    def decision_function(self, X: Array) -> Array:
        """Return scores, positive for ``classes_[1]``."""
        return recentered(self._tangent_vectors(X), self.reference_) @ self.coef_

    def predict(self, X: Array) -> NDArray[Any]:
        """Return the class of each point."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def _tangent_vectors(self, X: Array) -> Array:
        radius, direction = to_polar(X, self.coordinates, curvature=self.curvature)
        return radius[:, None] * direction


def reference_point(left: Array, right: Array) -> Array:
    """Return the point between two classes of tangent vectors at the origin."""
    if left.shape[1] == 2:
        left, right = hull_vertices(left), hull_vertices(right)
        gaps = pairwise_distances(left, right, coordinates="tangent")
        i, j = np.unravel_index(gaps.argmin(), gaps.shape)
        left, right = left[i : i + 1], right[j : j + 1]
    else:
        left = einstein_midpoint(left, coordinates="tangent")[None, :]
        right = einstein_midpoint(right, coordinates="tangent")[None, :]
    return geodesic_midpoint(left, right, coordinates="tangent").ravel()


def hull_vertices(vectors: Array) -> Array:
    """Return the vertices of the geodesic convex hull: in Klein coordinates it is the plain one."""
    radius, direction = to_polar(vectors, "tangent")
    # A point too far out for Klein coordinates is as good as on the boundary.
    klein = from_polar(np.minimum(radius, 18.0), direction, "klein")
    try:
        return vectors[ConvexHull(klein).vertices]
    except (QhullError, ValueError):  # fewer than three points, all on one line or at one point
        return vectors
