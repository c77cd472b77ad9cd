"""Large-margin classification in hyperbolic space.

The estimators follow scikit-learn; `hyplane.geometry` has hyperbolic space itself as pure functions
on arrays.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyplane.ensemble import HorofunctionForestClassifier
    from hyplane.logistic import HyperbolicKernelLogisticRegression, HyperbolicLogisticRegression
    from hyplane.neighbors import HyperbolicKNeighborsClassifier, NeighborIndex
    from hyplane.selection import HyperbolicClassifier
    from hyplane.svm import (
        CurvedHyperbolicSVC,
        HyperbolicKernelSVC,
        HyperbolicSVC,
        HyperbolicSVCCV,
        predict_to_file,
    )

__all__ = [
    "CurvedHyperbolicSVC",
    "HorofunctionForestClassifier",
    "HyperbolicClassifier",
    "HyperbolicKNeighborsClassifier",
    "HyperbolicKernelLogisticRegression",
    "HyperbolicKernelSVC",
    "HyperbolicLogisticRegression",
    "HyperbolicSVC",
    "HyperbolicSVCCV",
    "NeighborIndex",
    "__version__",
    "predict_to_file",
]

_HOMES = {
    "HorofunctionForestClassifier": "ensemble",
    "HyperbolicClassifier": "selection",
    "HyperbolicKNeighborsClassifier": "neighbors",
    "HyperbolicKernelLogisticRegression": "logistic",
    "HyperbolicLogisticRegression": "logistic",
    "NeighborIndex": "neighbors",
}
_ROOMS = (
    "baselines",
    "blocks",
    "datasets",
    "embeddings",
    "ensemble",
    "evaluation",
    "experiments",
    "geometry",
    "kernels",
    "logistic",
    "metrics",
    "model_files",
    "neighbors",
    "plotting",
    "selection",
    "solvers",
    "svm",
)


# Imported when first asked for: the command line must answer --help and Tab without scikit-learn.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("hyplane")
    if name in __all__:
        return getattr(import_module(f"hyplane.{_HOMES.get(name, 'svm')}"), name)
    if name in _ROOMS:
        return import_module(f"hyplane.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
