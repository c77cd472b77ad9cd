"""The inner loops of the hyperbolic skip-gram and of DeepWalk."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def train(inputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], outputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], centers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], contexts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negatives: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], batch_size: int, first_rate: float, last_rate: float, train_bias: bool = True) -> float:
    """
    One pass over pairs of nodes, in place; returns the summed loss before each step.
    """

def train_walks(vectors: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], outputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], walks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], narrowing: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], window: int, path_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], turns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float) -> None:
    """One pass over walks by hierarchical softmax, in place."""
