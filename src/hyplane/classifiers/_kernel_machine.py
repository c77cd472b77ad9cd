"""What the classifiers with a kernel share: its γ, the scale of radii, its matrix, landmarks."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from sys import float_info
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.parallel import check_memory
from hyplane._utils.typing import Array
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import BaseHyperbolicClassifier
from hyplane.features import HyperbolicKernel, scale_gamma, scale_radius


class LandmarkFeatures(NamedTuple):
    """Features in which the functions in the span of the landmarks' kernels are linear.

    With K the kernel matrix of the landmarks, ``K = L L'``, the features are ``L^-1 k(x)`` and a
    column of ones. The norm of a function is that of its coefficients.
    """

    rows: NDArray[np.intp]
    factor: Array
    features: Array

    def dual(self, coef: Array) -> Array:
        """Return the coefficients of the kernels, of shape (n_functions, n_landmarks)."""
        return np.asarray(solve_triangular(self.factor, coef[:, :-1].T, lower=True, trans="T").T)


class KernelMachine(BaseHyperbolicClassifier):
    """A classifier with a kernel, landmarks, coordinates and curvature."""

    kernel: str | Callable[[Array, Array], Array]
    gamma: float | str
    radius_scale: float | str
    random_state: int | np.random.RandomState | None
    gamma_: float | None
    radius_scale_: float | None
    _saved = {  # noqa: RUF012
        "gamma_": "finite[] from 0",
        "radius_scale_": "finite[] from 0",
    }
    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 (scikit-learn's name and form)
        "kernel": [str],
        # A whole number may be larger, and has no float.
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, float_info.max, closed="right")],
        "radius_scale": [StrOptions({"auto"}), Interval(Real, 0, float_info.max, closed="right")],
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
        **CHART_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _n_landmarks(self, n_rows: int) -> int:
        """Return the number of landmarks of a fit of so many rows."""

    def matrix_bytes(self, n_rows: int) -> int:
        """Return the bytes that the matrices of a fit take.

        Parameters
        ----------
        n_rows : int
            Rows of a fit.

        Returns
        -------
        n_bytes : int
        """
        n_landmarks = self._n_landmarks(n_rows)
        # The matrix of the landmarks and its factor, and the features of all rows.
        return 8 * (2 * n_landmarks**2 + n_rows * (n_landmarks + 1))

    def _check_memory(self, n_rows: int) -> None:
        needed, what = self.matrix_bytes(n_rows), f"the kernel matrix of {n_rows} rows"
        check_memory(needed, what, "Use fewer n_landmarks.")

    def _fit_scales(self, points: Array, weights: Array | None) -> None:
        """Set the factor of the radii and γ, which a callable kernel does not have."""
        self.gamma_ = self.radius_scale_ = None
        if not isinstance(self.kernel, str):
            return
        scale, gamma = self.radius_scale, self.gamma
        if isinstance(scale, str):
            scale = scale_radius(points, **self._chart)
        self.radius_scale_ = float(scale)
        if isinstance(gamma, str):
            options = {"radius_scale": self.radius_scale_, "sample_weight": weights, **self._chart}
            gamma = scale_gamma(points, self.kernel, **options)
        self.gamma_ = float(gamma)

    def _landmark_features(self, X: Array) -> LandmarkFeatures:
        """Draw landmarks and return the features of all rows."""
        rows, n_landmarks = np.arange(len(X)), self._n_landmarks(len(X))
        if n_landmarks < len(X):
            rng = check_random_state(self.random_state)
            rows = np.sort(rng.permutation(len(X))[:n_landmarks])
        # A kernel function whose squared distance to the span of others is below a share of 1e-10
        # of the largest squared norm is one of them, up to noise.
        K = self._kernel_matrix(X[rows])
        K, pivots, rank, _ = dpstrf(K, lower=1, tol=1e-10 * K.diagonal().max())
        factor, rows = np.tril(K[:rank, :rank]), rows[pivots[:rank] - 1]
        features = np.ones((len(X), rank + 1))
        for block, kernel in self._kernel_blocks(X, X[rows]):
            features[block, :-1] = solve_triangular(factor, kernel.T, lower=True).T
        return LandmarkFeatures(rows, factor, features)

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
            kernel = HyperbolicKernel(
                kernel, self.gamma_ or 0.0, radius_scale=self.radius_scale_ or 0.0, **self._chart
            )
        step = max(1, largest // max(1, len(Y)))
        for first in range(0, len(X), step):
            rows = slice(first, first + step)
            yield rows, np.asarray(kernel(X[rows], Y), dtype=np.float64)
