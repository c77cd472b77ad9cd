"""Graphs at the door: networkx, sparse matrices and edge lists become one checked adjacency."""

import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

Graph: TypeAlias = Any  # networkx graph, scipy sparse adjacency or edge array
Nodes: TypeAlias = NDArray[np.intp]

DISCONNECTED = ("largest", "error", "keep")


@dataclass(frozen=True)
class Network:
    """A simple undirected graph.

    Attributes
    ----------
    adjacency : csr_array of shape (n_nodes, n_nodes)
        Zeros and ones, symmetric, nothing on the diagonal, indices sorted.
    node_names : ndarray of shape (n_nodes,)
        What the caller calls each node.
    """

    adjacency: Any
    node_names: NDArray[Any]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.node_names.size

    @property
    def degrees(self) -> Nodes:
        """Number of neighbours of each node."""
        degrees: Nodes = np.diff(self.adjacency.indptr).astype(np.intp)
        return degrees


def as_network(graph: Graph, *, disconnected: str = "largest", min_nodes: int = 2) -> Network:
    """Check a graph of any supported kind.

    Weights are not used and repeated edges count once. Self loops are left out with a warning.

    Parameters
    ----------
    graph : networkx.Graph, scipy sparse adjacency, or array-like of shape (n_edges, 2)
        Nodes of a sparse matrix are called 0, …, n - 1; those of an edge array are its different
        values, sorted.
    disconnected : {"largest", "error", "keep"}, default="largest"
        What to do with a graph of several components: take the largest and warn, refuse, or take
        all of it (then every node needs a neighbour).
    min_nodes : int, default=2
        Fewer nodes are refused.

    Returns
    -------
    network : Network

    Examples
    --------
    >>> network = as_network([("a", "b"), ("b", "c"), ("c", "b")])
    >>> network.degrees, [str(name) for name in network.node_names]
    (array([1, 2, 1]), ['a', 'b', 'c'])
    """
    if disconnected not in DISCONNECTED:
        raise ValueError(f"disconnected must be one of {DISCONNECTED}; got {disconnected!r}.")
    if hasattr(graph, "is_directed"):
        edges, names = _from_networkx(graph)
    elif sp.issparse(graph):
        edges, names = _from_sparse(graph)
    else:
        edges, names = _from_edge_array(graph)
    network = Network(_simple_adjacency(edges, names.size), names)
    if network.adjacency.nnz == 0:
        raise ValueError(f"the graph has no edges (and {names.size} nodes): nothing to embed.")
    network = _choose_component(network, disconnected)
    if network.n_nodes < min_nodes:
        raise ValueError(
            f"the graph has {network.n_nodes} connected nodes; at least {min_nodes} are needed."
        )
    return network


def _from_networkx(graph: Any) -> tuple[Nodes, NDArray[Any]]:
    if graph.is_directed():
        raise ValueError(
            "the graph is directed and this embedding is of undirected graphs: pass "
            "graph.to_undirected() if the directions may be dropped."
        )
    names = list(graph.nodes)
    index = {name: i for i, name in enumerate(names)}
    edges = np.array([(index[a], index[b]) for a, b in graph.edges()], dtype=np.intp)
    return edges.reshape(-1, 2), _name_array(names)


def _from_sparse(matrix: Any) -> tuple[Nodes, NDArray[Any]]:
    rows, columns = matrix.shape
    if rows != columns:
        raise ValueError(f"an adjacency matrix is square; got shape {matrix.shape}.")
    pattern = sp.coo_array(matrix)
    if not np.isfinite(pattern.data).all():
        raise ValueError("the adjacency matrix has entries that are not finite.")
    there: Any = sp.csr_array((pattern.data != 0, pattern.coords), shape=pattern.shape)
    there.eliminate_zeros()
    if (there != there.T).nnz:
        raise ValueError(
            "the adjacency matrix is not symmetric, so the graph is directed: pass A + A.T if the "
            "directions may be dropped."
        )
    upper = sp.coo_array(sp.triu(there))
    return np.column_stack(upper.coords).astype(np.intp), np.arange(rows)


def _from_edge_array(edges: Any) -> tuple[Nodes, NDArray[Any]]:
    array = np.asarray(edges)
    if array.size == 0:
        raise ValueError("the graph has no edges: nothing to embed.")
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            "a graph is a networkx graph, a scipy sparse adjacency matrix or an array of edges "
            f"with two columns; got an array of shape {array.shape}. Wrap a dense adjacency matrix "
            "in scipy.sparse.csr_array."
        )
    if array.dtype.kind not in "iuUSO":
        raise ValueError(
            f"edges are pairs of whole numbers or names; got numbers of type {array.dtype}."
        )
    if array.dtype.kind == "O":  # names that need not be comparable: in order of appearance
        index: dict[Any, int] = {}
        flat = [index.setdefault(name, len(index)) for name in array.ravel()]
        return np.array(flat, dtype=np.intp).reshape(-1, 2), _name_array(list(index))
    names, numbers = np.unique(array, return_inverse=True)
    return numbers.reshape(-1, 2).astype(np.intp), names


def _name_array(names: list[Any]) -> NDArray[Any]:
    """Keep integers as integers and everything else, tuples too, as one object each."""
    if names and all(isinstance(name, int | np.integer) for name in names):
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def _simple_adjacency(edges: Nodes, n_nodes: int) -> Any:
    loops = edges[:, 0] == edges[:, 1]
    if loops.any():
        warnings.warn(f"{int(loops.sum())} self loops are left out.", UserWarning, stacklevel=4)
        edges = edges[~loops]
    both = np.concatenate([edges, edges[:, ::-1]])
    ones = np.ones(len(both))
    adjacency = sp.csr_array((ones, (both[:, 0], both[:, 1])), shape=(n_nodes, n_nodes))
    adjacency.sum_duplicates()
    adjacency.data[:] = 1.0
    return adjacency


def _choose_component(network: Network, disconnected: str) -> Network:
    n_components, component = connected_components(network.adjacency, directed=False)
    if n_components == 1:
        return network
    sizes = np.bincount(component)
    if disconnected == "keep":
        if sizes.min() == 1:
            alone = network.node_names[network.degrees == 0]
            raise ValueError(
                f"{alone.size} nodes have no neighbour (the first is {alone[0]!r}) and nothing "
                'says where they belong: leave them out or choose disconnected="largest".'
            )
        return network
    if disconnected == "error":
        raise ValueError(
            f"the graph has {n_components} components; the largest has {sizes.max()} of "
            f'{network.n_nodes} nodes. Choose disconnected="largest" to embed that one.'
        )
    kept = np.flatnonzero(component == np.argmax(sizes))
    warnings.warn(
        f"the graph has {n_components} components: the largest, of {kept.size} nodes, is "
        f"embedded and {network.n_nodes - kept.size} nodes are left out.",
        UserWarning,
        stacklevel=4,
    )
    return Network(network.adjacency[kept][:, kept], network.node_names[kept])
