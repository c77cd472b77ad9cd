"""The classifier that chooses among all others."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from hyplane._typing import Array, ArrayLike
from hyplane.geometry import check_points
from hyplane.metrics import indicator_matrix
from hyplane.selection.candidates import FAMILY, candidates
from hyplane.selection.race import Entry, Race, fit_power, sharpen, stratified_folds
from hyplane.svm.base import CHART_CONSTRAINTS
from hyplane.svm.probabilistic import ProbabilisticClassifier
from hyplane.svm.targets import Targets


@dataclass(frozen=True)
class Standing:
    """How a candidate did.

    Attributes
    ----------
    name : str
    accuracy : float
        Share of right rows (or labels) among those left out.
    average_precision : float
        Mean over the classes, on the same rows.
    n_folds : int
        Folds it was tried on.
    seconds : float
        Time it took.
    """

    name: str
    accuracy: float
    average_precision: float
    n_folds: int
    seconds: float


class HyperbolicClassifier(ProbabilisticClassifier):
    """Picks among the classifiers of the package by cross validation, and calibrates the choice.

    The family: logistic regression with hyperplanes or with any boundary, kernel logistic
    regression, nearest neighbours, forests on horofunctions, and the hyperbolic SVM, each with a
    grid of its settings. All are tried on one fold of the training data; the better half goes on to
    the next fold, and so on. Of those that are as accurate as the best, the one with the highest
    average precision is fitted anew on all rows.

    Parameters
    ----------
    family : sequence of str, default=("logistic", "kernel", "neighbors", "forest", "svm")
        The kinds of classifiers to choose from.
    cv : int, default=5
        Number of folds, stratified.
    max_seconds : float, default=120.0
        Time after which no further fit of the search begins. The fit on all rows is not counted.
    max_rows : int, default=5000
        The search is made on so many rows, drawn at random, where there are more.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the candidates.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    choice_ : str
        The candidate that was chosen.
    standings_ : list of Standing
        How all candidates did, the chosen one first.
    best_estimator_ : classifier
        The chosen classifier, fitted on all rows.
    power_ : float
        Its probabilities are raised to this power: the calibration.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Only the rows given to `fit` take part in the choice. Its scores in ``standings_`` are those of
    the best of many, so a little too high: judge the classifier on other rows.

    With the same ``random_state`` the result is the same, unless the time ran out.

    References
    ----------
    Jamieson, Talwalkar (2016). Non-stochastic best arm identification and hyperparameter
    optimization. AISTATS.

    Guo, Pleiss, Sun, Weinberger (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    >>> from hyplane import HyperbolicClassifier
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(160, n_classes=2, random_state=2)
    >>> clf = HyperbolicClassifier(["logistic", "kernel"], cv=3, random_state=0).fit(X[:80], y[:80])
    >>> clf.choice_ == clf.standings_[0].name, clf.predict_proba(X[80:]).shape
    (True, (80, 2))
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "family": ["array-like"],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "max_seconds": [Interval(Real, 0, None, closed="neither")],
        "max_rows": [Interval(Integral, 10, None, closed="left")],
        **CHART_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        family: Sequence[str] = FAMILY,
        *,
        cv: int = 5,
        max_seconds: float = 120.0,
        max_rows: int = 5000,
        coordinates: str = "ball",
        curvature: float = -1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.family = family
        self.cv = cv
        self.max_seconds = max_seconds
        self.max_rows = max_rows
        self.coordinates = coordinates
        self.curvature = curvature
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose a classifier and fit it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.

        Returns
        -------
        self : HyperbolicClassifier
        """
        unknown = [kind for kind in self.family if kind not in FAMILY]
        if unknown or not len(self.family):
            raise ValueError(
                f"family must be one or more of {', '.join(FAMILY)}; got {self.family!r}."
            )
        X, targets, _, _ = self._rows(X, y, None)
        X = check_points(X, self.coordinates, curvature=self.curvature)
        rng = check_random_state(self.random_state)
        race, entries = self._race(X, targets, rng)
        chosen = entries[0]
        rows = ~np.isnan(chosen.probabilities[:, 0])
        self.power_ = fit_power(
            chosen.probabilities[rows], race.indicator[rows], targets.multilabel
        )
        self.standings_ = [_standing(race, entry) for entry in entries]
        self.choice_ = chosen.candidate.name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # as in the race
            self.best_estimator_ = clone(chosen.candidate.estimator).fit(X, _labels(targets))
        self._keep_kind(targets)
        return self

    def _race(
        self, X: Array, targets: Targets, rng: np.random.RandomState
    ) -> tuple[Race, list[Entry]]:
        seed = int(rng.randint(np.iinfo(np.int32).max))
        order = rng.permutation(len(X))
        sample = np.sort(order[: self.max_rows])
        codes = targets.codes[sample]
        n_folds = min(self.cv, max(2, len(sample) // 2))
        folds = stratified_folds(codes[:, 0] if codes.ndim == 2 else codes, n_folds, rng)
        n_train = len(sample) - int(np.bincount(folds).max())
        chart: dict[str, Any] = {"coordinates": self.coordinates, "curvature": self.curvature}
        n_classes = len(targets.classes)
        multi_class = not targets.multilabel and n_classes > 2
        family = candidates(self.family, X[sample], n_train, multi_class, seed, chart)
        indicator = codes if codes.ndim == 2 else indicator_matrix(codes, np.arange(n_classes))
        race = Race(
            X[sample],
            codes,
            np.asarray(indicator, dtype=np.int64),
            np.arange(n_classes),
            folds,
            time.monotonic() + self.max_seconds,
        )
        return race, race.run(family)

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
        probabilities = self.best_estimator_.predict_proba(X)
        return sharpen(probabilities, self.power_, self.decomposition_ == "multilabel")

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = str(super().__repr__(N_CHAR_MAX))
        if not hasattr(self, "standings_"):
            return text
        lines = [
            f"  {standing.accuracy:.3f}  {standing.average_precision:.3f}  {standing.name}"
            f"{'  (chosen)' * (number == 0)}"
            for number, standing in enumerate(self.standings_[:6])
        ]
        more = len(self.standings_) - len(lines)
        lines += [f"  and {more} more in standings_"] * (more > 0)
        return "\n".join([text, "accuracy, average precision on rows left out:", *lines])


def _labels(targets: Targets) -> Any:
    return targets.codes if targets.multilabel else targets.classes[targets.codes]


def _standing(race: Race, entry: Entry) -> Standing:
    return Standing(
        entry.candidate.name,
        float(race.hits(entry).mean()),
        race.precision(entry),
        len(entry.folds),
        entry.seconds,
    )
