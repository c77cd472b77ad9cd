"""What embeddings share: the part of a graph that can be embedded, fitting, and later nodes."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array
from hyplane.datasets import Network, as_network
from hyplane.datasets.graphs import Graph
from hyplane.embeddings.placement import place_new_nodes

# The largest count that a parameter may be: beyond it no run would end, or no memory suffice.
MOST = 1_000_000
COUNT = [Interval(Integral, 1, MOST, closed="both")]
# What the constructors of embeddings by random walks have in common.
WALK_CONSTRAINTS: dict[str, list[Any]] = {
    "n_components": COUNT,
    "n_walks": COUNT,
    "walk_length": [Interval(Integral, 2, MOST, closed="both")],
    "window": COUNT,
    "epochs": COUNT,
    "disconnected": [StrOptions({"largest", "error", "keep"})],
    "random_state": ["random_state", np.random.Generator],
}


def connected_network(graph: Graph, *, disconnected: str, min_nodes: int = 2) -> Network:
    """Take an undirected graph and choose among its components.

    `disconnected` says what to do with several components: "largest" takes the largest and warns,
    "error" refuses, "keep" takes all of them (then every node needs a neighbour). Repeated edges
    count once. Self loops are left out with a warning.
    """
    network = as_network(graph)
    if network.directed:
        raise ValueError(
            f"{network.origin} is directed (an adjacency matrix is if it is not symmetric), and "
            "embeddings are of undirected graphs: pass graph.to_undirected(), or A + A.T, if the "
            "directions may be dropped."
        )
    network = network.simple()
    if not len(network.edges):
        raise ValueError(f"the graph has no edges (and {network.n_nodes} nodes): nothing to embed.")
    n_components, component = connected_components(network.adjacency, directed=False)
    sizes = np.bincount(component)
    if n_components > 1 and disconnected == "error":
        raise ValueError(
            f"the graph has {n_components} components; the largest has {sizes.max()} of "
            f'{network.n_nodes} nodes. Choose disconnected="largest" to embed that one.'
        )
    if disconnected == "keep" and sizes.min() == 1:
        alone = network.node_names[network.degrees == 0].tolist()
        raise ValueError(
            f"{len(alone)} nodes have no neighbour (the first is {alone[0]!r}) and cannot be "
            'placed: leave them out or choose disconnected="largest".'
        )
    if n_components > 1 and disconnected == "largest":
        kept = component == np.argmax(sizes)
        warnings.warn(
            f"the graph has {n_components} components: the largest, of {kept.sum()} nodes, is "
            f"embedded and {(~kept).sum()} nodes are left out.",
            UserWarning,
            stacklevel=3,
        )
        inside = kept[network.edges[:, 0]]
        network = replace(
            network,
            node_names=network.node_names[kept],
            edges=(np.cumsum(kept) - 1)[network.edges[inside]],
            weights=None if network.weights is None else network.weights[inside],
            attributes=(),
        )
    if network.n_nodes < min_nodes:
        raise ValueError(
            f"the graph has {network.n_nodes} connected nodes; at least {min_nodes} are needed."
        )
    return network


class GraphEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the estimators that turn a graph into one point for each node."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _min_nodes = 2
    disconnected: str
    coordinates: str
    curvature: float

    def fit(self, graph: Graph, y: object = None) -> Self:
        """Embed a graph.

        Parameters
        ----------
        graph : networkx.Graph, scipy sparse adjacency, array-like of shape (n_edges, 2) or path
            Undirected. Weights are used: the edge attribute ``weight``, the entries of the matrix,
            or the third column of an edge list. Repeated edges count once.
        y : ignored
            There for scikit-learn's pipelines.

        Returns
        -------
        self : object
        """
        self._validate_params()
        network = connected_network(
            graph, disconnected=self.disconnected, min_nodes=self._min_nodes
        )
        self.embedding_ = self._embed(network)
        self._n_features_out = self.embedding_.shape[1]
        self.node_names_ = network.node_names
        return self

    def fit_transform(self, graph: Graph, y: object = None) -> Array:
        """Embed a graph and return its points.

        Parameters
        ----------
        graph : networkx.Graph, scipy sparse adjacency, array-like of shape (n_edges, 2) or path
            As in `fit`.
        y : ignored
            There for scikit-learn's pipelines.

        Returns
        -------
        embedding : ndarray of shape (n_nodes, n_columns)
            Row i is the node ``node_names_[i]``.
        """
        embedding: Array = self.fit(graph, y).embedding_
        return embedding

    def place(
        self,
        neighbors: Sequence[Sequence[Hashable]],
        *,
        weights: Sequence[Sequence[float]] | None = None,
    ) -> Array:
        """Place nodes that arrive after fitting: each at the mean of its neighbours.

        Parameters
        ----------
        neighbors : sequence of sequences of node names
            For each new node, the nodes it is linked to among ``node_names_``.
        weights : sequence of sequences of float, optional
            A weight for each of these links; equal by default.

        Returns
        -------
        points : ndarray of shape (n_new, n_columns)
            In the chart of ``embedding_``, which stays as it is.
        """
        check_is_fitted(self, "embedding_")
        row_of = {name: row for row, name in enumerate(self.node_names_.tolist())}
        for i, names in enumerate(neighbors):
            if len(names) == 0:
                raise ValueError(f"new node {i} has no neighbour and cannot be placed.")
            unknown = [name for name in names if name not in row_of]
            if unknown:
                raise ValueError(
                    f"new node {i} has the neighbour {unknown[0]!r}, which was not embedded."
                )
        return self._place([[row_of[name] for name in names] for names in neighbors], weights)

    @abstractmethod
    def _embed(self, network: Network) -> Array:
        """Give the points of a checked graph."""

    def _place(self, rows: list[list[int]], weights: Sequence[Sequence[float]] | None) -> Array:
        """Give the mean of rows of the embedding, for each new node."""
        space = {"coordinates": self.coordinates, "curvature": self.curvature}
        return place_new_nodes(self.embedding_, rows, weights=weights, **space)  # type: ignore[arg-type]
