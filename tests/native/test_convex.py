"""The compiled convex fits against plain statements of what they minimise."""

import numpy as np
import pytest
from scipy.optimize import minimize

from hyplane.native import convex


def rows(seed, m=60, d=4):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(d, m)) + 0.3
    return Z, rng.exponential(size=(3, m)) * np.array([[0.1], [1.0], [10.0]])


@pytest.mark.parametrize("seed", range(5))
def test_the_squared_hinge_has_no_gradient_at_its_minimum(seed):
    Z, weights = rows(seed)
    for w, c in zip(
        convex.squared_hinge(Z, weights, 1e-10, 100).reshape(3, -1), weights, strict=True
    ):
        pull = c * np.maximum(0.0, 1.0 - w @ Z)
        np.testing.assert_allclose(w, 2.0 * Z @ pull, atol=1e-7 * (1.0 + np.abs(Z @ c).max()))


def test_the_squared_hinge_refuses_weights_of_other_rows_and_says_when_it_does_not_end():
    Z, weights = rows(0)
    with pytest.raises(ValueError, match="60 rows but 59 weights"):
        convex.squared_hinge(Z, weights[:, 1:].copy(), 1e-10, 100)
    with pytest.raises(ValueError, match="did not end within 1 steps"):
        convex.squared_hinge(Z, weights, 1e-10, 1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_sigmoid_has_the_least_cross_entropy(seed, weighted):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=80)
    targets = np.where(scores + rng.normal(size=80) > 0, 0.97, 0.02)
    weights = rng.exponential(size=80) if weighted else None
    c = np.ones(80) if weights is None else weights

    def value(parameters):
        log_odds = parameters[0] * scores + parameters[1]
        return c @ (np.logaddexp(0.0, log_odds) - targets * log_odds)

    found = convex.sigmoid(scores, targets, weights, 0.0, 100)
    best = minimize(value, np.zeros(2), tol=1e-12)
    np.testing.assert_allclose(found, best.x, atol=1e-4)
    assert value(np.array(found)) <= best.fun * (1.0 + 1e-12)


def test_the_sigmoid_refuses_targets_of_other_rows():
    with pytest.raises(ValueError, match="differ in length"):
        convex.sigmoid(np.zeros(3), np.zeros(2), None, 0.0, 10)


def test_no_columns_give_no_weights():
    assert convex.squared_hinge(np.zeros((0, 3)), np.ones((2, 3)), 1e-8, 10).shape == (0,)
