"""
Rows of any chart as polar coordinates, and the scores of hyperplanes for them.
"""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def to_polar(X: Annotated[NDArray, dict(device='cpu', writable=False)], chart: str, k: float, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], int]:
    """
    Radius at curvature -1, unit direction, and the first row that is no point (or -1).
    """

def scores(X: Annotated[NDArray, dict(device='cpu', writable=False)], chart: str, k: float, log_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], normal: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kind: str, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], int]:
    """
    Scores of shape (m, n_planes), and the first row that is no point (or -1).
    """

def decide(X: Annotated[NDArray, dict(device='cpu', writable=False)], chart: str, k: float, log_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], normal: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]:
    """
    The hyperplane with the largest score for each row (of one hyperplane: 1 where its score is positive, else 0), and the first row that is no point (or -1).
    """

def scores_polar(radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], normal: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kind: str, n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    The same scores of points given in polar coordinates, which are not checked.
    """
