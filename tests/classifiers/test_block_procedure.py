"""HyperbolicSVCCV on blocks: the procedure in memory with the same folds, up to its histograms."""

import numpy as np
import pytest

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV
from hyplane.classifiers import _block_fits as block_fits
from hyplane.classifiers import _fold_scores as fold_scores
from hyplane.classifiers._block_folds import folds_of_ranks, with_folds
from hyplane.metrics import METRICS
from hyplane.out_of_core import DiskBlocks, MemoryBlocks
from hyplane.solvers import (
    Hyperplanes,
    Points,
    ReadyBlock,
    SoftMarginResult,
    pack_block,
    ready_block,
    tuning,
)

CS = (0.1, 1.0, 10.0)
EXACT = {"tol": 1e-10, "coordinates": "tangent", "random_state": 0}


@pytest.fixture(autouse=True)
def _small_samples(monkeypatch):
    """Let some thousand rows be as many as never fit in memory."""
    monkeypatch.setattr(block_fits, "MOST_ROWS", 0)
    monkeypatch.setattr(tuning, "SAMPLE_ROWS", 1000)


def itself(block):
    return block


def folds_of(X, y, n_folds, seed, size):
    classes = np.unique(y)
    packed = MemoryBlocks(X, y, rows_per_block=size).prepared(pack_block, "tangent")
    ready = packed.prepared(ready_block, classes)
    divided = with_folds(ready, len(classes), n_folds, seed)
    return np.concatenate([block.folds for block in divided.map(itself)])


def splits_of(folds):
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in np.unique(folds)]


@pytest.fixture
def drawn(monkeypatch):
    """The folds of the last fit on blocks, as splits of all rows."""
    found = []

    def keeping(ranks, codes, n_folds, seed):
        found.append(folds_of_ranks(ranks, codes, n_folds, seed))
        return found[-1]

    monkeypatch.setattr("hyplane.classifiers._block_folds.folds_of_ranks", keeping)
    return lambda: splits_of(np.concatenate(found))


def test_folds_do_not_depend_on_the_blocks_and_have_their_share_of_each_class(clouds):
    X, y = clouds(3, 3000)
    folds = folds_of(X, y, 5, seed=1, size=3000)
    for size in (70, 1000):
        np.testing.assert_array_equal(folds_of(X, y, 5, seed=1, size=size), folds)
    for k in range(3):
        counts = np.bincount(folds[y == k], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert (folds != folds_of(X, y, 5, seed=2, size=3000)).mean() > 0.5


def test_folds_of_blocks_without_rows_that_count():
    empty = ReadyBlock(None, np.empty(0, np.int32), None, np.empty(0, np.int64))
    blocks = MemoryBlocks(np.zeros((1, 2)))
    blocks._blocks = [empty]
    [block] = with_folds(blocks, 2, 3, 0).map(itself)
    assert len(block.folds) == 0


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_choose_what_rows_in_memory_do_with_the_same_folds(
    drawn, multi_class, n_classes, clouds
):
    X, y = clouds(n_classes, m=3000)
    settings = {**EXACT, "multi_class": multi_class, "score_function": "auto"}
    # Their scores are 2e-4 apart or more. Other grids have near ties (0.3 and 30 for one pair of
    # classes: 6e-6), or minima of equal objective (to 1e-8) some way apart.
    Cs = (3e-3, 0.3)
    found = HyperbolicSVCCV(Cs, **settings).fit(MemoryBlocks(X, y, rows_per_block=800), None)
    expected = HyperbolicSVCCV(Cs, cv=drawn(), **settings).fit(X, y)
    np.testing.assert_array_equal(found.C_, expected.C_)
    np.testing.assert_array_equal(found.score_functions_, expected.score_functions_)
    np.testing.assert_array_equal(found.n_folds_, expected.n_folds_)
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-6)
    # Scores of one bin count as equal, and fits of folds end at minima close together: which of
    # them depends on rounding, and moves a score by up to 2.2e-4 with the compilers tried.
    np.testing.assert_allclose(found.cv_scores_, expected.cv_scores_, atol=5e-4)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-3)


def test_the_last_fit_is_that_of_the_classifier_for_one_C(clouds):
    X, y = clouds(3, 3000)
    blocks = MemoryBlocks(X, y, rows_per_block=800)
    found = HyperbolicSVCCV(CS, **EXACT).fit(blocks, None)
    for k, C in enumerate(found.C_):
        one = HyperbolicSVC(C, **EXACT).fit(blocks, None)
        np.testing.assert_array_equal(found.coef_[k], one.coef_[k])


def test_rows_on_disk_give_the_bits_of_rows_in_memory(tmp_path, clouds):
    X, y = clouds(3, 3000)
    np.save(tmp_path / "X.npy", X)
    rows = np.load(tmp_path / "X.npy", mmap_mode="r")
    on_disk = HyperbolicSVCCV(CS, **EXACT).fit(DiskBlocks(rows, y, rows_per_block=800), None)
    here = HyperbolicSVCCV(CS, **EXACT).fit(MemoryBlocks(X, y, rows_per_block=800), None)
    np.testing.assert_array_equal(on_disk.coef_, here.coef_)
    np.testing.assert_array_equal(on_disk.predict_proba(rows), here.predict_proba(X))


def test_weights_count_in_the_choice_and_in_the_probabilities(drawn, clouds):
    X, y = clouds(2, m=3000)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(X))
    settings = {**EXACT, "class_weight": {0: 1.0, 1: 2.0}}
    blocks = MemoryBlocks(X, y, weights, rows_per_block=800)
    found = HyperbolicSVCCV(CS, **settings).fit(blocks, None)
    kept = weights > 0
    expected = HyperbolicSVCCV(CS, cv=drawn(), **settings).fit(X[kept], y[kept], weights[kept])
    np.testing.assert_array_equal(found.C_, expected.C_)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_weights_of_any_size_are_the_same_problem_where_C_makes_up_for_them(size, clouds):
    X, y = clouds(2, m=3000)
    blocks = [MemoryBlocks(X, y, np.full(len(X), each), rows_per_block=800) for each in (1.0, size)]
    one, other = (
        HyperbolicSVCCV(np.array(CS) / each, **EXACT).fit(rows, None)
        for each, rows in zip((1.0, size), blocks, strict=True)
    )
    np.testing.assert_allclose(other.C_ * size, one.C_)
    np.testing.assert_allclose(other.objective_, one.objective_, rtol=1e-8)


def test_a_class_of_a_single_row_takes_the_middle_C_with_a_warning(clouds):
    X, y = clouds(3, m=900)
    y[y == 2] = 1
    y[5] = 2
    with pytest.warns(UserWarning, match="no cross validation for class 2"):
        found = HyperbolicSVCCV(CS, **EXACT).fit(MemoryBlocks(X, y, rows_per_block=400), None)
    assert found.n_folds_.tolist() == [5, 5, 0]
    assert found.C_[2] == 1.0
    assert np.isnan(found.cv_scores_[2]).all()
    np.testing.assert_allclose(found.predict_proba(X).sum(axis=1), 1.0)


def test_a_class_of_fewer_rows_than_folds_is_left_out_row_by_row(clouds):
    X, y = clouds(2, m=900)
    y[y == 1] = 0
    y[[3, 500, 800]] = 1
    found = HyperbolicSVCCV(CS, **EXACT).fit(MemoryBlocks(X, y, rows_per_block=400), None)
    assert np.isfinite(found.cv_scores_).all()


def test_a_splitter_is_refused_for_blocks(clouds):
    X, y = clouds(2, m=3000)
    with pytest.raises(ValueError, match="cv is a number of folds"):
        HyperbolicSVCCV(cv=[(np.arange(9), np.arange(9))]).fit(MemoryBlocks(X, y), None)


def test_other_classifiers_say_that_they_need_memory(clouds):
    X, y = clouds(2, m=3000)
    with pytest.raises(ValueError, match="EuclideanSVCCV needs its rows in memory"):
        EuclideanSVCCV().fit(MemoryBlocks(X, y), None)


def test_few_rows_are_fitted_in_memory(monkeypatch, clouds):
    monkeypatch.setattr(block_fits, "MOST_ROWS", 10_000)
    X, y = clouds(3, 3000)
    found = HyperbolicSVCCV(CS, **EXACT).fit(MemoryBlocks(X, y, rows_per_block=800), None)
    expected = HyperbolicSVCCV(CS, **EXACT).fit(X, y)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_array_equal(found.cv_scores_, expected.cv_scores_)


@pytest.mark.parametrize("metric", list(METRICS))
def test_the_metric_of_a_histogram_is_that_of_the_scores(metric):
    rng = np.random.default_rng(0)
    labels = rng.choice([-1, 1], 5000)
    scores = labels + rng.normal(size=5000)
    exact = METRICS[metric](labels, scores, None)
    for n_bins, accuracy in ((20_000, 1e-12), (2000, 1e-3), (200, 1e-2)):
        edges = np.quantile(scores, np.linspace(0, 1, n_bins + 1)[1:-1])
        place = np.searchsorted(edges, scores)
        counts = [np.bincount(place[labels == sign], minlength=n_bins) for sign in (1, -1)]
        histogram = fold_scores.Histogram(np.arange(float(n_bins)), *map(np.asarray, counts))
        assert histogram.metric(metric) == pytest.approx(exact, abs=accuracy)


def test_sums_of_sigmoids_are_those_of_all_rows(clouds):
    X, y = clouds(2, m=500)
    packed = MemoryBlocks(X, y, rows_per_block=200).prepared(pack_block, "tangent")
    ready = packed.prepared(ready_block, np.arange(2))
    divided = with_folds(ready, 2, 2, seed=0)
    fits = [
        SoftMarginResult(0.1, 0.2, np.array([np.cos(k), np.sin(k)]), 1.0, 1, 1, True, "")
        for k in range(2)
    ]
    planes = [Hyperplanes.of_results([fit]) for fit in fits]
    scorer = fold_scores.FoldScores(planes, [(1, -1)], [False])
    sigmoid, targets = np.array([[0.7, -0.2]]), np.array([[0.9, 0.1]])
    [sums] = fold_scores.sigmoid_sums(divided, scorer, sigmoid, targets)
    folds = np.concatenate([block.folds for block in divided.map(itself)])
    points = Points.from_chart(X, "tangent")
    scores = np.column_stack([points.scores(each)[:, 0] for each in planes])[
        np.arange(len(X)), folds
    ]

    def value(slope, intercept):
        log_odds = slope * scores + intercept
        return (np.logaddexp(0.0, log_odds) - np.where(y == 1, 0.9, 0.1) * log_odds).sum()

    step = 1e-5
    assert sums[0] == pytest.approx(value(0.7, -0.2))
    by_slope = (value(0.7 + step, -0.2) - value(0.7 - step, -0.2)) / (2 * step)
    assert sums[1] == pytest.approx(by_slope, rel=1e-6)
    by_intercept = (value(0.7, -0.2 + step) - value(0.7, -0.2 - step)) / (2 * step)
    assert sums[2] == pytest.approx(by_intercept, rel=1e-6)
