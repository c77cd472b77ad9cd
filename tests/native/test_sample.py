"""The rows of a sample: so many of each class, spread over all rows, the same in any threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyplane.native import core


def places_in_class(labels, label):
    """Of each row, its place among the rows of a class."""
    return np.cumsum(labels == label) - 1


@given(
    m=st.integers(0, 40_000),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    positive=st.floats(0, 1),
    seed=st.integers(0, 2**64 - 1),
    n_threads=st.integers(1, 4),
)
def test_one_row_of_each_stretch_of_a_class_is_drawn(m, shares, positive, seed, n_threads):
    rng = np.random.default_rng(m)
    labels = np.where(rng.random(m) < positive, 1, -1).astype(np.int8)
    labels[rng.random(m) < 0.1] = 0
    count = [int((labels == label).sum()) for label in (-1, 1)]
    wanted = [int(share * each) for share, each in zip(shares, count, strict=True)]
    rows = np.array(core.draw_rows(labels, *wanted, seed, n_threads), dtype=np.int64)
    assert rows.tolist() == core.draw_rows(labels, *wanted, seed)
    for label, each, total in zip((-1, 1), wanted, count, strict=True):
        chosen = rows[labels[rows] == label]
        assert len(chosen) == each
        if each:
            # Stretches of nearly equal length, the longer ones first.
            ends = np.cumsum([len(part) for part in np.array_split(np.empty(total), each)])
            stretch = np.searchsorted(ends, places_in_class(labels, label)[chosen], side="right")
            np.testing.assert_array_equal(stretch, np.arange(each))


def test_every_row_of_a_stretch_has_the_same_chance():
    rng = np.random.default_rng(0)
    labels = rng.choice([-1, 1], 500).astype(np.int8)
    times = np.zeros(500)
    for seed in range(4000):
        times[core.draw_rows(labels, 50, 20, seed)] += 1
    for label, wanted in ((-1, 50), (1, 20)):
        stretches = np.array_split(times[labels == label], wanted)
        for each in stretches:
            expected = 4000 / len(each)
            assert each.sum() == 4000
            assert np.abs(each - expected).max() < 5 * np.sqrt(expected)


def test_more_rows_than_a_class_has_are_refused():
    with pytest.raises(ValueError, match="fewer rows"):
        core.draw_rows(np.array([1, -1, 1], dtype=np.int8), 2, 1, 0)


def test_rows_drawn_by_weight_stand_for_the_weight_of_their_class():
    rng = np.random.default_rng(1)
    labels = rng.choice([-1, 0, 1], 20_000).astype(np.int8)
    weights = np.exp(3.0 * rng.standard_normal(20_000))
    rows, drawn = core.draw_rows_by_weight(labels, weights, 300, 200, 0)
    rows = np.array(rows)
    assert (np.diff(rows) > 0).all()
    assert (drawn >= weights[rows]).all()
    for label, wanted in ((-1, 300), (1, 200)):
        own = labels[rows] == label
        assert own.sum() == pytest.approx(wanted, abs=2)
        assert drawn[own].sum() == pytest.approx(weights[labels == label].sum(), rel=0.01)
        # Rows that outweigh what one of the sample stands for are all there, as they are.
        certain = np.flatnonzero((labels == label) & (weights > drawn[own].min()))
        assert len(certain) > 20
        assert np.isin(certain, rows).all()


def test_rows_are_drawn_in_proportion_to_their_weights():
    labels = np.ones(40, dtype=np.int8)
    labels[0] = -1
    weights = np.random.default_rng(2).permutation(np.linspace(1.0, 2.0, 40))
    times = np.zeros(40)
    for seed in range(4000):
        times[core.draw_rows_by_weight(labels, weights, 1, 8, seed)[0]] += 1
    heaviest = weights == weights[1:].max()
    others = (labels == 1) & ~heaviest
    assert (times[~others] == 4000).all()
    expected = 4000 * 8 * weights / weights[1:].sum()
    assert np.abs(times - expected)[others].max() < 5 * np.sqrt(expected.max())


@pytest.mark.parametrize("wanted", [1, 2, 3, 100])
def test_a_class_has_a_row_in_every_sample_by_weight(wanted):
    labels = np.array([1, -1, -1, 1, 0], dtype=np.int8)
    for spread in (1.0, 1e3, 1e200):
        weights = np.array([1.0, spread, 1.0, 1 / spread, 1.0])
        rows, drawn = core.draw_rows_by_weight(labels, weights, wanted, wanted, 3)
        assert {1, -1} == set(labels[rows])
        assert np.isfinite(drawn).all()
    with pytest.raises(ValueError, match="needs a weight"):
        core.draw_rows_by_weight(labels, np.ones(2), 1, 1, 0)
