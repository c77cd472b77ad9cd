"""A graph in memory: named nodes and edges, from networkx, from matrices, from lists of edges."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, Ints

Graph: TypeAlias = Any  # networkx graph, sparse adjacency, edges, path or file


@dataclass(frozen=True)
class Network:
    """Named nodes and the edges between them.

    Attributes
    ----------
    node_names : ndarray of shape (n_nodes,)
        What the caller calls each node.
    edges : ndarray of shape (n_edges, 2)
        The ends of each edge, as places in `node_names`.
    weights : ndarray of shape (n_edges,), optional
        Weights of the edges; None if all weights are equal.
    directed : bool, default=False
        Whether the edges have a direction.
    attributes : tuple of dict, default=()
        The attributes of each node, where the graph came with some.
    origin : str, default="the graph"
        Where the graph came from, for messages.

    Examples
    --------
    >>> network = Network(np.array(["a", "b", "c"]), np.array([[0, 1], [1, 0], [1, 2]]))
    >>> network.n_nodes, network.degrees, len(network.simple().edges)
    (3, array([1, 2, 1]), 2)
    """

    node_names: NDArray[Any]
    edges: Ints
    weights: Array | None = None
    directed: bool = False
    attributes: tuple[dict[str, Any], ...] = ()
    origin: str = "the graph"

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
            Do not warn about self loops.

        Returns
        -------
        network : Network

        Raises
        ------
        ValueError
            If a weight is not positive, or repeated edges have different weights.
        """
        loops = self.edges[:, 0] == self.edges[:, 1]
        if loops.any() and not quiet:
            warnings.warn(f"{self.origin}: {loops.sum()} self loops are left out", stacklevel=3)
        given = self.edges[~loops] if directed else np.sort(self.edges[~loops], axis=1)
        edges, first, place = np.unique(given, axis=0, return_index=True, return_inverse=True)
        if self.weights is None:
            return replace(self, edges=edges, directed=directed)
        weights = self.weights[~loops]
        bad = ~((weights > 0.0) & (weights < np.inf)) | (weights != weights[first][place.ravel()])
        if bad.any():
            at = np.flatnonzero(bad)[0]
            one, two = self.node_names[given[at]].tolist()
            raise ValueError(
                f"{self.origin} gives the edge between {one!r} and {two!r} the weight "
                f"{weights[at]:g}; weights must be positive and finite, and equal where an "
                "edge is repeated. Change the weights, or leave them out"
            )
        return replace(self, edges=edges, weights=weights[first], directed=directed)

    @cached_property
    def adjacency(self) -> Any:
        """Symmetric sparse matrix of the weights, or of ones, with sorted indices."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        values = np.ones(len(both)) if self.weights is None else np.tile(self.weights, 2)
        adjacency = sp.csr_array((values, both.T), shape=(self.n_nodes, self.n_nodes))
        adjacency.sum_duplicates()
        if self.weights is None:
            adjacency.data[:] = 1.0
        return adjacency

    @property
    def degrees(self) -> Ints:
        """Number of neighbours of each node."""
        return np.asarray(np.diff(self.adjacency.indptr), dtype=np.intp)


def from_networkx(graph: Any, origin: str = "the graph") -> Network:
    """Take a networkx graph of any class, with the edge attribute ``weight``."""
    place = {name: number for number, name in enumerate(graph.nodes)}
    edges = np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.intp)
    weights = [1.0 if weight is None else weight for *_, weight in graph.edges(data="weight")]
    return Network(
        name_array(list(place)),
        edges.reshape(-1, 2),
        as_weights(weights, origin),
        graph.is_directed(),
        tuple(dict(attributes) for _, attributes in graph.nodes(data=True)),
        origin,
    )


def from_matrix(matrix: Any, origin: str = "the adjacency matrix") -> Network:
    """Take a matrix whose entries are weights, 0 for no edge; not symmetric: a directed graph."""
    if not sp.issparse(matrix):
        matrix = np.asarray(matrix)
    elif hasattr(matrix, "check_format"):
        try:  # indices that point outside the arrays would be followed in C
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(f"{origin} is not a valid sparse matrix: {error}") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{origin} must be square; its shape is {matrix.shape}")
    n_nodes, n_entries = matrix.shape[0], matrix.nnz if sp.issparse(matrix) else matrix.size
    if n_nodes > max(1_000_000, 100 * n_entries):  # a few bytes can claim any number of nodes
        raise ValueError(
            f"{origin} has {n_nodes} nodes and {n_entries} entries; almost all nodes are without "
            "an edge. Leave them out, or give a list of edges"
        )
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{origin} must hold real numbers; its type is {matrix.dtype}")
    entries = sp.csr_array(matrix).astype(np.float64)
    entries.sum_duplicates()
    places = entries.tocoo()
    bad = np.flatnonzero(~(np.isfinite(entries.data) & (entries.data >= 0.0)))
    if bad.size:
        raise ValueError(
            f"{origin} has the entry {entries.data[bad[0]]:g} in row {places.row[bad[0]]}, column "
            f"{places.col[bad[0]]}; entries must be finite and not negative (0: no edge)"
        )
    entries.eliminate_zeros()
    edges = np.column_stack(entries.nonzero()).astype(np.intp)
    weights = as_weights(entries.data, origin)
    directed = (entries != entries.T).nnz > 0
    return Network(np.arange(n_nodes), edges, weights, directed, origin=origin)


def from_edges(array: NDArray[Any]) -> Network:
    """Take an array of edges between names of any kind."""
    if array.size == 0:
        return Network(np.arange(0), np.empty((0, 2), dtype=np.intp))
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"edges are integers in two columns, or names; got an array of shape {array.shape}. "
            "Wrap a dense adjacency matrix in scipy.sparse.csr_array."
        )
    if array.dtype.kind not in "iuUSO":
        raise ValueError(f"edges are whole numbers or names; got values of type {array.dtype}.")
    if array.dtype.kind == "O":  # names that need not be comparable: in order of appearance
        return from_pairs(array.ravel().tolist())
    names, numbers = np.unique(array, return_inverse=True)
    return Network(names, numbers.reshape(-1, 2).astype(np.intp))


def from_pairs(ends: list[Any], weights: Array | None = None, origin: str = "the graph") -> Network:
    """Take the ends of all edges in a row; integers are sorted, other names keep their order."""
    integers = all(isinstance(end, int) for end in ends)
    names = sorted(set(ends)) if integers else list(dict.fromkeys(ends))
    place = {name: number for number, name in enumerate(names)}
    edges = np.array([place[end] for end in ends], dtype=np.intp).reshape(-1, 2)
    return Network(name_array(names), edges, weights, origin=origin)


def as_weights(weights: ArrayLike, origin: str) -> Array | None:
    """Return weights of edges as numbers, or None if all are equal."""
    try:
        values = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{origin} has a weight that is not a number: {error}") from error
    return values if np.unique(values).size > 1 else None


def name_array(names: list[Any]) -> NDArray[Any]:
    """Make an array of names: of integers or of words where all are, otherwise of objects."""
    for kind in (int | np.integer, str):
        if names and all(isinstance(name, kind) for name in names):
            return np.array(names)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def network_bunch(
    network: Network, target: Ints | None, target_names: NDArray[Any] | None, description: str
) -> Bunch:
    """Build what every loader of a network returns."""
    nx = import_optional("networkx", "experiments")
    graph = nx.DiGraph() if network.directed else nx.Graph()
    graph.add_nodes_from((n, {"name": name}) for n, name in enumerate(network.node_names))
    if target is not None and target_names is not None:
        nx.set_node_attributes(graph, dict(enumerate(target_names[target].tolist())), "label")
    graph.add_edges_from(network.edges.tolist())
    if network.weights is not None:
        weighted = zip(*network.edges.T.tolist(), network.weights.tolist(), strict=True)
        graph.add_weighted_edges_from(weighted)
    return Bunch(
        graph=graph,
        target=target,
        target_names=target_names,
        node_names=network.node_names,
        DESCR=description,
    )
