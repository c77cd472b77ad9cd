"""The hyperbolic support vector classifier."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from hyplane.geometry import CHARTS
from hyplane.geometry._types import Array, ArrayLike
from hyplane.native.core import Points
from hyplane.solvers.hyperplanes import Hyperplanes
from hyplane.solvers.packing import pack_points, polar_chunks
from hyplane.solvers.soft_margin import SoftMarginResult, solve_soft_margin
from hyplane.svm._targets import BinaryProblem, ClassWeight, Targets, one_vs_one_votes


class HyperbolicSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Support vector classifier with linear decision hyperplanes in hyperbolic space.

    A point x of the hyperboloid is classified by the sign of the Minkowski product ``w*x``. The
    normal w minimises ``-½ w*w + C Σ max(0, arsinh 1 - arsinh(y w*x))`` subject to ``w*w < 0``:
    the loss is measured in hyperbolic distance, and the hyperplane must meet the smallest ball
    around the origin that holds the points.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the margin.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The model of hyperbolic space that the columns of X belong to. Polar points are (r, θ) in
        the plane and (r, unit direction) beyond it; tangent vectors are those of the log map at the
        origin, and every real vector is one.
    curvature : float, default=-1.0
        Curvature of the space, a negative number.
    multi_class : {"ovr", "ovo"}, default="ovr"
        One hyperplane per class, or one per pair of classes. The latter is more accurate where
        there are many classes.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn. For an indicator matrix the classes are 0 and 1
        of each label.
    tol : float, default=1e-8
        Relative accuracy of the objective at which the solver stops.
    max_iter : int, default=1000
        Most iterations of the solver on all rows.
    n_jobs : int, default=None
        Threads that solve binary problems side by side; None means 1, -1 all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and of the samples that the solver takes of large data.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    coef_ : ndarray of shape (n_problems, n + 1)
        The normals w, one per binary problem: one for two classes, else one per class (or label),
        or one per pair ``(0, 1), (0, 2), …`` with the second class on the positive side. The score
        is ``w*x`` with x on the hyperboloid of curvature -1.
    hyperplanes_ : Hyperplanes
        The same hyperplanes as scale, distance from the origin and unit normal, which stay accurate
        where the components of w do not. Predictions use these.
    objective_ : ndarray of shape (n_problems,)
        Value of the objective.
    converged_ : ndarray of bool of shape (n_problems,)
        Whether the solver met its tolerance.
    n_iter_ : ndarray of int of shape (n_problems,)
        Iterations of the solver.
    results_ : list of SoftMarginResult
        What the solver said of each problem, why it stopped included.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X had them.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437.

    Examples
    --------
    >>> from hyplane import HyperbolicSVC
    >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
    >>> clf = HyperbolicSVC().fit(X, ["right", "right", "left", "left"])
    >>> clf.predict([[0.3, 0.0], [-0.3, 0.0]])
    array(['right', 'left'], dtype='<U5')
    >>> clf.signed_distance([[0.9, 0.0]]).round(1)
    array([3.])
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "C": [Interval(Real, 0, None, closed="neither")],
        "coordinates": [StrOptions(set(CHARTS))],
        "curvature": [Interval(Real, None, 0, closed="neither")],
        "multi_class": [StrOptions({"ovr", "ovo"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        coordinates: str = "ball",
        curvature: float = -1.0,
        multi_class: str = "ovr",
        class_weight: ClassWeight = None,
        tol: float = 1e-8,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.coordinates = coordinates
        self.curvature = curvature
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        """Labels may be an indicator matrix."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the hyperplanes.

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
        self : HyperbolicSVC
        """
        if np.isinf(self.C):
            raise NotImplementedError(
                "C=inf (the hard margin) is not implemented yet. Use a large finite C, for "
                "instance C=1e3."
            )
        X, y = validate_data(
            self, X, y, dtype="numeric", ensure_all_finite=False, multi_output=True
        )
        if y.ndim == 2 and y.shape[1] == 1:
            y = _as_one_column(y)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            X, y, weights = _rows_that_count(X, y, weights)
        targets = Targets.of(y)
        problems = targets.problems(self.multi_class, self.class_weight, weights)
        points = pack_points(X, self.coordinates, curvature=self.curvature)
        results = self._solve(points, problems)

        self.classes_ = targets.classes
        self.results_ = results
        self.hyperplanes_ = Hyperplanes.of_results(results)
        self.coef_ = self.hyperplanes_.w
        self.objective_ = np.array([result.objective for result in results])
        self.converged_ = np.array([result.converged for result in results])
        self.n_iter_ = np.array([result.n_iter for result in results])
        self._multilabel = targets.multilabel
        self._warn_where_not_converged(problems)
        return self

    def _solve(self, points: Points, problems: list[BinaryProblem]) -> list[SoftMarginResult]:
        random_state = check_random_state(self.random_state)
        seeds = random_state.randint(np.iinfo(np.int32).max, size=len(problems))

        def solve(problem: BinaryProblem, seed: int) -> SoftMarginResult:
            if problem.constant:
                return _same_everywhere(points.n_dim, problem.constant)
            part = points if problem.rows is None else points.take(problem.rows)
            return solve_soft_margin(
                part,
                problem.labels,
                problem.weights,
                C=float(self.C),
                tol=self.tol,
                max_iter=self.max_iter,
                seed=int(seed),
            )

        jobs = min(len(problems), effective_n_jobs(self.n_jobs))
        if jobs == 1:
            return [solve(problem, seed) for problem, seed in zip(problems, seeds, strict=True)]
        parallel = Parallel(n_jobs=jobs, require="sharedmem")
        return list(
            parallel(
                delayed(solve)(problem, seed)
                for problem, seed in zip(problems, seeds, strict=True)
            )
        )

    def _warn_where_not_converged(self, problems: list[BinaryProblem]) -> None:
        failed = np.flatnonzero(~self.converged_)
        if failed.size:
            first = problems[failed[0]].name
            warnings.warn(
                f"the solver stopped before it converged on {failed.size} of {len(problems)} "
                f"binary problems (first: {first}; {self.results_[failed[0]].reason}). "
                f"Raise max_iter (now {self.max_iter}) or tol (now {self.tol:g}).",
                ConvergenceWarning,
                stacklevel=3,
            )

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores: the Minkowski products ``w*x``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``. One-vs-one gives the votes of
            the pairs instead, ties broken by their scores. A product beyond the range of doubles
            (points farther out than about 700) is infinite; `predict` does not depend on it.
        """
        scores = self._per_problem(X, self._arsinh_scores)
        if self._votes:
            return one_vs_one_votes(scores, len(self.classes_))
        with np.errstate(over="ignore"):
            products = np.sinh(scores)
        return products[:, 0] if self._single else products

    def signed_distance(self, X: ArrayLike) -> Array:
        """Return the signed hyperbolic distances to the hyperplanes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        distances : ndarray of shape (n_samples,) or (n_samples, n_problems)
            ``arsinh(w*x / sqrt(-w*w))``, in units of the space's own curvature: one column per row
            of ``coef_``. Compare classes by their scores, not by these: a hyperplane far from the
            points says little in distances.
        """
        distances = self._per_problem(X, self._signed_distances)
        distances /= np.sqrt(-self.curvature)
        return distances[:, 0] if self._single else distances

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
        scores = self._per_problem(X, self._arsinh_scores)
        if self._multilabel:
            return (scores > 0).astype(np.int64)
        if self._single:
            return np.asarray(self.classes_[(scores[:, 0] > 0).astype(np.int64)])
        if self._votes:
            scores = one_vs_one_votes(scores, len(self.classes_))
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    @property
    def _single(self) -> bool:
        """Whether one hyperplane tells two classes apart."""
        return len(self.classes_) == 2 and not self._multilabel

    @property
    def _votes(self) -> bool:
        return self.multi_class == "ovo" and not self._multilabel and len(self.classes_) > 2

    def _arsinh_scores(self, radius: Array, direction: Array) -> Array:
        return self.hyperplanes_.arsinh_score(radius, direction)

    def _signed_distances(self, radius: Array, direction: Array) -> Array:
        return self.hyperplanes_.signed_distance(radius, direction)

    def _per_problem(self, X: ArrayLike, values: Callable[[Array, Array], Array]) -> Array:
        """Evaluate a function of polar points on all rows, a chunk of rows at a time."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype="numeric", ensure_all_finite=False, reset=False)
        out = np.empty((len(X), len(self.hyperplanes_.offset)))
        for rows, radius, direction in polar_chunks(X, self.coordinates, curvature=self.curvature):
            out[rows] = values(radius, direction)
        return out


def _as_one_column(y: NDArray[Any]) -> NDArray[Any]:
    from sklearn.utils.validation import column_or_1d

    return np.asarray(column_or_1d(y, warn=True))


def _rows_that_count(
    X: NDArray[Any], y: NDArray[Any], weights: Array
) -> tuple[NDArray[Any], NDArray[Any], Array]:
    positive = weights > 0
    if positive.all():
        return X, y, weights
    if not positive.any():
        raise ValueError("all rows have sample_weight 0: at least one must be positive.")
    return X[positive], y[positive], weights[positive]


def _same_everywhere(n_dim: int, sign: int) -> SoftMarginResult:
    """A label that all rows have, or none: the hyperplane at infinity."""
    return SoftMarginResult(
        log_scale=0.0,
        offset=sign * np.inf,
        normal=np.eye(n_dim)[0],
        objective=0.0,
        n_iter=1,
        n_evaluations=0,
        converged=True,
        reason="all rows have the same label",
    )
