"""What the classifiers with a kernel share: its γ and its matrix."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from numbers import Real
from sys import float_info
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.parallel import check_memory
from hyplane._utils.typing import Array
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import BaseHyperbolicClassifier
from hyplane.features import HyperbolicKernel, scale_gamma


class KernelMachine(BaseHyperbolicClassifier):
    """A classifier with the parameters kernel, gamma, coordinates and curvature."""

    kernel: str | Callable[[Array, Array], Array]
    gamma: float | str
    gamma_: float | None
    _saved = {"gamma_": "finite[] from 0"}  # noqa: RUF012
    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 (scikit-learn's name and form)
        "kernel": [str],
        # A whole number may be larger, and has no float.
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, float_info.max, closed="right")],
        **CHART_CONSTRAINTS,
    }

    @abstractmethod
    def matrix_bytes(self, n_rows: int) -> int:
        """Return the bytes that the matrices of a fit of so many rows take."""

    def _check_memory(self, n_rows: int, remedy: str) -> None:
        check_memory(self.matrix_bytes(n_rows), f"the kernel matrix of {n_rows} rows", remedy)

    def _resolve_gamma(self, points: Array, weights: Array | None) -> float | None:
        if not isinstance(self.kernel, str):
            return None
        if self.gamma == "scale":
            return scale_gamma(points, self.kernel, sample_weight=weights, **self._chart)
        return float(self.gamma)

    def _kernel_matrix(self, X: Array) -> Array:
        """Return the kernel matrix, without temporary arrays of its size."""
        K = np.empty((len(X), len(X)))
        for rows, kernel in self._kernel_blocks(X, X):
            K[rows] = kernel
        return K

    def _kernel_blocks(
        self, X: Array, Y: Array, largest: int = 4_000_000
    ) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows and their kernel matrix with Y, of so many numbers at most."""
        kernel: Any = self.kernel
        if isinstance(kernel, str):
            kernel = HyperbolicKernel(kernel, self.gamma_ or 0.0, **self._chart)
        step = max(1, largest // max(1, len(Y)))
        for first in range(0, len(X), step):
            rows = slice(first, first + step)
            yield rows, np.asarray(kernel(X[rows], Y), dtype=np.float64)
