"""Large-margin classification in hyperbolic space.

The estimators follow scikit-learn; `hyplane.geometry` has hyperbolic space itself as pure functions
on arrays.
"""

from importlib.metadata import version

from hyplane.ensemble import HorofunctionForestClassifier
from hyplane.logistic import HyperbolicKernelLogisticRegression, HyperbolicLogisticRegression
from hyplane.neighbors import HyperbolicKNeighborsClassifier
from hyplane.selection import HyperbolicClassifier
from hyplane.svm import CurvedHyperbolicSVC, HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV

__version__ = version("hyplane")

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
    "__version__",
]
