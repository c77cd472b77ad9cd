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
