"""Functions of radius 1e-300 to 1e4 against the textbook definitions at 50 digits and more."""

import accuracy_table
import numpy as np
import pytest

EPSILON = np.finfo(np.float64).eps
CASES = {name: (chart, error) for name, chart, error in accuracy_table.functions()}


def allowed(name):
    """Return the relative error allowed, in units of the rounding of one double."""
    # Differences of points at 1e-300 are subnormal, with fewer digits.
    return 200 if "near points" in name else 16


@pytest.mark.parametrize("radius", accuracy_table.RADII)
@pytest.mark.parametrize("name", CASES)
def test_the_error_is_a_few_roundings(name, radius):
    chart, error = CASES[name]
    worst = accuracy_table.worst(error, chart, radius, 1 if radius > 1000 else 4, seed=1)
    if worst is None:
        pytest.skip(f"{chart} does not hold points at radius {radius:g}")
    assert worst <= allowed(name) * EPSILON
