import numpy as np
import pytest
from matplotlib.figure import Figure

from hyplane.plotting import draw_hyperplane, draw_models

W = np.array([0.3, 0.9, 0.5])


@pytest.mark.parametrize("model", ["ball", "klein", "halfspace", "hyperboloid"])
def test_hyperplane_and_its_margins_are_drawn_in_every_model(model, pixels):
    figure = Figure(figsize=(3, 3), dpi=60)
    ax = figure.add_subplot(projection="3d" if model == "hyperboloid" else None)
    plain = draw_hyperplane(W, model=model, ax=ax)
    assert plain is ax
    blank = pixels(figure).copy()
    draw_hyperplane(W, model=model, margin=0.7, shade=False, ax=ax)
    assert (pixels(figure) != blank).any()
    assert np.unique(blank.reshape(-1, 3), axis=0).shape[0] > 20


def test_the_positive_side_has_the_colour_of_the_positive_points(pixels):
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
