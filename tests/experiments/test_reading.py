"""What the experiments say of their numbers."""

import numpy as np
import pytest

pytest.importorskip("pandas")

from hyplane.evaluation import SCORES
from hyplane.experiments import GaussianMixtures, RealNetworks
from hyplane.experiments.reading import compared, outcome_of, verdict
from hyplane.experiments.summaries import compare, frame_of


def summed_up(experiment, rows):
    frame = frame_of(rows)
    summary = {"n_datasets": frame["dataset"].nunique(), **experiment.summarize(frame)}
    summary["outcome"] = experiment.outcome(summary)
    return {**summary, "reading": experiment.reading(summary)}


def row(score, **names):
    return names | dict.fromkeys(SCORES, float(score))


def mixtures(difference, n=40, spread=0.02):
    rng = np.random.default_rng(1)
    rows = []
    for number in range(n):
        base = rng.uniform(0.5, 0.8)
        for method, gain in (("hyperbolic", difference), ("euclidean", 0.0)):
            for trial in range(2):
                score = base + gain + spread * rng.normal()
                rows.append(row(score, dataset=f"d{number}", method=method, trial=trial))
    return rows


@pytest.mark.parametrize(
    ("difference", "favoured", "words"),
    [
        (0.05, "first", ["is reproduced", "is higher than"]),
        (-0.05, "second", ["is not reproduced", "is lower than"]),
        (0.0, "neither", ["is not reproduced", "not clearly different from"]),
    ],
)
def test_the_reading_follows_the_numbers(difference, favoured, words):
    summary = summed_up(GaussianMixtures(), mixtures(difference))
    assert verdict(summary["headline"]) == favoured
    assert words[0].endswith(summary["outcome"])
    first, comparison, *_ = summary["reading"]
    assert words[0] in first
    assert words[1] in comparison


@pytest.mark.parametrize("difference", [-0.01, 0.0, 0.03, 0.2])
@pytest.mark.parametrize("n", [2, 3, 20])
def test_higher_is_never_said_beside_an_interval_that_holds_zero(difference, n):
    test = compare(frame_of(mixtures(difference, n)), "macro_aupr", over="all")
    holds_zero = test["low"] <= 0 <= test["high"]
    assert ("not clearly different" in compared(test, "Here")) == holds_zero


def test_few_pairs_without_a_clear_difference_are_too_small_to_tell():
    few = compare(frame_of(mixtures(0.0, n=3)), "macro_aupr", over="all")
    assert outcome_of(few) == "too small to tell"
    many = compare(frame_of(mixtures(0.0, n=40)), "macro_aupr", over="all")
    assert outcome_of(many) == "not reproduced"


def embeddings(gains):
    rng = np.random.default_rng(2)
    return [
        row(
            0.7 + lead + 0.005 * rng.normal(),
            dataset=f"{network}-{number}",
            network=network,
            corpus="short",
            features=features,
            method=method,
        )
        for network, gain in gains.items()
        for number in range(5)
        for features, method, lead in (
            ("hyperbolic", "hyperbolic", gain),
            ("hyperbolic", "euclidean", 0.0),
            ("deepwalk-2", "euclidean", -0.1),
        )
    ]


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ({"karate": 0.05, "football": 0.06}, "reproduced"),
        ({"karate": -0.04, "football": 0.06}, "partly reproduced"),
        ({"karate": -0.05, "football": -0.06}, "not reproduced"),
    ],
)
def test_real_networks_that_disagree_are_named(gains, expected):
    experiment = RealNetworks(networks=tuple(gains), corpora=("short",), dimensions=(2,))
    summary = summed_up(experiment, embeddings(gains))
    assert summary["outcome"] == expected
    first = summary["reading"][0]
    assert f"is {expected}" in first
    assert ("on football, not on karate" in first) == (expected == "partly reproduced")
