"""The lower bound is below whatever anyone finds, and close to it."""

import signal
import threading
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from hyplane.solvers import Points, certify_soft_margin, solve_soft_margin

N_SMALL = 100
# Values of the objective are sums of rounded losses.
ROUNDING = 1e-13


def first_and_slow(values):
    """Mark all cases but the first as long."""
    first, *others = values
    return [first, *(pytest.param(each, marks=pytest.mark.slow) for each in others)]


def on_circle(angle):
    return np.column_stack([np.cos(angle), np.sin(angle)])


def in_plane(radius, angle):
    return Points(radius, on_circle(angle))


def with_objective_raised(fit, points, y, weight, C, factor):
    """The fitted hyperplane at another scale, where the objective is `factor` times as high."""

    def excess(shift):
        plane = replace(fit, log_scale=fit.log_scale + shift)
        return points.soft_margin_objective(plane, y, weight, C=C) - factor * fit.objective

    high = 1.0
    while excess(high) < 0:
        high *= 2.0
    shift = brentq(excess, 0.0, high, xtol=1e-14)
    return replace(fit, log_scale=fit.log_scale + shift * (1 + 1e-12))


def objective(radius, angle, y, C, weight, log_scale, offset, theta):
    """The objective as the paper writes it, in extended precision."""
    r, a = np.asarray(radius, np.longdouble), np.longdouble(offset)
    product = np.sinh(a) * np.cosh(r) - np.cosh(a) * np.sinh(r) * np.cos(theta - angle)
    scale = np.exp(np.longdouble(log_scale))
    losses = np.arcsinh(np.longdouble(1)) - np.arcsinh(y * scale * product)
    return float(scale**2 / 2 + C * np.sum(weight * np.maximum(losses, 0)))


def small_problem(seed):
    """A few points with labels that a line explains, or nothing does, or all but one share."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 15))
    radius = rng.choice([0.1, 1.0, 3.0, 8.0]) * np.sqrt(rng.random(m))
    angle = rng.uniform(-np.pi, np.pi, m)
    kind = seed % 4
    y = rng.choice([-1, 1], m)
    if kind == 0:
        y = np.where(np.cos(angle - 1.0) > 0.2, 1, -1)
    elif kind == 1:
        y[:] = -1
    y[0], y[1] = 1, -1
    weight = rng.exponential(size=m) if kind == 3 else np.ones(m)
    return radius, angle, y.astype(np.int8), float(10.0 ** rng.uniform(-2, 2)), weight


def best_of_many(radius, angle, y, C, weight, seed):
    """The lowest value among a random grid over (log s, a, θ), its best points polished."""
    rng = np.random.default_rng(seed)
    bound = radius.max()

    def value(x):
        a = bound * np.sin(x[1])
        with np.errstate(over="ignore"):
            s = np.exp(x[0])
            z = np.sinh(a) * np.cosh(radius) - np.cosh(a) * np.sinh(radius) * np.cos(x[2] - angle)
            losses = np.maximum(0.0, np.arcsinh(1.0) - np.arcsinh(y * s * z))
            return 0.5 * s**2 + C * (weight @ losses)

    starts = rng.uniform([-2 * bound - 3, -np.pi / 2, -np.pi], [3, np.pi / 2, np.pi], (200, 3))
    starts = sorted(starts, key=value)[:2]
    found = [minimize(value, x, method="Nelder-Mead", options={"maxiter": 150}) for x in starts]
    x = min(found, key=lambda result: result.fun).x
    return objective(radius, angle, y, C, weight, x[0], bound * np.sin(x[1]), x[2])


@pytest.mark.parametrize("first", first_and_slow(range(0, N_SMALL, 50)))
def test_no_optimiser_finds_a_value_below_the_bound(first):
    close = 0
    for seed in range(first, first + 50):
        radius, angle, y, C, weight = small_problem(seed)
        fit = solve_soft_margin(in_plane(radius, angle), y, weight, C=C, bound="ball")
        points = in_plane(radius, angle)
        # Half of the searches must find the optimum themselves: no bound exceeds what is known.
        plane = with_objective_raised(fit, points, y, weight, C, 1.3) if seed % 2 else fit
        result = certify_soft_margin(
            points, y, weight, C=C, plane=plane, rel_gap=1e-8, max_boxes=20_000, bound="ball"
        )
        rival = best_of_many(radius, angle, y, C, weight, seed)
        theta = np.arctan2(*fit.normal[::-1])
        exact = objective(radius, angle, y, C, weight, fit.log_scale, fit.offset, theta)
        lowest = min(rival, exact, result.upper_bound)
        assert result.lower_bound <= lowest * (1 + ROUNDING), seed
        close += result.lower_bound >= lowest * (1 - 1e-6)
    # So close a bound would be above some value if it erred to the wrong side.
    assert close >= 45


@pytest.mark.parametrize("largest_radius", [1.0, 6.0, 12.0])
def test_classes_that_overlap_entirely_are_bounded_within_one_percent(largest_radius):
    rng = np.random.default_rng(0)
    radius = largest_radius * np.sqrt(rng.random(300))
    direction = on_circle(rng.uniform(-np.pi, np.pi, 300))
    y = rng.choice([-1, 1], 300).astype(np.int8)
    fit = solve_soft_margin(Points(radius, direction), y)
    result = certify_soft_margin(Points(radius, direction), y, C=1.0, plane=fit, rel_gap=0.01)
    assert result.proven
    assert 0.0 <= result.gap <= 0.0101


def test_a_bad_fit_is_told_and_a_better_hyperplane_named():
    rng = np.random.default_rng(1)
    radius, angle = 2 * rng.random(40), rng.uniform(-np.pi, np.pi, 40)
    y = np.where(np.cos(angle) > 0, 1, -1).astype(np.int8)
    points = in_plane(radius, angle)
    fit = solve_soft_margin(points, y)
    worse = with_objective_raised(fit, points, y, None, 1.0, 2.0)
    result = certify_soft_margin(points, y, C=1.0, plane=worse, rel_gap=1e-3)
    assert not result.proven
    assert result.objective == pytest.approx(2 * fit.objective, rel=1e-9)
    assert result.gap == pytest.approx(0.5, abs=1e-3)
    assert result.upper_bound == pytest.approx(fit.objective, rel=1e-3)
    value = points.soft_margin_objective(result.better, y, C=1.0)
    assert value == pytest.approx(result.upper_bound, rel=1e-12)


def best_on_a_grid(radius, angle, y, C, weight):
    """The lowest objective of the paper's formula over a fixed set of hyperplanes, in NumPy."""
    s = np.exp(np.linspace(-6.0, 3.0, 28))[:, None, None, None]
    a = np.linspace(-1.0, 1.0, 15)[:, None, None] * radius.max()
    theta = np.linspace(-np.pi, np.pi, 24, endpoint=False)[:, None]
    z = np.sinh(a) * np.cosh(radius) - np.cosh(a) * np.sinh(radius) * np.cos(theta - angle)
    losses = np.maximum(0.0, np.arcsinh(1.0) - np.arcsinh(y * s * z))
    return float((0.5 * s[..., 0] ** 2 + C * losses @ weight).min())


@pytest.mark.parametrize("first", first_and_slow(range(0, 750, 250)))
def test_a_hyperplane_ten_percent_above_the_optimum_is_never_called_proven(first):
    for seed in range(first, first + 250):
        radius, angle, y, C, weight = small_problem(10_000 + seed)
        points = in_plane(radius, angle)
        fit = solve_soft_margin(points, y, weight, C=C)
        worse = with_objective_raised(fit, points, y, weight, C, 1.1)
        # So wide a gap is allowed that a bound just above the optimum would pass as a proof.
        result = certify_soft_margin(
            points, y, weight, C=C, plane=worse, rel_gap=0.09, max_boxes=2_000
        )
        assert not result.proven, seed
        lowest = min(fit.objective, best_on_a_grid(radius, angle, y, C, weight))
        assert result.lower_bound <= lowest * (1 + ROUNDING), seed


def test_a_hyperplane_that_misses_the_ball_of_the_points_is_refused():
    points = in_plane(np.array([0.5, 0.4]), np.array([0.0, 3.0]))
    y = np.array([1, -1], dtype=np.int8)
    far = replace(solve_soft_margin(points, y), offset=2.0)
    with pytest.raises(ValueError, match="does not meet the ball"):
        certify_soft_margin(points, y, C=1.0, plane=far, bound="ball")


def test_weights_count_as_repeated_rows():
    radius, angle, y, C, _ = small_problem(6)
    times = np.arange(len(radius)) % 3
    times[:2] = 1, 2
    rows = np.repeat(np.arange(len(radius)), times)
    rows = np.append(rows, radius.argmax())
    largest_counts = times.copy()
    largest_counts[radius.argmax()] += 1
    fit = solve_soft_margin(in_plane(radius[rows], angle[rows]), y[rows], C=C)
    limits = {"C": C, "plane": fit, "rel_gap": 1e-7}
    repeated = certify_soft_margin(in_plane(radius[rows], angle[rows]), y[rows], **limits)
    weighted = certify_soft_margin(
        in_plane(radius, angle), y, largest_counts.astype(float), **limits
    )
    assert weighted.lower_bound == pytest.approx(repeated.lower_bound, rel=3e-7)


def test_rows_of_label_zero_do_not_count():
    radius, angle, y, C, _ = small_problem(10)
    more = np.append(radius, 0.5 * radius.max()), np.append(angle, 0.3)
    plane = solve_soft_margin(in_plane(radius, angle), y, C=C)
    limits = {"C": C, "plane": plane, "rel_gap": 1e-3}
    one = certify_soft_margin(in_plane(radius, angle), y, **limits)
    other = certify_soft_margin(in_plane(*more), np.append(y, 0).astype(np.int8), **limits)
    assert one.lower_bound == other.lower_bound


@pytest.mark.parametrize("radius", [0.0, 1.3])
def test_points_that_are_all_equal_leave_the_majority_to_pay_nothing(radius):
    m = 7
    y = np.array([1, 1, -1, -1, -1, -1, -1], dtype=np.int8)
    direction = on_circle(np.full(m, 0.4))
    fit = solve_soft_margin(Points(np.full(m, radius), direction), y)
    points = Points(np.full(m, radius), direction)
    result = certify_soft_margin(points, y, C=1.0, plane=fit, rel_gap=1e-3)
    assert result.proven
    assert (1 - 2e-3) * fit.objective <= result.lower_bound <= fit.objective


def test_a_rare_class_whose_hyperplane_runs_to_the_bound_is_certified():
    rng = np.random.default_rng(3)
    radius, angle = 5 * np.sqrt(rng.random(150)), rng.uniform(-np.pi, np.pi, 150)
    y = -np.ones(150, dtype=np.int8)
    y[rng.choice(150, 4, replace=False)] = 1
    fit = solve_soft_margin(in_plane(radius, angle), y)
    assert abs(fit.offset) > 0.99 * radius.max()
    result = certify_soft_margin(in_plane(radius, angle), y, C=1.0, plane=fit)
    assert result.proven
    assert result.gap <= 1.1e-4


@pytest.mark.parametrize("largest_radius", [20.0, 40.0, 80.0])
def test_far_points_have_an_honest_bound(largest_radius):
    rng = np.random.default_rng(4)
    radius = largest_radius * rng.random(60)
    angle = rng.uniform(-np.pi, np.pi, 60)
    y = np.where(np.cos(angle - 1) * rng.choice([-1, 1, 1, 1, 1], 60) > 0, 1, -1).astype(np.int8)
    fit = solve_soft_margin(in_plane(radius, angle), y)
    result = certify_soft_margin(
        in_plane(radius, angle), y, C=1.0, plane=fit, rel_gap=0.01, max_boxes=50_000
    )
    assert result.proven
    assert result.lower_bound <= fit.objective


def test_points_of_a_line_are_certified_too():
    rng = np.random.default_rng(5)
    place = rng.normal(size=25)
    y = np.where(place + 0.8 * rng.normal(size=25) > 0.3, 1, -1).astype(np.int8)
    direction = np.sign(place)[:, None]
    fit = solve_soft_margin(Points(np.abs(place), direction), y)
    points = Points(np.abs(place), direction)
    result = certify_soft_margin(points, y, C=1.0, plane=fit, rel_gap=1e-7)
    assert result.proven
    assert result.lower_bound <= fit.objective * (1 + ROUNDING)
    assert result.upper_bound >= fit.objective * (1 - 1e-6)


def hard_to_finish():
    rng = np.random.default_rng(6)
    radius, angle = 30 * rng.random(300), rng.uniform(-np.pi, np.pi, 300)
    y = np.where(np.cos(angle) > 0, 1, -1).astype(np.int8)
    fit = solve_soft_margin(in_plane(radius, angle), y)
    return (in_plane(radius, angle), y), {"C": 1.0, "plane": fit, "rel_gap": 1e-12}


def test_the_search_keeps_to_its_limits_and_says_which_one_ended_it():
    arrays, problem = hard_to_finish()
    by_boxes = certify_soft_margin(*arrays, **problem, max_boxes=1000)
    assert by_boxes.n_boxes <= 1001
    assert (by_boxes.proven, by_boxes.reason) == (False, "the boxes ran out")
    by_time = certify_soft_margin(*arrays, **problem, max_seconds=0.1)
    assert (by_time.proven, by_time.reason) == (False, "the time ran out")
    assert 0.0 <= by_time.lower_bound <= problem["plane"].objective


def test_the_same_search_gives_the_same_bound_and_more_boxes_a_better_one():
    arrays, problem = hard_to_finish()
    few, again, many = (
        certify_soft_margin(*arrays, **problem, max_boxes=n, max_seconds=60.0)
        for n in (500, 500, 5000)
    )
    assert (few.lower_bound, few.n_boxes) == (again.lower_bound, again.n_boxes)
    assert few.lower_bound < many.lower_bound


def test_ctrl_c_ends_the_search():
    arrays, problem = hard_to_finish()
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        certify_soft_margin(*arrays, **problem, max_seconds=3600.0, max_boxes=10**9)


@dataclass(frozen=True)
class Plane:
    log_scale: float
    offset: float
    normal: np.ndarray


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radius": np.array([1.0, 81.0])}, "row 1 has radius"),
        ({"radius": np.array([np.nan, 1.0])}, "row 0 has radius"),
        ({"direction": np.eye(3)[:2]}, "points of the plane"),
        ({"plane": Plane(0.0, 0.0, np.array([1.0, 1.0]))}, "unit vector"),
        ({"plane": Plane(np.nan, 0.0, np.array([1.0, 0.0]))}, "log_scale must be"),
        ({"labels": np.array([1, 2], dtype=np.int8)}, "labels must be"),
        ({"labels": np.array([1, 1], dtype=np.int8)}, "both labels"),
        ({"sample_weight": np.array([1.0, -1.0])}, "Negative values"),
        ({"sample_weight": np.array([1.0, 0.0])}, "both labels"),
        ({"C": np.inf}, "C must be"),
        ({"C": 1e80}, "smaller C"),
        ({"rel_gap": 0.0}, "rel_gap must be"),
        ({"max_seconds": 0.0}, "max_seconds must be"),
        ({"max_boxes": 0}, "max_boxes must be"),
    ],
)
def test_bad_input_is_refused_with_a_reason(change, message):
    good = {
        "radius": np.ones(2),
        "direction": np.eye(2),
        "labels": np.array([1, -1], dtype=np.int8),
        "C": 1.0,
        "plane": Plane(0.0, 0.0, np.array([1.0, 0.0])),
    }
    asked = good | change
    points = Points(asked.pop("radius"), asked.pop("direction"))
    with pytest.raises(ValueError, match=message):
        certify_soft_margin(points, **asked)
