"""The classifier that chooses among all others."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.parallel import available_memory
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._candidates import FAMILY, Candidate, candidates
from hyplane.classifiers._halving import (
    FINALISTS,
    Entry,
    SuccessiveHalving,
    deal_folds,
    fit_together,
    groups,
)
from hyplane.classifiers._kernel_machine import KernelMachine
from hyplane.classifiers._probabilistic import ProbabilisticClassifier
from hyplane.classifiers._stacking import probabilities_of, sharpen
from hyplane.classifiers._targets import Targets
from hyplane.geometry import check_points
from hyplane.metrics import indicator_matrix

# Bytes of the largest kernel matrix that is tried, that of 16 384 rows: the same on all machines
# that have so much.
_LARGEST_MATRIX = 2 << 30


@dataclass(frozen=True)
class Standing:
    """How a candidate did.

    Attributes
    ----------
    name : str
    weight : float
        Its weight in the average; 0 for those that are not in it.
    accuracy : float
        Share of right rows (or labels) among those left out.
    average_precision : float
        Mean over the classes, on the same rows.
    log_loss : float
        Mean of ``-log p`` of the right class, on the same rows, after calibration.
    n_folds : int
        Folds it was tried on.
    seconds : float
        Time it took.
    """

    name: str
    weight: float
    accuracy: float
    average_precision: float
    log_loss: float
    n_folds: int
    seconds: float


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
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the candidates.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    choice_ : str
        The classifiers that were chosen, with their weights.
    standings_ : list of Standing
        How all candidates did, the chosen ones first.
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

    Only the rows given to `fit` take part in the choice. The scores in ``standings_`` are those of
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
    >>> clf.standings_[0].name in clf.choice_, clf.predict_proba(X[80:]).shape
    (True, (80, 2))
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "family": ["array-like"],
        "ensemble": [StrOptions({"average", "best"})],
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
        ensemble: str = "average",
        cv: int = 5,
        max_seconds: float = 120.0,
        max_rows: int = 5000,
        coordinates: str = "ball",
        curvature: float = -1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.family = family
        self.ensemble = ensemble
        self.cv = cv
        self.max_seconds = max_seconds
        self.max_rows = max_rows
        self.coordinates = coordinates
        self.curvature = curvature
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose classifiers and fit them.

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
        X = check_points(X, **self._chart)
        search, family = self._search(X, targets, check_random_state(self.random_state))
        finalists, others = search.run(family)
        chosen = search.stack(finalists[: FINALISTS if self.ensemble == "average" else 1])
        self.weights_, self.powers_, self.power_ = chosen.weights, chosen.powers, chosen.power
        weights = dict(zip(map(id, chosen.entries), chosen.weights.tolist(), strict=True))
        entries = sorted([*finalists, *others], key=lambda entry: -weights.get(id(entry), 0.0))
        self.standings_ = [_standing(search, each, weights.get(id(each), 0.0)) for each in entries]
        self.choice_ = _choice(self.standings_)
        fitted: dict[int, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # as in the search
            for group in groups(chosen.entries):
                models = fit_together(group, X, _labels(targets))
                fitted.update(zip(map(id, group), models, strict=True))
        self.estimators_ = [fitted[id(entry)] for entry in chosen.entries]
        self._keep_kind(targets)
        return self

    def _search(
        self, X: Array, targets: Targets, rng: np.random.RandomState
    ) -> tuple[SuccessiveHalving, list[Candidate]]:
        seed = int(rng.randint(np.iinfo(np.int32).max))
        order = rng.permutation(len(X))
        sample = np.sort(order[: self.max_rows])
        codes = targets.codes[sample]
        n_folds = min(self.cv, max(2, len(sample) // 2))
        folds = deal_folds(codes[:, 0] if codes.ndim == 2 else codes, n_folds, rng)
        if not targets.multilabel:
            _check_classes_of_folds(codes, folds)
        n_train = len(sample) - int(np.bincount(folds[0]).max())
        n_classes = len(targets.classes)
        multi_class = not targets.multilabel and n_classes > 2
        family = _that_fit(
            candidates(self.family, X[sample], n_train, multi_class, seed, self._chart), len(X)
        )
        indicator = codes if codes.ndim == 2 else indicator_matrix(codes, np.arange(n_classes))
        search = SuccessiveHalving(
            X[sample],
            codes,
            np.asarray(indicator, dtype=np.int64),
            folds,
            time.monotonic() + self.max_seconds,
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
        if not hasattr(self, "standings_"):
            return text
        lines = [
            f"  {standing.weight:.2f}  {standing.accuracy:.3f}  {standing.average_precision:.3f}  "
            + standing.name
            for standing in self.standings_[: FINALISTS + 2]
        ]
        more = len(self.standings_) - len(lines)
        lines += [f"  and {more} more in standings_"] * (more > 0)
        return "\n".join([text, "weight; accuracy, average precision on rows left out:", *lines])


def _that_fit(family: Sequence[Candidate], n_rows: int) -> list[Candidate]:
    """Leave out kernel machines whose matrix of all rows does not fit in memory."""
    most = min(_LARGEST_MATRIX, available_memory())
    fit = [
        each
        for each in family
        if not isinstance(each.estimator, KernelMachine)
        or each.estimator.matrix_bytes(n_rows) <= most
    ]
    if not fit:
        raise MemoryError(
            f"the kernel matrices of {n_rows} rows take more than {most / 1e9:.1f} GB. Use another "
            "family than 'kernel' as well, or fewer rows."
        )
    return fit


def _check_classes_of_folds(codes: NDArray[Any], folds: NDArray[np.int64]) -> None:
    for dealt in folds:
        for fold in range(int(dealt.max()) + 1):
            if len(np.unique(codes[dealt != fold])) < 2:
                raise ValueError(
                    "without the rows of one fold a single class is left, so that nothing can be "
                    "compared: two classes need two rows or more. Add rows, or fit one classifier, "
                    "HyperbolicSVC for instance."
                )


def _labels(targets: Targets) -> Any:
    return targets.codes if targets.multilabel else targets.classes[targets.codes]


def _choice(standings: Sequence[Standing]) -> str:
    chosen = [standing for standing in standings if standing.weight > 0]
    if len(chosen) == 1:
        return chosen[0].name
    return " + ".join(f"{standing.weight:.2f} ({standing.name})" for standing in chosen)


def _standing(search: SuccessiveHalving, entry: Entry, weight: float) -> Standing:
    return Standing(
        entry.candidate.name,
        weight,
        search.accuracy(entry),
        search.precision(entry),
        search.loss(entry),
        entry.n_folds,
        entry.seconds,
    )
