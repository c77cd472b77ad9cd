import numpy as np
from numpy.typing import NDArray

def train(
    inputs: NDArray[np.float64],
    outputs: NDArray[np.float64],
    bias: NDArray[np.float64],
    centers: NDArray[np.int32],
    contexts: NDArray[np.int32],
    negatives: NDArray[np.int32],
    batch_size: int,
    first_rate: float,
    last_rate: float,
    train_bias: bool = True,
) -> float: ...
