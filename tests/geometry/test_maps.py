"""Geodesics: exponential and logarithm map, midpoints, means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    convert,
    distance,
    einstein_midpoint,
    exponential_map,
    from_polar,
    geodesic_midpoint,
    logarithm_map,
    minkowski_product,
    random_isometry,
    to_polar,
)

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)
curvatures = st.floats(-10.0, -0.1)


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(1, 10), curvature=curvatures)
def test_exponential_map_undoes_the_logarithm_map(polar_points, chart, seed, n_dim, curvature):
    n_dim = max(n_dim, 2) if chart == "polar" else n_dim
    X = from_polar(*polar_points(seed, 20, n_dim, 6.0), chart, curvature=curvature)
    base = from_polar(*polar_points(seed + 1, 20, n_dim, 6.0), chart, curvature=curvature)
    V = logarithm_map(X, base, coordinates=chart, curvature=curvature)
    again = exponential_map(V, base, coordinates=chart, curvature=curvature)
    error = np.sqrt(-curvature) * distance(X, again, coordinates=chart, curvature=curvature)
    # Rounding the components of a vector of length d at radius r turns it by eps cosh r, which
    # moves its end by eps cosh r sinh d; then come the resolutions of the chart at both points.
    r, s = (to_polar(Z, chart, curvature=curvature)[0] for Z in (base, X))
    d = np.sqrt(-curvature) * distance(X, base, coordinates=chart, curvature=curvature)
    power = 2 if chart == "klein" else 1
    blur = np.cosh(r) * np.cosh(d) + np.cosh(r) ** power * np.cosh(d) + np.cosh(s) ** power
    assert (error <= 8 * EPS * blur).all()


@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(1, 10), curvature=curvatures)
def test_the_logarithm_is_tangent_and_as_long_as_the_distance(polar_points, seed, n_dim, curvature):
    points = [
        from_polar(*polar_points(s, 20, n_dim, 4.0), "hyperboloid", curvature=curvature)
        for s in (seed, seed + 1)
    ]
    V = logarithm_map(*points, coordinates="hyperboloid", curvature=curvature)
    d = distance(*points, coordinates="hyperboloid", curvature=curvature)
    size = np.abs(V).max(axis=1) * np.abs(points[1]).max(axis=1)
    assert (np.abs(minkowski_product(V, points[1])) <= 1e-14 * size).all()
    assert_allclose(np.sqrt(np.maximum(-minkowski_product(V, V), 0)), d, rtol=1e-10, atol=1e-9)


def test_maps_at_the_origin_are_tangent_coordinates(polar_points):
    radius, direction = polar_points(4, 10, 3, 9.0)
    X = from_polar(radius, direction, "ball")
    V = logarithm_map(X)
    assert_array_equal(V[:, 0], 0.0)
    assert_allclose(V[:, 1:], convert(X, "ball", "tangent"), rtol=1e-15)
    assert_allclose(logarithm_map(X, np.zeros(3)), V, rtol=1e-14, atol=1e-25)
    assert_allclose(exponential_map(V), X, rtol=1e-12)
    far = exponential_map([[0.0, 6000.0, 8000.0]], coordinates="polar")
    assert_allclose(far, [[10_000.0, np.arctan2(8, 6)]])


def test_the_way_back_to_the_origin_loses_nothing():
    base = np.array([[17.0, 0.5]])
    V = logarithm_map([[0.0, 0.0]], base, coordinates="polar")
    end = exponential_map(V, base, coordinates="polar")
    # The vector's own rounding, eps sinh(17), blurs its direction and is all that may be lost.
    assert end[0, 0] < 4e-16 * np.sinh(17.0) ** 2


def test_nearly_equal_points_have_accurate_logarithms():
    base = from_polar([5.0], [[0.6, 0.8]], "ball")
    X = base + np.array([[1e-15, -2e-15]])
    V = logarithm_map(X, base)
    gap = 1 - (base**2).sum()
    step = X - base
    radial = (step @ [0.6, 0.8]).item()
    assert_allclose(np.sqrt((V[0, 1:] ** 2).sum() - V[0, 0] ** 2), distance(X, base)[0], rtol=1e-9)
    # In the ball lengths are 2/(1-|b|²) times Euclidean ones; the boost stretches the radial part.
    expected = 2 / gap * (step[0] + (np.cosh(5.0) - 1) * radial * np.array([0.6, 0.8]))
    assert_allclose(V[0, 1:], expected, rtol=1e-10)


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=30)
@given(seed=seeds, n_dim=st.integers(2, 10), curvature=curvatures)
def test_the_midpoint_is_half_way_from_both_ends(polar_points, chart, seed, n_dim, curvature):
    X, Y = (
        from_polar(*polar_points(s, 20, n_dim, 8.0), chart, curvature=curvature)
        for s in (seed, seed + 1)
    )
    keywords = {"coordinates": chart, "curvature": curvature}
    middle = geodesic_midpoint(X, Y, **keywords)
    half = distance(X, Y, **keywords) / 2
    blur = 1e-15 * np.cosh(8.0) * (10 + np.cosh(8.0) * (chart == "klein")) / np.sqrt(-curvature)
    assert_allclose(distance(X, middle, **keywords), half, rtol=1e-12, atol=blur)
    assert_allclose(distance(Y, middle, **keywords), half, rtol=1e-12, atol=blur)


def test_midpoints_of_far_points():
    X = [[10_000.0, 0.0], [9000.0, 0.3], [10_000.0, 0.0]]
    Y = [[4000.0, 0.0], [9000.0, 0.3 + np.pi / 2], [10_000.0, np.pi]]
    middle = geodesic_midpoint(X, Y, coordinates="polar")
    # The geodesic between two far points a right angle apart passes at arcosh(sqrt 2).
    assert_allclose(middle[:2], [[7000.0, 0.0], [np.arccosh(np.sqrt(2)), 0.3 + np.pi / 4]])
    assert middle[2, 0] < 1e-11


def test_the_mean_of_two_equal_weights_is_the_midpoint(polar_points):
    X = from_polar(*polar_points(6, 2, 4, 5.0), "ball")
    assert_allclose(einstein_midpoint(X), geodesic_midpoint(X[:1], X[1:])[0], rtol=1e-12)


@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(1, 8), curvature=curvatures)
def test_the_mean_is_the_lorentz_weighted_mean_of_klein_points(
    polar_points, seed, n_dim, curvature
):
    K = from_polar(*polar_points(seed, 12, n_dim, 4.0), "klein", curvature=curvature)
    weights = np.random.default_rng(seed).uniform(0, 3, 12)
    factor = weights / np.sqrt(1 + curvature * (K * K).sum(axis=1))
    mean = einstein_midpoint(K, weights, coordinates="klein", curvature=curvature)
    assert_allclose(mean, factor @ K / factor.sum(), rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(seed=seeds, n_dim=st.integers(2, 8))
def test_the_mean_moves_with_the_points(polar_points, seed, n_dim):
    X = from_polar(*polar_points(seed, 12, n_dim, 5.0), "tangent")
    weights = np.random.default_rng(seed).uniform(0, 3, 12)
    isometry = random_isometry(n_dim, max_radius=2.0, random_state=seed % 1000)
    mean = einstein_midpoint(X, weights, coordinates="tangent")
    moved = einstein_midpoint(
        apply_isometry(isometry, X, "tangent"), weights, coordinates="tangent"
    )
    expected = apply_isometry(isometry, mean[None, :], "tangent")
    assert distance(moved, expected, coordinates="tangent")[0] < 1e-11


@pytest.mark.parametrize("radius", [0.0, 1e-9, 3.0, 100.0, 10_000.0])
def test_the_mean_of_one_point_repeated_is_that_point(radius):
    X = [[radius, 0.6, 0.0, 0.8]] * 5
    again, direction = to_polar(
        einstein_midpoint(X, [1, 2, 0, 4, 5], coordinates="polar")[None, :], "polar"
    )
    assert_allclose(again, radius, rtol=1e-13)
    assert_allclose(direction, [[0.6, 0.0, 0.8] if radius else [1.0, 0.0, 0.0]], atol=1e-15)


def test_a_point_without_weight_does_not_count():
    X = [[0.1, 0.2], [0.9, 0.3]]
    assert_allclose(einstein_midpoint(X, [2.0, 0.0]), X[0], rtol=1e-14)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0], "weight 1 is -1"),
        ([1.0, np.nan], "weight 1 is nan"),
        ([0.0, 0.0], "all weights are zero"),
        ([1.0], r"shape \(2,\)"),
    ],
)
def test_weights_are_checked(weights, message):
    with pytest.raises(ValueError, match=message):
        einstein_midpoint([[0.1], [0.2]], weights)


@pytest.mark.parametrize(
    ("V", "base", "message"),
    [
        ([[0.0, 1.0], [0.5, 1.0]], None, "row 1 of V is not tangent at its base point: v0 = 0.5"),
        ([[0.0, np.nan]], None, "row 0 of V has NaN"),
        ([[1.0]], None, r"n \+ 1 columns"),
        ([[0.0, 1.0]], [[0.1, 0.1]], "base must be one point or 1 points of dimension 1"),
        ([[0.0, 1.0]], [[1.1]], "row 0 of base is not inside"),
    ],
)
def test_vectors_that_are_not_tangent_are_refused(V, base, message):
    with pytest.raises(ValueError, match=message):
        exponential_map(V, base)


def test_bases_beyond_the_reach_of_tangent_vectors_are_refused():
    with pytest.raises(ValueError, match="row 0 of base is at radius 5000"):
        logarithm_map([[1.0, 0.0]], [[5000.0, 0.0]], coordinates="polar")
    with pytest.raises(ValueError, match="row 0 of base is at radius 400"):
        exponential_map([[1.0, 1.0, 0.0]], [[400.0, 0.0]], coordinates="polar")
