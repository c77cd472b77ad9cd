"""Estimators with the habits of scikit-learn."""

from hyplane.svm._kernel_svc import HyperbolicKernelSVC
from hyplane.svm._svc import HyperbolicSVC
from hyplane.svm._svc_cv import HyperbolicSVCCV

__all__ = ["HyperbolicKernelSVC", "HyperbolicSVC", "HyperbolicSVCCV"]
