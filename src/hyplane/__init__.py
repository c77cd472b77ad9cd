"""Large-margin classification in hyperbolic space.

The estimators follow scikit-learn; `hyplane.geometry` has hyperbolic space itself as pure functions
on arrays.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyplane.classifiers import (
        CurvedHyperbolicSVC,
        HorofunctionForestClassifier,
        HyperbolicClassifier,
        HyperbolicKernelLogisticRegression,
        HyperbolicKernelSVC,
        HyperbolicKNeighborsClassifier,
        HyperbolicLogisticRegression,
        HyperbolicSVC,
        HyperbolicSVCCV,
        NeighborIndex,
        predict_to_file,
    )
    from hyplane.model_files import load_model, save_model

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
    "load_model",
    "predict_to_file",
    "save_model",
]

_FOLDERS = (
    "baselines",
    "classifiers",
    "datasets",
    "embeddings",
    "evaluation",
    "paper",
    "features",
    "geometry",
    "metrics",
    "model_files",
    "out_of_core",
    "plotting",
    "solvers",
)


# Imported when first asked for: the command line must answer --help and Tab without scikit-learn.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("hyplane")
    if name in __all__:
        folder = "model_files" if name in ("load_model", "save_model") else "classifiers"
        return getattr(import_module(f"hyplane.{folder}"), name)
    if name in _FOLDERS:
        return import_module(f"hyplane.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_FOLDERS})
