import gzip

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

from hyplane.datasets import load_graph

TRIANGLE = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "0 1\n1 2\n",
        "# a comment\n\n0\t1\n% another\n1\t2\n",
        "0,1\n1,2",
        "source;target\n0;1\n1;2\n",
        "Source,Target,Weight\n0,1,3.5\n1,2,3.5\n",
        "Source,Target,Kind\n0,1,a\n1,2,b\n",
        "0 1\n1 0\n1 2\n1 2\n",
        "\ufeff0 1\r\n1 2\r\n",
    ],
)
def test_edge_lists_of_every_style_are_the_same_graph(tmp_path, text):
    network = load_graph(write(tmp_path / "edges.txt", text))
    assert sorted(network.graph.edges) == [(0, 1), (1, 2)]
    assert network.node_names.tolist() == [0, 1, 2]
    assert network.target is None


WEIGHTED = {
    "edge list": lambda folder: write(folder / "e.csv", "a,b,1\nb,c,2.5\n"),
    "both directions": lambda folder: write(folder / "e.txt", "a b 1\nb c 2.5\nb a 1\n"),
    "matrix": lambda folder: np.array([[0, 1, 0], [1, 0, 2.5], [0, 2.5, 0]]),
    "networkx graph": lambda folder: _weighted_graph(),
}


@pytest.mark.parametrize("make", WEIGHTED.values(), ids=WEIGHTED)
def test_weights_are_kept_unless_told_otherwise(tmp_path, make):
    network = load_graph(make(tmp_path))
    assert sorted(network.graph.edges(data="weight")) == [(0, 1, 1.0), (1, 2, 2.5)]
    assert "2 weighted edges" in network.DESCR
    plain = load_graph(make(tmp_path), weighted=False).graph
    assert sorted(plain.edges(data="weight")) == [(0, 1, None), (1, 2, None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b 1\nb c -1\n", "between 'b' and 'c' the weight -1; weights must be positive"),
        ("a b 1\nb c 0\n", "between 'b' and 'c' the weight 0; weights must be positive"),
        ("a b 1\nb c 1\nb a 2\n", "between 'a' and 'b' the weight 2;.*equal where an edge is rep"),
    ],
)
def test_weights_without_a_clear_meaning_are_refused(tmp_path, text, message):
    path = write(tmp_path / "edges.txt", text)
    with pytest.raises(ValueError, match=message):
        load_graph(path)
    assert load_graph(path, weighted=False).graph.number_of_edges() == 2


def test_a_weight_that_is_no_number_is_refused():
    graph = _weighted_graph()
    graph.edges[0, 1]["weight"] = "heavy"
    with pytest.raises(ValueError, match="weight that is not a number"):
        load_graph(graph)


def _weighted_graph():
    graph = pytest.importorskip("networkx").path_graph(3)
    graph.edges[1, 2]["weight"] = 2.5  # the other edge has none, which is 1
    return graph


def test_integer_names_are_sorted_and_words_keep_their_order(tmp_path):
    numbers = load_graph(write(tmp_path / "a.txt", "10 2\n2 7\n"))
    assert numbers.node_names.tolist() == [2, 7, 10]
    assert sorted(numbers.graph.edges) == [(0, 1), (0, 2)]
    words = load_graph(write(tmp_path / "b.csv", "pear,apple\napple,fig tree\n"))
    assert words.node_names.tolist() == ["pear", "apple", "fig tree"]


def test_compressed_and_open_files_are_read(tmp_path):
    path = tmp_path / "edges.txt.gz"
    path.write_bytes(gzip.compress(b"0 1\n1 2\n"))
    assert load_graph(path).graph.number_of_edges() == 2
    with open(write(tmp_path / "edges.csv", "a,b\nb,c\n"), "rb") as file:
        network = load_graph(file)
    assert network.node_names.tolist() == ["a", "b", "c"]
    assert "edges.csv" in network.DESCR


def test_direction_is_kept_on_demand(tmp_path):
    path = write(tmp_path / "edges.txt", "0 1\n1 0\n2 1\n")
    assert set(load_graph(path, directed=True).graph.edges) == {(0, 1), (1, 0), (2, 1)}
    assert load_graph(path).graph.number_of_edges() == 2


def test_self_loops_are_left_out_with_a_warning(tmp_path):
    path = write(tmp_path / "edges.txt", "0 0\n0 1\n1 1\n")
    with pytest.warns(UserWarning, match="2 self loops"):
        network = load_graph(path)
    assert list(network.graph.edges) == [(0, 1)]


@pytest.mark.parametrize(
    "table", ["a x\nb y\nc x\n", "node,label\nc,x\na,x\nb,y\n", "# names\na\tx\nb\ty\nc\tx\n"]
)
def test_labels_come_from_a_column_of_a_table(tmp_path, table):
    edges = write(tmp_path / "edges.txt", "a b\nb c\n")
    network = load_graph(edges, labels=write(tmp_path / "labels.txt", table))
    assert network.target.tolist() == [0, 1, 0]
    assert network.target_names.tolist() == ["x", "y"]
    assert network.graph.nodes[1]["label"] == "y"


def test_the_column_may_be_named_and_it_is_said_which_it_was(tmp_path):
    edges = write(tmp_path / "edges.txt", "1 2\n2 3\n")
    table = write(tmp_path / "nodes.csv", "id,age,team\n1,30,red\n2,40,blue\n3,50,red\n")
    network = load_graph(edges, labels=table, label_column="team")
    assert network.target_names.tolist() == ["blue", "red"]
    assert network.target.tolist() == [1, 0, 1]
    assert network.label_origin == f"the column 'team' of {table}"
    second = load_graph(edges, labels=str(table))
    assert second.target.tolist() == [0, 1, 2]
    assert second.label_origin == f"the column 'age' of {table}"
    with pytest.raises(ValueError, match="no column 'club'; its header is id, age, team"):
        load_graph(edges, labels=table, label_column="club")


@pytest.mark.parametrize("labels", [[2.5, "x", True], ["u", "v", "u"], [3, 1, 3], [0.5, 0.25, 0.5]])
def test_labels_of_any_kind_become_classes(labels):
    network = load_graph(TRIANGLE, labels=labels)
    assert network.target.dtype.kind == "i"
    decoded = network.target_names[network.target].tolist()
    assert decoded == (labels if len(set(map(type, labels))) == 1 else list(map(str, labels)))


def test_a_mapping_must_name_every_node(tmp_path):
    edges = write(tmp_path / "edges.txt", "a b\nb c\n")
    with pytest.raises(ValueError, match=r"2 of 3 nodes.*the first is 'b'"):
        load_graph(edges, labels={"a": 1})
    with pytest.raises(ValueError, match="2 labels were given for 3 nodes"):
        load_graph(edges, labels=[0, 1])


def test_a_table_of_edges_without_any_is_refused(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n")
    with pytest.raises(ValueError, match="has no nodes"):
        load_graph(path)


def test_a_header_without_labels_is_named_as_the_cause(tmp_path):
    edges = write(tmp_path / "edges.csv", "team,opponent\na,b\nb,c\n")
    with pytest.raises(ValueError, match=r"'team'\. The first line looks like a header: remove"):
        load_graph(edges, labels={"a": 1, "b": 2, "c": 1})


@pytest.fixture
def labelled_graph():
    graph = nx.Graph([("ann", "bob"), ("bob", "cid")])
    nx.set_node_attributes(graph, {"ann": "x", "bob": "y", "cid": "x"}, "team")
    return graph


@pytest.mark.parametrize("format", ["gml", "graphml"])
def test_gml_and_graphml_bring_labels_in_an_attribute(tmp_path, labelled_graph, format):
    path = tmp_path / f"graph.{format}"
    getattr(nx, f"write_{format}")(labelled_graph, path)
    network = load_graph(path, labels="team")
    assert network.node_names.tolist() == ["ann", "bob", "cid"]
    assert network.target.tolist() == [0, 1, 0]
    assert sorted(network.graph.edges) == [(0, 1), (1, 2)]
    with pytest.raises(ValueError, match=r"'club' are neither a file nor an attribute.*team"):
        load_graph(path, labels="club")


def test_gml_with_repeated_edges_and_equal_labels_is_read(tmp_path):
    nodes = "".join(f'node [ id {k} label "same" value {k % 2} ]\n' for k in (4, 5, 6))
    edges = "".join(f"edge [ source {a} target {b} ]\n" for a, b in ((4, 5), (4, 5), (5, 6)))
    path = write(
        tmp_path / "graph.gml", f"Creator 'x'\ngraph\n[\n{nodes}{edges}]\n".replace("'", '"')
    )
    network = load_graph(path, labels="value")
    assert network.node_names.tolist() == [4, 5, 6]
    assert sorted(network.graph.edges) == [(0, 1), (1, 2)]
    assert network.target.tolist() == [0, 1, 0]


def test_an_attribute_missing_from_some_nodes_is_an_error(labelled_graph):
    del labelled_graph.nodes["cid"]["team"]
    with pytest.raises(ValueError, match=r"1 of 3 nodes.*'cid'"):
        load_graph(labelled_graph, labels="team")


def test_labels_may_be_named_by_an_attribute_of_a_networkx_graph():
    network = load_graph(nx.karate_club_graph(), labels="club")
    assert network.target_names.tolist() == ["Mr. Hi", "Officer"]
    assert network.label_origin == "the attribute 'club' of the graph"


def test_networkx_graphs_of_every_kind_are_taken(labelled_graph):
    for graph in (labelled_graph, nx.DiGraph(labelled_graph), nx.MultiGraph(labelled_graph)):
        network = load_graph(graph, labels="team", directed=False)
        assert type(network.graph) is nx.Graph
        assert sorted(network.graph.edges) == [(0, 1), (1, 2)]


WRITERS = {
    "npy": np.save,
    "npz": lambda path, matrix: sparse.save_npz(path, sparse.csr_array(matrix)),
    "mtx": lambda path, matrix: mmwrite(path, sparse.coo_array(matrix)),
    "csv": lambda path, matrix: np.savetxt(path, matrix, delimiter=",", fmt="%d"),
    "txt": lambda path, matrix: np.savetxt(path, matrix, fmt="%d"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_adjacency_matrices_are_read_from_every_kind_of_file(tmp_path, kind):
    WRITERS[kind](tmp_path / f"matrix.{kind}", TRIANGLE)
    network = load_graph(tmp_path / f"matrix.{kind}", format="adjacency", labels=[0, 1, 1])
    assert network.graph.number_of_edges() == 3
    assert network.target.tolist() == [0, 1, 1]


def test_an_npz_file_may_hold_one_plain_array(tmp_path):
    np.savez(tmp_path / "one.npz", adjacency=TRIANGLE)
    assert load_graph(tmp_path / "one.npz").graph.number_of_edges() == 3
    np.savez(tmp_path / "two.npz", a=TRIANGLE, b=TRIANGLE)
    with pytest.raises(ValueError, match="2 arrays"):
        load_graph(tmp_path / "two.npz")


@pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_array, sparse.coo_matrix, np.ndarray.tolist]
)
def test_matrices_in_memory_are_taken(make):
    one_way = np.triu(TRIANGLE) * 0.5
    with pytest.warns(UserWarning, match="directions are left out"):
        assert load_graph(make(one_way)).graph.number_of_edges() == 3
    assert load_graph(make(one_way), directed=True).graph.is_directed()


def test_isolated_nodes_and_single_nodes_are_kept():
    assert load_graph(np.zeros((1, 1))).graph.number_of_nodes() == 1
    graph = load_graph(np.zeros((3, 3))).graph
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (3, 0)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "square"),
        (np.zeros(4), "square"),
        (np.zeros((0, 0)), "no nodes"),
        ([[0, -1], [1, 0]], "entry -1 in row 0, column 1"),
        ([[0, np.nan], [1, 0]], "entry nan in row 0, column 1"),
        ([["a", "b"], ["c", "d"]], "real numbers"),
        (nx.Graph(), "no nodes"),
        (3.5, "a graph is a file"),
    ],
)
def test_bad_graphs_get_a_clear_error(matrix, message):
    with pytest.raises(ValueError, match=message):
        load_graph(matrix)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("edges.txt", "", "is empty"),
        ("edges.txt", "# nothing\n", "is empty"),
        ("edges.txt", "0 1\n\n2\n", r"line 3: an edge needs two nodes"),
        ("edges.csv", "a,b\nb,\n", r"line 2: an edge needs two nodes"),
        ("edges.csv", "team,other\n1,2\n2,3\n", "line 1: 'team other' looks like a header"),
        ("edges.txt", "team other games\na b 1\nb c 2\n", "looks like a header.*Remove it"),
        ("graph.gml", "graph [ node [ id 0 ", "not a readable gml"),
        ("graph.gml", "0 1\n", "not a readable gml"),
        ("graph.graphml", "<graphml><graph>", "not a readable graphml"),
        ("matrix.npy", "no numbers", "not a readable adjacency"),
        ("matrix.npz", "no numbers", "not a readable adjacency"),
        ("matrix.mtx", "no numbers", "not a readable adjacency"),
    ],
)
def test_malformed_files_get_a_clear_error(tmp_path, name, text, message):
    with pytest.raises(ValueError, match=message):
        load_graph(write(tmp_path / name, text))


def test_other_mistakes_get_a_clear_error(tmp_path):
    edges = write(tmp_path / "edges.txt", "0 1\n")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        load_graph(tmp_path / "nowhere.txt")
    with pytest.raises(ValueError, match="format must be"):
        load_graph(edges, format="dot")
    with pytest.raises(ValueError, match=r"'x' are neither a file nor an attribute.*no attributes"):
        load_graph(edges, labels="x")
    with pytest.raises(ValueError, match="line 2: there is no column 1"):
        load_graph(edges, labels=write(tmp_path / "labels.txt", "0 a\n1\n"))
    ragged = write(tmp_path / "ragged.txt", "0 1\n1\n")
    with pytest.raises(ValueError, match="not a readable adjacency"):
        load_graph(ragged, format="adjacency")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="UTF-8"):
        load_graph(tmp_path / "binary.txt")


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("indptr", [0, 2, 4_000_000, 6]),
        ("indptr", [0, 6, 2, 6]),
        ("indices", [1, 2, 0, 2, 0, 1_000_000]),
        ("indices", [1, 2, 0, -2, 0, 1]),
    ],
)
def test_a_sparse_file_with_wild_indices_is_refused_before_it_is_used(tmp_path, form, part, values):
    matrix = sparse.csr_array(TRIANGLE).asformat(form)
    parts = {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}
    parts[part] = np.array(values, dtype=np.int32)
    path = tmp_path / "graph.npz"
    np.savez(path, format=form.encode(), shape=matrix.shape, _is_array=True, **parts)
    with pytest.raises(ValueError, match=r"graph\.npz is not a (readable|valid)"):
        load_graph(path)
