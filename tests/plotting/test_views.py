"""Each view puts points and curves where its model has them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from hyplane.geometry import convert, hyperplane_normal, signed_distance
from hyplane.plotting._views import DiskView, HalfPlaneView, HyperboloidView, KleinView
from hyplane.plotting.arcs import hypercycle_arcs

few = settings(max_examples=40, deadline=None)
VIEWS = {
    "ball": DiskView(),
    "klein": KleinView(),
    "halfspace": HalfPlaneView(np.empty((0, 2))),
    "hyperboloid": HyperboloidView(np.array([[np.tanh(1.0 / 1.1), 0.0]])),
}
directions = st.floats(-np.pi, np.pi)


def in_chart(model, places):
    """Places of a picture as points of the chart of its model."""
    if model == "halfspace":
        return places[:, ::-1]
    return VIEWS[model].lifted(places)[:, [2, 0, 1]] if model == "hyperboloid" else places


@pytest.mark.parametrize("model", VIEWS)
@few
@given(st.lists(st.tuples(st.floats(0, 5), directions), min_size=1, max_size=5))
def test_a_view_places_points_where_the_chart_of_its_model_has_them(model, polar):
    points = convert(polar, "polar", "ball")
    places = VIEWS[model].place(points)
    assert np.allclose(in_chart(model, places), convert(points, "ball", model), rtol=1e-9)
    assert np.allclose(VIEWS[model].disk_points(places), points, rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", ["klein", "hyperboloid"])
@few
@given(st.floats(-1.5, 1.5), directions, st.floats(-1, 1))
def test_curves_drawn_as_polylines_keep_their_signed_distance(model, offset, angle, level):
    view = VIEWS[model]
    normal = np.array([[np.cos(angle), np.sin(angle)]])
    ax = Figure().add_subplot(projection=view.projection)
    lines = view.add_curves(ax, hypercycle_arcs(np.array([offset]), normal, level))
    # A curve farther from the origin than the rim of the sheet is not drawn.
    assert len(lines) == 1 or abs(offset - level) > 1.99
    for line in lines:
        xy = np.column_stack(line.get_data_3d()[:2] if view.projection else line.get_data())
        disk = view.disk_points(xy[np.hypot(*view.disk_points(xy).T) < 0.99])
        w = hyperplane_normal(1.0, offset, normal[0])
        assert np.allclose(signed_distance(disk, w), level, rtol=0, atol=1e-9)
        if model == "hyperboloid":
            assert (line.get_data_3d()[2] <= view.top * (1 + 1e-9)).all()


def test_contours_of_the_sheet_end_at_its_rim_and_lie_on_it():
    view = HyperboloidView()
    ax = Figure().add_subplot(projection="3d")
    x, y = np.meshgrid(*view.ticks(80))
    # A circle around the corner of the picture, which the rim cuts into one stretch.
    far = np.hypot(x - view.half, y - view.half)
    lines = view.add_contour(ax, far, view.half)
    [stretch] = lines._segments3d
    assert np.allclose(np.hypot(*(stretch[:, :2] - view.half).T), view.half, rtol=1e-3)
    assert np.allclose(stretch[:, 2] ** 2 - (stretch[:, :2] ** 2).sum(axis=1), 1.0)
    assert stretch[:, 2].max() <= view.top * (1 + 1e-9)
    assert stretch[[0, -1], 2] == pytest.approx(view.top, rel=0.02)


@few
@given(st.integers(1, 200), st.floats(0.1, 8.0), st.integers(0, 1000))
def test_the_window_of_the_half_plane_holds_the_origin_and_most_points_of_a_cloud(n, spread, seed):
    rng = np.random.default_rng(seed)
    radius, angle = np.abs(rng.normal(0, spread, n)), rng.uniform(-np.pi, np.pi, n)
    points = convert(np.column_stack([np.minimum(radius, 15), angle]), "polar", "ball")
    view = HalfPlaneView(points)
    left, right, bottom, top = view.extent
    assert left < 0 < right
    assert bottom == 0.0
    assert top > 1
    assert right - left <= 4.0 * top + 1e-9
    if spread < 1.0:
        assert view.shown(view.place(points)).mean() > 0.85
