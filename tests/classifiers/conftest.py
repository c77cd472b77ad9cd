"""Points of several classes that blocks and clusters are tried on."""

import numpy as np
import pytest


# With some other seeds one class of three has several minima close together, up to 7e-7 apart, and
# blocks and memory end in different ones.
def _clouds(n_classes=2, m=6000, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=m)
    angle = 2 * np.pi * y / n_classes
    centers = 1.2 * np.column_stack([np.cos(angle), np.sin(angle)])
    return centers + rng.normal(size=(m, 2)), y


@pytest.fixture(scope="session")
def clouds():
    """Return a function that makes clouds around a circle, in tangent coordinates."""
    return _clouds
