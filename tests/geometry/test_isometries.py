"""Isometries: matrices that keep the Minkowski product, acting on points of any chart."""

import numpy as np
import pytest
from helpers import refuses
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    distance,
    from_polar,
    inverse_isometry,
    is_isometry,
    lorentz_boost,
    minkowski_product,
    random_isometry,
    rotation,
    to_polar,
)

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**31 - 1)
curvatures = st.floats(-10.0, -0.1)


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(1, 20), curvature=curvatures)
def test_distances_are_invariant_under_random_isometries(
    polar_points, chart, seed, n_dim, curvature
):
    n_dim = max(n_dim, 2) if chart == "polar" else n_dim
    keywords = {"coordinates": chart, "curvature": curvature}
    X, Y = (
        from_polar(*polar_points(s, 20, n_dim, 5.0), chart, curvature=curvature)
        for s in (seed, seed + 1)
    )
    isometry = random_isometry(n_dim, max_radius=2.0, random_state=seed)
    moved = [apply_isometry(isometry, Z, chart, curvature=curvature) for Z in (X, Y)]
    # Both points are blurred by the resolution of the chart at the farthest radius they may reach,
    # and the matrix multiplies the rounding of the hyperboloid by its norm, exp(2).
    power = 2 if chart == "klein" else 1
    blur = 32 * EPS * np.cosh(7.0) ** power * np.exp(2.0) / np.sqrt(-curvature)
    assert_allclose(distance(*moved, **keywords), distance(X, Y, **keywords), rtol=1e-13, atol=blur)


@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(1, 20))
def test_random_isometries_keep_the_minkowski_product(seed, n_dim):
    isometry = random_isometry(n_dim, max_radius=3.0, random_state=seed)
    assert is_isometry(isometry)
    x, y = np.random.default_rng(seed).normal(size=(2, n_dim + 1))
    product = minkowski_product(isometry @ x, isometry @ y)
    assert_allclose(product, minkowski_product(x, y), atol=1e-14 * n_dim * np.exp(6.0))
    identity = inverse_isometry(isometry) @ isometry
    assert_allclose(identity, np.eye(n_dim + 1), atol=1e-15 * n_dim * np.exp(6.0))
    assert np.arccosh(isometry[0, 0]) <= 3.0


def test_random_isometries_repeat_with_their_seed_and_cover_both_orientations():
    assert_array_equal(random_isometry(3, random_state=1), random_isometry(3, random_state=1))
    signs = {np.sign(np.linalg.det(random_isometry(3, random_state=s))) for s in range(20)}
    assert signs == {-1.0, 1.0}


@pytest.mark.parametrize("curvature", [-1.0, -0.2])
def test_the_boost_takes_the_origin_to_the_point_and_turns_nothing(polar_points, curvature):
    X = from_polar(*polar_points(3, 10, 4, 5.0), "hyperboloid", curvature=curvature)
    origin = from_polar([0.0], [[1.0, 0.0, 0.0, 0.0]], "hyperboloid", curvature=curvature)
    for x in X:
        boost = lorentz_boost(x, curvature=curvature)
        assert is_isometry(boost)
        assert_array_equal(boost, boost.T)
        moved = apply_isometry(boost, origin, "hyperboloid", curvature=curvature)
        assert_allclose(moved, [x], rtol=1e-14, atol=1e-14)


def test_points_at_any_radius_can_be_moved():
    turn = rotation([[0.0, -1.0], [1.0, 0.0]])
    X = [[10_000.0, 0.25], [5000.0, 0.5], [3.0, 1.0], [0.0, 0.0]]
    moved = apply_isometry(turn, X, "polar")
    assert_allclose(moved[:3], np.array(X[:3]) + np.array([0.0, np.pi / 2]), rtol=1e-15)
    # Along its own geodesic a point moves by the length of the boost.
    boost = lorentz_boost(from_polar([2.0], [[1.0, 0.0]], "hyperboloid"))
    assert_allclose(
        apply_isometry(boost, [[10_000.0, 0.0]], "polar"), [[10_002.0, 0.0]], rtol=1e-15
    )
    back = apply_isometry(inverse_isometry(boost), [[5000.0, 0.0]], "polar")
    assert_allclose(back, [[4998.0, 0.0]], rtol=1e-15)


def test_the_inverse_brings_points_back(polar_points):
    X = from_polar(*polar_points(5, 30, 3, 6.0), "halfspace", curvature=-3.0)
    isometry = random_isometry(3, max_radius=3.0, random_state=2)
    there = apply_isometry(isometry, X, "halfspace", curvature=-3.0)
    back = apply_isometry(inverse_isometry(isometry), there, "halfspace", curvature=-3.0)
    assert distance(X, back, coordinates="halfspace", curvature=-3.0).max() < 1e-10
    assert distance(X, there, coordinates="halfspace", curvature=-3.0).max() > 0.1


def test_results_beyond_the_chart_are_refused_by_row():
    boost = lorentz_boost(from_polar([10.0], [[1.0, 0.0]], "hyperboloid"))
    X = from_polar([0.0, 35.0], [[1.0, 0.0]] * 2, "ball")
    with pytest.raises(
        ValueError, match=r"row 1 is at radius 45.*These coordinates hold it: hyper"
    ):
        apply_isometry(boost, X, "ball")


@pytest.mark.parametrize(
    "matrix",
    [
        np.eye(3)[:2],
        2 * np.eye(3),
        -np.eye(3),
        np.diag([-1.0, 1.0, 1.0]),
        np.full((3, 3), np.nan),
        [[1.0]],
    ],
)
def test_other_matrices_are_not_isometries(matrix):
    assert not is_isometry(matrix)
    refuses("matrix is not an isometry", apply_isometry, matrix, [[0.1, 0.2]], "ball")
    refuses("matrix is not an isometry", inverse_isometry, matrix)


def test_arguments_of_isometries_are_checked():
    with pytest.raises(
        ValueError, match="row of matrix has 3 components but points of dimension 3 "
    ):
        apply_isometry(np.eye(3), [[0.1, 0.2, 0.3]], "ball")
    refuses("must be orthogonal", rotation, [[1.0, 0.0], [1.0, 1.0]])
    refuses("must be square", rotation, [[1.0, 0.0]])
    refuses("row 0 of point is not on the hyperboloid", lorentz_boost, [2.0, 0.0])
    refuses("single point", lorentz_boost, [[1.0, 0.0]] * 2)
    refuses("n_dim must be at least 1", random_isometry, 0)
    refuses("max_radius", random_isometry, 2, max_radius=-1.0)


def test_far_points_near_the_hyperboloid_limit_can_be_moved():
    X = from_polar([700.0], [[0.6, 0.8]], "hyperboloid")
    turn = rotation([[0.0, -1.0], [1.0, 0.0]])
    radius, direction = to_polar(apply_isometry(turn, X, "hyperboloid"), "hyperboloid")
    assert_allclose(radius, 700.0)
    assert_allclose(direction, [[-0.8, 0.6]], rtol=1e-14)
