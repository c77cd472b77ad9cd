"""Estimators with the habits of scikit-learn."""

from hyplane.svm.block_fits import for_blocks, predict_to_file
from hyplane.svm.curved_svc import CurvedHyperbolicSVC
from hyplane.svm.kernel_svc import HyperbolicKernelSVC
from hyplane.svm.svc import HyperbolicSVC
from hyplane.svm.svc_cv import HyperbolicSVCCV

__all__ = [
    "CurvedHyperbolicSVC",
    "HyperbolicKernelSVC",
    "HyperbolicSVC",
    "HyperbolicSVCCV",
    "for_blocks",
    "predict_to_file",
]
