"""Ball and Klein coordinates, exact up to the last double inside the boundary."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hyplane.geometry import distance, from_polar
from hyplane.geometry.numerics import boundary_gap

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)


def exact_gap(row, k):
    """Rational arithmetic, the independent statement of 1 - k |b|²."""
    return 1 - Fraction(k) * sum(Fraction(float(b)) ** 2 for b in row)


def rows_near_the_sphere(seed, n_rows, n_dim, k):
    """Rows whose rounded length is within 1e-1 … 1e-17 of the boundary, some of them beyond it."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(n_rows, n_dim))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    depth = 10.0 ** rng.uniform(-17, -1, n_rows)
    return (1.0 - depth)[:, None] * direction / np.sqrt(k)


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


@settings(max_examples=40, deadline=None)
@given(seed=seeds, n_dim=st.integers(2, 10))
def test_distances_near_the_boundary_match_rational_arithmetic(seed, n_dim):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(2, n_dim))
    direction[1] = direction[0] + 10.0 ** rng.uniform(-15, 0) * direction[1]
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    X = from_polar(rng.uniform(20, 36, 2), direction, "ball")
    difference = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(*X.tolist(), strict=True))
    square = difference / (exact_gap(X[0], 1.0) * exact_gap(X[1], 1.0))
    expected = 2 * np.arcsinh(np.sqrt(float(square)))
    assert_allclose(distance(X[:1], X[1:]), expected, rtol=1e-14)
