"""Checks of the arrays of functions that take radii, directions and vectors as they are."""

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry.numerics import all_finite
from hyplane.geometry.validation import as_doubles


def finite_array(values: ArrayLike, name: str, *n_axes: int) -> Array:
    """Return finite numbers as doubles, or say what else the array holds.

    ``n_axes`` are the numbers of axes it may have; any if none is given.
    """
    array, _ = as_doubles(values, name)
    if n_axes and array.ndim not in n_axes:
        wanted = " or ".join(f"{number}-D" for number in n_axes)
        raise ValueError(f"{name} must be a {wanted} array; got shape {array.shape}.")
    if not all_finite(array):
        place = np.argwhere(~np.isfinite(array))[0]
        where = f" at {tuple(place.tolist())}" if place.size else ""
        raise ValueError(f"{name} has {array[tuple(place)]}{where}: finite numbers are needed.")
    return array


def finite_rows(radius: ArrayLike, direction: ArrayLike, *names: str) -> tuple[Array, Array]:
    """Return radii of shape (m,) and directions of shape (m, n), or say how they do not fit."""
    names = names or ("radius", "direction")
    radii, rows = finite_array(radius, names[0], 1), finite_array(direction, names[1], 2)
    if len(radii) != len(rows) or not rows.shape[1]:
        raise ValueError(
            f"{names[0]} has shape {radii.shape} and {names[1]} {rows.shape}: they must be (m,) "
            "and (m, n), one direction for each radius."
        )
    return radii, rows
