import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hyplane.geometry import (
    Recentering,
    apply_isometry,
    boost_ideal_points,
    convert,
    distance,
    from_polar,
    inverse_isometry,
    lorentz_boost,
    pairwise_distances,
    polar_boost,
    polar_busemann,
    polar_distance,
    polar_signed_distance,
    recentered,
    solve_triangle,
    to_polar,
)

radii = st.floats(0.0, 15.0)
angles = st.floats(-np.pi, np.pi)
seeds = st.integers(0, 2**32 - 1)


def units(angle):
    return np.array([[np.cos(angle), np.sin(angle)]])


@pytest.mark.parametrize("at", [0.0, 1e-9, 0.5, 4.0])
def test_recentered_points_are_those_of_the_inverse_boost(at):
    V = np.random.default_rng(0).normal(size=(40, 3))
    p = np.array([at, 0.0, 0.0])
    boost = lorentz_boost(convert(p[None], "tangent", "hyperboloid")[0])
    expected = apply_isometry(inverse_isometry(boost), V, "tangent")
    np.testing.assert_allclose(recentered(V, p), expected, atol=1e-9)


def test_recentering_at_a_far_point_keeps_the_digits_of_its_neighbours():
    # At radius 150 and an angle of exp(-150), a point lies across the way to the new origin.
    angle = np.exp(-150.0)
    V = np.array([[150.0, 150.0 * angle], [153.0, 0.0], [147.0, 0.0]])
    seen = recentered(V, np.array([150.0, 0.0]))
    d = 2 * np.arcsinh(0.25)  # sinh(d/2) = sinh(r) sin(angle/2)
    np.testing.assert_allclose(np.linalg.norm(seen, axis=1), [d, 3.0, 3.0], rtol=1e-9)
    np.testing.assert_allclose(seen[1:], [[3.0, 0.0], [-3.0, 0.0]], atol=1e-9)
    assert seen[0, 1] > 0.9 * d


@given(seeds)
def test_klein_coordinates_from_a_new_origin_keep_the_distances(polar_points, seed):
    radius, direction = polar_points(seed, 12, 3, 6.0)
    view = Recentering.between(radius[:2], direction[:2])
    klein, log_time = view.klein(radius, direction)
    before = pairwise_distances(radius[:, None] * direction, coordinates="tangent")
    np.testing.assert_allclose(pairwise_distances(klein, coordinates="klein"), before, atol=1e-6)
    np.testing.assert_allclose(np.cosh(to_polar(klein, "klein")[0]), np.exp(log_time), rtol=1e-6)


@given(seeds, st.floats(-3.0, 3.0))
def test_a_hyperplane_carried_back_has_the_same_distances(polar_points, seed, offset):
    radius, direction = polar_points(seed, 12, 3, 5.0)
    view = Recentering(float(radius[0]), direction[0])
    normal = direction[1]
    seen = to_polar(view.klein(radius, direction)[0], "klein")
    back = view.hyperplane_back(offset, normal)
    np.testing.assert_allclose(
        polar_signed_distance(radius, direction, *back),
        polar_signed_distance(*seen, offset, normal),
        atol=1e-6,
    )


def test_moving_on_is_recentering_at_the_point_that_was_seen():
    view = Recentering(2.0, np.array([0.6, 0.8]))
    target = np.array([1.5]), np.array([[0.0, 1.0]])
    klein, _ = view.klein(*target)
    moved = view.moved_to(klein[0])
    assert moved.radius == pytest.approx(1.5)
    np.testing.assert_allclose(moved.direction, [0.0, 1.0], atol=1e-12)


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
    np.testing.assert_array_equal(direction, east)


@given(seeds)
def test_polar_distance_is_the_distance(polar_points, seed):
    radius, direction = polar_points(seed, 12, 3, 6.0)
    V = radius[:, None] * direction
    found = polar_distance(radius, direction, radius[::-1], direction[::-1])
    np.testing.assert_allclose(found, distance(V, V[::-1], coordinates="tangent"), atol=1e-7)
    to_first = polar_distance(radius, direction, radius[0], direction[0])
    np.testing.assert_allclose(to_first, distance(V, V[0], coordinates="tangent"), atol=1e-7)


@given(st.floats(0.1, 8.0), st.floats(0.0, 3.1), st.floats(0.1, 4.0))
def test_a_triangle_agrees_with_the_boost(radius, heading, length):
    reached, turn, back = solve_triangle(np.array([radius]), np.array([heading]), length)
    end = polar_boost(np.array([radius]), units(0.0), np.array([length]), units(heading))
    assert reached[0] == pytest.approx(end[0][0], abs=1e-9)
    np.testing.assert_allclose(units(turn[0]), end[1], atol=1e-9)
    home = polar_boost(end[0], end[1], np.array([length]), units(turn[0] + back[0]))
    assert home[0][0] == pytest.approx(radius, abs=1e-6)


@given(seeds)
def test_the_busemann_function_is_the_limit_of_distance_differences(polar_points, seed):
    radius, direction = polar_points(seed, 8, 3, 4.0)
    ideal = direction[::-1]
    far = 25.0
    V = radius[:, None] * direction
    limit = pairwise_distances(V, far * ideal, coordinates="tangent") - far
    near = np.exp(-polar_busemann(radius, direction, ideal)) < np.exp(far / 2)
    np.testing.assert_allclose(
        polar_busemann(radius, direction, ideal)[near], limit[near], atol=1e-6
    )


@given(seeds)
def test_boosted_ideal_points_are_the_limits_of_boosted_points(polar_points, seed):
    radius, direction = polar_points(seed, 8, 3, 3.0)
    ideal = direction[::-1]
    _, limit = polar_boost(radius, direction, np.full(8, 40.0), ideal)
    np.testing.assert_allclose(boost_ideal_points(radius, direction, ideal), limit, atol=1e-9)


def test_angles_serve_as_directions_in_the_plane():
    angle = np.array([0.5, 2.0])
    expected = from_polar([1.0, 2.0], np.column_stack([np.cos(angle), np.sin(angle)]), "klein")
    np.testing.assert_array_equal(from_polar([1.0, 2.0], angle, "klein"), expected)
