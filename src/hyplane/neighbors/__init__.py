"""Nearest neighbours in hyperbolic distance."""

from hyplane.neighbors.classifier import HyperbolicKNeighborsClassifier
from hyplane.neighbors.index import NeighborIndex

__all__ = ["HyperbolicKNeighborsClassifier", "NeighborIndex"]
