"""Large-margin classification in hyperbolic space.

The estimators follow scikit-learn; `hyplane.geometry` has hyperbolic space itself as pure functions
on arrays.
"""

from typing import TYPE_CHECKING, Any

from hyplane._utils.lazy import lazy_names

if TYPE_CHECKING:
    from hyplane.classifiers import *
    from hyplane.persistence import load_model, save_model

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
    "__version__",
    "load_model",
    "predict_to_file",
    "save_model",
]

_find, __dir__ = lazy_names(
    __name__,
    {
        "classifiers": __all__,
        "persistence": ("load_model", "save_model"),
        **dict.fromkeys(("baselines", "datasets", "embeddings", "evaluation", "explorer"), ()),
        **dict.fromkeys(("features", "geometry", "metrics", "out_of_core", "paper"), ()),
        **dict.fromkeys(("plotting", "solvers"), ()),
    },
)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("hyplane")
    return _find(name)
