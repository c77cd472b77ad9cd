"""Folds of a binary problem."""

import numpy as np
import pytest

from hyplane import HyperbolicSVCCV
from hyplane.solvers.rows import folds_by_class


@pytest.mark.parametrize("n_folds", [2, 3, 5, 7])
def test_each_fold_has_its_share_of_each_class_and_another_seed_gives_other_folds(n_folds):
    codes = np.random.default_rng(n_folds).choice(3, 203, p=[0.05, 0.15, 0.8])
    folds = folds_by_class(codes, n_folds, seed=0)
    for k in range(3):
        counts = np.bincount(folds[codes == k], minlength=n_folds)
        assert counts.max() - counts.min() <= 1
    others = [folds_by_class(codes, n_folds, seed) for seed in range(1, 20)]
    assert np.mean([(each == folds).mean() for each in others]) == pytest.approx(
        1 / n_folds, abs=0.05
    )


@pytest.mark.parametrize(
    ("cv", "sentence"),
    [
        ([([0, 1], [2]), ([2], [200])], "split 1 of cv leaves out row 200, .* rows 0 to 3"),
        ([([0, 1], [-9])], "split 0 of cv leaves out row -9"),
        ([([0, 1], ["a"])], "test rows of split 0 of cv must be integers"),
        ([([0, 1], [0.5])], "test rows of split 0 of cv must be integers"),
        ([1, 2], "split 0 of cv must be a pair"),
        ([([0, 1], [2]), ([2, 3], [0])], "cv leaves 2 rows out never"),
    ],
)
def test_splits_name_rows_that_exist(cv, sentence):
    with pytest.raises(ValueError, match=sentence):
        HyperbolicSVCCV(cv=cv).fit([[0.1, 0.2], [-0.3, 0.1], [0.2, 0.2], [-0.2, 0.1]], [0, 1, 0, 1])


def test_test_parts_may_be_masks():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-0.6, 0.6, size=(40, 2)), np.arange(40) % 2
    even = np.arange(40) // 2 % 2 == 0
    masks, rows = (
        [(~even, even), (even, ~even)],
        [
            (np.flatnonzero(~even), np.flatnonzero(even)),
            (np.flatnonzero(even), np.flatnonzero(~even)),
        ],
    )
    one, other = (HyperbolicSVCCV(cv=cv, random_state=0).fit(X, y) for cv in (masks, rows))
    np.testing.assert_array_equal(one.cv_scores_, other.cv_scores_)
