"""The paper's whole procedure in one estimator: choose C, calibrate, refit."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from hyplane._typing import Array, ArrayLike, Mask
from hyplane.metrics import METRICS
from hyplane.native.core import PackedPoints
from hyplane.solvers.hyperplanes import Hyperplanes
from hyplane.solvers.packing import pack_points
from hyplane.solvers.soft_margin import SoftMarginResult
from hyplane.svm._base import (
    PARAMETER_CONSTRAINTS,
    HyperplaneClassifier,
    side_by_side,
    solve_problem,
)
from hyplane.svm._calibration import Sigmoids, couple, normalise
from hyplane.svm._folds import Folds, Split, Splitter, assign_folds, folds_of_rows
from hyplane.svm._selection import Chart, Selection, select, solve_fold, training_sigmoid
from hyplane.svm._targets import BinaryProblem, ClassWeight

# The paper's grid and folds.
DEFAULT_CS = (0.1, 1.0, 10.0)
DEFAULT_FOLDS = 5


class HyperbolicSVCCV(HyperplaneClassifier):
    """Hyperbolic support vector classifier with C chosen by cross validation, and probabilities.

    For each binary problem (a class against the rest, a pair of classes, a label) every C of the
    grid is fitted on the training parts of stratified folds. The scores of the rows left out are
    pooled, the C that ranks them best is chosen (the smaller one of equals), Platt's sigmoid is
    fitted to the scores of that C, and the hyperplane is fitted anew on all rows.

    Parameters
    ----------
    Cs : sequence of float, default=(0.1, 1.0, 10.0)
        Weights of the losses to choose from.
    cv : int, splitter, iterable or None, default=5
        Number of folds (5 for None), shuffled and stratified anew for each binary problem; never
        more than the rarer side of the problem has rows. Or a splitter of scikit-learn, whose
        ``split`` gets the labels (1 and -1) of each binary problem, or an iterable of (training,
        test) rows of X. Test parts must be a partition; all other rows are the training part.
    scoring : {"average_precision", "trapezoid_aupr", "roc_auc"}, default="average_precision"
        What the pooled scores are judged by: see `hyplane.metrics`. ``"trapezoid_aupr"`` is the
        area that the paper's authors computed.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The model of hyperbolic space that the columns of X belong to, as in `HyperbolicSVC`.
    curvature : float, default=-1.0
        Curvature of the space, a negative number.
    multi_class : {"ovr", "ovo"}, default="ovr"
        One hyperplane per class, or one per pair of classes. The latter is often more accurate
        where there are many classes.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn. A weight counts like repeated rows: in the
        hyperplanes, in the choice of C and in the probabilities, which with ``"balanced"`` are
        those of a population in which all classes are equally frequent.
    tol : float, default=1e-6
        Relative accuracy of the objective at which the solver stops.
    max_iter : int, default=1000
        Most iterations of the solver on all rows.
    n_jobs : int, default=None
        Threads that work on folds and problems side by side; None means 1, -1 all processors. The
        result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the solver.

    Attributes
    ----------
    C_ : ndarray of shape (n_problems,)
        The C chosen for each binary problem; nan for a label that all rows have, or none.
    cv_scores_ : ndarray of shape (n_problems, n_Cs)
        Scores of the pooled out-of-fold scores, in the order of ``Cs``; nan where no cross
        validation was possible.
    n_folds_ : ndarray of int of shape (n_problems,)
        Folds used; 0 where no cross validation was possible.
    sigmoids_ : Sigmoids
        Slope and intercept of each problem's log-odds as a function of ``arsinh(w*x)``.
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    coef_ : ndarray of shape (n_problems, n + 1)
        The normals w, one per binary problem, as in `HyperbolicSVC`.
    hyperplanes_ : Hyperplanes
        The same as scale, distance from the origin and unit normal.
    objective_, converged_, n_iter_, results_
        What the solver said of the last fit of each problem, as in `HyperbolicSVC`.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X had them.

    See Also
    --------
    HyperbolicSVC : The classifier for one given C.

    Notes
    -----
    Platt's sigmoid is fitted to ``arsinh(w*x)``; the paper's authors fit it to ``w*x``. Both put
    points in the same order. But log-odds grow with the hyperbolic distance, which is linear in the
    former and exponential in the latter, so the former is calibrated better (and predicts better
    where the probabilities of several classes are compared), and it is finite at any radius.

    `predict` takes the most probable class: the sign of the calibrated log-odds for two classes or
    a label, not the side of the hyperplane. `decision_function` gives these log-odds, so that all
    three agree.

    A class of a single row cannot be left out. Its problem takes the middle C of the grid, its
    sigmoid is fitted to the scores of the training rows themselves, and a warning says so. A label
    of all N rows has the probability (N + 1) / (N + 2) everywhere, a label of none 1 / (N + 2).

    In the folds, too, the hyperplane has to meet the smallest ball around the origin that holds all
    the rows of the problem, those left out included.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437.

    Platt (1999). Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods. Advances in Large Margin Classifiers.

    Examples
    --------
    >>> from hyplane import HyperbolicSVCCV
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(400, random_state=2)
    >>> clf = HyperbolicSVCCV(random_state=0).fit(X[:200], y[:200])
    >>> clf.C_.shape, clf.cv_scores_.shape
    ((4,), (4, 3))
    >>> clf.predict_proba(X[200:]).sum(axis=1).round(6).tolist() == [1.0] * 200
    True
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "Cs": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(METRICS))],
        **PARAMETER_CONSTRAINTS,
    }

    def __init__(
        self,
        Cs: Sequence[float] = DEFAULT_CS,
        *,
        cv: int | Splitter | Iterable[Split] | None = DEFAULT_FOLDS,
        scoring: str = "average_precision",
        coordinates: str = "ball",
        curvature: float = -1.0,
        multi_class: str = "ovr",
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.coordinates = coordinates
        self.curvature = curvature
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose C, calibrate and find the hyperplanes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            PackedPoints in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : HyperbolicSVCCV
        """
        Cs = _grid(self.Cs)
        X, targets, weights = self._rows(X, y, sample_weight)
        points = pack_points(X, self.coordinates, curvature=self.curvature)
        problems = targets.problems(self.multi_class, self.class_weight, weights)
        # The first are drawn as HyperbolicSVC draws its own: the last fit is its fit.
        random_state = check_random_state(self.random_state)
        seeds, fold_seeds = random_state.randint(
            np.iinfo(np.int32).max, size=(2, len(problems))
        ).tolist()
        cv = folds_of_rows(
            DEFAULT_FOLDS if self.cv is None else self.cv, len(X), _which_count(sample_weight)
        )
        folds = [
            assign_folds(problem, cv, seed)
            for problem, seed in zip(problems, fold_seeds, strict=True)
        ]
        planes = self._solve_folds(points, problems, folds, seeds, Cs)
        chart = Chart(self.coordinates, self.curvature)

        def choose(
            problem: BinaryProblem, folds: Folds | None, planes: list[Hyperplanes]
        ) -> Selection:
            return select(X, chart, problem, folds, planes, Cs, self.scoring)

        def refit(problem: BinaryProblem, chosen: Selection, seed: int) -> SoftMarginResult:
            return solve_problem(
                points, problem, C=chosen.C, tol=self.tol, max_iter=self.max_iter, seed=seed
            )

        chosen = side_by_side(choose, zip(problems, folds, planes, strict=True), self.n_jobs)
        results = side_by_side(refit, zip(problems, chosen, seeds, strict=True), self.n_jobs)
        self._keep(targets, problems, results)
        self.C_ = np.array([each.C for each in chosen])
        self.cv_scores_ = np.array([each.cv_scores for each in chosen])
        self.n_folds_ = np.array([each.n_folds for each in chosen])
        self.sigmoids_ = Sigmoids.of(
            each.sigmoid or training_sigmoid(X, chart, problem, result)
            for problem, each, result in zip(problems, chosen, results, strict=True)
        )
        self._warn_where_nothing_is_left_out(problems)
        return self

    def _solve_folds(
        self,
        points: PackedPoints,
        problems: list[BinaryProblem],
        folds: list[Folds | None],
        seeds: list[int],
        Cs: Array,
    ) -> list[list[Hyperplanes]]:
        """Return for each problem and each of its folds the hyperplanes of the grid."""

        def solve(
            problem: BinaryProblem,
            folds: Folds,
            k: int,
            seed: int,
            siblings: list[SoftMarginResult],
        ) -> list[SoftMarginResult]:
            return solve_fold(
                points,
                problem,
                folds == k,
                Cs,
                tol=self.tol,
                max_iter=self.max_iter,
                seed=seed,
                siblings=siblings,
            )

        # The first fold of each problem is searched thoroughly; the others start where it ended.
        n_folds = [0 if each is None else int(each.max()) + 1 for each in folds]
        rows = [row for row in zip(problems, folds, seeds, n_folds, strict=True) if row[3]]
        first = side_by_side(
            solve, ((problem, each, 0, seed, []) for problem, each, seed, _ in rows), self.n_jobs
        )
        others = iter(
            side_by_side(
                solve,
                (
                    (problem, each, k, seed, siblings)
                    for (problem, each, seed, n), siblings in zip(rows, first, strict=True)
                    for k in range(1, n)
                ),
                self.n_jobs,
            )
        )
        leaders = iter(first)
        return [
            [Hyperplanes.of_results(next(others if k else leaders)) for k in range(n)]
            for n in n_folds
        ]

    def _warn_where_nothing_is_left_out(self, problems: list[BinaryProblem]) -> None:
        names = [
            problem.name
            for problem, n_folds in zip(problems, self.n_folds_, strict=True)
            if n_folds == 0 and not problem.constant
        ]
        if names:
            warnings.warn(
                f"no cross validation for {', '.join(names[:3])}{', …' * (len(names) > 3)}: a "
                "single row on one side cannot be left out. The middle C of the grid is taken, and "
                "the probabilities rest on the training rows themselves. Add rows, or leave such "
                "classes out.",
                UserWarning,
                stacklevel=4,
            )

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the calibrated log-odds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            PackedPoints.

        Returns
        -------
        log_odds : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``; else one per class (against
            the rest) or label. In each column the points are in the order of ``w*x``. One-vs-one
            gives the log-odds of the coupled probabilities. Finite at any radius.
        """
        log_odds = self._log_odds(X)
        if self._pairwise:
            probabilities = couple(expit(log_odds), len(self.classes_))
            others = probabilities @ (1.0 - np.eye(len(self.classes_)))
            return np.asarray(np.log(probabilities) - np.log(others))
        return log_odds[:, 0] if self._single else log_odds

    def minkowski_products(self, X: ArrayLike) -> Array:
        """Return the Minkowski products ``w*x``, the paper's scores before calibration.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            PackedPoints.

        Returns
        -------
        products : ndarray of shape (n_samples,) or (n_samples, n_problems)
            One column per row of ``coef_``. A product beyond the range of doubles (points farther
            out than about 700) is infinite.
        """
        with np.errstate(over="ignore"):
            products = np.sinh(self._per_problem(X, self._arsinh_scores))
        return products[:, 0] if self._single else products

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            PackedPoints.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one: one-vs-rest probabilities are divided by their sum, those of pairs
            coupled by the rule of Wu, Lin and Weng. For an indicator matrix the columns are
            independent.
        """
        log_odds = self._log_odds(X)
        if self._multilabel:
            return np.asarray(expit(log_odds))
        if self._single:
            return np.asarray(expit(log_odds * [-1.0, 1.0]))
        if self._pairwise:
            return couple(expit(log_odds), len(self.classes_))
        return normalise(log_odds)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each point, or its labels above one half.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            PackedPoints.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or the indicator matrix of labels.
        """
        log_odds = self.decision_function(X)
        if self._multilabel:
            return (log_odds > 0).astype(np.int64)
        most = (log_odds > 0).astype(np.int64) if self._single else log_odds.argmax(axis=1)
        return np.asarray(self.classes_[most])

    def _log_odds(self, X: ArrayLike) -> Array:
        scores = self._per_problem(X, self._arsinh_scores)
        return self.sigmoids_.log_odds(scores)


def _grid(Cs: ArrayLike) -> Array:
    grid = np.asarray(Cs, dtype=np.float64)
    if grid.ndim != 1 or not grid.size:
        raise ValueError(f"Cs must be a list of one or more numbers; got {Cs!r}.")
    wrong = grid[~(np.isfinite(grid) & (grid > 0))]
    if wrong.size:
        raise ValueError(
            f"Cs must be positive and finite; got {wrong[0]:g}. For the hard margin use "
            "HyperbolicSVC(C=np.inf)."
        )
    return grid


def _which_count(sample_weight: ArrayLike | None) -> Mask | None:
    weights = None if sample_weight is None else np.asarray(sample_weight)
    return None if weights is None or weights.ndim == 0 else weights > 0
