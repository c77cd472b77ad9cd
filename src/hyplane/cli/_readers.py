"""Tables from files: CSV, TSV, Parquet, NPY, NPZ and MAT."""

import csv
import io
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hyplane._mat_files import read_arrays
from hyplane._optional import import_optional
from hyplane._sizes import check_arrays_fit
from hyplane.cli._tables import Column, Table, first_repeated, is_plain

_MOST_COLUMNS = 1_000_000
Reader = Callable[[IO[bytes], str, bool | None], Table]


def read_csv(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read text with commas, or with semicolons where the first line has no comma."""
    text = _decoded(file, origin)
    first = text.partition("\n")[0]
    return _read_text(text, ";" if ";" in first and "," not in first else ",", origin, header)


def read_tsv(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read text with tabs."""
    return _read_text(_decoded(file, origin), "\t", origin, header)


def _decoded(file: IO[bytes], origin: str) -> str:
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{origin} is not UTF-8 text (byte {error.start}); is it in another format?"
        ) from error


def _read_text(text: str, delimiter: str, origin: str, header: bool | None) -> Table:
    rows, lines = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{origin}, line {reader.line_num}: {error}") from error
    if not rows:
        raise ValueError(f"{origin} is empty")
    named = _is_header(rows[0]) if header is None else header
    names = [cell.strip() for cell in rows[0]] if named else _numbered(len(rows[0]))
    _check_names(names, origin)
    rows, lines = (rows[1:], lines[1:]) if named else (rows, lines)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(names):
            raise ValueError(
                f"{origin}, line {line}: {len(row)} cells where the first line has {len(names)}"
            )
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    columns: dict[str, Column] = dict(zip(names, cells, strict=True))
    return Table(columns, origin, lines, named=named)


def _is_header(cells: list[str]) -> bool:
    """Whether a first line has names: words, or whole numbers counted from 0 as pandas has them."""
    numbers = [cell for cell in cells if _number(cell) is not None]
    if any(not cell.strip().isdecimal() for cell in numbers):
        return False
    return len(numbers) < len(cells) or [int(cell) for cell in cells] == list(range(len(cells)))


def _number(cell: str) -> float | None:
    try:
        return float(cell) if is_plain(cell) else None
    except ValueError:
        return None


def read_parquet(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read a Parquet file."""
    pyarrow = import_pyarrow()
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(file.read()))
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise ValueError(f"{origin} is not a Parquet file that can be read: {error}") from error
    columns: dict[str, Column] = {
        name: table.column(name).to_numpy() for name in table.column_names
    }
    return Table(columns, origin)


def import_pyarrow() -> Any:
    """Import the library that reads and writes Parquet."""
    import_optional("pyarrow.parquet", "parquet")
    return import_optional("pyarrow", "parquet")


def read_npy(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read an array of two dimensions, or one of records."""
    array = _load(file, origin, "an NPY")
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{origin} is not an NPY file but an archive; call it .npz")
    if array.dtype.names:
        records = array.ravel()
        return Table({name: records[name] for name in array.dtype.names}, origin)
    if array.ndim != 2:
        raise ValueError(
            f"{origin} has an array of shape {array.shape}; a table has rows and columns"
        )
    _check_width(array, origin)
    names = _numbered(array.shape[1])
    return Table(dict(zip(names, array.T, strict=True)), origin, named=False)


def read_npz(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read arrays with one row each for the same points."""
    archive = _load(file, origin, "an NPZ")
    if isinstance(archive, np.ndarray):
        raise ValueError(f"{origin} is not an NPZ file but a single array; call it .npy")
    try:
        arrays = {name: archive[name] for name in archive.files}
    except MemoryError:
        raise
    except Exception as error:  # NumPy and zipfile raise almost anything on a foreign file
        if "allow_pickle" in str(error):
            raise ValueError(f"{origin} holds Python objects, which are not loaded") from error
        raise ValueError(f"{origin} is not an NPZ file that can be read: {error}") from error
    foreign = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if foreign:
        raise ValueError(f"{origin} holds {foreign[0]!r}, which is not an array")
    return _from_arrays(arrays, origin)


def _load(file: IO[bytes], origin: str, kind: str) -> Any:
    if file.seekable():
        check_arrays_fit(file, origin)
    try:
        return np.load(file, allow_pickle=False)
    except MemoryError:
        raise
    except Exception as error:
        if "allow_pickle" in str(error) and file.seekable() and _magic(file):
            raise ValueError(f"{origin} holds Python objects, which are not loaded") from error
        raise ValueError(f"{origin} is not {kind} file that can be read") from error


def _magic(file: IO[bytes]) -> bool:
    file.seek(0)
    return file.read(6) in (b"\x93NUMPY", b"PK\x03\x04")


def read_mat(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read the arrays of a MATLAB file of version 4 to 7."""
    return _from_arrays(read_arrays(file.read(), origin), origin)


def _from_arrays(arrays: Mapping[str, NDArray[Any]], origin: str) -> Table:
    """Make columns of arrays: one of each vector, several of each matrix."""
    columns: dict[str, Column] = {}
    groups: dict[str, list[str]] = {}
    for name, array in arrays.items():
        fresh: dict[str, Column] = {}
        if array.ndim == 1:
            fresh = {name: array}
        elif array.ndim == 2:
            _check_width(array, origin)
            groups[name] = [f"{name}{place}" for place in range(1, array.shape[1] + 1)]
            fresh = dict(zip(groups[name], array.T, strict=True))
        taken = [column for column in fresh if column in columns]
        if taken:
            raise ValueError(
                f"{origin} has two columns named {taken[0]!r}, one of them of the array {name!r}: "
                "rename one of the arrays"
            )
        columns |= fresh
    if not columns:
        raise ValueError(f"{origin} holds no array of one or two dimensions")
    lengths = {name: len(array) for name, array in arrays.items() if array.ndim in (1, 2)}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"the arrays of {origin} differ in their number of rows: {sizes}")
    return Table(columns, origin, groups=groups)


def _check_width(array: NDArray[Any], origin: str) -> None:
    """Refuse more columns than any table has: a damaged header may claim any number of them."""
    if array.shape[1] > _MOST_COLUMNS:
        raise ValueError(
            f"{origin} has an array of shape {array.shape}; a table has at most {_MOST_COLUMNS} "
            "columns"
        )


def _numbered(count: int) -> list[str]:
    return [str(place) for place in range(1, count + 1)]


def _check_names(names: list[str], origin: str) -> None:
    twice = first_repeated(names)
    if twice is not None:
        raise ValueError(f"{origin} has two columns named {twice!r}")


READERS: dict[str, Reader] = {
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
    "npy": read_npy,
    "npz": read_npz,
    "mat": read_mat,
}
