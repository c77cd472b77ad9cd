"""The rows of a sample: about so many of each class, each drawn in proportion to its weight."""

import numpy as np
import pytest

from hyplane.native import core


def test_every_row_of_a_class_has_the_same_chance():
    rng = np.random.default_rng(0)
    labels = rng.choice([-1, 0, 1], 500).astype(np.int8)
    times = np.zeros(500)
    for seed in range(4000):
        times[core.draw_rows(labels, None, 50, 20, seed)[0]] += 1
    assert (times[labels == 0] == 0).all()
    for label, wanted in ((-1, 50), (1, 20)):
        first, *others = np.flatnonzero(labels == label)
        assert times[first] == 4000  # so that a class is never missing
        expected = 4000 * wanted / (1 + len(others))
        assert np.abs(times[others] - expected).max() < 5 * np.sqrt(expected)


def test_as_many_rows_are_drawn_as_are_wanted_up_to_chance():
    labels = np.where(np.random.default_rng(1).random(40_000) < 0.3, 1, -1).astype(np.int8)
    rows, drawn = core.draw_rows(labels, None, 2000, 500, 0)
    rows = np.array(rows)
    assert (np.diff(rows) > 0).all()
    for label, wanted in ((-1, 2000), (1, 500)):
        own = labels[rows] == label
        assert own.sum() == pytest.approx(wanted, abs=5 * np.sqrt(wanted))
        assert drawn[own].sum() == pytest.approx((labels == label).sum())


def test_all_rows_of_a_class_are_drawn_where_all_are_wanted():
    labels = np.array([1, -1, 0, -1, -1], dtype=np.int8)
    rows, drawn = core.draw_rows(labels, None, 3, 1, 0)
    assert rows == [0, 1, 3, 4]
    np.testing.assert_array_equal(drawn, 1.0)


def test_rows_drawn_by_weight_stand_for_the_weight_of_their_class():
    rng = np.random.default_rng(1)
    labels = rng.choice([-1, 0, 1], 20_000).astype(np.int8)
    weights = np.exp(3.0 * rng.standard_normal(20_000))
    rows, drawn = core.draw_rows(labels, weights, 300, 200, 0)
    rows = np.array(rows)
    assert (np.diff(rows) > 0).all()
    assert (drawn >= 0.9 * weights[rows]).all()
    for label, wanted in ((-1, 300), (1, 200)):
        own = labels[rows] == label
        assert own.sum() == pytest.approx(wanted, abs=5 * np.sqrt(wanted))
        assert drawn[own].sum() == pytest.approx(weights[labels == label].sum())
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
        times[core.draw_rows(labels, weights, 1, 8, seed)[0]] += 1
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
        rows, drawn = core.draw_rows(labels, weights, wanted, wanted, 3)
        assert {1, -1} == set(labels[rows])
        assert np.isfinite(drawn).all()
    with pytest.raises(ValueError, match="needs a weight"):
        core.draw_rows(labels, np.ones(2), 1, 1, 0)
