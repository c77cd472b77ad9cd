"""Large-margin classification in hyperbolic space.

The estimators follow scikit-learn; `hyplane.geometry` has hyperbolic space itself as pure functions
on arrays.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyplane.svm import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV

__all__ = ["HyperbolicKernelSVC", "HyperbolicSVC", "HyperbolicSVCCV", "__version__"]

_ROOMS = (
    "baselines",
    "datasets",
    "embeddings",
    "evaluation",
    "experiments",
    "geometry",
    "kernels",
    "metrics",
    "model_files",
    "plotting",
    "solvers",
    "svm",
)


# Imported when first asked for: the command line must answer --help and Tab without scikit-learn.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("hyplane")
    if name in __all__:
        return getattr(import_module("hyplane.svm"), name)
    if name in _ROOMS:
        return import_module(f"hyplane.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
