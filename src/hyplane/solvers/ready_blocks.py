"""Blocks of rows made ready for the soft margin: checked, converted, labels as numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, Mask
from hyplane.blocks import (
    Block,
    Blocks,
    EncodedLabels,
    LabelError,
    codes_of,
    distinct_labels,
    join_labels,
)
from hyplane.geometry import PointError
from hyplane.native import core
from hyplane.solvers.points import PackedRows


@dataclass(frozen=True)
class ReadyBlock:
    """Rows of a block that count, as the compiled passes read them.

    Attributes
    ----------
    points : PackedPoints or None
        None where no row counts.
    codes : ndarray of int32 of shape (m,)
        The class of each row.
    weights : ndarray of shape (m,) or None
        None where all are 1.
    rows : ndarray of int64 of shape (m,)
        The numbers of these rows among all.
    folds : ndarray of int32 of shape (m,) or None
        For cross validation, the fold that leaves each row out.

    Examples
    --------
    >>> block = Block(20, np.array([[0.5, 0.1], [-0.5, 0.1]]), np.array(["b", "a"]))
    >>> ready_block(pack_block(block), np.array(["a", "b"])).rows
    array([20, 21])
    """

    points: core.PackedPoints | None
    codes: NDArray[np.int32]
    weights: Array | None
    rows: NDArray[np.int64]
    folds: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class PackedBlock:
    """Rows of a block that count, converted, with labels as they are: what `pack_block` returns.

    Attributes
    ----------
    points : PackedPoints or None
        None where no row counts.
    classes : ndarray of shape (n_classes_here,)
        The labels that occur.
    codes : ndarray of int of shape (m,)
        Which of them each row has.
    weights : ndarray of shape (m,) or None
    rows : ndarray of int64 of shape (m,)
        The numbers of these rows among all.
    n_rows : int
        Rows of the block, those that do not count included.
    """

    points: core.PackedPoints | None
    classes: NDArray[Any]
    codes: NDArray[np.integer[Any]]
    weights: Array | None
    rows: NDArray[np.int64]
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows


def pack_block(block: Block, coordinates: str = "ball", curvature: float = -1.0) -> PackedBlock:
    """Check and convert the rows of a block; to be given to `Blocks.prepared`.

    Parameters
    ----------
    block : Block
    coordinates : str, default="ball"
    curvature : float, default=-1.0

    Returns
    -------
    packed : PackedBlock

    Examples
    --------
    >>> block = Block(0, np.array([[0.5, 0.1], [-0.5, 0.1]]), np.array(["b", "a"]))
    >>> packed = pack_block(block)
    >>> packed.classes.tolist(), packed.codes.tolist()
    (['a', 'b'], [1, 0])
    """
    kept = _kept(block)
    points, y, weight = _rows(block, kept, coordinates, curvature)
    rows = block.first + (np.arange(len(block)) if kept is None else np.flatnonzero(kept))
    if points is None:
        return PackedBlock(None, np.empty(0), np.empty(0, np.int32), None, rows, len(block))
    with naming_rows(block, kept):
        classes = distinct_labels(y)
        codes = codes_of(y, classes)
    return PackedBlock(points, classes, codes.astype(np.int32), weight, rows, len(block))


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

    Examples
    --------
    >>> from hyplane.blocks import MemoryBlocks
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
        )


def _summary_of_block(block: PackedBlock) -> Summary:
    points, weight = block.points, block.weights
    if points is None:
        return Summary(np.empty(0), np.zeros(0, np.int64), np.zeros(0), 0.0, 0.0, 0, len(block))
    n_classes = len(block.classes)
    return Summary(
        block.classes,
        np.bincount(block.codes, minlength=n_classes),
        np.bincount(block.codes, weights=weight, minlength=n_classes).astype(np.float64),
        1.0 if weight is None else float(weight.max()),
        points.largest_radius,
        points.n_dim,
        len(block),
    )


def ready_block(
    block: PackedBlock, classes: NDArray[Any], class_weight: Array | None = None
) -> ReadyBlock:
    """Make a block ready for the solver; to be given to `Blocks.prepared`.

    Parameters
    ----------
    block : PackedBlock
    classes : ndarray of shape (n_classes,)
        As in `Summary`.
    class_weight : ndarray of shape (n_classes,), default=None
        What the weights of the rows of each class are multiplied by.

    Returns
    -------
    ready : ReadyBlock

    Examples
    --------
    >>> block = Block(0, np.array([[0.5, 0.1], [-0.5, 0.1]]), np.array(["b", "b"]))
    >>> ready_block(pack_block(block), np.array(["a", "b"])).codes
    array([1, 1], dtype=int32)
    """
    if block.points is None:
        return ReadyBlock(None, np.empty(0, np.int32), None, block.rows)
    codes = np.searchsorted(classes, block.classes).astype(np.int32)[block.codes]
    weight = block.weights
    if class_weight is not None:
        weight = class_weight[codes] if weight is None else class_weight[codes] * weight
    return ReadyBlock(block.points, codes, weight, block.rows)


def _kept(block: Block) -> Mask | None:
    """Return which rows count; None for all."""
    if block.weight is None:
        return None
    weight = np.asarray(block.weight, dtype=np.float64)
    bad = ~(np.isfinite(weight) & (weight >= 0.0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{block.name_of_row(row)} has sample_weight {weight[row]}; weights are finite and not "
            "negative."
        )
    counts = weight > 0.0
    return None if counts.all() else counts


def _rows(
    block: Block, kept: Mask | None, coordinates: str, curvature: float
) -> tuple[core.PackedPoints | None, Any, Array | None]:
    """Return points, labels and weights of the rows that count."""
    X, y = block.X, block.y
    weight = None if block.weight is None else np.asarray(block.weight, dtype=np.float64)
    if y is None:
        raise ValueError("these blocks have no labels.")
    if not isinstance(y, EncodedLabels) and y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if not isinstance(y, EncodedLabels) and y.ndim != 1:
        raise ValueError(
            "several labels a row, an indicator matrix, are not offered for rows that are read "
            "block by block. Fit one label at a time."
        )
    if len(y) != len(X):
        raise ValueError(f"a block has {len(X)} rows of X and {len(y)} labels.")
    if kept is not None and weight is not None:
        X, y, weight = X[kept], y[kept], weight[kept]
    if not len(X):
        return None, y, weight
    with naming_rows(block, kept):
        return PackedRows.from_chart(X, coordinates, curvature=curvature).packed, y, weight


class naming_rows:
    """Name the row of an error about points or labels as all rows are counted, and its file.

    Parameters
    ----------
    block : Block
    kept : ndarray of bool, optional
        Those of its rows that the error counts; all by default.

    Examples
    --------
    >>> with naming_rows(Block(100, np.array([[0.1, 2.0]]))):
    ...     PackedRows.from_chart([[0.1, 2.0]])
    Traceback (most recent call last):
    hyplane.geometry.errors.PointError: row 100 of X is not inside ...
    """

    def __init__(self, block: Block, kept: Mask | None = None) -> None:
        self.block, self.kept = block, kept

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, PointError | LabelError):
            return
        row = error.row if self.kept is None else int(np.flatnonzero(self.kept)[error.row])
        if isinstance(error, LabelError):
            raise ValueError(f"{self.block.name_of_row(row)} {error.message}") from error
        block, there = self.block, ""
        if block.file:
            there = f" (row {block.first_of_file + row} of {block.file})"
        raise PointError(
            error.problem,
            block.first + row,
            error.value,
            error.remedy,
            f"X{there}",
            error.column,
            error.chart,
            error.can_clip,
        ) from error
