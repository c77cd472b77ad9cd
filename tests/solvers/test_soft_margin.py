"""The solver reaches the optimum: compared with an independent optimiser on varied problems."""

from dataclasses import dataclass

import numpy as np
import pytest

from hyplane.geometry import (
    apply_isometry,
    from_polar,
    lorentz_boost,
    minkowski_product,
    rotation,
    to_polar,
)
from hyplane.native import core
from hyplane.solvers import Points, solve_hard_margin, solve_soft_margin
from hyplane.solvers.result import DEGENERATE, STOP_REASONS, Hyperplanes
from hyplane.solvers.soft_margin import BOUNDS

N_PROBLEMS = 100
N_STARTS = 50


@dataclass
class Case:
    tangent: np.ndarray
    y: np.ndarray
    C: float


def varied_case(seed):
    """A binary problem: separable or not, balanced or not, near the origin or the boundary."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 2, 3, 5, 10, 20]))
    m = int(rng.choice([34, 60, 102]))
    share = rng.choice([0.5, 0.2, 1 / 51])
    between = rng.choice([0.0, 1.0, 3.0])
    largest_radius = rng.choice([0.5, 2.0, 5.0, 12.0])
    n_positive = max(2, round(m * share))
    y = np.r_[np.ones(n_positive), -np.ones(m - n_positive)]
    V = rng.standard_normal((m, n)) / np.sqrt(n)
    V[:, 0] += 0.5 * between * y
    V += 0.5 * rng.standard_normal(n)
    V *= largest_radius / np.linalg.norm(V, axis=1).max()
    return Case(V, y, float(rng.choice([0.01, 0.1, 1.0, 10.0, 100.0])))


def arrays(case):
    return Points.from_chart(case.tangent, "tangent"), case.y.astype(np.int8)


def solve(case, **options):
    return solve_soft_margin(*arrays(case), C=case.C, **options)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_objective_is_never_above_the_best_of_fifty_random_starts(block, best_of_starts):
    rng = np.random.default_rng(block)
    for seed in range(block * N_PROBLEMS // 20, (block + 1) * N_PROBLEMS // 20):
        case = varied_case(seed)
        best = best_of_starts(*arrays(case), case.C, N_STARTS, rng)
        result = solve(case, seed=0)
        assert result.converged, seed
        assert result.objective <= best * (1 + 1e-5), (seed, result.objective / best - 1)


@pytest.mark.parametrize("bound", BOUNDS)
def test_every_problem_converges_and_a_degenerate_one_says_why(bound):
    n_degenerate = 0
    for seed in range(80):
        result = solve(varied_case(seed), bound=bound)
        assert result.converged, (seed, result.reason)
        assert result.degenerate == (DEGENERATE[bound] in result.reason)
        n_degenerate += result.degenerate
    assert n_degenerate > 10


def overlapping_case(seed, m=150, n=3, C=1.0):
    """Balanced overlapping classes: their optimum lies well inside the bound."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2, 1.0, -1.0)
    V = rng.standard_normal((m, n))
    V[:, 0] += 0.8 * y
    return Case(V, y, C)


def predictions(result, tangent):
    points = Points.from_chart(tangent, "tangent")
    return points.scores(Hyperplanes.of_results([result]), "signed_distance")[:, 0] > 0


def test_the_reported_objective_is_the_papers():
    case = overlapping_case(0)
    result = solve(case)
    w = Hyperplanes.of_results([result]).w[0]
    x = from_polar(*to_polar(case.tangent, "tangent"), "hyperboloid")
    losses = np.maximum(0.0, np.arcsinh(1.0) - np.arcsinh(case.y * minkowski_product(x, w)))
    objective = -0.5 * minkowski_product(w, w) + case.C * losses.sum()
    assert result.objective == pytest.approx(objective, rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_an_isometry_of_the_points_changes_no_prediction_and_no_objective(seed):
    case = overlapping_case(seed)
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
    target = from_polar([1.0], [[0.6, 0.0, 0.8]], "hyperboloid")[0]
    plain = solve(case)
    assert abs(plain.offset) < np.linalg.norm(case.tangent, axis=1).max() - 0.5  # interior
    for isometry in (rotation(turn), lorentz_boost(target)):
        moved = Case(apply_isometry(isometry, case.tangent, "tangent"), case.y, case.C)
        other = solve(moved)
        assert other.objective == pytest.approx(plain.objective, rel=1e-7)
        assert (predictions(other, moved.tangent) == predictions(plain, case.tangent)).all()


@pytest.mark.parametrize("m", [150, 3000])
def test_permuting_the_rows_changes_nothing(m):
    case = overlapping_case(1, m=m)
    order = np.random.default_rng(0).permutation(m)
    plain = solve(case)
    permuted = solve(Case(case.tangent[order], case.y[order], case.C))
    assert permuted.objective == pytest.approx(plain.objective, rel=1e-7)
    assert (predictions(permuted, case.tangent) == predictions(plain, case.tangent)).mean() > 0.999


def test_large_data_reach_the_optimum_that_a_start_on_all_rows_reaches(descended):
    case = overlapping_case(3, m=40_000, n=2)
    result = solve(case, tol=1e-8)
    assert result.converged
    assert result.objective <= descended(*arrays(case), result, max_iter=100) * (1 + 1e-7)


def test_weights_count_as_repetitions():
    case = overlapping_case(4, m=80)
    weights = np.random.default_rng(1).integers(1, 4, 80)
    points = Points.from_chart(case.tangent, "tangent")
    repeats = Case(np.repeat(case.tangent, weights, axis=0), np.repeat(case.y, weights), case.C)
    # One in twelve searches of the repeated rows ends at a minimum that is 3 % higher.
    weighted, repeated = (
        min(search(seed).objective for seed in range(5))
        for search in (
            lambda seed: solve_soft_margin(
                points, case.y.astype(np.int8), weights.astype(float), seed=seed
            ),
            lambda seed: solve(repeats, seed=seed),
        )
    )
    assert weighted == pytest.approx(repeated, rel=1e-6)


@pytest.mark.parametrize("m", [1500, 6000, 40_000])
def test_rows_that_repeat_each_other_are_one_kink(m):
    # A hundred points, each with either label: all rows of a point and a label have the same kink.
    rng = np.random.default_rng(0)
    V = rng.standard_normal((100, 2))
    place = rng.integers(100, size=m)
    y = np.where(rng.random(m) < 1 / (1 + np.exp(-1.2 * V[place, 0])), 1.0, -1.0)
    results = [solve(Case(V[place], y, 1.0), seed=seed, tol=1e-10) for seed in range(4)]
    assert all(result.converged for result in results)
    values = [result.objective for result in results]
    assert values == pytest.approx([min(values)] * 4, rel=1e-9)


@pytest.mark.parametrize("n", [2, 10, 30])
def test_rows_drawn_for_the_curvature_lead_to_the_minimum_of_all_rows(n, descended):
    # Weights over four orders of magnitude: few rows count most.
    case = overlapping_case(n, m=1800, n=n)
    points, y = Points.from_chart(case.tangent, "tangent"), case.y.astype(np.int8)
    weights = np.exp(2.0 * np.random.default_rng(n).standard_normal(len(y)))
    found = [solve_soft_margin(points, y, weights, seed=seed) for seed in range(2)]
    assert all(each.converged for each in found)
    for each in found:
        assert each.objective <= descended(points, y, each, weights) * (1 + 1e-5)
    rng = np.random.default_rng(n)
    starts = np.c_[rng.uniform(-2, 1, 6), rng.uniform(-1, 1, 6), rng.standard_normal((6, n))]
    best = min(descended(points, y, start, weights, max_iter=150) for start in starts)
    assert min(each.objective for each in found) <= best * (1 + (1e-5 if n < 30 else 3e-3))


def test_many_rows_of_few_points_are_solved_as_weights_of_these():
    rng = np.random.default_rng(1)
    V = rng.standard_normal((300, 3))
    V[0, 1:] = 0.0, -0.0  # equal to its copies, whatever the sign of a zero
    place, weights = rng.integers(300, size=50_000), rng.random(50_000)
    tangent = V[place]
    tangent[::2] += 0.0
    y = np.where(rng.random(50_000) < 1 / (1 + np.exp(-2 * V[place, 0])), 1, -1).astype(np.int8)
    many = solve_soft_margin(Points.from_chart(tangent, "tangent"), y, weights)
    sums = np.bincount(place + 300 * (y > 0), weights, minlength=600)
    present = np.flatnonzero(sums)
    few = solve_soft_margin(
        Points.from_chart(V[present % 300], "tangent"),
        np.where(present >= 300, 1, -1).astype(np.int8),
        sums[present],
    )
    assert many.converged
    assert many.objective == pytest.approx(few.objective, rel=1e-6)


def test_the_same_seed_gives_the_same_hyperplane_bit_for_bit():
    case = overlapping_case(5, m=5000)
    first, second = solve(case, seed=3), solve(case, seed=3)
    assert first.objective == second.objective
    assert (first.normal == second.normal).all()


def test_a_rare_class_keeps_the_hyperplane_inside_the_ball_of_the_points():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((200, 2))
    y = np.r_[np.ones(3), -np.ones(197)]
    result = solve(Case(V, y, 1.0), bound="ball")
    assert result.converged
    assert abs(result.offset) <= np.linalg.norm(V, axis=1).max() * (1 + 1e-12)


def test_one_point_each_is_told_apart_by_the_perpendicular_bisector():
    result = solve(Case(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0]), 100.0))
    assert result.offset == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(result.normal, np.array([-1, 1]) / np.sqrt(2), atol=1e-6)


def test_identical_points_of_both_classes_have_a_finite_answer():
    result = solve(Case(np.full((20, 2), 0.3), np.tile([1.0, -1.0], 10), 1.0))
    assert result.converged
    # No hyperplane beats a vanishing one: every loss is arsinh 1.
    assert result.objective == pytest.approx(20 * np.arcsinh(1.0), rel=1e-5)


def test_out_of_iterations_is_said():
    result = solve(overlapping_case(0, n=10), max_iter=1)
    assert not result.converged
    assert "iterations" in result.reason


def test_a_tolerance_that_rounding_does_not_allow_is_met_to_rounding():
    result = solve(overlapping_case(0, n=2), tol=0.0)
    assert result.converged
    assert result.objective <= solve(overlapping_case(0, n=2)).objective


def test_every_reason_to_stop_has_a_sentence_and_only_two_mean_success():
    assert set(STOP_REASONS) == set(core.Stop)
    meant = {stop for stop in core.Stop if stop.name.startswith("CONVERGED")}
    assert meant == {core.Stop.CONVERGED, core.Stop.CONVERGED_TO_ROUNDING}


@pytest.mark.parametrize("largest_radius", [None, 20.0, 40.0, 70.0])
@pytest.mark.parametrize("seed", range(6))
def test_converged_means_that_no_hyperplane_nearby_is_lower_by_more_than_the_tolerance(
    seed, largest_radius
):
    case, rng = varied_case(seed), np.random.default_rng(seed)
    if largest_radius is not None:
        case.tangent *= largest_radius / np.linalg.norm(case.tangent, axis=1).max()
    points, labels = Points.from_chart(case.tangent, "tangent"), case.y.astype(np.int8)
    result = solve_soft_margin(points, labels, C=case.C)
    met = (STOP_REASONS[core.Stop.CONVERGED], STOP_REASONS[core.Stop.CONVERGED_TO_ROUNDING])
    assert result.converged == result.reason.startswith(met)
    lowest = np.inf
    for size in np.repeat(10.0 ** -np.arange(3, 13), 20):
        normal = result.normal + size * rng.standard_normal(points.n_dim)
        offset = result.offset + size * rng.standard_normal()
        plane = (
            result.log_scale + size * rng.standard_normal(),
            float(np.clip(offset, -points.radius.max(), points.radius.max())),
            normal / np.linalg.norm(normal),
        )
        lowest = min(lowest, core.loss_and_gradient(points.packed, labels, None, case.C, *plane)[0])
    # Far out, products of neighbouring hyperplanes differ by many orders of magnitude.
    tolerance = 5e-6 if largest_radius in (40.0, 70.0) else 1e-6
    if result.converged:
        assert lowest >= result.objective * (1 - tolerance) - 1e-14 * case.C * len(labels)


def separable_far_out(seed, radius, spread):
    """Points at radii from ``radius - spread`` to ``radius`` that a hyperplane tells apart."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.choice([2, 3, 5])), 60
    direction = rng.standard_normal((m, n))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    normal = rng.standard_normal(n)
    normal /= np.linalg.norm(normal)
    y = np.where(np.tanh(0.5 * rng.standard_normal()) > direction @ normal, 1, -1)
    return radius - spread * rng.random(m), direction, y.astype(np.int8)


@pytest.mark.parametrize("radius", [60.0, 150.0, 300.0, 1000.0, 5000.0])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_far_points_that_a_hyperplane_tells_apart_are_told_apart(radius, share):
    for seed in range(8):
        r, direction, y = separable_far_out(seed, radius, 1.0 + share * radius)
        if abs(y.sum()) == len(y):
            continue
        points = Points(r, direction)
        result = solve_soft_margin(points, y)
        scores = points.scores(Hyperplanes.of_results([result]), "signed_distance")[:, 0]
        assert (np.sign(scores) == y).all(), seed
        assert result.objective < 1e-9, seed
        assert result.converged, seed


@pytest.mark.parametrize("seed", range(10))
def test_far_out_only_directions_and_differences_of_radii_matter(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.choice([2, 3])), 40
    direction = rng.standard_normal((m, n))
    y = np.where(direction[:, 0] + 0.3 * rng.standard_normal(m) > 0, 1, -1).astype(np.int8)
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    r = rng.uniform(58.0, 60.0, m)
    near = solve_soft_margin(Points(r, direction), y)
    for more in (40.0, 300.0, 3000.0):
        far, points = solve_soft_margin(Points(r + more, direction), y), Points(r + more, direction)
        scale = near.log_scale - more
        same = core.loss_and_gradient(points.packed, y, None, 1.0, scale, near.offset, near.normal)
        assert far.objective <= same[0] * (1 + 1e-5) + 1e-9


def balanced_case(seed):
    """Two classes of the same size on opposite sides of the origin."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.choice([2, 3, 4, 8])), int(rng.choice([60, 60, 120, 300]))
    C, y = float(rng.choice([0.1, 1, 1, 10])), np.arange(m) % 2
    centers = rng.standard_normal((2, n))
    centers[1] = -centers[0]
    centers *= rng.choice([0.6, 1.2, 2.0]) / np.linalg.norm(centers, axis=1)[:, None]
    return Case(
        centers[y] + rng.choice([0.7, 0.7, 1.2]) * rng.standard_normal((m, n)), 2.0 * y - 1.0, C
    )


@pytest.mark.parametrize("seed", [7224, 7010, 8009, 8017, 8466])
def test_one_minimum_from_all_informed_starts_need_not_be_the_lowest(seed, best_of_starts):
    case = balanced_case(seed)
    best = best_of_starts(*arrays(case), case.C, 12, np.random.default_rng(seed))
    assert solve(case).objective <= best * (1 + 1e-5)


@pytest.mark.parametrize("n_dim", [2, 5, 10])
def test_curvature_from_a_part_of_the_rows_leads_to_the_same_minimum(n_dim):
    # Each of a few points many times: of the points all tell the curvature, of their copies some.
    rng = np.random.default_rng(n_dim)
    V = rng.normal(size=(190, n_dim))
    labels = np.where(V[:, 0] + rng.normal(size=190) > 0.3, 1, -1).astype(np.int8)
    V /= np.sqrt(n_dim)
    rows = rng.permutation(np.repeat(np.arange(190), 32))
    expected = solve_soft_margin(Points.from_chart(V, "tangent"), labels, C=32.0, tol=1e-9)
    found = solve_soft_margin(Points.from_chart(V[rows], "tangent"), labels[rows], tol=1e-9)
    assert found.converged
    assert found.objective == pytest.approx(expected.objective, rel=1e-9)


@pytest.mark.parametrize(("n_dim", "C"), [(2, 1.0), (10, 1.0), (40, 1.0), (2, 0.01), (5, 0.01)])
def test_no_independent_descent_goes_below_a_minimum_of_thousands_of_rows(n_dim, C, descended):
    rng = np.random.default_rng(n_dim)
    V = rng.normal(size=(6000, n_dim))
    labels = np.where(V[:, 0] + rng.normal(size=6000) > 0.3, 1, -1).astype(np.int8)
    points = Points.from_chart(V / np.sqrt(n_dim), "tangent")
    found = solve_soft_margin(points, labels, C=C, tol=1e-9)
    assert found.converged
    assert found.objective <= descended(points, labels, found, C=C) * (1 + 1e-9)


@pytest.mark.parametrize(("n_dim", "apart"), [(2, 2.0), (3, 4.0), (10, 2.5)])
def test_steps_on_the_few_rows_with_a_loss_end_at_the_minimum_of_all_rows(n_dim, apart):
    rng = np.random.default_rng(n_dim)
    labels = np.where(rng.random(40_000) < 0.5, 1, -1).astype(np.int8)
    V = rng.standard_normal((40_000, n_dim))
    V[:, 0] += apart * labels
    points = Points.from_chart(V, "tangent")
    found = solve_soft_margin(points, labels, tol=1e-7)
    assert found.converged
    products = labels * points.scores(Hyperplanes.of_results([found]), "product")[:, 0]
    near = np.argsort(products)[:12_000]
    expected = solve_soft_margin(points[near], labels[near], tol=1e-7)
    # The other rows have no loss there either, so it is a minimum of all rows.
    products = labels * points.scores(Hyperplanes.of_results([expected]), "product")[:, 0]
    assert np.delete(products, near).min() > 1.0
    assert found.objective == pytest.approx(expected.objective, rel=1e-6)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_fewer_rows_than_dimensions_are_fitted_in_the_whole_space(bound, C, descended):
    rng = np.random.default_rng(0)
    points = Points.from_chart(rng.standard_normal((30, 80)) / 4.0, "tangent")
    labels = np.where(rng.random(30) < 0.3, 1, -1).astype(np.int8)
    result = solve_soft_margin(points, labels, C=C, bound=bound)
    assert result.converged
    assert result.normal.shape == (80,)
    assert np.linalg.norm(result.normal) == pytest.approx(1.0)
    assert points.soft_margin_objective(result, labels, None, C=C) == pytest.approx(
        result.objective
    )
    assert result.objective <= descended(points, labels, result, C=C, bound=bound) * (1 + 1e-5)


def far_apart(m, n, scale, seed):
    """Two Gaussians whose points are far out and farther apart."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(m) < 0.4, 1, -1).astype(np.int8)
    X = rng.normal(size=(m, n))
    X[:, 0] += 6.0 * labels
    return Points.from_chart(scale * X, "tangent"), labels


@pytest.mark.parametrize(("m", "scale"), [(60, 6.0), (400, 4.0), (4000, 2.5)])
@pytest.mark.parametrize("n", [2, 5])
def test_the_soft_margin_is_the_hard_margin(m, n, scale):
    """A margin beyond 6 takes multipliers far below C: both problems have one solution."""
    for seed in range(3):
        points, labels = far_apart(m, n, scale, seed)
        hard = solve_hard_margin(points, labels)
        soft = solve_soft_margin(points, labels, seed=seed)
        assert soft.converged
        # Doubles tell hyperplanes apart to about exp(margin) times their rounding.
        assert soft.objective <= hard.objective * (1 + 1e-5 + 1e-13 * np.exp(hard.margin))


def test_no_row_is_left_on_the_wrong_side():
    """The search alone ends with one row of 4000 on the wrong side of a gap of margin 11.6."""
    points, labels = far_apart(4000, 5, 4.5, 41)
    result = solve_soft_margin(points, labels, seed=41)
    assert result.objective < 1e-6


def test_rows_of_weight_zero_do_not_narrow_the_margin():
    points, labels = far_apart(400, 2, 4.0, 0)
    rng = np.random.default_rng(0)
    both = Points(
        np.r_[points.radius, rng.uniform(0.0, 20.0, 50)],
        np.vstack([points.direction, points.direction[:50]]),
    )
    labels_of_both = np.r_[labels, rng.choice([-1, 1], 50)].astype(np.int8)
    weights = np.r_[np.ones(400), np.zeros(50)]
    alone = solve_soft_margin(points, labels)
    assert solve_soft_margin(both, labels_of_both, weights).objective == pytest.approx(
        alone.objective, rel=1e-6
    )


def test_few_rows_with_a_loss_and_no_separation_are_left_as_they_are():
    points, labels = far_apart(400, 2, 4.0, 1)
    labels[:2] *= -1
    result = solve_soft_margin(points, labels)
    assert result.objective > 1.0
    assert result.converged
