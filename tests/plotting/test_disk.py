import numpy as np
import pytest

from hyplane.datasets import popularity_similarity_graph
from hyplane.features import HyperbolicProjection
from hyplane.geometry import convert, signed_distance
from hyplane.plotting import draw_disk, draw_geodesic, draw_graph, draw_points, to_disk


def test_disk_has_equal_scales_and_room_for_the_rim(ax):
    assert draw_disk(ax) is ax
    assert ax.get_aspect() == 1.0
    assert ax.get_xlim()[0] < -1 < 1 < ax.get_xlim()[1]
    assert not ax.axison


@pytest.mark.parametrize("chart", ["ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"])
def test_points_of_every_chart_and_curvature_come_to_the_same_place(chart):
    ball = np.array([[0.3, -0.2], [0.0, 0.9], [-0.5, 0.5]])
    points = convert(ball / np.sqrt(2.0), "ball", chart, curvature=-2.0)
    assert np.allclose(to_disk(points, chart, curvature=-2.0), ball)


def test_points_beyond_the_ball_are_drawn_at_the_rim(ax, pixels):
    far = np.array([[30.0, 0.1], [50.0, 2.0], [1e6, -2.0]])
    assert np.allclose(np.linalg.norm(to_disk(far, "polar"), axis=1), 1.0)
    draw_disk(ax)
    draw_points(far, ["a", "b", "c"], coordinates="polar", ax=ax)
    draw_geodesic(far[0], far[2], coordinates="polar", ax=ax)
    assert np.unique(pixels(ax.figure).reshape(-1, 3), axis=0).shape[0] > 10


def test_points_of_higher_dimension_are_projected_and_a_note_says_how(ax):
    X = np.random.default_rng(0).normal(size=(30, 5))
    chart = {"coordinates": "tangent"}
    projection = HyperbolicProjection(random_state=0, **chart).fit(X)
    wanted = convert(projection.transform(X), "tangent", "ball")
    assert np.allclose(to_disk(X, "tangent"), wanted)
    assert np.allclose(to_disk(X, "tangent", projection=projection), wanted)
    draw_graph(X, [[0, 1]], ax=ax, **chart)
    note = ax.texts[-1].get_text().replace("\n", " ")
    assert note.startswith("5 dimensions, radial projection: distances to the centre are exact")
    with pytest.raises(ValueError, match="dimension 5 in tangent"):
        draw_geodesic(X[0], X[1], ax=ax, **chart)
    with pytest.raises(ValueError, match=r"one of radial, .*; got 'umap'"):
        draw_points(X, ax=ax, projection="umap", **chart)
    with pytest.raises(ValueError, match="one of tangent coordinates at curvature -1"):
        to_disk(0.1 * X, projection=projection)


def test_bad_points_are_named_by_their_row_and_labels_must_be_one_per_point(ax):
    with pytest.raises(ValueError, match="row 1"):
        draw_points([[0.1, 0.2], [0.9, 0.9]], ax=ax)
    with pytest.raises(ValueError, match="one value for each of the 2 points"):
        draw_points([[0.1, 0.2], [0.3, 0.4]], ["a"], ax=ax)


def test_geodesic_is_one_patch_between_its_ends(ax):
    draw_disk(ax)
    before = len(ax.patches)
    draw_geodesic([0.5, 0.0], [0.0, 0.5], ax=ax, color="red")
    [patch] = ax.patches[before:]
    vertices = patch.get_path().vertices
    assert np.allclose(vertices[[0, -1]], [[0.5, 0.0], [0.0, 0.5]])
    assert not patch.get_fill()


def test_new_figures_are_made_where_no_axes_are_given():
    import matplotlib.pyplot as plt

    ax = draw_points([[0.1, 0.2], [0.3, 0.4]])
    assert plt.gcf() is ax.figure
    assert draw_geodesic([0.1, 0.2], [0.3, 0.4]).figure is not ax.figure


def test_drawing_leaves_the_settings_of_matplotlib_alone(ax):
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw_points([[0.1, 0.2], [0.3, 0.4]], [0, 1], ax=draw_disk(ax))
    assert dict(matplotlib.rcParams) == before


def test_many_classes_get_a_legend_of_several_rows(ax, pixels):
    rng = np.random.default_rng(0)
    draw_points(rng.uniform(-0.6, 0.6, (60, 2)), np.arange(60) % 12, ax=draw_disk(ax))
    legend = ax.get_legend()
    assert len(legend.get_texts()) == 12
    pixels(ax.figure)
    heights = np.sort([text.get_window_extent().y0 for text in legend.get_texts()])
    assert 1 < 1 + (np.diff(heights) > 3.0).sum() < 12


def test_edges_are_geodesics_between_their_nodes(ax):
    points = np.array([[0.5, 0.1], [-0.2, 0.7], [0.0, -0.6]])
    draw_graph(points, [[0, 1], [1, 2]], ax=ax)
    paths = ax.collections[0].get_paths()
    assert np.allclose(paths[0].vertices[[0, -1]], points[[0, 1]])
    # The geodesic lies on the plane whose normal is the Minkowski cross product of its ends.
    square = (points**2).sum(axis=1)[:, None]
    x = np.hstack([1 + square, 2 * points]) / (1 - square)
    w = np.cross(x[0], x[1]) * np.array([1, -1, -1])
    knots = paths[0].vertices[::3]
    assert np.abs(signed_distance(knots, w)).max() < 1e-13


def test_network_of_the_paper_is_drawn_with_its_labels(ax, pixels):
    network = popularity_similarity_graph(500, random_state=0)
    labels = np.where(network.birth < 50, "old", "new")
    draw_graph(network.points("polar"), network.edges, labels, coordinates="polar", ax=ax)
    assert len(ax.collections[0].get_paths()) == len(network.edges)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["new", "old"]
    assert (pixels(ax.figure) < 250).any(axis=-1).mean() > 0.05


def test_twenty_thousand_edges_share_one_collection(ax):
    rng = np.random.default_rng(0)
    polar = np.column_stack([rng.uniform(0, 12, 5000), rng.uniform(-np.pi, np.pi, 5000)])
    draw_graph(polar, rng.integers(0, 5000, (20_000, 2)), coordinates="polar", ax=ax)
    assert len(ax.collections) == 2
    assert len(ax.collections[0].get_paths()) == 20_000


def test_numbers_of_nodes_get_a_colour_bar(ax):
    points = [[0.1, 0.2], [0.3, 0.4], [0.0, -0.5]]
    draw_graph(points, [[0, 1]], [1, 2, 3], numeric=True, legend_title="degree", ax=ax)
    _, bar = ax.figure.axes
    assert bar.get_xlabel() == "degree"
    assert ax.get_legend() is None


def test_nodes_at_radius_thirty_and_loops_do_no_harm(ax, pixels):
    polar = np.array([[30.0, 0.0], [30.0, 1e-9], [500.0, 3.0], [0.0, 0.0]])
    draw_graph(polar, [[0, 1], [0, 2], [2, 3], [3, 3]], coordinates="polar", ax=ax)
    vertices = np.concatenate([path.vertices for path in ax.collections[0].get_paths()])
    assert np.isfinite(vertices).all()
    assert pixels(ax.figure).min() < 100


def test_graph_without_edges_is_drawn(ax):
    draw_graph([[0.1, 0.2]], [], ax=ax)
    assert len(ax.collections[0].get_paths()) == 0


def test_wrong_edges_are_named(ax):
    points = [[0.1, 0.2], [0.3, 0.4]]
    with pytest.raises(ValueError, match=r"edge 1 is \(0, 2\)"):
        draw_graph(points, [[0, 1], [0, 2]], ax=ax)
    with pytest.raises(ValueError, match="integers of shape"):
        draw_graph(points, [[0.0, 1.0]], ax=ax)
    with pytest.raises(ValueError, match="one value for each of the 2 points"):
        draw_graph(points, [[0, 1]], ["a"], ax=ax)
