"""Results of blocks written to a file as they come, which appears whole or not at all."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from hyplane._utils.files import replacing
from hyplane._utils.optional import import_optional

Columns = Mapping[str, NDArray[Any]]


def write_columns(path: str | os.PathLike[str], parts: Iterable[Columns], n_rows: int) -> None:
    """Write columns, part by part, to a Parquet or an NPY file.

    Several columns of an NPY file have one type. ``n_rows`` is the number of rows of all parts.

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
    # Objects are text.
    plain = (
        {name: each.astype(str) if each.dtype == object else each for name, each in part.items()}
        for part in parts
    )
    with replacing(path) as file:
        if kind == ".npy":
            _write_npy(file, plain, n_rows, os.fspath(path))
        else:
            _write_parquet(file, plain)


def _write_npy(file: IO[bytes], parts: Iterable[Columns], n_rows: int, path: str) -> None:
    dtype, n_written = None, 0
    for part in parts:
        columns = list(part.values())
        if len({column.dtype for column in columns}) > 1:
            raise ValueError(
                f"{path}: an NPY file holds columns of one type; write .parquet instead."
            )
        array = columns[0] if len(columns) == 1 else np.column_stack(columns)
        if dtype is None:
            dtype, shape = array.dtype, (n_rows, *array.shape[1:])
            header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
            npy.write_array_header_1_0(file, header)
        file.write(np.ascontiguousarray(array, dtype=dtype).data)
        n_written += len(array)
    if n_written != n_rows:
        raise ValueError(f"{path}: {n_rows} rows were announced and {n_written} came.")


def _write_parquet(file: IO[bytes], parts: Iterable[Columns]) -> None:
    parquet = import_optional("pyarrow.parquet", "parquet")
    pyarrow = import_optional("pyarrow", "parquet")
    tables = (pyarrow.table(dict(part)) for part in parts)
    first = next(tables)
    with parquet.ParquetWriter(file, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)
