"""Pairs of nearby nodes on walks, and nodes drawn against them."""

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int32]


def window_pairs(walks: Nodes, window: int) -> tuple[Nodes, Nodes]:
    """Give the pairs (center, context) of walks, in the order of the walks.

    Parameters
    ----------
    walks : ndarray of shape (n_walks, walk_length)
    window : int
        How far apart, either side.

    Returns
    -------
    centers, contexts : ndarray of shape (n_pairs,)

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

    Parameters
    ----------
    counts : ndarray of shape (n_nodes,)
        How often each node occurs.
    rng : numpy.random.Generator

    Examples
    --------
    >>> sampler = NegativeSampler(np.array([0, 4, 0]), np.random.default_rng(0))
    >>> sampler.draw_for_batches(3, 2, 2).tolist()
    [[1, 1], [1, 1], [1, 1]]
    """

    def __init__(self, counts: NDArray[np.intp], rng: np.random.Generator) -> None:
        self._cumulative = np.cumsum(counts**0.75)
        self._rng = rng

    def draw_for_batches(self, n_pairs: int, batch_size: int, n_negatives: int) -> Nodes:
        """Draw negatives once for each batch of pairs; the pairs of a batch share them.

        Parameters
        ----------
        n_pairs, batch_size, n_negatives : int

        Returns
        -------
        negatives : ndarray of shape (n_pairs, n_negatives)
        """
        n_batches = -(-n_pairs // batch_size)
        place = self._rng.random((n_batches, n_negatives)) * self._cumulative[-1]
        nodes = np.searchsorted(self._cumulative, place, side="right").astype(np.int32)
        return np.repeat(nodes, batch_size, axis=0)[:n_pairs]
