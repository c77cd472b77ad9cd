"""A sample of the rows of blocks, class by class, the same for every division into blocks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, Ints
from hyplane.blocks import Blocks
from hyplane.native import core
from hyplane.solvers import tuning
from hyplane.solvers.block_summary import Summary
from hyplane.solvers.points import PackedRows
from hyplane.solvers.ready_blocks import ReadyBlock, signs

# Numbers of a sample, 64 MB of memory.
_MOST_NUMBERS = 1 << 23


@dataclass(frozen=True)
class Rows:
    """Some rows in memory, as a problem of the solver.

    Attributes
    ----------
    points : PackedPoints
        The last row stands for the farthest of all rows and does not count.
    labels : ndarray of int8 of shape (m,)
    weights : ndarray of shape (m,)
    """

    points: core.PackedPoints
    labels: NDArray[np.int8]
    weights: Array

    @property
    def packed(self) -> PackedRows:
        """The points as `solve_soft_margin` takes them."""
        return PackedRows(self.points)


@dataclass(frozen=True)
class BlockSample:
    """A sample of all rows, drawn from each class separately.

    Attributes
    ----------
    points : PackedPoints
    codes, rows : ndarray of int
        The class, or the labels, of each row as in `ReadyBlock`, and its number among all.
    weights : ndarray of shape (m,)
        Of the rows themselves.
    stands_for : ndarray of shape (m,)
        How many rows each stands for.
    folds : ndarray of int of shape (m,) or None
    largest_radius : float
        Of all rows.

    Examples
    --------
    >>> from hyplane.blocks import MemoryBlocks
    >>> from hyplane.solvers import pack_block, ready_block
    >>> X, y = np.random.default_rng(0).uniform(-0.5, 0.5, (100, 2)), np.arange(100) % 2
    >>> blocks = MemoryBlocks(X, y, rows_per_block=30)
    >>> packed = blocks.prepared(pack_block)
    >>> summary = Summary.of(packed)
    >>> sample = BlockSample.draw(packed.prepared(ready_block, summary.classes), summary, seed=0)
    >>> len(sample.rows), sample.complete
    (100, True)
    """

    points: core.PackedPoints
    codes: NDArray[np.signedinteger[Any]]
    rows: NDArray[np.int64]
    weights: Array
    stands_for: Array
    folds: NDArray[np.int32] | None
    largest_radius: float

    @classmethod
    def draw(cls, blocks: Blocks, summary: Summary, seed: int) -> "BlockSample":
        """Draw a sample in one pass.

        A row is taken by a number that is made of its own number and the seed, so that the sample
        does not depend on how the rows are divided into blocks.

        Parameters
        ----------
        blocks : Blocks
            Blocks of `ReadyBlock`.
        summary : Summary
        seed : int

        Returns
        -------
        sample : BlockSample
        """
        share, wanted = _shares(summary)
        parts = [part for part in blocks.map(_draw_from_block, share, seed) if part is not None]
        points = core.join([part[0] for part in parts])
        codes = np.concatenate([part[1] for part in parts])
        rows = np.concatenate([part[2] for part in parts])
        weights = np.concatenate([part[3] for part in parts])
        folds = None if parts[0][4] is None else np.concatenate([part[4] for part in parts])
        if summary.several:
            stands_for = 1.0 / np.minimum(_largest_share(codes, share), 1.0)
            return cls(points, codes, rows, weights, stands_for, folds, summary.largest_radius)
        keys, counts = keys_of_rows(rows, seed), summary.counts
        order = np.argsort(codes + keys)
        first = np.searchsorted(codes[order], np.arange(len(counts)))
        place = np.arange(len(order)) - first[codes[order]]
        kept = np.sort(order[place < wanted[codes[order]]])
        if len(kept) < len(rows):
            points = points.take(kept)
        codes, rows, weights = codes[kept], rows[kept], weights[kept]
        present = np.bincount(codes, minlength=len(counts))
        return cls(
            points,
            codes,
            rows,
            weights,
            (counts / np.maximum(present, 1))[codes],
            None if folds is None else folds[kept],
            summary.largest_radius,
        )

    @property
    def complete(self) -> bool:
        """Whether all rows are in the sample."""
        return bool((self.stands_for == 1.0).all())

    def labels(self, problem: tuple[int, int, int]) -> NDArray[np.int8]:
        """Return 1, -1, or 0 for a row that does not count, as in `Ask`."""
        return signs(self.codes, self.folds, problem)

    def part(self, problem: tuple[int, int, int], size: int) -> tuple[Ints, Array]:
        """Return some rows for one problem, half of them positive if possible.

        Parameters
        ----------
        problem : tuple of int
            As in `Ask`.
        size : int
            About how many rows at most.

        Returns
        -------
        places : ndarray of int
            Places in the sample.
        stand_for : ndarray
            How many rows of the problem each stands for.
        """
        labels = self.labels(problem)
        sides = [np.flatnonzero(labels == sign) for sign in (1, -1)]
        rare = min(len(side) for side in sides)
        chosen, factors = [], []
        for side in sides:
            room = size // 2 if len(side) == rare else size - min(rare, size // 2)
            step = max(1, -(-len(side) // max(room, 1)))
            taken = side[::step]
            chosen.append(taken)
            factors.append(np.full(len(taken), len(side) / max(len(taken), 1)))
        places = np.concatenate(chosen)
        return places, np.concatenate(factors) * self.stands_for[places]

    def as_rows(self, problem: tuple[int, int, int], places: Ints, stand_for: Array) -> Rows:
        """Return rows of the sample as a problem of the solver."""
        return with_farthest(
            [self.points.take(places)],
            self.labels(problem)[places],
            self.weights[places] * stand_for,
            self.largest_radius,
        )


def with_farthest(
    parts: list[core.PackedPoints], labels: NDArray[np.int8], weights: Array, radius: float
) -> Rows:
    """Return rows and, last, one at the largest radius, which limits the hyperplanes.

    Examples
    --------
    >>> points = PackedRows.from_chart([[0.5, 0.0]]).packed
    >>> rows = with_farthest([points], np.array([1], dtype=np.int8), np.ones(1), 3.0)
    >>> round(rows.points.largest_radius, 6), rows.labels
    (3.0, array([1, 0], dtype=int8))
    """
    n_dim = parts[0].n_dim
    farthest = core.PackedPoints(1, n_dim, radius > core.LARGEST_NEAR_RADIUS)
    farthest.fill(0, np.array([radius]), np.eye(n_dim)[:1])
    return Rows(
        core.join([*parts, farthest]),
        np.append(labels, np.int8(0)),
        np.append(weights, 0.0),
    )


def keys_of_rows(rows: NDArray[np.int64], seed: int) -> Array:
    """Return a number in [0, 1) for each row, by SplitMix64.

    Parameters
    ----------
    rows : ndarray of int
        Numbers of rows.
    seed : int

    Returns
    -------
    keys : ndarray

    Examples
    --------
    >>> keys_of_rows(np.arange(2), seed=0).round(3)
    array([0.883, 0.432])
    """
    z = rows.astype(np.uint64) + np.uint64((seed * 0xD1342543DE82EF95 + 1) % 2**64)
    z *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z ^= z >> np.uint64(shift)
        z *= np.uint64(factor)
    z ^= z >> np.uint64(31)
    return np.asarray((z >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def _shares(summary: Summary) -> tuple[Array, Ints]:
    """Return the share of the rows of each class to draw, and how many of them are kept.

    For several labels a row there is one more share, of all rows.
    """
    counts = np.append(summary.counts, summary.n_counted) if summary.several else summary.counts
    n_rows = tuning.MOST_SAMPLED
    if len(counts) >= tuning.MANY_CLASSES and summary.n_counted > n_rows:
        # The problem of each class is solved on all rows of the sample.
        n_rows = tuning.SAMPLE_ROWS
    most = min(n_rows, _MOST_NUMBERS // (summary.n_dim + 1)) // len(counts)
    most = max(tuning.LEAST_OF_A_CLASS, min(most, tuning.SAMPLE_ROWS // 2))
    wanted = np.minimum(counts, most)
    # A few more than wanted, of which those with the smallest keys are kept.
    drawn = (wanted + 5.0 * np.sqrt(wanted) + 5.0) / np.maximum(counts, 1)
    return np.where(wanted == counts, 2.0, drawn), wanted


def _largest_share(codes: NDArray[np.signedinteger[Any]], share: Array) -> Array:
    """Return the share that rows of several labels are drawn with."""
    largest = np.full(len(codes), share[-1])
    for k in range(codes.shape[1]):
        np.maximum(largest, share[k], out=largest, where=codes[:, k] != 0)
    return largest


def _draw_from_block(block: ReadyBlock, share: Array, seed: int) -> Any:
    if block.points is None:
        return None
    several = block.codes.ndim == 2
    of_row = _largest_share(block.codes, share) if several else share[block.codes]
    taken = np.flatnonzero(keys_of_rows(block.rows, seed) < of_row)
    if not len(taken):
        return None
    weights = np.ones(len(taken)) if block.weights is None else block.weights[taken]
    return (
        block.points.take(taken),
        block.codes[taken],
        block.rows[taken],
        weights,
        None if block.folds is None else block.folds[taken],
    )
