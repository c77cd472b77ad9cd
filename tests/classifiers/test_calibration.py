"""Platt's sigmoid and the coupling of pairs, against plain statements of both."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from hyplane.classifiers._calibration import (
    SMALLEST_SLOPE,
    Sigmoids,
    constant_sigmoid,
    couple,
    fit_sigmoid,
    normalise,
    smoothed_targets,
)


def noisy_scores(m=200, slope=2.0, shift=0.5, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(shift, 1.5, m)
    labels = np.where(rng.random(m) < expit(slope * scores - 1.0), 1, -1)
    return scores, labels


def platt(scores, labels, weights):
    """Platt's cross entropy, minimised by a method without derivatives."""
    n_yes, n_no = weights[labels > 0].sum(), weights[labels < 0].sum()
    targets = np.where(labels > 0, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))

    def cross_entropy(parameters):
        f = parameters[0] * scores + parameters[1]
        return np.sum(weights * (np.logaddexp(0, f) - targets * f))

    return minimize(
        cross_entropy, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    ).x


@pytest.mark.parametrize("weighted", [False, True])
def test_the_sigmoid_minimises_platts_cross_entropy(weighted):
    scores, labels = noisy_scores()
    weights = np.random.default_rng(1).random(200) * 2 if weighted else None
    expected = platt(scores, labels, np.ones(200) if weights is None else weights)
    np.testing.assert_allclose(fit_sigmoid(scores, labels, weights), expected, rtol=1e-4)


def test_the_targets_are_smoothed():
    positive = np.array([True, True, True, False])
    np.testing.assert_allclose(smoothed_targets(positive), [4 / 5, 4 / 5, 4 / 5, 1 / 3])
    # so that separated scores get finite slopes
    slope, _ = fit_sigmoid(np.array([-1.0, -0.9, 0.9, 1.0]), np.array([-1, -1, 1, 1]))
    assert 0.5 < slope < 5


@pytest.mark.parametrize("size", [1e-12, 1e-4, 1e3, 1e12])
@pytest.mark.parametrize("shift", [0.0, 40.0])
def test_probabilities_do_not_depend_on_the_scale_and_origin_of_scores(size, shift):
    scores, labels = noisy_scores()
    slope, intercept = fit_sigmoid(scores, labels)
    moved = size * (scores + shift)
    far_slope, far_intercept = fit_sigmoid(moved, labels)
    np.testing.assert_allclose(
        far_slope * moved + far_intercept, slope * scores + intercept, atol=1e-3
    )


def test_a_sigmoid_never_falls():
    scores, labels = noisy_scores()
    slope, intercept = fit_sigmoid(-scores, labels)
    assert slope == pytest.approx(SMALLEST_SLOPE / scores.std())
    probabilities = expit(-slope * scores + intercept)
    # The share of the class, practically: as Platt's targets see it.
    np.testing.assert_allclose(probabilities, smoothed_targets(labels > 0).mean(), atol=2e-3)
    assert (np.argsort(probabilities) == np.argsort(-scores)).all()


def test_scores_that_are_all_the_same_give_the_share_of_the_class():
    labels = np.array([1, -1, -1, -1])
    slope, intercept = fit_sigmoid(np.full(4, 3.0), labels)
    assert expit(3.0 * slope + intercept) == pytest.approx(smoothed_targets(labels > 0).mean())


def test_a_constant_label_has_platts_target_everywhere():
    sigmoids = Sigmoids.of([constant_sigmoid(1, 8), constant_sigmoid(-1, 8)])
    np.testing.assert_allclose(expit(sigmoids.log_odds(np.ones((1, 2)))), [[9 / 10, 1 / 10]])


def test_one_vs_rest_rows_are_divided_by_their_sum():
    log_odds = np.random.default_rng(0).normal(0, 3, (50, 4))
    probabilities = expit(log_odds)
    expected = probabilities / probabilities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(normalise(log_odds), expected, rtol=1e-12)
    assert np.isfinite(normalise(np.array([[-1e5, -2e5, -3e5], [1e5, 2e5, -1e5]]))).all()


@given(st.lists(st.floats(0.001, 1.0), min_size=3, max_size=8))
def test_coupling_recovers_probabilities_that_agree_with_each_other(weights):
    p = np.array(weights) / np.sum(weights)
    pairs = np.array([[p[j] / (p[i] + p[j]) for i, j in combinations(range(len(p)), 2)]])
    np.testing.assert_allclose(couple(pairs, len(p))[0], p, rtol=1e-7)


def test_coupling_minimises_the_disagreement_of_wu_lin_and_weng():
    rng = np.random.default_rng(0)
    n_classes = 4
    pairs = list(combinations(range(n_classes), 2))
    for of_second in rng.random((20, len(pairs))):
        p = couple(of_second[None], n_classes)[0]

        def disagreement(q, of_second=of_second):
            return sum(
                (r * q[i] - (1 - r) * q[j]) ** 2 for r, (i, j) in zip(of_second, pairs, strict=True)
            )

        assert (p >= 0).all()
        assert p.sum() == pytest.approx(1.0)
        for q in rng.dirichlet(np.ones(n_classes), 200):
            assert disagreement(p) <= disagreement(q) + 1e-12


def test_coupling_works_in_batches_and_with_certain_pairs(monkeypatch):
    pairs = np.random.default_rng(0).choice([0.0, 1.0, 0.3], size=(101, 10))
    whole = couple(pairs, 5)
    monkeypatch.setattr("hyplane.classifiers._calibration.BATCH_SIZE", 36 * 7)
    np.testing.assert_array_equal(couple(pairs, 5), whole)
    assert (whole > 0).all()
    np.testing.assert_allclose(whole.sum(axis=1), 1.0)
