import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyplane.geometry import distance, hyperplane_normal, signed_distance, to_polar
from hyplane.geometry.hyperplanes import polar_signed_distance
from hyplane.plotting._arcs import arcs_through, chord_arcs, geodesic_arcs, hypercycle_arcs

few = settings(max_examples=40, deadline=None)
offsets = st.floats(-6, 6)
angles = st.floats(-np.pi, np.pi)
distances = st.floats(-4, 4)
disk_points = st.builds(
    lambda r, t: np.tanh(r / 2) * np.exp(1j * t), st.floats(0, 8), st.floats(-np.pi, np.pi)
)


def plane(offset, angle):
    return np.array([offset]), np.array([[np.cos(angle), np.sin(angle)]])


def as_rows(z):
    return np.column_stack([z.real, z.imag])


@few
@given(offsets, angles)
def test_hyperplane_arc_holds_only_points_with_zero_product(offset, angle):
    a, u = plane(offset, angle)
    points = as_rows(hypercycle_arcs(a, u).points(41)[0, 1:-1])
    w = hyperplane_normal(1.0, offset, u[0])
    # What the rounding of the points' coordinates, and of w's components, does to the distance.
    radius, _ = to_polar(points, "ball")
    rounding = (1e-14 + 1e-15 * np.cosh(offset)) * np.exp(radius)
    assert (np.abs(signed_distance(points, w)) <= rounding).all()


@few
@given(offsets, angles)
def test_hyperplane_arc_meets_the_unit_circle_at_right_angles(offset, angle):
    arc = hypercycle_arcs(*plane(offset, angle))
    assert np.allclose(np.abs([arc.start, arc.end]), 1.0, rtol=0, atol=1e-14)
    curve = arc.beziers()[0]
    for end, arm in ((curve[0], curve[1] - curve[0]), (curve[-1], curve[-1] - curve[-2])):
        across = end[0] * arm[1] - end[1] * arm[0]
        assert abs(across) <= 1e-9 * np.linalg.norm(arm)


@few
@given(st.floats(0.01, 6), angles)
def test_circles_of_hyperplanes_are_orthogonal_to_the_unit_circle(offset, angle):
    arc = hypercycle_arcs(*plane(offset, angle))
    assert np.abs(arc.center) ** 2 == pytest.approx(1.0 + arc.radius**2, rel=1e-9)


@few
@given(offsets, angles, distances)
def test_hypercycle_keeps_its_signed_distance(offset, angle, level):
    a, u = plane(offset, angle)
    points = as_rows(hypercycle_arcs(a, u, level).points(41)[0, 1:-1])
    radius, direction = to_polar(points, "ball")
    found = polar_signed_distance(radius, direction, a[0], u[0])
    assert (np.abs(found - level) <= 1e-14 * np.exp(radius) + 1e-12).all()


@few
@given(offsets, angles, distances)
def test_hypercycles_share_the_ideal_points_of_their_hyperplane(offset, angle, level):
    a, u = plane(offset, angle)
    zero, other = hypercycle_arcs(a, u), hypercycle_arcs(a, u, level)
    assert zero.start == other.start
    assert zero.end == other.end


@few
@given(disk_points, disk_points)
def test_geodesic_arc_adds_up_to_the_distance_of_its_ends(p, q):
    arc = geodesic_arcs(np.array([p]), np.array([q]))
    points = as_rows(arc.points(9)[0])
    whole = distance(points[:1], points[-1:])
    parts = distance(points[:-1], points[1:])
    # The metric magnifies the rounding of coordinates by up to exp(8).
    assert parts.sum() == pytest.approx(whole[0], abs=1e-9)


@few
@given(disk_points, disk_points)
def test_bezier_pieces_stay_on_the_circle(p, q):
    arc = geodesic_arcs(np.array([p]), np.array([q]))
    curve = arc.beziers()[0]
    t = np.linspace(0, 1, 7)[:, None]
    samples = [
        (1 - t) ** 3 * curve[i]
        + 3 * t * (1 - t) ** 2 * curve[i + 1]
        + 3 * t**2 * (1 - t) * curve[i + 2]
        + t**3 * curve[i + 3]
        for i in range(0, len(curve) - 1, 3)
    ]
    z = np.concatenate(samples) @ np.array([1, 1j])
    if abs(p - q) > 1e-12 and arc.radius[0] < 1e6:
        off = np.abs(np.abs(z - arc.center[0]) - arc.radius[0])
        assert off.max() <= 1e-7 * arc.radius[0] + 1e-15


def test_geodesics_between_ideal_points_and_through_the_origin():
    arcs = geodesic_arcs(np.array([1.0, -1.0, 0.3j]), np.array([1j, 1.0, 0.3j]))
    assert arcs.center[0] == pytest.approx(1 + 1j)
    assert arcs.bulge[1] == 0.0
    assert np.isinf(arcs.radius[1])
    assert np.allclose(arcs.points(5)[1], [-1, -0.5, 0, 0.5, 1])
    assert np.allclose(arcs.points(5)[2], 0.3j)


def test_far_hyperplane_with_a_far_margin_gives_a_finite_arc_inside_the_disk():
    for offset in (30.0, 40.0, 300.0):
        arc = hypercycle_arcs(*plane(offset, 0.4), offset)
        points = arc.points(50)
        assert np.isfinite(points).all()
        assert np.abs(points).max() <= 1 + 1e-12
        # At the distance of the origin the curve passes through the origin.
        assert np.abs(arc.points(51)[0, 25]) < 1e-12


def test_chords_are_straight_and_end_on_the_circle():
    arcs = chord_arcs(np.array([-0.5, 0.1]), np.array([[1.0, 1.0], [0.0, 2.0]]))
    assert np.allclose(np.abs([arcs.start, arcs.end]), 1.0)
    points = arcs.points(11)
    assert np.allclose(points[0].real + points[0].imag, 0.5)
    assert np.allclose(points[1].imag, -0.05)


@few
@given(disk_points, disk_points, st.floats(-3, 3))
def test_three_points_give_back_their_arc(p, q, bulge):
    if abs(p - q) < 1e-3 or abs(bulge) < 1e-6:
        return
    arc = geodesic_arcs(np.array([p]), np.array([q]))
    arc = type(arc)(arc.middle, arc.half, np.array([bulge]))
    again = arcs_through(arc.start, arc.points(3)[:, 1], arc.end)
    assert again.bulge[0] == pytest.approx(bulge, rel=1e-6)
