"""CSV and TSV files: columns at once where the text is simple, else a careful reader.

Text is simple where every cell ends at the next delimiter or line: no quotation marks but around
whole cells, no empty lines. It is then read by pyarrow where that is installed, and split
otherwise. Whatever either refuses is read again with care, for a message with line and column.
"""

import csv
import io
import re
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import IO, Any

from hyplane.cli._tables import Column, Table
from hyplane.cli._text import ArrowText
from hyplane.cli._words import first_repeated, is_plain, numbered


def read_csv(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read text with commas, or with semicolons where the first line has no comma."""
    data = file.read()
    first = data.partition(b"\n")[0]
    delimiter = ";" if b";" in first and b"," not in first else ","
    return _read(data, delimiter, origin, header)


def read_tsv(file: IO[bytes], origin: str, header: bool | None) -> Table:
    """Read text with tabs."""
    return _read(file.read(), "\t", origin, header)


def _read(data: bytes, delimiter: str, origin: str, header: bool | None) -> Table:
    data = data.removeprefix(b"\xef\xbb\xbf")
    table = read_simple(data, delimiter, origin, header)
    return table or read_carefully(_decoded(data, origin), delimiter, origin, header)


def read_simple(data: bytes, delimiter: str, origin: str, header: bool | None) -> Table | None:
    """Read simple text, or return None.

    Parameters
    ----------
    data : bytes
    delimiter : str
        One character.
    origin : str
        What to call it in messages.
    header : bool or None
        Whether the first line has names; None to find out.

    Returns
    -------
    table : Table or None
    """
    if not _is_simple(data, delimiter.encode()):
        return None
    try:
        first = next(csv.reader([data.partition(b"\n")[0].decode()], delimiter=delimiter))
    except (UnicodeDecodeError, csv.Error, StopIteration):
        return None
    named = _is_header(first) if header is None else header
    names = [cell.strip() for cell in first] if named else numbered(len(first))
    if first_repeated(names) is not None:
        return None
    begin = data.find(b"\n") + 1 or len(data) if named else 0
    columns = _columns(data, begin, delimiter, len(names))
    if columns is None:
        return None
    start = 2 if named else 1
    lines = range(start, start + len(columns[0]))
    return Table(dict(zip(names, columns, strict=True)), origin, lines, named=named)


def _columns(data: bytes, begin: int, delimiter: str, count: int) -> Sequence[Column] | None:
    """Read the lines from a place on; None where one is empty, or has more or fewer cells."""
    if begin == len(data):
        return [()] * count
    if find_spec("pyarrow") is None:
        return split_columns(data[begin:], delimiter, count)
    reader: Any = import_module("pyarrow.csv")
    pyarrow: Any = import_module("pyarrow")
    names = numbered(count)
    try:
        table = reader.read_csv(
            pyarrow.BufferReader(pyarrow.py_buffer(data).slice(begin)),
            read_options=reader.ReadOptions(column_names=names),
            parse_options=reader.ParseOptions(delimiter=delimiter),
            convert_options=reader.ConvertOptions(
                column_types=dict.fromkeys(names, pyarrow.string()),
                strings_can_be_null=False,
                check_utf8=not data.isascii(),
            ),
        )
    except (pyarrow.ArrowInvalid, pyarrow.ArrowKeyError):
        return None
    # pyarrow passes over empty lines, and the numbers of the lines would be wrong.
    n_lines = data.count(b"\n", begin) + (data[-1:] != b"\n")
    if table.num_rows != n_lines:
        return None
    return [ArrowText(table.column(name)) for name in names]


def split_columns(body: bytes, delimiter: str, count: int) -> Sequence[Column] | None:
    r"""Split simple text into columns without a library.

    Parameters
    ----------
    body : bytes
        The lines below the header.
    delimiter : str
    count : int
        Number of columns.

    Returns
    -------
    columns : list of tuple of str, or None
        None where a line is empty or has another number of cells, or quotation marks.

    Examples
    --------
    >>> split_columns(b"0.5,a\n0.25,b\n", ",", 2)
    [('0.5', '0.25'), ('a', 'b')]
    """
    if b'"' in body:
        return None
    try:
        lines = body.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None
    if any(not line or line.count(delimiter) != count - 1 for line in lines):
        return None
    cells = delimiter.join(lines).split(delimiter)
    return [tuple(cells[place::count]) for place in range(count)]


def _is_simple(data: bytes, delimiter: bytes) -> bool:
    if not data or data[:1] in b"\r\n" or b"\0" in data:
        return False
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    quotes = data.count(b'"')
    if not quotes:
        return True
    mark = re.escape(delimiter)
    # The pattern begins with the quotation mark and looks back from there: a search for one
    # character is several times faster.
    whole = rb'"(?<![^%b\n]")[^"\r\n]*"(?![^%b\r\n])' % (mark, mark)
    return 2 * len(re.findall(whole, data)) == quotes


def _decoded(data: bytes, origin: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{origin} is not UTF-8 text (byte {error.start}); is it in another format?"
        ) from error


def read_carefully(text: str, delimiter: str, origin: str, header: bool | None) -> Table:
    """Read any text cell by cell, or say in which line it is wrong."""
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
    names = [cell.strip() for cell in rows[0]] if named else numbered(len(rows[0]))
    twice = first_repeated(names)
    if twice is not None:
        raise ValueError(f"{origin} has two columns named {twice!r}")
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
