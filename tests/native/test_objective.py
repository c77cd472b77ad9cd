"""The compiled objective and gradient agree with NumPy statements of the same formulas."""

import numpy as np
import pytest
from helpers import unit_rows

from hyplane.geometry import from_polar, hyperplane_normal, minkowski_product
from hyplane.native import core


def soft_margin_objective(x, y, w, C):
    """The objective of the paper (equation 10) in hyperboloid coordinates."""
    losses = np.maximum(0.0, np.arcsinh(1.0) - np.arcsinh(y * minkowski_product(x, w)))
    return -0.5 * minkowski_product(w, w) + C * losses.sum()


def random_points(rng, m, n, largest_radius):
    direction = unit_rows(rng, m, n)
    return rng.uniform(0.0, largest_radius, m), direction


def pack(radius, direction, *, far):
    points = core.PackedPoints(len(radius), direction.shape[1], far)
    points.fill(0, radius, direction)
    return points


def random_plane(rng, n):
    [normal] = unit_rows(rng, 1, n)
    return rng.normal(-1.0, 1.0), rng.normal(0.0, 1.5), normal


def tangential(gradient, normal):
    return gradient - (gradient @ normal) * normal


def stable_statement(radius, direction, y, c, C, log_scale, offset, normal):
    """Objective and gradient in (log s, a, u), without cancellation, in plain NumPy."""
    side = -1.0 if offset < 0 else 1.0
    s, a, u, y = np.exp(log_scale), abs(offset), side * normal, side * y
    half = np.sum((direction - u) ** 2, axis=1) / 2
    z = s * (np.sinh(a - radius) + np.cosh(a) * np.sinh(radius) * half)
    slope = np.where(y * z < 1, c * y / np.sqrt(1 + z**2), 0.0)
    losses = np.maximum(0.0, np.arcsinh(1.0) - np.arcsinh(y * z))
    dz_da = s * (np.cosh(a - radius) + np.sinh(a) * np.sinh(radius) * half)
    d_normal = C * side * s * np.cosh(a) * ((slope * np.sinh(radius)) @ (direction - u))
    return (
        0.5 * s**2 + C * (c @ losses),
        s**2 - C * (slope @ z),
        -C * side * (slope @ dz_da),
        d_normal,
    )


def assert_same(actual, expected, normal, scale, rtol):
    """Compare to a relative accuracy of the sums of absolute values, ``scale``."""
    value, d_scale, d_offset, d_normal = actual
    assert value == pytest.approx(expected[0], rel=rtol)
    assert d_scale == pytest.approx(expected[1], abs=rtol * scale)
    assert d_offset == pytest.approx(expected[2], abs=rtol * scale)
    np.testing.assert_allclose(
        tangential(d_normal, normal), tangential(expected[3], normal), rtol=0, atol=rtol * scale
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 20, 50])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_objective_agrees_with_numpy_to_1e_12(n, weighted):
    rng = np.random.default_rng(n)
    for m in (1, 15, 16, 17, 403):
        radius, direction = random_points(rng, m, n, 12.0)
        labels = rng.choice([-1, 1], m).astype(np.int8)
        weights = rng.uniform(0.1, 3.0, m) if weighted else None
        c = np.ones(m) if weights is None else weights
        C, plane = 0.7, random_plane(rng, n)
        points = pack(radius, direction, far=False)
        actual = core.loss_and_gradient(points, labels, weights, C, *plane)
        expected = stable_statement(radius, direction, labels.astype(float), c, C, *plane)
        steepest = np.exp(plane[0]) * np.cosh(plane[1]) * np.cosh(radius)
        assert_same(actual, expected, plane[2], C * (c @ steepest) + expected[0], 1e-12)


@pytest.mark.parametrize("n", [1, 2, 6])
def test_far_and_near_points_agree_where_both_work(n):
    rng = np.random.default_rng(10 + n)
    radius, direction = random_points(rng, 300, n, 40.0)
    labels = rng.choice([-1, 1], 300).astype(np.int8)
    weights = rng.uniform(0.5, 2.0, 300)
    for _ in range(10):
        plane = random_plane(rng, n)
        near, far = (
            core.loss_and_gradient(pack(radius, direction, far=kind), labels, weights, 2.0, *plane)
            for kind in (False, True)
        )
        scale = abs(near[0]) + np.abs(near[1:3]).sum() + np.abs(near[3]).max()
        assert_same(far, near, plane[2], scale, 1e-10)


def test_the_objective_agrees_with_the_papers_objective_in_minkowski_space():
    rng = np.random.default_rng(5)
    radius, direction = random_points(rng, 200, 4, 3.0)
    labels = rng.choice([-1, 1], 200).astype(np.int8)
    x = from_polar(radius, direction, "hyperboloid")
    for _ in range(20):
        log_scale, offset, normal = random_plane(rng, 4)
        w = hyperplane_normal(np.exp(log_scale), offset, normal)
        actual = core.loss_and_gradient(
            pack(radius, direction, far=False), labels, None, 1.3, log_scale, offset, normal
        )
        assert actual[0] == pytest.approx(soft_margin_objective(x, labels, w, 1.3), rel=1e-12)


def test_rows_labelled_zero_do_not_count():
    rng = np.random.default_rng(2)
    radius, direction = random_points(rng, 50, 2, 2.0)
    labels = rng.choice([-1, 0, 1], 50).astype(np.int8)
    kept = labels != 0
    plane = random_plane(rng, 2)
    for far in (False, True):
        all_rows = core.loss_and_gradient(
            pack(radius, direction, far=far), labels, None, 1.0, *plane
        )
        fewer = core.loss_and_gradient(
            pack(radius[kept], direction[kept], far=far), labels[kept], None, 1.0, *plane
        )
        assert all_rows[0] == pytest.approx(fewer[0], rel=1e-13)


def test_the_objective_of_far_points_is_finite_at_radius_5000():
    radius = np.array([5000.0, 5000.0, 4000.0])
    direction = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    labels = np.array([1, -1, 1], dtype=np.int8)
    points = pack(radius, direction, far=True)
    value, d_scale, d_offset, d_normal = core.loss_and_gradient(
        points, labels, None, 1.0, -10.0, 3.0, np.array([1.0, 0.0])
    )
    # The first point is 4997 on the wrong side: arsinh(s sinh d) is log s + d but for rounding.
    expected = 2 * np.arcsinh(1.0) + (4997.0 - 10.0) + (5003.0 - 10.0)
    assert value == pytest.approx(expected + 0.5 * np.exp(-20.0), rel=1e-12)
    assert np.isfinite([d_scale, d_offset, *d_normal]).all()


def test_points_say_when_a_radius_is_too_large_for_near_points():
    points = core.PackedPoints(1, 2, False)
    with pytest.raises(ValueError, match="far radius"):
        points.fill(0, np.array([100.0]), np.array([[1.0, 0.0]]))


def test_taken_rows_have_a_largest_radius_of_their_own():
    points = pack(np.array([1.0, 2.0, 3.0]), np.eye(3), far=False)
    taken = points.take(np.array([1, 0]))
    assert taken.n_rows == 2
    assert taken.largest_radius == pytest.approx(2.0, rel=1e-12)
    with pytest.raises(IndexError):
        points.take(np.array([3]))
