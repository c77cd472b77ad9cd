import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyplane.geometry import distance, hyperplane_normal, signed_distance, to_polar
from hyplane.geometry.hyperplanes import polar_signed_distance
from hyplane.plotting.arcs import chord_arcs, geodesic_arcs, halfplane_arcs, hypercycle_arcs

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


def ends_of(arc):
    return arc.points(2)[0].tolist()


def circle_of(arc):
    """Centre and radius of the circle of one arc; far away for a segment."""
    bulge = arc.bulge[0] if abs(arc.bulge[0]) > 1e-100 else 1e-100
    center = arc.middle[0] + 1j * arc.half[0] * (1 - bulge**2) / (2 * bulge)
    return center, abs(arc.half[0] * (1 + bulge**2) / (2 * bulge))


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
    assert np.allclose(np.abs(ends_of(arc)), 1.0, rtol=0, atol=1e-14)
    curve = arc.beziers()[0]
    for end, arm in ((curve[0], curve[1] - curve[0]), (curve[-1], curve[-1] - curve[-2])):
        across = end[0] * arm[1] - end[1] * arm[0]
        assert abs(across) <= 1e-9 * np.linalg.norm(arm)


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
    assert ends_of(zero) == ends_of(other)


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
def test_bezier_pieces_stay_on_the_circle(on_curve, p, q):
    arc = geodesic_arcs(np.array([p]), np.array([q]))
    z = on_curve(arc.beziers()[0]) @ np.array([1, 1j])
    center, radius = circle_of(arc)
    if abs(p - q) > 1e-12 and radius < 1e6:
        assert np.abs(np.abs(z - center) - radius).max() <= 1e-7 * radius + 1e-15


def test_geodesics_between_ideal_points_and_through_the_origin():
    arcs = geodesic_arcs(np.array([1.0, -1.0, 0.3j]), np.array([1j, 1.0, 0.3j]))
    assert circle_of(arcs[:1]) == (pytest.approx(1 + 1j), pytest.approx(1.0))
    assert arcs.bulge[1] == 0.0
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
    points = arcs.points(11)
    assert np.allclose(np.abs(points[:, [0, -1]]), 1.0)
    assert np.allclose(points[0].real + points[0].imag, 0.5)
    assert np.allclose(points[1].imag, -0.05)


def test_an_arc_with_both_ends_at_infinity_is_left_out_of_the_half_plane():
    at_infinity = np.array([-1.0 + 0j, 0.0])
    drawn = halfplane_arcs(geodesic_arcs(at_infinity, np.array([-1.0 + 0j, 0.5j])))
    assert len(drawn) == 1
    assert np.isfinite(drawn.points(3)).all()


@few
@given(st.floats(-3, 3), angles, st.floats(-2, 2))
def test_halfplane_arcs_keep_their_signed_distance(offset, angle, level):
    drawn = halfplane_arcs(hypercycle_arcs(*plane(offset, angle), level))
    z = drawn.points(21)[0, 1:-1]
    # Ends far away along the boundary take digits from the points near the origin.
    if np.abs(ends_of(drawn)).max() > 100.0:
        return
    w = hyperplane_normal(1.0, offset, [np.cos(angle), np.sin(angle)])
    found = signed_distance(np.column_stack([z.imag, z.real]), w, coordinates="halfspace")
    assert np.allclose(found, level, rtol=0, atol=1e-8)


def test_halfplane_hyperplane_is_a_half_circle_on_the_boundary_or_a_vertical_ray():
    drawn = halfplane_arcs(hypercycle_arcs(*plane(0.4, 0.6435)))
    assert circle_of(drawn)[0].imag == pytest.approx(0.0, abs=1e-12)
    assert ends_of(drawn)[0].imag == pytest.approx(0.0, abs=1e-12)
    drawn = halfplane_arcs(hypercycle_arcs(*plane(0.0, 0.5 * np.pi)))
    assert drawn.bulge[0] == 0.0
    assert drawn.points(5)[0].real == pytest.approx(0.0, abs=1e-9)
