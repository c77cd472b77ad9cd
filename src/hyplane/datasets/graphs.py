"""A graph in memory: named nodes and edges, from networkx, from matrices, from lists of edges."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Graph: TypeAlias = Any  # networkx graph, sparse adjacency, edges, path or file
Nodes: TypeAlias = NDArray[np.intp]

# A matrix of a few bytes can claim any number of nodes.
_MANY_NODES = 1_000_000
_NODES_PER_ENTRY = 100
MOST_NODES = 1_000_000_000

KINDS = (
    "a graph is a file, a networkx graph, a scipy sparse adjacency matrix or an array of edges, "
    "integers in two columns or names"
)


@dataclass(frozen=True)
class Network:
    """Named nodes and the edges between them.

    Attributes
    ----------
    node_names : ndarray of shape (n_nodes,)
        What the caller calls each node.
    edges : ndarray of shape (n_edges, 2)
        The ends of each edge, as places in `node_names`.
    directed : bool, default=False
        Whether the edges have a direction.
    attributes : list of dict, default=[]
        The attributes of each node, where the graph came with some.
    origin : str, default="the graph"
        Where it came from, for messages.
    weights : str, default=""
        Where weights of the edges were found, which are not kept; empty where all are equal.

    Examples
    --------
    >>> network = Network(np.array(["a", "b", "c"]), np.array([[0, 1], [1, 0], [1, 2]]))
    >>> network.n_nodes, network.degrees, len(network.simple().edges)
    (3, array([1, 2, 1]), 2)
    """

    node_names: NDArray[Any]
    edges: Nodes
    directed: bool = False
    attributes: tuple[dict[str, Any], ...] = ()
    origin: str = "the graph"
    weights: str = ""

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.node_names.size

    def simple(self, *, directed: bool = False, quiet: bool = False) -> "Network":
        """Leave self loops out, with a warning, and count repeated edges once.

        Parameters
        ----------
        directed : bool, default=False
            Keep the direction of the edges. Otherwise both directions are one edge.
        quiet : bool, default=False
            Leave the warning out, where self loops change nothing.

        Returns
        -------
        network : Network
        """
        loops = self.edges[:, 0] == self.edges[:, 1]
        if loops.any() and not quiet:
            warnings.warn(f"{self.origin}: {loops.sum()} self loops are left out", stacklevel=3)
        edges = self.edges[~loops] if directed else np.sort(self.edges[~loops], axis=1)
        return replace(self, edges=np.unique(edges, axis=0), directed=directed)

    @cached_property
    def adjacency(self) -> Any:
        """Sparse matrix of zeros and ones, symmetric, with sorted indices."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        shape = (self.n_nodes, self.n_nodes)
        adjacency = sp.csr_array((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=shape)
        adjacency.sum_duplicates()
        adjacency.data[:] = 1.0
        return adjacency

    @property
    def degrees(self) -> Nodes:
        """Number of neighbours of each node."""
        degrees: Nodes = np.diff(self.adjacency.indptr).astype(np.intp)
        return degrees

    def subgraph(self, nodes: Nodes) -> "Network":
        """Keep some of the nodes and the edges between them.

        Parameters
        ----------
        nodes : ndarray of int
            Places of the nodes to keep.

        Returns
        -------
        network : Network
        """
        nodes = np.asarray(nodes)
        if nodes.ndim != 1 or (nodes.size and nodes.dtype.kind not in "iu"):
            raise TypeError("nodes must be a list of places of nodes.")
        outside = nodes[(nodes < 0) | (nodes >= self.n_nodes)] if nodes.size else nodes
        if outside.size:
            raise ValueError(f"there is no node {outside[0]}: there are {self.n_nodes}.")
        nodes = nodes.astype(np.intp)
        place = np.full(self.n_nodes, -1)
        place[nodes] = np.arange(len(nodes))
        edges = place[self.edges]
        attributes = tuple(self.attributes[node] for node in nodes) if self.attributes else ()
        return replace(
            self,
            node_names=self.node_names[nodes],
            edges=edges[(edges >= 0).all(axis=1)],
            attributes=attributes,
        )


def from_networkx(graph: Any, origin: str = "the graph") -> Network:
    """Take a networkx graph of any class.

    Parameters
    ----------
    graph : networkx graph
    origin : str, default="the graph"
        What to call it in messages.

    Returns
    -------
    network : Network

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.path_graph(3)).edges.tolist()
    [[0, 1], [1, 2]]
    """
    names = list(graph.nodes)
    place = {name: number for number, name in enumerate(names)}
    edges = np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.intp)
    attributes = tuple(dict(graph.nodes[name]) for name in names)
    weights = {weight for _, _, weight in graph.edges(data="weight") if weight is not None}
    return Network(
        name_array(names),
        edges.reshape(-1, 2),
        graph.is_directed(),
        attributes,
        origin,
        "the attribute 'weight'" if len(weights) > 1 else "",
    )


def from_matrix(matrix: Any, origin: str = "the adjacency matrix") -> Network:
    """Take an adjacency matrix; one that is not symmetric is a directed graph.

    Parameters
    ----------
    matrix : array-like or sparse matrix of shape (n_nodes, n_nodes)
        Entries other than 0 are edges.
    origin : str, default="the adjacency matrix"
        What to call it in messages.

    Returns
    -------
    network : Network

    Examples
    --------
    >>> network = from_matrix([[0, 1], [0, 0]])
    >>> network.edges.tolist(), network.directed
    ([[0, 1]], True)
    """
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
    elif hasattr(matrix, "check_format"):
        # Indices that point outside the arrays would be followed in C.
        try:
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(f"{origin} is not a valid sparse matrix: {error}") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{origin} must be square; its shape is {matrix.shape}")
    n_entries = matrix.nnz if sp.issparse(matrix) else matrix.size
    if matrix.shape[0] > max(_MANY_NODES, _NODES_PER_ENTRY * n_entries):
        raise ValueError(
            f"{origin} has {matrix.shape[0]} nodes and {n_entries} entries; almost all nodes are "
            "without an edge. Leave them out, or give a list of edges"
        )
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{origin} must hold real numbers; its type is {matrix.dtype}")
    entries = sp.coo_array(matrix)
    values = np.asarray(entries.data)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        row, column, value = entries.row[bad[0]], entries.col[bad[0]], values[bad[0]]
        raise ValueError(
            f"{origin} has the entry {value} in row {row}, column {column}; entries must be "
            "finite and not negative (0: no edge)"
        )
    edges = np.column_stack([entries.row, entries.col])[values != 0].astype(np.intp)
    edges = np.unique(edges, axis=0).reshape(-1, 2)
    backwards = edges[:, ::-1][np.lexsort((edges[:, 0], edges[:, 1]))]
    directed = not np.array_equal(edges, backwards)
    weights = "entries of the matrix" if len(np.unique(values[values != 0])) > 1 else ""
    return Network(np.arange(matrix.shape[0]), edges, directed, origin=origin, weights=weights)


def from_edges(array: NDArray[Any], n_nodes: int | None) -> Network:
    """Take an array of edges between names, or between numbers below `n_nodes`.

    Parameters
    ----------
    array : ndarray of shape (n_edges, 2)
    n_nodes : int or None
        None for names of any kind.

    Returns
    -------
    network : Network

    Examples
    --------
    >>> from_edges(np.array([[0, 2]]), 4).n_nodes, from_edges(np.array([[0, 2]]), None).n_nodes
    (4, 2)
    """
    if n_nodes is not None and (
        not isinstance(n_nodes, int | np.integer) or not 0 <= n_nodes <= MOST_NODES
    ):
        raise ValueError(f"n_nodes must be a whole number up to {MOST_NODES}; got {n_nodes!r}.")
    if array.size == 0:
        return Network(np.arange(n_nodes or 0), np.empty((0, 2), dtype=np.intp))
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"{KINDS}; got an array of shape {array.shape}. Wrap a dense adjacency matrix in "
            "scipy.sparse.csr_array."
        )
    if array.dtype.kind not in ("iu" if n_nodes is not None else "iuUSO"):
        raise ValueError(
            "edges are whole numbers, that is, integers in two columns"
            f"{'' if n_nodes is not None else ', or names'}; got values of type {array.dtype}."
        )
    if n_nodes is not None:
        bad = np.flatnonzero(((array < 0) | (array >= n_nodes)).any(axis=1))
        if bad.size:
            raise ValueError(
                f"edge {bad[0]} is {array[bad[0]].tolist()}; nodes are counted 0, …, {n_nodes - 1}"
            )
        return Network(np.arange(n_nodes), array.astype(np.intp))
    if array.dtype.kind == "O":  # names that need not be comparable: in order of appearance
        place: dict[Any, int] = {}
        flat = [place.setdefault(name, len(place)) for name in array.ravel()]
        return Network(name_array(list(place)), np.array(flat, dtype=np.intp).reshape(-1, 2))
    names, numbers = np.unique(array, return_inverse=True)
    return Network(names, numbers.reshape(-1, 2).astype(np.intp))


def name_array(names: list[Any]) -> NDArray[Any]:
    """Make an array of names: integers as they are, everything else as one object each.

    Parameters
    ----------
    names : list

    Returns
    -------
    array : ndarray of shape (n_names,)

    Examples
    --------
    >>> name_array([3, 1]), name_array([(0, 1), "a"])
    (array([3, 1]), array([(0, 1), 'a'], dtype=object))
    """
    if names and all(isinstance(name, int | np.integer) for name in names):
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array
