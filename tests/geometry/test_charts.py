"""Conversions between the charts."""

from itertools import permutations

import numpy as np
import pytest
from helpers import refuses
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hyplane.geometry import CHARTS, check_points, convert, distance, from_polar, to_polar

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)
dimensions = st.integers(1, 20)
curvatures = st.floats(-10.0, -0.1)

# Radii up to which the rounding of the coordinates moves a point by much less than 1, so that
# "equal to rounding" means something; the last radii are looked at in tests of their own.
REACH = {
    "ball": 30.0,
    "klein": 14.0,
    "hyperboloid": 700.0,
    "halfspace": 700.0,
    "polar": 700.0,
    "tangent": 700.0,
}


def log_resolution(chart, radius):
    """Logarithm of how far (in units of eps) a relative change of eps in each coordinate moves.

    Across the radius it is sinh r, in every chart (in the half-space |h|/h1, at most cosh r). Along
    the radius it is r in polar and tangent coordinates and no more than across in the ball; in the
    Klein model dr = cosh²(r) d|k|.
    """
    log_cosh = np.logaddexp(radius, -radius) - np.log(2.0)
    if chart == "klein":
        return 2.0 * log_cosh
    return np.logaddexp(log_cosh, np.log(np.maximum(radius, 1e-300)))


def moved_at_most(charts, radius, n_roundings=16.0):
    log_size = np.logaddexp(*(log_resolution(chart, radius) for chart in charts))
    half = log_size + np.log(0.5 * n_roundings * EPS)
    return np.where(half > 30, 2 * (half + np.log(2)), 2 * np.arcsinh(np.exp(np.minimum(half, 30))))


@pytest.mark.parametrize(("source", "target"), list(permutations(CHARTS, 2)))
@settings(max_examples=60)
@given(seed=seeds, n_dim=dimensions, curvature=curvatures)
def test_every_conversion_is_a_bijection_to_rounding(
    polar_points, source, target, seed, n_dim, curvature
):
    if "polar" in (source, target):
        n_dim = max(n_dim, 2)
    reach = min(REACH[source], REACH[target])
    radius, direction = polar_points(seed, 24, n_dim, reach)
    X = from_polar(radius, direction, source, curvature=curvature)
    there = check_points(
        convert(X, source, target, curvature=curvature), target, curvature=curvature
    )
    back = convert(there, target, source, curvature=curvature)
    error = np.sqrt(-curvature) * distance(X, back, coordinates=source, curvature=curvature)
    assert (error <= moved_at_most((source, target), radius)).all()


@pytest.mark.parametrize("target", CHARTS)
@pytest.mark.parametrize("curvature", [-1.0, -0.3])
def test_charts_agree_with_the_formulas_of_the_paper(polar_points, target, curvature):
    radius, direction = polar_points(5, 50, 3, 5.0)
    b = np.tanh(radius / 2)[:, None] * direction
    square = (b * b).sum(axis=1, keepdims=True)
    norm = np.sqrt(square)
    expected = {
        "ball": b,
        "hyperboloid": np.hstack([1 + square, 2 * b]) / (1 - square),
        "halfspace": np.hstack([1 - square, 2 * b[:, 1:]]) / (1 + 2 * b[:, :1] + square),
        "klein": 2 * b / (1 + square),
        "polar": np.hstack([2 * np.arctanh(norm), b / norm]),
        "tangent": 2 * np.arctanh(norm) * b / norm,
    }[target]
    scale = np.sqrt(-curvature)
    if target == "polar":
        expected[:, 0] /= scale
    else:
        expected = expected / scale
    assert_allclose(convert(b / scale, "ball", target, curvature=curvature), expected, rtol=1e-11)


def test_the_plane_is_written_with_an_angle_and_read_with_either():
    X = np.array([[2.0, 0.6, 0.8], [3.0, -1.0, 0.0]])
    assert_allclose(
        convert(convert(X, "polar", "tangent"), "tangent", "polar"),
        [[2.0, np.arctan2(0.8, 0.6)], [3.0, np.pi]],
    )
    angles = np.array([[2.0, 7.5], [2.0, 7.5 - 4 * np.pi]])
    assert_allclose(*convert(angles, "polar", "ball"), rtol=1e-14)


@pytest.mark.parametrize("chart", CHARTS)
def test_the_same_chart_gives_an_unchanged_copy(polar_points, chart):
    X = from_polar(*polar_points(1, 12, 4, 5.0), chart)
    copy = convert(X, chart, chart)
    assert_array_equal(copy, X)
    assert not np.shares_memory(copy, X)


@pytest.mark.parametrize("radius", [300.0, 5000.0, 10_000.0, 1e300])
def test_polar_and_tangent_coordinates_hold_any_radius(polar_points, radius):
    direction = polar_points(3, 10, 5, 1.0)[1]
    radii = np.full(10, radius)
    X = from_polar(radii, direction, "tangent", curvature=-2.0)
    polar = convert(X, "tangent", "polar", curvature=-2.0)
    again_radius, again_direction = to_polar(polar, "polar", curvature=-2.0)
    assert_allclose(again_radius, radii, rtol=8 * EPS)
    assert_allclose(again_direction, direction, rtol=0, atol=4 * EPS)


@pytest.mark.parametrize(
    ("chart", "limit"),
    [("ball", 37.42), ("klein", 18.71), ("hyperboloid", 709), ("halfspace", 708)],
)
def test_points_that_a_chart_cannot_hold_are_refused_by_row(chart, limit):
    direction = np.tile([0.6, 0.0, -0.8], (3, 1))
    X = from_polar([1.0, limit, 0.0], direction, chart)
    check_points(X, chart)
    with pytest.raises(
        ValueError, match=rf"row 1 is at radius .*farther out than {chart}"
    ) as error:
        from_polar([1.0, limit + 3, 0.0], direction, chart)
    assert "polar, tangent" in str(error.value)
    if limit < 100:
        assert "hyperboloid, halfspace" in str(error.value)


@pytest.mark.parametrize(("chart", "limit"), [("ball", 37.42), ("klein", 18.71)])
@settings(max_examples=40)
@given(seed=seeds, n_dim=dimensions, curvature=curvatures)
def test_rounding_never_leaves_the_chart(polar_points, chart, limit, seed, n_dim, curvature):
    direction = polar_points(seed, 200, n_dim, 1.0)[1]
    radius = np.linspace(limit * 0.9, limit, 200)
    X = from_polar(radius, direction, chart, curvature=curvature)
    again, _ = to_polar(X, chart, curvature=curvature)  # refuses points on or outside the sphere
    # 1 - |b|² was kept at half its value or more, so the radius grows by no more than log 2 / 2
    # in the Klein model and log 2 in the ball.
    assert (again <= radius + np.log(2.0) + 1e-6).all()


def test_a_line_has_no_polar_coordinates():
    with pytest.raises(ValueError, match=r"at least two dimensions.*tangent"):
        convert([[0.5]], "ball", "polar")
    assert_allclose(convert([[0.5]], "ball", "halfspace"), [[1 / 3]])


def test_unknown_charts_are_named():
    refuses(r"one of ball, hyperboloid, .*; got 'mercator'", convert, [[0.5]], "mercator", "ball")
    refuses("got 'mercator'", convert, [[0.5]], "ball", "mercator")


@pytest.mark.parametrize(
    ("radius", "direction", "message"),
    [
        ([1.0, -1.0], [[1.0, 0.0]] * 2, "row 1 has radius -1"),
        ([1.0, np.nan], [[1.0, 0.0]] * 2, "row 1 has radius nan"),
        ([1.0, 1.0], [[1.0, 0.0], [1.0, 1.0]], "row 1 has a direction of length 1.41421"),
        ([1.0], [[1.0, 0.0]] * 2, r"got \(1,\) and \(2, 2\)"),
    ],
)
def test_from_polar_refuses_what_is_not_polar(radius, direction, message):
    with pytest.raises(ValueError, match=message):
        from_polar(radius, direction, "ball")


def test_angles_serve_as_directions_in_the_plane():
    angle = np.array([0.5, 2.0])
    expected = from_polar([1.0, 2.0], np.column_stack([np.cos(angle), np.sin(angle)]), "klein")
    assert_array_equal(from_polar([1.0, 2.0], angle, "klein"), expected)
