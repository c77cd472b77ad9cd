"""Tables larger than memory: Parquet files, and folders of them, that are read part by part."""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.progress import Progress
from hyplane._utils.validation import LEAST_BYTES
from hyplane.cli._formats import STREAM, table_format
from hyplane.cli._readers import told_spaces
from hyplane.cli._tables import Column, Table

if TYPE_CHECKING:
    from hyplane.out_of_core import Block, ParquetTable

# Rows that show which columns are the points.
_HEAD = 1000


def stream_of(path: str, format: str | None) -> "ParquetTable | None":
    """Return a table that is to be read part by part, or None for one that is read whole.

    Parameters
    ----------
    path : str
        A Parquet file, or a folder of them.
    format : str, optional
        As in `read_table`.

    Returns
    -------
    table : ParquetTable or None
    """
    from hyplane.out_of_core import ParquetTable
    from hyplane.out_of_core.parquet import parquet_files

    if path == STREAM:
        return None
    if os.path.isdir(path):
        if not parquet_files(path):
            raise IsADirectoryError(21, "this is a folder without Parquet files", path)
        return ParquetTable(path)
    if table_format(path, format) != "parquet" or not os.path.isfile(path):
        return None
    return ParquetTable(path) if os.path.getsize(path) >= LEAST_BYTES else None


def head_of(stream: "ParquetTable", path: str) -> Table:
    """Return the first rows of a table: enough to find the columns.

    Parameters
    ----------
    stream : ParquetTable
    path : str

    Returns
    -------
    table : Table
    """
    if not stream.n_rows:
        raise ValueError(f"{path} has no rows")
    return Table(
        dict(next(stream.parts(rows=_HEAD))), path, spaces=told_spaces(stream.metadata, path)
    )


def share_right(estimator: Any, stream: "ParquetTable", names: list[str], label: str) -> float:
    """Return the share of rows that a classifier gets right.

    Parameters
    ----------
    estimator : classifier
    stream : ParquetTable
    names : list of str
        Columns of the points.
    label : str
        The column of the classes.

    Returns
    -------
    share : float
    """
    from hyplane.classifiers import for_blocks
    from hyplane.out_of_core import DiskBlocks
    from hyplane.out_of_core.rows import WatchedBlocks

    blocks = DiskBlocks(stream[names], stream[label])
    with WatchedBlocks(blocks, "predicting the same points") as watched:
        return sum(watched.map(_n_right, for_blocks(estimator, blocks))) / stream.n_rows


def _n_right(block: "Block", estimator: Any) -> int:
    from hyplane._utils.validation import codes_of

    assert block.y is not None
    predicted = estimator.predict(block.X)
    return int((predicted == estimator.classes_[codes_of(block.y, estimator.classes_)]).sum())


def transformed(
    stream: "ParquetTable",
    head: Table,
    function: Callable[[Table], "dict[str, Column]"],
    names: list[str] | None = None,
) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the columns that a function makes of each part of a table, with a progress bar.

    Parameters
    ----------
    stream : ParquetTable
    head : Table
        Its first rows.
    function : callable
        Makes columns of a table of some rows.
    names : list of str, optional
        Columns that it needs; all by default.

    Yields
    ------
    columns : dict of str to ndarray
    """
    from hyplane.out_of_core.rows import Workers

    def tables() -> Iterator[Table]:
        first = 0
        for columns in stream.parts(names):
            yield Table(dict(columns), head.origin, spaces=head.spaces, first=first)
            first += len(next(iter(columns.values())))

    n_done = 0
    with Progress(stream.n_rows, f"predicting {stream.n_rows} points", lines=True) as bar:
        for columns in Workers(1).in_order(tables(), function, ()):
            yield {name: np.asarray(column) for name, column in columns.items()}
            n_rows = len(next(iter(columns.values())))
            n_done += n_rows
            bar.advance(n_rows, f"predicting, {n_done} of {stream.n_rows} rows")
