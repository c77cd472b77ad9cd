"""The hyperbolic support vector classifier."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, NoReturn, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import (
    PARAMETER_CONSTRAINTS,
    draw_seeds,
    side_by_side,
    threads_of_each,
)
from hyplane.classifiers._block_fits import BlockFit, also_over_blocks, gathered, keep_columns
from hyplane.classifiers._certify import ProvableClassifier
from hyplane.classifiers._hyperplane_classifier import BOUND_CONSTRAINTS
from hyplane.classifiers._partial_fit import StreamClassifier, without_rows
from hyplane.classifiers._targets import ClassWeight, Targets, warn_of_many_pairs
from hyplane.out_of_core import Blocks
from hyplane.out_of_core.disk import as_blocks
from hyplane.out_of_core.rows import WatchedBlocks
from hyplane.solvers import (
    BinaryProblem,
    HardMargin,
    HardMarginResult,
    SoftMargin,
    SoftMarginResult,
    best_of_rows,
    solve_over_blocks,
)


class HyperbolicSVC(StreamClassifier, ProvableClassifier):
    """Support vector classifier with linear decision hyperplanes in hyperbolic space.

    A point x of the hyperboloid is classified by the sign of the Minkowski product ``w*x``. The
    normal w minimises ``-½ w*w + C Σ max(0, arsinh 1 - arsinh(y w*x))`` subject to ``w*w < 0``:
    the loss is measured in hyperbolic distance. Where the infimum is not attained, ``bound`` says
    what is taken instead.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the margin. ``np.inf`` asks for the hard margin: the hyperplane
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
    bound : {"ball", "horosphere"}, default="ball"
        What keeps the hyperplane from running away where no hyperplane is the best one.
        ``"ball"``: it must meet the smallest ball around the origin that holds the points.
        ``"horosphere"``: any hyperplane, and their limits at infinity, whose level sets are
        horospheres; this does not depend on the origin, and ranks rare classes better.
    tol : float, default=1e-6
        Relative accuracy of the objective at which the solver stops.
    max_iter : int, default=1000
        Most iterations of the solver on all rows.
    n_jobs : int, default=None
        Threads; None means 1, -1 all processors. Binary problems are solved side by side; where
        there are fewer of them than threads, the threads left over share their rows. The result
        does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and of the samples that the solver takes of large data.
    warm_start : bool, default=False
        Begin a further fit, of rows with the same classes, at the hyperplanes of the last one.
    verbose : int, default=0
        Whether to say on the standard error how many binary problems are solved, once that has
        taken a second.

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
        What the solver said of each problem, why it stopped included.
    degenerate_ : ndarray of bool of shape (n_problems,)
        Where the solution is on the bound, since no hyperplane inside is the best one.
    margin_ : ndarray of shape (n_problems,)
        Hard margin only: hyperbolic distance from the hyperplane to the closest point, infinite for
        a constant label.
    gap_ : ndarray of shape (n_problems,)
        Hard margin only: no hyperplane has a margin above ``margin_ + gap_``.
    support_ : list of ndarray of int
        Hard margin only: rows of X (those of weight 0 left out) that hold the hyperplane in place.
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
        "C": [Interval(Real, 0, None, closed="right")],  # infinity included
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
        bound: str = "ball",
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
        """Find the hyperplanes.

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
        try:
            hard = bool(np.isinf(float(self.C)))
        except OverflowError as error:
            raise ValueError("C is beyond the doubles; C=inf asks for a hard margin") from error
        blocks = None
        if type(X) is not np.ndarray:  # saves time where a small fit takes an array
            blocks = as_blocks(X, y, sample_weight, n_threads=effective_n_jobs(self.n_jobs))
        if blocks is not None:
            rows = gathered(blocks)
            if rows is None:
                return self._fit_blocks(blocks, hard)
            X, y, sample_weight = rows
        X, targets, weights, _ = self._rows(X, y, sample_weight)
        if blocks is not None:
            keep_columns(self, blocks)
        self._forget_rows()
        points = self._points(X) if hard else self._packed_rows(X)
        starts = self._last_results(targets, points.n_dim) if self.warm_start else None
        self._solve_in_memory(points, targets, weights, starts, self.class_weight)
        if not hard:
            self._remember_rows(points, targets, weights)
        return self

    def _solve_in_memory(
        self,
        points: Any,
        targets: Targets,
        weights: Array | None,
        starts: list[Any] | None,
        class_weight: ClassWeight,
    ) -> None:
        """Solve the binary problems, and keep the results."""
        [seed] = draw_seeds(self.random_state)
        decomposition, hard = targets.decomposition(self.multi_class), np.isinf(float(self.C))
        if decomposition == "ovo":
            warn_of_many_pairs(len(targets.classes))
        problems = targets.problems(self.multi_class, class_weight, weights)
        solver: Any = (
            HardMargin(self.tol, self.max_iter)
            if hard
            else SoftMargin(self.tol, self.max_iter, self.bound)
        )
        solver = solver.sharing_rows(threads_of_each(self.n_jobs, len(problems)))

        def solve(k: int, problem: BinaryProblem) -> Any:
            # Classes of a stream that had no rows yet.
            if not len(problem.labels) or (decomposition == "ovr" and problem.constant < 0):
                return without_rows(points)
            start = [] if starts is None else [starts[k]]
            return solver.solve(points, problem, float(self.C), seed=seed, starts=start)

        results = side_by_side(solve, enumerate(problems), self.n_jobs, progress=self._task)
        self._keep(targets, results)
        if hard:
            self._keep_margins(problems, results)
        self._warn_where_not_converged([problem.name for problem in problems])

    def _fit_blocks(self, blocks: Blocks, hard: bool) -> Self:
        """Find the hyperplanes of rows that are read block by block."""
        if hard:
            raise ValueError(
                "the hard margin needs its rows in memory, and these are read block by block. Use "
                "a large C, 1e4 for instance, or fit a sample."
            )
        self._forget_rows()
        with WatchedBlocks(blocks, "fitting", shown=bool(self.verbose)) as watched:
            fit = BlockFit(
                watched, self.coordinates, self.curvature, self.multi_class, self.class_weight
            )
            keep_columns(self, blocks)
            if fit.decomposition == "ovo":
                warn_of_many_pairs(len(fit.targets.classes))
            starts = self._last_results(fit.targets, fit.summary.n_dim) if self.warm_start else None
            seed, sample_seed = draw_seeds(self.random_state, 2)
            results = solve_over_blocks(
                fit.ready,
                fit.summary,
                fit.problems(float(self.C), seed, starts),
                tol=self.tol,
                max_iter=self.max_iter,
                bound=self.bound,
                seed=sample_seed,
                n_threads=effective_n_jobs(self.n_jobs),
            )
        self._keep(fit.targets, results)
        self._warn_where_not_converged(fit.names)
        return self

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

    def _keep_margins(
        self, problems: list[BinaryProblem], results: Sequence[SoftMarginResult | HardMarginResult]
    ) -> None:
        unit = np.sqrt(-self.curvature)
        self.margin_ = np.full(len(results), np.inf)
        self.gap_ = np.zeros(len(results))
        self.support_ = [np.empty(0, dtype=np.int64) for _ in results]
        for k, (problem, result) in enumerate(zip(problems, results, strict=True)):
            if isinstance(result, HardMarginResult):
                self.margin_[k] = result.margin / unit
                self.gap_[k] = result.gap / unit
                rows = result.support
                self.support_[k] = rows if problem.rows is None else problem.rows[rows]

    @also_over_blocks
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

    @also_over_blocks
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
