"""Successive halving: weak candidates leave after a fold, strong ones are tried on all folds."""

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hyplane._typing import Array
from hyplane.metrics import macro_average
from hyplane.selection.candidates import Candidate

# Probabilities are kept this far from 0 and 1 in logarithms.
SMALLEST = 1e-12


@dataclass
class Entry:
    """A candidate in the race.

    Attributes
    ----------
    candidate : Candidate
    probabilities : ndarray of shape (m, n_classes)
        Of the rows left out, by the fits that left them out; nan for folds not tried.
    folds : list of int
        Folds tried.
    seconds : float
        Time spent.
    """

    candidate: Candidate
    probabilities: Array
    folds: list[int] = field(default_factory=list)
    seconds: float = 0.0


class Race:
    """Candidates, rows and folds.

    Parameters
    ----------
    X : ndarray of shape (m, n_columns)
    y : ndarray of shape (m,) or (m, n_labels)
        Class labels, or an indicator matrix.
    indicator : ndarray of shape (m, n_classes)
        1 where a row has the class.
    classes : ndarray of shape (n_classes,)
    folds : ndarray of int of shape (m,)
        The fold that leaves each row out.
    deadline : float
        Time of `time.monotonic` after which no further fit begins.
    """

    def __init__(
        self,
        X: Array,
        y: NDArray[np.generic],
        indicator: NDArray[np.int64],
        classes: NDArray[np.generic],
        folds: NDArray[np.int64],
        deadline: float,
    ) -> None:
        self.X, self.y, self.indicator, self.classes = X, y, indicator, classes
        self.folds, self.deadline = folds, deadline
        self.multilabel = y.ndim == 2

    def run(self, candidates: Sequence[Candidate]) -> list[Entry]:
        """Return all entries, the best first.

        After each fold the better half of those still in the race goes on, at least four; equals go
        by the average precision.
        """
        entries = [Entry(each, np.full(self.indicator.shape, np.nan)) for each in candidates]
        racing = entries
        for fold in range(int(self.folds.max()) + 1):
            tried = [entry for group in _groups(racing) for entry in self._try(group, fold)]
            if not tried:
                break
            keep = max(4, (len(tried) + 1) // 2)
            racing = sorted(tried, key=self._rank, reverse=True)[:keep]
        tried = [entry for entry in entries if entry.folds]
        if not tried:
            raise ValueError("max_seconds is too short for a single fit: raise it.")
        longest = max(len(entry.folds) for entry in tried)
        finalists = [entry for entry in tried if len(entry.folds) == longest]
        others = [entry for entry in tried if len(entry.folds) < longest]
        first = self._best(finalists)
        rest = sorted((e for e in finalists if e is not first), key=self._rank, reverse=True)
        return [first, *rest, *sorted(others, key=self._rank, reverse=True)]

    def _try(self, entries: list[Entry], fold: int) -> list[Entry]:
        """Fit on all other folds and predict this one; return the entries, if there was time.

        The entries differ in C alone and share the rest of their work, or there is only one.
        """
        if time.monotonic() > self.deadline:
            return []
        out = self.folds == fold
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of iterations that ran out, of classes of one row
            fitted = _fit(entries, self.X[~out], self.y[~out])
            found = [each.predict_proba(self.X[out]) for each in fitted]
        seconds = (time.perf_counter() - start) / len(entries)
        for entry, model, probabilities in zip(entries, fitted, found, strict=True):
            entry.seconds += seconds
            entry.folds.append(fold)
            if self.multilabel:
                entry.probabilities[out] = probabilities
            else:  # classes that the training part lacks have probability 0
                entry.probabilities[out] = 0.0
                columns = np.searchsorted(self.classes, model.classes_)
                entry.probabilities[np.ix_(out, columns)] = probabilities
        return entries

    def hits(self, entry: Entry) -> Array:
        """Return for each row tried whether it was right; for labels the share of right ones."""
        rows = ~np.isnan(entry.probabilities[:, 0])
        probabilities, truth = entry.probabilities[rows], self.indicator[rows]
        if self.multilabel:
            return np.asarray(((probabilities > 0.5) == (truth > 0)).mean(axis=1))
        found = probabilities.argmax(axis=1)
        return np.asarray(truth[np.arange(len(truth)), found], dtype=np.float64)

    def precision(self, entry: Entry) -> float:
        """Return the mean average precision of the classes on the rows tried."""
        rows = ~np.isnan(entry.probabilities[:, 0])
        return macro_average(self.indicator[rows], entry.probabilities[rows])

    def _rank(self, entry: Entry) -> tuple[float, float]:
        return float(self.hits(entry).mean()), self.precision(entry)

    def _best(self, finalists: Sequence[Entry]) -> Entry:
        """Return the entry of the highest average precision of those as accurate as the best.

        As accurate: the folds do not tell it from the most accurate one, by one standard error of
        the paired difference.
        """
        top = max(finalists, key=self._rank)
        best = self.hits(top)
        equal = []
        for entry in finalists:
            difference = best - self.hits(entry)
            if difference.mean() <= difference.std() / np.sqrt(len(difference)):
                equal.append(entry)
        return max(equal, key=self.precision)


def _groups(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Yield entries that share their work, each group at the place of its first."""
    groups: dict[object, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.candidate.path or id(entry), []).append(entry)
    yield from groups.values()


def _fit(entries: Sequence[Entry], X: Array, y: NDArray[np.generic]) -> list[Any]:
    estimators = [entry.candidate.estimator for entry in entries]
    if len(entries) == 1:
        return [clone(estimators[0]).fit(X, y)]
    order = np.argsort([each.C for each in estimators], kind="stable")
    path = estimators[0].fit_path(X, y, [estimators[k].C for k in order])
    return [path[k] for k in np.argsort(order)]


def stratified_folds(
    codes: NDArray[np.integer[Any]],
    n_folds: int,
    rng: np.random.RandomState,
) -> NDArray[np.int64]:
    """Deal the rows of each class to folds, at random and as evenly as possible.

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 0, 0, 1, 1, 1]), 3, np.random.RandomState(0))
    >>> sorted(folds[:3].tolist()), sorted(folds[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    folds = np.empty(len(codes), dtype=np.int64)
    folds[order] = np.arange(len(codes)) % n_folds
    return folds


def fit_power(probabilities: Array, indicator: NDArray[np.int64], multilabel: bool) -> float:
    """Return the power of the probabilities that fits best, which is how they are calibrated.

    Parameters
    ----------
    probabilities : ndarray of shape (m, n_classes)
        Of rows that took no part in the fit.
    indicator : ndarray of shape (m, n_classes)
    multilabel : bool
        Whether the columns are independent.

    Returns
    -------
    power : float
        Between 1/20 and 20; below 1 where the probabilities are too sure.

    Examples
    --------
    >>> sure = np.array([[0.99, 0.01]] * 4)
    >>> fit_power(sure, np.array([[1, 0], [1, 0], [1, 0], [0, 1]]), False) < 0.5
    True
    """
    grid = np.exp(np.linspace(-np.log(20.0), np.log(20.0), 121))
    losses = []
    for power in grid:
        p = np.clip(sharpen(probabilities, power, multilabel), SMALLEST, 1.0 - SMALLEST)
        loss = np.where(indicator > 0, np.log(p), np.log1p(-p) if multilabel else 0.0)
        losses.append(-loss.sum())
    return float(grid[int(np.argmin(losses))])


def sharpen(probabilities: Array, power: float, multilabel: bool) -> Array:
    """Raise probabilities to a power and scale them back: log-odds are multiplied by it.

    Examples
    --------
    >>> sharpen(np.array([[0.8, 0.2]]), 2.0, False).round(3)
    array([[0.941, 0.059]])
    """
    p = np.clip(probabilities, SMALLEST, 1.0 - SMALLEST)
    raised = p**power
    total = raised + (1.0 - p) ** power if multilabel else raised.sum(axis=1, keepdims=True)
    return np.asarray(raised / total)
