"""The rows of blocks that count in one problem, gathered; a sample stands for all others."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, Ints, Mask
from hyplane.solvers.block_samples import BlockSample, Rows, with_farthest
from hyplane.solvers.one_vs_rest import AT_THE_KINK
from hyplane.solvers.ready_blocks import signs
from hyplane.solvers.shared_passes import NearRows


class WorkingSet:
    """Rows that count for themselves, and a part of the sample that stands for all others.

    Parameters
    ----------
    sample : BlockSample
    problem : tuple of int
        As in `Ask`.
    places : ndarray of int
        Places in the sample.
    stand_for : ndarray
        For how many rows each stands.

    Examples
    --------
    >>> from hyplane.blocks import MemoryBlocks
    >>> from hyplane.solvers import Summary, pack_block, ready_block
    >>> X, y = np.random.default_rng(0).uniform(-0.5, 0.5, (100, 2)), np.arange(100) % 2
    >>> packed = MemoryBlocks(X, y).prepared(pack_block)
    >>> summary = Summary.of(packed)
    >>> sample = BlockSample.draw(packed.prepared(ready_block, summary.classes), summary, seed=0)
    >>> working_set = WorkingSet(sample, (1, -1, -1), *sample.part((1, -1, -1), 10))
    >>> len(working_set)
    10
    """

    def __init__(
        self, sample: BlockSample, problem: tuple[int, int, int], places: Ints, stand_for: Array
    ) -> None:
        self._sample, self._problem = sample, problem
        self._places, self._stand_for = places, stand_for
        self._taken: list[NearRows] = []
        # The numbers of those that count for themselves, in ascending order.
        self._known = np.sort(sample.rows[places[stand_for == 1.0]])

    def __len__(self) -> int:
        return len(self._places) + sum(len(each.rows) for each in self._taken)

    def take(self, near: NearRows) -> bool:
        """Take the rows that are not in the set yet, if one of them has a loss; return whether.

        Parameters
        ----------
        near : NearRows

        Returns
        -------
        taken : bool
        """
        fresh = ~_among(near.rows, self._known)
        if not (fresh & (near.products < AT_THE_KINK)).any():
            return False
        self._taken.append(near.taking(fresh))
        self._known = np.sort(np.concatenate([self._known, near.rows[fresh]]))
        # Rows of the sample that were taken do not stand for others any more.
        rest = ~_among(self._sample.rows[self._places], self._known)
        rest |= self._stand_for == 1.0
        self._places, self._stand_for = self._places[rest], self._stand_for[rest]
        return True

    def rows(self, sided: Callable[[NDArray[np.int8], Array], Array]) -> Rows:
        """Return all rows as a problem of the solver.

        Parameters
        ----------
        sided : callable
            Turns the labels and weights of rows into their weights in the problem.

        Returns
        -------
        rows : Rows
        """
        sample, taken, places = self._sample, self._taken, self._places
        folds = None if sample.folds is None else sample.folds[places]
        labels = np.concatenate(
            [*(each.labels for each in taken), signs(sample.codes[places], folds, self._problem)]
        )
        weights = np.concatenate(
            [*(each.weights for each in taken), sample.weights[places] * self._stand_for]
        )
        return with_farthest(
            [
                *(each.points for each in taken if each.points is not None),
                sample.points.take(places),
            ],
            labels,
            sided(labels, weights),
            sample.largest_radius,
        )


def _among(rows: NDArray[np.int64], known: NDArray[np.int64]) -> Mask:
    """Say which numbers are among others, which are in ascending order."""
    if not len(known):
        return np.zeros(len(rows), dtype=bool)
    places = np.minimum(np.searchsorted(known, rows), len(known) - 1)
    return np.asarray(known[places] == rows)
