"""Heavy rows, repeated rows and high dimension: the minimum is reached among any number of rows."""

import numpy as np
import pytest
from helpers import signs

from hyplane import HyperbolicSVC
from hyplane.out_of_core import MemoryBlocks
from hyplane.solvers import Points, solve_soft_margin


@pytest.fixture
def over_blocks_of(limits):
    """Return a fit to rows that are read block by block, of which no sample holds all."""
    limits(MOST_ROWS=0, SAMPLE_ROWS=4096, MOST_SAMPLED=8192)

    def fit(V, y, weights=None, seed=0):
        blocks = MemoryBlocks(V, y, weights, rows_per_block=5000)
        clf = HyperbolicSVC(coordinates="tangent", random_state=seed).fit(blocks, None)
        return clf.results_[0]

    return fit


@pytest.mark.parametrize("n", [1, 2, 6])
def test_points_that_outweigh_thousands_of_others_are_kinks(n, descended, over_blocks_of):
    rng = np.random.default_rng(n)
    m, k, times = 30_000, 8, 4000
    V = rng.standard_normal((m + k, n))
    y = signs(V[:, 0] + rng.standard_normal(m + k) > 0)
    weights = np.r_[np.ones(m), np.full(k, float(times))]
    different = Points.from_chart(V, "tangent")
    found = [solve_soft_margin(different, y, weights, seed=seed) for seed in range(4)]
    best = min(each.objective for each in found)
    best = min(best, descended(different, y, found[0], weights, max_iter=100))
    rows = np.r_[np.arange(m), np.repeat(np.arange(m, m + k), times)]
    anywhere, order = rng.permutation(rows), rng.permutation(m + k)
    found += [solve_soft_margin(different[each], y[each]) for each in (rows, anywhere)]
    if n > 1:
        found += [
            over_blocks_of(V[order], y[order], weights[order]),
            over_blocks_of(V[anywhere], y[anywhere]),
        ]
    for each in found:
        assert each.converged
        assert each.objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [2, 10])
def test_a_rare_class_as_heavy_as_the_other_has_its_minimum_in_large_data(n, descended):
    # What class_weight="balanced" makes of 40 rows among 40 000.
    rng = np.random.default_rng(n)
    V = rng.standard_normal((40_000, n))
    score = V[:, 0] + 0.7 * rng.standard_normal(40_000)
    positive = score >= np.sort(score)[-40]
    y, weights = np.where(positive, 1, -1).astype(np.int8), np.where(positive, 500.0, 0.5)
    points = Points.from_chart(V, "tangent")
    seeds = [solve_soft_margin(points, y, weights, seed=seed) for seed in range(6)]
    best = min(each.objective for each in seeds)
    best = min(best, descended(points, y, seeds[0], weights, max_iter=100))
    found = seeds[:2]
    assert all(each.converged for each in found)
    assert [each.objective for each in found] == pytest.approx([best] * 2, rel=1e-5)


@pytest.mark.parametrize(("apart", "C"), [(9.0, 1.0), (2.4, 1.0), (0.6, 1.0), (0.6, 100.0)])
def test_in_150_dimensions_a_fit_converges_and_not_above_an_independent_descent(
    apart, C, descended
):
    rng = np.random.default_rng(1)
    y = np.where(rng.random(600) < 0.5, 1, -1).astype(np.int8)
    V = rng.standard_normal((600, 150))
    V[:, 0] += apart * y
    points = Points.from_chart(2.0 / np.sqrt(150) * V, "tangent")
    found = solve_soft_margin(points, y, C=C)
    assert found.converged
    assert found.n_iter < 100
    means = V[y < 0].mean(axis=0) - V[y > 0].mean(axis=0)
    for start in (means, rng.standard_normal(150)):
        assert found.objective <= descended(points, y, np.r_[0.0, 0.0, start], C=C)
    assert found.objective <= descended(points, y, found, C=C) * (1 + 1e-6)


@pytest.mark.parametrize("where", ["in memory", "over blocks"])
def test_points_that_are_repeated_thousands_of_times_count_as_their_weight(where, over_blocks_of):
    # More than four fifths of all rows are copies of 15 points, each of which is a kink. There are
    # many minima, in which seeds differ.
    rng = np.random.default_rng(0)
    different, repeated, times = 8000, 15, 3000
    V = rng.standard_normal((different + repeated, 10))
    y = np.where(rng.random(different + repeated) < 0.5, 1, -1).astype(np.int8)
    V[:, 0] += np.where(np.arange(len(y)) < different, 0.8, 0.3) * y
    rows = np.r_[np.arange(different), different + np.repeat(np.arange(repeated), times)]
    weights = np.r_[np.ones(different), np.full(repeated, float(times))]
    points = Points.from_chart(V, "tangent")
    best = min(solve_soft_margin(points, y, weights, seed=seed).objective for seed in range(8))
    found = [
        over_blocks_of(V[rows], y[rows], seed=seed)
        if where == "over blocks"
        else solve_soft_margin(points[rows], y[rows], seed=seed)
        for seed in range(4)
    ]
    values = [each.objective for each in found]
    assert all(each.converged for each in found)
    assert values == pytest.approx([best] * 4, rel=1e-3)
    assert min(values) == pytest.approx(best, rel=1e-5)
