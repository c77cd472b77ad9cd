"""The part of a graph that can be embedded: undirected, with an edge at every node."""

import warnings

import numpy as np
from scipy.sparse.csgraph import connected_components

from hyplane.datasets import Network, as_network
from hyplane.datasets.graphs import Graph

__all__ = ["DISCONNECTED", "Graph", "Network", "connected_network"]

DISCONNECTED = ("largest", "error", "keep")


def connected_network(
    graph: Graph, *, disconnected: str = "largest", min_nodes: int = 2
) -> Network:
    """Take an undirected graph and choose among its components.

    Weights are not used and repeated edges count once. Self loops are left out with a warning.

    Parameters
    ----------
    graph : networkx.Graph, scipy sparse adjacency, array-like of shape (n_edges, 2), or a file
        As `hyplane.datasets.as_network` takes it.
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
    >>> network = connected_network([("a", "b"), ("b", "c"), ("c", "b")])
    >>> network.degrees, [str(name) for name in network.node_names]
    (array([1, 2, 1]), ['a', 'b', 'c'])
    """
    if disconnected not in DISCONNECTED:
        raise ValueError(f"disconnected must be one of {DISCONNECTED}; got {disconnected!r}.")
    network = as_network(graph)
    if network.directed:
        raise ValueError(
            f"{network.origin} is directed (an adjacency matrix is where it is not symmetric), and "
            "this embedding is of undirected graphs: pass graph.to_undirected(), or A + A.T, if "
            "the directions may be dropped."
        )
    network = network.simple()
    if not len(network.edges):
        raise ValueError(f"the graph has no edges (and {network.n_nodes} nodes): nothing to embed.")
    network = _choose_component(network, disconnected)
    if network.n_nodes < min_nodes:
        raise ValueError(
            f"the graph has {network.n_nodes} connected nodes; at least {min_nodes} are needed."
        )
    return network


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
    return network.subgraph(kept)
