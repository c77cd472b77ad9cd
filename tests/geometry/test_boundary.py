"""Ball and Klein coordinates, exact up to the last double inside the boundary."""

from fractions import Fraction

import numpy as np
from helpers import unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from hyplane.geometry.numerics import boundary_gap

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)


def exact_gap(row, k):
    """Rational arithmetic, the independent statement of 1 - k |b|²."""
    return 1 - Fraction(k) * sum(Fraction(float(b)) ** 2 for b in row)


def rows_near_the_sphere(seed, n_rows, n_dim, k):
    """Rows whose rounded length is within 1e-1 … 1e-17 of the boundary, some of them beyond it."""
    rng = np.random.default_rng(seed)
    depth = 10.0 ** rng.uniform(-17, -1, n_rows)
    return (1.0 - depth)[:, None] * unit_rows(rng, n_rows, n_dim) / np.sqrt(k)


@settings(max_examples=60, deadline=None)
@given(seed=seeds, n_dim=st.integers(1, 20), k=st.one_of(st.just(1.0), st.floats(0.1, 10.0)))
def test_the_gap_to_the_boundary_is_right_to_rounding(seed, n_dim, k):
    rows = rows_near_the_sphere(seed, 40, n_dim, k)
    expected = [exact_gap(row, k) for row in rows]
    gaps = boundary_gap(rows, k)
    for gap, exact in zip(gaps, expected, strict=True):
        # The plain formula serves gaps above 0.1, where it is off by a few n eps / 0.1.
        tolerance = 40 * n_dim * EPS if exact > 0.09 else 8 * EPS + n_dim * 2.0**-53
        assert np.sign(gap) == np.sign(exact)
        assert abs(Fraction(float(gap)) - exact) <= Fraction(tolerance) * abs(exact)
