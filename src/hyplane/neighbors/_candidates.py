"""What the two filters of candidates share."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array

Rows = NDArray[np.int64]


# Distances at curvature -1 of pairs of a query and a stored point, by their rows.
ExactDistances: TypeAlias = Callable[[Rows, Rows], Array]


def k_best(distances: Array, rows: Rows, k: int) -> tuple[Array, Rows]:
    """Return the k smallest distances of each row of a matrix, equal ones by the lower number.

    Examples
    --------
    >>> k_best(np.array([[2.0, 1.0, 1.0]]), np.array([[0, 5, 4]]), 2)
    (array([[1., 1.]]), array([[4, 5]]))
    """
    order = np.lexsort((rows, distances), axis=1)[:, :k]
    return np.take_along_axis(distances, order, 1), np.take_along_axis(rows, order, 1)
