"""Tables to files: CSV, TSV, Parquet, NPY, NPZ and MAT. Numbers are written exactly."""

import csv
import io
import json
import warnings
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hyplane.cli._readers import METADATA, import_pyarrow
from hyplane.cli._spaces import Space
from hyplane.cli._tables import Column, Table
from hyplane.cli._text import ArrowText, floats_of, whole_numbers_of

# Rows of text that are written at a time: their numbers are Python's, which take room.
_BLOCK = 10_000
Writer = Callable[[Table, IO[bytes]], None]


def write_text(table: Table, file: IO[bytes], delimiter: str = ",") -> None:
    """Write text with commas, or with tabs."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    for start in range(0, table.n_rows, _BLOCK):
        parts = [column[start : start + _BLOCK] for column in table.columns.values()]
        cells = [part.tolist() if isinstance(part, np.ndarray) else part for part in parts]
        writer.writerows(zip(*cells, strict=True))
    text.detach()


def write_parquet(table: Table, file: IO[bytes]) -> None:
    """Write a Parquet file."""
    pyarrow = import_pyarrow()
    arrays = {name: _typed(column) for name, column in table.columns.items()}
    content = pyarrow.table(arrays)
    space, names = _space(table)
    if space is not None:
        told = json.dumps({**space.chart, "points": names})
        metadata = {**(content.schema.metadata or {}), METADATA: told.encode()}
        content = content.replace_schema_metadata(metadata)
    pyarrow.parquet.write_table(content, file)


def _space(table: Table) -> tuple[Space | None, list[str]]:
    """Return the chart of the points, where there is one and no other, and their columns."""
    marked = {name: table.space_of(name) for name in table.columns}
    names = [name for name, space in marked.items() if space is not None]
    found = {marked[name] for name in names}
    return (found.pop(), names) if len(found) == 1 else (None, [])


def write_npy(table: Table, file: IO[bytes]) -> None:
    """Write a matrix where all columns are numbers, otherwise an array of records."""
    columns = {name: _typed(column) for name, column in table.columns.items()}
    if all(column.dtype.kind in "biuf" for column in columns.values()):
        space, _ = _space(table)
        if space not in (None, Space("ball")):
            warnings.warn(
                f"a matrix in an NPY file does not say that its points are in the chart {space}; "
                "name it when the file is read, or write another format",
                stacklevel=2,
            )
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
    space, names = _space(table)
    if space is not None and names in table.groups.values():
        # A matrix has no names of columns, so the chart is said beside it.
        for name, value in space.chart.items():
            if name in rest:
                raise ValueError(f"a column {name!r} cannot be in such a file beside the points")
            arrays[name] = np.array(value)
    return arrays | {name: _typed(column) for name, column in rest.items()}


def _typed(column: Column) -> NDArray[Any]:
    """Return text cells as numbers where all are, otherwise as words."""
    if isinstance(column, np.ndarray):
        return column.astype(str) if column.dtype.kind == "O" else column
    whole = whole_numbers_of(column)
    numbers = floats_of(column) if whole is None else whole
    if numbers is not None:
        return numbers
    return np.asarray(list(column) if isinstance(column, ArrowText) else column, dtype=str)


WRITERS: dict[str, Writer] = {
    "csv": write_text,
    "tsv": partial(write_text, delimiter="\t"),
    "parquet": write_parquet,
    "npy": write_npy,
    "npz": write_npz,
    "mat": write_mat,
}
