"""Large-margin classification in hyperbolic space.

The estimators have the API of scikit-learn. `hyplane.geometry` has distances, conversions and
isometries as functions of arrays.
"""

from typing import TYPE_CHECKING, Any

from hyplane._utils.lazy import lazy_names

if TYPE_CHECKING:
    from hyplane.classifiers._lazy_input import predict_to_file
    from hyplane.classifiers.auto import HyperbolicClassifier
    from hyplane.classifiers.curved_svc import CurvedHyperbolicSVC
    from hyplane.classifiers.forest import HyperbolicForestClassifier
    from hyplane.classifiers.kernel_logistic import HyperbolicKernelLogisticRegression
    from hyplane.classifiers.kernel_svc import HyperbolicKernelSVC
    from hyplane.classifiers.logistic import HyperbolicLogisticRegression
    from hyplane.classifiers.neighbors import HyperbolicKNeighborsClassifier, NeighborIndex
    from hyplane.classifiers.svc import ClassNeverPredictedWarning, HyperbolicSVC
    from hyplane.classifiers.svc_cv import HyperbolicSVCCV
    from hyplane.persistence import load_model, save_model

__all__ = [
    "ClassNeverPredictedWarning",
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
    "__version__",
    "load_model",
    "predict_to_file",
    "save_model",
]

_find, __dir__ = lazy_names(__name__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("hyplane")
    return _find(name)
