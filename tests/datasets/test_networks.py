from importlib.resources import files

import networkx as nx
import numpy as np
import pytest

from hyplane.datasets import load_football, load_karate, load_polblogs, load_polbooks

LOADERS = {
    load_karate: (34, 78, [17, 17]),
    load_polbooks: (105, 441, [49, 43, 13]),
    load_football: (115, 613, [9, 8, 11, 12, 10, 5, 13, 8, 10, 12, 7, 10]),
    load_polblogs: (1224, 16715, [588, 636]),
}


@pytest.mark.parametrize("load", LOADERS)
def test_counts_are_the_published_ones(load):
    network = load()
    graph, sizes = network.graph, np.bincount(network.target).tolist()
    assert (graph.number_of_nodes(), graph.number_of_edges(), sizes) == LOADERS[load]
    assert len(network.target_names) == len(sizes)
    assert "Taken from" in network.DESCR


@pytest.mark.parametrize("load", LOADERS)
def test_graphs_are_simple_and_nodes_carry_their_names_and_labels(load):
    network = load()
    assert type(network.graph) is nx.Graph
    assert nx.number_of_selfloops(network.graph) == 0
    assert list(network.graph.nodes) == list(range(network.target.size))
    assert min(dict(network.graph.degree).values()) >= 1
    assert len(set(network.node_names)) == network.target.size
    for node, data in network.graph.nodes(data=True):
        assert data["name"] == network.node_names[node]
        assert data["label"] == network.target_names[network.target[node]]


def test_karate_has_the_edges_and_factions_that_networkx_has():
    network, reference = load_karate(), nx.karate_club_graph()
    assert set(network.graph.edges) == set(reference.edges)
    clubs = [reference.nodes[node]["club"] for node in range(34)]
    assert network.target_names[network.target].tolist() == clubs


def test_known_facts_of_each_network():
    football = load_football()
    team = football.node_names.tolist().index("NotreDame")
    assert football.target_names[football.target[team]] == "Independents"
    assert "1000 Years for Revenge" in load_polbooks().node_names
    blogs = load_polblogs()
    sizes = sorted(map(len, nx.connected_components(blogs.graph)))
    assert sizes == [2, 1222]
    kos = blogs.node_names.tolist().index("dailykos.com")
    assert blogs.target_names[blogs.target[kos]] == "liberal"
    mixed = sum(blogs.target[u] != blogs.target[v] for u, v in blogs.graph.edges)
    assert mixed / blogs.graph.number_of_edges() < 0.15


def test_the_files_together_are_small():
    folder = files("hyplane.datasets").joinpath("data")
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 150_000
