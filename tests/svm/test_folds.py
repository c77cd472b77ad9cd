"""Folds of a binary problem."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from hyplane.svm.folds import folds_of_splits, stratified_folds


@pytest.mark.parametrize("n_folds", [2, 3, 5, 7])
def test_stratified_folds_are_those_of_scikit_learn(n_folds):
    rng = np.random.default_rng(n_folds)
    for share in (0.15, 0.5, 0.9):
        labels = np.where(rng.random(203) < share, 1, -1).astype(np.int8)
        cv = StratifiedKFold(n_folds, shuffle=True, random_state=n_folds)
        expected = folds_of_splits(cv.split(labels, labels), len(labels))
        np.testing.assert_array_equal(stratified_folds(labels, n_folds, n_folds), expected)
