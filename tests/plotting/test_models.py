import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyplane.geometry import convert, hyperplane_normal, signed_distance
from hyplane.plotting import draw_hyperplane, draw_models
from hyplane.plotting._arcs import halfplane_arcs, hypercycle_arcs
from hyplane.plotting._hyperboloid import HyperboloidView
from hyplane.plotting._views import BallView, HalfPlaneView, KleinView, pixel_ticks, window_for
from hyplane.plotting.models import MODELS

few = settings(max_examples=40, deadline=None)
W = np.array([0.3, 0.9, 0.5])


VIEWS = {
    "ball": BallView(),
    "klein": KleinView(),
    "halfspace": HalfPlaneView(-3.0, 3.0, 4.0),
    "hyperboloid": HyperboloidView(2.0),
}
directions = st.floats(-np.pi, np.pi)


def arc(offset, angle, level=0.0):
    normal = np.array([[np.cos(angle), np.sin(angle)]])
    return hypercycle_arcs(np.array([offset]), normal, level)


def in_chart(model, places):
    """Places of a picture as points of the chart of its model."""
    if model == "halfspace":
        return places[:, ::-1]
    return VIEWS[model].lifted(places)[:, [2, 0, 1]] if model == "hyperboloid" else places


@pytest.mark.parametrize("model", MODELS)
@few
@given(st.lists(st.tuples(st.floats(0, 5), directions), min_size=1, max_size=5))
def test_a_view_places_points_where_the_chart_of_its_model_has_them(model, polar):
    points = convert(polar, "polar", "ball")
    places = VIEWS[model].place(points)
    assert np.allclose(in_chart(model, places), convert(points, "ball", model), rtol=1e-9)
    assert np.allclose(VIEWS[model].disk_points(places), points, rtol=0, atol=1e-9)


@few
@given(st.floats(-3, 3), directions, st.floats(-2, 2))
def test_halfplane_arcs_keep_their_signed_distance(offset, angle, level):
    drawn = halfplane_arcs(arc(offset, angle, level))
    z = drawn.points(21)[0, 1:-1]
    # Ends far away along the boundary take digits from the points near the origin.
    ends = max(1.0, np.abs(drawn.start[0]), np.abs(drawn.end[0]))
    if ends > 100.0:
        return
    w = hyperplane_normal(1.0, offset, [np.cos(angle), np.sin(angle)])
    found = signed_distance(np.column_stack([z.imag, z.real]), w, coordinates="halfspace")
    assert np.allclose(found, level, rtol=0, atol=1e-8)


def test_halfplane_hyperplane_is_a_half_circle_centred_on_the_boundary():
    drawn = halfplane_arcs(arc(0.4, 0.6435))
    assert drawn.center[0].imag == pytest.approx(0.0, abs=1e-12)
    assert drawn.start[0].imag == pytest.approx(0.0, abs=1e-12)


def test_halfplane_hyperplane_through_infinity_is_a_vertical_ray():
    drawn = halfplane_arcs(arc(0.0, 0.5 * np.pi))
    assert drawn.bulge[0] == 0.0
    assert drawn.points(5)[0].real == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("model", ["klein", "hyperboloid"])
@few
@given(st.floats(-1.5, 1.5), directions, st.floats(-1, 1))
def test_curves_drawn_as_polylines_keep_their_signed_distance(model, offset, angle, level):
    from matplotlib.figure import Figure

    view = VIEWS[model]
    ax = Figure().add_subplot(projection=view.projection)
    lines = view.add_curves(ax, arc(offset, angle, level))
    # A curve farther from the origin than the rim of the sheet is not drawn.
    assert len(lines) == 1 or abs(offset - level) > 1.99
    for line in lines:
        xy = np.column_stack(line.get_data_3d()[:2] if view.projection else line.get_data())
        disk = view.disk_points(xy[np.hypot(*view.disk_points(xy).T) < 0.99])
        w = hyperplane_normal(1.0, offset, [np.cos(angle), np.sin(angle)])
        assert np.allclose(signed_distance(disk, w), level, rtol=0, atol=1e-9)
        if model == "hyperboloid":
            assert (line.get_data_3d()[2] <= view.top * (1 + 1e-9)).all()


def test_contours_of_the_sheet_end_at_its_rim_and_lie_on_it():
    from matplotlib.figure import Figure

    view = HyperboloidView(1.0)
    ax = Figure().add_subplot(projection="3d")
    x, y = np.meshgrid(*pixel_ticks(view.extent, 80))
    # A circle around the corner of the picture, which the rim cuts into one stretch.
    far = np.hypot(x - view.half, y - view.half)
    lines = view.add_contour(ax, far, view.half)
    [stretch] = lines._segments3d
    assert np.allclose(np.hypot(*(stretch[:, :2] - view.half).T), view.half, rtol=1e-3)
    assert np.allclose(stretch[:, 2] ** 2 - (stretch[:, :2] ** 2).sum(axis=1), 1.0)
    assert stretch[:, 2].max() <= view.top * (1 + 1e-9)
    assert stretch[[0, -1], 2] == pytest.approx(view.top, rel=0.02)


@pytest.mark.parametrize("model", MODELS)
def test_hyperplane_and_its_margins_are_drawn_in_every_model(model, pixels):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3, 3), dpi=60)
    ax = figure.add_subplot(projection="3d" if model == "hyperboloid" else None)
    plain = draw_hyperplane(W, model=model, ax=ax)
    assert plain is ax
    blank = pixels(figure).copy()
    draw_hyperplane(W, model=model, margin=0.7, shade=False, ax=ax)
    assert (pixels(figure) != blank).any()
    assert np.unique(blank.reshape(-1, 3), axis=0).shape[0] > 20


def test_the_positive_side_has_the_colour_of_the_positive_points(pixels):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 4), dpi=50)
    ax = figure.add_axes((0, 0, 1, 1))
    draw_hyperplane([0.0, -1.0, 0.0], ax=ax)
    picture = pixels(figure).astype(int)
    left, right = picture[100, 40], picture[100, 160]
    # w*x = x1 here: the right side is positive, orange as the second class; the left one is blue.
    assert right[0] > right[2]
    assert left[2] > left[0]


def test_models_stand_side_by_side_with_the_same_points():
    rng = np.random.default_rng(0)
    polar = np.column_stack([rng.uniform(0, 1.5, 20), rng.uniform(-np.pi, np.pi, 20)])
    polar[0, 0] = 60.0
    figure = draw_models(W, polar, coordinates="polar", margin=0.5)
    assert [ax.get_title() for ax in figure.axes] == [
        "Hyperboloid",
        "Poincaré ball",
        "Upper half-space",
    ]
    ball = np.concatenate([c.get_offsets() for c in figure.axes[1].collections])
    assert len(ball) == 20
    assert len(draw_models(W, polar, coordinates="polar", models=("ball", "klein")).axes) == 2


def test_a_hyperplane_must_be_of_the_plane_and_the_model_known(ax):
    with pytest.raises(ValueError, match="shape"):
        draw_hyperplane([0.1, 1.0, 0.0, 0.0], ax=ax)
    with pytest.raises(ValueError, match="must be negative"):
        draw_hyperplane([2.0, 1.0, 0.0], ax=ax)
    with pytest.raises(ValueError, match="model must be one of ball, klein"):
        draw_hyperplane(W, model="sphere", ax=ax)
    with pytest.raises(ValueError, match='needs axes with projection="3d"'):
        draw_hyperplane(W, model="hyperboloid", ax=ax)


@few
@given(st.integers(1, 200), st.floats(0.1, 8.0), st.integers(0, 1000))
def test_the_window_of_the_half_plane_holds_the_origin_and_most_points_of_a_cloud(n, spread, seed):
    rng = np.random.default_rng(seed)
    radius, angle = np.abs(rng.normal(0, spread, n)), rng.uniform(-np.pi, np.pi, n)
    points = convert(np.column_stack([np.minimum(radius, 15), angle]), "polar", "ball")
    places = HalfPlaneView(-1, 1, 1).place(points)
    left, right, bottom, top = window_for(places).extent
    assert left < 0 < right
    assert bottom == 0.0
    assert top > 1
    assert right - left <= 4.0 * top + 1e-9
    if spread < 1.0:
        assert window_for(places).shown(places).mean() > 0.85


def test_several_hyperplanes_share_a_picture_each_in_its_colour():
    planes = [[0.0, 1.0, 0.25], [0.5, 0.7, 1.0], [-0.8, 0.3, 1.0]]
    figure = draw_models(planes, models=("hyperboloid", "ball", "halfspace"))
    sheet, ball, half = figure.axes
    arcs = [patch for patch in ball.patches if not patch.get_fill() and patch.get_gid() != "rim"]
    assert len({patch.get_edgecolor() for patch in arcs}) == len(arcs) == 3
    assert len(ball.images) == len(half.images) == 0
    assert len(sheet.collections) == 1 + 3
    with pytest.raises(ValueError, match="2 colours for 3 hyperplanes"):
        draw_hyperplane(planes, color=["red", "blue"], ax=ball)


@pytest.mark.parametrize("w", [W, [0.5, 0.7, 1.0], [-0.8, 0.3, 1.0], [-0.8, 1.0, -0.3]])
def test_the_plane_through_the_hyperboloid_stays_inside_the_picture(w):
    art3d = pytest.importorskip("mpl_toolkits.mplot3d.art3d")
    figure = pytest.importorskip("matplotlib.pyplot").figure(figsize=(3.3, 3.6))
    ax = figure.add_axes([0, 0, 1, 1], projection="3d")
    draw_hyperplane(w, model="hyperboloid", shade=False, ax=ax)
    figure.canvas.draw()
    flat = [each for each in ax.collections if isinstance(each, art3d.Poly3DCollection)]
    [plane] = [each for each in flat if len(each.get_paths()) == 1]  # the sheet has many
    for x, y in ax.transData.transform(plane.get_paths()[0].vertices):
        assert ax.bbox.contains(x, y)
