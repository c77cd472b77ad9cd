"""A support vector classifier with a hyperbolic kernel, on scikit-learn's SVC."""

import warnings
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from sys import float_info
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils._param_validation import Interval, Options, StrOptions

from hyplane._utils.parallel import interruptible
from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS
from hyplane.classifiers._kernel_machine import KernelMachine
from hyplane.classifiers._probabilistic import row_weights
from hyplane.classifiers._targets import ClassWeight, Targets, one_vs_one_votes
from hyplane.geometry import check_points


class HyperbolicKernelSVC(KernelMachine):
    """Support vector classifier with a positive definite kernel on hyperbolic space.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the margin.
    kernel : {"secant", "laplacian", "tangent_rbf", "ball_rbf"} or callable, default="secant"
        ``cosh(d)^-γ`` and ``exp(-γ d)`` of the distance d at curvature -1, which do not depend on
        the origin, or ``exp(-γ |log x - log y|²)`` of the log map at the origin and ``exp(-γ |x -
        y|²)`` in the unit ball, which do. A callable gets two arrays of points of the chart and
        returns their kernel matrix. The Gaussian of the geodesic distance is refused: it is not
        positive definite.
    gamma : float or "scale", default="scale"
        The γ of the kernel; a callable does not get it. "scale" makes the mean exponent between
        the training points and their centre 1: see `hyplane.features.scale_gamma`.
    radius_scale : float or "auto", default="auto"
        A factor by which all radii are multiplied before the kernel is evaluated, which is a choice
        of curvature; a callable does not get it. "auto" is 1 unless the distances of the points
        hardly differ: see `hyplane.features.scale_radius`. A small factor turns "secant" into the
        Gaussian of tangent vectors. A factor other than 1 makes the kernel depend on the origin.
    n_landmarks : int, "auto" or None, default="auto"
        Number of training rows, drawn at random, at which the kernels of the decision functions are
        centred. None for all rows, which needs a kernel matrix of all rows and libsvm. "auto": all
        rows of 5000 at most, else 1000.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The model of hyperbolic space that the columns of X belong to.
    curvature : float, default=-1.0
        Curvature of the space, a negative number.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Scores per class or per pair of classes. Training is one-vs-one either way.
    tol : float, default=1e-3
        Tolerance of libsvm.
    max_iter : int, default=-1
        Most iterations of libsvm, -1 for no limit.
    cache_size : float, default=200
        Size of libsvm's cache in MB.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    gamma_ : float or None
        The γ in use; None for a callable kernel.
    radius_scale_ : float or None
        The factor of the radii in use; None for a callable kernel.
    support_ : ndarray of shape (n_support,)
        Rows of the support vectors, or of the landmarks.
    support_vectors_ : ndarray of shape (n_support, n_features_in_)
        The support vectors, in the chart of X.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients of the support vectors, as in ``sklearn.svm.SVC``. With landmarks, one row for
        each pair of classes.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Constants of the pairs of classes.
    n_iter_ : ndarray of int
        Iterations of the solver for each pair of classes.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    hyplane.HyperbolicKernelLogisticRegression : The same functions with probabilities.

    Notes
    -----
    With landmarks the decision functions are linear in features of the rows, as described for
    `hyplane.HyperbolicKernelLogisticRegression`, and L-BFGS minimises ``½ |f|² + C Σ max(0, 1 - y
    (f(x) + b))²`` for each pair of classes. The loss is squared since it is then smooth.

    For an indicator matrix of labels that may go together one machine is fitted per label. Then
    ``dual_coef_`` and ``intercept_`` have one row per label, ``n_support_`` and ``n_iter_`` one
    number, and ``support_`` has the rows that any of them needs. A constant label has
    no support vectors and an intercept of 1 or -1.

    For probabilities wrap it in ``sklearn.calibration.CalibratedClassifierCV``.

    Examples
    --------
    >>> from hyplane import HyperbolicKernelSVC
    >>> X = [[0.0, 0.1], [0.1, 0.0], [0.8, 0.0], [0.0, 0.8], [-0.8, 0.0], [0.0, -0.8]]
    >>> y = ["inner", "inner", "outer", "outer", "outer", "outer"]
    >>> clf = HyperbolicKernelSVC().fit(X, y)
    >>> clf.predict([[0.0, 0.0], [0.7, 0.0]])
    array(['inner', 'outer'], dtype='<U5')
    """

    multi_class = "ovo"  # as libsvm has it
    _saved = {  # noqa: RUF012
        "support_vectors_": "finite[n_support, n_columns]",
        "support_": "int[n_support]",
        "n_support_": "int[n_classes] from 0 to n_support",
        "dual_coef_": "finite[n_rows, n_support]",
        "intercept_": "finite[n_problems]",
        "n_iter_": "int[n_problems]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        **KernelMachine._parameter_constraints,
        "C": [Interval(Real, 0, float_info.max, closed="right")],
        "kernel": [str, callable],
        "class_weight": PARAMETER_CONSTRAINTS["class_weight"],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        # libsvm never ends where its tolerance is below rounding.
        "tol": [Interval(Real, 1e-12, float_info.max, closed="both")],
        "n_landmarks": [*KernelMachine._parameter_constraints["n_landmarks"], StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, 2**31 - 1, closed="both"), Options(Integral, {-1})],
        "cache_size": [Interval(Real, 0, 1e6, closed="neither")],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | Callable[[Array, Array], Array] = "secant",
        gamma: float | str = "scale",
        radius_scale: float | str = "auto",
        n_landmarks: int | str | None = "auto",
        coordinates: str = "ball",
        curvature: float = -1.0,
        class_weight: ClassWeight = None,
        decision_function_shape: str = "ovr",
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: float = 200,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.radius_scale = radius_scale
        self.n_landmarks = n_landmarks
        self.coordinates = coordinates
        self.curvature = curvature
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

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
        self : HyperbolicKernelSVC
        """
        X, targets, weights, counts = self._rows(X, y, sample_weight)
        points = check_points(X, **self._chart)
        rows = np.arange(len(points)) if counts is None else np.flatnonzero(counts)
        self._fit_scales(points, weights)
        self._check_memory(len(points))
        self._store_classes(targets)
        if self._n_landmarks(len(points)) < len(points):
            support = self._fit_landmarks(points, targets, weights)
        elif targets.multilabel:
            support = self._fit_labels(self._kernel_matrix(points), targets.codes, weights)
        else:
            kernel, y = self._kernel_matrix(points), targets.classes[targets.codes]
            svc = self._fitted_machine(kernel, y, weights)
            support, self.dual_coef_, self.intercept_ = svc.support_, svc.dual_coef_, svc.intercept_
            self.n_support_, self.n_iter_ = svc.n_support_, svc.n_iter_
        self.support_ = rows[support]
        self.support_vectors_ = points[support]
        return self

    def _n_landmarks(self, n_rows: int) -> int:
        wanted = self.n_landmarks
        if isinstance(wanted, str):
            wanted = 1000 if n_rows > 5000 else n_rows
        return min(n_rows, wanted or n_rows)

    def matrix_bytes(self, n_rows: int) -> int:
        """Return the bytes that the matrices of a fit take.

        Parameters
        ----------
        n_rows : int
            Rows of a fit.

        Returns
        -------
        n_bytes : int
        """
        exact = self._n_landmarks(n_rows) == n_rows
        return 8 * n_rows**2 if exact else super().matrix_bytes(n_rows)

    def _fitted_machine(self, kernel: Array, y: NDArray[Any], weights: Array | None) -> SVC:
        svc = SVC(
            C=self.C,
            kernel="precomputed",
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
        )
        both = row_weights(y, self.class_weight, weights)
        interruptible(lambda: svc.fit(kernel, y, sample_weight=both))
        return svc

    def _fit_labels(
        self, kernel: Array, codes: NDArray[Any], weights: Array | None
    ) -> NDArray[np.intp]:
        """Fit one machine per label on the same kernel matrix; return the rows that any needs."""
        dual = np.zeros(codes.shape[::-1])
        self.intercept_ = 2.0 * codes[0] - 1.0  # of constant labels
        self.n_iter_ = np.ones(len(dual), dtype=np.int64)
        for k, present in enumerate(codes.T):
            if present.min() < present.max():
                svc = self._fitted_machine(kernel, present, weights)
                dual[k, svc.support_] = svc.dual_coef_[0]
                self.intercept_[k], self.n_iter_[k] = svc.intercept_[0], svc.n_iter_[0]
        support = np.flatnonzero(dual.any(axis=0))
        self.n_support_ = np.count_nonzero(dual, axis=1)
        self.dual_coef_ = dual[:, support]
        return support

    def _fit_landmarks(
        self, points: Array, targets: Targets, weights: Array | None
    ) -> NDArray[np.intp]:
        """Fit all pairs of classes, or labels, on features of landmarks; return their rows."""
        found = self._landmark_features(points)
        fits = []
        for rows, signs, both in self._signed_rows(targets, weights):
            both = np.ones(len(signs)) if both is None else both
            fits.append(self._minimise(found.features[rows], signs, both))
        coef = np.array([fit.x for fit in fits])
        self.dual_coef_, self.intercept_ = found.dual(coef), coef[:, -1]
        self.n_iter_ = np.array([max(fit.nit, 1) for fit in fits])
        codes, n_classes = targets.codes[found.rows], len(targets.classes)
        self.n_support_ = (
            np.full(n_classes, len(codes))
            if targets.multilabel
            else np.bincount(codes, minlength=n_classes)
        )
        return found.rows

    def _signed_rows(
        self, targets: Targets, weights: Array | None
    ) -> Iterator[tuple[Any, Array, Array | None]]:
        """Yield the rows, signs and weights of each pair of classes, or label.

        As in libsvm, the first class of a pair is positive; of two classes in all, the second.
        """
        codes: Any = targets.codes
        positive: Any = -1.0 if self.decomposition_ == "ovo" else 1.0
        for k, problem in enumerate(targets.problems("ovo")):
            y = codes[:, k] if targets.multilabel else targets.classes[codes]
            both = row_weights(y, self.class_weight, weights)
            labels = problem.labels(codes)
            rows = slice(None) if labels.all() else np.flatnonzero(labels)
            yield rows, positive * labels[rows], None if both is None else both[rows]

    def _minimise(self, features: Array, signs: Array, weights: Array) -> OptimizeResult:
        """Minimise half the squared norm and C times the squared hinge losses."""
        penalty = np.r_[np.ones(features.shape[1] - 1), 0.0]  # the intercept is free
        scale = 1.0 / (self.C * float(weights.sum()))

        def objective(coef: Array) -> tuple[float, Array]:
            short = np.maximum(0.0, 1.0 - signs * (features @ coef))
            pull = self.C * weights * short
            value = float(pull @ short) + 0.5 * float(penalty @ coef**2)
            return scale * value, scale * (penalty * coef - 2.0 * ((signs * pull) @ features))

        limit = self.max_iter if self.max_iter > 0 else 10_000
        options = {"maxiter": limit, "maxfun": 3 * limit, "gtol": 0.1 * self.tol, "ftol": 1e-14}
        start = (1.0 - penalty) * np.average(signs, weights=weights)  # right for a constant label
        fit = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
        if not fit.success:
            warnings.warn(
                f"the solver stopped before it converged ({fit.message}). Raise max_iter or tol "
                f"(now {self.tol:g}), or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return fit

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        scores : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            One column for two classes, positive for ``classes_[1]``; beyond that as
            ``decision_function_shape`` says. One column per label of an indicator matrix.
        """
        scores = self._pair_scores(X)
        if self.decomposition_ == "binary":
            return scores[:, 0]
        if self.decomposition_ == "multilabel" or self.decision_function_shape == "ovo":
            return scores
        return one_vs_one_votes(-scores, len(self.classes_))

    @property
    def predict_proba(self) -> NoReturn:
        """Not available: the error names classifiers that have probabilities."""
        raise AttributeError(
            "HyperbolicKernelSVC has scores and no probabilities. "
            "HyperbolicKernelLogisticRegression has the same kernels and probabilities."
        )

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or the indicator matrix of labels.
        """
        scores = self._pair_scores(X)
        if self.decomposition_ == "multilabel":
            return (scores > 0).astype(np.int64)
        if len(self.classes_) == 2:
            return np.asarray(self.classes_[(scores[:, 0] >= 0).astype(np.intp)])
        # As libsvm has it: a vote of each pair, and the first class of equals.
        winners = np.where(scores > 0, *np.triu_indices(len(self.classes_), 1))
        votes = [(winners == k).sum(axis=1) for k in range(len(self.classes_))]
        return np.asarray(self.classes_[np.argmax(votes, axis=0)])

    def _pair_scores(self, X: ArrayLike) -> Array:
        """Return the scores of the pairs of classes, or labels, from the arrays that were learned.

        libsvm would follow the counts in them unchecked, which a forged model file could use.
        Positive for the first of a pair; for two classes, as in scikit-learn, for the second.
        """
        points = check_points(self._check_rows(X), **self._chart)
        weights = self._pair_weights()
        scores = np.tile(self.intercept_, (len(points), 1))
        if len(self.support_vectors_):
            for rows, kernel in self._kernel_blocks(points, self.support_vectors_):
                scores[rows] += kernel @ weights
        return scores

    def _pair_weights(self) -> Array:
        """Return the weight of each support vector in each pair of classes.

        Those of class a have their weight against class b in row b - 1 of ``dual_coef_`` where
        a < b, and in row b where b < a.
        """
        if len(self.dual_coef_) == len(self.intercept_):  # two classes, labels or landmarks
            return np.asarray(self.dual_coef_.T)
        owner = np.repeat(np.arange(len(self.classes_)), self.n_support_)
        pairs = zip(*np.triu_indices(len(self.classes_), 1), strict=True)
        columns = [
            (owner == a) * self.dual_coef_[b - 1] + (owner == b) * self.dual_coef_[a]
            for a, b in pairs
        ]
        return np.column_stack(columns)
