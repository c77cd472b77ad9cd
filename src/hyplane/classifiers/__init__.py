"""The classifiers, one file each; beside them, under `_`, what several of them share."""

from hyplane.classifiers._base import PARAMETER_CONSTRAINTS as PARAMETER_CONSTRAINTS
from hyplane.classifiers._calibration import Sigmoids as Sigmoids
from hyplane.classifiers._cross_validation import DEFAULT_CS as DEFAULT_CS
from hyplane.classifiers._cross_validation import DEFAULT_FOLDS as DEFAULT_FOLDS
from hyplane.classifiers._cross_validation import PROCEDURE_CONSTRAINTS as PROCEDURE_CONSTRAINTS
from hyplane.classifiers._cross_validation import (
    CrossValidatedClassifier as CrossValidatedClassifier,
)
from hyplane.classifiers._lazy_input import for_blocks, predict_to_file
from hyplane.classifiers._score_functions import SCORE_FUNCTIONS as SCORE_FUNCTIONS
from hyplane.classifiers._targets import ClassWeight as ClassWeight
from hyplane.classifiers._targets import Targets as Targets
from hyplane.classifiers.auto import HyperbolicClassifier
from hyplane.classifiers.curved_svc import CurvedHyperbolicSVC
from hyplane.classifiers.forest import HyperbolicForestClassifier
from hyplane.classifiers.forest import Trees as Trees
from hyplane.classifiers.kernel_logistic import HyperbolicKernelLogisticRegression
from hyplane.classifiers.kernel_svc import HyperbolicKernelSVC
from hyplane.classifiers.logistic import HyperbolicLogisticRegression
from hyplane.classifiers.neighbors import HyperbolicKNeighborsClassifier, NeighborIndex
from hyplane.classifiers.svc import HyperbolicSVC
from hyplane.classifiers.svc_cv import HyperbolicSVCCV

__all__ = [
    "CurvedHyperbolicSVC",
    "HyperbolicClassifier",
    "HyperbolicForestClassifier",
    "HyperbolicKNeighborsClassifier",
    "HyperbolicKernelLogisticRegression",
    "HyperbolicKernelSVC",
    "HyperbolicLogisticRegression",
    "HyperbolicSVC",
    "HyperbolicSVCCV",
    "NeighborIndex",
    "for_blocks",
    "predict_to_file",
]
