"""Word2vec's skip-gram with hierarchical softmax, on walks of nodes."""

import heapq
import itertools
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.progress import progress
from hyplane._utils.typing import Array
from hyplane.native.skipgram import train_walks

# Word2vec's defaults, and how many words gensim trains on at one rate.
_FIRST_RATE, _LAST_RATE = 0.025, 0.0001
_WORDS_AT_A_TIME = 10_000
_LANES = 8  # the compiled code wants a multiple of so many coordinates


def hierarchical_softmax(
    walks: NDArray[np.int32], *, n_dim: int, window: int, epochs: int, seed: int
) -> Array:
    """Return the vectors that word2vec learns from walks, one for each node.

    The order of the nodes, the start, the tree and the windows are those of gensim 4.4, and so are
    the vectors, up to the rounding of sums in single precision.

    Parameters
    ----------
    walks : ndarray of int32 of shape (n_walks, walk_length)
        Every node 0, 1, … occurs.
    n_dim, window, epochs, seed : int

    Returns
    -------
    vectors : ndarray of shape (n_nodes, n_dim)

    Examples
    --------
    >>> walks = np.array([[0, 1, 0], [2, 1, 2]], dtype=np.int32)
    >>> hierarchical_softmax(walks, n_dim=4, window=1, epochs=1, seed=0).shape
    (3, 4)
    """
    n_walks, length = walks.shape
    nodes, first, counts = np.unique(walks, return_index=True, return_counts=True)
    # The most frequent node first; of equals the one that occurs later.
    order = np.lexsort((-first, -counts))
    place = np.empty(len(nodes), dtype=np.int32)
    place[order] = np.arange(len(nodes), dtype=np.int32)
    tree = _Tree.of_counts(counts[order])
    padded = -(-n_dim // _LANES) * _LANES
    vectors = np.zeros((len(nodes), padded), dtype=np.float32)
    start = np.random.default_rng(seed).random((len(nodes), n_dim), dtype=np.float32)
    vectors[:, :n_dim] = (start * np.float32(2.0) - np.float32(1.0)) / np.float32(n_dim)
    outputs = np.zeros_like(vectors)
    windows = np.random.RandomState(seed)
    words = place[walks]
    at_a_time = max(1, _WORDS_AT_A_TIME // length)
    starts = range(0, n_walks, at_a_time)
    calls = itertools.product(range(epochs), starts)
    for epoch, at in progress(calls, total=epochs * len(starts), description="DeepWalk"):
        chosen = words[at : at + at_a_time]
        done = (epoch + at / n_walks) / epochs
        train_walks(
            vectors,
            outputs,
            chosen,
            windows.randint(0, window, size=chosen.shape, dtype=np.int64),
            window,
            tree.path_start,
            tree.turns,
            tree.codes,
            _FIRST_RATE - (_FIRST_RATE - _LAST_RATE) * done,
        )
    return np.asarray(vectors[place, :n_dim], dtype=np.float64)


@dataclass(frozen=True)
class _Tree:
    """Huffman's binary tree; the path of leaf i is ``path_start[i] : path_start[i + 1]``."""

    path_start: NDArray[np.int64]
    turns: NDArray[np.int32]
    codes: NDArray[np.uint8]

    @classmethod
    def of_counts(cls, counts: NDArray[np.int64]) -> Self:
        """Join the two rarest nodes until one is left."""
        n_leaves = len(counts)
        heap = [_Branch(count, leaf) for leaf, count in enumerate(counts.tolist())]
        heapq.heapify(heap)
        parent, code = np.zeros((2, 2 * n_leaves - 1), dtype=np.int64)
        for inner in range(n_leaves, 2 * n_leaves - 1):
            left, right = heapq.heappop(heap), heapq.heappop(heap)
            parent[left.node] = parent[right.node] = inner
            code[right.node] = 1
            heapq.heappush(heap, _Branch(left.count + right.count, inner))
        paths = [_upwards(leaf, parent)[::-1] for leaf in range(n_leaves)]
        below = np.array([node for path in paths for node in path], dtype=np.int64)
        path_start = np.cumsum([0, *map(len, paths)])
        return cls(
            path_start.astype(np.int64),
            (parent[below] - n_leaves).astype(np.int32),
            code[below].astype(np.uint8),
        )


@dataclass(frozen=True, slots=True)
class _Branch:
    count: int
    node: int

    def __lt__(self, other: "_Branch") -> bool:
        return self.count < other.count  # of equals the heap decides, as in gensim


def _upwards(node: int, parent: NDArray[np.int64]) -> list[int]:
    """Return the nodes from one up to a child of the root."""
    path = []
    while node != len(parent) - 1:
        path.append(node)
        node = int(parent[node])
    return path
