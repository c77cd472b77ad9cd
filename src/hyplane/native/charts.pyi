from typing import Literal

import numpy as np
from numpy.typing import NDArray

_Rows = NDArray[np.float32] | NDArray[np.float64]
_Doubles = NDArray[np.float64]
_Kind = Literal["arsinh_product", "signed_distance", "product", "sign"]

def to_polar(
    X: _Rows, chart: str, k: float, n_threads: int = 1
) -> tuple[_Doubles, _Doubles, int]: ...
def scores(
    X: _Rows,
    chart: str,
    k: float,
    log_scale: _Doubles,
    offset: _Doubles,
    normal: _Doubles,
    kind: _Kind,
    n_threads: int = 1,
) -> tuple[_Doubles, int]: ...
def decide(
    X: _Rows,
    chart: str,
    k: float,
    log_scale: _Doubles,
    offset: _Doubles,
    normal: _Doubles,
    n_threads: int = 1,
) -> tuple[NDArray[np.int64], int]: ...
def scores_polar(
    radius: _Doubles,
    direction: _Doubles,
    log_scale: _Doubles,
    offset: _Doubles,
    normal: _Doubles,
    kind: _Kind,
    n_threads: int = 1,
) -> _Doubles: ...
def one_vs_one_votes(scores: _Doubles, n_classes: int) -> _Doubles: ...
def usable_levels() -> list[str]: ...
def use_level(level: str) -> None: ...
