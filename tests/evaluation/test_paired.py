"""Paired tests."""

import numpy as np
import pytest
from scipy import stats

from hyplane.evaluation import paired_t_test


def test_paired_test_is_that_of_scipy():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.1, 1, 30), rng.normal(0, 1, 30)
    test, expected = paired_t_test(a, b), stats.ttest_rel(a, b, alternative="greater")
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert test.statistic == pytest.approx(expected.statistic, rel=1e-12)
    interval = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (test.low, test.high) == pytest.approx((interval.low, interval.high), rel=1e-12)
    assert test.wins + test.ties + test.losses == 30


def test_trials_on_one_data_set_are_taken_for_less():
    a, b = np.array([0.9, 0.8, 0.85, 0.95, 0.9]), np.array([0.85, 0.8, 0.8, 0.9, 0.88])
    alone, shared = paired_t_test(a, b), paired_t_test(a, b, train_test_ratio=1.0)
    # Variance of the mean (1/n + 1) s² in the place of s²/n.
    assert shared.statistic == pytest.approx(alone.statistic / np.sqrt(6.0))


@pytest.mark.parametrize(
    ("a", "b", "p"), [([1.0, 1.0], [0.0, 0.0], 0.0), ([0.0, 0.0], [1.0, 1.0], 1.0)]
)
def test_differences_without_spread_are_certain(a, b, p):
    assert paired_t_test(a, b).p_value == p


def test_equal_scores_and_single_pairs_have_no_test():
    assert np.isnan(paired_t_test([0.5, 0.6], [0.5, 0.6]).p_value)
    assert np.isnan(paired_t_test([0.5], [0.4]).p_value)
