"""Folds of a binary problem."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from hyplane import HyperbolicSVCCV
from hyplane.classifiers._folds import folds_of_splits, stratified_folds


@pytest.mark.parametrize("n_folds", [2, 3, 5, 7])
def test_stratified_folds_are_those_of_scikit_learn(n_folds):
    rng = np.random.default_rng(n_folds)
    for share in (0.15, 0.5, 0.9):
        labels = np.where(rng.random(203) < share, 1, -1).astype(np.int8)
        cv = StratifiedKFold(n_folds, shuffle=True, random_state=n_folds)
        expected = folds_of_splits(cv.split(labels, labels), len(labels))
        np.testing.assert_array_equal(stratified_folds(labels, n_folds, n_folds), expected)


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
    even = np.array([True, True, False, False])
    np.testing.assert_array_equal(folds_of_splits([(~even, even), (even, ~even)], 4), [0, 0, 1, 1])
