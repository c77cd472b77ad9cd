"""What the classifiers with a kernel share: its γ, its matrix, rows block by block."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from numbers import Real
from sys import float_info

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.parallel import check_memory
from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import BaseHyperbolicClassifier
from hyplane.features.kernels import kernel_matrix, resolve_gamma
from hyplane.geometry import check_points

# Rows are predicted a block at a time, so that no block of the kernel is larger than this.
BLOCK = 4_000_000
LARGEST = float_info.max  # a whole number may be larger, and has no float
GAMMA_CONSTRAINT = {"gamma": [StrOptions({"scale"}), Interval(Real, 0, LARGEST, closed="right")]}


class KernelMachine(BaseHyperbolicClassifier):
    """A classifier with the parameters kernel, gamma, coordinates and curvature."""

    kernel: str | Callable[[Array, Array], Array]
    gamma: float | str
    gamma_: float | None

    @abstractmethod
    def matrix_bytes(self, n_rows: int) -> int:
        """Return the bytes that the matrices of a fit of so many rows take."""

    def _check_points(self, X: ArrayLike) -> Array:
        return check_points(X, **self._chart)

    def _check_memory(self, n_rows: int, remedy: str) -> None:
        check_memory(self.matrix_bytes(n_rows), f"the kernel matrix of {n_rows} rows", remedy)

    def _resolve_gamma(self, points: Array, weights: Array | None) -> float | None:
        if not isinstance(self.kernel, str):
            return None
        return resolve_gamma(self.gamma, points, self.kernel, sample_weight=weights, **self._chart)

    def _kernel(self, X: Array, Y: Array) -> Array:
        if not isinstance(self.kernel, str):
            return np.asarray(self.kernel(X, Y), dtype=np.float64)
        return kernel_matrix(self.kernel, X, Y, self.gamma_ or 0.0, **self._chart)

    def _kernel_matrix(self, X: Array) -> Array:
        """Return the kernel matrix, without temporary arrays of its size."""
        K = np.empty((len(X), len(X)))
        for rows, kernel in self._kernel_blocks(X, X):
            K[rows] = kernel
        return K

    def _kernel_blocks(self, X: Array, Y: Array) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows and their kernel matrix with Y."""
        step = max(1, BLOCK // max(1, len(Y)))
        for first in range(0, len(X), step):
            rows = slice(first, first + step)
            yield rows, self._kernel(X[rows], Y)
