"""Many classes on the same rows: the hyperplanes are minima of the objective on all rows."""

import numpy as np
import pytest

from hyplane.solvers import OneVsRest, Points, one_vs_rest, solve_soft_margin


def many_classes(n_classes, n_per_class, n_dim, spread=0.3, seed=0):
    rng = np.random.default_rng(seed)
    centers = 1.5 * rng.normal(size=(n_classes, n_dim))
    codes = np.repeat(np.arange(n_classes), n_per_class)
    X = centers[codes] + spread * rng.normal(size=(len(codes), n_dim))
    return Points.from_chart(X, "tangent"), codes


def signs(codes, k):
    return np.where(codes == k, np.int8(1), np.int8(-1))


@pytest.mark.parametrize(
    ("n_classes", "n_dim", "spread"), [(40, 2, 0.3), (80, 5, 1.0), (60, 10, 0.3)]
)
def test_the_value_is_the_objective_on_all_rows(n_classes, n_dim, spread):
    points, codes = many_classes(n_classes, 60, n_dim, spread)
    shared = OneVsRest(points, codes)
    for k in range(0, n_classes, 9):
        result = shared.solve(k, seed=k)
        assert result.converged
        everywhere = points.soft_margin_objective(result, signs(codes, k), C=1.0)
        assert result.objective == pytest.approx(everywhere, rel=1e-10)


def test_the_hyperplanes_are_as_good_as_those_of_the_solver_on_all_rows():
    points, codes = many_classes(60, 60, 10)
    shared = OneVsRest(points, codes)
    for k in range(0, 60, 6):
        alone = solve_soft_margin(points, signs(codes, k), seed=k)
        assert shared.solve(k, seed=k).objective <= alone.objective * (1 + 1e-5)


def test_the_result_is_stationary_on_all_rows():
    """Started at the result, the solver on all rows finds no decrease."""
    points, codes = many_classes(50, 60, 3)
    shared = OneVsRest(points, codes)
    for k in (0, 17, 42):
        found = shared.solve(k, seed=k)
        again = solve_soft_margin(points, signs(codes, k), starts=[found], seed=k)
        nearby = np.linalg.norm(again.normal - found.normal) < 0.01
        assert not nearby or again.objective == pytest.approx(found.objective, rel=1e-5)


def test_weights_count_like_repeated_rows():
    points, codes = many_classes(40, 60, 3)
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 4, size=len(codes))
    repeated = np.repeat(np.arange(len(codes)), counts)
    weighted = OneVsRest(points, codes, counts.astype(float)).solve(3)
    plain = OneVsRest(points[repeated], codes[repeated]).solve(3)
    assert weighted.objective == pytest.approx(plain.objective, rel=1e-5)


def test_a_class_of_many_rows_is_left_to_the_solver_on_all_rows():
    points, codes = many_classes(3, 900, 2)
    alone = solve_soft_margin(points, signs(codes, 1), seed=5)
    assert OneVsRest(points, codes).solve(1, seed=5).objective == alone.objective


def test_where_most_rows_count_the_solver_goes_back_to_all_rows(monkeypatch):
    """With a small C the margin is so wide that nearly every row is inside it."""
    called = []
    alone = OneVsRest._on_all_rows

    def watched(self, *arguments):
        called.append(arguments)
        return alone(self, *arguments)

    monkeypatch.setattr(OneVsRest, "_on_all_rows", watched)
    monkeypatch.setattr(one_vs_rest, "_ROUNDS", 1)
    points, codes = many_classes(40, 60, 2, spread=2.0)
    result = OneVsRest(points, codes, C=1e-5).solve(0)
    assert called
    everywhere = points.soft_margin_objective(result, signs(codes, 0), C=1e-5)
    assert result.objective == pytest.approx(everywhere, rel=1e-10)


def test_a_start_leads_to_the_same_minimum():
    points, codes = many_classes(40, 60, 5)
    shared = OneVsRest(points, codes)
    first = shared.solve(4)
    assert shared.solve(4, start=first).objective == pytest.approx(first.objective, rel=1e-6)
