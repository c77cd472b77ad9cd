"""The linear SVMs with the squared hinge against what they minimise."""

import numpy as np
import pytest

from hyplane.solvers.rows import BinaryRows
from hyplane.solvers.squared_hinge import SquaredHinge, squared_hinge_svms


@pytest.mark.parametrize(("seed", "n_columns"), [(0, 1), (1, 4), (2, 4), (3, 25), (4, 260)])
def test_there_is_no_gradient_at_the_minimum(seed, n_columns):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(60, n_columns)) + 0.3, rng.choice([-1, 1], 60)
    weights = rng.exponential(size=(3, 60)) * np.array([[0.1], [1.0], [10.0]])
    Z = labels[:, None] * np.column_stack([X, np.ones(60)])
    for w, c in zip(squared_hinge_svms(X, labels, weights), weights, strict=True):
        pull = c * np.maximum(0.0, 1.0 - Z @ w)
        np.testing.assert_allclose(w, 2.0 * pull @ Z, atol=1e-7 * (1.0 + np.abs(c @ Z).max()))


def problems(*labels):
    """Problems on the same rows, of which the first has weights."""
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(60, 3)), rng.exponential(size=60)
    signs = [np.where(X @ each > 0.3, 1, -1).astype(np.int8) for each in labels]
    folds = [np.arange(60) % n for n in (4, 3, 4, 4)]
    every = zip(signs, [weights, None, None, None], folds, strict=True)
    return [BinaryRows(X, *each) for each in every]


def test_problems_solved_together_are_those_solved_one_by_one():
    Cs, solver = np.array([0.1, 1.0, 10.0]), SquaredHinge()
    several = problems([1, 0, 0], [0, 1, 1], [1, -1, 2], [0, 0, 1])
    for rows, found in zip(several, solver.out_of_fold_scores_of_all(several, Cs), strict=True):
        alone = solver.out_of_fold_scores(rows, np.unique(rows.folds), Cs)
        np.testing.assert_allclose(found, alone, rtol=1e-8, atol=1e-10)
    several[1] = several[1]._replace(labels=np.ones(60, dtype=np.int8))
    first, constant, *_ = solver.fit_all(several, [1.0, np.nan, 1.0, 1.0])
    np.testing.assert_allclose(first, solver.fit(*several[0][:3], 1.0), rtol=1e-8)
    assert (constant == 0.0).all()


def test_equal_problems_have_equal_scores_to_the_last_digit():
    same = [problems(*[[1, 0, 0]] * 4)[3]] * 7
    first, *others = SquaredHinge().out_of_fold_scores_of_all(same, np.array([0.1, 1.0]))
    for each in others:
        np.testing.assert_array_equal(each, first)


def test_columns_beyond_double_precision_are_refused():
    X = np.array([[1e160, 1.0], [-1e160, -1.0]])
    with pytest.raises(ValueError, match=r"did not end.*Scale them"):
        squared_hinge_svms(X, np.array([1, 1]), np.ones((1, 2)))


def test_without_rows_the_minimum_is_at_the_origin():
    assert squared_hinge_svms(np.empty((0, 1)), np.empty(0), np.empty((1, 0))).tolist() == [[0, 0]]
