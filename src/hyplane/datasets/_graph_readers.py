"""Graphs and tables of labels from files: text with columns, GML, GraphML, matrices."""

import csv
import io
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from hyplane._utils.files import read_bytes
from hyplane._utils.optional import import_optional
from hyplane.datasets._matrix_market import read_matrix_market
from hyplane.datasets.file_limits import check_arrays_fit, gunzip
from hyplane.datasets.graphs import Network, from_matrix, from_networkx, name_array

GRAPH_FORMATS = ("edgelist", "gml", "graphml", "adjacency")
_EXTENSIONS = {
    ".gml": "gml", ".graphml": "graphml",
    ".npy": "adjacency", ".npz": "adjacency", ".mtx": "adjacency",
}  # fmt: skip
_HEADERS = {"source", "from", "node1", "node_1", "u", "id1", "start", "src", "head"}
_COMMENTS = ("#", "%", "//")


@dataclass(frozen=True)
class Source:
    """The content of a file, decompressed, and what to call it in messages."""

    origin: str
    suffix: str
    content: bytes

    @classmethod
    def of(cls, file: Any) -> "Source":
        """Read a file from its path, or one that is open."""
        if hasattr(file, "read"):
            stdin = file is sys.stdin or file is getattr(sys.stdin, "buffer", None)
            origin = "standard input" if stdin else str(getattr(file, "name", "the file"))
            content = file.read()
            content = content.encode() if isinstance(content, str) else content
        else:
            origin = os.fspath(file)
            if not Path(file).is_file():
                raise FileNotFoundError(f"there is no file {origin}")
            content = read_bytes(file)
        path = Path(origin)
        suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
        if content[:2] == b"\x1f\x8b":
            content = gunzip(content, str(origin))
        return cls(str(origin), suffix.lower(), content)

    def text(self) -> str:
        """Decode the content."""
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.origin} is not a text file in UTF-8: {error}") from error

    def rows(self, delimiter: str | None = None) -> list[tuple[int, list[str]]]:
        """Return the rows of text with columns; blank lines and comments are left out.

        Parameters
        ----------
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
            for number, line in enumerate(self.text().splitlines(), start=1)
            if line.strip() and not line.lstrip().startswith(_COMMENTS)
        ]
        if not lines:
            raise ValueError(f"{self.origin} is empty")
        if delimiter is None:
            delimiter = next((mark for mark in "\t,;" if mark in lines[0][1]), None)
        if delimiter is None or (delimiter.isspace() and delimiter != "\t"):
            delimiter = None
        return [(number, self._cells(number, line, delimiter)) for number, line in lines]

    def _cells(self, number: int, line: str, delimiter: str | None) -> list[str]:
        """Split a line; what stands in quotation marks is one cell."""
        if '"' not in line:
            return [cell.strip() for cell in line.split(delimiter)]
        if delimiter is not None and len(delimiter) > 1:
            return [cell.strip().strip('"') for cell in line.split(delimiter)]
        if delimiter is None:
            line, delimiter = " ".join(line.split()), " "
        try:
            [cells] = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError) as error:
            raise ValueError(
                f"{self.origin}, line {number}: the quotation marks do not close"
            ) from error
        return [cell.strip() for cell in cells]


def read_network(file: Any, format: str | None, delimiter: str | None) -> Network:
    """Read a graph from a path or an open file."""
    if format is not None and format not in GRAPH_FORMATS:
        raise ValueError(f"format must be one of {', '.join(GRAPH_FORMATS)}; got {format!r}")
    source = Source.of(file)
    format = format or _EXTENSIONS.get(source.suffix, "edgelist")
    if format == "adjacency":
        return from_matrix(_read_matrix(source, delimiter), source.origin)
    if format == "edgelist":
        return _read_edge_list(source, delimiter)
    return _read_by_networkx(source, format)


def _read_edge_list(source: Source, delimiter: str | None) -> Network:
    rows = source.rows(delimiter)
    if rows[0][1][0].lower() in _HEADERS:
        rows = rows[1:]
    for number, cells in rows:
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise ValueError(
                f"{source.origin}, line {number}: an edge needs two nodes; got {' '.join(cells)!r}"
            )
    ends: list[Any] = [cell for _, cells in rows for cell in cells[:2]]
    if all(re.fullmatch(r"[+-]?[0-9]{1,18}", end) for end in ends):
        ends = [int(end) for end in ends]
        names = sorted(set(ends))
    else:
        names = list(dict.fromkeys(ends))
    place = {name: number for number, name in enumerate(names)}
    edges = np.array([place[end] for end in ends], dtype=np.intp).reshape(-1, 2)
    # A list of edges does not say whether it is directed; `simple` lets the caller choose.
    weights = "the third column" if _third_is_a_weight(rows) else ""
    return Network(name_array(names), edges, origin=source.origin, weights=weights)


def _third_is_a_weight(rows: list[tuple[int, list[str]]]) -> bool:
    """Whether the third cells are numbers, and not all equal."""
    third = {cells[2] for _, cells in rows if len(cells) > 2}
    try:
        return len({float(cell) for cell in third}) > 1
    except ValueError:
        return False


def _read_matrix(source: Source, delimiter: str | None) -> Any:
    readers: dict[str, Callable[[Any], Any]] = {
        ".npy": lambda file: _read_npy(file, source.origin),
        ".npz": lambda file: _read_npz(file, source.origin),
        ".mtx": lambda file: read_matrix_market(file.getvalue().decode("utf-8")),
    }
    try:
        if source.suffix in readers:
            return readers[source.suffix](io.BytesIO(source.content))
        return _read_numbers(source, delimiter)
    except MemoryError:
        raise
    except Exception as error:  # zipfile, zlib and scipy raise almost anything on a damaged file
        raise ValueError(f"{source.origin} is not a readable adjacency matrix: {error}") from error


def _read_numbers(source: Source, delimiter: str | None) -> Any:
    rows = source.rows(delimiter)
    for number, cells in rows:
        for cell in cells:
            if not cell.isascii() or "_" in cell:
                raise ValueError(f"line {number}: {cell!r} is not a number")
    return np.array([cells for _, cells in rows], dtype=np.float64)


def _read_npy(file: Any, origin: str) -> Any:
    check_arrays_fit(file, origin)
    return np.load(file, allow_pickle=False)


def _read_npz(file: Any, origin: str) -> Any:
    check_arrays_fit(file, origin)
    with np.load(file, allow_pickle=False) as content:
        if "format" not in content.files:
            if len(content.files) != 1:
                raise ValueError(f"it has {len(content.files)} arrays where one is wanted")
            return content[content.files[0]]
    file.seek(0)
    return sparse.load_npz(file)


def _read_by_networkx(source: Source, format: str) -> Network:
    nx = import_optional("networkx", "experiments")
    text = source.text()
    try:
        if format == "graphml":
            return from_networkx(nx.parse_graphml(text), source.origin)
        return _named_by_label(from_networkx(_parse_gml(nx, text), source.origin))
    except MemoryError:
        raise
    except Exception as error:  # networkx raises almost anything on a foreign file
        raise ValueError(f"{source.origin} is not a readable {format} file: {error}") from error


def _parse_gml(nx: Any, text: str) -> Any:
    if not re.search(r"\bmultigraph\b", text):
        # Without this, networkx refuses repeated edges; here they count once.
        text = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", text, count=1)
    return nx.parse_gml(text, label="id")


def _named_by_label(network: Network) -> Network:
    """Call GML nodes by their labels where these are there and differ, otherwise by their ids."""
    labels = [attributes.get("label") for attributes in network.attributes]
    if None in labels or len(set(labels)) < len(labels):
        return network
    return replace(network, node_names=name_array(labels))
