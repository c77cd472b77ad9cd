"""What the experiments say of their numbers."""

import numpy as np
import pytest

pytest.importorskip("pandas")

from hyplane.evaluation import SCORES
from hyplane.paper import EvolvingNetworks, GaussianMixtures, OwnData, RealNetworks
from hyplane.paper.narrative import compared, outcome_of, verdict
from hyplane.paper.published import REAL_NETWORKS
from hyplane.paper.summaries import compare, frame_of


def summed_up(experiment, rows):
    frame = frame_of(rows)
    summary = {"n_datasets": frame["dataset"].nunique(), **experiment.summarize(frame)}
    summary["outcome"] = experiment.outcome(summary)
    return {**summary, "reading": experiment.reading(summary)}


def row(score, **names):
    return names | dict.fromkeys(SCORES, float(score)) | {"macro_aupr_ceiling": 0.95}


def mixtures(difference, n=40, spread=0.02):
    rng = np.random.default_rng(1)
    rows = []
    for number in range(n):
        base = rng.uniform(0.5, 0.8)
        for method, gain in (("hyperbolic", difference), ("euclidean", 0.0)):
            for trial in range(2):
                score = base + gain + spread * rng.normal()
                names = {"dataset": f"d{number}", "part": "riemannian", "method": method}
                rows.append(row(score, trial=trial, **names))
    return rows


@pytest.mark.parametrize(
    ("difference", "favoured", "words"),
    [
        (0.05, "higher", ["is reproduced", "is higher than"]),
        (-0.05, "lower", ["is not reproduced", "is lower than"]),
        (0.0, "not clear", ["is not reproduced", "not clearly different from"]),
    ],
)
def test_the_reading_follows_the_numbers(difference, favoured, words):
    summary = summed_up(GaussianMixtures(laws=("riemannian",)), mixtures(difference))
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


def embeddings(gains, base=0.7, noise=0.002, n=5):
    rng = np.random.default_rng(2)
    return [
        row(
            base + lead + noise * rng.normal(),
            dataset=f"{network}-{number}",
            network=network,
            corpus="published",
            features=features,
            method=method,
        )
        for network, gain in gains.items()
        for number in range(n)
        for features, method, lead in (
            ("hyperbolic", "hyperbolic", gain),
            ("hyperbolic", "euclidean", 0.0),
            ("deepwalk-2", "euclidean", -0.1),
        )
    ]


def real(gains, **how):
    experiment = RealNetworks(networks=tuple(gains), corpora=("published",), dimensions=(2,))
    return summed_up(experiment, embeddings(gains, **how))


@pytest.mark.parametrize(
    ("gains", "expected", "where"),
    [
        # Karate is a tie in the paper, so that a tie reproduces it; polbooks is not.
        ({"karate": 0.0, "football": 0.06}, "reproduced", ""),
        ({"karate": 0.05, "football": 0.06}, "reproduced", ""),
        ({"karate": 0.0, "polbooks": 0.0}, "partly reproduced", ": on karate, not on polbooks"),
        ({"karate": -0.04, "football": 0.06}, "partly reproduced", ": on football, not on karate"),
        ({"karate": -0.05, "football": -0.06}, "not reproduced", ""),
    ],
)
def test_a_tie_where_the_paper_has_one_reproduces_it(gains, expected, where):
    summary = real(gains)
    assert summary["outcome"] == expected
    assert summary["reading"][0].endswith(f"is {expected}{where}.")


def test_one_data_set_has_no_interval_and_says_so():
    names = {"dataset": "mine", "trial": 0}
    rows = [row(0.8, method="hyperbolic", **names), row(0.7, method="euclidean", **names)]
    first, *others = summed_up(OwnData(), rows)["reading"]
    assert first == (
        "On one data set, the hyperbolic SVM against the Euclidean SVM: difference 0.100 "
        "(one data set has no interval and no p)."
    )
    for sentence in others:
        assert "interval" not in sentence
        assert "not defined" not in sentence


def test_wide_intervals_decide_nothing():
    summary = real({"karate": 0.0, "football": 0.03}, noise=0.2, n=2)
    assert summary["outcome"] == "too small to tell"
    assert {cell["agrees"] for cell in summary["cells"][:1]} == {None}


def test_equal_scores_at_the_ceiling_say_so():
    words = {
        base: real({"karate": 0.0}, base=base, noise=1e-4)["cells"][0]["word"]
        for base in (0.7, 0.9495)
    }
    assert words == {0.7: "tie", 0.9495: "tie at the ceiling"}


def test_each_cell_stands_beside_the_published_one():
    summary = real({"polbooks": 0.06})
    same, deepwalk = summary["cells"]
    assert same["published"] == [(0.73, 0.04), (0.66, 0.02)]
    assert same["published_difference"] == 0.07
    assert deepwalk["published_difference"] == 0.39
    assert same["low"] < same["difference"] < same["high"]
    assert same["agrees"] is True
    assert deepwalk["word"] == "higher"


def test_the_published_table_is_whole():
    assert len(REAL_NETWORKS) == 6
    assert all(len(row) == 4 for row in REAL_NETWORKS.values())
    means = [[mean for mean, _ in row.values()] for row in REAL_NETWORKS.values()]
    # The hyperbolic SVM matched or exceeded every other row of the paper's table.
    assert (np.array(means[0]) >= np.array(means[1:])).all()


def test_the_differences_stand_network_by_network():
    experiment = EvolvingNetworks(n_networks=6, size_ranges=((20, 50), (100, 200)))
    rows = [
        row(
            0.5 + 0.2 * (method == "hyperbolic") * (network in (2, 5)) + 0.001 * repetition,
            dataset=f"{network}-{size}-{repetition}",
            network=network,
            size_range=size,
            method=method,
        )
        for network in range(1, 7)
        for size in ("20-50", "100-200")
        for repetition in range(2)
        for method in ("hyperbolic", "euclidean")
    ]
    summary = summed_up(experiment, rows)
    assert "Over the means of the 6 networks the one-sided p is" in summary["reading"][-1]
    by_network = experiment.tables(summary)[1]
    assert [cells[0] for cells in by_network.rows] == [f"Network {n}" for n in range(1, 7)]
    assert by_network.rows[1][2].text == "0.200"
