"""Rows that are not points are refused by name; nothing is moved unless asked."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from hyplane.geometry import (
    CHARTS,
    PointError,
    check_points,
    clip_radius,
    convert,
    distance,
    exponential_map,
    from_polar,
    to_polar,
)

GOOD = [0.3, 0.4]
UNIT = [0.6, 0.8]


# A good row, a bad one, what is said of it, its value, the column, and whether it can be clipped.
OUTSIDE = [
    (
        "ball", GOOD, [1.02, 0.0],
        r"row 2 of X is not inside the Poincaré ball: \|b\| = 1.02 but it must be below 1 "
        r"\(curvature -1\). Rescale the points, or pull them back explicitly with "
        r"hyplane.geometry.clip_radius.",
        1.02, None, True,
    ),
    ("ball", GOOD, [0.6, 0.8], r"\|b\| = 1 but it must be below 1", 1.0, None, True),
    ("klein", GOOD, [1.5, 0.0], r"row 2 of X is not inside the Klein ball", 1.5, None, True),
    ("halfspace", GOOD, [0.0, 1.0], "first coordinate is 0 but it must be", 0.0, 0, True),
    ("halfspace", GOOD, [-1.0, 1.0], "is -1 but .*height comes first", -1.0, 0, True),
    (
        "hyperboloid", [1.25, 0.75], [1.25, 0.8],
        r"row 2 of X is not on the hyperboloid: it has x\*x = .* = 0.9225 but it must be 1",
        0.9225, None, True,
    ),
    ("hyperboloid", [1.25, 0.75], [-1.25, 0.75], "x0 = -1.25 but it must be", -1.25, 0, True),
    ("polar", [1.0, 9.0], [-1.0, 9.0], "has radius -1 but .* not be negative", -1.0, 0, False),
    ("polar", [1.0, *UNIT], [1.0, 0.6, 0.7], "a direction of length 0.92", 0.85**0.5, None, False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("chart", "good", "bad", "message", "value", "column", "can_clip"), OUTSIDE
)
@pytest.mark.parametrize("look", [check_points, to_polar, lambda X, c: convert(X, c, "tangent")])
def test_the_first_row_outside_its_chart_is_named_with_its_facts(
    look, chart, good, bad, message, value, column, can_clip
):
    with pytest.raises(PointError, match=message) as caught:
        look([good, good, bad, bad], chart)
    error = caught.value
    assert (error.row, error.column, error.coordinates) == (2, column, chart)
    assert error.value == pytest.approx(value)
    assert error.can_clip is can_clip
    assert error.remedy
    assert str(error).startswith("row 2 of X ")
    assert ("clip_radius" in str(error)) is can_clip
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), vars(copy)) == (str(error), vars(error))


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_named(chart, value):
    rows = from_polar([1.0, 1.0], [[0.6, 0.0, 0.8]] * 2, chart)
    rows[1, 1] = value
    message = f"row 1 of X has {value} in column 1: .*NaN or infinity"
    with pytest.raises(PointError, match=message) as caught:
        check_points(rows, chart)
    assert (caught.value.row, caught.value.column, caught.value.can_clip) == (1, 1, False)
    with pytest.raises(ValueError, match="row 1 of X has"):
        clip_radius(rows, chart, max_radius=2.0)


def test_finite_rows_whose_sum_overflows_are_points():
    check_points(np.full((2, 2), 1e308), "tangent")


@pytest.mark.parametrize(
    ("rows", "chart", "message"),
    [
        ([0.1, 0.2], "ball", "must be a 2-D array, one point a row; got 1"),
        (np.zeros((0, 2)), "ball", "X has no rows"),
        (np.zeros((3, 0)), "ball", "0 column.* at least 1"),
        ([[1.0]], "hyperboloid", "1 column.* hyperboloid coordinates have at least 2"),
        ([[1.0]], "polar", "1 column.* polar coordinates have at least 2"),
        ([["a", "b"]], "ball", "X must hold numbers"),
        (np.array([[1j]]), "ball", "complex"),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(rows, chart, message):
    with pytest.raises(ValueError, match=message):
        check_points(rows, chart)


def test_sparse_matrices_are_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"X is a sparse matrix.*X.toarray\(\)"):
        check_points(sparse.csr_matrix([[0.1, 0.2]]), "ball")


@pytest.mark.parametrize("curvature", [0.0, 1.0, -np.inf, np.nan, "flat", None])
def test_curvature_must_be_a_negative_number(curvature):
    with pytest.raises(ValueError, match="curvature must be a negative finite number"):
        check_points([GOOD], "ball", curvature=curvature)


def test_the_boundary_moves_with_the_curvature():
    assert_array_equal(check_points([[1.9, 0.0]], "ball", curvature=-0.25), [[1.9, 0.0]])
    with pytest.raises(ValueError, match=r"below 1/sqrt\(4\) = 0.5 \(curvature -4\)"):
        check_points([[0.6, 0.0]], "ball", curvature=-4.0)


@pytest.mark.parametrize("chart", CHARTS)
def test_every_kind_of_array_is_read_and_none_is_changed(polar_points, chart):
    X = from_polar(*polar_points(2, 8, 3, 3.0), chart)
    wide = np.zeros((16, 2 * X.shape[1]))
    wide[::2, ::2] = X
    frozen = X.copy()
    frozen.setflags(write=False)
    kinds = [X, np.asfortranarray(X), wide[::2, ::2], frozen, X.tolist(), pd.DataFrame(X)]
    expected = to_polar(X, chart)
    for kind in kinds:
        before = np.array(kind)
        for got, want in zip(to_polar(kind, chart), expected, strict=True):
            assert_allclose(got, want, rtol=1e-14, atol=1e-15)
        clip_radius(kind, chart, max_radius=0.5)
        distance(kind, kind, coordinates=chart)
        assert_array_equal(np.array(kind), before)


@pytest.mark.parametrize("chart", CHARTS)
def test_single_precision_points_are_judged_by_their_own_rounding(polar_points, chart):
    radius, direction = polar_points(2, 50, 3, 6.0 if chart in ("ball", "klein") else 30.0)
    X = from_polar(radius, direction, chart).astype(np.float32)
    again = check_points(X, chart)
    assert again.dtype == np.float64
    assert_array_equal(again, X.astype(float))


@pytest.mark.parametrize("radius", [1.0, 20.0, 300.0, 700.0])
def test_hyperboloid_points_may_miss_the_sheet_by_rounding_alone(polar_points, radius):
    direction = polar_points(4, 100, 5, 1.0)[1]
    X = from_polar(np.full(100, radius), direction, "hyperboloid")
    check_points(X * (1 + 1e-16), "hyperboloid")
    X[7, 0] *= 1 + 1e-5
    with pytest.raises(ValueError, match="row 7 of X is not on the hyperboloid"):
        check_points(X, "hyperboloid")


@pytest.mark.parametrize("chart", CHARTS)
def test_clip_radius_moves_far_rows_only_and_along_their_direction(polar_points, chart):
    radius, direction = polar_points(9, 40, 3, 10.0)
    X = from_polar(radius, direction, chart, curvature=-2.0)
    limit = 4.0
    clipped = clip_radius(X, chart, max_radius=limit, curvature=-2.0)
    near = radius <= limit * np.sqrt(2.0)
    assert 5 < near.sum() < 35
    assert_array_equal(clipped[near], X[near])
    again, same = to_polar(clipped, chart, curvature=-2.0)
    assert_allclose(again[~near], limit * np.sqrt(2.0), rtol=1e-9)
    assert_allclose(same[~near], direction[~near], atol=1e-11)


@pytest.mark.parametrize(
    ("chart", "outside", "direction"),
    [
        ("ball", [3.0, 4.0], [0.6, 0.8]),
        ("klein", [0.6, 0.8 + 1e-15], [0.6, 0.8]),
        ("halfspace", [0.0, 0.0], [1.0, 0.0]),
        ("halfspace", [-2.0, 1.0], [0.0, 1.0]),
    ],
)
def test_clip_radius_brings_back_what_lies_beyond_the_boundary(chart, outside, direction):
    radius, again = to_polar(clip_radius([outside], chart, max_radius=5.0), chart)
    assert_allclose(radius, 5.0)
    if outside[0] >= 0:
        assert_allclose(again, [direction], atol=1e-12)


def test_clip_radius_puts_stray_rows_back_on_the_hyperboloid():
    X = [[1.25, 0.75, 0.0], [9.0, 0.75, 0.0]]
    assert_allclose(clip_radius(X, "hyperboloid", max_radius=9.0), [[1.25, 0.75, 0.0]] * 2)


@pytest.mark.parametrize("max_radius", [0.0, -1.0, np.inf, np.nan, "far"])
def test_clip_radius_needs_a_radius(max_radius):
    with pytest.raises(ValueError, match="max_radius must be a positive finite number"):
        clip_radius([GOOD], "ball", max_radius=max_radius)


@pytest.mark.parametrize(
    "call",
    [
        lambda: convert([[0.0, 0.0], [50.0, 0.0]], "tangent", "ball"),
        lambda: from_polar([1.0, -1.0], [0.0, 0.0], "ball"),
        lambda: from_polar([1.0, 1.0], [[1.0, 0.0], [3.0, 4.0]], "ball"),
        lambda: exponential_map([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]),
        lambda: exponential_map([[0.0, 1.0, 0.0], [np.inf, 1.0, 0.0]]),
    ],
)
def test_every_complaint_about_a_row_is_a_point_error(call):
    with pytest.raises(PointError) as caught:
        call()
    assert caught.value.row == 1


def test_an_error_about_a_point_arrives_from_another_process():
    rows = [[0.5, 0.5], [2.0, 0.0]]
    # Not by joblib, which needs a program of the system to end its processes after an error.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        sent = pool.submit(check_points, rows, "ball", name="Y")
        with pytest.raises(PointError) as caught:
            sent.result()
    assert (caught.value.row, caught.value.name) == (1, "Y")


@pytest.mark.parametrize("chart", ["ball", "klein"])
def test_single_precision_that_rounded_to_the_boundary_says_so(chart):
    inside = np.array([[0.0, 1.0 - 1e-9]])
    check_points(inside, chart)
    with pytest.raises(ValueError, match=r"rounded to the boundary.*double precision"):
        check_points(inside.astype(np.float32), chart)
    with pytest.raises(ValueError) as error:
        check_points(np.array([[0.0, 1.5]], dtype=np.float32), chart)
    assert "rounded" not in str(error.value)
