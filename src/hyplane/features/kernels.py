"""Kernels ``exp(-γ D)`` of a dissimilarity D: functions, an object, and the γ that suits the data.

``exp(-γ D)`` is positive definite for every γ > 0 exactly when D is conditionally negative
definite (Schoenberg). ``log cosh d`` and ``d`` are, and so is the squared Euclidean distance of
tangent vectors at one fixed point, or of points of the ball; ``d²`` is not.

All distances are those at curvature -1 (``sqrt(k)`` times the ones at curvature -k), so that γ has
no unit: the same points written at another curvature give the same kernel.
"""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import Hyperparameter, Kernel, NormalizedKernelMixin

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import validate_weights
from hyplane.geometry import check_points, einstein_midpoint, pairwise_distances, to_polar
from hyplane.geometry.distances import log_cosh_distances
from hyplane.geometry.validation import as_rows, check_positive


def _check_kernel(kernel: str) -> None:
    """Raise a ValueError that says why there is no such kernel."""
    if kernel in ("gaussian", "geodesic_gaussian", "geodesic_rbf", "rbf"):
        raise ValueError(
            f"kernel={kernel!r}: the Gaussian exp(-gamma d²) of the geodesic distance is not "
            "positive definite on hyperbolic space, so it is not a kernel. Use "
            "'secant', cosh(d)**-gamma, which is and behaves like a Gaussian for near points, or "
            "'tangent_rbf', the Gaussian of the log map at the origin, which depends on the origin."
        )
    kernels = ["secant", "laplacian", "tangent_rbf", "ball_rbf"]
    if kernel not in kernels:
        raise ValueError(f"kernel must be one of {kernels}; got {kernel!r}.")


def _dissimilarity(
    kernel: str, X: ArrayLike, Y: ArrayLike | None, radius_scale: float, **chart: Any
) -> Array:
    _check_kernel(kernel)
    if check_positive(radius_scale, "radius_scale") != 1.0:
        # The coordinates of a chart keep more digits of near points than radius and direction.
        Y = None if Y is X or Y is None else _rescaled(Y, radius_scale, **chart)
        X = _rescaled(X, radius_scale, **chart)
        chart = {"coordinates": "tangent", "curvature": -1.0}
    if kernel == "secant":
        return log_cosh_distances(X, Y, **chart)
    if kernel == "laplacian":
        distances = pairwise_distances(X, Y, **chart)
        distances *= np.sqrt(-chart["curvature"])
        return distances
    left = _vectors(kernel, X, **chart)
    right = left if Y is None else _vectors(kernel, Y, **chart)
    return np.asarray(cdist(left, right, "sqeuclidean"))


def _rescaled(X: ArrayLike, radius_scale: float, **chart: Any) -> Array:
    """Return tangent vectors of the points with their radii multiplied by a factor."""
    radius, direction = to_polar(X, **chart)
    largest = float(radius.max(initial=0.0))
    if not largest * radius_scale < 1e300:
        raise ValueError(
            f"radius_scale={radius_scale:g} makes radii too large. Use a smaller factor."
        )
    return np.asarray((radius_scale * radius)[:, None] * direction)


def _vectors(kernel: str, X: ArrayLike, **chart: Any) -> Array:
    """Return the tangent vectors at the origin, or the points of the unit ball."""
    radius, direction = to_polar(X, **chart)
    length = radius if kernel == "tangent_rbf" else np.tanh(0.5 * radius)
    return np.asarray(length[:, None] * direction)


def secant_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    gamma: float | str = "scale",
    radius_scale: float | str = 1.0,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Hyperbolic secant kernel ``cosh(d)^-γ = (x*y)^-γ``.

    Smooth, invariant under isometries and positive definite for every γ > 0. For near points it is
    a Gaussian, ``exp(-γ d²/2)``; for far ones it falls like ``2^γ exp(-γ d)``.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    gamma : float or "scale", default="scale"
        The exponent, a positive number. "scale" takes it from Y (or X, where Y is None), the
        training points in scikit-learn's estimators: see `scale_gamma`.
    radius_scale : float or "auto", default=1.0
        A factor by which all radii are multiplied first. "auto" takes it from Y (or X, where Y is
        None): see `scale_radius`. Other factors than 1 make the kernel depend on the origin.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    K : ndarray of shape (m1, m2)
        Exactly 1 where the points are the same. Two single points (1-D) give a number.

    See Also
    --------
    HyperbolicKernel : The same as an object that every kernel method of scikit-learn takes.

    Examples
    --------
    >>> secant_kernel([[0.0, 0.0], [0.5, 0.0]], gamma=1.0).round(3)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    chart = {"coordinates": coordinates, "curvature": curvature}
    return _kernel_function("secant", X, Y, gamma, radius_scale, **chart)


def laplacian_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    gamma: float | str = "scale",
    radius_scale: float | str = 1.0,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Laplacian kernel ``exp(-γ d)`` of the geodesic distance.

    Invariant under isometries and positive definite for every γ > 0: d counts the hyperplanes
    between two points, so it is conditionally negative definite. Not smooth at d = 0.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    gamma : float or "scale", default="scale"
        Decay, a positive number. "scale" takes it from Y (or X, where Y is None): see
        `scale_gamma`.
    radius_scale : float or "auto", default=1.0
        A factor by which all radii are multiplied first. "auto" takes it from Y (or X, where Y is
        None): see `scale_radius`. Other factors than 1 make the kernel depend on the origin.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    K : ndarray of shape (m1, m2)
        Exactly 1 where the points are the same. Two single points (1-D) give a number.

    Examples
    --------
    >>> laplacian_kernel([[0.0, 0.0], [0.5, 0.0]], gamma=1.0).round(3)
    array([[1.   , 0.333],
           [0.333, 1.   ]])
    """
    chart = {"coordinates": coordinates, "curvature": curvature}
    return _kernel_function("laplacian", X, Y, gamma, radius_scale, **chart)


def _kernel_function(
    kernel: str,
    X: ArrayLike,
    Y: ArrayLike | None,
    gamma: Any,
    radius_scale: Any,
    **chart: Any,
) -> Array:
    single = Y is not None and np.ndim(X) == np.ndim(Y) == 1
    if single and (isinstance(gamma, str) or isinstance(radius_scale, str)):
        raise ValueError(
            "two single points have no scale of their own: give gamma and radius_scale as numbers. "
            "KernelRidge and KernelPCA call a function on one pair of points at a time; "
            "hyplane.features.HyperbolicKernel works on whole arrays and is much faster there."
        )
    if single:
        X, Y = as_rows(X), as_rows(Y)
    training = X if Y is None else Y
    if isinstance(radius_scale, str) and radius_scale == "auto":
        radius_scale = scale_radius(training, **chart)
    if isinstance(gamma, str) and gamma == "scale":
        gamma = scale_gamma(training, kernel, radius_scale=radius_scale, **chart)
    K: Array = HyperbolicKernel(kernel, gamma, radius_scale=radius_scale, **chart)(X, Y)
    return K[0, 0] if single else K


class HyperbolicKernel(NormalizedKernelMixin, Kernel):  # type: ignore[misc]
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
    radius_scale : float, default=1.0
        A factor by which all radii are multiplied first; `scale_radius` gives one that suits the
        data.
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
        radius_scale: float = 1.0,
        coordinates: str = "ball",
        curvature: float = -1.0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.gamma_bounds = gamma_bounds
        self.radius_scale = radius_scale
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
        gamma = check_positive(self.gamma, "gamma")
        chart: dict[str, Any] = {"coordinates": self.coordinates, "curvature": self.curvature}
        exponents = _dissimilarity(self.kernel, X, Y, self.radius_scale, **chart)
        with np.errstate(over="ignore"):
            exponents *= -gamma  # -inf where the kernel is 0
        if not eval_gradient:
            return np.exp(exponents, out=exponents)
        if Y is not None:
            raise ValueError("the gradient can only be evaluated where Y is None.")
        K = np.exp(exponents)
        if self.hyperparameter_gamma.fixed:
            return K, np.empty((*K.shape, 0))
        return K, (exponents * K)[:, :, None]

    def is_stationary(self) -> bool:
        """Tell whether the kernel depends on ``x - y`` alone, in the sense of vector spaces."""
        return False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel!r}, gamma={self.gamma:.3g})"


def scale_gamma(
    X: ArrayLike,
    kernel: str = "secant",
    *,
    radius_scale: float = 1.0,
    sample_weight: ArrayLike | None = None,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> float:
    """Return the γ that ``gamma="scale"`` means.

    With the kernel written ``exp(-γ D)``, it is the γ at which the mean exponent between the
    points and their centre is 1: ``1 / mean D(x, c)``.
    Search ``C`` with it, also where classes are short arcs of a ring: 100 was as good there as
    the best γ of `gamma_grid`.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    kernel : {"secant", "laplacian", "tangent_rbf", "ball_rbf"}, default="secant"
        The kernel: D is ``log cosh d``, ``d``, ``|log x - log y|²`` or, in the ball, ``|x - y|²``.
    radius_scale : float, default=1.0
        A factor by which all radii are multiplied first.
    sample_weight : array-like of shape (m,), optional
        Weights of the points in both means.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number. γ itself has no unit: it belongs to distances at curvature -1.

    Returns
    -------
    gamma : float
        1 where all points coincide.

    Notes
    -----
    For the two invariant kernels the centre c is the point with the least mean of ``log cosh d``:
    a mean of near points (``log cosh d ≈ d²/2``), a geometric median of far ones
    (``log cosh d ≈ d - log 2``), so that a few far points hardly move it. It moves with
    the points under isometries, hence γ does not change. It is found by repeating ``c ← Σ x / (c*x)
    , scaled back to the hyperboloid``, which never increases that mean, at O(m) a step. For the
    tangent RBF the centre is the mean of the tangent vectors, for the ball RBF that of the points
    of the ball.

    For points close together, the secant kernel with this γ becomes ``exp(-|x - y|² / v)`` with v
    the total variance, which is what ``gamma="scale"`` means for scikit-learn's RBF kernel on
    centred columns.

    Examples
    --------
    >>> X = [[0.1, 0.0], [-0.1, 0.0], [0.0, 0.1], [0.0, -0.1]]
    >>> round(scale_gamma(X), 2)
    50.0
    >>> round(scale_gamma(X, "laplacian"), 2)
    4.98
    """
    _check_kernel(kernel)
    chart: dict[str, Any] = {"coordinates": coordinates, "curvature": curvature}
    points = check_points(X, **chart)
    if check_positive(radius_scale, "radius_scale") != 1.0:
        points = _rescaled(points, radius_scale, **chart)
        chart = {"coordinates": "tangent", "curvature": -1.0}
    if (points == points[0]).all():
        return 1.0
    weights = None if sample_weight is None else validate_weights(sample_weight, points)
    if weights is not None and weights.max() > 0.0:
        weights = weights / weights.max()  # so that no sum overflows
    if kernel in ("tangent_rbf", "ball_rbf"):
        vectors = _vectors(kernel, points, **chart)
        vectors = vectors - np.average(vectors, axis=0, weights=weights)
        values = np.einsum("ij,ij->i", vectors, vectors)
    else:
        centre = _centre(points, weights, **chart)
        values = _dissimilarity(kernel, points, centre, 1.0, **chart)[:, 0]
    spread = float(np.average(values, weights=weights))
    return 1.0 if spread < 1e-300 else 1.0 / spread  # smaller squares underflow


def gamma_grid(
    X: ArrayLike,
    kernel: str = "secant",
    n_values: int = 4,
    *,
    radius_scale: float = 1.0,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return values of γ to search, from kernels wider than the data to the nearest neighbours.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    kernel : {"secant", "laplacian", "tangent_rbf", "ball_rbf"}, default="secant"
        The kernel.
    n_values : int, default=4
        Number of values.
    radius_scale : float, default=1.0
        A factor by which all radii are multiplied first.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    gammas : ndarray of shape (n_values,)
        A geometric sequence. It rises from 0.3 of `scale_gamma` to the γ at which the median
        exponent between a point and its fifth neighbour is 1, or to 3 times `scale_gamma` where
        that is more.

    Examples
    --------
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> from hyplane.features import gamma_grid
    >>> X, _ = make_hyperbolic_gaussians(200, random_state=0)
    >>> gamma_grid(X).round(2)
    array([0.17, 0.49, 1.37, 3.86])
    """
    if not 1 <= n_values <= 1000:
        raise ValueError(f"n_values must be between 1 and 1000; got {n_values!r}.")
    chart: dict[str, Any] = {"coordinates": coordinates, "curvature": curvature}
    scale = scale_gamma(X, kernel, radius_scale=radius_scale, **chart)
    points = _spread_rows(X, coordinates, curvature)
    chart = {"coordinates": "tangent", "curvature": -1.0}
    values = _dissimilarity(kernel, points, None, radius_scale, **chart)
    fifth = min(5, len(points) - 1)
    near = float(np.median(np.partition(values, fifth, axis=1)[:, fifth]))
    largest = max(3.0 * scale, 1.0 / near if near > 1e-300 else 0.0)
    return np.geomspace(0.3 * scale, largest, n_values)


def _centre(points: Array, weights: Array | None, **chart: Any) -> Array:
    """Return the point with the least mean of log cosh d, as an array of one row."""
    max_iter, tol = 200, 1e-4  # two digits of the mean dissimilarity are enough
    centre = einstein_midpoint(points, weights, **chart)[None, :]
    before = np.inf
    for _ in range(max_iter):
        values = log_cosh_distances(points, centre, **chart)[:, 0]
        spread = float(np.average(values, weights=weights))
        if spread >= before * (1.0 - tol):
            break
        before = spread
        pull = np.exp(values.min() - values)
        pull = pull if weights is None else pull * weights
        centre = einstein_midpoint(points, pull, **chart)[None, :]
    return centre


def scale_radius(X: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0) -> float:
    """Return the factor that ``radius_scale="auto"`` means.

    In many dimensions and far from the origin the distance of most points is nearly the sum of
    their radii, and kernels of it tell little. Multiplying all radii by a factor, which is a choice
    of curvature, brings the angles back. This factor is 1 where near neighbours are well nearer
    than the sum of their radii. Otherwise it makes the median radius 1.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points. Equal ones count once. Of more than 1000 points, 1000 spread over all radii are
        compared.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    factor : float
        At most 1.

    Examples
    --------
    >>> import numpy as np
    >>> from hyplane.features import scale_radius
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> scale_radius(X[:, :2], coordinates="tangent")
    1.0
    >>> round(scale_radius(X, coordinates="tangent"), 3)
    0.185
    """
    # On 28 data sets the share was .50 at most where the factor lost accuracy, .55 where it gained
    # more than a point.
    largest_share = 0.53
    points = _spread_rows(X, coordinates, curvature)
    radius = np.linalg.norm(points, axis=1)
    median = float(np.median(radius))
    if len(points) == 1 or median <= 1.0:
        return 1.0
    distances = pairwise_distances(points, coordinates="tangent")
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    share = distances[np.arange(len(points)), nearest] / (radius + radius[nearest])
    return 1.0 if np.median(share) <= largest_share else 1.0 / median


def _spread_rows(X: ArrayLike, coordinates: str, curvature: float, most: int = 1000) -> Array:
    """Return distinct points as tangent vectors, so many at most, spread over all radii."""
    radius, direction = to_polar(X, coordinates, curvature=curvature)
    rows = np.unique(np.column_stack([radius, direction]), axis=0)  # in the order of radii
    rows = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.intp)]
    return np.asarray(rows[:, :1] * rows[:, 1:])
