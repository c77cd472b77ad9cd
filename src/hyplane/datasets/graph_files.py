"""Graphs and labels of nodes from files: edge lists, GML, GraphML and adjacency matrices."""

import csv
import io
import os
import re
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from hyplane._utils.files import read_bytes
from hyplane._utils.optional import import_optional
from hyplane.datasets.array_files import gunzip, read_matrices, read_numpy
from hyplane.datasets.graphs import (
    Graph,
    Network,
    as_weights,
    from_edges,
    from_matrix,
    from_networkx,
    from_pairs,
    name_array,
    network_bunch,
)

_DECIMAL = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"


def as_network(
    graph: Graph,
    *,
    dense: str = "edges",
    format: str | None = None,
    delimiter: str | None = None,
) -> Network:
    """Convert a graph of any supported kind to a `Network`.

    Parameters
    ----------
    graph : networkx graph, sparse matrix, array-like, path or binary file
        Weights are the edge attribute ``weight``, the entries of a matrix (0: no edge), or the
        third column of an edge list if it holds numbers. The nodes of a matrix are 0, …, n - 1,
        those of an array of edges its different values, sorted.
    dense : {"edges", "adjacency"}, default="edges"
        What an array or a list is: one edge a row, with two nodes, or an adjacency matrix.
    format : {"edgelist", "gml", "graphml", "adjacency"}, optional
        Format of a file; by default that of its extension, see `load_graph`.
    delimiter : str, optional
        What separates the columns of a text file; by default detected from the file.

    Returns
    -------
    network : Network
        With self loops and repeated edges as they were given, see `Network.simple`.

    Examples
    --------
    >>> network = as_network([("a", "b"), ("b", "c")])
    >>> [str(name) for name in network.node_names], network.edges.tolist()
    (['a', 'b', 'c'], [[0, 1], [1, 2]])
    """
    if isinstance(graph, str | os.PathLike) or hasattr(graph, "read"):
        return _read_network(graph, format, delimiter)
    if hasattr(graph, "is_directed") and hasattr(graph, "nodes"):
        return from_networkx(graph)
    if sp.issparse(graph):
        return from_matrix(graph)
    array = np.asarray(graph)
    if array.ndim == 0:
        raise ValueError(
            "a graph is a file, a networkx graph, a scipy sparse adjacency matrix or an array of "
            f"edges, integers in two columns or names; got {type(graph).__name__}."
        )
    return from_matrix(array) if dense == "adjacency" else from_edges(array)


def load_graph(
    source: Graph,
    *,
    format: str | None = None,
    labels: Any = None,
    label_column: str | int = 1,
    delimiter: str | None = None,
    directed: bool | None = None,
    weighted: bool = True,
) -> Bunch:
    r"""Load a graph and its labels from a file, a matrix or a networkx graph.

    Parameters
    ----------
    source : path, file, networkx graph, array or sparse matrix of shape (n_nodes, n_nodes)
        A file, a graph, or an adjacency matrix whose entries are weights (0: no edge).
    format : {"edgelist", "gml", "graphml", "adjacency"}, optional
        Format of the file. By default it follows from the extension: ``.gml``, ``.graphml``,
        ``.npy``, ``.npz`` and ``.mtx`` (adjacency matrices); everything else is an edge list. A
        text file with an adjacency matrix needs ``format="adjacency"``.
    labels : str, path, mapping or sequence, optional
        Labels of the nodes: the name of an attribute of the nodes (GML, GraphML and networkx
        graphs), a table with the name of a node in its first column, a mapping from names to
        labels, or one label per node in the order of ``node_names``.
    label_column : str or int, default=1
        The column of the table with the labels: its place, or its name in the header.
    delimiter : str, optional
        What separates the columns of text files, one character; by default detected from the file
        (tab, comma, semicolon or blanks).
    directed : bool, optional
        Whether to keep the direction of the edges. By default both directions are one edge, with a
        warning if the graph is directed.
    weighted : bool, default=True
        Keep the weights of the edges: the third column of an edge list if it holds numbers, the
        attribute ``weight`` or the entries of the matrix. Embeddings use them.

    Returns
    -------
    network : Bunch
        ``graph`` (networkx, on 0, …, n - 1, with ``name`` and ``label`` on the nodes and, if the
        weights differ, ``weight`` on the edges), ``target``, ``target_names`` (None without
        labels), ``node_names``, ``DESCR``, and ``label_origin`` (where the labels were found).

    Warns
    -----
    UserWarning
        If self loops or directions are left out. Repeated edges count once.

    Examples
    --------
    >>> import io
    >>> edges = io.BytesIO(b"source,target\nann,bob\nbob,cid\n")
    >>> network = load_graph(edges, labels={"ann": "x", "bob": "y", "cid": "y"})
    >>> network.node_names.tolist(), network.target.tolist()
    (['ann', 'bob', 'cid'], [0, 1, 1])

    An attribute of a networkx graph:

    >>> import networkx as nx
    >>> load_graph(nx.karate_club_graph(), labels="club").target_names.tolist()
    ['Mr. Hi', 'Officer']
    """
    network = as_network(source, dense="adjacency", format=format, delimiter=delimiter)
    if not network.n_nodes:
        raise ValueError(f"{network.origin} has no nodes")
    network = network if weighted else replace(network, weights=None)
    if network.directed and directed is None:
        warnings.warn(
            f"{network.origin} is directed (a matrix is if it is not symmetric), and the "
            "directions are left out. load_graph keeps them with directed=True, and leaves them "
            "out without this warning with directed=False",
            stacklevel=2,
        )
    network = network.simple(directed=bool(directed))
    target, target_names, label_origin = None, None, ""
    if labels is not None:
        given, label_origin = _given_labels(network, labels, label_column, delimiter)
        without = [name for name in network.node_names.tolist() if given.get(name) is None]
        if without:
            named = network.node_names.dtype.kind == "U" and not network.attributes
            header = named and len(without) < 3 and set(without) <= set(network.node_names[:2])
            raise ValueError(
                f"{len(without)} of {network.n_nodes} nodes of {network.origin} have no label in "
                f"{label_origin}; the first is {without[0]!r}"
                + (". The first line looks like a header: remove it or begin it with #" * header)
            )
        found = [given[name] for name in network.node_names.tolist()]
        if len({type(label) for label in found}) > 1:
            found = [str(label) for label in found]  # numbers and words have no common order
        target_names, target = np.unique(np.array(found), return_inverse=True)
    kind = "edges" if network.weights is None else "weighted edges"
    description = f"{network.origin}: {network.n_nodes} nodes, {len(network.edges)} {kind}"
    bunch = network_bunch(network, target, target_names, description)
    bunch["label_origin"] = label_origin
    return bunch


@dataclass(frozen=True)
class _File:
    """The content of a file, decompressed, and what to call it in messages."""

    origin: str
    content: bytes

    @classmethod
    def read(cls, file: Any) -> "_File":
        """Read a path or an open file."""
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
        packed = content[:2] == b"\x1f\x8b"
        return cls(origin, gunzip(content, origin) if packed else content)

    def text(self) -> str:
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.origin} is not a text file in UTF-8: {error}") from error

    def rows(self, delimiter: str | None) -> list[tuple[int, list[str]]]:
        """Return the number and the cells of each line that is not blank and no comment."""
        lines = [
            (number, line.strip())
            for number, line in enumerate(self.text().splitlines(), start=1)
            if line.strip() and not line.lstrip().startswith(("#", "%", "//"))
        ]
        if not lines:
            raise ValueError(f"{self.origin} is empty")
        mark = delimiter or next((mark for mark in "\t,;" if mark in lines[0][1]), " ")
        return [(number, self._cells(number, line, mark)) for number, line in lines]

    def _cells(self, number: int, line: str, mark: str) -> list[str]:
        """Split a line; what stands in quotation marks is one cell."""
        line = " ".join(line.split()) if mark == " " else line
        try:
            [cells] = csv.reader([line], delimiter=mark, skipinitialspace=True, strict=True)
        except csv.Error as error:
            raise ValueError(
                f"{self.origin}, line {number}: the quotation marks do not close"
            ) from error
        return [cell.strip() for cell in cells]


def _read_network(source: Any, format: str | None, delimiter: str | None) -> Network:
    formats = ("edgelist", "gml", "graphml", "adjacency")
    if format is not None and format not in formats:
        raise ValueError(f"format must be one of {', '.join(formats)}; got {format!r}")
    file = _File.read(source)
    suffix = Path(file.origin.removesuffix(".gz")).suffix.lower().lstrip(".")
    if format is None:
        format = "adjacency" if suffix in ("npy", "npz", "mtx") else suffix
    if format not in formats[1:]:
        return _read_edge_list(file, delimiter)
    text = file.text() if format != "adjacency" else ""
    try:
        if format == "adjacency":
            return from_matrix(_read_matrix(file, suffix, delimiter), file.origin)
        nx = import_optional("networkx", "experiments")
        if format == "graphml":
            return from_networkx(nx.parse_graphml(text), file.origin)
        if not re.search(r"\bmultigraph\b", text):  # networkx would refuse repeated edges
            text = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", text, count=1)
        network = from_networkx(nx.parse_gml(text, label="id"), file.origin)
    except (MemoryError, ImportError):
        raise
    except Exception as error:  # the readers raise almost anything on a damaged file
        what = "adjacency matrix" if format == "adjacency" else f"{format} file"
        raise ValueError(f"{file.origin} is not a readable {what}: {error}") from error
    labels = [attributes.get("label") for attributes in network.attributes]
    unique = None not in labels and len(set(labels)) == len(labels)
    return replace(network, node_names=name_array(labels)) if unique else network


def _read_edge_list(file: _File, delimiter: str | None) -> Network:
    # networkx's reader skips lines with one node without a word and takes a header for an edge.
    rows = file.rows(delimiter)
    if rows[0][1][0].lower() in ("source", "from", "node1", "node_1", "u", "id1", "start", "src"):
        rows = rows[1:]
    for number, cells in rows:
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise ValueError(
                f"{file.origin}, line {number}: an edge needs two nodes; got {' '.join(cells)!r}"
            )
    ends = [cell for _, cells in rows for cell in cells[:2]]
    integers = all(re.fullmatch(r"[+-]?[0-9]{1,18}", end) for end in ends)
    third = [cells[2] for _, cells in rows if len(cells) > 2]
    is_weight = [re.fullmatch(_DECIMAL, cell) is not None for cell in third]
    is_number = [re.fullmatch(_DECIMAL, end) is not None for end in ends]
    numbers_below = not any(is_number[:2]) and all(is_number[2:])
    weights_below = len(third) == len(rows) and is_weight[:1] == [False] and all(is_weight[1:])
    if len(rows) > 1 and (numbers_below or weights_below):
        raise ValueError(
            f"{file.origin}, line {rows[0][0]}: {' '.join(rows[0][1])!r} looks like a header; the "
            "lines below it have numbers. Remove it or begin it with #"
        )
    weights = None
    if len(third) == len(rows) and all(is_weight):
        weights = as_weights(third, file.origin)
    return from_pairs(list(map(int, ends)) if integers else ends, weights, file.origin)


def _read_matrix(file: _File, suffix: str, delimiter: str | None) -> Any:
    if suffix == "mtx":
        return read_matrices(file.content, file.origin, "mtx")["matrix"]
    if suffix not in ("npy", "npz"):
        lines = [" ".join(cells) for _, cells in file.rows(delimiter)]
        return np.loadtxt(lines, dtype=np.float64, ndmin=2)
    arrays = read_numpy(io.BytesIO(file.content), file.origin, suffix)
    if "format" in arrays:
        return sp.load_npz(io.BytesIO(file.content))
    if len(arrays) != 1:
        raise ValueError(f"it has {len(arrays)} arrays where one is wanted")
    return next(iter(arrays.values()))


def _given_labels(
    network: Network, labels: Any, column: str | int, delimiter: str | None
) -> tuple[Mapping[Any, Any], str]:
    """Return the labels by the name of the node, and where they were found."""
    if isinstance(labels, Mapping):
        return labels, "the mapping"
    names = network.node_names.tolist()
    if not isinstance(labels, str | os.PathLike):
        values = list(labels)
        if len(values) != network.n_nodes:
            raise ValueError(f"{len(values)} labels were given for {network.n_nodes} nodes")
        return dict(zip(names, values, strict=True)), "the list"
    known = sorted({key for attributes in network.attributes for key in attributes})
    if labels in known:
        values = [attributes.get(labels) for attributes in network.attributes]
        origin = f"the attribute {labels!r} of {network.origin}"
        return dict(zip(names, values, strict=True)), origin
    if not Path(labels).is_file():
        has = f"the attributes {', '.join(known)}" if known else "no attributes"
        raise ValueError(
            f"the labels {os.fspath(labels)!r} are neither a file nor an attribute of the nodes of "
            f"{network.origin}, which have {has}"
        )
    file = _File.read(labels)
    rows = file.rows(delimiter)
    header = rows[0][1]
    if isinstance(column, str) and column not in header:
        raise ValueError(f"{labels} has no column {column!r}; its header is {', '.join(header)}")
    place = header.index(column) if isinstance(column, str) else column
    # A first row that names no node is a header.
    named = isinstance(column, str) or header[0] not in set(map(str, names))
    integers = network.node_names.dtype.kind in "iu"
    given = {}
    for number, cells in rows[named:]:
        if len(cells) <= place:
            raise ValueError(f"{labels}, line {number}: there is no column {place}")
        name = int(cells[0]) if integers and re.fullmatch("[+-]?[0-9]+", cells[0]) else cells[0]
        given[name] = cells[place]
    shown = repr(header[place]) if named and place < len(header) else place + 1
    return given, f"the column {shown} of {labels}"
