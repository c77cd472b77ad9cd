"""Small convex fits: the squared hinge of lines, and Platt's sigmoid."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def squared_hinge(Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tolerance: float, max_iter: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The minima of ½|w|² + Σ c max(0, 1 - w·z)², z the columns of Z, one after the other for each line of weights.
    """

def sigmoid(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intercept: float, max_iter: int) -> tuple[float, float]:
    """Slope and intercept of the sigmoid with the least cross entropy."""
