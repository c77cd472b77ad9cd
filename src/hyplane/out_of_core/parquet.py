"""Columns of Parquet files that are read when they are needed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane._utils.validation import EncodedLabels, LabelError, refuse_missing
from hyplane.out_of_core.rows import Block


class ParquetTable:
    """A Parquet file, or a folder of them, of which only names and sizes are read at first.

    ``table[["x1", "x2"]]`` and ``table["label"]`` are columns of it, which `HyperbolicSVC` and
    other classifiers take as X and y. Their ``to_numpy()`` reads them into memory.

    Parameters
    ----------
    path : path
        A file, or a folder with files of the same columns, whose names end in ``.parquet``
        or ``.pq``. If there is none, those of its subfolders are taken. Needs the extra
        ``parquet``.

    Attributes
    ----------
    names : list of str
        Names of the columns.
    n_rows : int
    files : list of str
        In the order in which they are read: by name.
    metadata : dict of bytes to bytes
        Metadata of the first file.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "points.parquet"
    ...     pa.parquet.write_table(pa.table({"x": [0.5], "y": [0.1], "label": ["a"]}), file)
    ...     table = ParquetTable(file)
    ...     table[["x", "y"]].shape, table["label"].to_numpy()
    ((1, 2), array(['a'], dtype='<U1'))
    """

    read_by_blocks = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        parquet = import_optional("pyarrow.parquet", "parquet")
        if not Path(path).exists():
            raise FileNotFoundError(2, "there is no such file or folder", os.fspath(path))
        self.files = parquet_files(path)
        if not self.files:
            raise ValueError(f"{os.fspath(path)} has no files whose names end in .parquet or .pq.")
        # Before the files are read, so that a change while they are read is noticed too.
        self._stamps = {file: _stamp(file) for file in self.files}
        try:
            self._schema = parquet.read_schema(self.files[0])
            self._lengths = {file: parquet.read_metadata(file).num_rows for file in self.files}
        except (OSError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)} cannot be read as Parquet: {error}") from error
        self.n_rows = int(sum(self._lengths.values()))
        self.names: list[str] = self._schema.names
        self.metadata: dict[bytes, bytes] = dict(self._schema.metadata or {})

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, columns: str | list[str]) -> "ParquetColumns":
        names = [columns] if isinstance(columns, str) else list(columns)
        for name in names:
            if name not in self.names:
                raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}")
        return ParquetColumns(self, names, one=isinstance(columns, str))

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
            yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in names}


def parquet_files(path: str | os.PathLike[str]) -> list[str]:
    """Return the file, or the Parquet files of a folder; if it has none, of its subfolders."""
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
    """One or several columns of a `ParquetTable`: what ``table["label"]`` is."""

    read_by_blocks = True

    def __init__(self, table: ParquetTable, names: list[str], *, one: bool) -> None:
        self.table, self.names, self.one = table, names, one
        self.shape = (table.n_rows,) if one else (table.n_rows, len(names))
        self.ndim = len(self.shape)

    def __len__(self) -> int:
        return self.table.n_rows

    def to_numpy(self) -> NDArray[Any]:
        """Read all rows into memory."""
        if not self.one:
            batches = _batches(self.table, self.names, 1 << 18)
            return np.concatenate([_matrix(batch, self.names) for batch, _, _ in batches])
        _check_types(self, "labels")
        parts = []
        for batch, file, first in _batches(self.table, self.names, 1 << 18):
            labels: Any = _labels(batch, self.names[0])
            try:
                refuse_missing(labels)
            except LabelError as error:
                raise ValueError(f"row {first + error.row} of {file} {error.message}") from error
            encoded = isinstance(labels, EncodedLabels)
            parts.append(labels.values[labels.codes] if encoded else labels)
        return np.concatenate(parts)


def scan(X: ParquetColumns, y: Any, weight: Any, size: int) -> Iterator[Block]:
    """Yield the blocks of a table; labels and weights are columns of it, or arrays."""
    table, names = X.table, [*X.names]
    _check_types(X, "a coordinate")
    for column, what in ((y, "an indicator"), (weight, "a weight")):
        if isinstance(column, ParquetColumns):
            _check_types(column, "labels" if column is y and len(y.names) == 1 else what)
            names += [name for name in column.names if name not in names]
    first = 0
    for batch, file, first_of_file in _batches(table, names, size, encode=True):
        rows = slice(first, first + batch.num_rows)
        if not isinstance(y, ParquetColumns):
            labels: Any = None if y is None else np.array(y[rows])
        else:
            labels = _matrix(batch, y.names) if len(y.names) > 1 else _labels(batch, y.names[0])
        if isinstance(weight, ParquetColumns):
            weights: Any = _matrix(batch, weight.names)[:, 0]
        else:
            weights = None if weight is None else np.array(weight[rows])
        file = file if len(table.files) > 1 else ""
        yield Block(first, _matrix(batch, X.names), labels, weights, file, first_of_file)
        first += batch.num_rows


def _batches(
    table: ParquetTable, names: list[str], size: int, *, encode: bool = False
) -> Iterator[tuple[Any, str, int]]:
    """Yield record batches that are not empty, the file of each, and its first row there."""
    pyarrow = import_optional("pyarrow", "parquet")
    parquet = import_optional("pyarrow.parquet", "parquet")
    # Text is read as numbers into a dictionary, which is several times faster.
    words = [name for name in names if encode and _kind(table._schema.field(name).type) == "text"]
    for path in table.files:
        first = 0
        _check_unchanged(table, path)
        try:
            with parquet.ParquetFile(path, read_dictionary=words) as file:
                _check_columns(table, path, file.schema_arrow, names)
                for batch in file.iter_batches(batch_size=size, columns=names):
                    if batch.num_rows:
                        yield batch, path, first
                        first += batch.num_rows
        except (OSError, pyarrow.ArrowException) as error:
            _check_unchanged(table, path)
            raise ValueError(f"{path} cannot be read as Parquet: {error}") from error
        _check_unchanged(table, path, first)


def _stamp(file: str) -> tuple[int, int] | None:
    """Return the size and the modification time of a file; None if it does not exist."""
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
    """Refuse a file of a folder that lacks a column, or has text where others have numbers."""
    for name in names:
        if name not in schema.names:
            raise ValueError(f"{path} has no column {name!r}, which {table.files[0]} has.")
        here, first = schema.field(name).type, table._schema.field(name).type
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


def _check_types(columns: ParquetColumns, what: str) -> None:
    """Refuse labels that cannot be compared, such as lists, and other columns without numbers."""
    allowed, needed = ["number", "bool"], f"{what} is a number."
    if what == "labels":
        allowed += ["text", "binary", "large_binary", "null"]
        needed = "labels are numbers, text or booleans. Convert the column."
    for name in columns.names:
        found = columns.table._schema.field(name).type
        if _kind(found) not in allowed:
            raise ValueError(f"column {name!r} has the type {found}; {needed}")


def _matrix(batch: Any, names: list[str]) -> NDArray[Any]:
    columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in names]
    single = all(column.dtype == np.float32 for column in columns)
    return np.stack(columns, 1, dtype=np.float32 if single else np.float64, casting="unsafe")


def _labels(batch: Any, name: str) -> NDArray[Any] | EncodedLabels:
    column = batch.column(name)
    types = import_optional("pyarrow", "parquet").types
    if not column.null_count and (types.is_integer(column.type) or types.is_boolean(column.type)):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = np.array(column.dictionary.to_pylist())
    return EncodedLabels(values, column.indices.fill_null(-1).to_numpy(zero_copy_only=False))
