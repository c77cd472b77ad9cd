"""The width of a kernel that suits the spread of the data."""

from typing import Any

import numpy as np

from hyplane._utils.inputs import validate_weights
from hyplane._utils.typing import Array, ArrayLike, finite_float
from hyplane.features.dissimilarity import ball_vectors, find_dissimilarity, tangent_vectors
from hyplane.geometry import check_points, einstein_midpoint
from hyplane.geometry.distances import log_cosh_distances

# Two digits of the mean dissimilarity are enough.
_CENTRE_STEPS = 200
_CENTRE_TOL = 1e-4
_OF_VECTORS = {"tangent_rbf": tangent_vectors, "ball_rbf": ball_vectors}


def scale_gamma(
    X: ArrayLike,
    kernel: str = "secant",
    *,
    sample_weight: ArrayLike | None = None,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> float:
    """Return the γ that ``gamma="scale"`` means.

    With the kernel written ``exp(-γ D)``, it is the γ at which the mean exponent between the
    points and their centre is 1: ``1 / mean D(x, c)``.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    kernel : {"secant", "laplacian", "tangent_rbf", "ball_rbf"}, default="secant"
        The kernel: D is ``log cosh d``, ``d``, ``|log x - log y|²`` or, in the ball, ``|x - y|²``.
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
    dissimilarity = find_dissimilarity(kernel)
    points = check_points(X, coordinates, curvature=curvature)
    if (points == points[0]).all():
        return 1.0
    weights = None if sample_weight is None else validate_weights(sample_weight, points)
    if weights is not None and weights.max() > 0.0:
        weights = weights / weights.max()  # so that no sum overflows
    if kernel in _OF_VECTORS:
        vectors = _OF_VECTORS[kernel](points, coordinates, curvature)
        vectors = vectors - np.average(vectors, axis=0, weights=weights)
        values = np.einsum("ij,ij->i", vectors, vectors)
    else:
        centre = _centre(points, weights, coordinates, curvature)
        values = dissimilarity(points, centre, coordinates=coordinates, curvature=curvature)[:, 0]
    spread = float(np.average(values, weights=weights))
    return 1.0 if spread < 1e-300 else 1.0 / spread  # smaller squares underflow


def _centre(points: Array, weights: Array | None, coordinates: str, curvature: float) -> Array:
    chart = {"coordinates": coordinates, "curvature": curvature}
    centre = einstein_midpoint(points, weights, **chart)[None, :]  # type: ignore[arg-type]
    before = np.inf
    for _ in range(_CENTRE_STEPS):
        values = log_cosh_distances(points, centre, coordinates=coordinates, curvature=curvature)
        spread = float(np.average(values[:, 0], weights=weights))
        if spread >= before * (1.0 - _CENTRE_TOL):
            break
        before = spread
        pull = np.exp(values.min() - values[:, 0])
        pull = pull if weights is None else pull * weights
        centre = einstein_midpoint(points, pull, **chart)[None, :]  # type: ignore[arg-type]
    return centre


def resolve_gamma(
    gamma: float | str,
    X: ArrayLike,
    kernel: str,
    *,
    sample_weight: ArrayLike | None = None,
    coordinates: str,
    curvature: float,
) -> float:
    """Return γ as a number: itself, or that of ``"scale"`` on the points."""
    if isinstance(gamma, str) and gamma == "scale":
        return scale_gamma(
            X,
            kernel,
            sample_weight=sample_weight,
            coordinates=coordinates,
            curvature=curvature,
        )
    return check_gamma(gamma, " or 'scale'")


def check_gamma(gamma: Any, otherwise: str = "") -> float:
    """Return γ as a float, or say what it must be."""
    number = finite_float(gamma)
    if number is None or not number > 0:
        raise ValueError(f"gamma must be a positive number{otherwise}; got {gamma!r}.")
    return number
