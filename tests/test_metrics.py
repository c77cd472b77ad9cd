"""Areas under curves, against scikit-learn and by hand."""

import numpy as np
import pytest
from helpers import refuses
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from hyplane.metrics import (
    METRICS,
    areas_of_columns,
    indicator_matrix,
    macro_average,
    micro_average,
    trapezoid_aupr,
)

average_precision, roc_auc = METRICS["average_precision"], METRICS["roc_auc"]
rankings = st.lists(
    st.tuples(st.booleans(), st.integers(-5, 5), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    min_size=4,
    max_size=40,
).filter(
    lambda rows: (
        any(yes and weight for yes, _, weight in rows)
        and any(not yes and weight for yes, _, weight in rows)
    )
)


def sklearn_trapezoid(y, scores, sample_weight):
    counts = sample_weight > 0  # scikit-learn lets rows of weight 0 add thresholds
    precision, recall, _ = precision_recall_curve(
        y[counts], scores[counts], sample_weight=sample_weight[counts]
    )
    return auc(recall[:-1], precision[:-1]) if len(recall) > 2 else 0.0


@given(rankings)
def test_metrics_agree_with_scikit_learn_on_ties_and_weights(rows):
    y, scores, weights = map(np.array, zip(*rows, strict=True))
    for metric, reference in (
        (average_precision, average_precision_score),
        (roc_auc, roc_auc_score),
        (trapezoid_aupr, sklearn_trapezoid),
    ):
        assert metric(y, scores, weights) == pytest.approx(
            reference(y, scores, sample_weight=weights), abs=1e-12
        )


def test_weights_count_like_repeated_rows():
    rng = np.random.default_rng(0)
    y, scores, repeats = rng.integers(0, 2, 50), rng.integers(0, 20, 50), rng.integers(0, 4, 50)
    for metric in METRICS.values():
        assert metric(y, scores, repeats) == pytest.approx(
            metric(np.repeat(y, repeats), np.repeat(scores, repeats), None), abs=1e-12
        )


@pytest.mark.parametrize("n_positive", [2, 5, 50])
def test_a_perfect_ranking_scores_one_except_by_the_authors_trapezoid(n_positive):
    y = np.r_[np.ones(n_positive), np.zeros(30)]
    scores = -np.arange(len(y))
    assert average_precision(y, scores) == 1.0
    assert roc_auc(y, scores) == 1.0
    assert trapezoid_aupr(y, scores) == pytest.approx(1 - 1 / n_positive)


@pytest.mark.parametrize("digits", [0, 1, 12])  # many ties, some, none
@pytest.mark.parametrize("weighted", [False, True])
def test_columns_at_once_have_the_numbers_of_each_alone(digits, weighted):
    rng = np.random.default_rng(digits)
    Y = rng.choice([-1, 1], size=(97, 6))
    Y[:, 0] = -1  # undefined
    S = rng.standard_normal((97, 6)).round(digits)
    weights = rng.integers(0, 3, 97).astype(float) if weighted else None
    for labels in (Y, Y[:, 2]):
        of_column = np.broadcast_to(labels.T, (6, 97))
        alone = [
            [metric(y, s, weights) for y, s in zip(of_column, S.T, strict=True)]
            for metric in METRICS.values()
        ]
        found = areas_of_columns(labels, S, list(METRICS), weights)
        np.testing.assert_allclose(found, alone, rtol=1e-13)


def test_columns_at_once_refuse_what_each_alone_refuses():
    S = np.array([[1.0, 2.0], [0.5, np.nan], [0.2, 0.1]])
    with pytest.raises(ValueError, match="row 1 is nan"):
        areas_of_columns(np.array([1, 0, 1]), S, ["roc_auc"])
    with pytest.raises(ValueError, match="labels of a binary metric"):
        areas_of_columns(np.array([1, 2, 1]), S[:, :1], ["roc_auc"])


def test_the_trapezoid_by_hand():
    # yes, no, yes, no: the points (1/2, 1), (1/2, 1/2), (1, 2/3), (1, 1/2)
    assert trapezoid_aupr([1, 0, 1, 0], [4, 3, 2, 1]) == pytest.approx(0.5 * (1 / 2 + 2 / 3) / 2)


def test_only_the_order_of_scores_counts_and_they_may_be_infinite():
    y = np.array([1, -1, 1, -1, 1])
    for metric in METRICS.values():
        assert metric(y, [np.inf, 5.0, 1.0, 0.0, -np.inf], None) == metric(y, [5, 4, 3, 2, 1], None)


def test_a_metric_without_positive_rows_is_undefined():
    for metric in METRICS.values():
        assert np.isnan(metric([0, 0], [1.0, 2.0], None))
    assert np.isnan(roc_auc([1, 1], [1.0, 2.0]))
    assert average_precision([1, 1], [1.0, 2.0]) == 1.0


def test_macro_is_the_mean_over_classes_present_and_micro_pools():
    rng = np.random.default_rng(1)
    Y = indicator_matrix(rng.integers(0, 3, 60), np.arange(4))  # nobody is in the fourth
    S = rng.standard_normal((60, 4))
    assert macro_average(Y, S) == pytest.approx(average_precision_score(Y[:, :3], S[:, :3]))
    assert micro_average(Y, S) == pytest.approx(average_precision_score(Y, S, average="micro"))
    assert micro_average(Y, S, "roc_auc") == pytest.approx(roc_auc_score(Y, S, average="micro"))
    weights = rng.integers(0, 3, 60)
    for average in (macro_average, micro_average):
        assert average(Y, S, sample_weight=weights) == pytest.approx(
            average(np.repeat(Y, weights, axis=0), np.repeat(S, weights, axis=0))
        )
    assert np.isnan(macro_average(np.zeros((3, 2)), np.ones((3, 2))))


def test_bad_input_is_named():
    refuses("got \\[0, 1, 2\\]", average_precision, [0, 1, 2], [1.0, 2.0, 3.0])
    refuses("row 1 is nan", roc_auc, [0, 1], [1.0, np.nan])
    refuses("inconsistent", roc_auc, [0, 1], [1.0, 2.0, 3.0])
    refuses("non-zero", roc_auc, [0, 1], [1.0, 2.0], [0.0, 0.0])
    refuses("no rows", roc_auc, [], [])
    refuses(r"\(4, 2\) and y_score \(4, 3\)", macro_average, np.ones((4, 2)), np.ones((4, 3)))
    refuses("metric must be one of", micro_average, np.ones((4, 2)), np.ones((4, 2)), "accuracy")
