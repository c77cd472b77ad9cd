import networkx as nx
import numpy as np
import pytest

from hyplane.datasets import popularity_similarity_graph, propagate_labels


@pytest.mark.parametrize("size_range", [(20, 50), (50, 100), (100, 200)])
def test_sizes_are_within_the_papers_ranges(size_range):
    network = popularity_similarity_graph(500, random_state=0)
    Y, pioneers = propagate_labels(network, 10, size_range, random_state=0)
    assert Y.shape == (500, 10)
    assert set(np.unique(Y)) == {0, 1}
    assert (size_range[0] <= Y.sum(axis=0)).all()
    assert (Y.sum(axis=0) <= size_range[1]).all()
    assert (Y[pioneers, np.arange(10)] == 1).all()


def test_certain_inheritance_reaches_exactly_the_descendants():
    network = popularity_similarity_graph(300, random_state=1)
    Y, pioneers = propagate_labels(network, 5, (1, 300), probability=1.0, random_state=1)
    graph = network.to_networkx(directed=True)
    for label, pioneer in enumerate(pioneers):
        expected = nx.descendants(graph, int(pioneer)) | {int(pioneer)}
        assert set(np.flatnonzero(Y[:, label])) == expected


def test_no_inheritance_leaves_the_pioneer_alone():
    Y, _ = propagate_labels([(0, 1), (1, 2)], 4, (1, 3), probability=0.0, random_state=0)
    assert (Y.sum(axis=0) == 1).all()


def test_an_edge_carries_a_label_with_the_probability_given():
    # A star: given that the centre is the pioneer, the size is 1 + Binomial(1000, 0.3).
    star = np.column_stack([np.zeros(1000, dtype=int), np.arange(1, 1001)])
    Y, pioneers = propagate_labels(
        star, 20, (2, 1001), probability=0.3, max_tries=100_000, random_state=2
    )
    assert (pioneers == 0).all()
    sizes = Y.sum(axis=0) - 1
    assert sizes.mean() == pytest.approx(300, abs=5 * np.sqrt(210 / 20))


def test_two_parents_give_two_chances():
    # Node 2 inherits from 0 directly or by way of 1: 1 - (1 - p)(1 - p²).
    triangle, p = [(0, 1), (0, 2), (1, 2)], 0.5
    Y, pioneers = propagate_labels(triangle, 9000, (1, 3), probability=p, random_state=3)
    reached = Y[2, pioneers == 0]
    expected = 1 - (1 - p) * (1 - p**2)
    assert reached.mean() == pytest.approx(expected, abs=4.5 * 0.5 / np.sqrt(reached.size))


def test_every_form_of_a_graph_gives_the_same_labels():
    network = popularity_similarity_graph(200, random_state=4)
    forms = [
        network,
        network.edges,
        network.edges.tolist(),
        np.vstack([network.edges, network.edges[:7], [[3, 3]]]),  # repeated edges, a self loop
        network.to_networkx(),
        network.to_networkx(directed=True),
    ]
    results = [propagate_labels(form, 3, (5, 50), random_state=4)[0] for form in forms]
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_a_range_that_cannot_be_met_is_an_error_that_says_what_was_found():
    with pytest.raises(ValueError, match=r"no label of 4 to 4 nodes in 50 draws.*widen"):
        propagate_labels([(0, 1), (2, 3)], 1, (4, 4), max_tries=50, random_state=0)
    with pytest.raises(ValueError, match="more than 3 nodes"):
        propagate_labels([(0, 1), (1, 2)], 1, (4, 9))


def test_nodes_without_edges_can_be_pioneers():
    Y, _ = propagate_labels([(0, 1)], 50, (1, 1), n_nodes=4, random_state=0)
    assert Y.shape == (4, 50)
    assert Y[3].any()


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (nx.Graph(), {}, "no nodes"),
        (nx.karate_club_graph(), {}, "has weights"),
        ([], {}, "no nodes"),
        ([(0, -1)], {}, "edge 0"),
        ([(0, 5)], {"n_nodes": 3}, "edge 0"),
        ([(0.5, 1.0)], {}, "integers in two columns"),
        ([(0, 1, 2)], {}, "integers in two columns"),
        ([(0, 1)], {"probability": 1.5}, "probability"),
        ([(0, 1)], {"size_range": (3, 2)}, "size_range"),
        ([(0, 1)], {"n_labels": 0}, "n_labels"),
    ],
)
def test_bad_input_gets_a_clear_error(graph, options, message):
    with pytest.raises(ValueError, match=message):
        propagate_labels(graph, **{"size_range": (1, 2), **options})
