"""Geodesics and boosts: exponential and logarithm map, midpoints, means, other origins."""

import numpy as np
import pytest
from hypothesis import example, given, settings
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
    inverse_isometry,
    logarithm_map,
    lorentz_boost,
    minkowski_product,
    pairwise_distances,
    random_isometry,
    to_polar,
)
from hyplane.geometry.hyperplanes import polar_signed_distance
from hyplane.geometry.maps import Recentering, boost_ideal_points, polar_boost

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
    with pytest.raises(ValueError, match="row 0 of base is at radius 800"):
        exponential_map([[1.0, 1.0, 0.0]], [[800.0, 0.0]], coordinates="polar")


radii = st.floats(0.0, 15.0)
angles = st.floats(-np.pi, np.pi)


def units(angle):
    return np.array([[np.cos(angle), np.sin(angle)]])


def seen_from(base, V):
    """Points in tangent coordinates, where the base is the origin."""
    (radius, direction), (length, heading) = (to_polar(rows, "tangent") for rows in (base, V))
    origin = np.repeat(radius, len(V)), np.repeat(-direction, len(V), axis=0)
    moved, towards = polar_boost(*origin, length, heading)
    return moved[:, None] * towards


@pytest.mark.parametrize("at", [0.0, 1e-9, 0.5, 4.0])
def test_points_seen_from_another_are_those_of_the_inverse_boost(at):
    V = np.random.default_rng(0).normal(size=(40, 3))
    p = np.array([at, 0.0, 0.0])
    boost = lorentz_boost(convert(p[None], "tangent", "hyperboloid")[0])
    expected = apply_isometry(inverse_isometry(boost), V, "tangent")
    assert_allclose(seen_from(p[None], V), expected, atol=1e-9)


def test_recentering_at_a_far_point_keeps_the_digits_of_its_neighbours():
    # At radius 150 and an angle of exp(-150), a point lies across the way to the new origin.
    angle = np.exp(-150.0)
    V = np.array([[150.0, 150.0 * angle], [153.0, 0.0], [147.0, 0.0]])
    seen = seen_from(np.array([[150.0, 0.0]]), V)
    d = 2 * np.arcsinh(0.25)  # sinh(d/2) = sinh(r) sin(angle/2)
    assert_allclose(np.linalg.norm(seen, axis=1), [d, 3.0, 3.0], rtol=1e-9)
    assert_allclose(seen[1:], [[3.0, 0.0], [-3.0, 0.0]], atol=1e-9)
    assert seen[0, 1] > 0.9 * d


@given(seeds)
def test_klein_coordinates_from_a_new_origin_keep_the_distances(polar_points, seed):
    radius, direction = polar_points(seed, 12, 3, 6.0)
    view = Recentering.between(radius[:2], direction[:2])
    klein, log_time = view.klein(radius, direction)
    before = pairwise_distances(radius[:, None] * direction, coordinates="tangent")
    assert_allclose(pairwise_distances(klein, coordinates="klein"), before, atol=1e-6)
    assert_allclose(np.cosh(to_polar(klein, "klein")[0]), np.exp(log_time), rtol=1e-6)


@given(seeds, st.floats(-3.0, 3.0))
def test_a_hyperplane_carried_back_has_the_same_distances(polar_points, seed, offset):
    radius, direction = polar_points(seed, 12, 3, 5.0)
    view = Recentering(float(radius[0]), direction[0])
    normal = direction[1]
    seen = to_polar(view.klein(radius, direction)[0], "klein")
    back = view.hyperplane_back(offset, normal)
    assert_allclose(
        polar_signed_distance(radius, direction, *back),
        polar_signed_distance(*seen, offset, normal),
        atol=1e-6,
    )


@given(radii, angles, radii, angles)
@example(2.1717184055141143e-160, 0.0, 0.0, 0.0)  # its square is next to nothing
@example(5e-324, 1.0, 0.0, 0.0)  # its coordinates have one digit
@example(0.0, 0.0, 5e-324, 1.0)
def test_a_boosted_point_is_its_length_away(radius, theta, length, phi):
    reached = polar_boost(np.array([radius]), units(theta), np.array([length]), units(phi))
    start = np.array([[radius, theta]])
    end = from_polar(*reached, "polar")
    got = distance(start, end, coordinates="polar")[0]
    # A rounded angle moves a point at radius r by about 1e-16 e^r.
    assert got == pytest.approx(length, abs=1e-9 + 1e-15 * np.exp(radius + length))


def test_a_long_way_back_ends_at_the_origin():
    east = np.array([[1.0, 0.0]])
    radius, _ = polar_boost(np.array([500.0]), east, np.array([500.0]), -east)
    assert radius[0] == 0.0
    radius, direction = polar_boost(np.array([300.0]), east, np.array([299.0]), -east)
    assert radius[0] == pytest.approx(1.0, abs=1e-12)
    assert_array_equal(direction, east)


def test_points_on_one_ray_are_seen_at_any_radius():
    east = np.array([[1.0, 0.0]])
    for length in (1003.0, 997.0):
        radius, direction = polar_boost(np.array([1000.0]), -east, np.array([length]), east)
        assert radius[0] == 3.0
        assert_array_equal(direction, np.sign(length - 1000.0) * east)


@given(seeds)
def test_boosted_ideal_points_are_the_limits_of_boosted_points(polar_points, seed):
    radius, direction = polar_points(seed, 8, 3, 3.0)
    ideal = direction[::-1]
    _, limit = polar_boost(radius, direction, np.full(8, 40.0), ideal)
    assert_allclose(boost_ideal_points(radius, direction, ideal), limit, atol=1e-9)


@pytest.mark.parametrize("largest", [1.0, 100.0, 1000.0])
def test_a_line_seen_from_a_point_between_two_others_is_moved_along_itself(largest):
    rng = np.random.default_rng(int(largest))
    for _ in range(100):
        place = rng.uniform(-largest, largest, 6)
        place[5] = 0.5 * (place[0] + place[1])  # the new origin itself
        radius, direction = np.abs(place), np.sign(place)[:, None]
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            klein, log_time = Recentering.between(radius[:2], direction[:2]).klein(
                radius, direction
            )
        moved = place - place[5]
        np.testing.assert_allclose(klein[:, 0], np.tanh(moved), atol=1e-9)
        np.testing.assert_allclose(log_time, np.logaddexp(moved, -moved) - np.log(2), atol=1e-9)
