"""The classifier that chooses among all others."""

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.parallel import available_memory
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS, side_by_side
from hyplane.classifiers._kernel_machine import KernelMachine
from hyplane.classifiers._probabilistic import ProbabilisticClassifier
from hyplane.classifiers._search import (
    FAMILY,
    FINALISTS,
    Candidate,
    SuccessiveHalving,
    candidates,
    deal_folds,
    fit_together,
    probabilities_of,
    sharpen,
)
from hyplane.classifiers._targets import Targets
from hyplane.geometry import check_points


class HyperbolicClassifier(ProbabilisticClassifier):
    """Averages the best classifiers of the package for some data, chosen by cross validation.

    The family: logistic regression with hyperplanes or with any boundary, kernel logistic
    regression, kernel SVMs, nearest neighbours, forests on horofunctions, and the hyperbolic SVM,
    each with a grid of its settings. All are tried on one fold of the training data (on some, where
    there are few rows); the best third goes on to the next fold, and so on, never two that differ
    in C alone. The best six are fitted anew on all rows. The probabilities are a weighted average
    of theirs; the weights are those that make the rows left out most likely.

    Parameters
    ----------
    family : sequence of str, default=("logistic", "kernel", "neighbors", "forest", "svm")
        The kinds of classifiers to choose from.
    ensemble : {"average", "best"}, default="average"
        "best" keeps the single classifier of the lowest log loss, which is quicker to predict with.
    cv : int, default=5
        Number of folds, stratified. Fewer than 200 rows are dealt to folds twice.
    max_seconds : float, default=120.0
        Time after which no further fit of the search begins. The fits on all rows are not counted.
    max_rows : int, default=5000
        The search is made on so many rows, drawn at random, where there are more.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    n_jobs : int, default=None
        Threads that fit candidates side by side; None means 1, -1 all processors. The result does
        not depend on it, unless the time runs out.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the candidates.
    verbose : int, default=0
        Whether to write a line to the standard error for each candidate and fold.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    choice_ : str
        The classifiers that were chosen, with their weights.
    cv_results_ : dict of lists and arrays
        How all candidates did on the rows left out, the chosen ones first: ``candidate`` (its
        name), ``weight`` in the average, ``mean_test_accuracy``, ``mean_test_average_precision``
        (mean over the classes), ``mean_test_neg_log_loss`` (after calibration), ``n_folds`` that it
        was tried on, and ``mean_fit_time`` in seconds. ``pandas.DataFrame`` makes a table of it.
    estimators_ : list of classifier
        The chosen classifiers, fitted on all rows, the one of the largest weight first.
    weights_ : ndarray of shape (n_chosen,)
        Their weights.
    powers_ : ndarray of shape (n_chosen,)
        Their probabilities are raised to these powers before they are averaged: the calibration.
    power_ : float
        The same for the average.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Kernel machines are left out where their matrices of all rows take more than 2 GiB, or more than
    the available memory. For kernel SVMs that is beyond 16 384 rows.

    Only the rows given to `fit` take part in the choice. The scores in ``cv_results_`` are those of
    the best of many, so a little too high: judge the classifier on other rows.

    An average of good classifiers is as a rule as good as the best of them, which the folds of few
    rows cannot tell from the others.

    With the same ``random_state`` the result is the same, unless the time ran out.

    References
    ----------
    Jamieson, Talwalkar (2016). Non-stochastic best arm identification and hyperparameter
    optimization. AISTATS.

    Smyth, Wolpert (1999). Linearly combining density estimators via stacking. Machine Learning 36.

    Guo, Pleiss, Sun, Weinberger (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    >>> from hyplane import HyperbolicClassifier
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(160, n_classes=2, random_state=2)
    >>> clf = HyperbolicClassifier(["logistic", "kernel"], cv=3, random_state=0).fit(X[:80], y[:80])
    >>> clf.cv_results_["candidate"][0] in clf.choice_, clf.predict_proba(X[80:]).shape
    (True, (80, 2))
    """

    _saved = {  # noqa: RUF012
        "choice_": str,
        "cv_results_": dict,
        "estimators_": list[BaseEstimator],
        "weights_": "finite[n_members] from 0 to 1",
        "powers_": "finite[n_members] from 0 to 100",
        "power_": "finite[] from 0 to 100",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "family": ["array-like"],
        "ensemble": [StrOptions({"average", "best"})],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "max_seconds": [Interval(Real, 0, None, closed="neither")],
        "max_rows": [Interval(Integral, 10, None, closed="left")],
        **CHART_CONSTRAINTS,
        **{name: PARAMETER_CONSTRAINTS[name] for name in ("n_jobs", "random_state", "verbose")},
    }

    def __init__(
        self,
        family: Sequence[str] = FAMILY,
        *,
        ensemble: str = "average",
        cv: int = 5,
        max_seconds: float = 120.0,
        max_rows: int = 5000,
        coordinates: str = "ball",
        curvature: float = -1.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.family = family
        self.ensemble = ensemble
        self.cv = cv
        self.max_seconds = max_seconds
        self.max_rows = max_rows
        self.coordinates = coordinates
        self.curvature = curvature
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose classifiers and fit them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative: in the scores of the search, and in the fits of all
            candidates but nearest neighbours. A row of weight 0 does not count at all.

        Returns
        -------
        self : HyperbolicClassifier
        """
        unknown = [kind for kind in self.family if kind not in FAMILY]
        if unknown or not len(self.family):
            raise ValueError(
                f"family must be one or more of {', '.join(FAMILY)}; got {self.family!r}."
            )
        X, targets, weights, _ = self._rows(X, y, sample_weight)
        X = check_points(X, **self._chart)
        search, family = self._search(X, targets, weights)
        finalists, others = search.run(family)
        n_chosen = FINALISTS if self.ensemble == "average" else 1
        chosen, self.weights_, self.powers_, self.power_ = search.stack(finalists[:n_chosen])
        weight_of = dict(zip(chosen, self.weights_.tolist(), strict=True))
        entries = sorted([*finalists, *others], key=lambda each: -weight_of.get(each, 0.0))
        self.cv_results_ = {
            "candidate": [each.name for each in entries],
            "weight": np.array([weight_of.get(each, 0.0) for each in entries]),
            "mean_test_accuracy": np.array([search.accuracy(each) for each in entries]),
            "mean_test_average_precision": np.array([search.precision(each) for each in entries]),
            "mean_test_neg_log_loss": np.array([-search.loss(each) for each in entries]),
            "n_folds": np.array([each.n_folds for each in entries]),
            "mean_fit_time": np.array([each.seconds / each.n_folds for each in entries]),
        }
        self.choice_ = chosen[0].name
        if len(chosen) > 1:
            parts = [f"{weight:.2f} ({each.name})" for each, weight in weight_of.items()]
            self.choice_ = " + ".join(parts)
        labels = targets.codes if targets.multilabel else targets.classes[targets.codes]
        tasks = [([each], X, labels, weights) for each in chosen]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # as in the search
            fits = side_by_side(fit_together, tasks, self.n_jobs)
        self.estimators_ = [model for [model] in fits]
        self._store_classes(targets)
        return self

    def _search(
        self, X: Array, targets: Targets, weights: Array | None
    ) -> tuple[SuccessiveHalving, list[Candidate]]:
        """Draw rows and folds, and make the candidates that fit in memory."""
        rng = check_random_state(self.random_state)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        sample = np.sort(rng.permutation(len(X))[: self.max_rows])
        codes = targets.codes[sample]
        n_folds = min(self.cv, max(2, len(sample) // 2))
        folds = deal_folds(codes[:, 0] if targets.multilabel else codes, n_folds, rng)
        left = [codes[each != fold] for each in folds for fold in range(n_folds)]
        if not targets.multilabel and any(part.min() == part.max() for part in left):
            raise ValueError(
                "without the rows of one fold a single class is left, so that nothing can be "
                "compared: two classes need two rows or more. Add rows, or fit one classifier, "
                "HyperbolicSVC for instance."
            )
        multi_class = not targets.multilabel and len(targets.classes) > 2
        n_train = min(map(len, left))
        family = candidates(self.family, X[sample], n_train, multi_class, seed, self._chart)
        most = min(2 << 30, available_memory())  # the same on all machines that have so much
        family = [
            each
            for each in family
            if not isinstance(each.estimator, KernelMachine)
            or each.estimator.matrix_bytes(len(X)) <= most
        ]
        if not family:
            raise MemoryError(
                f"the kernel matrices of {len(X)} rows take more than {most / 1e9:.1f} GB. Use "
                "another family than 'kernel' as well, or fewer rows."
            )
        search = SuccessiveHalving(
            X[sample],
            codes,
            folds,
            None if weights is None else weights[sample],
            max_seconds=self.max_seconds,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        return search, family

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the calibrated probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one. For an indicator matrix the columns are independent.
        """
        X = self._check_rows(X)
        multilabel = self.decomposition_ == "multilabel"
        average = np.zeros((len(X), len(self.classes_)))
        for member, weight, power in zip(
            self.estimators_, self.weights_, self.powers_, strict=True
        ):
            average += weight * sharpen(probabilities_of(member, X), power, multilabel)
        return sharpen(average, self.power_, multilabel)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = str(super().__repr__(N_CHAR_MAX))
        if not hasattr(self, "cv_results_"):
            return text
        names = ("weight", "mean_test_accuracy", "mean_test_average_precision", "candidate")
        table = list(zip(*(self.cv_results_[name] for name in names), strict=True))
        lines = [f"  {row[0]:.2f}  {row[1]:.3f}  {row[2]:.3f}  {row[3]}" for row in table]
        if len(lines) > FINALISTS + 2:
            lines[FINALISTS + 2 :] = [f"  and {len(lines) - FINALISTS - 2} more in cv_results_"]
        return "\n".join([text, "weight; accuracy, average precision on rows left out:", *lines])
