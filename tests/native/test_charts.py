"""The compiled way in and out agrees with arithmetic in 70 digits."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from helpers import unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_statements import random_planes, random_rows

from hyplane.geometry import CHARTS, check_points
from hyplane.native import charts

KINDS = ("arsinh_product", "signed_distance", "product")
CURVATURES = (1.0, 0.25, 0.3, 7.0, 1e-5, 3e5)


def decimal(x):
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


def decimal_arsinh(t):
    if abs(t) < Decimal("1e-15"):
        return t * (1 - t * t / 6 + 3 * t**4 / 40)
    return ((abs(t) + (1 + t * t).sqrt()).ln()).copy_sign(t)


def decimal_polar(row, chart, k):
    """Radius and direction of one row of doubles, for a context of many digits."""
    x, root = [Fraction(float(number)) for number in row], decimal(k).sqrt()
    spatial = x[1:] if chart in ("hyperboloid", "polar") else x
    square = sum(number * number for number in spatial)
    length = decimal(square).sqrt()
    unit = [decimal(number) / length for number in spatial] if length else None
    if chart in ("ball", "klein"):
        gap, b = decimal(1 - Fraction(k) * square), root * length
        logarithm = ((1 + b) ** 2 / gap).ln() if b > Decimal("1e-20") else 2 * b * (1 + b * b / 3)
        return (logarithm if chart == "ball" else logarithm / 2), unit
    if chart == "hyperboloid":
        return decimal_arsinh(root * length), unit
    if chart == "polar":
        return root * decimal(x[0]), unit
    if chart == "tangent":
        return root * length, unit
    h = [root * decimal(number) for number in x]
    offset = (h[0] - 1) ** 2 + sum(number * number for number in h[1:])
    along = [decimal(1 - Fraction(k) * square), *(2 * number for number in h[1:])]
    norm = sum(number * number for number in along).sqrt()
    unit = [a / norm for a in along] if norm else None
    return 2 * decimal_arsinh((offset / (4 * h[0])).sqrt()), unit


def ulps(actual, exact):
    return float(
        abs(Decimal(float(actual)) - exact) / Decimal(float(np.spacing(float(abs(exact)))))
    )


def assert_right_to_4_ulps(X, chart, k):
    radius, direction, bad_row = charts.to_polar(X, chart, k)
    assert bad_row == -1
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 70, 999999, -999999
        for i, row in enumerate(X):
            exact_radius, exact_direction = decimal_polar(row, chart, k)
            if exact_direction is None:
                assert radius[i] == exact_radius == 0
                continue
            assert ulps(radius[i], exact_radius) <= 4, row
            for actual, exact in zip(direction[i], exact_direction, strict=True):
                # 1 - |h|² of a half-space point may be smaller than the smallest double.
                assert abs(exact) < 1e-150 or ulps(actual, exact) <= 4, row


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("n", [1, 2, 3, 17])
def test_polar_coordinates_are_right_to_4_ulps(chart, n):
    if chart == "polar" and n < 3:
        pytest.skip("an angle, or no such chart")
    rng = np.random.default_rng(n)
    for k in CURVATURES:
        assert_right_to_4_ulps(random_rows(rng, 20, n, chart, k), chart, k)


def last_points_before_the_sphere(rng, n, steps):
    """Rows whose length rounds to 1 but that are inside, by exact arithmetic."""
    rows = []
    for row in unit_rows(rng, 400, n):
        for _ in range(steps):
            row[rng.integers(n)] = np.nextafter(row[rng.integers(n)], 0.0)
        row = row if n > 1 else row * (1 - 2.0**-53)
        gap = 1 - sum(Fraction(float(x)) ** 2 for x in row)
        if 0 < gap < Fraction(1, 10**14):
            rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("chart", ["ball", "klein"])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 50])
def test_the_last_bits_before_the_boundary_are_exact(chart, n):
    X = last_points_before_the_sphere(np.random.default_rng(n), n, 0)
    assert len(X) > 20
    assert_right_to_4_ulps(X[:30], chart, 1.0)
    assert_right_to_4_ulps(0.5 * X[:30], chart, 4.0)


@pytest.mark.parametrize("chart", ["ball", "klein"])
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_inside_and_outside_are_told_apart_exactly(chart, n):
    rng = np.random.default_rng(7 + n)
    for row in unit_rows(rng, 200, n):
        row[0] = np.nextafter(row[0], 2.0 * rng.integers(2) - 1.0)
        inside = sum(Fraction(float(x)) ** 2 for x in row) < 1
        assert (charts.to_polar(row[None], chart, 1.0)[2] == -1) == inside
        assert (charts.to_polar(0.5 * row[None], chart, 4.0)[2] == -1) == inside


def test_a_gap_far_below_the_rounding_of_1_is_found():
    # The squares must be subtracted without any rounding.
    b1 = 1.0 - 2.0**-30
    b2 = float((1 - decimal(b1) ** 2).sqrt())
    b2 = b2 if Fraction(b1) ** 2 + Fraction(b2) ** 2 < 1 else float(np.nextafter(b2, 0.0))
    assert 0 < 1 - Fraction(b1) ** 2 - Fraction(b2) ** 2 < Fraction(1, 10**23)
    assert_right_to_4_ulps(np.array([[b1, b2], [b2, b1], [-b1, b2]]), "ball", 1.0)


@pytest.mark.parametrize("chart", ["ball", "klein", "tangent", "hyperboloid"])
@pytest.mark.parametrize("size", [1e-300, 5e-324, 1e-160, 1e-135, 1e-20])
def test_tiny_lengths_keep_their_digits(chart, size):
    vector = np.array([[3.0, 4.0, -12.0]]) * size
    vector = vector if size > 1e-320 else np.array([[size, 0.0, 0.0]])
    X = np.column_stack([[1.0], vector]) if chart == "hyperboloid" else vector
    assert_right_to_4_ulps(X, chart, 1.0)


@pytest.mark.parametrize("size", [1e100, 1e149, 1e151, 1e300])
def test_huge_lengths_do_not_overflow(size):
    vector = np.array([[0.36, -0.48, 0.8]]) * size
    assert_right_to_4_ulps(vector, "tangent", 1.0)
    assert_right_to_4_ulps(np.column_stack([[size], vector]), "hyperboloid", 1.0)
    height = np.abs(vector)
    assert_right_to_4_ulps(height, "halfspace", 1.0)
    assert_right_to_4_ulps(np.array([[1.0 / size, 0.5, 0.25], [1.0 / size, size, 1.0]]),
                           "halfspace", 1.0)  # fmt: skip


@pytest.mark.parametrize("chart", CHARTS)
def test_the_origin_has_radius_0_and_the_first_axis(chart):
    origin = {"hyperboloid": [1.0, 0.0, 0.0], "halfspace": [1.0, 0.0], "polar": [0.0, 2.5]}
    X = np.array([origin.get(chart, [0.0, 0.0])] * 3)
    radius, direction, bad_row = charts.to_polar(X, chart, 1.0)
    assert bad_row == -1
    np.testing.assert_array_equal(radius, 0.0)
    np.testing.assert_array_equal(direction, [[1.0, 0.0]] * 3)


def test_angles_become_unit_vectors_to_2_ulps():
    rng = np.random.default_rng(5)
    quarters = np.arange(-200, 200) * (np.pi / 2)
    angles = np.r_[
        quarters, np.nextafter(quarters, 1e9), np.nextafter(quarters, -1e9),
        rng.uniform(-10.0, 10.0, 2000), rng.uniform(-1e5, 1e5, 2000),
        10.0 ** rng.uniform(-300, 300, 300),
    ]  # fmt: skip
    direction = charts.to_polar(np.column_stack([np.ones(len(angles)), angles]), "polar", 1.0)[1]
    for column, function in enumerate((math.cos, math.sin)):
        exact = np.array([function(angle) for angle in angles])
        assert (np.abs(direction[:, column] - exact) <= 2 * np.spacing(np.abs(exact))).all()


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_strides_and_either_precision_give_the_same_bits(chart, dtype):
    rng = np.random.default_rng(3)
    for n in (2, 3, 4, 11):
        X = random_rows(rng, 101, n, chart, 1.0, 5.0).astype(dtype)
        planes = random_planes(rng, 3, n)
        wide = np.zeros((303, 2 * X.shape[1]), dtype)
        wide[::3, ::2] = X
        views = [
            np.asfortranarray(X),
            wide[::3, ::2],
            np.ascontiguousarray(X[::-1])[::-1],
            np.ascontiguousarray(X[:, ::-1])[:, ::-1],
            np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        ]
        polar = charts.to_polar(X, chart, 1.0)
        assert polar[1].flags.c_contiguous
        np.testing.assert_allclose(np.linalg.norm(polar[1], axis=1), 1.0, rtol=1e-15)
        if chart not in ("hyperboloid", "polar"):  # single precision is off the sheet of doubles
            views.append(X.astype(np.float64))
        score = charts.scores(X, chart, 1.0, *planes, "arsinh_product")
        for view in views:
            for actual, expected in zip(charts.to_polar(view, chart, 1.0), polar, strict=True):
                np.testing.assert_array_equal(actual, expected)
            again = charts.scores(view, chart, 1.0, *planes, "arsinh_product")
            np.testing.assert_array_equal(again[0], score[0])


@pytest.mark.parametrize("chart", CHARTS)
def test_neighbours_change_no_bit(chart):
    rng = np.random.default_rng(4)
    X = random_rows(rng, 5001, 3, chart, 1.0)
    X.setflags(write=False)
    planes = random_planes(rng, 4, 3)
    polar = charts.to_polar(X, chart, 1.0)
    score, _ = charts.scores(X, chart, 1.0, *planes, "arsinh_product")
    for row in (0, 17, 4999):
        alone = charts.to_polar(X[row : row + 1], chart, 1.0)
        assert alone[0][0] == polar[0][row]
        np.testing.assert_array_equal(alone[1][0], polar[1][row])
        one, _ = charts.scores(X[row : row + 1], chart, 1.0, *planes, "arsinh_product")
        np.testing.assert_array_equal(one[0], score[row])


BAD_ROWS = {
    "ball": [[np.nan, 0.0], [np.inf, 0.0], [1.0, 0.0], [0.8, 0.6000001], [1e200, 1.0]],
    "klein": [[0.0, np.nan], [0.0, -np.inf], [0.0, -1.0], [0.8, 0.6000001], [1e308, 1e308]],
    "hyperboloid": [
        [np.nan, 0.0, 0.0], [np.inf, np.inf, 0.0], [1.0, np.nan, 0.0], [-1.0, 0.0, 0.0],
        [1.001, 0.0, 0.0], [1e200, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 2.0, 0.0],
    ],
    "halfspace": [[0.0, 1.0], [-1.0, 0.0], [1.0, np.inf], [np.nan, 1.0], [-1e-30, 1.0]],
    "polar": [
        [-1.0, 1.0, 0.0, 0.0], [1.0, 1.1, 0.0, 0.0], [np.nan, 1.0, 0.0, 0.0],
        [1.0, np.inf, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [-1e-30, 1.0, 0.0, 0.0],
        [0.0, 0.0, 2.0, 0.0],
    ],
    "tangent": [[np.nan, 0.0], [0.0, np.inf]],
}  # fmt: skip


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_that_are_no_points_are_found_where_check_points_finds_them(chart, dtype):
    rng = np.random.default_rng(6)
    with np.errstate(over="ignore"):
        bad_rows = np.array(BAD_ROWS[chart]).astype(dtype)
    good = random_rows(rng, 200, bad_rows.shape[1] - (chart in ("hyperboloid", "polar")),
                       chart, 1.0, 3.0).astype(dtype)  # fmt: skip
    planes = random_planes(rng, 2, charts.to_polar(good, chart, 1.0)[1].shape[1])
    for bad in bad_rows:
        for where in ([0], [199], [70, 150], [33, 32]):
            X = good.copy()
            X[where] = bad
            for n_threads in (1, 2):
                assert charts.to_polar(X, chart, 1.0, n_threads)[2] == min(where)
                assert charts.scores(X, chart, 1.0, *planes, "product", n_threads)[1] == min(where)
            with pytest.raises(ValueError, match=f"^row {min(where)} of X"):
                check_points(X, chart)


@pytest.mark.parametrize(("chart", "outside"), [("ball", [2.0, 0.0]), ("halfspace", [-1.0, 0.0])])
def test_numbers_that_are_not_finite_come_first(chart, outside):
    X = np.full((100, 2), 0.5)
    X[3], X[50] = outside, np.nan
    assert charts.to_polar(X, chart, 1.0)[2] == 50
    with pytest.raises(ValueError, match=r"^row 50 of X"):
        check_points(X, chart)


def decimal_score(radius, direction, log_scale, offset, normal):
    """``w*x`` in 70 digits, and the sum of the sizes of its terms."""
    a, side = decimal(abs(offset)), -1 if offset < 0 else 1
    half = sum((side * decimal(u) - v) ** 2 for u, v in zip(normal, direction, strict=True)) / 2
    grow, shrink = a.exp(), (-a).exp()
    sinh_r, decay = (radius.exp() - (-radius).exp()) / 2, (-radius).exp()
    first = (grow - shrink) / 2 * decay
    lever = sinh_r * (grow + shrink) / 2
    scale = decimal(log_scale).exp()
    value = side * scale * (first + lever * half - sinh_r * shrink)
    return value, scale * (first + lever * (half + half.sqrt()) + sinh_r * shrink)


@pytest.mark.parametrize("chart", CHARTS)
def test_products_are_right_to_rounding_of_their_terms(chart):
    rng = np.random.default_rng(11)
    X = random_rows(rng, 30, 3, chart, 1.0, 30.0)
    planes = random_planes(rng, 4, 3)
    planes[2][0] = charts.to_polar(X, chart, 1.0)[1][5]  # a point right above the hyperplane
    product, _ = charts.scores(X, chart, 1.0, *planes, "product")
    arsinh, _ = charts.scores(X, chart, 1.0, *planes, "arsinh_product")
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 70, 999999, -999999
        for i, row in enumerate(X):
            radius, direction = decimal_polar(row, chart, 1.0)
            for q, plane in enumerate(zip(*planes, strict=True)):
                exact, size = decimal_score(radius, direction, *plane)
                error = float(abs(Decimal(product[i, q]) - exact) / size)
                assert error < 4e-15
                steepness = size / (1 + exact * exact).sqrt()
                error = float(abs(Decimal(arsinh[i, q]) - decimal_arsinh(exact)))
                assert error < 4e-15 * float(steepness) + 4e-16 * abs(arsinh[i, q])


@pytest.mark.parametrize("chart", CHARTS)
def test_no_rows_give_no_results(chart):
    columns = 3 + (chart in ("hyperboloid", "polar"))
    X, planes = np.empty((0, columns)), random_planes(np.random.default_rng(0), 2, 3)
    radius, direction, bad_row = charts.to_polar(X, chart, 1.0, 4)
    assert (radius.shape, direction.shape, bad_row) == ((0,), (0, 3), -1)
    assert charts.scores(X, chart, 1.0, *planes, "product")[0].shape == (0, 2)
    assert charts.decide(X, chart, 1.0, *planes)[0].shape == (0,)


@pytest.mark.parametrize(
    ("X", "chart", "k", "n_threads", "message"),
    [
        (np.zeros(3), "ball", 1.0, 1, "2-D"),
        (np.zeros((2, 2, 2)), "ball", 1.0, 1, "2-D"),
        (np.float64(1.0).reshape(()), "ball", 1.0, 1, "2-D"),
        (np.zeros((3, 0)), "ball", 1.0, 1, "at least 1"),
        (np.zeros((3, 1)), "hyperboloid", 1.0, 1, "at least 2"),
        (np.zeros((3, 1)), "polar", 1.0, 1, "at least 2"),
        (np.zeros((3, 2)), "sphere", 1.0, 1, "chart must be one of"),
        (np.zeros((3, 2)), "ball", 0.0, 1, "positive"),
        (np.zeros((3, 2)), "ball", -1.0, 1, "positive"),
        (np.zeros((3, 2)), "ball", np.nan, 1, "positive"),
        (np.zeros((3, 2)), "ball", np.inf, 1, "positive"),
        (np.zeros((3, 2)), "ball", 1.0, 0, "n_threads"),
        (np.zeros((3, 2), dtype=np.int64), "ball", 1.0, 1, "float32 or float64"),
        (np.zeros((3, 2), dtype=np.float16), "ball", 1.0, 1, "float32 or float64"),
        (np.zeros((3, 2), dtype=np.complex128), "ball", 1.0, 1, "float32 or float64"),
    ],
)
def test_absurd_input_is_refused(X, chart, k, n_threads, message):
    with pytest.raises(ValueError, match=message):
        charts.to_polar(X, chart, k, n_threads)


@pytest.mark.parametrize(
    "X",
    [
        None,
        "rows",
        [[0.0, 0.0]],
        np.array([["a", "b"]]),
        np.zeros((3, 2), dtype=">f8"),
        np.zeros((3, 2), dtype=object),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(X):
    with pytest.raises((TypeError, ValueError)):
        charts.to_polar(X, "ball", 1.0)


def test_numbers_at_odd_addresses_are_refused():
    odd = np.zeros(49, dtype=np.uint8)[1:]
    for dtype in (np.float32, np.float64):
        X = odd.view(dtype).reshape(-1, 2)
        with pytest.raises(ValueError, match="aligned"):
            charts.to_polar(X, "ball", 1.0)
        assert charts.to_polar(X.copy(), "ball", 1.0)[2] == -1


@settings(deadline=None, max_examples=100)
@given(
    chart=st.sampled_from(CHARTS),
    k=st.floats(min_value=5e-324, max_value=1e308),
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
)
def test_no_bits_whatever_crash(chart, k, seed, kind):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2**64, (67, 3), dtype=np.uint64).view(np.float64)
    bits = rng.integers(0, 2**64, (2, 5), dtype=np.uint64).view(np.float64)
    radius, _, bad_row = charts.to_polar(X, chart, k)
    assert -1 <= bad_row < 67
    assert not (bad_row == -1 and not np.isfinite(radius).all())
    n = 2 if chart in ("hyperboloid", "polar") else 3
    planes = np.nan_to_num(bits[:, 0]), np.nan_to_num(bits[:, 1]), np.nan_to_num(bits[:, 2 : 2 + n])
    for n_threads in (1, 2):
        scores, again = charts.scores(X, chart, k, *planes, kind, n_threads)
        assert scores.shape == (67, 2)
        assert again == bad_row
    assert charts.decide(X, chart, k, *planes)[0].max() <= 1
