"""What the classifiers by hyperplanes share: rows at the door, binary problems, distances."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from hyplane._typing import Array, ArrayLike
from hyplane.geometry import CHARTS
from hyplane.native.core import PackedPoints
from hyplane.solvers.hard_margin import HardMarginResult
from hyplane.solvers.hyperplanes import Hyperplanes
from hyplane.solvers.packing import polar_chunks
from hyplane.solvers.soft_margin import SoftMarginResult, solve_soft_margin
from hyplane.svm._targets import BinaryProblem, Targets

T = TypeVar("T")

# What the constructors of the classifiers have in common, as scikit-learn states constraints.
PARAMETER_CONSTRAINTS = {
    "coordinates": [StrOptions(set(CHARTS))],
    "curvature": [Interval(Real, None, 0, closed="neither")],
    "multi_class": [StrOptions({"ovr", "ovo"})],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
}


class HyperplaneClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier made of one hyperplane per binary problem."""

    def __sklearn_tags__(self) -> Tags:
        """Labels may be an indicator matrix."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, reset: bool = True
    ) -> tuple[NDArray[Any], Targets, Array | None]:
        """Check the shapes, leave out rows of weight 0, recognise the kind of labels."""
        X, y = validate_data(
            self, X, y, dtype="numeric", ensure_all_finite=False, multi_output=True, reset=reset
        )
        if y.ndim == 2 and y.shape[1] == 1:
            y = np.asarray(column_or_1d(y, warn=True))
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            X, y, weights = _rows_that_count(X, y, weights)
        return X, Targets.of(y), weights

    def _keep(
        self,
        targets: Targets,
        problems: list[BinaryProblem],
        results: Sequence[SoftMarginResult | HardMarginResult],
    ) -> None:
        """Set the learned attributes."""
        self.classes_ = targets.classes
        self.results_ = list(results)
        self.hyperplanes_ = Hyperplanes.of_results(results)
        self.coef_ = self.hyperplanes_.w
        self.objective_ = np.array([result.objective for result in results])
        self.converged_ = np.array([result.converged for result in results])
        self.n_iter_ = np.array([result.n_iter for result in results])
        self._multilabel = targets.multilabel
        self._warn_where_not_converged(problems)

    def _warn_where_not_converged(self, problems: list[BinaryProblem]) -> None:
        failed = np.flatnonzero(~self.converged_)
        if failed.size:
            first = problems[failed[0]].name
            warnings.warn(
                f"the solver stopped before it converged on {failed.size} of {len(problems)} "
                f"binary problems (first: {first}; {self.results_[failed[0]].reason}). "
                f"Raise max_iter (now {self.max_iter}) or tol (now {self.tol:g}).",
                ConvergenceWarning,
                stacklevel=5,
            )

    def signed_distance(self, X: ArrayLike) -> Array:
        """Return the signed hyperbolic distances to the hyperplanes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            PackedPoints.

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

    @property
    def _single(self) -> bool:
        """Whether one hyperplane tells two classes apart."""
        return len(self.classes_) == 2 and not self._multilabel

    @property
    def _pairwise(self) -> bool:
        """Whether the hyperplanes belong to pairs of classes."""
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


def side_by_side(
    function: Callable[..., T], arguments: Iterable[Sequence[Any]], n_jobs: int | None
) -> list[T]:
    """Call a function on each tuple of arguments, in threads; the results keep their order."""
    arguments = list(arguments)
    jobs = min(len(arguments), effective_n_jobs(n_jobs))
    if jobs <= 1:
        return [function(*each) for each in arguments]
    parallel = Parallel(n_jobs=jobs, require="sharedmem")
    return list(parallel(delayed(function)(*each) for each in arguments))


def solve_problem(
    points: PackedPoints, problem: BinaryProblem, *, C: float, tol: float, max_iter: int, seed: int
) -> SoftMarginResult:
    """Solve one binary problem; where all rows have one label, nothing is to be solved."""
    if problem.constant:
        return same_everywhere(points.n_dim, problem.constant)
    part = points if problem.rows is None else points.take(problem.rows)
    return solve_soft_margin(
        part, problem.labels, problem.weights, C=C, tol=tol, max_iter=max_iter, seed=seed
    )


def same_everywhere(n_dim: int, sign: int) -> SoftMarginResult:
    """Return the hyperplane at infinity, of a label that all rows have, or none."""
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


def _rows_that_count(
    X: NDArray[Any], y: NDArray[Any], weights: Array
) -> tuple[NDArray[Any], NDArray[Any], Array]:
    positive = weights > 0
    if positive.all():
        return X, y, weights
    if not positive.any():
        raise ValueError("all rows have sample_weight 0: at least one must be positive.")
    return X[positive], y[positive], weights[positive]
