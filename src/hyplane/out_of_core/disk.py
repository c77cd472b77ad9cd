"""Blocks of rows that are read from disk on every pass."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.validation import check_has_values
from hyplane.out_of_core.memory import Workers, checked_shape, usual_rows
from hyplane.out_of_core.parquet import ParquetColumns, copied, scan
from hyplane.out_of_core.rows_protocol import Block, Blocks, Step

R = TypeVar("R")
DiskColumn = NDArray[Any] | ParquetColumns | None


class DiskBlocks(Blocks):
    """Blocks of a memory map or of a Parquet table, a constant number of them in memory at a time.

    Parameters
    ----------
    X : memmap or ParquetColumns of shape (m, n_columns)
    y : array, memmap or ParquetColumns of shape (m,), default=None
        Columns of a table are of the same table as X.
    weight : array, memmap or ParquetColumns of shape (m,), default=None
    n_threads : int, default=1
        Threads that share the blocks; one more reads ahead.
    rows_per_block : int, optional

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder) / "X.npy", np.ones((5, 2)))
    ...     X = np.load(Path(folder) / "X.npy", mmap_mode="r")
    ...     list(DiskBlocks(X, rows_per_block=2).map(len))
    [2, 2, 1]
    """

    def __init__(
        self,
        X: NDArray[Any] | ParquetColumns,
        y: DiskColumn = None,
        weight: DiskColumn = None,
        *,
        n_threads: int = 1,
        rows_per_block: int | None = None,
    ) -> None:
        self.n_rows, self.n_columns = checked_shape(X, y, weight, rows_per_block)
        self.workers = Workers(n_threads)
        self.rows_per_block = rows_per_block or usual_rows(self.n_columns)
        self.column_names = X.names if isinstance(X, ParquetColumns) else None
        self._X, self._y, self._weight = X, y, weight
        self._steps: list[Step] = []
        for name, column in (("y", y), ("sample_weight", weight)):
            if isinstance(column, ParquetColumns) and not (
                isinstance(X, ParquetColumns) and X.table is column.table
            ):
                raise ValueError(
                    f"{name} is a column of a Parquet table and X is not of the same one. Take "
                    "both from one ParquetTable, or read the column: column.to_numpy()."
                )

    def map(self, function: Callable[..., R], *args: Any) -> Iterator[R]:
        """Yield the function of each block; see `Blocks.map`."""
        if self._steps:
            return self.workers.in_order(self._read(), _after, (self._steps, function, args))
        return self.workers.in_order(self._read(), function, args)

    def prepared(self, function: Callable[..., Any], *args: Any) -> "DiskBlocks":
        """Return blocks of the function of each, made anew on each pass; see `Blocks.prepared`."""
        ready = object.__new__(DiskBlocks)
        ready.__dict__.update(self.__dict__, _steps=[*self._steps, (function, args)])
        return ready

    def _read(self) -> Iterator[Block]:
        for name, column in (("X", self._X), ("y", self._y), ("sample_weight", self._weight)):
            check_has_values(column, name)
        if isinstance(self._X, ParquetColumns):
            return scan(self._X, self._y, self._weight, self.rows_per_block)
        return _slices(self._X, self._y, self._weight, self.rows_per_block)


def _after(block: Any, steps: list[Step], function: Callable[..., R], args: tuple[Any, ...]) -> R:
    for step, step_args in steps:
        block = step(block, *step_args)
    return function(block, *args)


def _slices(X: NDArray[Any], y: Any, weight: Any, size: int) -> Iterator[Block]:
    for first in range(0, len(X), size):
        rows = slice(first, first + size)
        yield Block(first, np.array(X[rows]), copied(y, rows), copied(weight, rows))
