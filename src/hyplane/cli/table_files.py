"""Tables from files and to files, in every format and through the standard streams.

Numbers are read and written exactly.
"""

import csv
import errno
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.charts import chart_name
from hyplane._utils.files import refuse_device, replacing
from hyplane._utils.optional import import_optional
from hyplane._utils.progress import Waiting
from hyplane.cli.errors import say
from hyplane.cli.options import STREAM, PointsFile, Space, TableFile, table_format
from hyplane.cli.tables import (
    Column,
    Table,
    first_repeated,
    numbers_of,
    space_in_name,
    table_of_points,
)

if TYPE_CHECKING:
    from hyplane.out_of_core import ParquetTable

# A cell with a decimal comma, in text whose cells end at semicolons.
_DECIMAL_COMMA = re.compile(
    r"(?m)(?<![^;\n])(\s*[-+]?[0-9]*),([0-9]+(?:[eE][-+]?[0-9]+)?)(?=\s*(?:;|$))"
)


def read_table(table: TableFile) -> Table:
    """Read a table from a file, or from the standard input.

    Without a header option the first line of text is taken for names if it looks like them.
    """
    path, header = table.path, table.header
    read = READERS[table_format(path, table.format)]
    if path == STREAM:
        return read(io.BytesIO(read_stdin()), "standard input", header)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a table", path)
    with open(path, "rb") as file, Waiting(f"reading {path}"):
        refuse_device(file, path)
        return read(file, path, header)


def write_table(table: Table, path: str, format: str | None = None, *, rows: str = "rows") -> None:
    """Write a table to a file, which appears whole or not at all, or to the standard output.

    `rows` are what the rows are, for the note about a file.
    """
    write = WRITERS[table_format(path, format, to_write=True)]
    if path == STREAM:
        buffer = io.BytesIO()
        write(table, buffer)
        write_stdout(buffer.getvalue())
        return
    with replacing(path) as file, Waiting(f"writing {path}"):
        write(table, file)
    say(f"wrote {table.n_rows} {rows} to {path}", err=True)


def write_points(file: PointsFile, X: NDArray[Any], **columns: Any) -> None:
    """Write points of a chart, with the further columns of `table_of_points`."""
    made = table_of_points(X, file.space, **columns)
    write_table(made, file.path, file.format, rows="points")


def read_stdin() -> bytes:
    """Read the standard input, which may have been closed from outside."""
    if sys.stdin is None:
        raise ValueError("the standard input is closed")
    return sys.stdin.buffer.read()


def write_stdout(data: bytes) -> None:
    """Write to the standard output at once, so that a closed pipe is noticed here."""
    if sys.stdout.isatty():  # a pipe or a file gets the data as they are
        say(*data.decode(errors="backslashreplace").removesuffix("\n").split("\n"))
        return
    stream: IO[bytes] | None = getattr(sys.stdout, "buffer", None)
    if stream is None:  # for instance in a notebook
        sys.stdout.write(data.decode())
        return
    rest = memoryview(data)
    while rest:  # with PYTHONUNBUFFERED the stream may take a part at a time
        rest = rest[stream.write(rest) :]
    stream.flush()


def open_large(table: TableFile) -> "ParquetTable | None":
    """Return a large Parquet file, or a folder of them, which is read part by part; else None."""
    from hyplane._utils.validation import LEAST_BYTES
    from hyplane.out_of_core import ParquetTable
    from hyplane.out_of_core.parquet import parquet_files

    path = table.path
    if path == STREAM:
        return None
    if os.path.isdir(path):
        if not parquet_files(path):
            raise IsADirectoryError(errno.EISDIR, "this is a folder without Parquet files", path)
        return ParquetTable(path)
    if table_format(path, table.format) != "parquet" or not os.path.isfile(path):
        return None
    return ParquetTable(path) if os.path.getsize(path) >= LEAST_BYTES else None


def head_of(stream: "ParquetTable", path: str) -> Table:
    """Return the first 1000 rows of a table: enough to find the columns."""
    if not stream.n_rows:
        raise ValueError(f"{path} has no rows")
    return Table(dict(next(stream.parts(rows=1000))), path)


def _read_text(
    file: IO[bytes], origin: str, header: bool | None, delimiter: str | None = None
) -> Table:
    """Read text with tabs, commas, or semicolons, in which case numbers may have commas."""
    text = _decoded(file, origin)
    start = _DECIMAL_COMMA.sub(r"\1.\2", text.lstrip().partition("\n")[0])
    delimiter = delimiter or (";" if ";" in start and "," not in start else ",")
    if delimiter == ";":
        text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    rows, lines = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in filter(None, reader):
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{origin}, line {reader.line_num}: {error}") from error
    if not rows:
        raise ValueError(f"{origin} is empty")
    first, named = rows[0], _is_header(rows[0]) if header is None else header
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(first):
            raise ValueError(
                f"{origin}, line {line}: {len(row)} cells where the first line has {len(first)}"
            )
    numbered = [str(place) for place in range(1, len(first) + 1)]
    names = [cell.strip() for cell in first] if named else numbered
    twice = first_repeated(names)
    if twice is not None:
        raise ValueError(f"{origin} has two columns named {twice!r}")
    return _from_rows(names, rows[named:], origin, lines[named:], named=named)


def _read_word2vec(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read a word and its vector from each line; the first line may state their numbers."""
    text = _decoded(file, origin).replace("\r\n", "\n").removesuffix("\n")
    rows = [line.rstrip().split(" ") for line in text.split("\n")]
    stated = len(rows[0]) == 2 and all(cell.isdecimal() for cell in rows[0])
    rows = rows[stated:]
    n_columns = len(rows[0]) - 1 if rows else 0
    for line, row in enumerate(rows, 1 + stated):
        if len(row) - 1 != n_columns or not n_columns:
            raise ValueError(
                f"{origin}, line {line}: {len(row) - 1} numbers after the word where the first "
                f"line has {n_columns}"
            )
    names = ["word", *(f"x{place}" for place in range(1, n_columns + 1))]
    return _from_rows(names, rows, origin, range(1 + stated, 1 + stated + len(rows)))


def _decoded(file: IO[bytes], origin: str) -> str:
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{origin} is not UTF-8 text (byte {error.start}); is it in another format?"
        ) from error


def _from_rows(
    names: list[str], rows: list[list[str]], origin: str, lines: Sequence[int], named: bool = True
) -> Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return Table(dict(zip(names, columns, strict=True)), origin, lines, named=named)


def _is_header(cells: list[str]) -> bool:
    """Whether a first line has names: words, or whole numbers counted from 0 as pandas has them."""
    numbers = [cell for cell in cells if numbers_of([cell]) is not None]
    if any(not cell.strip().isdecimal() for cell in numbers):
        return False
    return len(numbers) < len(cells) or [int(cell) for cell in cells] == list(range(len(cells)))


def _read_parquet(file: IO[bytes], origin: str, header: bool | None) -> Table:
    pyarrow = _import_pyarrow()
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(file.read()))
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise ValueError(f"{origin} is not a Parquet file that can be read: {error}") from error
    return Table({name: table.column(name).to_numpy() for name in table.column_names}, origin)


def _import_pyarrow() -> Any:
    import_optional("pyarrow.parquet", "parquet")
    return import_optional("pyarrow", "parquet")


def _read_numpy(file: IO[bytes], origin: str, header: bool | None, *, kind: str) -> Table:
    """Read an NPY file, a matrix or records, or the arrays of an NPZ file."""
    from hyplane.datasets.array_files import read_numpy

    arrays = read_numpy(file, origin, kind)
    if kind == "npz":
        return _from_arrays(arrays, origin)
    array = arrays[""]
    if array.dtype.names:
        return Table({name: array.ravel()[name] for name in array.dtype.names}, origin)
    if array.ndim != 2:
        raise ValueError(
            f"{origin} has an array of shape {array.shape}; a table has rows and columns"
        )
    return _from_arrays(arrays, origin)


def _read_mat(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read the arrays of a MATLAB file of version 4 to 7."""
    from hyplane.datasets.array_files import read_mat_columns

    return _from_arrays(dict(read_mat_columns(file.read(), origin)), origin)


def _from_arrays(arrays: dict[str, NDArray[Any]], origin: str) -> Table:
    """Make columns of arrays: one of each vector, several of each matrix.

    A single word ``coordinates`` and a number ``curvature`` say what the matrix of the points is.
    """
    space = _take_space(arrays, origin)
    kept = {name: array for name, array in arrays.items() if array.ndim in (1, 2)}
    if not kept:
        raise ValueError(f"{origin} holds no array of one or two dimensions")
    if len({len(array) for array in kept.values()}) > 1:
        sizes = ", ".join(f"{name} {len(array)}" for name, array in kept.items())
        raise ValueError(f"the arrays of {origin} differ in their number of rows: {sizes}")
    matrices = [name for name, array in kept.items() if array.ndim == 2]
    points = "X" if "X" in matrices else matrices[0] if len(matrices) == 1 else None
    columns: dict[str, Column] = {}
    groups: dict[str, list[str]] = {}
    for name, array in kept.items():
        names = [name]
        if array.ndim == 2:
            width = array.shape[1]
            if width > 1_000_000:  # a damaged header may claim more than any table has
                raise ValueError(f"{origin} has an array of shape {array.shape}: too many columns")
            names = groups[name] = [f"{name}{place}" for place in range(1, width + 1)]
            if space is not None and name == points:
                names = groups[name] = space.column_names(width)
        taken = [column for column in names if column in columns]
        if taken:
            raise ValueError(
                f"{origin} has two columns named {taken[0]!r}, one of them of the array {name!r}: "
                "rename one of the arrays"
            )
        columns |= dict(zip(names, array.T if array.ndim == 2 else [array], strict=True))
    return Table(columns, origin, groups=groups, named="" not in kept)


def _take_space(arrays: dict[str, NDArray[Any]], origin: str) -> Space | None:
    """Take the chart and the curvature of the points out of the arrays."""
    chart = arrays.get("coordinates")
    if chart is None or chart.size != 1 or chart.dtype.kind not in "US":
        return None
    word, curvature = arrays.pop("coordinates").item(), arrays.pop("curvature", np.array(-1.0))
    word = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
    try:
        if not -np.inf < float(curvature.item()) < 0:
            raise ValueError(f"curvature must be negative; got {curvature.item()}")
        return Space(chart_name(word), float(curvature.item()))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{origin}: {error}") from error


def _write_text(table: Table, file: IO[bytes], delimiter: str = ",") -> None:
    """Write text in blocks of rows, since Python's numbers take much memory."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    columns, size = list(table.columns.values()), 10_000
    for start in range(0, table.n_rows, size):
        parts = [column[start : start + size] for column in columns]
        cells = [part.tolist() if isinstance(part, np.ndarray) else part for part in parts]
        writer.writerows(zip(*cells, strict=True))
    text.detach()


def _write_parquet(table: Table, file: IO[bytes]) -> None:
    pyarrow = _import_pyarrow()
    content = pyarrow.table({name: _typed(column) for name, column in table.columns.items()})
    pyarrow.parquet.write_table(content, file)


def _write_npy(table: Table, file: IO[bytes]) -> None:
    """Write a matrix if all columns are numbers, otherwise an array of records."""
    columns = {name: _typed(column) for name, column in table.columns.items()}
    if all(column.dtype.kind in "biuf" for column in columns.values()):
        space, _ = _space_of_points(table)
        if space not in (None, Space("ball")):
            warnings.warn(
                f"a matrix in an NPY file does not say that its points are in the chart {space}; "
                "name it when the file is read, or write another format",
                stacklevel=2,
            )
        np.save(file, np.column_stack(list(columns.values())))
        return
    records = np.empty(table.n_rows, [(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        records[name] = column
    np.save(file, records)


def _write_npz(table: Table, file: IO[bytes]) -> None:
    arrays: dict[str, Any] = _arrays(table)
    np.savez(file, **arrays)


def _write_mat(table: Table, file: IO[bytes]) -> None:
    from scipy.io import savemat

    arrays = {
        name: array.astype(object) if array.dtype.kind == "U" else array
        for name, array in _arrays(table).items()
    }
    buffer = io.BytesIO()
    savemat(buffer, arrays, oned_as="column")
    file.write(buffer.getvalue())


def _arrays(table: Table) -> dict[str, NDArray[Any]]:
    """Return the arrays of the groups, and the other columns one by one."""
    columns = {name: _typed(column) for name, column in table.columns.items()}
    arrays = {
        group: np.column_stack([columns.pop(name) for name in names])
        for group, names in table.groups.items()
    }
    space, names = _space_of_points(table)
    if space is not None and names in table.groups.values():
        # A matrix has no names of columns, so the chart is said beside it.
        for name, value in space.chart.items():
            if name in columns:
                raise ValueError(f"a column {name!r} cannot be in such a file beside the points")
            arrays[name] = np.array(value)
    return arrays | columns


def _space_of_points(table: Table) -> tuple[Space | None, list[str]]:
    """Return the chart of the points, if there is exactly one, and their columns."""
    marked = {name: space_in_name(name) for name in table.columns}
    names = [name for name, space in marked.items() if space is not None]
    found = {marked[name] for name in names}
    return (found.pop(), names) if len(found) == 1 else (None, [])


def _typed(column: Column) -> NDArray[Any]:
    """Return text cells as numbers if all are, otherwise as words."""
    if isinstance(column, np.ndarray):
        return column.astype(str) if column.dtype.kind == "O" else column
    for kind in (int, float):
        numbers = numbers_of(column, kind)
        if numbers is not None:
            return numbers
    return np.array(column, dtype=str)


READERS: dict[str, Callable[[IO[bytes], str, bool | None], Table]] = {
    "csv": _read_text,
    "tsv": partial(_read_text, delimiter="\t"),
    "parquet": _read_parquet,
    "npy": partial(_read_numpy, kind="npy"),
    "npz": partial(_read_numpy, kind="npz"),
    "mat": _read_mat,
    "word2vec": _read_word2vec,
}
WRITERS: dict[str, Callable[[Table, IO[bytes]], None]] = {
    "csv": _write_text,
    "tsv": partial(_write_text, delimiter="\t"),
    "parquet": _write_parquet,
    "npy": _write_npy,
    "npz": _write_npz,
    "mat": _write_mat,
}
