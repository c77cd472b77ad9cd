from typing import Final

import numpy as np
from numpy.typing import NDArray

LARGEST_NEAR_RADIUS: Final[float]

class Points:
    """Points in native polar coordinates, packed in column blocks."""

    def __init__(self, n_rows: int, n_dim: int, far: bool) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_dim(self) -> int: ...
    @property
    def far(self) -> bool: ...
    @property
    def largest_radius(self) -> float: ...
    @property
    def nbytes(self) -> int: ...
    def fill(
        self, first: int, radius: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> None: ...
    def take(self, rows: NDArray[np.int64]) -> Points: ...

def loss_and_gradient(
    points: Points,
    labels: NDArray[np.int8],
    weights: NDArray[np.float64] | None,
    C: float,
    log_scale: float,
    offset: float,
    normal: NDArray[np.float64],
) -> tuple[float, float, float, NDArray[np.float64]]: ...
def solve_soft_margin(
    points: Points,
    labels: NDArray[np.int8],
    weights: NDArray[np.float64] | None,
    C: float,
    tol: float,
    max_iter: int,
    n_random_starts: int,
    n_hits: int,
    seed: int,
    starts: NDArray[np.float64] | None = None,
) -> tuple[float, float, NDArray[np.float64], float, int, int, int]: ...
