"""Scores as probabilities: a sigmoid or a rising curve per problem, and the coupling of pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit, softmax
from sklearn.isotonic import IsotonicRegression

from hyplane._utils.typing import Array, ArrayLike, Mask

# Log-odds per standard deviation of the scores. A sigmoid must not fall, nor be so flat that the
# order of the scores is lost to rounding.
SMALLEST_SLOPE = 1e-3
# Pairwise probabilities are kept this far from 0 and 1, as libsvm does, so that they couple.
SMALLEST_PAIRWISE = 1e-7
# Newton's method needs about ten, since the scores are first scaled to size 1.
MOST_NEWTON_STEPS = 100
MOST_HALVINGS = 34  # of one step
# Numbers in one batch of linear systems.
BATCH_SIZE = 1_000_000


@dataclass(frozen=True)
class Sigmoids:
    r"""Sigmoids :math:`1 / (1 + \exp(-(\text{slope}\, f + \text{intercept})))`, one per problem.

    Attributes
    ----------
    slope, intercept : ndarray of shape (n_problems,)
        The slopes are not negative: a higher score never means a lower probability.
    """

    slope: Array
    intercept: Array

    @classmethod
    def of(cls, sigmoids: Iterable[tuple[float, float]]) -> Self:
        """Stack pairs of slope and intercept."""
        slope, intercept = np.array(list(sigmoids), dtype=np.float64).T
        return cls(slope, intercept)

    def log_odds(self, scores: Array) -> Array:
        """Log-odds of the positive class, of the shape of the scores: (m, n_problems)."""
        return scores * self.slope + self.intercept


@dataclass(frozen=True)
class IsotonicCurves:
    """Rising curves through a few points each, one per problem; constant beyond the outer points.

    Attributes
    ----------
    scores, log_odds_at : ndarray of shape (n_problems, n_points)
        The points of each curve, none of them falling. Shorter curves repeat their last point.
    """

    scores: Array
    log_odds_at: Array

    @classmethod
    def of(cls, curves: Iterable[tuple[ArrayLike, ArrayLike]]) -> Self:
        """Stack pairs of scores and log-odds."""
        pairs = [np.atleast_2d(np.asarray(curve, dtype=np.float64).T) for curve in curves]
        longest = max(map(len, pairs))
        places = [np.minimum(np.arange(longest), len(each) - 1) for each in pairs]
        stacked = np.stack([each[place] for each, place in zip(pairs, places, strict=True)])
        return cls(stacked[..., 0].copy(), stacked[..., 1].copy())

    def log_odds(self, scores: Array) -> Array:
        """Log-odds of the positive class, of the shape of the scores: (m, n_problems)."""
        points = zip(scores.T, self.scores, self.log_odds_at, strict=True)
        return np.column_stack([np.interp(*each) for each in points])


def fit_sigmoid(
    scores: Array, labels: NDArray[np.int8], sample_weight: Array | None = None
) -> tuple[float, float]:
    """Fit Platt's sigmoid to scores and labels.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Scores of rows that took no part in the fit, finite.
    labels : ndarray of shape (m,)
        1 and -1.
    sample_weight : ndarray of shape (m,), default=None
        Weights of the rows.

    Returns
    -------
    slope, intercept : float
        Of the log-odds ``slope * score + intercept``.

    Notes
    -----
    The targets are Platt's, (N₊ + 1) / (N₊ + 2) and 1 / (N₋ + 2), not 1 and 0. Where the best
    sigmoid would fall, as it may for a class of a few rows, the flattest one that rises is taken:
    its probabilities are practically the share of the class.

    References
    ----------
    Platt (1999). Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods. Advances in Large Margin Classifiers.

    Lin, Lin, Weng (2007). A note on Platt's probabilistic outputs for support vector machines.
    Machine Learning 68.

    Examples
    --------
    >>> slope, intercept = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1, -1, 1, 1]))
    >>> round(slope, 3), abs(round(intercept, 3))
    (0.674, 0.0)
    """
    # Scores of one size, so that no product over- or underflows.
    center = float(np.average(scores, weights=sample_weight))
    spread = float(np.sqrt(np.average((scores - center) ** 2, weights=sample_weight)))
    spread = spread if spread > 0 else 1.0
    standard = (scores - center) / spread
    positive = labels > 0
    targets = smoothed_targets(positive, sample_weight)
    slope, intercept = _newton(standard, targets, sample_weight)
    if slope < SMALLEST_SLOPE:
        slope = SMALLEST_SLOPE
        intercept = _intercept(slope * standard, targets, sample_weight)
    return slope / spread, intercept - slope * center / spread


def fit_isotonic(
    scores: Array, labels: NDArray[np.int8], sample_weight: Array | None = None
) -> tuple[Array, Array]:
    """Fit a rising curve of any shape to scores and labels: its points, as scores and log-odds.

    The targets are Platt's, as in `fit_sigmoid`, so that the log-odds are finite.
    """
    targets = smoothed_targets(labels > 0, sample_weight)
    curve = IsotonicRegression().fit(scores, targets, sample_weight)
    return curve.X_thresholds_, np.asarray(logit(curve.y_thresholds_))


def _newton(scores: Array, targets: Array, sample_weight: Array | None) -> tuple[float, float]:
    """Minimise the cross entropy of targets and sigmoid, a convex function of two numbers.

    Newton's method with halved steps, as in Lin, Lin and Weng (2007).
    """
    # The minimum does not depend on the scale of the weights, and their squares must not overflow.
    weights = np.ones(len(scores)) if sample_weight is None else sample_weight / sample_weight.max()
    columns = np.stack([scores, np.ones(len(scores))])
    mean = float(np.average(targets, weights=weights))
    at = np.array([0.0, np.log(mean) - np.log1p(-mean)])

    def cross_entropy(at: Array) -> float:
        log_odds = at @ columns
        return float(weights @ (np.logaddexp(0.0, log_odds) - targets * log_odds))

    value = cross_entropy(at)
    for _ in range(MOST_NEWTON_STEPS):
        log_odds = at @ columns
        probability = expit(log_odds)
        gradient = columns @ (weights * (probability - targets))
        hessian = (columns * (weights * probability * expit(-log_odds))) @ columns.T
        # Not singular, also where all scores are equal or all probabilities 0 or 1.
        hessian += 1e-12 * (hessian[1, 1] + 1.0) * np.eye(2)
        step = -np.linalg.solve(hessian, gradient)
        predicted = -gradient @ step
        if not predicted > 1e-14 * value:
            break
        for share in 0.5 ** np.arange(MOST_HALVINGS):
            lower = cross_entropy(at + share * step)
            if lower < value - 1e-4 * share * predicted:
                break
        else:
            break
        at, value = at + share * step, lower
    return float(at[0]), float(at[1])


def smoothed_targets(positive: Mask, sample_weight: Array | None = None) -> Array:
    """Return Platt's targets: (N + 1) / (N + 2) for each of the N rows of a class."""
    weights = np.ones(len(positive)) if sample_weight is None else sample_weight
    n_positive, n_negative = weights[positive].sum(), weights[~positive].sum()
    of_positive, of_negative = (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0)
    return np.asarray(np.where(positive, of_positive, of_negative))


def _intercept(log_odds: Array, targets: Array, sample_weight: Array | None) -> float:
    """Find the shift of the log-odds at which the mean probability is the mean target."""
    wanted = np.average(targets, weights=sample_weight)

    def excess(shift: float) -> float:
        return float(np.average(expit(log_odds + shift), weights=sample_weight) - wanted)

    middle = np.log(wanted) - np.log1p(-wanted)
    return float(brentq(excess, middle - log_odds.max() - 1.0, middle - log_odds.min() + 1.0))


def constant_sigmoid(sign: int, n_rows: float) -> tuple[float, float]:
    """Sigmoid of a constant label, Platt's target everywhere; also a curve of one point."""
    return 0.0, sign * float(np.log1p(n_rows))


def normalise(log_odds: Array) -> Array:
    """Divide one-vs-rest probabilities by their sum, row by row.

    Parameters
    ----------
    log_odds : ndarray of shape (m, n_classes)
        Log-odds of each class against the rest.

    Returns
    -------
    probabilities : ndarray of shape (m, n_classes)
        Rows sum to one, also where every single probability is too small for a double.

    Examples
    --------
    >>> normalise(np.array([[0.0, 0.0], [-1e4, -2e4]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return np.asarray(softmax(-np.logaddexp(0.0, -log_odds), axis=1))


def couple(pairwise: Array, n_classes: int) -> Array:
    r"""Couple the probabilities of pairs of classes into those of the classes.

    Parameters
    ----------
    pairwise : ndarray of shape (m, n_classes * (n_classes - 1) / 2)
        Probability of the second class of each pair ``(0, 1), (0, 2), …``.
    n_classes : int
        Three or more.

    Returns
    -------
    probabilities : ndarray of shape (m, n_classes)
        Rows sum to one.

    Notes
    -----
    With :math:`r_{ij}` the probability of i in the pair of i and j, minimises
    :math:`\sum_{i<j} (r_{ji} p_i - r_{ij} p_j)^2` over the rows of sum one: a linear system whose
    solution is positive by itself. libsvm couples by the same rule.

    References
    ----------
    Wu, Lin, Weng (2004). Probability estimates for multi-class classification by pairwise coupling.
    Journal of Machine Learning Research 5, section 4.2.

    Examples
    --------
    >>> couple(np.array([[0.6, 0.75, 2 / 3]]), 3).round(6)  # 0.2 : 0.3 : 0.6, scaled to sum one
    array([[0.181818, 0.272727, 0.545455]])
    """
    pairwise = np.clip(pairwise, SMALLEST_PAIRWISE, 1.0 - SMALLEST_PAIRWISE)
    probabilities = np.empty((len(pairwise), n_classes))
    step = max(1, BATCH_SIZE // (n_classes + 1) ** 2)
    for first in range(0, len(pairwise), step):
        rows = slice(first, first + step)
        probabilities[rows] = _couple(pairwise[rows], n_classes)
    return probabilities


def _couple(pairwise: Array, n_classes: int) -> Array:
    # The conditions of a minimum with a multiplier for the sum: [Q 1; 1' 0] [p; b] = [0; 1].
    system = np.zeros((len(pairwise), n_classes + 1, n_classes + 1))
    system[:, :-1, -1] = system[:, -1, :-1] = 1.0
    above = np.triu(np.ones((n_classes, n_classes), dtype=bool), 1)  # the pairs in their order
    # The probability of the column's class in its pair with the row's.
    of_column = np.zeros((len(pairwise), n_classes, n_classes))
    of_column[:, above] = pairwise
    of_column += above.T * (1.0 - of_column.transpose(0, 2, 1))
    system[:, :-1, :-1] = -of_column * of_column.transpose(0, 2, 1)
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = np.einsum("mij,mij->mi", of_column, of_column)
    right = np.zeros((len(pairwise), n_classes + 1, 1))
    right[:, -1] = 1.0
    solution = np.linalg.solve(system, right)[:, :-1, 0]
    # Rounding may leave a tiny probability below zero.
    solution = np.maximum(solution, np.finfo(float).tiny)
    return np.asarray(solution / solution.sum(axis=1, keepdims=True))


CALIBRATIONS: dict[str, Any] = {"sigmoid": fit_sigmoid, "isotonic": fit_isotonic}
