import numpy as np
import pytest

from hyplane.datasets import make_hyperbolic_tree
from hyplane.geometry import convert, distance, pairwise_distances


def edge_lengths(tree, coordinates, curvature=-1.0):
    ends = (tree.points[tree.edges[:, k]] for k in (0, 1))
    return distance(*ends, coordinates=coordinates, curvature=curvature)


def angles_around(tree, node):
    """Angles of the neighbours of a node as seen from it, by moving it to the origin."""
    z = tree.points[:, 0] + 1j * tree.points[:, 1]
    moved = (z - z[node]) / (1 - np.conj(z[node]) * z)
    neighbours = np.concatenate([tree.edges[tree.edges[:, 0] == node, 1], [tree.parent[node]]])
    return np.sort(np.angle(moved[neighbours[neighbours >= 0]]))


@pytest.mark.parametrize("n_nodes", [None, 60])
def test_every_edge_has_the_length_asked_for(n_nodes):
    tree = make_hyperbolic_tree(3, 5, n_nodes=n_nodes, edge_length=1.5, random_state=0)
    np.testing.assert_allclose(edge_lengths(tree, "ball"), 1.5, rtol=1e-9)


def test_neighbours_of_a_node_divide_the_full_turn_evenly():
    tree = make_hyperbolic_tree(3, 4, n_nodes=50, edge_length=1.0, random_state=1)
    for node in range(50):
        seen = angles_around(tree, node)
        gaps = np.diff(np.append(seen, seen[0] + 2 * np.pi))
        np.testing.assert_allclose(gaps, 2 * np.pi / seen.size, atol=1e-6)


@pytest.mark.parametrize(("depth", "edge_length"), [(15, 2.0), (10, 3.0)])
def test_a_tree_of_the_greatest_depth_keeps_its_edges(depth, edge_length):
    tree = make_hyperbolic_tree(2, depth, edge_length=edge_length, coordinates="polar")
    assert tree.points[:, 0].max() <= 30.0
    # The documented accuracy at the radius 30.
    np.testing.assert_allclose(edge_lengths(tree, "polar"), edge_length, atol=2e-3)


def test_long_edges_make_hyperbolic_distance_the_distance_along_the_tree():
    tree = make_hyperbolic_tree(2, 4, edge_length=6.0, coordinates="polar")
    steps = np.full((31, 31), np.inf)
    steps[tree.edges[:, 0], tree.edges[:, 1]] = steps[tree.edges[:, 1], tree.edges[:, 0]] = 1
    np.fill_diagonal(steps, 0)
    for middle in range(31):
        steps = np.minimum(steps, steps[:, [middle]] + steps[[middle]])
    hyperbolic = pairwise_distances(tree.points, coordinates="polar")
    # A bend by 60 degrees or less between two long edges saves at most -2 log sin(60°), up to
    # terms of the order exp(-6) for each of the edges.
    slack = 8 * np.exp(-6.0)
    shortcut = -2 * np.log(np.sin(np.pi / 3)) * np.maximum(steps - 1, 0)
    assert (hyperbolic <= 6.0 * steps + 1e-6).all()
    assert (hyperbolic >= 6.0 * steps - shortcut - slack).all()


def test_labels_are_branches_of_the_root():
    tree = make_hyperbolic_tree(3, 4)
    assert tree.points.shape == (121, 2)
    assert tree.data.shape == (120, 2)
    assert np.bincount(tree.target).tolist() == [40, 40, 40]
    below = tree.generation[tree.nodes] > 1
    parents = {node: row for row, node in enumerate(tree.nodes)}
    for row in np.flatnonzero(below):
        assert tree.target[row] == tree.target[parents[tree.parent[tree.nodes[row]]]]


def test_labels_may_be_taken_deeper():
    X, y = make_hyperbolic_tree(2, 4, label_depth=2, return_X_y=True)
    assert X.shape == (28, 2)
    assert np.bincount(y).tolist() == [7, 7, 7, 7]


def test_a_random_tree_stays_within_branching_and_depth():
    tree = make_hyperbolic_tree(2, 6, n_nodes=100, random_state=2)
    assert tree.points.shape == (100, 2)
    assert np.bincount(tree.edges[:, 0]).max() <= 2
    assert tree.generation.max() <= 6
    assert (tree.parent[1:] < np.arange(1, 100)).all()
    again = make_hyperbolic_tree(2, 6, n_nodes=100, random_state=2)
    np.testing.assert_array_equal(tree.points, again.points)
    full = make_hyperbolic_tree(2, 6, n_nodes=127, random_state=2)
    np.testing.assert_array_equal(full.parent, make_hyperbolic_tree(2, 6).parent)


def test_every_chart_and_curvature():
    ball = make_hyperbolic_tree(2, 3)
    halfspace = make_hyperbolic_tree(2, 3, coordinates="halfspace", curvature=-4.0)
    moved = convert(halfspace.points, "halfspace", "ball", curvature=-4.0)
    np.testing.assert_allclose(2 * moved, ball.points, atol=1e-9)
    np.testing.assert_allclose(edge_lengths(halfspace, "halfspace", -4.0), 1.0, rtol=1e-7)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"branching": 0}, "branching"),
        ({"depth": 0}, "depth"),
        ({"edge_length": 0.0}, "edge_length"),
        ({"label_depth": 9}, "label_depth"),
        ({"depth": 16}, "at most 30"),
        ({"branching": 2, "depth": 2, "n_nodes": 8}, "2 to 7 nodes"),
        ({"n_nodes": 1}, "n_nodes=1"),
    ],
)
def test_bad_parameters_get_a_clear_error(bad, message):
    with pytest.raises(ValueError, match=message):
        make_hyperbolic_tree(**bad)
