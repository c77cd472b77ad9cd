"""Paired tests and what is said of them."""

import numpy as np
import pytest
from scipy import stats

from hyplane.evaluation import SCORES, paired_t_test
from hyplane.experiments.reading import outcome, read, verdict
from hyplane.experiments.summaries import sum_up_gaussian, sum_up_real


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


def made_up(difference, spread):
    rng = np.random.default_rng(1)
    rows = []
    for number in range(40):
        base = rng.uniform(0.5, 0.8)
        for method, gain in (("hyperbolic", difference), ("euclidean", 0.0)):
            scores = base + gain + spread * rng.normal(size=2)
            for trial, score in enumerate(scores):
                row = {"dataset": f"d{number}", "method": method, "trial": trial}
                rows.append(row | dict.fromkeys(SCORES, float(score)))
    return {**sum_up_gaussian(rows), "quick": False}


@pytest.mark.parametrize(
    ("difference", "favoured", "words"),
    [
        (0.05, "first", ["is reproduced", "is higher than"]),
        (-0.05, "second", ["is not reproduced", "is lower than"]),
        (0.0, "neither", ["is not reproduced", "not clearly different from"]),
    ],
)
def test_the_reading_follows_the_numbers(difference, favoured, words):
    summary = made_up(difference, 0.02)
    assert verdict(summary["tests"][0]) == favoured
    expected = "reproduced" if favoured == "first" else "not reproduced"
    assert outcome("gaussian", summary) == expected
    first, comparison, *_ = read("gaussian", summary)
    assert words[0] in first
    assert words[1] in comparison


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ({"karate": 0.05, "football": 0.06}, "reproduced"),
        ({"karate": -0.04, "football": 0.06}, "partly reproduced"),
        ({"karate": -0.05, "football": -0.06}, "not reproduced"),
    ],
)
def test_real_networks_that_disagree_are_named(gains, expected):
    rng = np.random.default_rng(2)
    rows = []
    for network, gain in gains.items():
        for number in range(5):
            for features, method, lead in (
                ("hyperbolic", "hyperbolic", gain),
                ("hyperbolic", "euclidean", 0.0),
                ("deepwalk-2", "euclidean", -0.1),
            ):
                row = {"dataset": f"{network}-{number}", "network": network, "corpus": "short"}
                row |= {"features": features, "method": method}
                score = 0.7 + lead + 0.005 * rng.normal()
                rows.append(row | dict.fromkeys(SCORES, float(score)))
    summary = {**sum_up_real(rows), "quick": False}
    assert outcome("real", summary) == expected
    first = read("real", summary)[0]
    assert f"is {expected}" in first
    assert ("on football, not on karate" in first) == (expected == "partly reproduced")
