"""The search of `HyperbolicClassifier`: rounds on more and more rows, and the average."""

import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import side_by_side
from hyplane.classifiers._calibration import couple
from hyplane.classifiers._candidates import Candidate
from hyplane.metrics import macro_average
from hyplane.solvers.rows import folds_by_class, random_keys, with_smallest_keys

Ints = NDArray[np.integer[Any]]

# A sample keeps so many rows of each class, all rows of a rarer one.
RARE = 100
# Fewer rows are dealt to folds twice.
FEW_ROWS = 200
# The best of a kind is given up where its log loss is so many times the best one.
HOPELESS = 1.6
# These predict slowly, so they are no second members.
SLOW_KINDS = ("extra trees", "neighbours")


class Round(NamedTuple):
    """Most training rows of a fit, fewest rows to predict, and how many candidates go on.

    With ``each_kind`` the best of each kind is among them: on few rows simple models look better
    than they will on many.
    """

    n_train: int
    n_test: int
    n_kept: int
    each_kind: bool


ROUNDS = (Round(300, 50, 8, True), Round(1500, 200, 4, False), Round(10**9, 600, 4, False))


class Part(NamedTuple):
    """One fold: rows to train on, their weights, and rows to predict."""

    number: int
    train: NDArray[np.intp]
    weights: Array | None
    test: NDArray[np.intp]


def strata_of(codes: Ints) -> Ints:
    """Return the class of each row, or its rarest label; one more class is for rows without."""
    if codes.ndim == 1:
        return codes
    rank = np.argsort(np.argsort(codes.sum(axis=0), kind="stable"))
    return np.asarray(np.where(codes > 0, rank, codes.shape[1]).min(axis=1))


def stratified_sample(
    strata: Ints, size: int, seed: int, weights: Array | None = None
) -> tuple[NDArray[np.intp], Array | None]:
    """Draw about ``size`` rows, with each class's share of them, and all rows of rare classes.

    Returns the rows in their order and their weights, by which the classes have their shares of all
    rows; None where they have them without. Where there are many classes, fewer than `RARE` rows of
    each are certain.
    """
    counts = np.bincount(strata)
    fewest = min(RARE, size // (2 * int(np.count_nonzero(counts))))
    wanted = np.minimum(counts, np.maximum(-(-counts * size // len(strata)), fewest))
    rows = with_smallest_keys(strata, random_keys(np.arange(len(strata)), seed), wanted)
    of_class = (counts / np.maximum(wanted, 1))[strata[rows]]
    if weights is not None:
        return rows, weights[rows] * of_class
    kept_shares = of_class.max() < 1.2 * of_class.min()
    return rows, None if kept_shares else of_class / of_class.mean()


@dataclass(eq=False)
class Search:
    """The rows and folds on which candidates are compared.

    Parameters
    ----------
    X : ndarray of shape (m, n_columns)
    y : ndarray of int of shape (m,) or (m, n_labels)
        Numbers of the classes, or an indicator matrix.
    n_folds, seed : int
    weights : ndarray of shape (m,), default=None
        Weights of the rows in scores.
    weighted_fits : bool, default=True
        Whether fits have them too. Otherwise the probabilities are corrected for the shares of the
        classes in a sample, with which boosting takes a tenth of the time.
    max_seconds : float or None, default=None
        Time after which no further candidate is tried, but for the first.
    n_jobs : int, default=None
        Threads that fit candidates.
    verbose : int, default=0
        Whether to write a line for each candidate and round to the standard error.
    rounds : sequence of Round
        The rounds of the search.
    """

    X: Array
    y: Ints
    n_folds: int
    seed: int
    weights: Array | None = None
    weighted_fits: bool = True
    max_seconds: float | None = None
    n_jobs: int | None = None
    verbose: int = 0
    rounds: Sequence[Round] = ROUNDS
    cut: bool = False
    certain: Candidate | None = None  # is tried at any time

    def __post_init__(self) -> None:
        self.deadline = time.monotonic() + (self.max_seconds or np.inf)
        self.multilabel = self.y.ndim == 2
        self.strata = strata_of(self.y)
        seeds = range(self.seed, self.seed + 1 + (len(self.X) < FEW_ROWS))
        self.folds = [folds_by_class(self.strata, self.n_folds, seed) for seed in seeds]
        indicator = self.y if self.multilabel else np.eye(int(self.y.max()) + 1, dtype=int)[self.y]
        # All repetitions, one after the other.
        self.indicator = np.tile(indicator, (len(seeds), 1))
        row_weights = np.ones(len(self.X)) if self.weights is None else self.weights
        self.row_weights = np.tile(row_weights, len(seeds))

    def run(self, found: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates that reached the last round, the best first.

        Each round has fits on more rows than the one before, of fewer candidates: those of the
        lowest log loss. Of candidates that differ in C alone the best goes on.
        """
        remaining, self.certain = list(found), found[0]
        for each in remaining:
            each.probabilities = np.full(self.indicator.shape, np.nan)
        for number, settings in enumerate(self.rounds, 1):
            parts = list(self._parts(settings))
            tasks = [(group, parts, number) for group in _groups(remaining)]
            with _collected_warnings():
                in_time = side_by_side(self._try, tasks, self.n_jobs)
            tried = [each for task in compress(tasks, in_time) for each in task[0]]
            remaining = sorted(tried or remaining, key=lambda each: each.log_loss)
            self.certain = None
            if self.cut:
                break
            if number < len(self.rounds):
                remaining = _best(remaining, settings, number)
        return remaining

    def _parts(self, settings: Round) -> Iterator[Part]:
        """Yield folds until enough rows are predicted, with samples of the rows to train on."""
        n_test = 0
        for number in range(len(self.folds) * self.n_folds):
            repeat, fold = divmod(number, self.n_folds)
            out = self.folds[repeat] == fold
            rows = np.flatnonzero(~out)
            given = None if self.weights is None else self.weights[rows]
            kept, weights = stratified_sample(self.strata[rows], settings.n_train, self.seed, given)
            yield Part(number, rows[kept], weights, np.flatnonzero(out))
            n_test += int(np.count_nonzero(out))
            if n_test >= settings.n_test:
                return

    def _try(self, group: Sequence[Candidate], parts: Sequence[Part], number: int) -> bool:
        """Fit and predict the folds, if there is time; return whether."""
        first = group[0]
        if time.monotonic() > self.deadline and first is not self.certain:
            self.cut = True
            return False
        _trying.set(first)
        start = time.perf_counter()
        for part in parts:
            if first.fitted.get(part.number) == len(part.train):
                continue  # the round before had the same rows
            rows = part.number // self.n_folds * len(self.X) + part.test
            y, weights = self.y[part.train], part.weights if self.weighted_fits else None
            for each, model in zip(
                group, fit_together(group, self.X[part.train], y, weights), strict=True
            ):
                # Classes that the training part lacks have probability 0.
                found = np.zeros((len(rows), self.indicator.shape[1]))
                found[:, model.classes_] = probabilities_of(model, self.X[part.test])
                if part.weights is not None and weights is None:
                    found *= np.bincount(y, part.weights, found.shape[1]) / np.maximum(
                        np.bincount(y, minlength=found.shape[1]), 1
                    )
                    found /= found.sum(axis=1, keepdims=True)
                each.probabilities[rows] = found
                each.fitted[part.number] = len(part.train)
        for each in group:
            each.seconds += (time.perf_counter() - start) / len(group)
            each.warning = each.warning or first.warning
            self._score(each)
            if self.verbose:
                scores = f"log loss {each.log_loss:.4f}, accuracy {each.accuracy:.3f}"
                sys.stderr.write(f"round {number}: {each.name}: {scores}, {each.seconds:.2f} s\n")
        return True

    def _score(self, each: Candidate) -> None:
        """Set the measures of the rows that were left out so far."""
        rows = self.tried([each])
        weights, truth = self.row_weights[rows], self.indicator[rows]
        found, _ = self._calibrated(each, rows)
        # A floor, since a single row must not decide.
        losses = -np.log(np.maximum(likelihood(found, truth, self.multilabel), 1e-6))
        each.log_loss = weighted_mean(losses, weights)
        right = ((found > 0.5) == (truth > 0)).mean(axis=1)
        if not self.multilabel:
            right = truth[np.arange(len(truth)), found.argmax(axis=1)]
        each.accuracy = weighted_mean(right, weights)
        each.average_precision = macro_average(truth, found, sample_weight=weights)

    def tried(self, found: Sequence[Candidate]) -> NDArray[np.intp]:
        """Return the rows that all these candidates were tried on."""
        return np.flatnonzero(~np.isnan(sum(each.probabilities[:, 0] for each in found)))

    def _calibrated(self, each: Candidate, rows: NDArray[np.intp]) -> tuple[Array, float]:
        found, truth = each.probabilities[rows], self.indicator[rows]
        power = fit_power(found, truth, self.multilabel, self.row_weights[rows])
        return sharpen(found, power, self.multilabel), power

    def average(self, finalists: Sequence[Candidate]) -> tuple[list[Candidate], Array, float]:
        """Return the members of an average, their powers, and the power of the average.

        There are two members at most, for the time of predictions. The best finalist is the first.
        One of another kind joins it where the gain in log loss is more than its standard error and
        a tenth of that of the log loss itself, which near copies do not reach. The powers calibrate
        probabilities.
        """
        rows = self.tried(finalists)
        truth, row_weights = self.indicator[rows], self.row_weights[rows]
        calibrated, powers = zip(*(self._calibrated(each, rows) for each in finalists), strict=True)
        seen = np.array([likelihood(each, truth, self.multilabel) for each in calibrated])
        seen = np.maximum(seen, 1e-6)
        enough = 0.1 * standard_error(np.log(seen[0]), row_weights)
        members, weights = [0], np.ones(1)
        for k, each in enumerate(finalists[1:], 1):
            if len(members) == 2 or each.kind in (finalists[0].kind, *SLOW_KINDS):
                each.end = f"left after round {len(self.rounds)}: place {k + 1}"
                continue
            both = stacking_weights(seen[[0, k]], row_weights)
            gain = np.log(both @ seen[[0, k]]) - np.log(seen[0])
            if weighted_mean(gain, row_weights) > standard_error(gain, row_weights) + enough:
                members, weights = [0, k], both
            else:
                each.end = "left: it adds less than the noise of cross validation"
        chosen = np.array(members)[np.argsort(-weights, kind="stable")]
        for k, weight in zip(members, weights.tolist(), strict=True):
            finalists[k].weight, finalists[k].end = weight, f"chosen, weight {weight:.2f}"
        average = sum(finalists[k].weight * calibrated[k] for k in chosen)
        power = fit_power(average, truth, self.multilabel, row_weights)
        return [finalists[k] for k in chosen], np.array(powers)[chosen], power


_trying: ContextVar[Candidate] = ContextVar("_trying")


@contextmanager
def _collected_warnings() -> Iterator[None]:
    """Keep the first warning of each candidate with it, instead of showing it.

    The candidate is that of the thread; `warnings.catch_warnings` in threads would mix them up.
    """

    def keep(message: Warning | str, *_: Any, **__: Any) -> None:
        each = _trying.get()
        each.warning = each.warning or str(message)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = keep
        yield


def _best(ranked: Sequence[Candidate], settings: Round, number: int) -> list[Candidate]:
    """Return the candidates that go on, and note of the others why they do not."""
    of_path: dict[Any, Candidate] = {}
    for each in ranked:
        best = of_path.setdefault(each.path or each, each)
        if best is not each:
            each.end = f"left after round {number}: C={best.estimator.C:g} is better"
    ranked = list(of_path.values())
    first_of_kind = {each.kind: each for each in reversed(ranked)}
    near = HOPELESS * ranked[0].log_loss
    kept = [each for each in first_of_kind.values() if settings.each_kind and each.log_loss < near]
    kept += [each for each in ranked if each not in kept][: max(0, settings.n_kept - len(kept))]
    for place, each in enumerate(ranked, 1):
        each.end = (
            "tried to the end" if each in kept else f"left after round {number}: place {place}"
        )
    return [each for each in ranked if each in kept]


def _groups(found: Iterable[Candidate]) -> list[list[Candidate]]:
    """Return candidates that share their work."""
    groups: dict[Any, list[Candidate]] = {}
    for each in found:
        shared = each.path and hasattr(each.estimator, "fit_path")
        groups.setdefault(each.path if shared else each, []).append(each)
    return list(groups.values())


def fit_together(
    group: Sequence[Candidate], X: Array, y: NDArray[Any], weights: Array | None
) -> list[Any]:
    """Fit candidates that differ in C alone, or one."""
    estimator = group[0].estimator
    weighted = weights is not None and has_fit_parameter(estimator, "sample_weight")
    extra = {"sample_weight": weights} if weighted else {}
    if len(group) == 1:
        return [clone(estimator).fit(X, y, **extra)]
    path: list[Any] = estimator.fit_path(X, y, [each.estimator.C for each in group], **extra)
    return path


def probabilities_of(model: Any, X: ArrayLike, slope: float = 2.0) -> Array:
    """Return the probabilities of the classes, also of a kernel SVC, which has only scores.

    ``slope`` is log-odds per unit of score, before the calibration by `fit_power`. On development
    data the results of 1 to 4 were within noise.
    """
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    scores = slope * model.decision_function(X)
    if scores.ndim == 1:
        return np.asarray(expit(np.column_stack([-scores, scores])))
    if model.decomposition_ == "multilabel":
        return np.asarray(expit(scores))
    return couple(expit(-scores), len(model.classes_))  # positive for the first of a pair


def likelihood(probabilities: Array, indicator: Ints, multilabel: bool) -> Array:
    """Return the probabilities of the true classes: one per row, or one per row and label."""
    if multilabel:
        return np.asarray(np.where(indicator > 0, probabilities, 1.0 - probabilities).ravel())
    return np.asarray(np.where(indicator > 0, probabilities, 0.0).sum(axis=1))


def weighted_mean(values: Array, row_weights: Array) -> float:
    """Return the mean of values, of which there may be several in each row."""
    return float(np.average(values.reshape(len(row_weights), -1).mean(axis=1), weights=row_weights))


def standard_error(values: Array, row_weights: Array) -> float:
    """Return the standard error of their weighted mean, over rows."""
    of_rows = values.reshape(len(row_weights), -1).mean(axis=1)
    shares = row_weights / row_weights.sum()
    return float(np.sqrt((shares**2) @ (of_rows - shares @ of_rows) ** 2))


def fit_power(probabilities: Array, indicator: Ints, multilabel: bool, row_weights: Array) -> float:
    """Return the power between 1/20 and 20 that calibrates probabilities of rows left out."""

    def loss(log_power: float) -> float:
        raised = sharpen(probabilities, np.exp(log_power), multilabel)
        seen = likelihood(raised, indicator, multilabel)
        return -weighted_mean(np.log(np.maximum(seen, np.finfo(np.float64).tiny)), row_weights)

    bounds = (-np.log(20.0), np.log(20.0))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 0.01})
    return float(np.exp(found.x))


def sharpen(probabilities: Array, power: float, multilabel: bool) -> Array:
    """Raise probabilities to a power and scale them back: log-odds are multiplied by it."""
    p = np.clip(probabilities, 1e-12, 1.0 - 1e-12)
    raised = p**power
    total = raised + (1.0 - p) ** power if multilabel else raised.sum(axis=1, keepdims=True)
    return np.asarray(raised / total)


def stacking_weights(likelihoods: Array, row_weights: Array, steps: int = 30) -> Array:
    """Return weights of classifiers whose average makes the true classes likely.

    Steps of the EM algorithm for the weights of a mixture. Few steps from equal weights: near-equal
    classifiers keep near-equal weights. On development data (Gaussians, trees, planted networks,
    tables of R) 10 to 300 steps were equally good.
    """
    found = np.maximum(likelihoods, 1e-6)
    shares = np.repeat(row_weights, found.shape[1] // len(row_weights))
    shares = shares / shares.sum()
    weights = np.full(len(found), 1.0 / len(found))
    for _ in range(steps):
        weights *= found / (weights @ found) @ shares
    return np.asarray(weights / weights.sum())
