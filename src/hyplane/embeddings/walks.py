"""Uniform random walks on a graph."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._random import RandomState, as_generator
from hyplane.embeddings._graph import Graph, connected_network


def random_walks(
    graph: Graph, *, n_walks: int = 10, walk_length: int = 40, random_state: RandomState = None
) -> NDArray[np.int32]:
    """Let walkers start at every node and go to a neighbour chosen uniformly at each step.

    Parameters
    ----------
    graph : networkx.Graph, scipy sparse adjacency, or array-like of shape (n_edges, 2)
        Every node needs a neighbour.
    n_walks : int, default=10
        Walks that start at each node.
    walk_length : int, default=40
        Nodes in a walk, the start included.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    walks : ndarray of shape (n_walks * n_nodes, walk_length)
        Nodes by number, in the order in which the graph lists them; the walks of the first round
        come first.

    Examples
    --------
    >>> random_walks([(0, 1)], n_walks=1, walk_length=4)
    array([[0, 1, 0, 1], [1, 0, 1, 0]], dtype=int32)
    """
    if n_walks < 1 or walk_length < 1:
        raise ValueError(
            f"n_walks and walk_length must be at least 1; got {n_walks} and {walk_length}."
        )
    network = connected_network(graph, disconnected="keep")
    return walk_from_each(network.adjacency, n_walks, walk_length, as_generator(random_state))


def walk_from_each(
    adjacency: Any, n_walks: int, walk_length: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Walk on a checked adjacency; all walkers step at once."""
    first, neighbours = adjacency.indptr, adjacency.indices
    degrees = np.diff(first)
    walks = np.empty((n_walks * degrees.size, walk_length), dtype=np.int32)
    walks[:, 0] = np.tile(np.arange(degrees.size, dtype=np.int32), n_walks)
    for step in range(1, walk_length):
        here = walks[:, step - 1]
        chosen = (rng.random(here.size) * degrees[here]).astype(first.dtype)
        walks[:, step] = neighbours[first[here] + chosen]
    return walks
