"""Estimators with the habits of scikit-learn."""

from hyplane.svm._svc import HyperbolicSVC
from hyplane.svm._svc_cv import HyperbolicSVCCV

__all__ = ["HyperbolicSVC", "HyperbolicSVCCV"]
