"""Tables to files: CSV, TSV, Parquet, NPY, NPZ and MAT. Numbers are written exactly."""

import csv
import io
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hyplane.cli._readers import import_pyarrow
from hyplane.cli._tables import Column, Table, is_plain

Writer = Callable[[Table, IO[bytes]], None]


def write_csv(table: Table, file: IO[bytes]) -> None:
    """Write text with commas."""
    _write_text(table, file, ",")


def write_tsv(table: Table, file: IO[bytes]) -> None:
    """Write text with tabs."""
    _write_text(table, file, "\t")


def _write_text(table: Table, file: IO[bytes], delimiter: str) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    cells = [column if isinstance(column, tuple) else column.tolist() for column in _all(table)]
    writer.writerows(zip(*cells, strict=True))
    text.detach()


def write_parquet(table: Table, file: IO[bytes]) -> None:
    """Write a Parquet file."""
    pyarrow = import_pyarrow()
    arrays = {name: _typed(column) for name, column in table.columns.items()}
    pyarrow.parquet.write_table(pyarrow.table(arrays), file)


def write_npy(table: Table, file: IO[bytes]) -> None:
    """Write a matrix where all columns are numbers, otherwise an array of records."""
    columns = {name: _typed(column) for name, column in table.columns.items()}
    if all(column.dtype.kind in "biuf" for column in columns.values()):
        np.save(file, np.column_stack(list(columns.values())))
        return
    kinds = [(name, column.dtype) for name, column in columns.items()]
    records = np.empty(table.n_rows, dtype=kinds)
    for name, column in columns.items():
        records[name] = column
    np.save(file, records)


def write_npz(table: Table, file: IO[bytes]) -> None:
    """Write the arrays of the groups, and the other columns one by one."""
    arrays: dict[str, Any] = _arrays(table)
    np.savez(file, **arrays)


def write_mat(table: Table, file: IO[bytes]) -> None:
    """Write the same arrays as NPZ for MATLAB."""
    from scipy.io import savemat

    arrays = {
        name: array.astype(object) if array.dtype.kind == "U" else array
        for name, array in _arrays(table).items()
    }
    buffer = io.BytesIO()
    savemat(buffer, arrays, oned_as="column")
    file.write(buffer.getvalue())


def _arrays(table: Table) -> dict[str, NDArray[Any]]:
    grouped = {name for names in table.groups.values() for name in names}
    arrays = {
        group: np.column_stack([_typed(table.columns[name]) for name in names])
        for group, names in table.groups.items()
    }
    rest = {name: column for name, column in table.columns.items() if name not in grouped}
    return arrays | {name: _typed(column) for name, column in rest.items()}


def _typed(column: Column) -> NDArray[Any]:
    """Return text cells as numbers where all are, otherwise as words."""
    if isinstance(column, np.ndarray):
        return column.astype(str) if column.dtype.kind == "O" else column
    if not is_plain("".join(column)):
        return np.asarray(column, dtype=str)
    for kind in (np.int64, np.float64):
        try:
            return np.asarray(column, dtype=kind)
        except ValueError:
            continue
    return np.asarray(column, dtype=str)


def _all(table: Table) -> list[Column]:
    return list(table.columns.values())


WRITERS: dict[str, Writer] = {
    "csv": write_csv,
    "tsv": write_tsv,
    "parquet": write_parquet,
    "npy": write_npy,
    "npz": write_npz,
    "mat": write_mat,
}
