"""Types that every room of the package uses."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
ArrayLike: TypeAlias = Any  # lists, pandas and everything else that numpy.asarray takes
