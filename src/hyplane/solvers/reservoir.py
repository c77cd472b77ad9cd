"""A random sample of a stream of rows, each of which is seen once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.solvers.rows import Points, random_keys, with_smallest_keys

# Most rows that are kept of one group, and of all groups.
ROWS_PER_GROUP, MOST_ROWS = 1 << 16, 1 << 20


class Reservoir:
    """A random sample of a stream of rows, of limited size per group, and the number of rows seen.

    Every row of a group has the same chance to be kept, whenever it came. A group within the limit
    is kept whole.

    Parameters
    ----------
    n_groups : int
    seed : int, default=0

    Attributes
    ----------
    counts : ndarray of int of shape (n_groups,)
        Rows of each group so far.
    n_rows : int
        Rows so far.

    Examples
    --------
    >>> reservoir = Reservoir(2)
    >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.1], [0.4, 0.0]])
    >>> reservoir.add(points, np.array([1, 0, 1]))
    >>> kept, groups, weights = reservoir.rows
    >>> len(kept), groups, weights
    (3, array([1, 0, 1]), array([1., 1., 1.]))
    """

    def __init__(self, n_groups: int, seed: int = 0) -> None:
        self.counts = np.zeros(n_groups, dtype=np.int64)
        self.n_rows = 0
        self._most = min(ROWS_PER_GROUP, max(16, MOST_ROWS // n_groups))
        self._seed, self._farthest = seed, 0.0
        # Radii, directions, groups, keys and weights of the rows that are kept.
        self._kept: tuple[NDArray[Any], ...] = ()

    def add(
        self, points: Points, groups: NDArray[np.integer], weights: Array | None = None
    ) -> None:
        """Add rows to the stream.

        Parameters
        ----------
        points : Points
        groups : ndarray of int of shape (m,)
            The group of each row.
        weights : ndarray of shape (m,), default=None
        """
        keys = random_keys(self.n_rows + np.arange(len(points)), self._seed)
        weights = np.ones(len(points)) if weights is None else weights
        self.n_rows += len(points)
        # Not in place: a shallow copy of the reservoir keeps its own numbers.
        self.counts = self.counts + np.bincount(groups, minlength=len(self.counts))
        self._farthest = max(self._farthest, float(points.radius.max()))
        rows: tuple[NDArray[Any], ...]
        rows = points.radius, points.direction, groups, keys, weights
        if self._kept:
            rows = tuple(map(np.concatenate, zip(self._kept, rows, strict=True)))
        _, _, groups, keys, _ = rows
        if (np.bincount(groups) > self._most).any():
            kept = with_smallest_keys(groups, keys, np.full(len(self.counts), self._most))
            rows = tuple(each[kept] for each in rows)
        self._kept = rows

    @property
    def rows(self) -> tuple[Points, NDArray[np.integer], Array]:
        """Points, groups, and weights with which they stand for all rows so far."""
        radius, direction, groups, _, weights = self._kept
        kept = np.bincount(groups, minlength=len(self.counts))
        points = Points(radius, direction)
        points.set_largest_radius(self._farthest)
        return points, groups, weights * (self.counts / np.maximum(kept, 1))[groups]
