"""Ball and Klein coordinates, exact up to the last double inside the boundary."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hyplane.geometry import check_points, distance, from_polar, to_polar
from hyplane.geometry.numerics import boundary_gap, two_product, two_sum

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)


def exact_gap(row, k):
    """Rational arithmetic, the independent statement of 1 - k |b|²."""
    return 1 - Fraction(k) * sum(Fraction(float(b)) ** 2 for b in row)


def exact_radius(row, k, factor):
    """Radius of curvature -1 at 60 digits: 2 artanh|b| in the ball (factor 2), artanh|k|."""
    with localcontext() as context:
        context.prec = 60
        square = Fraction(k) * sum(Fraction(float(b)) ** 2 for b in row)
        norm = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        gap = exact_gap(row, k)
        gap = Decimal(gap.numerator) / Decimal(gap.denominator)
        return float(factor * ((1 + norm) ** 2 / gap).ln() / 2)


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
@given(seed=seeds, n_dim=st.integers(1, 12), k=st.sampled_from([1.0, 0.37, 10.0]))
def test_a_row_is_refused_exactly_when_it_is_outside(seed, n_dim, k):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(200, n_dim))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    for row in direction / np.sqrt(k):  # on the sphere but for rounding: inside, on it or outside
        if exact_gap(row, k) > 0:
            check_points(row[None, :], "ball", curvature=-k)
            radius, _ = to_polar(row[None, :], "klein", curvature=-k)
            assert np.isfinite(radius).all()
        else:
            with pytest.raises(ValueError, match="row 0 of X is not inside the Klein ball"):
                check_points(row[None, :], "klein", curvature=-k)


@pytest.mark.parametrize(("chart", "factor"), [("ball", 2), ("klein", 1)])
@pytest.mark.parametrize("k", [1.0, 0.37])
def test_radii_near_the_boundary_are_right_to_rounding(chart, factor, k):
    rows = rows_near_the_sphere(8, 300, 3, k)
    rows = rows[[exact_gap(row, k) > 0 for row in rows]]
    radius, _ = to_polar(rows, chart, curvature=-k)
    assert_allclose(radius, [exact_radius(row, k, factor) for row in rows], rtol=4 * EPS)
    assert radius.max() > factor * 18


def test_the_last_double_below_one_is_a_point_of_the_ball():
    b = np.nextafter(1.0, 0.0)
    radius, _ = to_polar([[b, 0.0]], "ball")
    assert_allclose(radius, 54 * np.log(2.0), rtol=1e-15)
    # Squares of the other coordinates far below the rounding unit of |b|² still count.
    radius, _ = to_polar([[b, 1e-8]], "ball")
    assert_allclose(radius, exact_radius([b, 1e-8], 1.0, 2), rtol=1e-15)
    with pytest.raises(ValueError, match="row 0 of X is not inside"):
        check_points([[b, 1.5e-8]], "ball")


def test_points_deeper_than_any_double_below_one_are_told_apart():
    # (3, 4, 0)/5 rounded: |b|² differs from 1 by less than 1e-16, in plain arithmetic by nothing.
    inside = np.array([0.6, 0.8]) * (1 - EPS / 2)
    gap = exact_gap(inside, 1.0)
    assert 0 < gap < Fraction(1, 10**15)
    radius, _ = to_polar(inside[None, :], "ball")
    assert_allclose(radius, exact_radius(inside, 1.0, 2), rtol=1e-15)


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


@settings(max_examples=200, deadline=None)
@given(a=st.floats(-1e100, 1e100), b=st.floats(-1e100, 1e100))
def test_sums_and_products_keep_their_rounding_errors(a, b):
    total, rest = two_sum(np.array([a]), np.array([b]))
    assert Fraction(total[0]) + Fraction(rest[0]) == Fraction(a) + Fraction(b)
    product, rest = two_product(np.array([a]), np.array([b]))
    if abs(a * b) > 1e-250:
        assert Fraction(product[0]) + Fraction(rest[0]) == Fraction(a) * Fraction(b)
