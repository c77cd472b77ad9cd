"""Blocks of rows made ready for the soft margin: checked, converted, labels as numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, Mask
from hyplane.geometry import PointError
from hyplane.native import core
from hyplane.out_of_core import Block
from hyplane.out_of_core.labels import EncodedLabels, LabelError, codes_of, encoded, indicators_of
from hyplane.solvers.points import PackedRows


@dataclass(frozen=True)
class ReadyBlock:
    """Rows of a block that count, as the compiled passes read them.

    Attributes
    ----------
    points : PackedPoints or None
        None where no row counts.
    codes : ndarray of int32 of shape (m,), or of int8 of shape (m, n_labels)
        The class of each row; for several labels a row, the indicator matrix.
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
    codes: NDArray[np.signedinteger[Any]]
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
    codes : ndarray of int of shape (m,) or (m, n_labels)
        Which of them each row has; for several labels a row, the indicator matrix.
    weights : ndarray of shape (m,) or None
    rows : ndarray of int64 of shape (m,)
        The numbers of these rows among all.
    n_rows : int
        Rows of the block, those that do not count included.
    """

    points: core.PackedPoints | None
    classes: NDArray[Any]
    codes: NDArray[np.signedinteger[Any]]
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
    rows = np.arange(block.first, block.first + len(block))
    rows = rows if kept is None else rows[kept]
    if points is None:
        return PackedBlock(None, np.empty(0), np.empty(0, np.int32), None, rows, len(block))
    codes: NDArray[np.signedinteger[Any]]
    with naming_rows(block, kept):
        if getattr(y, "ndim", 1) == 2:
            classes, codes = np.arange(y.shape[1]), indicators_of(y)
        else:
            classes, codes = encoded(y)
    return PackedBlock(points, classes, codes, weight, rows, len(block))


def signs(
    codes: NDArray[Any], folds: NDArray[np.int32] | None, problem: tuple[int, int, int]
) -> NDArray[np.int8]:
    """Return the side of each row in a problem: 1, -1, or 0 for a row that does not count.

    Parameters
    ----------
    codes, folds
        As in `ReadyBlock`.
    problem : tuple of int
        The positive class or label, the negative class (-1 for all others), the fold left out
        (-1 for none).

    Returns
    -------
    signs : ndarray of int8 of shape (m,)

    Examples
    --------
    >>> signs(np.array([0, 1, 2]), None, (1, 0, -1))
    array([-1,  1,  0], dtype=int8)
    """
    positive, negative, left_out = problem
    own = codes[:, positive] != 0 if codes.ndim == 2 else codes == positive
    sides = np.where(own, np.int8(1), np.int8(-1))
    if negative >= 0:
        sides[~own & (codes != negative)] = 0
    if left_out >= 0 and folds is not None:
        sides[folds == left_out] = 0
    return sides


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
        What the weights of the rows of each class are multiplied by. Not for several labels a row.

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
    codes = block.codes
    if codes.ndim == 1 and not np.array_equal(classes, block.classes):
        try:
            codes = codes_of(block.classes, classes).astype(np.int32)[codes]
        except LabelError as error:
            row = block.rows[np.argmax(codes == error.row)]
            raise ValueError(
                f"row {row} {error.message} It had another label in the first pass. Do not change "
                "labels during a fit."
            ) from error
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
    if not isinstance(y, EncodedLabels) and y.ndim not in (1, 2):
        raise ValueError(f"y has {y.ndim} axes; labels are a column or an indicator matrix.")
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
