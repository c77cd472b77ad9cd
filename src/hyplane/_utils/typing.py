"""Types that every folder of the package uses."""

from contextlib import suppress
from math import isfinite
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
ArrayLike: TypeAlias = Any  # lists, pandas and everything else that numpy.asarray takes


def finite_float(value: object) -> float | None:
    """Return a real number as a float; None for anything else and where no float is so large."""
    with suppress(OverflowError):
        if isinstance(value, Real) and isfinite(value):
            return float(value)
    return None
