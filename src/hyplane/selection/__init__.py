"""A choice among all classifiers of the package, made on training data alone."""

from hyplane.selection.classifier import HyperbolicClassifier

__all__ = ["HyperbolicClassifier"]
