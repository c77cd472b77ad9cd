"""The inner loop of the hyperbolic skip-gram."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def train(inputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], outputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], centers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], contexts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negatives: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], batch_size: int, first_rate: float, last_rate: float, train_bias: bool = True) -> float:
    """
    One pass over pairs of nodes, in place; returns the summed loss before each step.
    """
