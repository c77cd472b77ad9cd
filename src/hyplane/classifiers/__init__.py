"""The classifiers, one file each. Files with a leading underscore hold code that several share.

Public names are listed in `hyplane`. Imported here is what other folders build classifiers with.
"""

from typing import Any

import hyplane
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS as PARAMETER_CONSTRAINTS
from hyplane.classifiers._cross_validation import DEFAULT_CS as DEFAULT_CS
from hyplane.classifiers._cross_validation import DEFAULT_FOLDS as DEFAULT_FOLDS
from hyplane.classifiers._cross_validation import PROCEDURE_CONSTRAINTS as PROCEDURE_CONSTRAINTS
from hyplane.classifiers._cross_validation import (
    CrossValidatedClassifier as CrossValidatedClassifier,
)
from hyplane.classifiers._targets import ClassWeight as ClassWeight
from hyplane.classifiers._targets import Targets as Targets


def __getattr__(name: str) -> Any:
    """Return a public classifier: ``hyplane.classifiers.HyperbolicSVC``."""
    if name not in hyplane.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(hyplane, name)
