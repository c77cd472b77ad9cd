"""What classifiers made of binary problems share: rows in, labels out."""

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, TypeGuard, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, column_or_1d

from hyplane._utils.progress import Progress
from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane._utils.validation import (
    CHART_CONSTRAINTS,
    validate_points,
    validate_points_and_labels,
    validate_weights,
)
from hyplane.classifiers._targets import ClassWeight, Targets, one_vs_one_votes
from hyplane.solvers import Points

T = TypeVar("T")
_of_this_thread = threading.local()
MOST_THREADS = 1024  # for the rows of one problem

# Scores of pairs of classes that are held at a time: 16 MB.
_MOST_SCORES = 1 << 21

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


class BinaryDecomposition(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier made of one result per binary problem.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    decomposition_ : {"binary", "ovr", "ovo", "multilabel"}
        How the labels were divided into binary problems.
    results_ : list
        What the solver returned for each problem.
    """

    # For classifiers that do not have these parameters.
    multi_class: str = "ovr"
    class_weight: ClassWeight = None
    n_jobs: int | None = None
    verbose: int = 0

    @property
    def _task(self) -> str:
        """What the progress display counts; empty for no display."""
        return "binary problems" if self.verbose else ""

    def __sklearn_tags__(self) -> Tags:
        """Labels may be an indicator matrix."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, reset: bool = True
    ) -> tuple[NDArray[Any], Targets, Array | None, Mask | None]:
        """Check the shapes, leave out rows of weight 0, recognise the kind of labels.

        The last result says which of the user's rows are left; None for all.
        """
        if reset and _is_plain_table(X) and _are_plain_labels(y, len(X)):
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        else:
            X, y = validate_points_and_labels(self, X, y, reset=reset)
        if y.ndim == 2 and y.shape[1] == 1:
            y = np.asarray(column_or_1d(y, warn=True))
        if sample_weight is None:
            return X, Targets.of(y), None, None
        weights = validate_weights(sample_weight, X)
        counts = weights > 0
        if counts.all():
            return X, Targets.of(y), weights, None
        if not counts.any():
            raise ValueError("all rows have sample_weight 0: at least one must be positive.")
        return X[counts], Targets.of(y[counts]), weights[counts], counts

    @property
    def _chart(self) -> dict[str, Any]:
        """The chart of the rows, as functions of points take it."""
        return {"coordinates": self.coordinates, "curvature": self.curvature}

    def _points(self, X: NDArray[Any]) -> Any:
        """Return the rows as the solver takes them."""
        return Points.from_chart(X, **self._chart)

    def _keep_kind(self, targets: Targets) -> None:
        """Set what is known of the labels."""
        self.classes_ = targets.classes
        self.decomposition_ = targets.decomposition(self.multi_class)

    def _keep(self, targets: Targets, results: Sequence[Any]) -> None:
        """Set the learned attributes."""
        self._keep_kind(targets)
        self.results_ = list(results)

    def _keep_ends(self) -> None:
        """Set what each solve ended with."""
        self.objective_ = np.array([result.objective for result in self.results_])
        self.converged_ = np.array([result.converged for result in self.results_])
        self.n_iter_ = np.array([result.n_iter for result in self.results_])

    def _warn_where_not_converged(self, names: Sequence[str]) -> None:
        failed = np.flatnonzero(~self.converged_)
        if failed.size:
            warnings.warn(
                f"the solver stopped before it converged on {failed.size} of {len(names)} "
                f"binary problems (first: {names[failed[0]]}; {self.results_[failed[0]].reason}). "
                f"Raise max_iter (now {self.max_iter}) or tol (now {self.tol:g}).",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _check_rows(self, X: ArrayLike) -> NDArray[Any]:
        """Return the rows to predict."""
        check_is_fitted(self)
        width, named = getattr(self, "n_features_in_", None), hasattr(self, "feature_names_in_")
        if _is_plain_table(X) and X.shape[1] == width and not named:
            return X
        return np.asarray(validate_points(self, X, reset=False))

    def _per_class(self, scores: Array) -> Array:
        """Turn scores of the binary problems into one column per class, or one for two classes."""
        if self.decomposition_ == "ovo":
            return one_vs_one_votes(scores, len(self.classes_))
        return scores[:, 0] if self.decomposition_ == "binary" else scores

    def _in_chunks(self, X: ArrayLike, per_class: Callable[[Any], Array]) -> Array:
        """Go over the rows in chunks, where the scores of all pairs would take too much memory."""
        size = max(1, _MOST_SCORES // max(len(self.results_), 1))
        # Rows of a data frame stay rows of one, so that the names of its columns are checked.
        rows: Any = X if hasattr(X, "__len__") and hasattr(X, "__getitem__") else np.asarray(X)
        if np.ndim(rows) != 2 or len(rows) <= size:
            return per_class(rows)
        parts = [per_class(rows[first : first + size]) for first in range(0, len(rows), size)]
        return np.concatenate(parts)

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


def _is_plain_table(X: Any) -> TypeGuard[Array]:
    """Say whether scikit-learn would find nothing to check or to change.

    For a few hundred rows its look at them, for names of columns and other libraries' tables, takes
    longer than the scores.
    """
    return type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and min(X.shape) > 0


def _are_plain_labels(y: Any, n_rows: int) -> TypeGuard[NDArray[Any]]:
    """Say the same of labels, which belong to so many rows."""
    return type(y) is np.ndarray and y.dtype.kind in "iub" and y.shape == (n_rows,)


def draw_seeds(random_state: int | np.random.RandomState | None, count: int = 1) -> tuple[int, ...]:
    """Draw seeds; one serves all binary problems, whose order then does not matter.

    Examples
    --------
    >>> draw_seeds(0, 2) == (*draw_seeds(0), draw_seeds(0, 2)[1])
    True
    """
    seeds = generator_of(random_state).randint(np.iinfo(np.int32).max, size=count)
    return tuple(seeds.tolist())


def generator_of(random_state: int | np.random.RandomState | None) -> np.random.RandomState:
    """Return `check_random_state`, without its 0.1 ms for an integer.

    A new generator asks the system for entropy before it is seeded; one of this thread is seeded
    again instead, which gives the same numbers. It is to be used at once: the next call in this
    thread seeds it again.

    Examples
    --------
    >>> generator_of(0).randint(100) == np.random.RandomState(0).randint(100)
    True
    """
    generator: np.random.RandomState
    if not isinstance(random_state, int | np.integer):
        generator = check_random_state(random_state)
        return generator
    if not hasattr(_of_this_thread, "generator"):
        _of_this_thread.generator = np.random.RandomState(0)
    generator = _of_this_thread.generator
    generator.seed(int(random_state))
    return generator


def threads_of_each(n_jobs: int | None, n_tasks: int) -> int:
    """Return how many threads each of several tasks gets that run side by side.

    Examples
    --------
    >>> threads_of_each(8, 3), threads_of_each(2, 5), threads_of_each(None, 1)
    (2, 1, 1)
    """
    jobs = min(effective_n_jobs(n_jobs), MOST_THREADS)
    return int(max(1, jobs // max(1, min(jobs, n_tasks))))


def side_by_side(
    function: Callable[..., T],
    arguments: Iterable[Sequence[Any]],
    n_jobs: int | None,
    *,
    progress: str = "",
) -> list[T]:
    """Call a function on each tuple of arguments, in threads; the results keep their order.

    Parameters
    ----------
    function : callable
    arguments : iterable of tuples
    n_jobs : int or None
        Threads; None means 1.
    progress : str, default=""
        What a progress display on the standard error counts; empty for no display.

    Returns
    -------
    results : list

    Examples
    --------
    >>> side_by_side(pow, [(2, 3), (3, 2)], n_jobs=2)
    [8, 9]
    """
    arguments = list(arguments)
    jobs = min(len(arguments), effective_n_jobs(n_jobs))
    results = _results(function, arguments, jobs)
    if not progress:
        return list(results)
    shown = []
    with Progress(len(arguments), progress, lines=True) as bar:
        for result in results:
            shown.append(result)
            bar.advance()
    return shown


def _results(
    function: Callable[..., T], arguments: Sequence[Sequence[Any]], n_threads: int
) -> Iterator[T]:
    if n_threads <= 1:
        return (function(*each) for each in arguments)
    parallel = Parallel(n_jobs=n_threads, require="sharedmem", return_as="generator")
    results: Iterator[T] = parallel(delayed(function)(*each) for each in arguments)
    return results
