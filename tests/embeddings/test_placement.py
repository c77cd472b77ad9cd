"""Nodes that arrive after fitting."""

import networkx as nx
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hyplane.datasets import load_karate
from hyplane.embeddings import HyperbolicSkipGram, LaBNE, place_new_nodes
from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    convert,
    distance,
    geodesic_midpoint,
    random_isometry,
)

POINTS = np.array([[0.1, 0.5], [-0.7, 0.2], [0.3, -0.6], [0.0, 0.9]])


def test_two_neighbours_give_the_midpoint_of_the_geodesic():
    placed = place_new_nodes(POINTS, [[0, 1]])
    np.testing.assert_allclose(placed, geodesic_midpoint(POINTS[:1], POINTS[1:2]), atol=1e-12)


def test_one_neighbour_gives_its_own_place_and_heavy_weights_come_near_to_it():
    np.testing.assert_allclose(place_new_nodes(POINTS, [[3]]), POINTS[3:], atol=1e-12)
    near = place_new_nodes(POINTS, [[0, 1, 2]], weights=[[1e9, 1.0, 1.0]])
    assert distance(near, POINTS[:1])[0] < 1e-6


def test_placement_moves_with_the_embedding_under_isometries():
    isometry = random_isometry(2, max_radius=2.0, random_state=0)
    neighbors = [[0, 1, 2], [2, 3]]
    moved = apply_isometry(isometry, POINTS, "ball")
    np.testing.assert_allclose(
        place_new_nodes(moved, neighbors),
        apply_isometry(isometry, place_new_nodes(POINTS, neighbors), "ball"),
        atol=1e-10,
    )


@pytest.mark.parametrize("chart", CHARTS)
def test_placement_is_the_same_in_every_chart(chart):
    points = convert(POINTS / 2, "ball", chart, curvature=-4.0)
    placed = place_new_nodes(points, [[0, 1, 3]], coordinates=chart, curvature=-4.0)
    expected = place_new_nodes(POINTS, [[0, 1, 3]]) / 2
    np.testing.assert_allclose(convert(placed, chart, "ball", curvature=-4.0), expected, atol=1e-10)


@pytest.mark.parametrize(
    "model",
    [
        HyperbolicSkipGram.converged(coordinates="polar", random_state=0),
        LaBNE(2.5, coordinates="hyperboloid"),
    ],
)
def test_a_node_taken_away_comes_back_near_its_side(model):
    karate = load_karate()
    names = list(karate.graph.nodes)
    sides = []
    for node in (names[7], names[31]):  # one of each faction, with neighbours in it
        known = karate.graph.copy()
        known.remove_node(node)
        model.fit(known)
        before = model.embedding_.copy()
        placed = model.place([list(karate.graph[node])])
        np.testing.assert_array_equal(model.embedding_, before)
        far = distance(
            np.repeat(placed, len(before), axis=0), before, coordinates=model.coordinates
        )
        linked = np.isin(model.node_names_, list(karate.graph[node]))
        sides.append(far[linked].mean() < far[~linked].mean())
    assert all(sides)


def test_names_of_the_graph_name_the_neighbours():
    graph = nx.relabel_nodes(nx.path_graph(4), dict(enumerate("abcd")))
    model = HyperbolicSkipGram(random_state=0).fit(graph)
    np.testing.assert_allclose(model.place([["c"]]), model.embedding_[2:3], atol=1e-12)


def test_bad_neighbours_are_clear_errors():
    model = HyperbolicSkipGram(random_state=0)
    with pytest.raises(NotFittedError):
        model.place([[0]])
    model.fit([(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="new node 1 has the neighbour 9, which was not embedded"):
        model.place([[0], [1, 9]])
    with pytest.raises(ValueError, match="new node 0 has no neighbour"):
        model.place([[]])
    for rows, weights, message in (
        ([[4]], None, "rows 0 to 3"),
        ([[-1]], None, "rows 0 to 3"),
        ([[0.5]], None, "a list of rows"),
        ([[0], [1]], [[1.0]], "differ"),
    ):
        with pytest.raises(ValueError, match=message):
            place_new_nodes(POINTS, rows, weights=weights)
