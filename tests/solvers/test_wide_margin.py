"""Classes that a hyperplane separates by a wide margin: the widest is found among many minima."""

import numpy as np
import pytest

from hyplane.solvers import Points, solve_hard_margin, solve_soft_margin


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
