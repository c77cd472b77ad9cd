"""Graphs at the door of the embeddings."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hyplane.embeddings import DeepWalk, HyperbolicSkipGram, LaBNE
from hyplane.geometry import CHARTS, check_points, convert

EMBEDDINGS = [HyperbolicSkipGram(random_state=0), DeepWalk(random_state=0), LaBNE(2.5)]


def names_of(graph, **parameters):
    return HyperbolicSkipGram(random_state=0, **parameters).fit(graph).node_names_.tolist()


def weighted_kinds(graph):
    matrix = nx.to_scipy_sparse_array(graph)
    return [graph, nx.MultiGraph(graph), matrix, sp.coo_matrix(matrix)]


@pytest.mark.parametrize("model", EMBEDDINGS)
def test_every_kind_of_graph_gives_the_same_points(model):
    graph = nx.karate_club_graph()
    nx.set_edge_attributes(graph, 3.0, "weight")  # equal weights are no weights
    kinds = [*weighted_kinds(graph), np.array(graph.edges), [tuple(edge) for edge in graph.edges]]
    expected = model.fit_transform(kinds[0])
    for kind in kinds[1:]:
        np.testing.assert_array_equal(model.fit_transform(kind), expected)
        np.testing.assert_array_equal(model.node_names_, np.arange(34))


@pytest.mark.parametrize("model", EMBEDDINGS)
def test_weights_are_used(model, tmp_path):
    graph = nx.karate_club_graph()
    plain = model.fit_transform(np.array(graph.edges))
    nx.write_weighted_edgelist(graph, tmp_path / "edges.txt")
    kinds = [*weighted_kinds(graph), tmp_path / "edges.txt"]
    points = [model.fit_transform(kind) for kind in kinds]
    for each in points[1:]:
        np.testing.assert_array_equal(each, points[0])
    assert (points[0] != plain).any(axis=1).mean() > 0.9


@pytest.mark.parametrize("model", EMBEDDINGS)
def test_the_unit_of_the_weights_does_not_matter(model):
    matrix = nx.to_scipy_sparse_array(nx.karate_club_graph())
    expected = model.fit_transform(matrix)
    np.testing.assert_allclose(model.fit_transform(matrix * 2.0**-40), expected, atol=1e-9)


def test_weights_that_are_not_positive_are_refused():
    with pytest.raises(ValueError, match="between 1 and 2 the weight -1; weights must be positive"):
        LaBNE(2.5).fit(nx.Graph([(0, 1), (1, 2, {"weight": -1.0})]))


def test_a_file_is_a_graph_too(tmp_path):
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    for kind in (str(tmp_path / "edges.csv"), tmp_path / "edges.csv"):
        assert names_of(kind) == ["a", "b", "c"]


def test_repeated_edges_count_once():
    model = LaBNE(2.5)
    once = model.fit_transform([(0, 1), (1, 2), (2, 3)])
    repeated = model.fit_transform([(0, 1), (1, 0), (0, 1), (1, 2), (2, 3)])
    np.testing.assert_array_equal(repeated, once)


def test_names_of_any_kind_are_kept():
    assert names_of([("b", "a"), ("c", "a")]) == ["a", "b", "c"]
    assert names_of([(30, 10), (20, 10)]) == [10, 20, 30]
    assert names_of(np.array([("x", 1), (1, 2.5)], dtype=object)) == ["x", 1, 2.5]
    assert names_of(nx.grid_2d_graph(2, 2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_self_loops_are_left_out_with_a_warning():
    expected = HyperbolicSkipGram(random_state=0).fit_transform([(0, 1)])
    loops = sp.csr_array(np.array([[1.0, 1.0], [1.0, 0.0]]))
    for graph, n_loops in (([(0, 0), (0, 1), (1, 1)], 2), (loops, 1)):
        with pytest.warns(UserWarning, match=f"{n_loops} self loops"):
            points = HyperbolicSkipGram(random_state=0).fit_transform(graph)
        np.testing.assert_array_equal(points, expected)


def test_explicit_zeros_of_a_sparse_matrix_are_no_edges():
    matrix = sp.coo_array(([1.0, 1.0, 0.0, 0.0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    with pytest.warns(UserWarning, match="1 nodes are left out"):
        assert names_of(matrix, disconnected="largest") == [0, 1]


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
        HyperbolicSkipGram().fit(graph)


def test_only_self_loops_are_no_graph():
    with (
        pytest.warns(UserWarning, match="self loops"),
        pytest.raises(ValueError, match="no edges"),
    ):
        HyperbolicSkipGram().fit([(0, 0)])


TWO_PARTS = [("a", "b"), ("c", "d"), ("d", "e"), ("e", "c")]


def test_the_largest_component_is_taken_and_the_rest_counted():
    with pytest.warns(UserWarning, match=r"2 components.*3 nodes.*2 nodes are left out"):
        assert names_of(TWO_PARTS, disconnected="largest") == ["c", "d", "e"]


def test_the_largest_component_keeps_its_weights():
    graph = nx.Graph([("x", "y")])
    graph.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", 5.0), ("c", "a", 2.0)])
    alone = graph.subgraph("abc")
    with pytest.warns(UserWarning, match="2 nodes are left out"):
        points = LaBNE(2.5).fit_transform(graph)
    np.testing.assert_allclose(points, LaBNE(2.5).fit_transform(alone), atol=1e-12)


def test_a_disconnected_graph_can_be_refused_or_kept():
    with pytest.raises(ValueError, match="2 components; the largest has 3 of 5"):
        names_of(TWO_PARTS, disconnected="error")
    assert len(names_of(TWO_PARTS, disconnected="keep")) == 5


def test_nodes_without_a_neighbour_cannot_be_kept():
    graph = nx.path_graph(3)
    graph.add_nodes_from(["alone", "lonely"])
    with pytest.raises(ValueError, match=r"2 nodes have no neighbour .the first is 'alone'"):
        names_of(graph)


@pytest.mark.parametrize("model", EMBEDDINGS)
def test_the_same_graph_and_seed_give_the_same_points_and_clones_too(model):
    graph, before = nx.karate_club_graph(), model.get_params()
    first, again = model.fit_transform(graph), clone(model).fit_transform(graph)
    np.testing.assert_array_equal(first, again)
    assert model.get_params() == before
    if "random_state" in before:
        other = clone(model).set_params(random_state=1).fit_transform(graph)
        assert (first != other).all()


@pytest.mark.parametrize("model", [EMBEDDINGS[0], EMBEDDINGS[2]])
def test_every_chart_and_curvature_holds_the_same_points(model):
    graph = nx.karate_club_graph()
    tangent = clone(model).set_params(coordinates="tangent").fit_transform(graph)
    for chart in CHARTS:
        other = clone(model).set_params(coordinates=chart, curvature=-4.0)
        points = check_points(other.fit_transform(graph), chart, curvature=-4.0)
        back = convert(points, chart, "tangent", curvature=-4.0)
        np.testing.assert_allclose(2.0 * back, tangent, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("model", EMBEDDINGS)
def test_columns_have_names_and_can_be_a_data_frame(model):
    pd = pytest.importorskip("pandas")
    frame = clone(model).set_output(transform="pandas").fit_transform(nx.karate_club_graph())
    assert isinstance(frame, pd.DataFrame)
    name = type(model).__name__.lower()
    assert frame.columns.tolist() == [f"{name}0", f"{name}1"]
