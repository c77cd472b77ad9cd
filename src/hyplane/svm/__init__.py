"""Estimators with the habits of scikit-learn."""

from hyplane.svm._svc import HyperbolicSVC

__all__ = ["HyperbolicSVC"]
