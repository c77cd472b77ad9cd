"""What one pass tells of all rows: classes, sizes, weights, the largest radius."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.out_of_core import Blocks
from hyplane.out_of_core.labels import join_labels
from hyplane.solvers.ready_blocks import PackedBlock

# Up to this many classes are counted one by one, without a large temporary array.
_FEW_CLASSES = 8


@dataclass(frozen=True)
class Summary:
    """What is known of all rows after one pass; rows of weight 0 do not count.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    counts : ndarray of int of shape (n_classes,)
        Rows of each class.
    weights : ndarray of shape (n_classes,)
        Their total weight.
    largest_weight : float
        Of a row.
    largest_radius : float
    n_dim : int
    n_rows : int
        Those that do not count included.
    n_counted : int
        Those that count.
    several : bool
        Whether rows have several labels, and the classes are those.

    Examples
    --------
    >>> from hyplane.out_of_core import MemoryBlocks
    >>> from hyplane.solvers.ready_blocks import pack_block
    >>> X = np.array([[0.5, 0.1], [-0.5, 0.1], [0.4, 0.0]])
    >>> blocks = MemoryBlocks(X, np.array(["a", "b", "a"]))
    >>> summary = Summary.of(blocks.prepared(pack_block))
    >>> summary.classes.tolist(), summary.counts.tolist()
    (['a', 'b'], [2, 1])
    """

    classes: NDArray[Any]
    counts: NDArray[np.int64]
    weights: Array
    largest_weight: float
    largest_radius: float
    n_dim: int
    n_rows: int
    n_counted: int
    several: bool = False

    @classmethod
    def of(cls, blocks: Blocks) -> "Summary":
        """Read all rows once.

        Parameters
        ----------
        blocks : Blocks
            Blocks of `PackedBlock`.

        Returns
        -------
        summary : Summary
        """
        return cls.joined(blocks.map(_summary_of_block))

    @classmethod
    def joined(cls, parts: Iterable["Summary"]) -> "Summary":
        """Add up the summaries of blocks, in their order.

        Parameters
        ----------
        parts : iterable of Summary

        Returns
        -------
        summary : Summary
        """
        found = list(parts)
        classes = join_labels(part.classes for part in found)
        counts = np.zeros(len(classes), dtype=np.int64)
        weights = np.zeros(len(classes))
        for part in found:
            if len(part.classes):
                places = np.searchsorted(classes, part.classes)
                counts[places] += part.counts
                weights[places] += part.weights
        return cls(
            classes,
            counts,
            weights,
            max((part.largest_weight for part in found), default=0.0),
            max((part.largest_radius for part in found), default=0.0),
            max((part.n_dim for part in found), default=0),
            sum(part.n_rows for part in found),
            sum(part.n_counted for part in found),
            any(part.several for part in found),
        )


def _summary_of_block(block: PackedBlock) -> Summary:
    points, weight, codes = block.points, block.weights, block.codes
    if points is None:
        return Summary(np.empty(0), np.zeros(0, np.int64), np.zeros(0), 0.0, 0.0, 0, len(block), 0)
    several, n_classes = codes.ndim == 2, len(block.classes)
    if several:
        counts = np.count_nonzero(codes, axis=0)
        total = counts if weight is None else weight @ codes
    else:
        counts = (
            np.array([np.count_nonzero(codes == k) for k in range(n_classes)])
            if n_classes <= _FEW_CLASSES
            else np.bincount(codes, minlength=n_classes)
        )
        total = counts if weight is None else np.bincount(codes, weight, n_classes)
    return Summary(
        block.classes,
        counts,
        total.astype(np.float64),
        1.0 if weight is None else float(weight.max()),
        points.largest_radius,
        points.n_dim,
        len(block),
        len(codes),
        several,
    )
