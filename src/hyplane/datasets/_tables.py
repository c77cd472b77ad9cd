"""Text files with columns."""

import gzip
import re
from pathlib import Path

_COMMENTS = ("#", "%", "//")


def read_text(path: Path) -> str:
    """Read a text file, compressed with gzip or not."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file in UTF-8: {error}") from error


def read_table(path: Path, delimiter: str | None = None) -> list[tuple[int, list[str]]]:
    """Read the rows of a text file with columns; blank lines and comments are left out.

    Parameters
    ----------
    path : Path
    delimiter : str, optional
        By default the first of tab, comma and semicolon that the first row contains, and
        otherwise blanks.

    Returns
    -------
    rows : list of (int, list of str)
        Number of the line, counted from 1, and its cells.
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(read_text(path).splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith(_COMMENTS)
    ]
    if not lines:
        raise ValueError(f"{path} is empty")
    if delimiter is None:
        delimiter = next((mark for mark in "\t,;" if mark in lines[0][1]), None)
    if delimiter is None or (delimiter.isspace() and delimiter != "\t"):
        return [(number, line.split()) for number, line in lines]
    cells = re.compile(re.escape(delimiter))
    return [(n, [cell.strip().strip('"') for cell in cells.split(line)]) for n, line in lines]
