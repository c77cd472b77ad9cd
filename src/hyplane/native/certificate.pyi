"""Branch and bound for the soft-margin objective in the plane."""

import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class End(enum.IntEnum):
    """Why the search stopped."""

    PROVEN = 0

    TIME_RAN_OUT = 1

    BOXES_RAN_OUT = 2

    DIGITS_RAN_OUT = 3

def bound_objective(radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], angle: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signed_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], largest_offset: float, line: bool, known: float, rel_gap: float, max_seconds: float, max_boxes: int) -> tuple[float, tuple[float, float, float] | None, int, End]: ...
