"""Results of blocks written to a file as they come, which appears whole or not at all."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.files import replacing
from hyplane._utils.optional import import_optional

Columns = Mapping[str, NDArray[Any]]


def write_columns(path: str | os.PathLike[str], parts: Iterable[Columns], n_rows: int) -> None:
    """Write columns, part by part, to a Parquet or an NPY file.

    Parameters
    ----------
    path : path
        A name that ends in ``.parquet``, ``.pq`` or ``.npy``.
    parts : iterable of dict of str to ndarray
        Columns of some rows. Those of an NPY file have one type, or there is only one.
    n_rows : int
        Rows of all parts.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "labels.npy"
    ...     write_columns(file, [{"label": np.array([1, 2])}, {"label": np.array([3])}], 3)
    ...     np.load(file)
    array([1, 2, 3])
    """
    kind = Path(path).suffix.lower()
    if kind not in (".parquet", ".pq", ".npy"):
        raise ValueError(f"{os.fspath(path)}: the name must end in .parquet, .pq or .npy.")
    with replacing(path) as file:
        if kind == ".npy":
            _write_npy(file, parts, n_rows, os.fspath(path))
        else:
            _write_parquet(file, parts)


def _write_npy(file: IO[bytes], parts: Iterable[Columns], n_rows: int, path: str) -> None:
    begun, n_written = None, 0
    for part in parts:
        columns = [_plain(column) for column in part.values()]
        if len({column.dtype for column in columns}) > 1:
            raise ValueError(
                f"{path}: an NPY file holds columns of one type; write .parquet instead."
            )
        array = columns[0] if len(columns) == 1 else np.column_stack(columns)
        if begun is None:
            begun = array.dtype
            header = {
                "descr": np.lib.format.dtype_to_descr(begun),
                "fortran_order": False,
                "shape": (n_rows, *array.shape[1:]),
            }
            np.lib.format.write_array_header_1_0(file, header)
        file.write(np.ascontiguousarray(array, dtype=begun).data)
        n_written += len(array)
    if n_written != n_rows:
        raise ValueError(f"{path}: {n_rows} rows were announced and {n_written} came.")


def _write_parquet(file: IO[bytes], parts: Iterable[Columns]) -> None:
    parquet = import_optional("pyarrow.parquet", "parquet")
    pyarrow = import_optional("pyarrow", "parquet")
    writer = None
    try:
        for part in parts:
            table = pyarrow.table({name: _plain(column) for name, column in part.items()})
            if writer is None:
                writer = parquet.ParquetWriter(file, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(column, np.ndarray) or not column.ndim:
        raise ValueError(f"a column is of type {type(column).__name__}; it has to be an array.")
    return column.astype(str) if column.dtype.kind == "O" else column
