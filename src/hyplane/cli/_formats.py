"""Which format a table is in, and files as well as the standard streams."""

import errno
import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hyplane._utils.files import replacing
from hyplane._utils.progress import Waiting
from hyplane.cli._standard_streams import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli._spaces import Space
    from hyplane.cli._tables import Column, Table

_EXTENSIONS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet"}
_EXTENSIONS |= {".pq": "parquet", ".npy": "npy", ".npz": "npz", ".mat": "mat"}
FORMATS = tuple(dict.fromkeys(_EXTENSIONS.values()))

STREAM = "-"


def read_table(path: str, format: str | None = None, header: bool | None = None) -> "Table":
    """Read a table from a file, or from the standard input.

    Parameters
    ----------
    path : str
        The file, or ``-``.
    format : str, optional
        One of `FORMATS`. By default that of the extension; CSV for the standard input.
    header : bool, optional
        Whether the first line of a text file has the names of the columns; found out by default.

    Returns
    -------
    table : Table
    """
    from hyplane._utils.files import refuse_device
    from hyplane.cli._readers import READERS

    chosen = table_format(path, format)
    if path == STREAM:
        return READERS[chosen](io.BytesIO(read_stdin()), "standard input", header)
    if os.path.isdir(path):
        raise IsADirectoryError(21, "this is a folder, not a table", path)
    with open(path, "rb") as file, Waiting(f"reading {path}"):
        refuse_device(file, path)
        return READERS[chosen](file, path, header)


def write_table(table: "Table", path: str, format: str | None = None) -> None:
    """Write a table to a file, which appears whole or not at all, or to the standard output.

    Parameters
    ----------
    table : Table
    path : str
        The file, or ``-``.
    format : str, optional
        As in `read_table`.
    """
    from hyplane.cli._writers import WRITERS

    chosen = table_format(path, format)
    if path == STREAM:
        buffer = io.BytesIO()
        WRITERS[chosen](table, buffer)
        write_stdout(buffer.getvalue())
        return
    with replacing(path) as file, Waiting(f"writing {path}"):
        WRITERS[chosen](table, file)


def write_points(
    X: "NDArray[Any]",
    space: "Space",
    output: str,
    format: str | None,
    *,
    nodes: "NDArray[Any] | None" = None,
    labels: "Mapping[str, Column] | None" = None,
) -> None:
    """Write a table of points, with the names of nodes before and labels after them."""
    from hyplane.cli._tables import NODE, table_of_points

    before = None if nodes is None else {NODE: nodes}
    write_table(table_of_points(X, space, before=before, after=labels), output, format)
    if output != STREAM:
        say(f"wrote {len(X)} points to {output}", err=True)


def read_stdin() -> bytes:
    """Read the standard input, which may have been closed from outside."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "the standard input is closed")
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


def table_format(path: str, format: str | None) -> str:
    """Return the format of a table, or fail where neither its extension nor an option says it."""
    if path == STREAM:
        return format or "csv"
    found = _EXTENSIONS.get(Path(path).suffix.lower())
    if found is None and format is None:
        raise ValueError(
            f"{path}: this extension is not one of a table. Known are "
            f"{_listed(list(_EXTENSIONS))}; otherwise give --format"
        )
    return found or str(format)


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
