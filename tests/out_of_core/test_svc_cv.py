"""HyperbolicSVCCV on rows read block by block: the folds of rows in memory, C from a sample."""

import numpy as np
import pytest

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV
from hyplane.out_of_core import DiskBlocks, MemoryBlocks
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.rows import folds_by_class

CS = (0.1, 1.0, 10.0)
EXACT = {"tol": 1e-10, "coordinates": "tangent", "random_state": 0}


@pytest.fixture(autouse=True)
def _small_samples(limits):
    limits(MOST_ROWS=0, SAMPLE_ROWS=1000)


def in_blocks(X, y, weights=None, Cs=CS, size=800, **settings):
    """Fit rows that are read block by block."""
    blocks = MemoryBlocks(X, y, weights, rows_per_block=size)
    return HyperbolicSVCCV(Cs, **{**EXACT, **settings}).fit(blocks, None)


def folds_of(X, y, n_folds, seed, size, weight=None):
    blocks = MemoryBlocks(X, y, weight, rows_per_block=size)
    rows = OutOfCoreRows.read(blocks, "tangent", -1.0, seed=0).with_folds(n_folds, seed)
    return np.concatenate(list(rows.map(lambda block: block.folds)))


@pytest.mark.parametrize("n_folds", [2, 5, 7])
def test_folds_do_not_depend_on_the_blocks_and_have_their_share_of_each_class(clouds, n_folds):
    X, y = clouds(3, 3000)
    y[y == 2] = np.where(np.arange((y == 2).sum()) < 50, 2, 1)  # a rare class
    folds = folds_by_class(y, n_folds, seed=1)
    for size in (70, 1000, 3000):
        np.testing.assert_array_equal(folds_of(X, y, n_folds, seed=1, size=size), folds)
    for k in range(3):
        counts = np.bincount(folds[y == k], minlength=n_folds)
        assert counts.max() - counts.min() <= 1
    others = [folds_by_class(y, n_folds, seed) for seed in range(2, 20)]
    same = np.mean([(each == folds).mean() for each in others])
    assert same == pytest.approx(1 / n_folds, abs=0.05)


def test_blocks_without_rows_that_count_have_no_folds(clouds):
    X, y = clouds(2, m=40)
    folds = folds_of(X, y, 3, 0, size=10, weight=np.r_[np.zeros(10), np.ones(30)])
    np.testing.assert_array_equal(folds, folds_by_class(y[10:], 3, 0))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_C_chosen_on_a_sample_ranks_all_rows_nearly_as_well_as_the_best(
    limits, multi_class, n_classes, clouds
):
    limits(SAMPLE_ROWS=8192)
    X, y = clouds(n_classes, m=15_000)
    settings = {"tol": 1e-8, "multi_class": multi_class}
    Cs = (1e-3, 0.1, 10.0)
    found = in_blocks(X, y, Cs=Cs, size=4000, **settings)
    expected = HyperbolicSVCCV(Cs, **EXACT | settings).fit(X, y)
    np.testing.assert_array_equal(found.n_folds_, expected.n_folds_)
    np.testing.assert_allclose(found.cv_scores_, expected.cv_scores_, atol=0.02)
    for C, scores in zip(found.C_, expected.cv_scores_, strict=True):
        assert scores[Cs.index(C)] >= scores.max() - 0.002
    assert np.abs(found.predict_proba(X) - expected.predict_proba(X)).mean() < 0.02


def test_the_last_fit_is_that_of_the_classifier_for_one_C(clouds):
    X, y = clouds(3, 3000)
    found = in_blocks(X, y)
    for k, C in enumerate(found.C_):
        one = HyperbolicSVC(C, **EXACT).fit(MemoryBlocks(X, y, rows_per_block=800), None)
        np.testing.assert_array_equal(found.coef_[k], one.coef_[k])


def test_rows_on_disk_give_the_bits_of_rows_in_memory(tmp_path, clouds):
    X, y = clouds(3, 3000)
    np.save(tmp_path / "X.npy", X)
    rows = np.load(tmp_path / "X.npy", mmap_mode="r")
    on_disk = HyperbolicSVCCV(CS, **EXACT).fit(DiskBlocks(rows, y, rows_per_block=800), None)
    here = in_blocks(X, y)
    np.testing.assert_array_equal(on_disk.coef_, here.coef_)
    np.testing.assert_array_equal(on_disk.predict_proba(rows), here.predict_proba(X))


def test_weights_count_in_the_choice_and_in_the_probabilities(clouds):
    X, y = clouds(2, m=3000)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(X))
    balance = {"class_weight": {0: 1.0, 1: 4.0}}
    found = in_blocks(X, y, weights, **balance).predict_proba(X)
    kept = weights > 0
    expected = HyperbolicSVCCV(CS, **EXACT, **balance).fit(X[kept], y[kept], weights[kept])
    plain = HyperbolicSVCCV(CS, **EXACT).fit(X, y).predict_proba(X)
    gone = np.abs(found - expected.predict_proba(X)).mean()
    assert gone < 0.3 * np.abs(found - plain).mean()


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_weights_of_any_size_are_the_same_problem_where_C_makes_up_for_them(size, clouds):
    X, y = clouds(2, m=3000)
    one = in_blocks(X, y)
    other = in_blocks(X, y, np.full(len(X), size), Cs=np.array(CS) / size)
    np.testing.assert_allclose(other.C_ * size, one.C_)
    np.testing.assert_allclose(other.objective_, one.objective_, rtol=1e-8)


def test_a_class_of_a_single_row_takes_the_middle_C_with_a_warning(clouds):
    X, y = clouds(2, m=900)
    y[5] = 2
    with pytest.warns(UserWarning, match="no cross validation for class 2"):
        found = in_blocks(X, y, size=400)
    assert found.n_folds_.tolist() == [5, 5, 0]
    assert found.C_[2] == 1.0
    assert np.isnan(found.cv_scores_[2]).all()
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1.0)


def test_a_class_of_fewer_rows_than_folds_is_left_out_row_by_row(clouds):
    X, _ = clouds(2, m=900)
    assert np.isfinite(in_blocks(X, np.isin(np.arange(900), [3, 500, 800])).cv_scores_).all()


def test_what_needs_rows_in_memory_says_so(clouds):
    blocks = MemoryBlocks(*clouds(2, m=3000))
    with pytest.raises(ValueError, match="cv is a number of folds"):
        HyperbolicSVCCV(cv=[(np.arange(9), np.arange(9))], **EXACT).fit(blocks, None)
    with pytest.raises(ValueError, match="EuclideanSVCCV needs its rows in memory"):
        EuclideanSVCCV().fit(blocks, None)


def test_few_rows_are_fitted_in_memory(limits, clouds):
    limits(MOST_ROWS=10_000)
    X, y = clouds(3, 3000)
    found, expected = in_blocks(X, y), HyperbolicSVCCV(CS, **EXACT).fit(X, y)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_array_equal(found.cv_scores_, expected.cv_scores_)
