"""Data: hyperbolic Gaussians, growing networks and their labels, trees, real networks."""

from hyplane.datasets.download import fetch, get_data_home
from hyplane.datasets.gaussians import make_hyperbolic_gaussians
from hyplane.datasets.graph_files import as_network, load_graph
from hyplane.datasets.graphs import Network
from hyplane.datasets.hyplinear import fetch_hyplinear
from hyplane.datasets.labels import propagate_labels
from hyplane.datasets.networks import load_football, load_karate, load_polblogs, load_polbooks
from hyplane.datasets.popularity_similarity import (
    PopularitySimilarityNetwork,
    popularity_similarity_graph,
)
from hyplane.datasets.trees import make_hyperbolic_tree

__all__ = [
    "Network",
    "PopularitySimilarityNetwork",
    "as_network",
    "fetch",
    "fetch_hyplinear",
    "get_data_home",
    "load_football",
    "load_graph",
    "load_karate",
    "load_polblogs",
    "load_polbooks",
    "make_hyperbolic_gaussians",
    "make_hyperbolic_tree",
    "popularity_similarity_graph",
    "propagate_labels",
]
