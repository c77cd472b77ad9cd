"""Equidistants, horospheres and spheres, and the signed distances to them."""

import numpy as np
import pytest
from helpers import refuses, unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    busemann,
    distance,
    from_polar,
    minkowski_product,
    random_isometry,
    signed_distance,
    surface_distance,
    surface_in_ball,
    surface_kind,
)

seeds = st.integers(0, 2**31 - 1)
kinds = st.sampled_from(["equidistant", "horosphere", "sphere"])
curvatures = st.floats(-10.0, -0.1)


def random_surface(kind, seed, n_dim):
    """Return w and c of a surface at most 3 from the origin, of either orientation."""
    rng = np.random.default_rng(seed)
    [u], t, sign = unit_rows(rng, 1, n_dim), rng.uniform(-1.5, 1.5), rng.choice([-1.0, 1.0])
    if kind == "equidistant":
        w, c = np.r_[np.sinh(t), np.cosh(t) * u], np.sinh(rng.uniform(-1.5, 1.5))
    elif kind == "horosphere":
        w, c = np.r_[1.0, u], np.exp(t)
        w[0] = np.linalg.norm(w[1:])  # null to the last bit wherever that is possible
    else:
        w, c = np.r_[np.cosh(t), np.sinh(t) * u], np.cosh(rng.uniform(0.2, 1.5))
    scale = sign * rng.uniform(0.2, 5.0)
    return scale * w, scale * c


def point_of_surface(w, c):
    """Return a parametrisation of the surface, by Euclidean spheres in the ball."""
    centre, radius, offset = surface_in_ball(w, c)
    if np.isinf(radius):
        across = np.linalg.svd(centre[None])[2][1:]
        return lambda z: offset * centre + z[1:] @ across
    return lambda z: centre + radius * z / np.linalg.norm(z)


@settings(max_examples=60)
@given(kind=kinds, seed=seeds, n_dim=st.integers(1, 8))
def test_signed_distance_is_invariant_under_isometries(polar_points, kind, seed, n_dim):
    X = from_polar(*polar_points(seed, 20, n_dim, 4.0), "tangent")
    w, c = random_surface(kind, seed, n_dim)
    isometry = random_isometry(n_dim, max_radius=2.0, random_state=seed)
    moved = surface_distance(
        apply_isometry(isometry, X, "tangent"), isometry @ w, c, coordinates="tangent"
    )
    still = surface_distance(X, w, c, coordinates="tangent")
    # A tiny error in w*w makes a huge sphere of a horosphere, which is as good where points are.
    assert_allclose(moved, still, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=20)
@given(kind=kinds, seed=seeds, n_dim=st.integers(2, 8), curvature=curvatures)
def test_signed_distance_is_one_formula_in_every_chart(
    polar_points, chart, kind, seed, n_dim, curvature
):
    w, c = random_surface(kind, seed, n_dim)
    radius, direction = polar_points(seed, 30, n_dim, 4.0)
    X = from_polar(radius, direction, chart, curvature=curvature)
    product = minkowski_product(from_polar(radius, direction, "hyperboloid"), w)
    square = minkowski_product(w, w)
    sign = 1.0 if kind == "equidistant" or w[0] > 0 else -1.0

    def height(z):
        return np.log(z + np.sqrt(np.maximum(z**2 - square, 0.0)))

    expected = sign * (height(sign * product) - height(sign * c))
    got = surface_distance(X, w, c, coordinates=chart, curvature=curvature)
    assert_allclose(got * np.sqrt(-curvature), expected, rtol=1e-8, atol=1e-6)


@settings(max_examples=50)
@given(seed=seeds, n_dim=st.integers(1, 8))
def test_the_three_kinds_are_level_sets_of_distances_and_busemann_functions(
    polar_points, seed, n_dim
):
    X = from_polar(*polar_points(seed, 20, n_dim, 4.0), "tangent")
    rng = np.random.default_rng(seed)
    [u], t, r = unit_rows(rng, 1, n_dim), rng.uniform(-2.0, 2.0), rng.uniform(0.1, 2.0)
    chart = {"coordinates": "tangent"}
    w = np.r_[np.sinh(t), np.cosh(t) * u]
    assert surface_kind(w) == "equidistant"
    assert_allclose(signed_distance(X, w, **chart) - r, surface_distance(X, w, np.sinh(r), **chart))
    assert_allclose(
        busemann(X, u, **chart) - r,
        surface_distance(X, np.r_[1.0, u], np.exp(r), **chart),
        rtol=1e-9, atol=1e-7,
    )  # fmt: skip
    centre = np.r_[np.cosh(t), np.sinh(t) * u]
    assert surface_kind(centre) == "sphere"
    assert_allclose(
        distance(X, t * u, **chart) - r,
        surface_distance(X, centre, np.cosh(r), **chart),
        rtol=1e-9, atol=1e-7,
    )  # fmt: skip


def test_a_sphere_of_growing_radius_becomes_a_horosphere(polar_points):
    X = from_polar(*polar_points(0, 50, 3, 3.0), "tangent")
    u = np.array([0.6, 0.0, 0.8])
    limit = busemann(X, u, coordinates="tangent") - 0.5
    for radius, error in [(5.0, 0.2), (10.0, 1e-5), (30.0, 1e-13)]:
        spheres = distance(X, (radius - 0.5) * u, coordinates="tangent") - radius
        assert np.abs(spheres - limit).max() < error


@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(1, 6), t=st.floats(1e-14, 1e-3))
def test_the_distance_is_continuous_where_one_kind_becomes_another(polar_points, seed, n_dim, t):
    X = from_polar(*polar_points(seed, 20, n_dim, 3.0), "tangent")
    [u] = unit_rows(np.random.default_rng(seed), 1, n_dim)
    limit = busemann(X, u, coordinates="tangent") - 0.2
    for time in (1.0 - t, 1.0 + t):
        near = surface_distance(X, np.r_[time, u], np.exp(0.2), coordinates="tangent")
        assert np.abs(near - limit).max() < 1e-12 + 500.0 * t


def test_level_zero_is_the_hyperplane(polar_points):
    X = from_polar(*polar_points(3, 50, 2, 4.0), "ball")
    w = np.array([0.4, 1.0, 0.3])
    plane = signed_distance(X, w)
    assert_allclose(surface_distance(X, w), plane)
    for c in (1e-3, 1e-6, 1e-12):
        assert np.abs(surface_distance(X, w, c) - plane).max() < 2 * c


@pytest.mark.parametrize("radius", [1.0, 20.0, 300.0, 5000.0])
def test_distances_are_right_at_any_radius(radius):
    angle = np.array([0.0, 0.3, np.pi / 2, np.pi])
    X = np.column_stack([np.full(4, radius), angle])
    got = busemann(X, [1.0, 0.0], coordinates="polar")
    if radius <= 300.0:
        half = 0.5 * angle
        expected = radius + np.log(np.sin(half) ** 2 + np.exp(-2 * radius) * np.cos(half) ** 2)
    else:
        with np.errstate(divide="ignore"):
            expected = np.maximum(radius + 2 * np.log(np.sin(0.5 * angle)), -radius)
    assert_allclose(got, expected, rtol=1e-13)
    spheres = surface_distance(X, [1.0, 0.0, 0.0], np.cosh(0.5), coordinates="polar")
    assert_allclose(spheres, radius - 0.5, rtol=1e-12)


@settings(max_examples=50)
@given(seed=seeds, n_dim=st.integers(1, 8))
def test_busemann_functions_are_limits_of_distances_and_1_lipschitz(polar_points, seed, n_dim):
    radius, direction = polar_points(seed, 20, n_dim, 3.0)
    [u] = unit_rows(np.random.default_rng(seed), 1, n_dim)
    X = radius[:, None] * direction
    values = busemann(X, u, coordinates="tangent")
    far = distance(X, 40.0 * u, coordinates="tangent") - 40.0
    assert_allclose(values, far, atol=1e-12)
    gaps = np.abs(values[1:] - values[:-1])
    assert (gaps <= distance(X[1:], X[:-1], coordinates="tangent") + 1e-9).all()


@settings(max_examples=40)
@given(kind=kinds, seed=seeds, n_dim=st.integers(2, 4))
def test_points_of_the_euclidean_sphere_in_the_ball_have_distance_zero(kind, seed, n_dim):
    w, c = random_surface(kind, seed, n_dim)
    point = point_of_surface(w, c)
    B = np.array([point(z) for z in np.random.default_rng(seed).normal(size=(300, n_dim))])
    B = B[np.linalg.norm(B, axis=1) < 0.999]
    if len(B):
        assert_allclose(surface_distance(B, w, c), 0.0, atol=1e-6)


def test_planes_of_the_ball_are_hyperplanes_through_the_origin_and_equidistants():
    sphere = surface_in_ball([0.0, 3.0, 4.0])
    assert_allclose(sphere.centre, [0.6, 0.8])
    assert np.isinf(sphere.radius)
    assert sphere.offset == 0.0
    sphere = surface_in_ball([0.5, 1.0, 0.0], -0.5)
    assert_allclose(
        surface_distance([[0.5, 0.3], [0.5, -0.8]], [0.5, 1.0, 0.0], -0.5), 0, atol=4e-15
    )
    assert sphere.offset == 0.5


def test_surfaces_without_points_and_wrong_input_are_named():
    refuses("no point satisfies", surface_distance, [[0.1, 0.0]], [1.0, 0.0, 0.0], 0.5)
    refuses("no point satisfies", surface_in_ball, [5.0, 3.0, 4.0], -1.0)
    refuses("need 3", surface_distance, [[0.1, 0.0]], [1.0, 0.0], 2.0)
    refuses("not zero", surface_kind, [0.0, 0.0])
    refuses("ideal point 1 has length 2", busemann, [[0.1, 0.0]], [[1.0, 0.0], [0.0, 2.0]])
