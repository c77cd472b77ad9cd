"""Passes over a block: sums, near rows, points joined; and what they refuse."""

import numpy as np
import pytest

from hyplane.native import core
from hyplane.solvers import Hyperplanes, PackedRows, Points

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 3))
CODES = RNG.integers(0, 3, 100).astype(np.int32)
FOLDS = RNG.integers(0, 2, 100).astype(np.int32)
WEIGHTS = RNG.random(100)
PLANES = np.array([[0.3, -0.4, 0.6, 0.8, 0.0], [-0.5, 0.7, 0.0, 0.0, 1.0]])
PROBLEMS = np.array([[0, -1, -1], [2, 1, 1]], dtype=np.int32)


def labels(k):
    positive, negative, left_out = PROBLEMS[k]
    y = np.where(positive == CODES, 1, -1)
    y[(positive != CODES) & (negative >= 0) & (negative != CODES)] = 0
    y[(left_out >= 0) & (left_out == FOLDS)] = 0
    return y.astype(np.int8)


@pytest.mark.parametrize("scale", [1.0, 60.0])  # near points, far points
def test_sums_are_those_of_each_problem_alone(scale):
    points = PackedRows.from_chart(scale * X, "tangent").packed
    table = core.sums_of_block(points, CODES, WEIGHTS, FOLDS, PLANES, PROBLEMS)
    for k, line in enumerate(table):
        value, d_scale, d_offset, d_normal = core.loss_and_gradient(
            points, labels(k), WEIGHTS, 1.0, PLANES[k, 0], PLANES[k, 1], PLANES[k, 2:]
        )
        square = np.exp(2 * PLANES[k, 0])
        expected = [value - 0.5 * square, square - d_scale, -d_offset, *-d_normal]
        np.testing.assert_allclose(line, expected, rtol=1e-12, atol=1e-12 * abs(value))


@pytest.mark.parametrize("scale", [1.0, 60.0])
def test_near_rows_are_those_of_the_products(scale):
    points = Points.from_chart(scale * X, "tangent")
    found = core.near_rows_of_block(points.packed, CODES, FOLDS, PLANES, PROBLEMS, 4.0, [100, 100])
    planes = Hyperplanes(PLANES[:, 0], PLANES[:, 1], PLANES[:, 2:])
    scores = points.scores(planes, "product")
    for k, (rows, products, n_with_loss) in enumerate(found):
        wanted = np.where(labels(k) == 0, np.inf, labels(k) * scores[:, k])
        np.testing.assert_array_equal(rows, np.flatnonzero(wanted < 4.0))
        np.testing.assert_allclose(products, wanted[rows], rtol=1e-9, atol=1e-9)
        assert n_with_loss == np.count_nonzero(wanted < 1.0)
    [few, _] = core.near_rows_of_block(points.packed, CODES, FOLDS, PLANES, PROBLEMS, 4.0, [5, 9])
    every = found[0]
    np.testing.assert_array_equal(np.sort(few[1]), np.sort(every[1])[:5])
    assert few[2] == every[2]


def test_joined_points_keep_their_bits():
    parts = [PackedRows.from_chart(part, "tangent").packed for part in np.split(X, [17, 60])]
    whole = PackedRows.from_chart(X, "tangent").packed
    joined = core.join(parts)
    assert joined.n_rows == 100
    assert joined.largest_radius == whole.largest_radius
    for ours, theirs in zip(core.polar(joined), core.polar(whole), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_near_and_far_points_are_joined_as_far_points():
    near = PackedRows.from_chart([[1.0, 0.0]], "tangent").packed
    far = PackedRows.from_chart([[0.0, 200.0]], "tangent").packed
    radius, direction = core.polar(core.join([near, far]))
    np.testing.assert_allclose(radius, [1.0, 200.0], rtol=1e-15)
    np.testing.assert_allclose(direction, np.eye(2), atol=1e-15)


def test_what_is_refused():
    points = PackedRows.from_chart(X, "tangent").packed
    with pytest.raises(ValueError, match="one code, and one fold if any, for each of the 100"):
        core.sums_of_block(points, CODES[1:], None, None, PLANES, PROBLEMS)
    with pytest.raises(ValueError, match="one code, and one fold if any"):
        core.near_rows_of_block(points, CODES, FOLDS[1:], PLANES, PROBLEMS, 4.0, [5, 5])
    with pytest.raises(ValueError, match="one number for each hyperplane"):
        core.near_rows_of_block(points, CODES, FOLDS, PLANES, PROBLEMS, 4.0, [5])
    with pytest.raises(ValueError, match="one line per hyperplane"):
        core.sums_of_block(points, CODES, None, None, PLANES, PROBLEMS[:1])
    with pytest.raises(ValueError, match="no points to join"):
        core.join([])
    with pytest.raises(ValueError, match="different dimensions"):
        core.join([points, PackedRows.from_chart([[0.5, 0.0]]).packed])
    line = PLANES[:1]
    y = labels(0)
    with pytest.raises(ValueError, match="the sums must be 6 numbers"):
        core.descend(points, y, None, 1.0, 1e-6, 9, line, lambda *_: np.zeros(2))
    with pytest.raises(ZeroDivisionError):
        core.descend(points, y, None, 1.0, 1e-6, 9, line, lambda *_: 1 / 0)
