"""Learning from a stream of batches of rows, each of which is passed once."""

from abc import abstractmethod
from copy import copy
from math import isinf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import column_or_1d

from hyplane._utils.typing import ArrayLike, Mask
from hyplane._utils.validation import (
    codes_of,
    is_lazy,
    validate_points_and_labels,
    validate_weights,
)
from hyplane.classifiers._base import HyperplaneClassifier, draw_seeds
from hyplane.classifiers._targets import Targets, check_two_classes, class_weights
from hyplane.solvers import Points, SoftMarginResult
from hyplane.solvers.reservoir import Reservoir
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import Rows

# How far outside the ball of the points a hyperplane is put to have all of them on one side.
_OUTSIDE = 50.0
# A row is near a hyperplane within this many margins.
_REACH = 4.0


class PartialFitMixin(HyperplaneClassifier):
    """A classifier by hyperplanes that also learns from batches of rows."""

    # Those of the classifiers themselves.
    C: float
    random_state: Any
    # Rows of the batches so far, or of a small fit in memory, and the chart that all must have.
    _last_stream: tuple[Reservoir, dict[str, Any]]
    _rows_of_fit: tuple[Rows, dict[str, Any]]

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a further batch of rows.

        The estimator keeps random samples of the rows so far, weighted by the number of rows that
        they represent: of each class up to 65 536 rows that were close to a hyperplane or
        misclassified when they were passed, and as many of the others (about a million in all).
        Each call fits the hyperplanes to these samples, starting from the last ones. It minimises
        the objective of `fit` until more rows were passed than are kept, and an unbiased estimate
        of it afterwards. Few large batches take less time than many small ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            The labels of all batches. Required in the first call; optional in later calls, and
            after `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative.

        Returns
        -------
        self : object
            ``objective_`` is that of all rows so far, or the estimate of it. A class without rows
            has a hyperplane with all points on the negative side.

        Notes
        -----
        A batch that is refused changes nothing. ``coordinates`` and ``curvature`` must stay the
        same for all batches.

        After `fit` of up to 65 536 rows in memory with one label each, these rows are the first
        batch. A larger fit does not keep its rows; nor does a copy or a pickle of a fitted
        estimator, or a model from a file: partial_fit then raises an error. A pickled estimator
        keeps the rows of its stream.

        Examples
        --------
        >>> from hyplane import HyperbolicSVC
        >>> clf = HyperbolicSVC()
        >>> clf = clf.partial_fit([[0.5, 0.1], [-0.5, 0.3]], ["right", "left"], ["left", "right"])
        >>> clf.partial_fit([[0.6, -0.2]], ["right"]).predict([[0.3, 0.0]])
        array(['right'], dtype='<U5')
        """
        if isinf(self.C):
            raise ValueError("partial_fit has no hard margin: C must be finite.")
        if is_lazy(X):
            raise ValueError("a batch must be in memory; pass rows read block by block to fit.")
        before = dict(vars(self))
        try:
            self._add_batch(X, y, classes, sample_weight)
        except BaseException:  # a warning raised as an error, too: the batch can be passed again
            self.__dict__ = before
            raise
        return self

    def _add_batch(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike, sample_weight: ArrayLike | None
    ) -> None:
        first = _check_partial_fit_first_call(self, classes)
        check_two_classes(self.classes_)
        reservoir = self._next_reservoir(first)
        X, y = validate_points_and_labels(self, X, y, reset=first)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = None
        if sample_weight is not None:
            weights = validate_weights(sample_weight, X)
            kept = weights > 0
            X, y, weights = X[kept], y[kept], weights[kept]
        codes = codes_of(y, self.classes_)
        if len(X):
            points = Points.from_chart(X, **self._chart)
            near = np.ones(len(X), dtype=bool) if first else self._near(points, codes)
            reservoir.add(points, 2 * codes + near, weights)
        elif first:
            raise ValueError("no rows of a positive weight: the first batch needs one.")
        self._fit_reservoir(reservoir)
        self._last_stream = reservoir, self._chart

    def _next_reservoir(self, first: bool) -> Reservoir:
        """Return an empty reservoir, or a copy of the last one, to which a batch is added."""
        if first:
            return Reservoir(2 * len(self.classes_), *draw_seeds(self.random_state))
        reservoir, chart = getattr(self, "_last_stream", None) or self._stream_of_fit()
        for name, value in chart.items():
            if self._chart[name] != value:
                raise ValueError(
                    f"the earlier rows had {name}={value!r}, and {name} is now "
                    f"{self._chart[name]!r}. Set it back, or pass all batches to partial_fit of a "
                    "new estimator."
                )
        return copy(reservoir)

    def _stream_of_fit(self) -> tuple[Reservoir, dict[str, Any]]:
        """Return a stream that begins with the rows of the last fit."""
        if not hasattr(self, "_rows_of_fit"):
            raise ValueError(
                "this model was fitted by fit or loaded from a file, so it no longer has its "
                "training rows and cannot learn from a further batch. Pass all rows to fit, or "
                "pass all batches to partial_fit of a new estimator: sklearn.base.clone makes one."
            )
        rows, chart = self._rows_of_fit
        reservoir = Reservoir(2 * len(self.classes_), *draw_seeds(self.random_state))
        groups = 2 * rows.codes.astype(np.int64) + self._near(rows.data, rows.codes)
        reservoir.add(rows.data, groups, rows.weights)
        return reservoir, chart

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the rows of the last fit: a pickle of a fitted estimator stays small."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_rows_of_fit"}

    def _near(self, points: Points, codes: NDArray[Any]) -> Mask:
        """Return which rows have a loss, or nearly so, in one of the binary problems."""
        near = np.zeros(len(points), dtype=bool)
        problems = Targets(self.classes_, codes).problems(self.multi_class)
        for problem, result in zip(problems, self.results_, strict=True):
            labels = problem.labels(codes)
            products = points.scores(Hyperplanes.of_results([result]), "product")[:, 0]
            near |= (labels != 0) & (labels * products < _REACH)
        return near

    def _fit_reservoir(self, reservoir: Reservoir) -> None:
        points, groups, weights = reservoir.rows
        targets = Targets(self.classes_, groups // 2)
        counts = reservoir.counts.reshape(-1, 2).sum(axis=1)
        rows = Rows(points, targets.codes, weights)
        rows = rows.weighted(class_weights(self.classes_, counts, self.class_weight))
        problems = targets.problems(self.multi_class)
        starts = self._last_results(targets, points.n_dim)
        [seed] = draw_seeds(self.random_state)
        results = self._solve(rows, problems, [self.C] * len(problems), seed, starts)
        # The hyperplane at infinity would score as -x0, above those of other classes.
        if targets.decomposition(self.multi_class) == "ovr":
            for k in np.flatnonzero(counts == 0):
                results[k] = _without_rows(points)
        self._store(targets, results)
        self._warn_where_not_converged(problems)

    @abstractmethod
    def _last_results(self, targets: Targets, n_dim: int) -> list[Any] | None:
        """Return what the last fit found, where it was of problems of the same kind."""


def _without_rows(points: Points) -> SoftMarginResult:
    """Return the hyperplane of a class that has no rows yet: all points are far from its side."""
    offset, normal = -points.largest_radius - _OUTSIDE, np.eye(points.n_dim)[0]
    return SoftMarginResult(0.0, offset, normal, 0.0, 0, 0, True, "the class has no rows yet")
