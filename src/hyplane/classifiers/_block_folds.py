"""Folds of rows that are read block by block."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Ints
from hyplane.out_of_core import Blocks
from hyplane.solvers import ReadyBlock


def with_folds(blocks: Blocks, n_classes: int, n_folds: int, seed: int) -> Blocks:
    """Return the same blocks with a fold for each row, every fold with its share of each class.

    Parameters
    ----------
    blocks : Blocks
        Blocks of `ReadyBlock`.
    n_classes : int
    n_folds : int
        Two or more.
    seed : int

    Returns
    -------
    blocks : Blocks

    Notes
    -----
    The rows of a class are counted through all blocks. Every fold gets one of each ``n_folds``
    consecutive rows; which gets the first is drawn anew each time. So the folds do not
    depend on how the rows are divided into blocks.

    Examples
    --------
    >>> from hyplane.out_of_core import MemoryBlocks
    >>> from hyplane.solvers import pack_block, ready_block
    >>> X, y = np.full((6, 2), 0.1), np.array([0, 0, 0, 1, 1, 1])
    >>> packed = MemoryBlocks(X, y, rows_per_block=4).prepared(pack_block)
    >>> ready = packed.prepared(ready_block, np.array([0, 1]))
    >>> divided = with_folds(ready, n_classes=2, n_folds=3, seed=0)
    >>> list(divided.map(lambda block: block.folds.tolist()))
    [[0, 1, 2, 1], [2, 0]]
    """
    if n_folds < 2:
        raise ValueError(f"cv must be at least 2 folds; got {n_folds}.")
    firsts: list[int] = []
    before: list[Ints] = [np.zeros(n_classes, dtype=np.int64)]
    for first, counts in blocks.map(_counts, n_classes):
        if first >= 0:
            firsts.append(first)
            before.append(before[-1] + counts)
    return blocks.prepared(_assign, np.array(firsts), np.array(before[:-1]), n_folds, seed)


def folds_of_ranks(
    ranks: NDArray[np.int64], codes: NDArray[np.integer], n_folds: int, seed: int
) -> NDArray[np.int32]:
    """Return the folds of rows by their classes and their numbers within the classes.

    Examples
    --------
    >>> folds_of_ranks(np.arange(6), np.zeros(6, dtype=int), 3, seed=1)
    array([1, 2, 0, 2, 0, 1], dtype=int32)
    """
    with np.errstate(over="ignore"):
        # SplitMix64 of the number of the group, the class and the seed.
        z = (ranks // n_folds).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z += codes.astype(np.uint64) * np.uint64(0xD1342543DE82EF95) + np.uint64(seed + 1)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    rotation = (z >> np.uint64(33)).astype(np.int64) % n_folds
    return ((ranks + rotation) % n_folds).astype(np.int32)


def _counts(block: ReadyBlock, n_classes: int) -> tuple[int, Ints]:
    first = int(block.rows[0]) if len(block) else -1
    return first, np.bincount(block.codes, minlength=n_classes)


def _assign(
    block: ReadyBlock,
    firsts: NDArray[np.int64],
    before: NDArray[np.int64],
    n_folds: int,
    seed: int,
) -> ReadyBlock:
    if not len(block):
        return replace(block, folds=np.empty(0, dtype=np.int32))
    codes = block.codes
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(before.shape[1]))
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = np.arange(len(codes)) - starts[codes[order]]
    ranks += before[np.searchsorted(firsts, block.rows[0])][codes]
    return replace(block, folds=folds_of_ranks(ranks, codes, n_folds, seed))
