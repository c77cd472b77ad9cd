"""The hyperbolic support vector classifier."""

import warnings
from copy import deepcopy
from dataclasses import replace
from math import isinf
from numbers import Real
from sys import float_info
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, Options
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane._utils.validation import is_lazy
from hyplane.classifiers._base import (
    BOUND_CONSTRAINTS,
    PARAMETER_CONSTRAINTS,
    accepts_lazy_input,
    draw_seeds,
    threads_of_each,
)
from hyplane.classifiers._certify import CertifyMixin
from hyplane.classifiers._partial_fit import PartialFitMixin
from hyplane.classifiers._targets import ClassWeight, Targets
from hyplane.solvers import HardMargin, HardMarginResult, Points
from hyplane.solvers.reservoir import ROWS_PER_GROUP
from hyplane.solvers.rows import BinaryProblem, Rows, best_of_rows


class ClassNeverPredictedWarning(UserWarning):
    """Warning that a fitted `HyperbolicSVC` predicts one of the classes for no training row.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", ClassNeverPredictedWarning)
    """


class HyperbolicSVC(CertifyMixin, PartialFitMixin):
    """Support vector classifier with linear decision hyperplanes in hyperbolic space.

    A point x of the hyperboloid is classified by the sign of the Minkowski product ``w*x``. The
    normal w minimises ``-½ w*w + C Σ max(0, arsinh 1 - arsinh(y w*x))`` subject to ``w*w < 0``:
    the loss is measured in hyperbolic distance. The infimum need not be attained: see ``bound``.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the margin. ``np.inf`` gives the hard margin: the hyperplane
        farthest from the closest point, found to global optimality. Classes that no hyperplane
        separates are then an error.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The model of hyperbolic space that the columns of X belong to. Polar points are (r, θ) in
        the plane and (r, unit direction) beyond it; tangent vectors are those of the log map at the
        origin, and every real vector is one.
    curvature : float, default=-1.0
        Curvature of the space, a negative number.
    multi_class : {"ovr", "ovo"}, default="ovr"
        One hyperplane per class, or one per pair of classes. The latter is often more accurate
        where there are many classes.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn. For an indicator matrix the classes are 0 and 1
        of each label.
    bound : {"horosphere", "ball"}, default="horosphere"
        How problems without an optimal hyperplane are regularised. ``"horosphere"``: the limits of
        hyperplanes at infinity are allowed too, whose level sets are horospheres. This does not
        depend on the origin, and ranks rare classes better. ``"ball"``, as in `hyplane reproduce`:
        the hyperplane must meet the smallest ball around the origin that holds the points.
    tol : float, default=1e-6
        Relative accuracy of the objective at which the solver stops.
    max_iter : int, default=1000
        Maximum number of iterations of the solver on all rows.
    n_jobs : int, default=None
        Threads; None means 1, -1 all processors. Binary problems are solved side by side; where
        there are fewer of them than threads, the threads left over share their rows. The result
        does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and of the samples that the solver takes of large data.
    warm_start : bool, default=False
        Start a further fit with the same classes from the hyperplanes of the last one.
    verbose : int, default=0
        Whether to show progress on the standard error: the number of binary problems solved so
        far, from the first second on.

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
    results_ : list of SoftMarginResult or HardMarginResult
        The solver's result for each problem, with the reason why it stopped.
    degenerate_ : ndarray of bool of shape (n_problems,)
        Whether the solution is on the bound: the problem has no optimal hyperplane inside.
    margin_ : ndarray of shape (n_problems,)
        Hard margin only: hyperbolic distance from the hyperplane to the closest point, infinite for
        a constant label.
    gap_ : ndarray of shape (n_problems,)
        Hard margin only: no hyperplane has a margin above ``margin_ + gap_``.
    support_ : ndarray of int of shape (n_support,)
        Indices of the support vectors: the rows with a loss or at the margin in any problem. Not
        set for rows that are read block by block, nor by `partial_fit`.
    support_vectors_ : ndarray of shape (n_support, n_features_in_)
        The support vectors.
    n_support_ : ndarray of int of shape (n_classes,)
        Number of support vectors of each class, or with each label.
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

    _saved = {  # noqa: RUF012
        "margin_": "float[n_problems]",
        "gap_": "float[n_problems]",
        "support_": "int[n_support]",
        "support_vectors_": "finite[n_support, n_columns]",
        "n_support_": "int[n_classes] from 0 to n_support",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "C": [Interval(Real, 0, float_info.max, closed="right"), Options(Real, {np.inf})],
        **PARAMETER_CONSTRAINTS,
        **BOUND_CONSTRAINTS,
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        coordinates: str = "ball",
        curvature: float = -1.0,
        multi_class: str = "ovr",
        class_weight: ClassWeight = None,
        bound: str = "horosphere",
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.coordinates = coordinates
        self.curvature = curvature
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.bound = bound
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the hyperplanes to training points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``. A memory map of 64 MiB and more, columns of a
            `hyplane.out_of_core.ParquetTable` and Dask collections are read block by block.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : HyperbolicSVC
        """
        hard = isinf(self.C)
        seed, sample_seed = draw_seeds(self.random_state, 2)
        with self._training_rows(X, y, sample_weight, task="fitting", seed=sample_seed) as training:
            rows, targets, kept = training
            if hard and not isinstance(rows, Rows):
                raise ValueError(
                    "the hard margin needs its rows in memory, and these are read block by block. "
                    "Use a large C, 1e4 for instance, or fit a sample."
                )
            starts = self._last_results(targets, rows.n_dim) if self.warm_start else None
            weighted, problems = self._problems(rows, targets)
            results = self._solve(weighted, problems, [self.C] * len(problems), seed, starts)
        self._store(targets, results)
        if hard:
            self._store_margins()
        if isinstance(rows, Rows) and not is_lazy(X):
            self._store_support(np.asarray(X), rows, problems, kept)
            if self.decomposition_ == "ovr" and not isinstance(self.class_weight, dict):
                self._warn_of_classes_never_predicted(np.asarray(X))
            if len(rows) <= ROWS_PER_GROUP and not targets.multilabel:
                # For partial_fit; the weights may be the user's own array.
                self._rows_of_fit = replace(rows, weights=deepcopy(rows.weights)), self._chart
        self._warn_where_not_converged(problems)
        return self

    def _solver(self) -> Any:
        hard = isinf(self.C)
        return HardMargin(self.tol, self.max_iter) if hard else super()._solver()

    def _points(self, X: NDArray[Any]) -> Points:
        # The hard margin needs the radii to their last digits.
        return Points.from_chart(X, **self._chart) if isinf(self.C) else super()._points(X)

    def _last_results(self, targets: Targets, n_dim: int) -> list[Any] | None:
        """Return what the last fit found, where it was of problems of the same kind."""
        same = (
            hasattr(self, "results_")
            and np.array_equal(targets.classes, self.classes_)
            and targets.decomposition(self.multi_class) == self.decomposition_
            and self.hyperplanes_.normal.shape[1] == n_dim
            and bool(np.isfinite(self.hyperplanes_.offset).all())
        )
        return self.results_ if same else None

    def _store_margins(self) -> None:
        """Set the margins and their gaps; a constant label has none."""
        unit = np.sqrt(-self.curvature)
        self.margin_ = np.array([getattr(each, "margin", np.inf) for each in self.results_]) / unit
        self.gap_ = np.array([getattr(each, "gap", 0.0) for each in self.results_]) / unit

    def _store_support(
        self, X: NDArray[Any], rows: Rows, problems: list[BinaryProblem], kept: Mask | None
    ) -> None:
        """Set the rows that have a loss or are at the margin, in any of the problems."""
        X = X if kept is None else X[kept]
        holding = np.zeros(len(X), dtype=bool)
        for problem, result in zip(problems, self.results_, strict=True):
            labels = problem.labels(rows.codes)
            if isinstance(result, HardMarginResult):
                holding[np.flatnonzero(labels)[result.support]] = True
            elif np.isfinite(result.offset):  # else the label is constant
                holding |= rows.data.at_margin(result, labels)
        own = rows.codes[holding]
        counts = np.bincount(own, minlength=len(self.classes_)) if own.ndim == 1 else own.sum(0)
        self.n_support_, self.support_vectors_ = counts, np.asarray(X[holding], dtype=np.float64)
        self.support_ = np.flatnonzero(holding)
        if kept is not None:
            self.support_ = np.flatnonzero(kept)[self.support_]

    def _warn_of_classes_never_predicted(self, X: NDArray[Any]) -> None:
        """Warn of classes whose score is nowhere the highest among the training rows."""
        n_threads = threads_of_each(self.n_jobs, 1)
        best = best_of_rows(X, self.hyperplanes_, **self._chart, n_threads=n_threads)
        classes = np.delete(self.classes_, best)
        if not classes.size:
            return
        names = ", ".join(map(str, classes[:3])) + ", …" * (len(classes) > 3)
        balanced = "" if self.class_weight == "balanced" else 'class_weight="balanced", '
        warnings.warn(
            f"no training row is predicted as {names} ({len(classes)} of {len(self.classes_)} "
            "classes): another class has a higher score everywhere, as is common for small classes "
            f'in one-vs-rest. Try {balanced}multi_class="ovo" or CurvedHyperbolicSVC.',
            ClassNeverPredictedWarning,
            stacklevel=4,
        )

    @accepts_lazy_input
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
        check_is_fitted(self)
        if self.decomposition_ == "ovo":
            return self._votes(X)
        return self.minkowski_products(X)

    @property
    def predict_proba(self) -> NoReturn:
        """Not available: the error names classifiers that have probabilities."""
        raise AttributeError(
            "HyperbolicSVC has scores and no probabilities. HyperbolicSVCCV has both: it chooses C "
            "and calibrates the scores."
        )

    @accepts_lazy_input
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
        check_is_fitted(self)
        if self.decomposition_ == "ovo":
            return self._labels(self._votes(X))
        if self.decomposition_ == "multilabel":
            return self._labels(self._of_each_row(X, "signed_distance"))
        n_threads = threads_of_each(self.n_jobs, 1)
        rows = self._check_rows(X)
        best = best_of_rows(rows, self.hyperplanes_, **self._chart, n_threads=n_threads)
        return np.asarray(self.classes_[best])

    def _votes(self, X: ArrayLike) -> Array:
        return self._in_chunks(X, lambda part: self._per_class(self._scores(part)))
