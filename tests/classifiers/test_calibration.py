"""Platt's sigmoid and the coupling of pairs; `test_svc_cv` compares both with plain statements."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.isotonic import isotonic_regression

from hyplane.classifiers._calibration import (
    IsotonicCurves,
    couple,
    fit_isotonic,
    fit_sigmoid,
    normalise,
)


def noisy_scores(m=200, slope=2.0, shift=0.5, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(shift, 1.5, m)
    return scores, np.where(rng.random(m) < expit(slope * scores - 1.0), 1, -1)


def platts_targets(labels, weights):
    n_yes, n_no = weights[labels > 0].sum(), weights[labels < 0].sum()
    return np.where(labels > 0, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_sigmoid_minimises_platts_cross_entropy(weighted, seed):
    scores, labels = noisy_scores(seed=seed)
    weights = np.random.default_rng(1).random(200) * 2 if weighted else np.ones(200)
    targets = platts_targets(labels, weights)

    def cross_entropy(parameters):
        f = parameters[0] * scores + parameters[1]
        return np.sum(weights * (np.logaddexp(0, f) - targets * f))

    direct = minimize(cross_entropy, [0.0, 0.0], method="Nelder-Mead",
                      options={"xatol": 1e-9, "fatol": 1e-12})  # fmt: skip
    found = fit_sigmoid(scores, labels, weights if weighted else None)
    np.testing.assert_allclose(found, direct.x, rtol=1e-4)


def test_an_isotonic_curve_passes_the_best_rising_probabilities_of_platts_targets():
    scores, labels = noisy_scores()
    weights = np.random.default_rng(1).random(200) * 2
    curves = IsotonicCurves.of([fit_isotonic(scores, labels, weights), (0.0, 3.0)])
    found = curves.log_odds(np.column_stack([scores, scores]))
    order = np.argsort(scores)
    targets = platts_targets(labels, weights)[order]
    expected = isotonic_regression(targets, sample_weight=weights[order])
    np.testing.assert_allclose(expit(found[order, 0]), expected, atol=1e-12)
    np.testing.assert_array_equal(found[:, 1], 3.0)  # a constant label
    beyond = curves.log_odds(np.array([[-1e9, 0.0], [1e9, 0.0]]))[:, 0]
    np.testing.assert_array_equal(beyond, [found[:, 0].min(), found[:, 0].max()])


def test_separated_scores_have_a_finite_slope():
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
    probabilities = expit(-slope * scores + intercept)
    # The share of the class, practically: as Platt's targets see it.
    share = platts_targets(labels, np.ones(200)).mean()
    np.testing.assert_allclose(probabilities, share, atol=2e-3)
    assert (np.argsort(probabilities) == np.argsort(-scores)).all()


def test_scores_that_are_all_the_same_give_the_share_of_the_class():
    labels = np.array([1, -1, -1, -1])
    slope, intercept = fit_sigmoid(np.full(4, 3.0), labels)
    share = platts_targets(labels, np.ones(4)).mean()
    assert expit(3.0 * slope + intercept) == pytest.approx(share)


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


@pytest.mark.parametrize("seed", range(5))
def test_coupling_minimises_the_disagreement_of_wu_lin_and_weng(seed):
    pairs = list(combinations(range(4), 2))
    of_second = np.random.default_rng(seed).uniform(0.02, 0.98, len(pairs))

    def disagreement(p):
        return sum(
            (r * p[i] - (1 - r) * p[j]) ** 2 for r, (i, j) in zip(of_second, pairs, strict=True)
        )

    direct = minimize(
        disagreement, np.full(4, 0.25), method="SLSQP", bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1.0}, options={"ftol": 1e-15},
    )  # fmt: skip
    [found] = couple(of_second[None], 4)
    np.testing.assert_allclose(found, direct.x, atol=1e-5)
    assert disagreement(found) <= disagreement(direct.x) + 1e-12


def test_coupling_works_in_batches_and_with_certain_pairs():
    pairs = np.random.default_rng(0).choice([0.0, 1.0, 0.3], size=(30_000, 10))
    whole = couple(pairs, 5)
    assert (whole > 0).all()
    np.testing.assert_allclose(whole.sum(axis=1), 1.0)
    parts = [couple(part, 5) for part in np.split(pairs, [11, 20_000])]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
