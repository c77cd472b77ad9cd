"""Points of hyperbolic space for the property tests."""

import numpy as np
import pytest
from helpers import unit_rows


def draw_polar_points(seed, n_points, n_dim, max_radius):
    """Radii from 0 to the largest, tiny ones included, and directions that include the axes."""
    rng = np.random.default_rng(seed)
    radius = rng.uniform(0.0, max_radius, n_points)
    radius[: n_points // 4] *= 10.0 ** rng.uniform(-12, 0, n_points // 4)
    direction = unit_rows(rng, n_points, n_dim)
    axes = np.concatenate([np.eye(n_dim), -np.eye(n_dim)])
    direction[-2:] = axes[rng.integers(0, len(axes), 2)]
    return radius, direction


@pytest.fixture(scope="session")
def polar_points():
    return draw_polar_points
