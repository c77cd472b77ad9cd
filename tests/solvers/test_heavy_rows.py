"""Where quasi-Newton would end above the minimum: heavy rows of large data, high dimension."""

import numpy as np
import pytest

from hyplane.native import core
from hyplane.solvers import Points, solve_soft_margin


@pytest.mark.parametrize("n", [1, 2, 6])
@pytest.mark.parametrize("order", ["at the end", "anywhere"])
def test_points_that_outweigh_thousands_of_others_are_kinks(n, order):
    rng = np.random.default_rng(n)
    m, k, times = 30_000, 8, 4000
    V = rng.standard_normal((m + k, n))
    y = np.where(V[:, 0] + rng.standard_normal(m + k) > 0, 1, -1).astype(np.int8)
    weights = np.r_[np.ones(m), np.full(k, float(times))]
    all_by_kinks = core.Tuning()
    all_by_kinks.kink_steps_rows = 10**6
    different = Points.from_chart(V, "tangent")
    best = min(
        solve_soft_margin(different, y, weights, seed=seed, tuning=all_by_kinks).objective
        for seed in range(2)
    )
    weighted = solve_soft_margin(different, y, weights)
    rows = np.r_[np.arange(m), np.repeat(np.arange(m, m + k), times)]
    if order == "anywhere":
        rows = rng.permutation(rows)
    repeated = solve_soft_margin(different[rows], y[rows])
    for each in (weighted, repeated):
        assert each.converged
        assert each.objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [2, 10])
def test_a_rare_class_as_heavy_as_the_other_has_its_minimum_in_large_data(n):
    # What class_weight="balanced" makes of 40 rows among 40 000.
    rng = np.random.default_rng(n)
    V = rng.standard_normal((40_000, n))
    score = V[:, 0] + 0.7 * rng.standard_normal(40_000)
    positive = score >= np.sort(score)[-40]
    y, weights = np.where(positive, 1, -1).astype(np.int8), np.where(positive, 500.0, 0.5)
    points = Points.from_chart(V, "tangent")
    all_by_kinks = core.Tuning()
    all_by_kinks.kink_steps_rows = 10**6
    found = [solve_soft_margin(points, y, weights, seed=seed) for seed in range(2)]
    best = min(
        solve_soft_margin(points, y, weights, seed=seed, tuning=all_by_kinks).objective
        for seed in range(2)
    )
    assert all(each.converged for each in found)
    assert [each.objective for each in found] == pytest.approx([best] * 2, rel=1e-5)


@pytest.mark.parametrize(("apart", "C"), [(9.0, 1.0), (2.4, 1.0), (0.6, 1.0), (0.6, 100.0)])
def test_in_150_dimensions_a_fit_converges_and_not_above_quasi_newton(apart, C):
    rng = np.random.default_rng(1)
    y = np.where(rng.random(600) < 0.5, 1, -1).astype(np.int8)
    V = rng.standard_normal((600, 150))
    V[:, 0] += apart * y
    points = Points.from_chart(2.0 / np.sqrt(150) * V, "tangent")
    by_quasi_newton = core.Tuning()
    by_quasi_newton.kink_steps_parameters = 128
    found = solve_soft_margin(points, y, C=C)
    assert found.converged
    assert found.n_iter < 100
    assert found.objective <= solve_soft_margin(points, y, C=C, tuning=by_quasi_newton).objective


def test_quasi_newton_does_not_take_a_kink_of_many_rows_for_an_infinite_curvature():
    # It is the method for rows over blocks. Where a fifth of all rows were at one kink, it took the
    # start for the minimum.
    rng = np.random.default_rng(0)
    different, repeated, times = 8000, 15, 3000
    V = rng.standard_normal((different + repeated, 10))
    y = np.where(rng.random(different + repeated) < 0.5, 1, -1).astype(np.int8)
    V[:, 0] += np.where(np.arange(len(y)) < different, 0.8, 0.3) * y
    rows = np.r_[np.arange(different), different + np.repeat(np.arange(repeated), times)]
    points, labels = Points.from_chart(V[rows], "tangent"), y[rows]
    plain = core.Tuning()
    plain.often_seen, plain.repeated_rows, plain.least_repeats = 10**6, 10**6, 10**6
    found = solve_soft_margin(points, labels, tuning=plain)
    best = solve_soft_margin(points, labels).objective
    assert found.objective == pytest.approx(best, rel=1e-3)
    plain.narrowest_band = 0.0
    before = solve_soft_margin(points, labels, tuning=plain)
    assert before.n_iter == 0
    assert before.objective > 1.005 * best
