"""Does `converged` hold? A descent that shares nothing with the solver begins where it ended.

Rows whose radii vary widely have kinks of very different width, which is the hard case.
`benchmarks/honesty.py` has more of it.
"""

import itertools

import numpy as np
import pytest

from hyplane.solvers import Points, solve_soft_margin
from hyplane.solvers.soft_margin import BOUNDS

FARTHEST = 14.0
RADII = {
    "t(2)": lambda rng, m: np.abs(rng.standard_t(2, m)),
    "exponential": lambda rng, m: rng.exponential(2.0, m),
}


def wide_rows(n_rows, n_dim, radii, seed):
    """Return points on two sides of a hyperplane, some of them on the wrong one."""
    rng = np.random.default_rng(seed)
    radius = np.minimum(RADII[radii](rng, n_rows), FARTHEST)
    direction = rng.normal(size=(n_rows, n_dim))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    normal = rng.normal(size=n_dim)
    normal /= np.linalg.norm(normal)
    side = np.sinh(0.3) * np.cosh(radius) - np.cosh(0.3) * np.sinh(radius) * (direction @ normal)
    labels = np.where(np.arcsinh(side) + rng.normal(0.0, 0.5, n_rows) > 0.0, 1, -1)
    labels[rng.random(n_rows) < 0.1] *= -1
    return Points(radius, direction), labels.astype(np.int8)


CASES = list(itertools.product([2, 5], RADII, [0.01, 1.0]))


@pytest.mark.parametrize("bound", BOUNDS)
def test_fits_to_wide_radii_converge_and_no_independent_descent_gains(bound, descended):
    gains = {}
    for n_dim, radii, C in CASES:
        points, labels = wide_rows(20_000, n_dim, radii, seed=10 * n_dim)
        result = solve_soft_margin(points, labels, C=C, bound=bound)
        assert result.converged, (n_dim, radii, C)
        lowest = descended(points, labels, result, C=C, bound=bound, max_iter=150)
        gains[n_dim, radii, C] = result.objective / lowest - 1.0
    assert max(gains.values()) <= 1e-5, gains


@pytest.mark.slow
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(
    ("n_rows", "n_dim", "radii"),
    [
        (20_000, 20, "t(2)"),
        (100_000, 3, "exponential"),
    ],
)
def test_no_independent_descent_gains_in_high_dimension_or_among_more_rows(
    n_rows, n_dim, radii, bound, descended
):
    points, labels = wide_rows(n_rows, n_dim, radii, seed=n_dim)
    result = solve_soft_margin(points, labels, bound=bound)
    assert result.converged
    lowest = descended(points, labels, result, bound=bound, max_iter=150)
    assert result.objective <= lowest * (1 + 1e-5)
