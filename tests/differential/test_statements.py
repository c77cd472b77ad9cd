"""Results against independent statements of the same problem: general solvers and dense code."""

import networkx as nx
import numpy as np
import pytest

from hyplane.datasets import popularity_similarity_graph
from hyplane.embeddings import LaBNE


@pytest.mark.parametrize("exponent", [2.0, 2.25, 3.0])
def test_the_popularity_similarity_model_links_to_the_nearest_by_the_law_of_cosines(exponent):
    network = popularity_similarity_graph(300, mean_degree=6, exponent=exponent, random_state=4)
    fading = 1.0 / (exponent - 1.0)
    edges = set()
    for t in range(2, 301):
        newborn = 2.0 * np.log(t)
        away = np.empty(t - 1)
        for s in range(1, t):
            older = 2.0 * fading * np.log(s) + 2.0 * (1.0 - fading) * np.log(t)
            turn = np.cos(network.angle[s - 1] - network.angle[t - 1])
            away[s - 1] = np.arccosh(
                max(
                    1.0,
                    np.cosh(newborn) * np.cosh(older) - np.sinh(newborn) * np.sinh(older) * turn,
                )
            )
        edges |= {(int(s), t - 1) for s in np.argsort(away)[:3]}
    assert {tuple(edge) for edge in network.edges.tolist()} == edges


def test_labne_agrees_with_a_dense_eigendecomposition():
    graph = nx.karate_club_graph()
    adjacency = (nx.to_numpy_array(graph) > 0).astype(float)
    degree = adjacency.sum(axis=1)
    vectors = np.linalg.eigh(np.diag(degree) - adjacency)[1][:, 1:3]
    n, fading = len(degree), 1.0 / (2.5 - 1.0)
    plain = nx.empty_graph(n)
    plain.add_edges_from(graph.edges)
    points = LaBNE(2.5, coordinates="polar").fit_transform(plain)
    rank = 1 + np.argsort(np.argsort(-degree, kind="stable"))
    np.testing.assert_allclose(
        points[:, 0], 2 * fading * np.log(rank) + 2 * (1 - fading) * np.log(n), rtol=1e-12
    )
    # Eigenvectors have no sign of their own.
    candidates = [
        np.arctan2(b * vectors[:, 1], a * vectors[:, 0]) for a in (1, -1) for b in (1, -1)
    ]
    gaps = [np.abs(np.exp(1j * each) - np.exp(1j * points[:, 1])).max() for each in candidates]
    assert min(gaps) < 1e-8
