"""A kernel object for every kernel method of scikit-learn."""

from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Hyperparameter, Kernel

from hyplane._utils.typing import Array, ArrayLike
from hyplane.features.dissimilarity import find_dissimilarity
from hyplane.features.scale import check_gamma


class HyperbolicKernel(Kernel):  # type: ignore[misc]
    """A hyperbolic kernel as a kernel object of ``sklearn.gaussian_process``.

    It can be handed as ``kernel`` to GaussianProcessRegressor and GaussianProcessClassifier, which
    learn γ, and to SVC, SVR, KernelRidge, KernelPCA and Nystroem, which keep it; sums and products
    with scikit-learn's own kernels work. All of them see whole arrays, where a plain
    function would be called for one pair at a time by KernelRidge and KernelPCA.

    Parameters
    ----------
    kernel : {"secant", "laplacian", "tangent_rbf", "ball_rbf"}, default="secant"
        ``cosh(d)^-γ``, ``exp(-γ d)``, ``exp(-γ |log x - log y|²)`` or, in the unit ball,
        ``exp(-γ |x - y|²)``.
    gamma : float, default=1.0
        A positive number; `scale_gamma` gives one that suits the data.
    gamma_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
        Where a Gaussian process may look for γ.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Examples
    --------
    >>> from sklearn.kernel_ridge import KernelRidge
    >>> from hyplane.features import HyperbolicKernel
    >>> X, y = [[0.0, 0.0], [0.5, 0.0], [0.0, 0.9]], [0.0, 1.0, 2.0]
    >>> KernelRidge(alpha=1e-6, kernel=HyperbolicKernel(gamma=2.0)).fit(X, y).predict(X).round(3)
    array([0., 1., 2.])
    """

    def __init__(
        self,
        kernel: str = "secant",
        gamma: float = 1.0,
        gamma_bounds: tuple[float, float] | str = (1e-5, 1e5),
        coordinates: str = "ball",
        curvature: float = -1.0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.gamma_bounds = gamma_bounds
        self.coordinates = coordinates
        self.curvature = curvature

    @property
    def hyperparameter_gamma(self) -> Hyperparameter:
        """What a Gaussian process may optimise."""
        return Hyperparameter("gamma", "numeric", self.gamma_bounds)

    def __call__(
        self, X: ArrayLike, Y: ArrayLike | None = None, eval_gradient: bool = False
    ) -> Any:
        """Return the kernel matrix, and its derivative by ``log γ`` where asked for.

        Parameters
        ----------
        X : array-like of shape (m1, n_columns)
            Points.
        Y : array-like of shape (m2, n_columns), optional
            Points; X itself by default.
        eval_gradient : bool, default=False
            Only where Y is None.

        Returns
        -------
        K : ndarray of shape (m1, m2)
        K_gradient : ndarray of shape (m1, m1, 1), or (m1, m1, 0) where γ is fixed
            Only with `eval_gradient`.
        """
        gamma = check_gamma(self.gamma)
        D = find_dissimilarity(self.kernel)(
            X, Y, coordinates=self.coordinates, curvature=self.curvature
        )
        with np.errstate(over="ignore"):
            K = np.exp(-gamma * D)
        if not eval_gradient:
            return K
        if Y is not None:
            raise ValueError("the gradient can only be evaluated where Y is None.")
        if self.hyperparameter_gamma.fixed:
            return K, np.empty((*K.shape, 0))
        return K, (-gamma * D * K)[:, :, None]

    def diag(self, X: ArrayLike) -> Array:
        """Return the diagonal of the kernel matrix, which is 1.

        Parameters
        ----------
        X : array-like of shape (m, n_columns)

        Returns
        -------
        diagonal : ndarray of shape (m,)
        """
        return np.ones(len(X))

    def is_stationary(self) -> bool:
        """Tell whether the kernel depends on ``x - y`` alone, in the sense of vector spaces."""
        return False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel!r}, gamma={self.gamma:.3g})"
