"""The soft margin over blocks: the minimum of the solver in memory, few passes, any division."""

import numpy as np
import pytest
from helpers import count_passes

from hyplane.native import core
from hyplane.out_of_core import MemoryBlocks
from hyplane.solvers import Points, SoftMargin, solve_soft_margin
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.over_blocks import solve_over_blocks
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import BinaryProblem


@pytest.fixture(autouse=True)
def _small_samples(limits):
    limits(SAMPLE_ROWS=1024, MOST_SAMPLED=2048)


def gaussians(n_rows, n_dim, apart, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.4
    X = rng.normal(size=(n_rows, n_dim))
    X[:, 0] += apart * (2 * y - 1)
    return X, y


def repeated(n_rows, n_dim, apart, n_points=100, seed=0):
    """Return classes that overlap, with few kinks: rows of 100 points, each with either label.

    Where all rows differ, kinks make many minima within 1e-8 of the lowest.
    """
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_points, n_dim))
    row = rng.integers(n_points, size=n_rows)
    y = rng.random(n_rows) < 1 / (1 + np.exp(-2 * apart * points[row, 0]))
    return points[row], y


def read(X, y, rows_per_block=700, weight=None, n_threads=1, seed=0):
    blocks = MemoryBlocks(X, y, weight, rows_per_block=rows_per_block, n_threads=n_threads)
    rows = OutOfCoreRows.read(count_passes(blocks), "tangent", -1.0, seed)
    blocks.passes.clear()
    return rows


def solved(X, y, problems, *, C=1.0, n_threads=1, tol=1e-6, **options):
    return solved_in_passes(X, y, problems, C=C, n_threads=n_threads, tol=tol, **options)[0]


def solved_in_passes(X, y, problems, *, C=1.0, n_threads=1, tol=1e-6, **options):
    """Return the results and the number of passes."""
    rows = read(X, y, n_threads=n_threads, **options)
    solver = SoftMargin(tol, n_threads=n_threads)
    results = solve_over_blocks(solver, rows, problems, np.broadcast_to(C, len(problems)))
    return results, len(rows.blocks.passes)


def in_memory(X, labels, weight=None, **options):
    rows = Points.from_chart(X, "tangent", pack=True)
    return solve_soft_margin(rows, np.asarray(labels, dtype=np.int8), weight, **options)


@pytest.mark.parametrize("apart", [0.3, 1.5, 6.0])
@pytest.mark.parametrize("n_dim", [2, 8])
def test_the_objective_is_that_of_the_solver_in_memory(apart, n_dim, descended):
    X, y = gaussians(20_000, n_dim, apart)
    [result] = solved(X, y, [BinaryProblem(1)], tol=1e-10)
    expected = in_memory(X, np.where(y, 1, -1), tol=1e-10)
    assert result.converged
    # Kinks make many minima within 1e-8 of the lowest, and which is found depends on rounding.
    assert result.objective == pytest.approx(expected.objective, rel=1e-6)
    value = Points.from_chart(X, "tangent", pack=True).packed
    labels = np.where(y, 1, -1).astype(np.int8)
    lowest = descended(Points.from_chart(X, "tangent"), labels, result, max_iter=100)
    assert result.objective <= lowest * (1 + 2e-8)
    told = core.loss_and_gradient(
        value, labels, None, 1.0, result.log_scale, result.offset, result.normal
    )[0]
    assert result.objective == pytest.approx(told, rel=1e-12)


def test_few_passes_are_needed():
    for apart in (0.3, 1.5):
        X, y = gaussians(20_000, 2, apart)
        assert solved_in_passes(X, y, [BinaryProblem(1)])[1] <= 12


def test_neither_threads_nor_the_sample_depend_on_how_rows_are_divided():
    X, y = gaussians(5000, 2, 0.5)
    first = solved(X, y, [BinaryProblem(1)], rows_per_block=5000)[0]
    for rows_per_block, n_threads in ((5000, 2), (7, 1), (640, 3)):
        [again] = solved(
            X, y, [BinaryProblem(1)], rows_per_block=rows_per_block, n_threads=n_threads
        )
        assert again.objective == pytest.approx(first.objective, rel=1e-12)
        np.testing.assert_allclose(again.normal, first.normal, rtol=1e-6)


def test_weights_and_rows_of_weight_zero():
    X, y = gaussians(6000, 3, 0.7)
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    X[weight == 0] = np.nan  # these do not count, and need not be points
    [result] = solved(X, y, [BinaryProblem(1)], weight=weight, tol=1e-10)
    kept = weight > 0
    expected = in_memory(X[kept], np.where(y[kept], 1, -1), weight[kept], tol=1e-10)
    assert result.objective == pytest.approx(expected.objective, rel=1e-9)


def test_problems_of_many_kinds_share_passes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 9000)
    X = rng.normal(size=(9000, 2)) + 1.2 * np.eye(3)[y][:, :2]
    problems = [BinaryProblem(0), BinaryProblem(2), BinaryProblem(1, 0), BinaryProblem(2, 1)]
    Cs = [1.0, 0.1, 1.0, 5.0]
    together, shared = solved_in_passes(X, y, problems, C=Cs, tol=1e-9)
    alone = 0
    for problem, C, result in zip(problems, Cs, together, strict=True):
        labels = np.where(y == problem.positive, 1, -1)
        if problem.negative >= 0:
            labels[(y != problem.positive) & (y != problem.negative)] = 0
        expected = in_memory(X, labels, C=C, tol=1e-9)
        assert result.objective == pytest.approx(expected.objective, rel=1e-8)
        [single], n_passes = solved_in_passes(X, y, [problem], C=C, tol=1e-9)
        assert single.objective == pytest.approx(result.objective, rel=1e-8)
        alone += n_passes
    assert shared < 0.6 * alone


def test_where_one_problem_is_solved_the_next_takes_its_place_in_the_passes(limits):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 9000)
    X = rng.normal(size=(9000, 2)) + 1.2 * np.eye(4)[y][:, :2]
    problems, Cs = [BinaryProblem(k) for k in range(4) for _ in range(2)], [0.1, 1.0] * 4
    together = solved(X, y, problems, C=Cs, tol=1e-9)
    limits(PROBLEMS_TOGETHER=2)
    in_pairs, n_passes = solved_in_passes(X, y, problems, C=Cs, tol=1e-9)
    limits(PROBLEMS_TOGETHER=1)
    one_by_one, n_alone = solved_in_passes(X, y, problems, C=Cs, tol=1e-9)
    assert n_passes < 0.7 * n_alone
    for results in (in_pairs, one_by_one):
        for found, expected in zip(results, together, strict=True):
            assert found.objective == pytest.approx(expected.objective, rel=1e-8)


def test_an_error_in_a_block_ends_the_fit():
    X, y = gaussians(6000, 2, 0.7)
    rows = read(X, y, rows_per_block=1000)
    original = rows.map

    def failing(function, *args):
        for k, answer in enumerate(original(function, *args)):
            if k == 3 and function.__name__ == "_answers":
                raise ZeroDivisionError
            yield answer

    rows.map = failing
    problems = [BinaryProblem(1), BinaryProblem(0)]
    with pytest.raises(ZeroDivisionError):
        solve_over_blocks(SoftMargin(n_threads=2), rows, problems, [1.0, 1.0])


def test_rows_of_a_fold_do_not_count():
    X, y = repeated(6000, 2, 0.6)
    rows = read(X, y, rows_per_block=1000).with_folds(3, seed=0)
    problem = BinaryProblem(1, left_out=2)
    [result] = solve_over_blocks(SoftMargin(tol=1e-10), rows, [problem], [1.0])
    left_out = np.concatenate(list(rows.map(lambda block: block.folds))) == 2
    labels = np.where(left_out, 0, np.where(y, 1, -1))
    expected = in_memory(X, labels, tol=1e-10)
    assert result.objective == pytest.approx(expected.objective, rel=1e-9)


def test_points_beyond_radius_80_are_left_to_the_sample_and_that_is_said():
    X, y = gaussians(4000, 2, 6.0)
    X *= 40
    [result] = solved(X, y, [BinaryProblem(1)])
    assert not result.converged
    assert "sample" in result.reason
    scores = Points.from_chart(X, "tangent").scores(Hyperplanes.of_results([result]))[:, 0]
    assert np.mean((scores > 0) == y) > 0.99


def test_many_classes_are_solved_in_few_passes(limits, descended):
    limits(MOST_SAMPLED=4000)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 80)
    X = 2.5 * rng.normal(size=(100, 3))[y] + 0.3 * rng.normal(size=(8000, 3))
    results, n_passes = solved_in_passes(X, y, [BinaryProblem(k) for k in range(100)])
    assert n_passes <= 16
    points = Points.from_chart(X, "tangent")
    for k in (0, 17, 99):
        labels = np.where(y == k, 1, -1)
        # A minimum on all rows, and hardly higher than that of a whole search in memory.
        lowest = descended(points, labels, results[k], max_iter=100)
        assert results[k].objective <= lowest * (1 + 1e-5)
        assert results[k].objective <= in_memory(X, labels, tol=1e-9).objective * 1.01


def test_many_classes_that_overlap_are_minima_on_all_rows_after_few_passes(limits):
    limits(SAMPLE_ROWS=2400)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 100)
    X = 1.5 * rng.normal(size=(60, 3))[y] + 0.3 * rng.normal(size=(6000, 3))
    results, n_passes = solved_in_passes(X, y, [BinaryProblem(k) for k in range(60)])
    assert n_passes <= 12
    points = Points.from_chart(X, "tangent", pack=True).packed
    ratios = []
    for k in range(0, 60, 12):
        labels, found = np.where(y == k, 1, -1).astype(np.int8), results[k]

        def value(plane, labels=labels):
            normal = plane[2:] / np.linalg.norm(plane[2:])
            offset = max(plane[1], -points.largest_radius - 8.0)  # the limit of the bound
            return core.loss_and_gradient(points, labels, None, 1.0, plane[0], offset, normal)[0]

        plane = np.array([found.log_scale, found.offset, *found.normal])
        assert found.objective == pytest.approx(value(plane), rel=1e-9)
        steps = rng.normal(size=(60, 5)) * 10.0 ** -rng.uniform(2, 7, size=(60, 1))
        around = [value(plane + step) for step in steps]
        assert found.objective <= min(around) * (1 + 1e-7)
        ratios.append(found.objective / in_memory(X, labels).objective)
    assert np.mean(ratios) < 1.01


class TestSample:
    """A sample has so many rows of each class, whatever the blocks."""

    def draw(self, rows_per_block, n_rows=30_000, seed=0):
        X, y = gaussians(n_rows, 2, 1.0)
        y = y & (np.arange(n_rows) % 10 == 0)  # a rare class
        rows = read(X, y, rows_per_block=rows_per_block, seed=seed)
        return rows.sample, rows.summary

    def test_it_does_not_depend_on_the_blocks(self):
        first, _ = self.draw(30_000, seed=3)
        second, _ = self.draw(777, seed=3)
        np.testing.assert_array_equal(first.numbers, second.numbers)
        assert not np.array_equal(first.numbers, self.draw(777, seed=4)[0].numbers)

    def test_each_class_is_sampled_for_itself(self):
        sample, summary = self.draw(1000)
        taken = np.bincount(sample.codes)
        wanted = np.minimum(summary.counts, 512)
        assert np.all(abs(taken - wanted) <= 4 * np.sqrt(wanted) * (summary.counts > 512))
        np.testing.assert_allclose(np.bincount(sample.codes, sample.weights), summary.counts)

    def test_rows_are_drawn_evenly(self):
        sample, summary = self.draw(1000)
        common = sample.numbers[sample.codes == 0]
        assert abs(common.mean() / summary.n_counted - 0.5) < 0.05
