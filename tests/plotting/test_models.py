import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyplane.geometry import convert, hyperplane_normal, polar_signed_distance, signed_distance
from hyplane.plotting import draw_hyperplane, draw_models
from hyplane.plotting._curves import hypercycle_points
from hyplane.plotting.models import MODELS, halfspace_arc

few = settings(max_examples=40, deadline=None)
W = np.array([0.3, 0.9, 0.5])


@few
@given(st.floats(-3, 3), st.floats(-np.pi, np.pi), st.floats(-2, 2))
def test_halfspace_arcs_keep_their_signed_distance(offset, angle, level):
    normal = np.array([np.cos(angle), np.sin(angle)])
    arc = halfspace_arc(offset, normal, level)
    z = arc.points(21)[0, 1:-1]
    # Ends far away along the boundary take digits from the points near the origin.
    ends = max(1.0, np.abs(arc.start[0]), np.abs(arc.end[0]))
    if ends > 100.0:
        return
    w = hyperplane_normal(1.0, offset, normal)
    found = signed_distance(np.column_stack([z.imag, z.real]), w, coordinates="halfspace")
    assert np.allclose(found, level, rtol=0, atol=1e-8)


def test_halfspace_hyperplane_is_a_half_circle_centred_on_the_boundary():
    arc = halfspace_arc(0.4, np.array([0.8, 0.6]))
    assert arc.center[0].imag == pytest.approx(0.0, abs=1e-12)
    assert arc.start[0].imag == 0.0


def test_halfspace_hyperplane_through_infinity_is_a_vertical_ray():
    arc = halfspace_arc(0.0, np.array([0.0, 1.0]))
    assert arc.bulge[0] == 0.0
    assert arc.points(5)[0].real == pytest.approx(0.0, abs=1e-9)


@few
@given(st.floats(-3, 3), st.floats(-np.pi, np.pi), st.floats(-2, 2))
def test_hypercycle_points_are_on_the_sheet_at_their_distance(offset, angle, level):
    normal = np.array([np.cos(angle), np.sin(angle)])
    x = hypercycle_points(offset, normal, level, reach=3.0, n_points=9)
    polar = convert(x, "hyperboloid", "polar")
    direction = np.column_stack([np.cos(polar[:, 1]), np.sin(polar[:, 1])])
    found = polar_signed_distance(polar[:, 0], direction, offset, normal)
    assert np.allclose(found, level, rtol=0, atol=1e-9)


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
