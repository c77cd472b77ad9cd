"""Ensembles of trees on hyperbolic space."""

from hyplane.ensemble.horofunction_forest import HorofunctionForestClassifier

__all__ = ["HorofunctionForestClassifier"]
