"""The linear SVMs with the squared hinge against what they minimise."""

import numpy as np
import pytest

from hyplane.solvers.squared_hinge import squared_hinge_svms


@pytest.mark.parametrize("seed", range(5))
def test_there_is_no_gradient_at_the_minimum(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(60, 4)) + 0.3, rng.choice([-1, 1], 60)
    weights = rng.exponential(size=(3, 60)) * np.array([[0.1], [1.0], [10.0]])
    Z = labels[:, None] * np.column_stack([X, np.ones(60)])
    for w, c in zip(squared_hinge_svms(X, labels, weights), weights, strict=True):
        pull = c * np.maximum(0.0, 1.0 - Z @ w)
        np.testing.assert_allclose(w, 2.0 * pull @ Z, atol=1e-7 * (1.0 + np.abs(c @ Z).max()))


def test_columns_beyond_double_precision_are_refused():
    X = np.array([[1e160, 1.0], [-1e160, -1.0]])
    with pytest.raises(ValueError, match=r"did not end.*Scale them"):
        squared_hinge_svms(X, np.array([1, 1]), np.ones((1, 2)))


def test_without_rows_the_minimum_is_at_the_origin():
    assert squared_hinge_svms(np.empty((0, 1)), np.empty(0), np.empty((1, 0))).tolist() == [[0, 0]]
