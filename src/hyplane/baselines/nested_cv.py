"""The paper's procedure, as in `hyplane.HyperbolicSVCCV`, for any binary classifier."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from hyplane._utils.typing import Array
from hyplane.classifiers import (
    DEFAULT_CS,
    DEFAULT_FOLDS,
    PROCEDURE_CONSTRAINTS,
    CrossValidatedClassifier,
)
from hyplane.geometry import check_points
from hyplane.solvers.binary_solver import BinarySolver


class NestedCV(CrossValidatedClassifier):
    """One class against the rest, C chosen by cross validation, calibrated by Platt's sigmoid.

    Folds, choice of C, calibration and refit are those of `hyplane.HyperbolicSVCCV`, and the same
    ``random_state`` gives the same folds, so that two methods differ in the binary classifier
    alone.

    Parameters
    ----------
    estimator : classifier
        A binary classifier with ``decision_function``.
    Cs : sequence of float, default=(0.1, 1.0, 10.0)
        Values of C to choose from.
    parameter : str, default="C"
        Name of C among the estimator's parameters, for instance ``"linearsvc__C"`` in a pipeline.
    cv : int, default=5
        Number of folds, each with its share of every class.
    scoring : {"average_precision", "trapezoid_aupr", "roc_auc"}, default="average_precision"
        The metric of the pooled out-of-fold scores by which C is chosen.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, and of the estimator where its own ``random_state`` is None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    C_ : ndarray of shape (n_problems,)
        The C chosen for each binary problem; nan for a constant label.
    sigmoids_ : Sigmoids
        Slope and intercept of each problem's log-odds.
    results_ : list of classifier
        The fitted binary classifiers; None for a constant label.

    Examples
    --------
    >>> from hyplane.baselines import klein_svm
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(200, random_state=0)
    >>> clf = NestedCV(klein_svm(), parameter="linearsvc__C", random_state=0).fit(X, y)
    >>> clf.decision_function(X).shape
    (200, 4)
    """

    _saved = {  # noqa: RUF012
        "results_": list[BaseEstimator | None],
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "estimator": [object],
        "parameter": [str],
        **PROCEDURE_CONSTRAINTS,
    }

    def __init__(
        self,
        estimator: Any,
        Cs: Sequence[float] = DEFAULT_CS,
        *,
        parameter: str = "C",
        cv: int = DEFAULT_FOLDS,
        scoring: str = "average_precision",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.Cs = Cs
        self.parameter = parameter
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state

    def _solver(self) -> "FittedClones":
        return FittedClones(self.estimator, self.parameter)

    def _points(self, X: NDArray[Any]) -> NDArray[Any]:
        # Clones see the rows of a fold, so all rows are checked here, by their numbers in X.
        first = self.estimator[0] if isinstance(self.estimator, Pipeline) else self.estimator
        if getattr(first, "coordinates", None) is not None:
            check_points(X, first.coordinates, curvature=first.curvature)
        return X


class FittedClones(BinarySolver[NDArray[Any], Any]):
    """Binary problems solved by clones of an estimator of scikit-learn."""

    def __init__(self, estimator: Any, parameter: str) -> None:
        self.estimator = estimator
        self.parameter = parameter

    def fit(
        self,
        data: NDArray[Any],
        labels: NDArray[np.int8],
        weights: Array | None,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[Any] = (),
    ) -> Any:
        """Fit a clone on the rows that count."""
        kept = labels != 0
        weighted = {} if weights is None else {"sample_weight": weights[kept]}
        fitted = clone(self.estimator)
        unset = [name for name, value in fitted.get_params().items() if value is None]
        seeds = {name: seed for name in unset if name.split("__")[-1] == "random_state"}
        fitted.set_params(**seeds, **{self.parameter: C})
        return fitted.fit(data[kept], labels[kept], **weighted)

    def constant(self, data: NDArray[Any], sign: int) -> None:
        """Nothing is fitted: the sigmoid alone decides."""
        return

    def score(self, results: Sequence[Any], data: NDArray[Any]) -> Array:
        """Return the decision functions side by side."""
        zero = np.zeros(len(data))
        return np.column_stack(
            [zero if fitted is None else fitted.decision_function(data) for fitted in results]
        )
