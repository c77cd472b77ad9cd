import numpy as np
import pytest
from helpers import unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, nnls

from hyplane.geometry import apply_isometry, random_isometry
from hyplane.geometry.hyperplanes import polar_signed_distance
from hyplane.geometry.maps import Recentering
from hyplane.solvers import Points, solve_hard_margin
from hyplane.solvers.least_distance import least_distance


def solve(radius, direction, labels, **options):
    points = Points(np.asarray(radius, dtype=float), np.asarray(direction, dtype=float))
    return solve_hard_margin(points, labels, **options)


def separable(rng, m, n, largest=3.0, clear=0.1):
    """Points on both sides of a random hyperplane, none closer to it than `clear`."""
    while True:
        radius, direction = rng.uniform(0.0, largest, 4 * m), unit_rows(rng, 4 * m, n)
        offset = rng.uniform(-0.3, 0.3) * largest
        distance = polar_signed_distance(radius, direction, offset, unit_rows(rng, 1, n)[0])
        rows = np.flatnonzero(np.abs(distance) > clear)[:m]
        labels = np.sign(distance[rows])
        if len(rows) == m and abs(labels.sum()) < m:
            return radius[rows], direction[rows], labels


def hyperboloid(radius, direction):
    return np.column_stack([np.cosh(radius), np.sinh(radius)[:, None] * direction])


def normal_of(result):
    scale = np.exp(result.log_scale)
    return scale * np.r_[np.sinh(result.offset), np.cosh(result.offset) * result.normal]


def margin_of(w, x, labels):
    square = w[1:] @ w[1:] - w[0] ** 2
    if square <= 0:
        return -np.inf
    return np.arcsinh(np.min(labels * (x[:, 0] * w[0] - x[:, 1:] @ w[1:])) / np.sqrt(square))


def best_by_many_starts(radius, direction, labels, rng, starts):
    """Sequential quadratic programming on Theorem 2 as it stands."""
    x = hyperboloid(radius, direction)
    metric = np.r_[1.0, -np.ones(direction.shape[1])]
    signed = labels[:, None] * x * metric
    best = -np.inf
    for _ in range(starts):
        found = minimize(
            lambda w: -0.5 * w @ (metric * w),
            rng.normal(size=x.shape[1]) * np.exp(rng.normal()),
            jac=lambda w: -metric * w,
            constraints={
                "type": "ineq",
                "fun": lambda w: signed @ w - 1.0,
                "jac": lambda _: signed,
            },
            method="SLSQP",
            options={"maxiter": 200},
        )
        if np.isfinite(found.x).all():
            best = max(best, margin_of(found.x, x, labels))
    return best


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 10])
def test_margin_is_within_the_gap_of_the_best_of_many_starts(n):
    rng = np.random.default_rng(n)
    for _ in range(4):
        points = separable(rng, int(rng.integers(2 * n, 40)), n)
        result = solve(*points)
        brute = best_by_many_starts(*points, rng, starts=12)
        assert result.converged
        assert result.gap < 1e-6
        assert brute <= result.margin + result.gap + 1e-12
        assert brute > 0.9 * result.margin  # the comparison says something


def test_no_hyperplane_of_the_plane_is_better_than_margin_plus_gap():
    rng = np.random.default_rng(5)
    offsets, angles = np.meshgrid(np.linspace(-3, 3, 241), np.linspace(0, 2 * np.pi, 361))
    normals = np.column_stack([np.cos(angles.ravel()), np.sin(angles.ravel())])
    for _ in range(10):
        radius, direction, labels = separable(rng, 15, 2, clear=0.2)
        result = solve(radius, direction, labels)
        distances = polar_signed_distance(radius, direction, offsets.ravel(), normals)
        grid = (labels[:, None] * distances).min(axis=0).max()
        assert result.margin - 0.3 < grid <= result.margin + result.gap


def test_reported_margin_is_the_distance_of_the_closest_point():
    rng = np.random.default_rng(0)
    radius, direction, labels = separable(rng, 50, 3)
    result = solve(radius, direction, labels)
    distances = labels * polar_signed_distance(radius, direction, result.offset, result.normal)
    assert result.margin == pytest.approx(distances.min(), rel=1e-12)
    assert result.margin == pytest.approx(np.arcsinh(np.exp(-result.log_scale)), rel=1e-12)
    assert result.objective == pytest.approx(0.5 * np.exp(2 * result.log_scale), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 10), m=st.integers(2, 100), seed=st.integers(0, 2**32 - 1))
def test_conditions_of_karush_kuhn_and_tucker_hold(n, m, seed):
    radius, direction, labels = separable(np.random.default_rng(seed), m, n)
    result = solve(radius, direction, labels)
    x, w, rows = hyperboloid(radius, direction), normal_of(result), result.support
    scores = labels * (x[:, 0] * w[0] - x[:, 1:] @ w[1:])
    forces = (result.multipliers * labels[rows])[:, None] * x[rows]
    assert scores.min() >= 1.0 - 1e-9
    assert scores[rows] == pytest.approx(1.0, abs=1e-6)
    assert result.multipliers.min() > 0.0
    assert result.multipliers.sum() == pytest.approx(np.exp(2 * result.log_scale), rel=1e-9)
    assert np.abs(w + forces.sum(axis=0)).max() <= 1e-6 * np.abs(forces).max()
    assert len(rows) <= n + 1


def test_two_points_have_their_perpendicular_bisector():
    radius, direction = np.array([1.0, 2.5]), np.array([[0.6, 0.8], [-0.8, 0.6]])
    result = solve(radius, direction, [1, -1])
    apart = np.arccosh(np.cosh(1.0) * np.cosh(2.5))  # a right angle at the origin
    x = hyperboloid(radius, direction)
    assert result.margin == pytest.approx(0.5 * apart, abs=1e-12)
    assert result.gap < 1e-12
    bisector = (x[1] - x[0]) / (np.cosh(apart) - 1.0)  # w*x = ±1
    assert normal_of(result) == pytest.approx(bisector, rel=1e-12)


def test_three_points_of_the_plane_agree_with_the_solution_on_paper():
    # P at (r, ±θ) and N at (q, π): by symmetry the hyperplane crosses the axis at right angles,
    # w = s (sinh a, -cosh a, 0), and w*P = -w*N gives tanh a.
    r, q, theta = 1.0, 1.5, 0.8
    direction = np.array(
        [[np.cos(theta), np.sin(theta)], [np.cos(theta), -np.sin(theta)], [-1.0, 0.0]]
    )
    result = solve([r, r, q], direction, [1, 1, -1])
    a = np.arctanh((np.sinh(q) - np.sinh(r) * np.cos(theta)) / (np.cosh(r) + np.cosh(q)))
    assert result.offset == pytest.approx(a, abs=1e-9)
    assert result.normal == pytest.approx([-1.0, 0.0], abs=1e-9)
    assert result.margin == pytest.approx(q - a, abs=1e-12)
    assert result.support.tolist() == [0, 1, 2]


def test_points_of_the_line_have_the_middle_of_the_closest_pair():
    radius, direction = [1.0, 2.0, 0.5, 4.0], [[1.0], [1.0], [-1.0], [-1.0]]
    result = solve(radius, direction, [1, 1, -1, -1])
    assert result.margin == pytest.approx(0.75, abs=1e-12)
    # w*x = 0 at sinh(a - r u) = 0; the middle is at 0.25, and u points to the negative side.
    assert result.normal == pytest.approx([-1.0])
    assert result.offset == pytest.approx(-0.25, abs=1e-12)
    assert result.support.tolist() == [0, 2]


def test_points_that_do_not_support_do_not_matter():
    rng = np.random.default_rng(8)
    radius, direction, labels = separable(rng, 200, 3)
    whole = solve(radius, direction, labels)
    rows = whole.support
    part = solve(radius[rows], direction[rows], labels[rows])
    assert part.margin == pytest.approx(whole.margin, abs=1e-9)


def test_margin_does_not_depend_on_the_origin():
    rng = np.random.default_rng(2)
    for seed in range(5):
        radius, direction, labels = separable(rng, 40, 3)
        moved = apply_isometry(
            random_isometry(3, max_radius=5.0, random_state=seed),
            radius[:, None] * direction,
            "tangent",
        )
        norms = np.linalg.norm(moved, axis=1)
        result = solve(radius, direction, labels)
        other = solve(norms, moved / norms[:, None], labels)
        assert other.margin == pytest.approx(result.margin, abs=1e-9)


@pytest.mark.parametrize(("away", "accuracy"), [(10.0, 1e-10), (15.0, 1e-8), (18.0, 1e-7)])
def test_small_clusters_far_out_keep_their_margin(away, accuracy):
    rng = np.random.default_rng(4)
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    radius, direction, labels = separable(rng, 60, 3, largest=1.0, clear=0.03)
    klein, log_time = Recentering(away, -axis).klein(radius, direction)
    far = np.arccosh(np.exp(log_time))
    result = solve(far, klein / np.linalg.norm(klein, axis=1)[:, None], labels)
    near = solve(radius, direction, labels)
    assert result.converged
    assert result.margin == pytest.approx(near.margin, abs=accuracy)


@pytest.mark.parametrize("largest", [8.0, 18.0])
def test_gap_is_below_1e_6_to_radius_18(largest):
    rng = np.random.default_rng(18)
    for _ in range(25):
        n = int(rng.integers(1, 11))
        points = separable(rng, int(rng.integers(2, 80)), n, largest=largest, clear=0.5)
        result = solve(*points)
        assert result.converged, result.reason
        assert result.gap < 1e-6


def test_two_points_at_radius_300_have_their_bisector():
    result = solve([300.0, 400.0], [[1.0, 0.0], [-1.0, 0.0]], [1, -1])
    assert result.converged
    assert result.margin == pytest.approx(350.0, abs=1e-9)
    assert result.offset == pytest.approx(50.0, abs=1e-9)


def test_gap_grows_where_double_precision_does_not_hold_the_points():
    rng = np.random.default_rng(1)
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    radius, direction, labels = separable(rng, 60, 3, largest=1.0, clear=0.05)
    klein, log_time = Recentering(32.0, -axis).klein(radius, direction)
    far = log_time + np.log(2.0)
    result = solve(far, klein / np.linalg.norm(klein, axis=1)[:, None], labels)
    assert not result.converged
    assert "double precision" in result.reason
    assert result.gap > 1e-6


def test_running_out_of_iterations_is_said_and_the_gap_stays_true():
    rng = np.random.default_rng(14)
    unfinished = []
    for _ in range(20):
        points = separable(rng, 100, 3, clear=0.02)
        full = solve(*points)
        assert full.converged
        for max_iter in (1, 2, 3):
            short = solve(*points, max_iter=max_iter)
            assert full.margin <= short.margin + short.gap
            if not short.converged:
                unfinished.append(short.reason)
    assert unfinished
    assert set(unfinished) == {"the iterations ran out"}


def test_classes_that_overlap_are_refused_with_the_rows_that_show_it():
    direction = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match=r"not separable.*rows 0, 2 .*rows 1, 3 .*finite C"):
        solve([1.0, 1.0, 1.0, 1.0, 2.0], direction, [1, -1, 1, -1, 1])


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_a_point_inside_the_hull_of_the_other_class_is_refused(n, seed):
    rng = np.random.default_rng(seed)
    radius, direction = rng.uniform(0.5, 3.0, n + 2), unit_rows(rng, n + 2, n)
    klein = np.tanh(radius)[:, None] * direction
    inside = rng.dirichlet(np.full(n + 2, 5.0)) @ klein
    length = np.linalg.norm(inside)
    radius = np.append(radius, np.arctanh(length))
    direction = np.vstack([direction, inside / length])
    with pytest.raises(ValueError, match="not separable"):
        solve(radius, direction, np.r_[np.ones(n + 2), -1.0])


def test_the_same_point_in_both_classes_is_refused():
    with pytest.raises(ValueError, match="rows 2 and 0 are the same point"):
        solve([1.0, 2.0, 1.0], [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [-1, 1, 1])


@pytest.mark.parametrize(
    ("radius", "labels", "message"),
    [
        ([1.0, 1.0], [1, 1], "both classes"),
        ([1.0, 1.0], [1, 0], "row 1 has 0"),
        ([1.0, np.nan], [1, -1], "are finite"),
        ([-1.0, 1.0], [1, -1], "not negative"),
        ([1.0, 1.0], [1, -1, 1], "each point needs one label"),
    ],
)
def test_bad_input_is_refused(radius, labels, message):
    with pytest.raises(ValueError, match=message):
        solve(radius, [[1.0, 0.0], [0.0, 1.0]], labels)


@settings(max_examples=60, deadline=None)
@given(m=st.integers(1, 30), n=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_least_distance_agrees_with_non_negative_least_squares(m, n, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(m, n))
    bound = rows @ rng.normal(size=n) - rng.uniform(0.0, 1.0, m)  # some vector satisfies them
    solution = least_distance(rows, bound)
    stacked = np.vstack([rows.T, bound])
    target = np.r_[np.zeros(n), 1.0]
    residual = target - stacked @ nnls(stacked, target)[0]
    point = rows[solution.active].T @ solution.multipliers
    assert solution.feasible
    assert point == pytest.approx(-residual[:-1] / residual[-1], abs=1e-6)
    assert np.all(rows @ point >= bound - 1e-9)


def test_least_distance_proves_that_nothing_satisfies_the_constraints():
    rows = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]])
    solution = least_distance(rows, np.array([1.0, 1.0, 1.0]))
    assert not solution.feasible
    assert rows[solution.active].T @ solution.multipliers == pytest.approx([0.0, 0.0], abs=1e-12)
    assert solution.multipliers.min() >= 0.0


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_the_lowest_objective_for_each_t_is_convex_in_t(n, seed):
    radius, direction, labels = separable(np.random.default_rng(seed), 30, n)
    x = hyperboloid(radius, direction)
    best = normal_of(solve(radius, direction, labels))
    values = []
    for t in best[0] + np.linspace(-0.5, 0.5, 11) * np.linalg.norm(best):
        found = least_distance(-labels[:, None] * x[:, 1:], 1.0 - labels * t * x[:, 0])
        v = found.multipliers @ (-labels[:, None] * x[:, 1:])[found.active]
        values.append(0.5 * (v @ v - t * t) if found.feasible else np.inf)
    values = np.array(values)
    left, middle, right = values[:-2], values[1:-1], values[2:]
    curved = np.isfinite(left) & np.isfinite(right)
    assert np.all(middle[curved] <= 0.5 * (left + right)[curved] * (1 + 1e-9) + 1e-9)


def test_ten_thousand_points_in_ten_dimensions_are_proven_as_well():
    rng = np.random.default_rng(10)
    radius, direction, labels = separable(rng, 10_000, 10, largest=5.0, clear=0.05)
    result = solve(radius, direction, labels)
    assert result.converged
    assert result.margin >= 0.05
