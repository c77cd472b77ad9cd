"""Columns of Parquet files that are read when they are needed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane.out_of_core.labels import EncodedLabels
from hyplane.out_of_core.rows_protocol import Block


class ParquetTable:
    """A Parquet file, or a folder of them, of which only names and sizes are read at first.

    Parameters
    ----------
    path : path
        A file, or a folder with files of the same columns, whose names end in ``.parquet``
        or ``.pq``. Where there is none, those of its subfolders are taken. Needs the extra
        ``parquet``.

    Attributes
    ----------
    names : list of str
        Names of the columns.
    n_rows : int
    files : list of str
        In the order in which they are read: by name.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "points.parquet"
    ...     pa.parquet.write_table(pa.table({"x": [0.5], "y": [0.1], "label": ["a"]}), file)
    ...     table = ParquetTable(file)
    ...     table[["x", "y"]].shape, table["label"].shape
    ((1, 2), (1,))
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        dataset = import_optional("pyarrow.dataset", "parquet")
        if not Path(path).exists():
            raise FileNotFoundError(2, "there is no such file or folder", os.fspath(path))
        files = parquet_files(path)
        if not files:
            raise ValueError(f"{os.fspath(path)} has no files whose names end in .parquet or .pq.")
        self.files = sorted(files)
        # Before the files are read, so that a change while they are read is noticed too.
        self._stamps = {file: _stamp(file) for file in self.files}
        try:
            self._dataset = dataset.dataset(self.files, format="parquet")
            lengths = [each.count_rows() for each in self._dataset.get_fragments()]
        except (OSError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)} cannot be read as Parquet: {error}") from error
        self._lengths: dict[str, int] = dict(zip(self.files, lengths, strict=True))
        self.n_rows = int(sum(lengths))
        self.names: list[str] = list(self._dataset.schema.names)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """What the file says of itself beside its columns; of several files, the first."""
        return dict(self._dataset.schema.metadata or {})

    def parts(
        self, names: list[str] | None = None, rows: int = 1 << 18
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """Read columns part by part.

        Parameters
        ----------
        names : list of str, optional
            All columns by default.
        rows : int, default=262144
            Most rows of a part.

        Yields
        ------
        columns : dict of str to ndarray
        """
        names = self.names if names is None else names
        for batch, _, _ in _batches(self, names, rows):
            if batch.num_rows:
                yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in names}

    def type_of(self, name: str) -> Any:
        """Return the type of a column, as pyarrow says it."""
        return self._dataset.schema.field(name).type

    @overload
    def __getitem__(self, columns: str) -> "ParquetColumns": ...
    @overload
    def __getitem__(self, columns: list[str]) -> "ParquetColumns": ...
    def __getitem__(self, columns: str | list[str]) -> "ParquetColumns":
        names = [columns] if isinstance(columns, str) else list(columns)
        for name in names:
            if name not in self.names:
                raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}")
        return ParquetColumns(self, names, one=isinstance(columns, str))


def parquet_files(path: str | os.PathLike[str]) -> list[str]:
    """Return the file, or the Parquet files of a folder; where it has none, of its subfolders.

    Parameters
    ----------
    path : path

    Returns
    -------
    files : list of str

    Examples
    --------
    >>> parquet_files("points.parquet")
    ['points.parquet']
    """
    folder = Path(path)
    if not folder.is_dir():
        return [os.fspath(path)]
    # No deeper: a folder may be the whole disk.
    for level in ("*", "*/*"):
        found = sorted([*folder.glob(f"{level}.parquet"), *folder.glob(f"{level}.pq")])
        if found:
            return [os.fspath(file) for file in found]
    return []


class ParquetColumns:
    """One or several columns of a `ParquetTable`: what ``table["label"]`` is.

    Parameters
    ----------
    table : ParquetTable
    names : list of str
    one : bool
        Whether it is one column of shape (m,), not a matrix.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "points.parquet"
    ...     pa.parquet.write_table(pa.table({"x": [0.5, 0.2], "label": ["b", "a"]}), file)
    ...     ParquetTable(file)["label"].to_numpy()
    array(['b', 'a'], dtype='<U1')
    """

    def __init__(self, table: ParquetTable, names: list[str], *, one: bool) -> None:
        self.table, self.names, self.one = table, names, one

    def __len__(self) -> int:
        return self.table.n_rows

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, and columns where it is a matrix."""
        return (len(self),) if self.one else (len(self), len(self.names))

    @property
    def ndim(self) -> int:
        """1 or 2."""
        return 1 if self.one else 2

    def to_numpy(self) -> NDArray[Any]:
        """Read all rows into memory."""
        if self.one:
            _check_label(self.table, self.names[0])
        parts = [batch for batch, _, _ in _batches(self.table, self.names, 1 << 18)]
        if not self.one:
            return np.concatenate([_matrix(batch, self.names) for batch in parts])
        columns = [_labels(batch, self.names[0]) for batch in parts]
        return np.concatenate(
            [
                each.values[each.codes] if isinstance(each, EncodedLabels) else each
                for each in columns
            ]
        )


def scan(X: ParquetColumns, y: Any, weight: Any, size: int) -> Iterator[Block]:
    """Yield the blocks of a table; labels and weights are columns of it, or arrays.

    Parameters
    ----------
    X : ParquetColumns
    y, weight : ParquetColumns, ndarray or None
    size : int
        Most rows of a block.

    Yields
    ------
    block : Block
    """
    table = X.table
    _check_numbers(X, "a coordinate")
    names = [*X.names]
    for column, what in ((y, "an indicator"), (weight, "a weight")):
        if not isinstance(column, ParquetColumns):
            continue
        if column is y and len(y.names) == 1:
            _check_label(table, y.names[0])
        else:
            _check_numbers(column, what)
        names += [name for name in column.names if name not in names]
    several = len(table.files) > 1
    first = 0
    for batch, file, first_of_file in _batches(table, names, size, encode=True):
        rows = slice(first, first + batch.num_rows)
        if not isinstance(y, ParquetColumns):
            labels: Any = copied(y, rows)
        else:
            labels = _matrix(batch, y.names) if len(y.names) > 1 else _labels(batch, y.names[0])
        weights = (
            _matrix(batch, weight.names)[:, 0]
            if isinstance(weight, ParquetColumns)
            else copied(weight, rows)
        )
        yield Block(
            first, _matrix(batch, X.names), labels, weights, file if several else "", first_of_file
        )
        first += batch.num_rows


def copied(column: Any, rows: slice) -> NDArray[Any] | None:
    """Return a copy of some rows: a memory map is read now, by the thread that reads ahead."""
    return None if column is None else np.array(column[rows])


def _batches(
    table: ParquetTable, names: list[str], size: int, *, encode: bool = False
) -> Iterator[tuple[Any, str, int]]:
    """Yield record batches, the file of each, and its first row there."""
    pyarrow = import_optional("pyarrow", "parquet")
    parquet = import_optional("pyarrow.parquet", "parquet")
    # Text is read as numbers into a dictionary, which is several times faster.
    words = [name for name in names if encode and _kind(table.type_of(name)) == "text"]
    for path in table.files:
        first = 0
        _check_unchanged(table, path)
        try:
            with parquet.ParquetFile(path, read_dictionary=words) as file:
                _check_columns(table, path, file.schema_arrow, names)
                for batch in file.iter_batches(batch_size=size, columns=names):
                    yield batch, path, first
                    first += batch.num_rows
        except (OSError, pyarrow.ArrowException) as error:
            _check_unchanged(table, path)
            raise ValueError(f"{path} cannot be read as Parquet: {error}") from error
        _check_unchanged(table, path, first)


def _stamp(file: str) -> tuple[int, int] | None:
    """Return the size and the modification time of a file; None if there is none."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns


def _check_unchanged(table: ParquetTable, file: str, n_rows: int | None = None) -> None:
    """Raise an error if a file is not the one that was there when the table was made."""
    if _stamp(file) != table._stamps[file] or n_rows not in (None, table._lengths[file]):
        raise ValueError(
            f"{file} was changed after it was first read. Do not write to files that are in use. "
            "Start again with a new ParquetTable."
        )


def _check_columns(table: ParquetTable, path: str, schema: Any, names: list[str]) -> None:
    """Refuse a file of a folder that lacks a column, or has words where others have numbers."""
    for name in names:
        if name not in schema.names:
            raise ValueError(f"{path} has no column {name!r}, which {table.files[0]} has.")
        here, first = schema.field(name).type, table.type_of(name)
        if _kind(here) != _kind(first):
            raise ValueError(
                f"{path} has the column {name!r} of type {here}, and {table.files[0]} of type "
                f"{first}. Write them with one type."
            )


def _kind(column: Any) -> str:
    """Return what a type of pyarrow stands for: numbers, text, or its own name."""
    types = import_optional("pyarrow", "parquet").types
    if types.is_dictionary(column):
        column = column.value_type
    if types.is_floating(column) or types.is_integer(column) or types.is_decimal(column):
        return "number"
    if types.is_string(column) or types.is_large_string(column) or types.is_string_view(column):
        return "text"
    return str(column)


def _check_numbers(columns: ParquetColumns, what: str) -> None:
    """Refuse columns that are not numbers or booleans."""
    for name in columns.names:
        kind = columns.table.type_of(name)
        if _kind(kind) not in ("number", "bool"):
            raise ValueError(f"column {name!r} has the type {kind}; {what} is a number.")


def _check_label(table: ParquetTable, name: str) -> None:
    """Refuse labels that cannot be compared with each other, such as lists."""
    kind = table.type_of(name)
    if _kind(kind) not in ("number", "text", "bool", "binary", "large_binary", "null"):
        raise ValueError(
            f"column {name!r} has the type {kind}; labels are numbers, text or booleans. Convert "
            "the column."
        )


def _matrix(batch: Any, names: list[str]) -> NDArray[Any]:
    columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in names]
    single = all(column.dtype == np.float32 for column in columns)
    matrix = np.empty((batch.num_rows, len(names)), np.float32 if single else np.float64)
    for k, column in enumerate(columns):
        matrix[:, k] = column
    return matrix


def _labels(batch: Any, name: str) -> NDArray[Any] | EncodedLabels:
    column = batch.column(name)
    types = import_optional("pyarrow", "parquet").types
    if types.is_integer(column.type) and not column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if types.is_boolean(column.type) and not column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=bool)
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = np.array(column.dictionary.to_pylist())
    return EncodedLabels(values, column.indices.fill_null(-1).to_numpy(zero_copy_only=False))
