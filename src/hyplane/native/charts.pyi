"""
Rows of any chart as polar coordinates, and the scores of hyperplanes for them.
"""

import numpy
import numpy.typing


def to_polar(X: numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64], chart: str, k: float, n_threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], int]:
    """
    Radius at curvature -1, unit direction, and the first row that is no point (or -1).
    """

def scores(X: numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64], chart: str, k: float, log_scale: numpy.typing.NDArray[numpy.float64], offset: numpy.typing.NDArray[numpy.float64], normal: numpy.typing.NDArray[numpy.float64], kind: str, n_threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.float64], int]:
    """
    Scores of shape (m, n_planes), and the first row that is no point (or -1).
    """

def decide(X: numpy.typing.NDArray[numpy.float32] | numpy.typing.NDArray[numpy.float64], chart: str, k: float, log_scale: numpy.typing.NDArray[numpy.float64], offset: numpy.typing.NDArray[numpy.float64], normal: numpy.typing.NDArray[numpy.float64], n_threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.int64], int]:
    """
    The hyperplane with the largest score for each row (of one hyperplane: 1 where its score is positive, else 0), and the first row that is no point (or -1).
    """

def scores_polar(radius: numpy.typing.NDArray[numpy.float64], direction: numpy.typing.NDArray[numpy.float64], log_scale: numpy.typing.NDArray[numpy.float64], offset: numpy.typing.NDArray[numpy.float64], normal: numpy.typing.NDArray[numpy.float64], kind: str, n_threads: int = 1) -> numpy.typing.NDArray[numpy.float64]:
    """
    The same scores of points given in polar coordinates, which are not checked.
    """
