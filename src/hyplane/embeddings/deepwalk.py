"""DeepWalk: the Euclidean embedding that hyperbolic ones are compared with."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.progress import progress
from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array, Ints
from hyplane.datasets import Network
from hyplane.embeddings._base import WALK_CONSTRAINTS, GraphEmbedding
from hyplane.embeddings.walks import walk_from_each
from hyplane.native.skipgram import train_walks


class DeepWalk(GraphEmbedding):
    """Embed a graph in Euclidean space: random walks fed to word2vec's skip-gram.

    Word2vec learns by hierarchical softmax, as published; the vectors are those of gensim 4.4 up to
    the rounding of sums in single precision. A step of a walk goes to a neighbour with probability
    proportional to the weight of the edge, uniformly in a graph without weights.

    The corpus of one short walk from each node, which the published Euclidean rows of the
    hyperbolic SVM paper seem to be based on, is ``DeepWalk(n_walks=1, walk_length=10)``.

    Parameters
    ----------
    n_components : int, default=2
        Dimension.
    n_walks : int, default=10
        Walks that start at each node.
    walk_length : int, default=40
        Nodes in a walk.
    window : int, default=5
        Largest distance along a walk of a pair; word2vec draws a window up to it at each node.
    epochs : int, default=5
        Passes over the walks.
    disconnected : {"keep", "largest", "error"}, default="keep"
        What to do with a graph of several components: embed all of it, embed the largest and warn,
        or refuse.
    random_state : None, int, RandomState or Generator
        Seed of the walks and of word2vec.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_components)
        One vector for each node.
    node_names_ : ndarray of shape (n_nodes,)
        The node of each row.

    References
    ----------
    B. Perozzi, R. Al-Rfou and S. Skiena (2014). DeepWalk: online learning of social
    representations. KDD, 701-710. arXiv:1403.6652.

    Examples
    --------
    >>> from hyplane.datasets import load_karate
    >>> from hyplane.embeddings import DeepWalk
    >>> DeepWalk(5, random_state=0).fit_transform(load_karate().graph).shape
    (34, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = WALK_CONSTRAINTS

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_walks: int = 10,
        walk_length: int = 40,
        window: int = 5,
        epochs: int = 5,
        disconnected: str = "keep",
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.n_walks = n_walks
        self.walk_length = walk_length
        self.window = window
        self.epochs = epochs
        self.disconnected = disconnected
        self.random_state = random_state

    def _embed(self, network: Network) -> Array:
        rng = as_generator(self.random_state)
        walks = walk_from_each(network.adjacency, self.n_walks, self.walk_length, rng)
        walks = walks[rng.permutation(len(walks))]
        window = min(self.window, self.walk_length)  # no pair is farther apart
        seed = int(rng.integers(2**31))
        return _word2vec(
            walks, n_dim=self.n_components, window=window, epochs=self.epochs, seed=seed
        )

    def _place(self, rows: list[list[int]], weights: Sequence[Sequence[float]] | None) -> Array:
        own = [None] * len(rows) if weights is None else weights
        pairs = zip(rows, own, strict=True)
        return np.array([np.average(self.embedding_[row], axis=0, weights=w) for row, w in pairs])


def _word2vec(
    walks: NDArray[np.int32], *, n_dim: int, window: int, epochs: int, seed: int
) -> Array:
    """Return the vectors that gensim's word2vec learns from walks in which every node occurs.

    gensim itself takes six times as long: its loop calls BLAS for vectors of a few numbers.
    """
    nodes, first, counts = np.unique(walks, return_index=True, return_counts=True)
    # The most frequent node first; of equals the one that occurs later.
    order = np.lexsort((-first, -counts))
    place = np.empty(len(nodes), dtype=np.int32)
    place[order] = np.arange(len(nodes), dtype=np.int32)
    tree = _huffman_paths(counts[order])
    vectors = np.zeros((len(nodes), -(-n_dim // 8) * 8), dtype=np.float32)  # padded to lanes of 8
    start = np.random.default_rng(seed).random((len(nodes), n_dim), dtype=np.float32)
    vectors[:, :n_dim] = (start * np.float32(2.0) - np.float32(1.0)) / np.float32(n_dim)
    outputs = np.zeros_like(vectors)
    windows = np.random.RandomState(seed)
    at_a_time = max(1, 10_000 // walks.shape[1])  # gensim trains on 10 000 words at one rate
    calls = list(product(range(epochs), range(0, len(walks), at_a_time)))
    for epoch, at in progress(calls, total=len(calls), description="DeepWalk"):
        words = place[walks[at : at + at_a_time]]
        narrowing = windows.randint(0, window, size=words.shape, dtype=np.int64)
        done = (epoch + at / len(walks)) / epochs
        rate = 0.025 - (0.025 - 0.0001) * done
        train_walks(vectors, outputs, words, narrowing, window, *tree, rate)
    return np.asarray(vectors[place, :n_dim], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Branch:
    count: int
    node: int

    def __lt__(self, other: "_Branch") -> bool:
        return self.count < other.count  # of equals the heap decides, as in gensim


def _huffman_paths(
    counts: Ints,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    """Return the paths from the root to each leaf: where each begins, inner nodes and branches."""
    n_leaves = len(counts)
    heap = [_Branch(count, leaf) for leaf, count in enumerate(counts.tolist())]
    heapq.heapify(heap)
    root = 2 * n_leaves - 2
    parent, code = np.zeros((2, root + 1), dtype=np.int64)
    for inner in range(n_leaves, root + 1):
        left, right = heapq.heappop(heap), heapq.heappop(heap)
        parent[left.node] = parent[right.node] = inner
        code[right.node] = 1
        heapq.heappush(heap, _Branch(left.count + right.count, inner))
    below: list[int] = []
    starts = [0]
    for leaf in range(n_leaves):
        path = [leaf] if leaf != root else []
        while path and parent[path[-1]] != root:
            path.append(int(parent[path[-1]]))
        below += path[::-1]
        starts.append(len(below))
    turns = (parent[below] - n_leaves).astype(np.int32)
    return np.array(starts, dtype=np.int64), turns, code[below].astype(np.uint8)
