"""Degenerate problems: both bounds make the minimum exist, and the result says what happened."""

import numpy as np
import pytest

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import from_polar
from hyplane.native import core
from hyplane.solvers import Points, solve_soft_margin
from hyplane.solvers.result import DEGENERATE
from hyplane.solvers.soft_margin import BOUNDS

TOLERANCE = 1e-6  # the default of the solver


def rare_class(seed, n=2, m=80, radius=2.0):
    """A class of a tenth of the rows, inside the other one: no hyperplane cuts it off."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((m, n))
    V *= radius / np.linalg.norm(V, axis=1).max()
    labels = np.where(np.arange(m) < m // 10, 1, -1).astype(np.int8)
    V[labels > 0] *= 0.3
    return Points.from_chart(V, "tangent"), labels


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize(("n", "radius"), [(2, 0.5), (2, 2.0), (2, 12.0), (5, 2.0), (1, 2.0)])
def test_a_degenerate_problem_converges_and_says_so(n, radius, C, bound):
    for seed in range(4):
        points, labels = rare_class(seed, n=n, radius=radius)
        result = solve_soft_margin(points, labels, C=C, bound=bound)
        assert result.converged, result.reason
        assert result.degenerate == result.reason.endswith(DEGENERATE[bound])
        outside = abs(result.offset) - points.radius.max()
        assert abs(result.offset) <= points.radius.max() + BOUNDS[bound] + 1e-12
        assert result.degenerate == (outside > (-1e-5 if bound == "ball" else 6.0))
        if n <= 2 and radius <= 2.0 and C >= 1.0:  # else some hyperplane is worth its norm
            assert result.degenerate


def test_a_problem_with_a_best_hyperplane_is_not_called_degenerate():
    points = Points.from_chart([[0.5, 0.1], [0.4, -0.1], [-0.5, 0.1], [-0.4, -0.2]])
    labels = np.array([1, 1, -1, -1], dtype=np.int8)
    for bound in BOUNDS:
        result = solve_soft_margin(points, labels, bound=bound)
        assert not result.degenerate
        assert "degenerate" not in result.reason


@pytest.mark.parametrize("seed", range(6))
def test_the_wider_bound_is_never_above_the_ball(seed):
    points, labels = rare_class(seed, n=2 + seed % 2)
    ball, horosphere = (solve_soft_margin(points, labels, bound=bound) for bound in BOUNDS)
    assert horosphere.objective <= ball.objective * (1 + TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_a_degenerate_objective_is_that_of_the_horosphere_at_infinity(seed):
    points, labels = rare_class(seed)
    result = solve_soft_margin(points, labels, C=1.0, bound="horosphere")
    x = from_polar(points.radius, points.direction, "hyperboloid")
    # w -> c (sign, u), with w*w = 0: the score is ± c times an exponential of the distance to a
    # horosphere.
    c = 0.5 * np.exp(result.log_scale + abs(result.offset))
    w = c * np.r_[np.sign(result.offset), result.normal]
    products = w[0] * x[:, 0] - x[:, 1:] @ w[1:]
    losses = np.maximum(0.0, np.arcsinh(1.0) - np.arcsinh(labels * products))
    assert result.objective == pytest.approx(losses.sum(), rel=TOLERANCE)
    # All points have one label.
    assert (products < 0).all()


def test_no_other_horosphere_is_lower():
    points, labels = rare_class(1)
    result = solve_soft_margin(points, labels, C=1.0, bound="horosphere")
    rng = np.random.default_rng(0)
    for size in np.repeat([1.0, 0.1, 0.01, 1e-3], 100):
        normal = result.normal + size * rng.standard_normal(2)
        value = core.loss_and_gradient(
            points.packed,
            labels,
            None,
            1.0,
            result.log_scale + size * rng.standard_normal(),
            result.offset,
            normal / np.linalg.norm(normal),
        )[0]
        assert value >= result.objective * (1 - TOLERANCE)


def test_the_optimum_at_infinity_is_proven_in_the_plane():
    X, y = make_hyperbolic_gaussians(
        [60, 6], centers=[[0.0, 0.0], [0.1, 0.05]], variance=[1.2, 0.15], random_state=2
    )
    clf = HyperbolicSVC(bound="horosphere", random_state=0).fit(X, y)
    assert clf.degenerate_.all()
    [proof] = clf.certify(X, y, max_seconds=60.0)
    assert proof.proven


def test_a_bound_there_is_not_is_refused():
    points, labels = rare_class(0)
    with pytest.raises(ValueError, match="bound must be one of ball, horosphere; got 'none'"):
        solve_soft_margin(points, labels, bound="none")
    with pytest.raises(ValueError, match="bound"):
        HyperbolicSVC(bound="none").fit([[0.1, 0.0], [0.0, 0.1]], [0, 1])
    for beyond in (-1.0, 21.0, np.nan):
        with pytest.raises(ValueError, match="beyond must be between 0 and 20"):
            core.solve_soft_margin(points.packed, labels, None, 1.0, 1e-6, 10, 0, beyond=beyond)
