"""The classifier that chooses among all others."""

import warnings
from collections.abc import Sequence
from html import escape
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import estimator_html_repr
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS, draw_seeds, side_by_side
from hyplane.classifiers._candidates import (
    FAMILY,
    KERNEL_ROWS,
    Candidate,
    affordable,
    candidates,
)
from hyplane.classifiers._kernel_machine import KernelMachine
from hyplane.classifiers._probabilistic import ProbabilisticClassifier
from hyplane.classifiers._search import (
    Search,
    fit_together,
    probabilities_of,
    sharpen,
    strata_of,
    stratified_sample,
)
from hyplane.classifiers._targets import Targets
from hyplane.geometry import check_points

# The columns of the table of candidates, and the attributes that they come from.
MEASURES = ("weight", "log_loss", "accuracy", "average_precision", "seconds", "end", "warning")
COLUMNS = {"candidate": "name", "rows": "n_rows", **dict(zip(MEASURES, MEASURES, strict=True))}


class HyperbolicClassifier(ProbabilisticClassifier):
    """Classifier that chooses the best method of the package, or an average of two.

    The candidates are logistic regression with hyperplanes or with any boundary, kernel logistic
    regression, kernel SVMs, nearest neighbours, extra trees, boosting, and the hyperbolic SVM, each
    with a grid of its settings. They are compared by the log loss of rows left out, in three
    rounds. The first round fits all of them to 300 rows; the best of them, and the best of each
    kind, go on to 1500 rows, and the best four to all rows of the search. The winner is fitted to
    all rows. One of another kind joins it in a weighted average only where it lowers the log loss
    by more than the noise of cross validation.

    Parameters
    ----------
    family : sequence of str, default=("logistic", "kernel", "neighbors", "forest", "svm")
        The kinds of classifiers to choose from.
    ensemble : {"average", "best"}, default="average"
        "best" keeps the single classifier of the lowest log loss.
    cv : int, default=5
        Number of folds, stratified. Fewer than 200 rows are dealt to folds twice. Of many rows only
        so many folds are left out that 600 rows are predicted.
    max_rows : int, default=8000
        The search takes a stratified sample of about so many rows, where there are more. All rows
        of classes of up to 100 rows are in it.
    max_seconds : float or None, default=None
        Time after which no further candidate is tried. If it cuts the search, the result depends on
        the speed of the machine, and a warning says so. The fits to all rows are not counted.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    n_jobs : int, default=None
        Threads that fit candidates side by side; None means 1, -1 all processors. The result does
        not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample, the folds and the candidates.
    verbose : int, default=0
        Whether to write a line to the standard error for each candidate and round.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    choice_ : str
        The classifiers that were chosen, with their weights.
    results_ : dict of lists and arrays
        What was tried, the chosen ones first: ``candidate`` (its name), ``rows`` that its last fits
        had, ``weight`` in the average, ``log_loss``, ``accuracy`` and ``average_precision`` (mean
        over the classes) of the rows left out, ``seconds`` of all its fits, ``end`` (why it left)
        and ``warning`` (the first one of its fits). ``pandas.DataFrame`` makes a table of it.
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
    The work is limited by numbers of rows and fits, not by time, so the result is the same on a
    busy machine. Kernel machines have 400 landmarks on more than 1000 rows, and are fitted to a
    stratified sample of 100 000 rows where there are more. Their features then take 0.3 GB.
    Where that is not available, kernel machines are left out.

    Only the rows given to `fit` take part in the choice. The scores in ``results_`` are those of
    the best of many, so a little too high: judge the classifier on other rows.

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
    >>> clf.results_["candidate"][0] in clf.choice_, clf.predict_proba(X[80:]).shape
    (True, (80, 2))
    """

    _saved = {  # noqa: RUF012
        "choice_": str,
        "results_": dict,
        "estimators_": list[BaseEstimator],
        "weights_": "finite[n_members] from 0 to 1",
        "powers_": "finite[n_members] from 0 to 100",
        "power_": "finite[] from 0 to 100",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "family": ["array-like"],
        "ensemble": [StrOptions({"average", "best"})],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "max_rows": [Interval(Integral, 10, None, closed="left")],
        "max_seconds": [Interval(Real, 0, None, closed="neither"), None],
        **CHART_CONSTRAINTS,
        **{name: PARAMETER_CONSTRAINTS[name] for name in ("n_jobs", "random_state", "verbose")},
    }

    def __init__(
        self,
        family: Sequence[str] = FAMILY,
        *,
        ensemble: str = "average",
        cv: int = 5,
        max_rows: int = 8000,
        max_seconds: float | None = None,
        coordinates: str = "ball",
        curvature: float = -1.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.family = family
        self.ensemble = ensemble
        self.cv = cv
        self.max_rows = max_rows
        self.max_seconds = max_seconds
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
        (seed,) = draw_seeds(self.random_state)
        search, found = self._search(X, targets, weights, seed)
        finalists = search.run(affordable(found, len(X)))
        if search.cut:
            warnings.warn(
                f"the search was cut after max_seconds={self.max_seconds:g}: not all candidates "
                "were tried, and another run may choose others. Raise max_seconds, or lower "
                "max_rows.",
                UserWarning,
                stacklevel=2,
            )
        finalists = finalists if self.ensemble == "average" else finalists[:1]
        chosen, self.powers_, self.power_ = search.average(finalists)
        self.weights_ = np.array([each.weight for each in chosen])
        parts = [f"{each.weight:.2f} ({each.name})" for each in chosen]
        self.choice_ = " + ".join(parts) if len(chosen) > 1 else chosen[0].name
        self._keep_results(found)
        tasks = [(each, X, targets, weights, seed) for each in chosen]
        self.estimators_ = side_by_side(_fit_to_all, tasks, self.n_jobs)
        self._store_classes(targets)
        return self

    def _search(
        self, X: Array, targets: Targets, weights: Array | None, seed: int
    ) -> tuple[Search, list[Candidate]]:
        """Draw the rows of the search, and make its folds and candidates."""
        weighted_fits = weights is not None or targets.multilabel
        strata = strata_of(targets.codes)
        rows, weights = stratified_sample(strata, self.max_rows, seed, weights)
        search = Search(
            X[rows],
            targets.codes[rows],
            min(self.cv, max(2, len(rows) // 2)),
            seed,
            weights,
            weighted_fits=weighted_fits,
            max_seconds=self.max_seconds,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        left = [search.y[folds != k] for folds in search.folds for k in range(search.n_folds)]
        if not targets.multilabel and any(codes.min() == codes.max() for codes in left):
            raise ValueError(
                "without the rows of one fold a single class is left, so that nothing can be "
                "compared: two classes need two rows or more. Add rows, or fit one classifier, "
                "HyperbolicSVC for instance."
            )
        multi_class = not targets.multilabel and len(targets.classes) > 2
        n_train = min(map(len, left))
        found = candidates(self.family, search.X, len(X), n_train, multi_class, seed, self._chart)
        return search, found

    def _keep_results(self, found: Sequence[Candidate]) -> None:
        """Set the table of what was tried: the chosen ones, then by rows and log loss."""
        entries = sorted(found, key=lambda each: (-each.weight, -each.n_rows, each.log_loss))
        self.results_: dict[str, list[str] | NDArray[Any]] = {}
        for column, name in COLUMNS.items():
            values = [getattr(each, name) for each in entries]
            self.results_[column] = values if isinstance(values[0], str) else np.array(values)

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

    def report(self, n_candidates: int = 10) -> str:
        """Return a table of the candidates and their losses as text.

        Parameters
        ----------
        n_candidates : int, default=10
            Number of lines; ``results_`` has all.

        Returns
        -------
        text : str
        """
        table = [list(self.results_), *self._table()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in table[: n_candidates + 1]
        ]
        n_more = len(table) - 1 - n_candidates
        return "\n".join([*lines, *[f"and {n_more} more in results_"] * (n_more > 0)])

    def _table(self) -> list[list[str]]:
        """Return the rows of ``results_`` as text."""
        check_is_fitted(self)
        rows = zip(*self.results_.values(), strict=True)
        return [[f"{v:.3g}" if isinstance(v, float) else str(v) for v in row] for row in rows]

    def _repr_html_(self) -> str:
        """Return what notebooks show: the parameters, and the table of a fitted classifier."""
        html = str(estimator_html_repr(self))
        if not hasattr(self, "results_"):
            return html
        cells = [[f"<td>{escape(text)}</td>" for text in row] for row in self._table()]
        cells = [[f"<th>{name}</th>" for name in self.results_], *cells]
        lines = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
        return f"{html}<details open><summary>Candidates</summary><table>{lines}</table></details>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the text and the HTML that notebooks choose from."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _fit_to_all(
    each: Candidate, X: Array, targets: Targets, weights: Array | None, seed: int
) -> Any:
    """Fit a chosen candidate to all rows, a kernel machine to as many as its matrices may have."""
    labels = targets.codes if targets.multilabel else targets.classes[targets.codes]
    if isinstance(each.estimator, KernelMachine) and len(X) > KERNEL_ROWS:
        rows, weights = stratified_sample(strata_of(targets.codes), KERNEL_ROWS, seed, weights)
        X, labels = X[rows], labels[rows]
    return fit_together([each], X, labels, weights)[0]
