"""Rows of any chart are packed in one pass, as polar coordinates would be."""

import pickle

import numpy as np
import pytest

from hyplane.geometry import CHARTS, PointError, convert
from hyplane.native import core
from hyplane.solvers import Points


def tangent(m, n, size=1.5, seed=0):
    return np.random.default_rng(seed).normal(scale=size, size=(m, n))


def objective(packed, labels, n, **options):
    """What a hyperplane costs, and its gradient: different points would show in it."""
    plane = (0.3, -0.4, np.eye(n)[0])
    value, *slopes = core.loss_and_gradient(packed, labels, None, 2.0, *plane, **options)
    return np.concatenate([[value], *map(np.atleast_1d, slopes)])


def signs(m, seed=1):
    return np.random.default_rng(seed).choice([-1, 1], m).astype(np.int8)


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("shape", [(1, 2), (15, 3), (16, 2), (17, 5), (33, 2), (1000, 2), (70, 41)])
@pytest.mark.parametrize("k", [1.0, 0.3])
def test_packed_rows_agree_with_polar_coordinates(chart, shape, k):
    m, n = shape
    X = convert(tangent(m, n, 1.5 / np.sqrt(n)), "tangent", chart, curvature=-k)
    packed, bad = core.pack(X, chart, k)
    points = Points.from_chart(X, chart, curvature=-k)
    assert (packed.n_rows, packed.n_dim, packed.far, bad) == (m, n, False, -1)
    assert packed.largest_radius == pytest.approx(points.radius.max(), rel=1e-14)
    expected = objective(points.packed, signs(m), n)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(objective(packed, signs(m), n), expected, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("chart", CHARTS)
def test_packing_does_not_depend_on_the_layout_of_the_rows(chart):
    X = convert(tangent(500, 2, 1.0), "tangent", chart)
    expected = objective(core.pack(X, chart, 1.0)[0], signs(500), 2)
    wide = np.zeros((1000, 2 * X.shape[1]))
    wide[::2, ::2] = X
    for rows in (np.asfortranarray(X), wide[::2, ::2], X[::-1].copy()[::-1]):
        np.testing.assert_array_equal(
            objective(core.pack(rows, chart, 1.0)[0], signs(500), 2), expected
        )


def test_single_precision_is_packed_as_the_same_numbers_in_double_precision():
    X = tangent(500, 3).astype(np.float32)
    single, double = core.pack(X, "tangent", 1.0)[0], core.pack(X.astype(float), "tangent", 1.0)[0]
    np.testing.assert_array_equal(
        objective(single, signs(500), 3), objective(double, signs(500), 3)
    )


@pytest.mark.parametrize("chart", ["ball", "tangent", "hyperboloid"])
def test_packing_does_not_depend_on_the_number_of_threads(chart):
    X = convert(tangent(70_003, 2, 1.0), "tangent", chart)
    one = core.pack(X, chart, 1.0)[0]
    for n_threads in (2, 3, 8):
        several = core.pack(X, chart, 1.0, n_threads)[0]
        assert several.largest_radius == one.largest_radius
        np.testing.assert_array_equal(
            objective(several, signs(70_003), 2), objective(one, signs(70_003), 2)
        )


@pytest.mark.parametrize("radius", [81.0, 114.0, 116.0, 5000.0])
def test_a_far_row_makes_all_points_far(radius):
    X = tangent(100, 2)
    X[57] = radius, 0.0
    packed, bad = core.pack(X, "tangent", 1.0)
    assert packed.far
    assert bad == -1
    assert packed.largest_radius == radius
    expected = objective(Points.from_chart(X, "tangent").packed, signs(100), 2)
    np.testing.assert_allclose(objective(packed, signs(100), 2), expected, rtol=1e-13)


def test_points_at_the_origin_have_radius_0():
    packed, bad = core.pack(np.zeros((20, 3)), "ball", 1.0)
    assert packed.largest_radius == 0.0
    assert bad == -1


def test_tiny_radii_keep_their_digits():
    assert core.pack(np.full((5, 1), 1e-200), "tangent", 1.0)[0].largest_radius == 1e-200


@pytest.mark.parametrize("row", [0, 16, 99])
def test_a_row_that_is_no_point_is_named(row):
    X = np.zeros((100, 2))
    X[row] = 1.0, 0.5
    assert core.pack(X, "ball", 1.0)[1] == row
    with pytest.raises(PointError, match=f"row {row} of X"):
        Points.from_chart(X, pack=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.empty((0, 2)), "ball", 1.0), "no points"),
        ((np.zeros((3, 2)), "sphere", 1.0), "chart must be one of"),
        ((np.zeros((3, 2)), "ball", 1.0, 0), "n_threads must be at least 1"),
        ((np.zeros((3, 2), dtype=np.int64), "ball", 1.0), "float32 or float64"),
    ],
)
def test_what_cannot_be_packed_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        core.pack(*arguments)


@pytest.mark.parametrize("far", [False, True])
def test_a_pickle_holds_the_same_points(far):
    X = tangent(37, 3, size=60.0 if far else 1.0)
    packed = core.pack(X, "tangent", 1.0)[0]
    assert packed.far == far
    restored = pickle.loads(pickle.dumps(packed))
    assert (restored.n_rows, restored.n_dim, restored.far) == (37, 3, far)
    assert restored.largest_radius == packed.largest_radius
    np.testing.assert_array_equal(
        objective(restored, signs(37), 3), objective(packed, signs(37), 3)
    )


def test_the_numbers_of_a_pickle_are_not_copied_on_their_way_out():
    packed = core.pack(tangent(1000, 3), "tangent", 1.0)[0]
    buffers = []
    frame = pickle.dumps(packed, protocol=5, buffer_callback=buffers.append)
    assert len(frame) < 1000
    [numbers] = buffers
    assert numbers.raw().nbytes == packed.nbytes


def test_a_pickle_with_too_few_numbers_is_refused():
    points = core.PackedPoints.__new__(core.PackedPoints)
    with pytest.raises(ValueError, match="not the numbers of 10 points of dimension 3"):
        points.__setstate__((10, 3, False, 1.0, np.zeros(3)))
