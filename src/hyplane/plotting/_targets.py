"""What the colour of a point says: its class, or a number on a scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, ArrayLike
from hyplane.plotting.palette import COLORS

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class ShownTargets:
    """Classes or numbers of points; neither where nothing is known of them.

    Attributes
    ----------
    codes : ndarray of int of shape (m,) or None
        The number of each point's class.
    names : list of str
        Names of the classes.
    numbers : ndarray of shape (m,) or None
        A number for each point, shown by a colour bar.
    """

    codes: Codes | None = None
    names: Sequence[str] = ()
    numbers: Array | None = None


def targets_of(
    labels: ArrayLike | None, n_points: int, *, numeric: bool | None = None, each: str = "point"
) -> ShownTargets:
    """Return labels as classes or as numbers.

    Parameters
    ----------
    labels : array-like of shape (n_points,) or None
        What is known of the points.
    n_points : int
        How many there must be.
    numeric : bool, optional
        Whether they are numbers on a scale. By default they are where `looks_numeric` says so.
    each : str, default="point"
        The word for what has a label.

    Returns
    -------
    targets : ShownTargets

    Examples
    --------
    >>> targets_of(["b", "a", "b"], 3).names
    ['a', 'b']
    >>> targets_of([0.5, 1.25, 3.0], 3).numbers
    array([0.5 , 1.25, 3.  ])
    """
    if labels is None:
        return ShownTargets()
    values = np.asarray(labels)
    if values.shape != (n_points,):
        raise ValueError(
            f"labels must have shape ({n_points},), one per {each}; got {values.shape}."
        )
    if looks_numeric(values) if numeric is None else numeric:
        return ShownTargets(numbers=_numbers(values))
    classes, codes = np.unique(values, return_inverse=True)
    return ShownTargets(codes, [str(label) for label in classes])


def looks_numeric(values: NDArray[Any]) -> bool:
    """Return whether values are numbers on a scale rather than classes.

    They are where some are no whole numbers, or where there are more of them than colours.

    Examples
    --------
    >>> looks_numeric(np.array([0, 1, 2])), looks_numeric(np.arange(100)), looks_numeric([0.5])
    (False, True, True)
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        return False
    finite = array[np.isfinite(array)]
    broken = array.dtype.kind == "f" and bool((finite != np.round(finite)).any())
    return broken or len(np.unique(finite)) > len(COLORS)


def _numbers(values: NDArray[Any]) -> Array:
    try:
        return values.astype(np.float64)
    except ValueError as error:
        raise ValueError(f"numeric=True needs labels that are numbers: {error}.") from error
