"""Logistic regression with hyperplanes, horospheres, spheres and equidistants as boundaries."""

from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import draw_seeds
from hyplane.classifiers._logistic_base import LOGISTIC_CONSTRAINTS, LogisticClassifier, Prepared
from hyplane.classifiers._softmax import Logits
from hyplane.classifiers._targets import ClassWeight
from hyplane.geometry import einstein_midpoint, from_polar, inverse_isometry, lorentz_boost
from hyplane.solvers import Points

# The frame is moved no farther than this: the matrix of a longer way would cost digits.
FARTHEST_FRAME = 8.0
# Points farther out count for the centre as if they were here: else the farthest one alone decides.
FARTHEST_POINT = 16.0


class HyperbolicLogisticRegression(LogisticClassifier):
    """Logistic regression on the hyperboloid, with boundaries ``w*x = c``.

    The logit of a class is ``arsinh(w*x - c)``, which grows like the hyperbolic distance from the
    boundary. All classes are fitted at once: the boundary of two of them is
    ``(w - v)*x = c - b``, a hyperplane or equidistant, a horosphere or a sphere, whichever fits.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty ``½ Σ (|w|² + c²)``.
    surface : {"any", "hyperplane"}, default="any"
        "hyperplane" keeps c = 0, the linear model. "any" is one number a class more, and draws
        circles in the Poincaré disk.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn. For an indicator matrix the classes are 0 and 1
        of each label.
    n_starts : int, default=1
        Starts of the solver: zero first, then random ones. The objective is not convex. At most
        10 000.
    tol : float, default=1e-5
        The solver stops where no component of the gradient of the mean loss is larger.
    max_iter : int, default=1000
        Most iterations of the solver.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    coef_ : ndarray of shape (1, n + 1) or (n_classes, n + 1)
        The vectors w; one for two classes, positive for ``classes_[1]``.
    level_ : ndarray of shape (1,) or (n_classes,)
        The constants c.
    objective_ : ndarray
        Value of the objective; one number, or one per label that is not constant.
    n_iter_ : ndarray of int
        Iterations of the solver.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    hyplane.geometry.surface_distance : Signed distances to ``w*x = c``.
    hyplane.geometry.surface_in_ball : The same surface as a Euclidean sphere.

    Notes
    -----
    The penalty is that of coordinates whose origin is the centre of the training points: their
    Einstein midpoint, where a point beyond radius 16 counts as one at radius 16. Moving all points
    by an isometry does not change a prediction as long as they stay within that radius.
    The intercepts take part in it: c is a component of a vector like the others.

    Logits and gradients are computed from ``exp(-r) x``, so nothing overflows at any radius.

    Examples
    --------
    >>> from hyplane import HyperbolicLogisticRegression
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(400, random_state=2)
    >>> clf = HyperbolicLogisticRegression().fit(X[:200], y[:200])
    >>> clf.coef_.shape, clf.level_.shape
    ((4, 3), (4,))
    >>> bool(clf.score(X[200:], y[200:]) > 0.8)
    True
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        **LOGISTIC_CONSTRAINTS,
        "surface": [StrOptions({"any", "hyperplane"})],
        "n_starts": [Interval(Integral, 1, 10_000, closed="both")],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        surface: str = "any",
        coordinates: str = "ball",
        curvature: float = -1.0,
        class_weight: ClassWeight = None,
        n_starts: int = 1,
        tol: float = 1e-5,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.surface = surface
        self.coordinates = coordinates
        self.curvature = curvature
        self.class_weight = class_weight
        self.n_starts = n_starts
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepared(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Prepared:
        X, targets, weights, _ = self._rows(X, y, sample_weight)
        points = self._points(X)
        to_centre = _to_centre(points, weights)
        features = _vectors(points)
        features[:, :-1] = features[:, :-1] @ to_centre.T
        # exp(-r) x in the frame of the centre, with r the distance from there, up to a factor of 2.
        scale = 2.0 * features[:, :1]
        features /= scale
        radius = points.radius + np.log(scale[:, 0])
        penalty = np.ones(features.shape[1])
        # A constant label is a surface far from all rows: the level alone, or, without a level, a
        # multiple of x0, which is at least 1.
        constant = np.zeros(features.shape[1])
        constant[-1 if self.surface == "any" else 0] = 1.0
        if self.surface == "hyperplane":
            features, penalty, constant = features[:, :-1], penalty[:-1], constant[:-1]
        return Prepared(
            Logits(features, radius),
            targets,
            weights,
            penalty,
            constant,
            to_centre,
            starts=self.n_starts,
            seed=draw_seeds(self.random_state)[0],
        )

    def _keep_coefficients(self, coef: Array, basis: Array) -> None:
        n = len(basis) - 1
        signs = np.r_[1.0, -np.ones(n)]
        # v·Bx = w*x with w = B⁻¹ J v.
        self.coef_ = coef[:, : n + 1] * signs @ inverse_isometry(basis).T
        self.level_ = -coef[:, n + 1] if self.surface == "any" else np.zeros(len(coef))

    def _logits(self, X: ArrayLike) -> Array:
        n = self.coef_.shape[1] - 1
        coef = np.column_stack([self.coef_ * np.r_[1.0, -np.ones(n)], -self.level_])
        values = np.empty((len(X), len(coef)))
        for rows, points in Points.chunks(X, **self._chart):
            values[rows] = Logits(_vectors(points), points.radius).values(coef)
        return values


def _vectors(points: Points) -> Array:
    """Return ``exp(-r) (x, 1)`` with x on the hyperboloid."""
    with np.errstate(under="ignore"):
        once, twice = np.exp(-points.radius), np.exp(-2.0 * points.radius)
    return np.column_stack(
        [0.5 * (1.0 + twice), (0.5 * (1.0 - twice))[:, None] * points.direction, once]
    )


def _to_centre(points: Points, weights: Array | None) -> Array:
    """Return the isometry that takes the centre of the points to the origin."""
    near = np.minimum(points.radius, FARTHEST_POINT)
    tangent = from_polar(near, points.direction, "tangent")
    centre = einstein_midpoint(tangent, weights, coordinates="tangent")
    radius = float(np.linalg.norm(centre))
    if radius > FARTHEST_FRAME:
        centre, radius = centre * (FARTHEST_FRAME / radius), FARTHEST_FRAME
    direction = centre / radius if radius > 0 else np.eye(len(centre))[0]
    boost = lorentz_boost(np.r_[np.cosh(radius), np.sinh(radius) * direction])
    return np.asarray(inverse_isometry(boost))
