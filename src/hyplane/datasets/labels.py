"""Labels that spread along the edges of a growing network, as in the paper's second experiment."""

from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils._param_validation import Interval, validate_parameter_constraints

from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Ints
from hyplane.datasets.graph_files import as_network
from hyplane.datasets.graphs import Network
from hyplane.datasets.popularity_similarity import PopularitySimilarityNetwork


def propagate_labels(
    graph: PopularitySimilarityNetwork | ArrayLike | Any,
    n_labels: int = 10,
    size_range: tuple[int, int] = (20, 50),
    *,
    probability: float = 0.8,
    n_nodes: int | None = None,
    max_tries: int = 10_000,
    random_state: RandomState = None,
) -> tuple[Ints, Ints]:
    """Draw labels that newer nodes inherit from the older nodes they link to.

    For each label a pioneer is drawn uniformly; each edge carries the label from the older to
    the newer node with probability `probability`; every node reached has the label. A draw
    whose size is outside `size_range` is discarded.

    Parameters
    ----------
    graph : PopularitySimilarityNetwork, networkx graph or array-like of shape (n_edges, 2)
        Edges from the older to the newer node. An array holds node numbers from 0; an undirected
        networkx graph is read as a graph whose nodes were added in the order of their birth. Edges
        have no weights.
    n_labels : int, default=10
    size_range : tuple of int, default=(20, 50)
        Least and greatest number of nodes with a label, both included. The paper: (20, 50),
        (50, 100) and (100, 200).
    probability : float, default=0.8
        Probability that an edge carries a label.
    n_nodes : int, optional
        Number of nodes, for an array of edges that does not name the last ones.
    max_tries : int, default=10000
        Number of draws per label after which to give up.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    Y : ndarray of shape (n_nodes, n_labels)
        Binary indicator matrix.
    pioneers : ndarray of shape (n_labels,)
        The node each label started from.

    Raises
    ------
    ValueError
        If no draw of a label had a size in the range.

    Examples
    --------
    >>> from hyplane.datasets import popularity_similarity_graph, propagate_labels
    >>> network = popularity_similarity_graph(500, random_state=0)
    >>> Y, pioneers = propagate_labels(network, 3, (20, 50), random_state=0)
    >>> Y.shape, bool(((Y.sum(axis=0) >= 20) & (Y.sum(axis=0) <= 50)).all())
    ((500, 3), True)
    """
    count = Interval(Integral, 1, 1_000_000_000, closed="both")
    constraints = {
        "n_labels": [count],
        "max_tries": [count],
        "n_nodes": [None, count],
        "probability": [Interval(Real, 0, 1, closed="both")],
    }
    validate_parameter_constraints(constraints, locals(), caller_name="propagate_labels")
    edges, n_nodes = _as_edges(graph, n_nodes)
    low, high = size_range
    if not 1 <= low <= high:
        raise ValueError(f"size_range must be (least, greatest), 1 or more; got {size_range!r}")
    if low > n_nodes:
        raise ValueError(f"a label of at least {low} nodes needs more than {n_nodes} nodes")
    rng = as_generator(random_state)
    heirs = csr_array((np.ones(len(edges)), edges.T), shape=(n_nodes, n_nodes))
    Y = np.zeros((n_nodes, n_labels), dtype=np.intp)
    pioneers = np.empty(n_labels, dtype=np.intp)

    @cache
    def heirs_of(node: int) -> list[int]:
        listed: list[int] = heirs.indices[heirs.indptr[node] : heirs.indptr[node + 1]].tolist()
        return listed

    def spread(pioneer: int) -> set[int]:
        """Return the nodes reached, or the first of them once there are more than allowed.

        An edge's coin is thrown when the label comes to it, which is the same as throwing all of
        them beforehand. Most spreads are a few nodes: lists and sets are faster than arrays.
        """
        newest, reached = [pioneer], {pioneer}
        while newest and len(reached) <= high:
            candidates = [heir for node in newest for heir in heirs_of(node)]
            coins = rng.random(len(candidates)).tolist()
            pairs = zip(candidates, coins, strict=True)
            newest = sorted({heir for heir, coin in pairs if coin < probability} - reached)
            reached.update(newest)
        return reached

    for label in range(n_labels):
        sizes: list[int] = []
        while len(sizes) < max_tries:
            pioneers[label] = rng.integers(n_nodes)
            members = spread(int(pioneers[label]))
            if low <= len(members) <= high:
                Y[list(members), label] = 1
                break
            sizes.append(len(members))
        else:
            small = [size for size in sizes if size < low]
            raise ValueError(
                f"no label of {low} to {high} nodes in {max_tries} draws on this graph of "
                f"{n_nodes} nodes: {len(small)} were smaller (the largest of them: "
                f"{max(small, default=0)}), {max_tries - len(small)} larger; widen size_range, "
                "change probability or raise max_tries"
            )
    return Y, pioneers


def _as_edges(graph: Any, n_nodes: int | None) -> tuple[Ints, int]:
    """Edges as node numbers, older first, and the number of nodes."""
    if isinstance(graph, PopularitySimilarityNetwork):
        return graph.edges, graph.n_nodes
    if hasattr(graph, "nodes"):
        network = as_network(graph)
    else:
        edges = np.asarray(graph)
        if edges.size and (edges.dtype.kind not in "iu" or edges.shape[1:] != (2,)):
            raise ValueError(
                "edges are integers in two columns; got values of type "
                f"{edges.dtype} in the shape {edges.shape}"
            )
        edges = edges.reshape(-1, 2).astype(np.intp)
        n_nodes = int(edges.max(initial=-1)) + 1 if n_nodes is None else n_nodes
        bad = np.flatnonzero(((edges < 0) | (edges >= n_nodes)).any(axis=1))
        if bad.size:
            raise ValueError(
                f"edge {bad[0]} is {edges[bad[0]].tolist()}; nodes are counted 0, …, {n_nodes - 1}"
            )
        network = Network(np.arange(n_nodes), edges)
    if not network.n_nodes:
        raise ValueError("the graph has no nodes to draw a pioneer from")
    if network.weights is not None:
        raise ValueError(
            f"{network.origin} has weights, which labels do not spread by: remove them"
        )
    # An undirected networkx graph lists older nodes first, so its edges go from low to high.
    directed = network.directed or not hasattr(graph, "nodes")
    return network.simple(directed=directed, quiet=True).edges, network.n_nodes
