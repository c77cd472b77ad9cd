"""The search of `HyperbolicClassifier`: candidates, successive halving, and their average."""

import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import side_by_side
from hyplane.classifiers._calibration import couple
from hyplane.classifiers.forest import HyperbolicForestClassifier
from hyplane.classifiers.kernel_logistic import HyperbolicKernelLogisticRegression
from hyplane.classifiers.kernel_svc import HyperbolicKernelSVC
from hyplane.classifiers.logistic import HyperbolicLogisticRegression
from hyplane.classifiers.neighbors import HyperbolicKNeighborsClassifier
from hyplane.classifiers.svc_cv import HyperbolicSVCCV
from hyplane.features import scale_gamma
from hyplane.metrics import macro_average

FAMILY = ("logistic", "kernel", "neighbors", "forest", "svm")
# At least this many candidates reach the end, and at most this many are averaged.
FINALISTS = 6


@dataclass(eq=False)
class Candidate:
    """A classifier that is not fitted, and what its fits say of the rows left out.

    Candidates of the same ``path`` differ in C alone, and only one of them reaches the end.
    ``probabilities`` are nan for rows that were not left out yet.
    """

    name: str
    estimator: Any
    path: str = ""
    probabilities: Array = field(default_factory=lambda: np.empty((0, 0)))
    n_folds: int = 0
    seconds: float = 0.0


def candidates(
    family: Iterable[str],
    X: Array,
    n_train: int,
    multi_class: bool,
    seed: int,
    chart: dict[str, Any],
) -> list[Candidate]:
    """Return the classifiers to choose from, where ``n_train`` rows are fitted at least.

    The grids are wide, since weak candidates leave after a fold or two.
    """
    found = []
    if "logistic" in family:
        found += [
            Candidate(
                f"logistic regression, {kind}, C={C:g}",
                HyperbolicLogisticRegression(C, surface=surface, tol=1e-4, **chart),
                f"logistic, {kind}",
            )
            for surface, kind in (("any", "any boundary"), ("hyperplane", "hyperplanes"))
            for C in (0.1, 1.0, 10.0, 100.0)
        ]
    if "kernel" in family:
        # Wide kernels with large C were best on one set, narrow ones on others.
        widths = {
            "secant": (0.2, 1.0, 4.0),
            "laplacian": (0.3, 1.0),
            "tangent_rbf": (0.3, 1.0, 3.0),
        }
        logistic = HyperbolicKernelLogisticRegression(
            n_landmarks=500, tol=1e-4, random_state=seed, **chart
        )
        # The hinge loss is often more accurate where log loss prefers the logistic one. The RBF in
        # the ball made SVMs better on tables that were mapped to the ball, and logistic regression
        # not.
        svm = HyperbolicKernelSVC(decision_function_shape="ovo", **chart)
        svm_widths = {**widths, "ball_rbf": (0.5, 1.0, 2.0, 8.0)}
        found += [
            Candidate(
                f"kernel {kind}, {kernel}, γ={gamma:.3g}, C={C:g}",
                clone(estimator).set_params(C=C, kernel=kernel, gamma=gamma),
                f"{kind}, {kernel}, {gamma}",
            )
            for kind, estimator, kernels, Cs in (
                ("logistic regression", logistic, widths, (3.0, 30.0, 300.0)),
                ("SVM", svm, svm_widths, (1.0, 10.0, 100.0)),
            )
            for kernel, factors in kernels.items()
            for gamma in np.multiply(factors, scale_gamma(X, kernel, **chart)).tolist()
            for C in Cs
        ]
    if "neighbors" in family:
        found += [
            Candidate(
                f"{k} nearest neighbour{'s' * (k > 1)}", HyperbolicKNeighborsClassifier(k, **chart)
            )
            for k in (1, 5, 15, 40)
            if k == 1 or 2 * k <= n_train
        ]
    if "forest" in family:
        found += [
            Candidate(
                f"forest on horofunctions, leaves of {leaf} or more",
                HyperbolicForestClassifier(min_samples_leaf=leaf, random_state=seed, **chart),
            )
            for leaf in (1, 3)
        ]
    if "svm" in family:
        svm_cv = HyperbolicSVCCV(
            (0.1, 1.0, 10.0), cv=3, score_function="auto", random_state=seed, **chart
        )
        kinds = (
            {"ovo": "one-vs-one", "ovr": "one-vs-rest"} if multi_class else {"ovr": "one-vs-rest"}
        )
        found += [
            Candidate(f"hyperbolic SVM, {name}", clone(svm_cv).set_params(multi_class=kind))
            for kind, name in kinds.items()
        ]
    return found


def _groups(found: Iterable[Candidate]) -> list[list[Candidate]]:
    """Return candidates that share their work, in the order of C."""
    groups: dict[Any, list[Candidate]] = {}
    for each in found:
        shared = each.path and hasattr(each.estimator, "fit_path")
        groups.setdefault(each.path if shared else each, []).append(each)
    return [
        sorted(group, key=lambda each: each.estimator.C) if len(group) > 1 else group
        for group in groups.values()
    ]


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


def deal_folds(
    codes: NDArray[np.integer[Any]], n_folds: int, rng: np.random.RandomState, few: int = 200
) -> NDArray[np.int64]:
    """Deal the rows of each class evenly to folds; twice where there are few rows.

    The result has one row for each of both times.
    """
    folds = np.empty((2 if len(codes) < few else 1, len(codes)), dtype=np.int64)
    for each in folds:
        order = rng.permutation(len(codes))
        each[order[np.argsort(codes[order], kind="stable")]] = np.arange(len(codes)) % n_folds
    return folds


class SuccessiveHalving:
    """The rows and folds on which candidates are compared.

    Parameters
    ----------
    X : ndarray of shape (m, n_columns)
    y : ndarray of int of shape (m,) or (m, n_labels)
        Numbers of the classes, or an indicator matrix.
    folds : ndarray of int of shape (n_repeats, m)
        The fold that leaves each row out, in each repetition.
    weights : ndarray of shape (m,), default=None
        Weights of the rows, in fits and in scores.
    max_seconds : float, default=inf
        Time after which no further fit begins.
    n_jobs : int, default=None
        Threads that fit candidates.
    verbose : int, default=0
        Whether to write a line for each fit to the standard error.
    """

    def __init__(
        self,
        X: Array,
        y: NDArray[np.integer[Any]],
        folds: NDArray[np.int64],
        weights: Array | None = None,
        *,
        max_seconds: float = np.inf,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.X, self.y, self.folds, self.weights = X, y, folds, weights
        self.deadline = time.monotonic() + max_seconds
        self.n_jobs, self.verbose = n_jobs, verbose
        self.multilabel = y.ndim == 2
        indicator = y if self.multilabel else np.eye(int(y.max()) + 1, dtype=np.int64)[y]
        # All repetitions, one after the other.
        self.indicator = np.tile(indicator, (len(folds), 1))
        self.row_weights = np.tile(np.ones(len(X)) if weights is None else weights, len(folds))

    def run(
        self, found: Sequence[Candidate], cut: int = 3, enough_rows: int = 30
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Return those that reached the end and the others, each list the best first.

        After each fold the best third of those that remain goes on, at least six: those of the
        lowest log loss. Of those that differ in C alone only the best goes on: an average of near
        copies is no better than one of them. No candidate leaves before it was tried on 30 rows: on
        development data of 40 to 60 rows this raised the likelihood of the average, though within
        noise; twice as many rows changed nothing.
        """
        remaining = list(found)
        for each in remaining:
            each.probabilities = np.full(self.indicator.shape, np.nan)
        n_folds = int(self.folds.max()) + 1
        for number in range(len(self.folds) * n_folds):
            if len(remaining) > FINALISTS and len(self.tried(remaining[:1])) >= enough_rows:
                best: dict[Any, Candidate] = {}
                for each in sorted(remaining, key=self.loss):
                    best.setdefault(each.path or each, each)
                remaining = list(best.values())[: max(FINALISTS, -(-len(remaining) // cut))]
            tasks = [(group, *divmod(number, n_folds)) for group in _groups(remaining)]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of iterations that ran out, of classes of one row
                in_time = side_by_side(self._try, tasks, self.n_jobs)
            if not all(in_time):
                break
        remaining = [each for each in remaining if each.n_folds]
        if not remaining:
            raise ValueError("max_seconds is too short for a single fit: raise it.")
        others = [each for each in found if each.n_folds and each not in remaining]
        return sorted(remaining, key=self.loss), sorted(others, key=self.loss)

    def _try(self, group: Sequence[Candidate], repeat: int, fold: int) -> bool:
        """Fit on all other folds and predict this one, if there is time; return whether."""
        if time.monotonic() > self.deadline:
            return False
        out = self.folds[repeat] == fold
        rows = repeat * len(self.X) + np.flatnonzero(out)
        weights = None if self.weights is None else self.weights[~out]
        start = time.perf_counter()
        models = fit_together(group, self.X[~out], self.y[~out], weights)
        predicted = [probabilities_of(model, self.X[out]) for model in models]
        seconds = (time.perf_counter() - start) / len(group)
        for each, model, probabilities in zip(group, models, predicted, strict=True):
            each.seconds += seconds
            each.n_folds += 1
            # Classes that the training part lacks have probability 0.
            each.probabilities[rows] = 0.0
            each.probabilities[np.ix_(rows, model.classes_)] = probabilities
            if self.verbose:
                found = f"log loss {self.loss(each):.4f} after {each.n_folds} folds"
                sys.stderr.write(f"{each.name}: {found}, {seconds:.2f} s\n")
        return True

    def stack(
        self, found: Sequence[Candidate]
    ) -> tuple[list[Candidate], Array, NDArray[np.float64], float]:
        """Return the average that is most likely, by the rows that all were tried on.

        It has candidates, the one of the largest weight first; their weights, with sum 1; the
        powers that calibrate their probabilities; and the power that calibrates the average.
        """
        rows = self.tried(found)
        truth, row_weights = self.indicator[rows], self.row_weights[rows]
        calibrated, powers = zip(*(self._calibrated(each, rows) for each in found), strict=True)
        seen = np.array([likelihood(each, truth, self.multilabel) for each in calibrated])
        weights = stacking_weights(seen, row_weights)
        order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]
        average = np.tensordot(weights, np.array(calibrated), 1)
        power = fit_power(average, truth, self.multilabel, row_weights)
        return [found[k] for k in order], weights[order], np.array(powers)[order], power

    def tried(self, found: Sequence[Candidate]) -> NDArray[np.intp]:
        """Return the rows that all these candidates were tried on."""
        return np.flatnonzero(~np.isnan(sum(each.probabilities[:, 0] for each in found)))

    def _calibrated(self, each: Candidate, rows: NDArray[np.intp]) -> tuple[Array, float]:
        found, truth = each.probabilities[rows], self.indicator[rows]
        power = fit_power(found, truth, self.multilabel, self.row_weights[rows])
        return sharpen(found, power, self.multilabel), power

    def loss(self, each: Candidate) -> float:
        """Return the log loss of the calibrated probabilities of the rows tried."""
        rows = self.tried([each])
        seen = likelihood(self._calibrated(each, rows)[0], self.indicator[rows], self.multilabel)
        # A floor, since a single row must not decide.
        return log_loss(seen, self.row_weights[rows], floor=1e-6)

    def accuracy(self, each: Candidate) -> float:
        """Return the share of right rows, or labels, among those tried."""
        rows = self.tried([each])
        found, truth = each.probabilities[rows], self.indicator[rows] > 0
        right = ((found > 0.5) == truth).mean(axis=1)
        if not self.multilabel:
            right = truth[np.arange(len(truth)), found.argmax(axis=1)]
        return float(np.average(right, weights=self.row_weights[rows]))

    def precision(self, each: Candidate) -> float:
        """Return the mean average precision of the classes on the rows tried."""
        rows = self.tried([each])
        found, weights = each.probabilities[rows], self.row_weights[rows]
        return macro_average(self.indicator[rows], found, sample_weight=weights)


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


def likelihood(probabilities: Array, indicator: NDArray[np.int64], multilabel: bool) -> Array:
    """Return the probabilities of the true classes: one per row, or one per row and label."""
    if multilabel:
        return np.asarray(np.where(indicator > 0, probabilities, 1.0 - probabilities).ravel())
    return np.asarray(np.where(indicator > 0, probabilities, 0.0).sum(axis=1))


def log_loss(seen: Array, row_weights: Array, floor: float) -> float:
    """Return the mean of ``-log`` of likelihoods, none below a floor."""
    weights = np.repeat(row_weights, len(seen) // len(row_weights))
    return -float(np.average(np.log(np.maximum(seen, floor)), weights=weights))


def fit_power(
    probabilities: Array, indicator: NDArray[np.int64], multilabel: bool, row_weights: Array
) -> float:
    """Return the power between 1/20 and 20 that calibrates probabilities of rows left out."""

    def loss(log_power: float) -> float:
        raised = sharpen(probabilities, np.exp(log_power), multilabel)
        seen = likelihood(raised, indicator, multilabel)
        return log_loss(seen, row_weights, floor=np.finfo(np.float64).tiny)

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
    tables of R) 10 to 300 steps were equally good. Weights below a tenth of the largest are 0: each
    member costs a fit.
    """
    found = np.maximum(likelihoods, 1e-6)
    shares = np.repeat(row_weights, found.shape[1] // len(row_weights))
    shares = shares / shares.sum()
    weights = np.full(len(found), 1.0 / len(found))
    for _ in range(steps):
        weights *= found / (weights @ found) @ shares
    weights[weights < 0.1 * weights.max()] = 0.0
    return np.asarray(weights / weights.sum())
