"""Logistic regression with hyperplanes, horospheres, spheres and equidistants as boundaries."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.optimize import OptimizeResult, minimize
from scipy.special import expit, softmax
from sklearn.base import _fit_context, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS, draw_seeds
from hyplane.classifiers._probabilistic import (
    LARGEST_WEIGHT,
    ProbabilisticClassifier,
    row_weights,
    scaled_points,
)
from hyplane.classifiers._targets import ClassWeight, Targets
from hyplane.geometry import einstein_midpoint, inverse_isometry, lorentz_boost
from hyplane.solvers import Points


def logits_and_slopes(
    features: Array, radius: Array | None, coef: Array
) -> tuple[Array, Array | float]:
    """Return the logits ``arsinh(exp(r) F v)``, and their derivatives by ``F v``.

    They are plainly ``F v`` where there is no radius r.
    """
    scaled = features @ coef.T
    if radius is None:
        return scaled, 1.0
    # arsinh z = ± log(|z| + sqrt(1 + z²)), divided by exp(r) inside the logarithm. Squares are
    # several times as fast as hypot. Where both are too small for a double, the root is kept so
    # large that sums of slopes stay finite.
    with np.errstate(under="ignore"):
        root = np.square(scaled)
        root += np.exp(-2.0 * radius)[:, None]
    root = np.maximum(np.sqrt(root, out=root), 1e-150, out=root)
    return np.sign(scaled) * (np.log(np.abs(scaled) + root) + radius[:, None]), 1.0 / root


@dataclass(frozen=True)
class Prepared:
    """Rows and labels as the likelihood takes them: all that does not depend on C.

    ``penalty`` weights the squared coefficients, ``constant`` are coefficients whose product with
    the points is 1 everywhere, and ``basis`` is what the subclass needs to make attributes of
    coefficients.
    """

    features: Array
    radius: Array | None
    targets: Targets
    weights: Array | None
    penalty: Array
    constant: Array
    basis: Any


class LogisticClassifier(ProbabilisticClassifier):
    """A classifier by logits; a subclass makes the features and keeps the coefficients."""

    C: float
    _saved = {"objective_": "float[n_fits]", "n_iter_": "int[...]"}  # noqa: RUF012
    n_starts: int = 1
    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 (scikit-learn's name and form)
        "C": [Interval(Real, 1 / LARGEST_WEIGHT, LARGEST_WEIGHT, closed="both")],
        **CHART_CONSTRAINTS,
        **{name: PARAMETER_CONSTRAINTS[name] for name in ("class_weight", "tol", "random_state")},
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    @abstractmethod
    def _prepared(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Prepared:
        """Check the rows and make their features."""

    @abstractmethod
    def _keep_coefficients(self, coef: Array, basis: Any) -> None:
        """Keep the coefficients as attributes."""

    @abstractmethod
    def _logits(self, X: ArrayLike) -> Array:
        """Return the logits of checked rows, of shape (m, n_columns)."""

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the logits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : object
        """
        self._fit_logits(self._prepared(X, y, sample_weight))
        return self

    def fit_path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        Cs: Iterable[float],
        sample_weight: ArrayLike | None = None,
    ) -> list[Self]:
        """Fit for several values of C; what does not depend on C is computed once.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        Cs : iterable of float
            Values in the place of ``C``. With a kernel, where the problem is convex, each fit
            starts from the one before: rising values are quickest.

        Returns
        -------
        models : list
            A fitted copy of this classifier for each value.

        Examples
        --------
        >>> from hyplane import HyperbolicKernelLogisticRegression
        >>> X, y = [[0.0, 0.1], [0.1, 0.0], [0.8, 0.0], [0.0, 0.8]], [0, 0, 1, 1]
        >>> path = HyperbolicKernelLogisticRegression().fit_path(X, y, [0.1, 1.0, 10.0])
        >>> [model.C for model in path]
        [0.1, 1.0, 10.0]
        """
        first = clone(self)
        first._validate_params()
        prepared = first._prepared(X, y, sample_weight)
        models: list[Self] = []
        coef = None
        for C in Cs:
            model = copy(first).set_params(C=C)
            model._validate_params()
            coef = model._fit_logits(prepared, None if prepared.radius is not None else coef)
            models.append(model)
        return models

    def _fit_logits(self, prepared: Prepared, first: Array | None = None) -> Array:
        """Fit all classes at once, or each label by itself; keep and return the coefficients."""
        targets, weights = prepared.targets, prepared.weights
        coef, fits = [], []
        for k, codes in enumerate(targets.codes.T if targets.multilabel else [targets.codes]):
            y = codes if targets.multilabel else targets.classes[codes]
            both = row_weights(y, self.class_weight, weights)
            both = np.ones(len(y)) if both is None else both
            if codes.min() == codes.max():  # a constant label
                odds = (2.0 * codes[0] - 1.0) * np.log1p(both.sum())
                level = odds if prepared.radius is None else np.sinh(odds)
                coef.append(level * prepared.constant[None])
                continue
            start = first[[k]] if first is not None and targets.multilabel else first
            n_columns = 1 if targets.decomposition("joint") != "joint" else len(targets.classes)
            fits.append(self._minimise(prepared, codes, both, n_columns, start))
            coef.append(fits[-1].x.reshape(n_columns, -1))
        self._store_classes(targets)
        self._keep_coefficients(np.vstack(coef), prepared.basis)
        self.objective_ = np.array([fit.fun for fit in fits])
        self.n_iter_ = np.array([max(fit.nit, 1) for fit in fits] or [1], dtype=np.int64)
        failed = [fit for fit in fits if not fit.success]
        if failed:
            warnings.warn(
                f"the solver stopped before it converged ({failed[0].message}). Raise max_iter "
                f"(now {self.max_iter}) or tol (now {self.tol:g}), or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return np.vstack(coef)

    def _minimise(
        self,
        prepared: Prepared,
        codes: NDArray[np.integer[Any]],
        weights: Array,
        n_columns: int,
        first: Array | None,
    ) -> OptimizeResult:
        """Minimise ``½ Σ penalty v² + C Σ weight (-log p)`` over the coefficients v.

        Two classes have one column, the logit of the second; that of the first is 0.
        """
        features, penalty, rows = prepared.features, prepared.penalty, np.arange(len(codes))
        scale = 1.0 / (self.C * float(weights.sum()))

        def objective(flat: Array, radius: Array | None) -> tuple[float, Array]:
            coef = flat.reshape(n_columns, -1)
            values, slopes = logits_and_slopes(features, radius, coef)
            if n_columns == 1:
                values = np.column_stack([np.zeros(len(values)), values])
            # The softmax and its logarithm from one exponential.
            values = values - values.max(axis=1, keepdims=True)
            residual = np.exp(values)
            total = residual.sum(axis=1)
            loss = float(weights @ (np.log(total) - values[rows, codes]))
            residual *= (weights / total)[:, None]
            residual[rows, codes] -= weights
            residual = residual[:, -n_columns:] * slopes
            gradient = self.C * (residual.T @ features) + penalty * coef
            value = self.C * loss + 0.5 * float((penalty * coef**2).sum())
            return scale * value, scale * gradient.ravel()

        def descend(start: Array, radius: Array | None, tol: float) -> OptimizeResult:
            limits = {"maxiter": self.max_iter, "maxfun": 3 * self.max_iter}
            options = {**limits, "gtol": tol, "ftol": 1e-14, "maxcor": 30}
            return minimize(objective, start, radius, "L-BFGS-B", jac=True, options=options)

        size, radius = n_columns * features.shape[1], prepared.radius
        start = np.zeros(size) if first is None else first.ravel()
        # The slopes at zero are exp(r). If some r is beyond 10, L-BFGS finds better minima from the
        # fit with plain logits; from about 20 on it finds no step from zero at all.
        if first is None and radius is not None and radius.max() > 10.0:
            start = descend(start, None, 1e-3).x
        rng = np.random.default_rng(draw_seeds(self.random_state))
        starts = [start, *rng.normal(size=(self.n_starts - 1, size))]
        best = min((descend(each, radius, self.tol) for each in starts), key=lambda fit: fit.fun)
        best.fun /= scale
        return best

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the logits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        logits : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``; else one per class or label.
            Of several classes only their differences count. Finite at any radius.
        """
        logits = self._logits(self._check_rows(X))
        return logits[:, 0] if self.decomposition_ == "binary" else logits

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one. For an indicator matrix the columns are independent.
        """
        logits = self._logits(self._check_rows(X))
        if self.decomposition_ == "joint":
            return np.asarray(softmax(logits, axis=1))
        if self.decomposition_ == "binary":
            logits = logits * [-1.0, 1.0]
        return np.asarray(expit(logits))


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
        The solver stops where no component of the gradient of the mean loss is larger. The gradient
        is by coefficients in units in which a typical row changes its logit by about 1.
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

    _saved = {  # noqa: RUF012
        "coef_": "finite[n_problems, n_dim + 1]",
        "level_": "finite[n_problems]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        **LogisticClassifier._parameter_constraints,
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
        # A constant label is a surface far from all rows: the level alone, or, without a level, a
        # multiple of x0, which is at least 1.
        level = -1
        if self.surface == "hyperplane":
            features, level = features[:, :-1], 0
        # In these units of the coefficients the logit of a typical row changes by about 1 in each.
        # L-BFGS needs fewer iterations then, and ``tol`` means the same at any radius.
        typical = np.exp(-min(_weighted_median(radius, weights), 200.0))
        squares = np.average(features**2, axis=0, weights=weights)
        units = typical / np.maximum(np.sqrt(squares), typical)
        features *= units / typical
        constant = np.eye(len(units))[level] / units
        radius += np.log(typical)
        # v·Bx = w*x with w = B⁻¹ J v. The last coefficient is -c.
        basis = block_diag(inverse_isometry(to_centre).T, 1.0)[: len(units)]
        basis[1:] *= -1.0
        basis *= units[:, None]
        return Prepared(features, radius, targets, weights, units**2, constant, basis)

    def _keep_coefficients(self, coef: Array, basis: Array) -> None:
        vectors = coef @ basis
        self.coef_, self.level_ = vectors[:, :-1], vectors[:, -1]

    def _logits(self, X: ArrayLike) -> Array:
        n = self.coef_.shape[1] - 1
        coef = np.column_stack([self.coef_ * np.r_[1.0, -np.ones(n)], -self.level_])
        values = np.empty((len(X), len(coef)))
        for rows, points in Points.chunks(X, **self._chart):
            values[rows], _ = logits_and_slopes(_vectors(points), points.radius, coef)
        return values


def _vectors(points: Points) -> Array:
    """Return ``exp(-r) (x, 1)`` with x on the hyperboloid."""
    with np.errstate(under="ignore"):
        return np.column_stack([scaled_points(points), np.exp(-points.radius)])


def _weighted_median(values: Array, weights: Array | None) -> float:
    """Return the lower median; a weight counts as that many copies."""
    order = np.argsort(values)
    below = np.cumsum(np.ones(len(values)) if weights is None else weights[order])
    return float(values[order][np.searchsorted(below, 0.5 * below[-1])])


def _to_centre(points: Points, weights: Array | None) -> Array:
    """Return the isometry that takes the centre of the points to the origin."""
    # Points farther out count as if they were there: else the farthest one alone decides. The frame
    # is moved no farther than that: the matrix of a longer way would cost digits.
    farthest_point, farthest_frame = 16.0, 8.0
    tangent = np.minimum(points.radius, farthest_point)[:, None] * points.direction
    centre = einstein_midpoint(tangent, weights, coordinates="tangent")
    length = float(np.linalg.norm(centre))
    direction = centre / length if length > 0 else np.eye(len(centre))[0]
    radius = min(length, farthest_frame)
    boost = lorentz_boost(np.r_[np.cosh(radius), np.sinh(radius) * direction])
    return np.asarray(inverse_isometry(boost))
