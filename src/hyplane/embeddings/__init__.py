"""Graphs as points of hyperbolic space: LaBNE, hyperbolic skip-gram, and DeepWalk beside them."""

from hyplane.embeddings.deepwalk import DeepWalk
from hyplane.embeddings.interop import from_gensim_poincare, from_geoopt, to_geoopt
from hyplane.embeddings.labne import LaBNE, PowerLaw, fit_power_law
from hyplane.embeddings.placement import place_new_nodes
from hyplane.embeddings.skipgram import HyperbolicSkipGram
from hyplane.embeddings.walks import random_walks

__all__ = [
    "DeepWalk",
    "HyperbolicSkipGram",
    "LaBNE",
    "PowerLaw",
    "fit_power_law",
    "from_gensim_poincare",
    "from_geoopt",
    "place_new_nodes",
    "random_walks",
    "to_geoopt",
]
