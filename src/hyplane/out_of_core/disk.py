"""Rows on disk, read in every pass; and which rows of users are read block by block."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import ArrayLike
from hyplane._utils.validation import check_has_values, is_dask, is_lazy
from hyplane.out_of_core.parquet import ParquetColumns, ParquetTable, scan
from hyplane.out_of_core.rows import Blocks, LocalBlocks, Result

Column = NDArray[Any] | ParquetColumns


class DiskBlocks(LocalBlocks):
    """Blocks of a memory map or of a Parquet table, a constant number of them in memory at a time.

    Parameters
    ----------
    X : memmap or columns of a ParquetTable, of shape (m, n_columns)
    y : array, memmap or column of shape (m,), default=None
        Columns of a table are of the same table as X.
    weight : array, memmap or column of shape (m,), default=None
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

    _steps: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = ()

    def __init__(
        self,
        X: Column,
        y: Column | None = None,
        weight: Column | None = None,
        *,
        n_threads: int = 1,
        rows_per_block: int | None = None,
    ) -> None:
        super().__init__(X, y, weight, n_threads=n_threads, rows_per_block=rows_per_block)
        table = X.table if isinstance(X, ParquetColumns) else None
        self.column_names = X.names if isinstance(X, ParquetColumns) else None
        for name, column in self._columns.items():
            if isinstance(column, ParquetColumns) and column.table is not table:
                raise ValueError(
                    f"{name} is a column of a Parquet table and X is not of the same one. Take "
                    "both from one ParquetTable, or read the column: column.to_numpy()."
                )

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield the function of each block; see `Blocks.map`."""
        return super().map(_after, self._steps, function, args)

    def prepared(self, function: Callable[..., Any], *args: Any) -> "DiskBlocks":
        """Return blocks of the function of each, made anew in each pass; see `Blocks.prepared`."""
        ready = copy(self)
        ready._steps = (*self._steps, (function, args))
        return ready

    def _read(self) -> Iterator[Any]:
        X, y, weight = self._columns.values()
        if not isinstance(X, ParquetColumns):
            return super()._read()
        check_has_values(y, "y")
        check_has_values(weight, "sample_weight")
        return scan(X, y, weight, self.rows_per_block)


def _after(block: Any, steps: Any, function: Callable[..., Result], args: Any) -> Result:
    for step, step_args in steps:
        block = step(block, *step_args)
    return function(block, *args)


def as_blocks(
    X: ArrayLike,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    n_threads: int = 1,
) -> Blocks | None:
    """Return rows as blocks, or None for an ordinary array; a Dask cluster has its own threads.

    Examples
    --------
    >>> as_blocks([[0.1, 0.2]]) is None
    True
    """
    if not is_lazy(X):
        return None
    if isinstance(X, Blocks):
        if y is not None or sample_weight is not None:
            raise ValueError("Blocks hold their own labels and weights; y must be None.")
        return X
    if is_dask(X):
        from hyplane.out_of_core.dask import DaskBlocks

        return DaskBlocks(X, y, sample_weight)
    rows = X[X.names] if isinstance(X, ParquetTable) else X
    return DiskBlocks(rows, _column(y), _column(sample_weight), n_threads=n_threads)


def _column(y: ArrayLike | None) -> Any:
    return y if y is None or isinstance(y, ParquetColumns) else np.asanyarray(y)
