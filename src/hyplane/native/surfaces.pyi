"""The soft margin with surfaces of constant curvature."""

import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Kind(enum.Enum):
    """Sets of surfaces, each with parameters of its own."""

    ANY = 0

    HOROSPHERE = 1

    SPHERE = 2

def scores(radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_scale: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], level: float, sign: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """arsinh(s sinh D) of points, D their signed distance to the surface."""

class SurfaceObjective:
    """The objective on some rows."""

    def __init__(self, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], signed_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float) -> None: ...

    def evaluate(self, kind: Kind, sign: float, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """The value and the gradient at (log s, parameters of the surface)."""

    def descend(self, kind: Kind, sign: float, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tol: float, max_iter: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, int, bool]:
        """
        Quasi-Newton from a start: where it ended, the value, iterations, and whether the tolerance was met.
        """
