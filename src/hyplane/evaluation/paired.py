"""Paired comparisons, and means with their spread."""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from sklearn.utils import check_array, check_consistent_length

from hyplane._utils.typing import ArrayLike, finite_float


@dataclass(frozen=True)
class PairedTest:
    """A paired t-test of whether the first of two methods scores higher.

    Attributes
    ----------
    n : int
        Number of pairs.
    difference : float
        Mean of first minus second.
    low, high : float
        Confidence interval of 95 % of that mean.
    statistic, p_value : float
        Student's t and the one-sided probability; nan for a single pair.
    wins, ties, losses : int
        Pairs in which the first is higher, equal, lower.

    Examples
    --------
    >>> test = paired_t_test([0.9, 0.8, 0.7], [0.8, 0.75, 0.6])
    >>> test.n, round(test.difference, 3), test.low < test.difference < test.high
    (3, 0.083, True)
    """

    n: int
    difference: float
    low: float
    high: float
    statistic: float
    p_value: float
    wins: int
    ties: int
    losses: int


def paired_t_test(
    first: ArrayLike, second: ArrayLike, *, train_test_ratio: float | None = None
) -> PairedTest:
    """Test whether the first method scores higher than the second, pair by pair.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Scores on the same data sets, or in the same trials.
    train_test_ratio : float, optional
        For trials on one data set, which share their rows and are not independent: the number of
        training rows divided by that of test rows, 1 for halves. The variance of the mean is then
        enlarged by the rule of Nadeau and Bengio.

    Returns
    -------
    test : PairedTest

    References
    ----------
    Nadeau, Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> test = paired_t_test([0.9, 0.8, 0.7], [0.8, 0.75, 0.6])
    >>> test.wins, round(test.p_value, 3)
    (3, 0.019)
    """
    a = np.asarray(check_array(first, dtype=np.float64, ensure_2d=False, input_name="first"))
    b = np.asarray(check_array(second, dtype=np.float64, ensure_2d=False, input_name="second"))
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"scores are lists of numbers; got shapes {a.shape} and {b.shape}.")
    check_consistent_length(a, b)
    ratio = None if train_test_ratio is None else finite_float(train_test_ratio)
    if train_test_ratio is not None and (ratio is None or not ratio > 0.0):
        raise ValueError(f"train_test_ratio must be a positive number; got {train_test_ratio!r}.")
    difference = a - b
    n = len(difference)
    mean = float(difference.mean())
    low = high = statistic = p_value = np.nan
    if n > 1:
        share = 1.0 / n + (0.0 if ratio is None else 1.0 / ratio)
        error = float(np.sqrt(difference.var(ddof=1) * share))
        low, high = mean + np.array([-1.0, 1.0]) * error * stats.t.ppf(0.975, n - 1)
        # Without any spread t is infinite, or undefined where nothing differs at all.
        statistic = mean / error if error > 0 else (np.inf * np.sign(mean) if mean else np.nan)
        p_value = stats.t.sf(statistic, n - 1)
    return PairedTest(
        n=n,
        difference=mean,
        low=float(low),
        high=float(high),
        statistic=float(statistic),
        p_value=float(p_value),
        wins=int((difference > 0).sum()),
        ties=int((difference == 0).sum()),
        losses=int((difference < 0).sum()),
    )
