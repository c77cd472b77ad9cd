import numpy as np
from numpy.typing import NDArray

def bound_box(
    radius: NDArray[np.float64],
    angle: NDArray[np.float64],
    signed_weights: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> float: ...
def bound_objective(
    radius: NDArray[np.float64],
    angle: NDArray[np.float64],
    signed_weights: NDArray[np.float64],
    largest_offset: float,
    line: bool,
    known: float,
    rel_gap: float,
    max_seconds: float,
    max_boxes: int,
) -> tuple[float, float, tuple[float, float, float] | None, int, int]: ...
