"""Random walks."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chisquare

from hyplane.embeddings import random_walks
from hyplane.embeddings.walks import NegativeSampler, window_pairs


def test_walks_follow_edges_and_start_at_every_node():
    graph = nx.karate_club_graph()
    walks = random_walks(graph, n_walks=3, walk_length=12, random_state=0)
    assert walks.shape == (3 * 34, 12)
    np.testing.assert_array_equal(np.bincount(walks[:, 0]), 3)
    assert all(graph.has_edge(a, b) for walk in walks.tolist() for a, b in pairwise(walk))


def test_every_neighbour_is_equally_likely():
    graph = nx.star_graph(6)
    walks = random_walks(graph, n_walks=7000, walk_length=2, random_state=1)
    leaves = walks[walks[:, 0] == 0, 1]
    assert chisquare(np.bincount(leaves, minlength=7)[1:]).pvalue > 0.001


def test_a_neighbour_is_drawn_in_proportion_to_the_weight_of_its_edge():
    graph, weights = nx.star_graph(6), np.array([1e-9, 0.5, 1.0, 2.0, 3.0, 10.0])
    nx.set_edge_attributes(graph, {(0, k + 1): w for k, w in enumerate(weights)}, "weight")
    walks = random_walks(graph, n_walks=7000, walk_length=2, random_state=1)
    leaves = np.bincount(walks[walks[:, 0] == 0, 1], minlength=7)[1:]
    assert leaves[0] == 0
    assert chisquare(leaves[1:], weights[1:] / weights[1:].sum() * 7000).pvalue > 0.001


@pytest.mark.parametrize("weight", [None, "weight"])
def test_walks_spend_time_in_proportion_to_the_degree(weight):
    graph = nx.karate_club_graph()
    kind = graph if weight else np.array(graph.edges)
    walks = random_walks(kind, n_walks=400, walk_length=60, random_state=2)
    share = np.bincount(walks[:, 30:].ravel(), minlength=34) / walks[:, 30:].size
    degree = np.array([d for _, d in graph.degree(weight=weight)])
    np.testing.assert_allclose(share, degree / degree.sum(), atol=0.01)


def test_a_seed_decides_the_walks():
    graph = nx.karate_club_graph()
    first, again, other = (random_walks(graph, random_state=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_lengths_below_one_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        random_walks([(0, 1)], walk_length=0)


def test_pairs_are_those_within_the_window_both_ways():
    walk = np.arange(10, dtype=np.int32)[np.newaxis]
    centers, contexts = window_pairs(walk, 5)
    assert centers.size == 70
    expected = {(a, b) for a in range(10) for b in range(10) if 0 < abs(a - b) <= 5}
    assert set(zip(centers.tolist(), contexts.tolist(), strict=True)) == expected


def test_negatives_follow_the_counts_to_the_three_quarters():
    counts = np.array([1, 16, 0, 81, 256])
    negatives = NegativeSampler(counts, np.random.default_rng(0)).draw_for_batches(10_000, 1, 10)
    drawn = np.bincount(negatives.ravel(), minlength=5)
    assert drawn[2] == 0
    expected = counts**0.75 / (counts**0.75).sum() * drawn.sum()
    assert chisquare(drawn[counts > 0], expected[counts > 0]).pvalue > 0.001


def test_negatives_are_found_by_their_place_among_the_counts():
    counts = np.r_[0, 1, 10**6, 0, 0, np.arange(300), 1]
    drawn = NegativeSampler(counts, np.random.default_rng(3)).draw_for_batches(5000, 1, 4)
    cumulative = np.cumsum(counts**0.75)
    place = np.random.default_rng(3).random((5000, 4)) * cumulative[-1]
    np.testing.assert_array_equal(drawn, np.searchsorted(cumulative, place, side="right"))


def test_a_batch_shares_its_negatives():
    sampler = NegativeSampler(np.ones(1000), np.random.default_rng(0))
    negatives = sampler.draw_for_batches(10, 4, 5)
    assert negatives.shape == (10, 5)
    assert len(np.unique(negatives, axis=0)) == 3
