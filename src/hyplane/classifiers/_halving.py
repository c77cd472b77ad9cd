"""Successive halving: weak candidates leave after a fold, strong ones are tried on all folds."""

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hyplane._utils.typing import Array
from hyplane.classifiers._candidates import Candidate
from hyplane.classifiers._stacking import (
    fit_power,
    likelihood,
    log_loss,
    probabilities_of,
    sharpen,
    stacking_weights,
)
from hyplane.metrics import macro_average

# Fewer rows than this are dealt to folds twice.
FEW_ROWS = 200
# No candidate leaves before it was tried on this many rows. On development data of 40 to 60 rows
# this raised the likelihood of the average, though within noise; twice as many changed nothing.
ENOUGH_ROWS = 30
# After each fold the best third goes on.
CUT = 3
# At least this many candidates reach the end, and at most this many are averaged.
FINALISTS = 6


@dataclass
class Entry:
    """A candidate, and what its fits said of the rows left out.

    Attributes
    ----------
    candidate : Candidate
    probabilities : ndarray of shape (n_repeats * m, n_classes)
        Of the rows left out, by the fits that left them out; nan for folds not tried.
    n_folds : int
        Folds tried.
    seconds : float
        Time spent.
    """

    candidate: Candidate
    probabilities: Array
    n_folds: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Stack:
    """A weighted average of candidates.

    Attributes
    ----------
    entries : list of Entry
        The one of the largest weight first.
    weights : ndarray of shape (n_entries,)
        Positive, with sum 1.
    powers : ndarray of shape (n_entries,)
        They calibrate the probabilities of the entries.
    power : float
        It calibrates the average.
    """

    entries: list[Entry]
    weights: Array
    powers: Array
    power: float


class SuccessiveHalving:
    """The rows and folds on which candidates are compared.

    Parameters
    ----------
    X : ndarray of shape (m, n_columns)
    y : ndarray of shape (m,) or (m, n_labels)
        Class labels, or an indicator matrix.
    indicator : ndarray of shape (m, n_classes)
        1 where a row has the class.
    folds : ndarray of int of shape (n_repeats, m)
        The fold that leaves each row out, in each repetition.
    deadline : float
        Time of `time.monotonic` after which no further fit begins.
    """

    def __init__(
        self,
        X: Array,
        y: NDArray[np.generic],
        indicator: NDArray[np.int64],
        folds: NDArray[np.int64],
        deadline: float,
    ) -> None:
        self.X, self.y, self.folds, self.deadline = X, y, folds, deadline
        self.indicator = np.tile(indicator, (len(folds), 1))
        self.multilabel = y.ndim == 2

    def run(self, candidates: Sequence[Candidate]) -> tuple[list[Entry], list[Entry]]:
        """Return those that reached the end and the others, each list the best first.

        After each fold the best third of those that remain goes on, at least six: those of
        the lowest log loss. Of those that differ in C alone only the best goes on: an average of
        near copies is no better than one of them. With few rows the first cut comes after some
        folds.
        """
        remaining = [Entry(each, np.full(self.indicator.shape, np.nan)) for each in candidates]
        entries = remaining
        for repeat in range(len(self.folds)):
            for fold in range(int(self.folds.max()) + 1):
                remaining = self._best_third(remaining)
                if not all(self._try(group, repeat, fold) for group in groups(remaining)):
                    return self._ended(entries, [each for each in remaining if each.n_folds])
        return self._ended(entries, remaining)

    def _best_third(self, remaining: list[Entry]) -> list[Entry]:
        if len(remaining) <= FINALISTS or len(self.rows(remaining[:1])) < ENOUGH_ROWS:
            return remaining
        best: dict[object, Entry] = {}
        for entry in sorted(remaining, key=self.loss):
            best.setdefault(_path(entry), entry)
        return list(best.values())[: max(FINALISTS, -(-len(remaining) // CUT))]

    def _ended(
        self, entries: list[Entry], finalists: list[Entry]
    ) -> tuple[list[Entry], list[Entry]]:
        if not finalists:
            raise ValueError("max_seconds is too short for a single fit: raise it.")
        last = {id(entry) for entry in finalists}
        others = [entry for entry in entries if entry.n_folds and id(entry) not in last]
        return sorted(finalists, key=self.loss), sorted(others, key=self.loss)

    def _try(self, entries: list[Entry], repeat: int, fold: int) -> bool:
        """Fit on all other folds and predict this one, if there is time; return whether.

        The entries differ in C alone and share the rest of their work, or there is only one.
        """
        if time.monotonic() > self.deadline:
            return False
        out = self.folds[repeat] == fold
        rows = repeat * len(self.X) + np.flatnonzero(out)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of iterations that ran out, of classes of one row
            fitted = fit_together(entries, self.X[~out], self.y[~out])
            found = [probabilities_of(each, self.X[out]) for each in fitted]
        seconds = (time.perf_counter() - start) / len(entries)
        for entry, model, probabilities in zip(entries, fitted, found, strict=True):
            entry.seconds += seconds
            entry.n_folds += 1
            # Classes that the training part lacks have probability 0.
            entry.probabilities[rows] = 0.0
            entry.probabilities[np.ix_(rows, model.classes_)] = probabilities
        return True

    def stack(self, entries: Sequence[Entry]) -> Stack:
        """Return the average of entries that is most likely, by the rows they were all tried on."""
        rows = self.rows(entries)
        truth = self.indicator[rows]
        found, powers = zip(*(self.calibrated(entry, rows) for entry in entries), strict=True)
        weights = stacking_weights(
            np.array([likelihood(each, truth, self.multilabel) for each in found])
        )
        order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]
        average = np.tensordot(weights, np.array(found), 1)
        return Stack(
            [entries[k] for k in order],
            weights[order],
            np.array(powers)[order],
            fit_power(average, truth, self.multilabel),
        )

    def rows(self, entries: Sequence[Entry]) -> NDArray[np.intp]:
        """Return the rows that all these entries were tried on."""
        return np.flatnonzero(~np.isnan(sum(entry.probabilities[:, 0] for entry in entries)))

    def calibrated(self, entry: Entry, rows: NDArray[np.intp]) -> tuple[Array, float]:
        """Return the calibrated probabilities of some rows, and the power that calibrates them."""
        probabilities = entry.probabilities[rows]
        power = fit_power(probabilities, self.indicator[rows], self.multilabel)
        return sharpen(probabilities, power, self.multilabel), power

    def loss(self, entry: Entry) -> float:
        """Return the log loss of the calibrated probabilities of the rows tried."""
        rows = self.rows([entry])
        found = self.calibrated(entry, rows)[0]
        return log_loss(likelihood(found, self.indicator[rows], self.multilabel))

    def accuracy(self, entry: Entry) -> float:
        """Return the share of right rows, or labels, among those tried."""
        rows = self.rows([entry])
        probabilities, truth = entry.probabilities[rows], self.indicator[rows]
        if self.multilabel:
            return float(((probabilities > 0.5) == (truth > 0)).mean())
        return float(truth[np.arange(len(truth)), probabilities.argmax(axis=1)].mean())

    def precision(self, entry: Entry) -> float:
        """Return the mean average precision of the classes on the rows tried."""
        rows = self.rows([entry])
        return macro_average(self.indicator[rows], entry.probabilities[rows])


def groups(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Yield entries that share their work, each group at the place of its first."""
    found: dict[object, list[Entry]] = {}
    for entry in entries:
        shared = hasattr(entry.candidate.estimator, "fit_path")
        found.setdefault(_path(entry) if shared else id(entry), []).append(entry)
    yield from found.values()


def _path(entry: Entry) -> object:
    return entry.candidate.path or id(entry)


def fit_together(entries: Sequence[Entry], X: Array, y: NDArray[np.generic]) -> list[Any]:
    """Fit the candidates of a group."""
    estimators = [entry.candidate.estimator for entry in entries]
    if len(entries) == 1:
        return [clone(estimators[0]).fit(X, y)]
    order = np.argsort([each.C for each in estimators], kind="stable")
    path = estimators[0].fit_path(X, y, [estimators[k].C for k in order])
    return [path[k] for k in np.argsort(order)]


def deal_folds(
    codes: NDArray[np.integer[Any]], n_folds: int, rng: np.random.RandomState
) -> NDArray[np.int64]:
    """Deal rows to folds, stratified by class; twice where there are few rows.

    Returns
    -------
    folds : ndarray of int of shape (n_repeats, m)

    Examples
    --------
    >>> deal_folds(np.array([0, 1] * 40), 5, np.random.RandomState(0)).shape
    (2, 80)
    """
    repeats = 2 if len(codes) < FEW_ROWS else 1
    return np.array([folds_of_classes(codes, n_folds, rng) for _ in range(repeats)])


def folds_of_classes(
    codes: NDArray[np.integer[Any]],
    n_folds: int,
    rng: np.random.RandomState,
) -> NDArray[np.int64]:
    """Deal the rows of each class to folds, at random and as evenly as possible.

    Examples
    --------
    >>> folds = folds_of_classes(np.array([0, 0, 0, 1, 1, 1]), 3, np.random.RandomState(0))
    >>> sorted(folds[:3].tolist()), sorted(folds[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    folds = np.empty(len(codes), dtype=np.int64)
    folds[order] = np.arange(len(codes)) % n_folds
    return folds
