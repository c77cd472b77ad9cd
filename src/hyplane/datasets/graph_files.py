"""A graph of one's own, from a file or from memory: the one way in for all of them."""

import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Bunch

from hyplane.datasets._graph_readers import GRAPH_FORMATS, Source, read_network
from hyplane.datasets.graphs import (
    KINDS,
    Graph,
    Network,
    from_edges,
    from_matrix,
    from_networkx,
)
from hyplane.datasets.networks import network_bunch


def as_network(
    graph: Graph,
    *,
    dense: str = "edges",
    n_nodes: int | None = None,
    format: str | None = None,
    delimiter: str | None = None,
) -> Network:
    """Take a graph of any supported kind.

    Parameters
    ----------
    graph : networkx graph, sparse matrix, array-like, path or binary file
        Entries of a matrix other than 0 are edges; its nodes are called 0, …, n - 1.
    dense : {"edges", "adjacency"}, default="edges"
        What an array or a list is: one edge a row, with two nodes, or an adjacency matrix.
    n_nodes : int, optional
        Take the nodes of an array of edges as numbers below this. By default they are names of
        any kind; the nodes are its different values, sorted.
    format : {"edgelist", "gml", "graphml", "adjacency"}, optional
        Format of a file; by default that of its extension, see `load_graph`.
    delimiter : str, optional
        What separates the columns of a text file; found out by default.

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
        return read_network(graph, format, delimiter)
    if hasattr(graph, "is_directed") and hasattr(graph, "nodes"):
        return from_networkx(graph)
    if sp.issparse(graph):
        return from_matrix(graph)
    array = np.asarray(graph)
    if array.ndim == 0:
        raise ValueError(f"{KINDS}; got {type(graph).__name__}.")
    return from_matrix(array) if dense == "adjacency" else from_edges(array, n_nodes)


def load_graph(
    source: Any,
    *,
    format: str | None = None,
    labels: Any = None,
    label_column: str | int = 1,
    label_attribute: str | None = None,
    delimiter: str | None = None,
    directed: bool = False,
) -> Bunch:
    r"""Load a graph and its labels from a file, a matrix or a networkx graph.

    Parameters
    ----------
    source : path, file, networkx graph, array or sparse matrix of shape (n_nodes, n_nodes)
        A file, a graph, or an adjacency matrix whose entries other than 0 are edges.
    format : {"edgelist", "gml", "graphml", "adjacency"}, optional
        Format of the file. By default it follows from the extension: ``.gml``, ``.graphml``,
        ``.npy``, ``.npz`` and ``.mtx`` (adjacency matrices); everything else is an edge list. A
        text file with an adjacency matrix needs ``format="adjacency"``.
    labels : path, mapping or sequence, optional
        Labels of the nodes: a table with the name of a node in its first column, or a mapping
        from names to labels, or one label per node in the order of ``node_names``.
    label_column : str or int, default=1
        The column of the table with the labels: its place, or its name in the header.
    label_attribute : str, optional
        Attribute of the nodes that holds the labels (GML, GraphML and networkx graphs).
    delimiter : str, optional
        What separates the columns of text files; found out by default (tabs, commas, semicolons
        or blanks).
    directed : bool, default=False
        Keep the direction of the edges. Otherwise both directions are one edge.

    Returns
    -------
    network : Bunch
        ``graph`` (networkx, on 0, …, n - 1, with ``name`` and ``label`` on the nodes),
        ``target``, ``target_names`` (None without labels), ``node_names``, ``DESCR``, and
        ``label_origin`` (where the labels were found, in words).

    Warns
    -----
    UserWarning
        If self loops are left out, or the edges have different weights, which are not kept.
        Repeated edges count once.

    Examples
    --------
    >>> import io
    >>> edges = io.BytesIO(b"source,target\nann,bob\nbob,cid\n")
    >>> network = load_graph(edges, labels={"ann": "x", "bob": "y", "cid": "y"})
    >>> network.node_names.tolist(), network.target.tolist()
    (['ann', 'bob', 'cid'], [0, 1, 1])
    """
    if format is not None and format not in GRAPH_FORMATS:
        raise ValueError(f"format must be one of {', '.join(GRAPH_FORMATS)}; got {format!r}")
    if labels is not None and label_attribute is not None:
        raise ValueError("give labels or label_attribute, not both")
    network = as_network(source, dense="adjacency", format=format, delimiter=delimiter)
    if not network.n_nodes:
        raise ValueError(f"{network.origin} has no nodes")
    if network.weights:
        warnings.warn(
            f"{network.origin}: the weights of the edges ({network.weights}) are not used, every "
            "edge counts the same",
            stacklevel=2,
        )
    network = network.simple(directed=directed)
    target, target_names, label_origin = None, None, ""
    if label_attribute is not None:
        target_names, target = _encode(_attribute_labels(network, label_attribute))
        label_origin = f"the attribute {label_attribute!r} of {network.origin}"
    elif labels is not None:
        found, label_origin = _given_labels(network, labels, label_column, delimiter)
        target_names, target = _encode(found)
    bunch = network_bunch(
        network.n_nodes,
        network.edges,
        target,
        target_names,
        np.array(network.node_names.tolist()),
        directed=directed,
        description=f"{network.origin}: {network.n_nodes} nodes, {len(network.edges)} edges",
    )
    bunch["label_origin"] = label_origin
    return bunch


def _attribute_labels(network: Network, attribute: str) -> list[Any]:
    known = sorted({key for attributes in network.attributes for key in attributes})
    if attribute not in known:
        has = f"the attributes {', '.join(known)}" if known else "no attributes"
        raise ValueError(
            f"no node of {network.origin} has the attribute {attribute!r}; they have {has}"
        )
    given = {
        name: attributes[attribute]
        for name, attributes in zip(network.node_names.tolist(), network.attributes, strict=True)
        if attributes.get(attribute) is not None
    }
    return _in_order(network, given, f"the attribute {attribute!r}")


def _given_labels(
    network: Network, labels: Any, column: str | int, delimiter: str | None
) -> tuple[list[Any], str]:
    """Return a label for each node, and where they were found."""
    if isinstance(labels, str | os.PathLike):
        found, name = _table_labels(labels, network, column, delimiter)
        return _in_order(network, found, str(labels)), f"the column {name} of {labels}"
    if isinstance(labels, Mapping):
        return _in_order(network, dict(labels), "labels"), "the mapping"
    values = list(labels)
    if len(values) != network.n_nodes:
        raise ValueError(f"{len(values)} labels were given for {network.n_nodes} nodes")
    return values, "the list"


def _table_labels(
    path: Any, network: Network, column: str | int, delimiter: str | None
) -> tuple[dict[Any, str], str]:
    rows = Source.of(path).rows(delimiter)
    as_name = int if all(isinstance(name, int) for name in network.node_names.tolist()) else str
    place, start = column, 0
    header = rows[0][1]
    if isinstance(column, str):
        if column not in header:
            raise ValueError(f"{path} has no column {column!r}; its header is {', '.join(header)}")
        place, start = header.index(column), 1
    elif rows[0][1][0] not in {str(name) for name in network.node_names.tolist()}:
        start = 1  # the first row names no node: it is a header
    found: dict[Any, str] = {}
    for number, cells in rows[start:]:
        if len(cells) <= int(place):
            raise ValueError(f"{path}, line {number}: there is no column {place}")
        try:
            if as_name is int and not re.fullmatch(r"[+-]?[0-9]+", cells[0]):
                raise ValueError("not a whole number")
            found[as_name(cells[0])] = cells[int(place)]
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {cells[0]!r} is no node") from error
    named = start == 1 and int(place) < len(header)
    return found, repr(header[int(place)]) if named else str(int(place) + 1)


def _in_order(network: Network, given: dict[Any, Any], where: str) -> list[Any]:
    without = [name for name in network.node_names.tolist() if name not in given]
    if without:
        raise ValueError(
            f"{len(without)} of {network.n_nodes} nodes of {network.origin} have no label in "
            f"{where}; the first is {without[0]!r}"
        )
    return [given[name] for name in network.node_names.tolist()]


def _encode(labels: list[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct labels in order, and the place of each label among them."""
    if len({type(label) for label in labels}) > 1:
        labels = [str(label) for label in labels]  # numbers and words have no common order
    names, target = np.unique(np.array(labels), return_inverse=True)
    return names, target.astype(np.intp)
