"""Base classes: checks of rows and labels, binary problems, hyperplanes."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from numbers import Integral, Real
from typing import Any, ClassVar, TypeGuard, TypeVar, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, column_or_1d

from hyplane._utils.progress import Progress
from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane._utils.validation import (
    CHART_CONSTRAINTS,
    is_lazy,
    validate_points,
    validate_points_and_labels,
    validate_weights,
)
from hyplane.classifiers._lazy_input import lazy_predictions, load_if_small, set_columns
from hyplane.classifiers._targets import (
    ClassWeight,
    Targets,
    check_two_classes,
    class_weights,
    one_vs_one_votes,
    side_weights,
)
from hyplane.out_of_core import Blocks
from hyplane.out_of_core.disk import as_blocks
from hyplane.out_of_core.rows import WatchedBlocks
from hyplane.solvers import HardMarginResult, Points, SoftMargin, SoftMarginResult
from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.over_blocks import solve_over_blocks
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import BinaryProblem, Rows, Score, scores_of_rows
from hyplane.solvers.soft_margin import BOUNDS

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])
MOST_SCORES = 1 << 21  # scores that are held in memory at a time: 16 MB

# What the constructors of the classifiers have in common, as scikit-learn states constraints.
PARAMETER_CONSTRAINTS = {
    **CHART_CONSTRAINTS,
    "multi_class": [StrOptions({"ovr", "ovo"})],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "tol": [Interval(Real, 0, 1e300, closed="neither")],
    "max_iter": [Interval(Integral, 1, 2**31 - 1, closed="both")],
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
BOUND_CONSTRAINTS = {"bound": [StrOptions(set(BOUNDS))]}


def accepts_lazy_input(method: Method) -> Method:
    """Let a method that takes rows also take rows that are read block by block.

    A memory map goes to the method itself, which reads it without a copy.
    """

    @wraps(method)
    def predict(self: Any, X: ArrayLike) -> Any:
        if is_lazy(X) and not isinstance(X, np.memmap):
            return lazy_predictions(self, X, method.__name__)
        return method(self, X)

    return cast(Method, predict)


class BaseHyperbolicClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of points: checks of its input, and its classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    decomposition_ : {"binary", "ovr", "ovo", "joint", "multilabel"}
        How the labels were divided into problems.
    """

    # What it learns, for model files: see `hyplane.persistence`.
    _saved: ClassVar[dict[str, Any]] = {
        "classes_": "label[n_classes]",
        "decomposition_": str,
    }
    # For classifiers that do not have these parameters.
    multi_class: str = "ovr"
    class_weight: ClassWeight = None
    n_jobs: int | None = None
    verbose: int = 0

    def __sklearn_tags__(self) -> Tags:
        """Labels may be an indicator matrix."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, reset: bool = True
    ) -> tuple[NDArray[Any], Targets, Array | None, Mask | None]:
        """Return the checked rows, targets and weights without rows of weight 0.

        The last result is the mask of the rows that are left; None for all.
        """
        X, y = validate_points_and_labels(self, X, y, reset=reset)
        if y.ndim == 2 and y.shape[1] == 1:
            y = np.asarray(column_or_1d(y, warn=True))
        if sample_weight is None:
            return X, Targets.from_labels(y), None, None
        weights = validate_weights(sample_weight, X)
        kept = weights > 0
        if kept.all():
            return X, Targets.from_labels(y), weights, None
        if not kept.any():
            raise ValueError("all rows have sample_weight 0: at least one must be positive.")
        return X[kept], Targets.from_labels(y[kept]), weights[kept], kept

    @property
    def _chart(self) -> dict[str, Any]:
        """The chart of the rows, as functions of points take it."""
        return {"coordinates": self.coordinates, "curvature": self.curvature}

    def _points(self, X: NDArray[Any]) -> Any:
        """Return the rows as the solver takes them."""
        return Points.from_chart(X, **self._chart)

    def _store_classes(self, targets: Targets) -> None:
        """Set the classes, and how they are divided into binary problems."""
        self.classes_ = targets.classes
        self.decomposition_ = targets.decomposition(self.multi_class)

    def _check_rows(self, X: ArrayLike) -> NDArray[Any]:
        """Return the rows to predict."""
        check_is_fitted(self)
        width, named = getattr(self, "n_features_in_", None), hasattr(self, "feature_names_in_")
        if _is_plain_matrix(X) and X.shape[1] == width and not named:
            return X  # scikit-learn's checks take longer than the scores of 100 rows
        return np.asarray(validate_points(self, X, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each point, or its labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_labels)
            The class of the highest score, or the indicator matrix of labels with a positive one.
        """
        return self._labels(self.decision_function(X))

    def _labels(self, decision: Array) -> NDArray[Any]:
        """Return the class of the highest score, or the labels of a positive one."""
        if self.decomposition_ == "multilabel":
            return (decision > 0).astype(np.int64)
        if decision.ndim == 1:
            return np.asarray(self.classes_[(decision > 0).astype(np.int64)])
        return np.asarray(self.classes_[decision.argmax(axis=1)])


class BinaryProblemsClassifier(BaseHyperbolicClassifier):
    """A classifier made of one result per binary problem.

    Attributes
    ----------
    results_ : list
        What the solver returned for each problem.
    """

    @contextmanager
    def _training_rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, task: str, seed: int
    ) -> Iterator[tuple[Rows | OutOfCoreRows, Targets, Mask | None]]:
        """Yield the rows, converted once, their targets, and the mask of `_rows`."""
        blocks = None
        if type(X) is not np.ndarray and (is_lazy(X) or is_lazy(y) or is_lazy(sample_weight)):
            blocks = as_blocks(X, y, sample_weight, n_threads=effective_n_jobs(self.n_jobs))
        if blocks is not None:
            small = load_if_small(blocks)
            if small is None:
                with WatchedBlocks(blocks, task, shown=bool(self.verbose)) as watched:
                    out_of_core = self._read_blocks(watched, seed)
                    set_columns(self, blocks)
                    summary = out_of_core.summary
                    codes = np.arange(len(summary.classes))  # one row per class stands for all
                    targets = Targets(summary.classes, codes[None] if summary.multilabel else codes)
                    yield out_of_core, targets, None
                return
            X, y, sample_weight = small
        X, targets, weights, kept = self._rows(X, y, sample_weight)
        if blocks is not None:
            set_columns(self, blocks)
        yield Rows(self._points(X), targets.codes, weights), targets, kept

    def _read_blocks(self, blocks: Blocks, seed: int) -> OutOfCoreRows:
        """Return rows that are read block by block."""
        raise ValueError(
            f"{type(self).__name__} needs its rows in memory, and these are read block by block: "
            "more than fit in a sample. HyperbolicSVC and HyperbolicSVCCV can do that; or fit a "
            "sample."
        )

    def _problems(self, rows: Any, targets: Targets) -> tuple[Any, list[BinaryProblem]]:
        """Return the binary problems, and the rows with the weights of their classes.

        The weights of the labels of an indicator matrix go to the problems.
        """
        problems = targets.problems(self.multi_class)
        counts, n_rows = targets.counts, len(targets.codes)
        if isinstance(rows, OutOfCoreRows):
            counts, n_rows = rows.summary.counts, rows.summary.n_counted
        if not targets.multilabel:
            weights = class_weights(targets.classes, counts, self.class_weight)
            return rows.weighted(weights), problems
        sides = side_weights(counts, n_rows, self.class_weight)
        pairs = zip(problems, sides, strict=True)
        return rows, [replace(problem, side_weights=side) for problem, side in pairs]

    @abstractmethod
    def _solver(self) -> BinarySolver[Any, Any]:
        """Return the solver of the binary problems."""

    def _solve(
        self,
        rows: Any,
        problems: Sequence[BinaryProblem],
        Cs: Sequence[float],
        seed: int,
        starts: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Solve the binary problems, each with its C."""
        solver: Any = self._solver()
        if isinstance(rows, OutOfCoreRows):
            solver = solver.sharing_rows(effective_n_jobs(self.n_jobs))
            return solve_over_blocks(solver, rows, problems, Cs, seed=seed, starts=starts)
        solver = solver.sharing_rows(threads_of_each(self.n_jobs, len(problems)))

        def solve(k: int, problem: BinaryProblem) -> Any:
            own, C = rows.of(problem), float(Cs[k])
            if own.constant or not len(own.labels):  # a pair of classes may have no rows yet
                return solver.constant(own.data, own.constant or -1)
            start = [] if starts is None else [starts[k]]
            try:
                return solver.fit(*own[:3], C, seed=seed, starts=start)
            except ValueError as error:
                raise ValueError(f"{problem.name}: {error}") from error

        progress = "binary problems" if self.verbose else ""
        return side_by_side(solve, enumerate(problems), self.n_jobs, progress=progress)

    def _store(self, targets: Targets, results: Sequence[Any]) -> None:
        """Set the learned attributes."""
        self._store_classes(targets)
        self.results_ = list(results)

    def _store_convergence(self) -> None:
        """Set the objective of each problem, and whether the solver converged."""
        self.objective_ = np.array([result.objective for result in self.results_])
        self.converged_ = np.array([result.converged for result in self.results_])
        self.n_iter_ = np.array([result.n_iter for result in self.results_])

    def _warn_where_not_converged(self, problems: Sequence[BinaryProblem]) -> None:
        failed = np.flatnonzero(~self.converged_)
        if failed.size:
            first = failed[0]
            warnings.warn(
                f"the solver stopped before it converged on {failed.size} of {len(problems)} "
                f"binary problems (first: {problems[first].name}; {self.results_[first].reason}). "
                f"Raise max_iter (now {self.max_iter}) or tol (now {self.tol:g}).",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _per_class(self, scores: Array) -> Array:
        """Turn scores of the binary problems into one column per class, or one for two classes."""
        if self.decomposition_ == "ovo":
            return one_vs_one_votes(scores, len(self.classes_))
        return scores[:, 0] if self.decomposition_ == "binary" else scores

    def _in_chunks(self, X: ArrayLike, per_class: Callable[[Any], Array]) -> Array:
        """Go over the rows in chunks, where the scores of all pairs would take too much memory."""
        size = max(1, MOST_SCORES // max(len(self.results_), 1))
        # Rows of a data frame stay rows of one, so that the names of its columns are checked.
        rows: Any = X if hasattr(X, "__len__") and hasattr(X, "__getitem__") else np.asarray(X)
        if np.ndim(rows) != 2 or len(rows) <= size:
            return per_class(rows)
        parts = [per_class(rows[first : first + size]) for first in range(0, len(rows), size)]
        return np.concatenate(parts)


class HyperplaneClassifier(BinaryProblemsClassifier):
    """A classifier made of one hyperplane per binary problem."""

    _saved = {  # noqa: RUF012
        "results_": list[SoftMarginResult | HardMarginResult],
        "hyperplanes_": Hyperplanes,
        "hyperplanes_.log_scale": "finite[n_problems]",
        "hyperplanes_.offset": "float[n_problems]",
        "hyperplanes_.normal": "finite[n_problems, n_dim]",
        "coef_": "float[n_problems, n_dim + 1]",
        "objective_": "float[n_problems]",
        "converged_": "bool[n_problems]",
        "n_iter_": "int[n_problems]",
    }

    @property
    def degenerate_(self) -> Mask:
        """Which binary problems have no optimal hyperplane inside the bound.

        Of shape (n_problems,); ``results_`` say in words what happened.
        """
        check_is_fitted(self)
        return np.array([getattr(result, "degenerate", False) for result in self.results_])

    def _points(self, X: NDArray[Any]) -> Points:
        """Return the rows as the soft margin takes them."""
        n_threads = threads_of_each(self.n_jobs, 1)
        return Points.from_chart(X, **self._chart, n_threads=n_threads, pack=True)

    def _read_blocks(self, blocks: Blocks, seed: int) -> OutOfCoreRows:
        """Return rows that are read block by block."""
        rows = OutOfCoreRows.read(blocks, **self._chart, seed=seed)
        if not rows.summary.multilabel:
            check_classification_targets(rows.summary.classes)
            check_two_classes(rows.summary.classes)
        return rows

    def _solver(self) -> BinarySolver[Any, Any]:
        """Return the solver of the binary problems."""
        return SoftMargin(self.tol, self.max_iter, self.bound)

    def _store(self, targets: Targets, results: Sequence[Any]) -> None:
        """Set the learned attributes."""
        for name in ("_last_stream", "_rows_of_fit", "support_", "support_vectors_", "n_support_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        super()._store(targets, results)
        self.hyperplanes_ = Hyperplanes.of_results(results)
        self.coef_ = self.hyperplanes_.w
        self._store_convergence()

    def _of_each_row(self, X: ArrayLike, kind: Score) -> Array:
        """Evaluate the hyperplanes at all rows."""
        n_threads = threads_of_each(self.n_jobs, 1)
        rows = self._check_rows(X)
        return scores_of_rows(rows, self.hyperplanes_, kind, **self._chart, n_threads=n_threads)

    def _scores(self, X: ArrayLike) -> Array:
        """Return ``arsinh(w*x)`` of every row and problem."""
        return self._of_each_row(X, "arsinh_product")

    @accepts_lazy_input
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
            of ``coef_``. Compare classes by their scores, not by these: all points have nearly
            the same distance from a hyperplane far away.
        """
        distances = self._of_each_row(X, "signed_distance")
        distances /= np.sqrt(-self.curvature)
        return distances[:, 0] if self.decomposition_ == "binary" else distances

    @accepts_lazy_input
    def minkowski_products(self, X: ArrayLike) -> Array:
        """Return the Minkowski products ``w*x``, the scores of the paper.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        products : ndarray of shape (n_samples,) or (n_samples, n_problems)
            One column per row of ``coef_``. A product beyond the range of doubles (points farther
            out than about 700) is infinite.
        """
        products = self._of_each_row(X, "product")
        return products[:, 0] if self.decomposition_ == "binary" else products


def _is_plain_matrix(X: Any) -> TypeGuard[Array]:
    """Return whether X is a non-empty matrix of doubles, without names of columns."""
    return type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and min(X.shape) > 0


def draw_seeds(random_state: int | np.random.RandomState | None, count: int = 1) -> tuple[int, ...]:
    """Draw seeds; one serves all binary problems, whose order then does not matter."""
    seeds = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=count)
    return tuple(seeds.tolist())


def threads_of_each(n_jobs: int | None, n_tasks: int) -> int:
    """Return the number of threads of each of several tasks that run in parallel."""
    jobs = min(effective_n_jobs(n_jobs), 1024)
    return int(max(1, jobs // max(1, min(jobs, n_tasks))))


def side_by_side(
    function: Callable[..., T],
    arguments: Iterable[Sequence[Any]],
    n_jobs: int | None,
    *,
    progress: str = "",
) -> list[T]:
    """Call a function on each tuple of arguments, in threads; the results keep their order.

    `progress` is what a display on the standard error counts; empty for no display.
    """
    arguments = list(arguments)
    n_threads = min(len(arguments), effective_n_jobs(n_jobs))
    results: Iterable[T] = (function(*each) for each in arguments)
    if n_threads > 1:
        parallel = Parallel(n_jobs=n_threads, require="sharedmem", return_as="generator")
        results = parallel(delayed(function)(*each) for each in arguments)
    if not progress:
        return list(results)
    shown = []
    with Progress(len(arguments), progress, lines=True) as bar:
        for result in results:
            shown.append(result)
            bar.advance()
    return shown
