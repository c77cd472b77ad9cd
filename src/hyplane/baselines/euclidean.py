"""The paper's Euclidean SVM, with the same procedure as the hyperbolic one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers import (
    DEFAULT_CS,
    DEFAULT_FOLDS,
    PARAMETER_CONSTRAINTS,
    PROCEDURE_CONSTRAINTS,
    ClassWeight,
    CrossValidatedClassifier,
    Targets,
)
from hyplane.geometry import to_polar
from hyplane.solvers.rows import BinaryProblem, BinaryRows, Rows
from hyplane.solvers.squared_hinge import SquaredHinge


class EuclideanSVCCV(CrossValidatedClassifier):
    """Linear SVM with the squared hinge and a bias: C by cross validation, Platt's probabilities.

    The same minimum as ``sklearn.svm.LinearSVC(dual=False)``, whose objective is that of the
    paper's baseline: ``½|w|² + C Σ max(0, 1 - y w·x)²`` with a column of ones for the bias. Folds,
    choice of C, calibration and refit are those of `hyplane.HyperbolicSVCCV`, and the same
    ``random_state`` gives the same folds.

    Parameters
    ----------
    Cs, cv, scoring, random_state
        As in `hyplane.HyperbolicSVCCV`.
    coordinates : str or None, default=None
        The chart of X. Points are converted to ball coordinates; beyond radius 37 these round to
        the unit sphere. None: the columns of X are coordinates of a Euclidean space.
    curvature : float, default=-1.0
        Curvature of the chart.
    class_weight : dict or "balanced", default=None
        Weights of the classes.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n)
        Coefficients of the lines, before calibration.
    intercept_ : ndarray of shape (n_problems,)
        Their constants.
    classes_, C_, cv_scores_, n_folds_, sigmoids_
        As in `hyplane.HyperbolicSVCCV`.

    Examples
    --------
    >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
    >>> clf = EuclideanSVCCV(random_state=0).fit(X, ["right", "right", "left", "left"])
    >>> clf.predict([[0.3, 0.0], [-0.3, 0.0]]).tolist()
    ['right', 'left']
    """

    _saved = {  # noqa: RUF012
        "results_": list[np.ndarray],
        "coef_": "finite[n_problems, n_dim]",
        "intercept_": "finite[n_problems]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        **PROCEDURE_CONSTRAINTS,
        **CHART_CONSTRAINTS,
        "coordinates": [*CHART_CONSTRAINTS["coordinates"], None],
        "class_weight": PARAMETER_CONSTRAINTS["class_weight"],
    }

    def __init__(
        self,
        Cs: Sequence[float] = DEFAULT_CS,
        *,
        cv: int = DEFAULT_FOLDS,
        scoring: str = "average_precision",
        coordinates: str | None = None,
        curvature: float = -1.0,
        class_weight: ClassWeight = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.coordinates = coordinates
        self.curvature = curvature
        self.class_weight = class_weight
        self.random_state = random_state

    def _solver(self) -> SquaredHinge:
        return SquaredHinge()

    # All problems have the same rows here, and are solved faster together than one by one.

    def _scores_in_memory(
        self,
        rows: Rows,
        problems: Sequence[BinaryProblem],
        folds: Sequence[Any],
        Cs: Array,
        seed: int,
    ) -> list[tuple[BinaryRows, Array | None]]:
        _check_size(Cs, rows.weights)
        pairs = zip(map(rows.of, problems), folds, strict=True)
        own = [each._replace(folds=of_problem) for each, of_problem in pairs]
        divided = [each for each in own if each.folds is not None]
        scores = iter(self._solver().out_of_fold_scores_of_all(divided, Cs))
        return [(each, None if each.folds is None else next(scores)) for each in own]

    def _solve(
        self,
        rows: Any,
        problems: Sequence[BinaryProblem],
        Cs: Sequence[float],
        seed: int,
        starts: Sequence[Any] | None = None,
    ) -> list[Array]:
        return self._solver().fit_all([rows.of(problem) for problem in problems], Cs)

    def _points(self, X: NDArray[Any]) -> Array:
        if self.coordinates is None:
            return np.asarray(X, dtype=np.float64)
        radius, direction = to_polar(X, **self._chart)
        return np.asarray(np.tanh(0.5 * radius)[:, None] * direction)

    def _store(self, targets: Targets, results: Sequence[Any]) -> None:
        super()._store(targets, results)
        lines = np.array(results)
        self.coef_, self.intercept_ = lines[:, :-1], lines[:, -1]


def _check_size(Cs: Array, weights: Array | None) -> None:
    """Refuse weights whose squares the solver could not hold."""
    own = np.ones(1) if weights is None else weights
    with np.errstate(over="ignore", under="ignore"):
        least, most = float(Cs.min() * own.min()), float(Cs.max() * own.max())
    if least < 1e-100 or most > 1e100:
        raise ValueError(
            f"C times the weights of the rows is {least:g} to {most:g}, and must be within "
            "1e-100 and 1e100. Rescale the weights."
        )
