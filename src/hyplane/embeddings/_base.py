"""Base classes of the embeddings: points for the nodes of a graph, and for nodes added later."""

from abc import ABCMeta, abstractmethod
from collections.abc import Hashable, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array
from hyplane.embeddings._graph import DISCONNECTED, Graph, Network, connected_network
from hyplane.embeddings.placement import place_new_nodes

# The largest count that a parameter may be: beyond it no run would end, or no memory suffice.
MOST = 1_000_000
COUNT = [Interval(Integral, 1, MOST, closed="both")]
# What the constructors of embeddings by random walks have in common.
WALK_CONSTRAINTS: dict[str, list[Any]] = {
    "n_dim": COUNT,
    "n_walks": COUNT,
    "walk_length": [Interval(Integral, 2, MOST, closed="both")],
    "window": COUNT,
    "epochs": COUNT,
    "disconnected": [StrOptions(set(DISCONNECTED))],
    "random_state": ["random_state", np.random.Generator],
}


class GraphEmbedding(BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of the estimators that turn a graph into one point for each node."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _min_nodes = 2
    disconnected: str

    def fit(self, graph: Graph, y: object = None) -> Self:
        """Embed a graph.

        Parameters
        ----------
        graph : networkx.Graph, scipy sparse adjacency, or array-like of shape (n_edges, 2)
            Undirected; weights are not used and repeated edges count once.
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
        self.node_names_ = network.node_names
        return self

    def fit_transform(self, graph: Graph, y: object = None) -> Array:
        """Embed a graph and return its points.

        Parameters
        ----------
        graph : networkx.Graph, scipy sparse adjacency, or array-like of shape (n_edges, 2)
            Undirected; weights are not used and repeated edges count once.
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
        rows: list[list[int]] = []
        for i, names in enumerate(neighbors):
            unknown = [name for name in names if name not in row_of]
            if unknown:
                raise ValueError(
                    f"new node {i} has the neighbour {unknown[0]!r}, which was not embedded."
                )
            rows.append([row_of[name] for name in names])
        return self._place(rows, weights)

    @abstractmethod
    def _embed(self, network: Network) -> Array:
        """Give the points of a checked graph."""

    @abstractmethod
    def _place(self, rows: list[list[int]], weights: Sequence[Sequence[float]] | None) -> Array:
        """Give the mean of rows of the embedding, for each new node."""


class HyperbolicEmbedding(GraphEmbedding):
    """Base of the embeddings in hyperbolic space."""

    coordinates: str
    curvature: float

    def _place(self, rows: list[list[int]], weights: Sequence[Sequence[float]] | None) -> Array:
        return place_new_nodes(
            self.embedding_,
            rows,
            weights=weights,
            coordinates=self.coordinates,
            curvature=self.curvature,
        )
