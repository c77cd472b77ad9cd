"""Readers of the graph formats: each gives names, edges between their places, and attributes."""

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.io import mmread

from hyplane._optional import import_optional
from hyplane.datasets._tables import read_table, read_text

FORMATS = ("edgelist", "gml", "graphml", "adjacency")
_EXTENSIONS = {
    ".gml": "gml", ".graphml": "graphml",
    ".npy": "adjacency", ".npz": "adjacency", ".mtx": "adjacency",
}  # fmt: skip
_HEADERS = {"source", "from", "node1", "node_1", "u", "id1", "start", "src", "head"}


@dataclass
class RawGraph:
    """A graph as its file says it, before self loops and repeated edges are dealt with."""

    origin: str
    names: list[Any]
    edges: Any
    attributes: list[dict[str, Any]] = field(default_factory=list)


def read_graph(source: Any, format: str | None, delimiter: str | None) -> RawGraph:
    """Read a graph from a path, a matrix or a networkx graph."""
    if hasattr(source, "is_directed") and hasattr(source, "nodes"):
        return _from_networkx(source, "the graph")
    if sparse.issparse(source) or isinstance(source, np.ndarray | list):
        return _from_matrix(source, "the adjacency matrix")
    try:
        path = Path(source)
    except TypeError as error:
        raise ValueError(
            "source must be a path, a networkx graph or an adjacency matrix; "
            f"got {type(source).__name__}"
        ) from error
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    format = format or _EXTENSIONS.get(_suffix(path), "edgelist")
    if format == "adjacency":
        return _from_matrix(_read_matrix(path, delimiter), str(path))
    if format == "edgelist":
        return _read_edge_list(path, delimiter)
    return _read_by_networkx(path, format)


def _suffix(path: Path) -> str:
    name = path.with_suffix("") if path.suffix == ".gz" else path
    return name.suffix.lower()


def _read_edge_list(path: Path, delimiter: str | None) -> RawGraph:
    rows = read_table(path, delimiter)
    if rows[0][1][0].lower() in _HEADERS:
        rows = rows[1:]
    for number, cells in rows:
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise ValueError(
                f"{path}, line {number}: an edge needs two nodes; got {' '.join(cells)!r}"
            )
    ends = [cell for _, cells in rows for cell in cells[:2]]
    names: list[Any]
    if all(re.fullmatch(r"[+-]?\d+", end) for end in ends):
        numbers = [int(end) for end in ends]
        names = sorted(set(numbers))
        return RawGraph(str(path), names, _places(names, numbers))
    names = list(dict.fromkeys(ends))
    return RawGraph(str(path), names, _places(names, ends))


def _places(names: list[Any], ends: list[Any]) -> Any:
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[end] for end in ends], dtype=np.intp).reshape(-1, 2)


def _read_matrix(path: Path, delimiter: str | None) -> Any:
    readers: dict[str, Callable[[], Any]] = {
        ".npy": lambda: np.load(path, allow_pickle=False),
        ".npz": lambda: _read_npz(path),
        ".mtx": lambda: mmread(path),
    }
    try:
        if _suffix(path) in readers:
            return readers[_suffix(path)]()
        rows = [cells for _, cells in read_table(path, delimiter)]
        return np.array(rows, dtype=np.float64)
    except (ValueError, OSError, EOFError, KeyError) as error:
        raise ValueError(f"{path} is not a readable adjacency matrix: {error}") from error


def _read_npz(path: Path) -> Any:
    with np.load(path, allow_pickle=False) as content:
        if "format" not in content.files:
            if len(content.files) != 1:
                raise ValueError(f"it has {len(content.files)} arrays where one is wanted")
            return content[content.files[0]]
    return sparse.load_npz(path)


def _from_matrix(matrix: Any, origin: str) -> RawGraph:
    if not sparse.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{origin} must be square; its shape is {matrix.shape}")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{origin} must hold real numbers; its type is {matrix.dtype}")
    matrix = sparse.coo_array(matrix)
    values = np.asarray(matrix.data)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        row, column, value = matrix.row[bad[0]], matrix.col[bad[0]], values[bad[0]]
        raise ValueError(
            f"{origin} has the entry {value} in row {row}, column {column}; entries must be "
            "finite and not negative (0: no edge)"
        )
    present = values != 0
    edges = np.column_stack([matrix.row[present], matrix.col[present]])
    return RawGraph(origin, list(range(matrix.shape[0])), edges)


def _read_by_networkx(path: Path, format: str) -> RawGraph:
    nx = import_optional("networkx", "experiments")
    text = read_text(path)
    try:
        if format == "graphml":
            graph = nx.parse_graphml(text)
            return _from_networkx(graph, str(path))
        return _name_by_label(_parse_gml(nx, text), str(path))
    except (nx.NetworkXException, SyntaxError, ValueError, KeyError, TypeError) as error:
        # ParseError of the XML parser is a SyntaxError.
        raise ValueError(f"{path} is not a readable {format} file: {error}") from error


def _parse_gml(nx: Any, text: str) -> Any:
    try:
        return nx.parse_gml(text, label="id")
    except nx.NetworkXError as error:
        if "duplicated" not in str(error) or re.search(r"\bmultigraph\b", text):
            raise
        # Repeated edges are allowed here, and count once later.
        return nx.parse_gml(
            re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", text, count=1), label="id"
        )


def _name_by_label(graph: Any, origin: str) -> RawGraph:
    """Call GML nodes by their labels where these are there and differ, otherwise by their ids."""
    raw = _from_networkx(graph, origin)
    labels = [attributes.get("label") for attributes in raw.attributes]
    if None not in labels and len(set(labels)) == len(labels):
        raw.names = labels
    return raw


def _from_networkx(graph: Any, origin: str) -> RawGraph:
    nodes: list[Hashable] = list(graph.nodes)
    place = {node: number for number, node in enumerate(nodes)}
    edges = [(place[u], place[v]) for u, v in graph.edges()]
    return RawGraph(origin, nodes, edges, [dict(graph.nodes[node]) for node in nodes])
