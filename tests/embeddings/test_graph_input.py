"""Graphs at the door of the embeddings."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from hyplane.embeddings._graph import connected_network


def test_every_kind_of_graph_gives_the_same_adjacency():
    graph = nx.karate_club_graph()
    expected = nx.to_numpy_array(graph, weight=None)
    kinds = [
        graph,
        nx.MultiGraph(graph),
        nx.to_scipy_sparse_array(graph, weight="weight"),
        sp.coo_matrix(expected),
        np.array(graph.edges),
        [tuple(edge) for edge in graph.edges],
    ]
    for kind in kinds:
        network = connected_network(kind)
        np.testing.assert_array_equal(network.adjacency.toarray(), expected)
        np.testing.assert_array_equal(network.node_names, np.arange(34))
        np.testing.assert_array_equal(network.degrees, expected.sum(axis=1))


def test_a_file_is_a_graph_too(tmp_path):
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    for kind in (str(tmp_path / "edges.csv"), tmp_path / "edges.csv"):
        assert connected_network(kind).node_names.tolist() == ["a", "b", "c"]


def test_duplicate_edges_count_once():
    network = connected_network([(0, 1), (1, 0), (0, 1), (1, 2)])
    assert network.adjacency.nnz == 4
    assert set(network.adjacency.data) == {1.0}


def test_names_of_any_kind_are_kept():
    assert connected_network([("b", "a"), ("c", "a")]).node_names.tolist() == ["a", "b", "c"]
    assert connected_network([(30, 10), (20, 10)]).node_names.tolist() == [10, 20, 30]
    mixed = np.array([("x", 1), (1, 2.5)], dtype=object)
    assert connected_network(mixed).node_names.tolist() == ["x", 1, 2.5]
    assert connected_network(nx.grid_2d_graph(2, 2)).node_names.tolist() == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]


def test_self_loops_are_left_out_with_a_warning():
    with pytest.warns(UserWarning, match="2 self loops"):
        network = connected_network([(0, 0), (0, 1), (1, 1)])
    assert network.adjacency.diagonal().sum() == 0
    loops = sp.csr_array(np.array([[1.0, 1.0], [1.0, 0.0]]))
    with pytest.warns(UserWarning, match="1 self loops"):
        assert connected_network(loops).adjacency.nnz == 2


def test_explicit_zeros_of_a_sparse_matrix_are_no_edges():
    matrix = sp.coo_array(([1.0, 1.0, 0.0, 0.0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    with pytest.warns(UserWarning, match="1 nodes are left out"):
        assert connected_network(matrix).node_names.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph(), "no edges"),
        (nx.empty_graph(1), "no edges"),
        (nx.empty_graph(5), r"no edges \(and 5 nodes\)"),
        ([], "no edges"),
        (np.empty((0, 2), dtype=int), "no edges"),
        (nx.DiGraph([(0, 1)]), r"directed.*to_undirected"),
        (sp.csr_array(np.array([[0, 1], [0, 0]])), "not symmetric"),
        (sp.csr_array(np.ones((2, 3))), "square"),
        (sp.csr_array(np.array([[0, np.nan], [np.nan, 0]])), "entry nan in row 0, column 1"),
        (np.ones((4, 4), dtype=int), "csr_array"),
        ([(0.5, 1.0), (1.0, 2.0)], "whole numbers"),
        (3, "two columns"),
    ],
)
def test_a_bad_graph_is_a_clear_error(graph, message):
    with pytest.raises(ValueError, match=message):
        connected_network(graph)


def test_only_self_loops_are_no_graph():
    with (
        pytest.warns(UserWarning, match="self loops"),
        pytest.raises(ValueError, match="no edges"),
    ):
        connected_network([(0, 0)])


def test_too_few_nodes_are_refused():
    with pytest.raises(ValueError, match="2 connected nodes; at least 3"):
        connected_network([(0, 1)], min_nodes=3)


TWO_PARTS = [("a", "b"), ("c", "d"), ("d", "e"), ("e", "c")]


def test_the_largest_component_is_taken_and_the_rest_counted():
    with pytest.warns(UserWarning, match="2 components.*3 nodes.*2 nodes are left out"):
        network = connected_network(TWO_PARTS, disconnected="largest")
    assert network.node_names.tolist() == ["c", "d", "e"]
    np.testing.assert_array_equal(network.adjacency.toarray(), 1 - np.eye(3))


def test_a_disconnected_graph_can_be_refused_or_kept():
    with pytest.raises(ValueError, match="2 components; the largest has 3 of 5"):
        connected_network(TWO_PARTS, disconnected="error")
    assert connected_network(TWO_PARTS, disconnected="keep").n_nodes == 5
    with pytest.raises(ValueError, match="must be one of"):
        connected_network(TWO_PARTS, disconnected="some")


def test_nodes_without_a_neighbour_cannot_be_kept():
    graph = nx.path_graph(3)
    graph.add_nodes_from(["alone", "lonely"])
    with pytest.raises(ValueError, match=r"2 nodes have no neighbour .the first is 'alone'"):
        connected_network(graph, disconnected="keep")
