"""Packed points, the objective and its gradient, the soft-margin solver."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


LARGEST_NEAR_RADIUS: float = 80.0

class Stop(enum.Enum):
    """Why the solver stopped."""

    CONVERGED = 0
    """The predicted decrease of the objective is below the tolerance."""

    CONVERGED_TO_ROUNDING = 1
    """
    No step decreases the objective, and the predicted decrease is below what double precision resolves there.
    """

    STALLED = 2
    """
    No step decreases the objective, though the predicted decrease is above the tolerance and above rounding.
    """

    ITERATIONS_RAN_OUT = 3
    """The iterations ran out."""

class PackedPoints:
    """
    Points in native polar coordinates, packed in column blocks. All are at the origin until they are filled in.
    """

    def __init__(self, n_rows: int, n_dim: int, far: bool) -> None: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_dim(self) -> int: ...

    @property
    def far(self) -> bool: ...

    @property
    def largest_radius(self) -> float: ...

    @largest_radius.setter
    def largest_radius(self, arg: float, /) -> None: ...

    @property
    def nbytes(self) -> int: ...

    def fill(self, first: int, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Set the rows from `first` on."""

    def take(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> PackedPoints:
        """The named rows, with a largest radius of their own."""

    def __getstate__(self) -> tuple[int, int, bool, float, NDArray[numpy.float64]]: ...

    def __setstate__(self, arg: tuple[int, int, bool, float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

def pack(X: Annotated[NDArray, dict(device='cpu', writable=False)], chart: str, k: float, n_threads: int = 1) -> tuple[PackedPoints, int]:
    """
    Rows of a chart of curvature -k as packed points, and the first row that is no point (or -1).
    """

def loss_and_gradient(points: PackedPoints, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, C: float, log_scale: float, offset: float, normal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[float, float, float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """The objective and its derivatives in log s, a and u."""

def rows_at_margin(points: PackedPoints, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], log_scale: float, offset: float, normal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
    """
    Which rows have y w*x of at most 1 and a tolerance; none where the label is 0.
    """

def solve_soft_margin(points: PackedPoints, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, C: float, tol: float, max_iter: int, seed: int, starts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1, beyond: float = 0.0) -> tuple[float, float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, int, int, Stop]:
    """
    log s, a, u, the objective, iterations, evaluations and why the solver stopped. |a| is at most the largest radius and `beyond`.
    """

def fit_folds(points: PackedPoints, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, folds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Cs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tol: float, max_iter: int, seed: int, n_threads: int = 1, beyond: float = 0.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Fits that only compare values of C, each without the rows of one fold: (log s, a, u) for each fold and each C.
    """

def passes_of_block(points: PackedPoints, codes: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, folds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, questions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], problems: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sides: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    What the rows of a block answer to the question of each problem (positive class, negative class or -1, fold left out or -1). `sides` are weights of the positive and the negative rows of each problem. A matrix of codes has 1 for each label of a row, and 0.
    """

def merge_passes(first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], question: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The answer of two sets of rows together."""

class Descent:
    """
    Steps to a minimum on rows that somebody else passes over, by ask and tell.
    """

    def __init__(self, sample: PackedPoints, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: float, start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tol: float, max_iter: int, n_working: int, beyond: float, seed: int | None = None) -> None: ...

    @property
    def n_perturbed(self) -> int:
        """How many perturbed descents should follow."""

    @property
    def done(self) -> bool: ...

    def ask(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The question that the next pass is to answer."""

    def tell(self, answer: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Take the answer of all rows."""

    def result(self) -> tuple[float, float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, int, int, Stop]:
        """As `solve_soft_margin` returns it."""

def polar(points: PackedPoints) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """Their radii and directions."""

def join(parts: Sequence[PackedPoints]) -> PackedPoints:
    """Several sets of points, one after the other."""
