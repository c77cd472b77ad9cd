"""Random walks on a graph, the pairs of near nodes on them, and nodes drawn at random."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array
from hyplane.datasets.graphs import Graph
from hyplane.embeddings._base import connected_network

NodeNumbers = NDArray[np.int32]


def random_walks(
    graph: Graph, *, n_walks: int = 10, walk_length: int = 40, random_state: RandomState = None
) -> NodeNumbers:
    """Draw random walks that start at every node.

    The probability of a step is proportional to the weight of the edge.

    Parameters
    ----------
    graph : networkx.Graph, scipy sparse adjacency, array-like of shape (n_edges, 2) or path
        Every node needs a neighbour. All edges weigh the same if the graph has no weights.
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
) -> NodeNumbers:
    """Walk on a checked adjacency; all walkers step at once."""
    first, neighbours = adjacency.indptr, adjacency.indices
    degrees, most_steps = np.diff(first), 2_000_000_000  # kept in memory: 8 GB
    if n_walks * degrees.size * walk_length > most_steps:
        raise ValueError(
            f"{n_walks} walks of {walk_length} nodes from each of {degrees.size} nodes are more "
            f"than {most_steps:,} steps: lower n_walks or walk_length."
        )
    weighted = bool((adjacency.data != 1.0).any())
    ends = np.append(0.0, np.cumsum(adjacency.data))
    walks = np.empty((n_walks * degrees.size, walk_length), dtype=np.int32)
    walks[:, 0] = np.tile(np.arange(degrees.size, dtype=np.int32), n_walks)
    for step in range(1, walk_length):
        here = walks[:, step - 1]
        draw, start, stop = rng.random(here.size), first[here], first[here + 1]
        if weighted:
            place = ends[start] + draw * (ends[stop] - ends[start])
            chosen = np.clip(np.searchsorted(ends, place, side="right") - 1, start, stop - 1)
        else:
            chosen = start + (draw * degrees[here]).astype(first.dtype)
        walks[:, step] = neighbours[chosen]
    return walks


def window_pairs(walks: NodeNumbers, window: int) -> tuple[NodeNumbers, NodeNumbers]:
    """Give the pairs (center, context) of walks that are at most `window` apart.

    Examples
    --------
    >>> window_pairs(np.array([[7, 8, 9]], dtype=np.int32), 1)
    (array([7, 8, 8, 9], dtype=int32), array([8, 7, 9, 8], dtype=int32))
    """
    position = np.arange(walks.shape[1])
    gap = np.abs(position[:, np.newaxis] - position)
    center, context = np.nonzero((gap > 0) & (gap <= window))
    return walks[:, center].ravel(), walks[:, context].ravel()


class NegativeSampler:
    """Draws nodes with the frequencies of a corpus to the power 0.75.

    Examples
    --------
    >>> sampler = NegativeSampler(np.array([0, 4, 0]), np.random.default_rng(0))
    >>> sampler.draw_for_batches(3, 2, 2).tolist()
    [[1, 1], [1, 1], [1, 1]]
    """

    def __init__(self, counts: NDArray[np.intp], rng: np.random.Generator) -> None:
        self._cumulative = np.cumsum(counts**0.75)
        self._rng = rng
        # A search is slow, and most places need none: they are in a bucket that one node fills.
        # With 16 buckets a node, at most one draw in 16 has to be searched for.
        edges = np.arange(16 * len(counts) + 1) * (self._cumulative[-1] / (16 * len(counts)))
        # A place near an edge may be rounded to the other side of it.
        low = self._search(edges[:-1] * (1.0 - 1e-14))
        high = self._search(edges[1:] * (1.0 + 1e-14))
        self._filled_by = np.where(low == high, low, -1).astype(np.int32)

    def draw_for_batches(self, n_pairs: int, batch_size: int, n_negatives: int) -> NodeNumbers:
        """Draw negatives once for each batch of pairs; the pairs of a batch share them."""
        place = self._rng.random((-(-n_pairs // batch_size), n_negatives))
        nodes = self._filled_by[(place * len(self._filled_by)).astype(np.intp)]
        shared = nodes < 0
        nodes[shared] = self._search(place[shared] * self._cumulative[-1])
        return np.repeat(nodes, batch_size, axis=0)[:n_pairs]

    def _search(self, place: Array) -> NDArray[np.intp]:
        """Return the first node whose part of the cumulative sum ends beyond a place."""
        return np.searchsorted(self._cumulative, place, side="right")
