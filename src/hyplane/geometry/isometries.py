"""The Minkowski product, and the isometries that keep it: Lorentz matrices on the hyperboloid.

They are unit-free: the same matrix acts at every curvature.
"""

from typing import Any

import numpy as np
from scipy.linalg import block_diag
from sklearn.utils import check_random_state

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import as_doubles
from hyplane.geometry.charts import from_polar, write_points
from hyplane.geometry.numerics import arsinh_exp, directions, log_cosh, row_norms
from hyplane.geometry.validation import as_rows, check_dimension, check_positive, read_points


def minkowski_product(x: ArrayLike, y: ArrayLike) -> Array:
    """Return ``x*y = x0 y0 - x1 y1 - … - xn yn`` over the last axis.

    Parameters
    ----------
    x, y : array-like of shape (..., n + 1)
        Vectors of Minkowski space, broadcast against each other.

    Returns
    -------
    product : ndarray of shape (...)

    Examples
    --------
    >>> float(minkowski_product([1.25, 0.75, 0.0], [1.25, 0.75, 0.0]))
    1.0
    """
    x, y = as_doubles(x, "x"), as_doubles(y, "y")
    if x.ndim == 0 or y.ndim == 0 or x.shape[-1] != y.shape[-1] or x.shape[-1] < 2:
        raise ValueError(
            "x and y must have the same number of components, two or more; "
            f"got shapes {x.shape} and {y.shape}."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        spatial = np.einsum("...i,...i->...", x[..., 1:], y[..., 1:])
        product = np.asarray(x[..., 0] * y[..., 0] - spatial)
    if not np.isfinite(product).all():
        raise ValueError(
            "x and y must be finite, and small enough for their product to be a double."
        )
    return product


def lorentz_boost(point: ArrayLike, *, curvature: float = -1.0) -> Array:
    """Return the boost that takes the origin to a point.

    Parameters
    ----------
    point : array-like of shape (n + 1,)
        A point in hyperboloid coordinates.
    curvature : float, default=-1.0
        The curvature of these coordinates.

    Returns
    -------
    matrix : ndarray of shape (n + 1, n + 1)
        The isometry along the geodesic from the origin to the point, with no turn.

    Examples
    --------
    >>> lorentz_boost([1.25, 0.75, 0.0])
    array([[1.25, 0.75, 0.  ],
           [0.75, 1.25, 0.  ],
           [0.  , 0.  , 1.  ]])
    """
    rows, *_, k = read_points(as_rows(point), "hyperboloid", curvature, "point")
    if len(rows) != 1:
        raise ValueError(f"point must be a single point of shape (n + 1,); got {len(rows)} rows.")
    spatial = np.sqrt(k) * rows[0, 1:]
    time = np.hypot(1.0, row_norms(spatial[None, :])[0])
    half = spatial / np.sqrt(1.0 + time)
    stretch = np.eye(len(spatial)) + np.outer(half, half)
    return np.block([[np.full((1, 1), time), spatial[None, :]], [spatial[:, None], stretch]])


def rotation(matrix: ArrayLike) -> Array:
    """Return the isometry that rotates (or reflects) space about the origin.

    Parameters
    ----------
    matrix : array-like of shape (n, n)
        An orthogonal matrix.

    Returns
    -------
    matrix : ndarray of shape (n + 1, n + 1)

    Examples
    --------
    >>> rotation([[0.0, -1.0], [1.0, 0.0]])
    array([[ 1.,  0.,  0.],
           [ 0.,  0., -1.],
           [ 0.,  1.,  0.]])
    """
    turn = as_doubles(matrix, "matrix")
    if turn.ndim != 2 or turn.shape[0] != turn.shape[1] or not turn.size:
        raise ValueError(f"matrix must be square; got shape {turn.shape}.")
    error = np.abs(turn.T @ turn - np.eye(len(turn))).max()
    if not error <= 1e-9:
        raise ValueError(
            f"matrix must be orthogonal, but its product with its transpose differs "
            f"from the identity by {error:.3g}."
        )
    return np.asarray(block_diag(1.0, turn))


def random_isometry(n_dim: int, *, max_radius: float = 1.0, random_state: Any = None) -> Array:
    """Draw an isometry: a uniform rotation or reflection, then a boost.

    Parameters
    ----------
    n_dim : int
        Dimension n of the space.
    max_radius : float, default=1.0
        The boost moves the origin by a uniform distance up to this one (at curvature -1).
    random_state : int, RandomState or None, default=None
        Where the randomness comes from.

    Returns
    -------
    matrix : ndarray of shape (n + 1, n + 1)

    Examples
    --------
    >>> is_isometry(random_isometry(3, random_state=0))
    True
    """
    if not isinstance(n_dim, int | np.integer) or isinstance(n_dim, bool) or n_dim < 1:
        raise ValueError(f"n_dim must be at least 1, an integer; got {n_dim!r}.")
    radius = check_positive(max_radius, "max_radius")
    rng = check_random_state(random_state)
    # The Q of a Gaussian matrix is uniform once the signs of R are made positive.
    orthogonal, upper = np.linalg.qr(rng.normal(size=(n_dim, n_dim)))
    orthogonal = orthogonal * np.where(np.diag(upper) < 0, -1.0, 1.0)
    direction = rng.normal(size=(1, n_dim))
    direction = directions(direction, row_norms(direction))
    shift = np.array([rng.uniform(0.0, radius)])
    point = from_polar(shift, direction, "hyperboloid")
    return np.asarray(lorentz_boost(point) @ rotation(orthogonal))


def is_isometry(matrix: ArrayLike) -> bool:
    """Return whether a matrix keeps the Minkowski product and the upper sheet, to rounding.

    Parameters
    ----------
    matrix : array-like of shape (n + 1, n + 1)
        A matrix.

    Returns
    -------
    verdict : bool

    Examples
    --------
    >>> is_isometry([[2.0, 0.0], [0.0, 0.5]])
    False
    """
    values = as_doubles(matrix, "matrix", keep_single=True)
    eps, values = np.finfo(values.dtype).eps, values.astype(np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) < 2:
        return False
    if not np.isfinite(values).all() or values[0, 0] <= 0:
        return False
    product = np.diag(np.r_[1.0, -np.ones(len(values) - 1)])
    error = np.abs(values.T @ product @ values - product).max()
    size = np.abs(values).max()
    return bool(error <= 1e-9 + 64.0 * len(values) * eps * size**2)


def inverse_isometry(matrix: ArrayLike) -> Array:
    """Return the inverse of an isometry, ``J Λᵀ J`` with J the matrix of the Minkowski product.

    Parameters
    ----------
    matrix : array-like of shape (n + 1, n + 1)
        An isometry.

    Returns
    -------
    inverse : ndarray of shape (n + 1, n + 1)

    Examples
    --------
    >>> inverse_isometry([[1.25, 0.75], [0.75, 1.25]])
    array([[ 1.25, -0.75],
           [-0.75,  1.25]])
    """
    inverse = _checked(matrix).T.copy()
    inverse[0, 1:] *= -1.0
    inverse[1:, 0] *= -1.0
    return inverse


def apply_isometry(
    matrix: ArrayLike, X: ArrayLike, coordinates: str = "ball", *, curvature: float = -1.0
) -> Array:
    """Move points of any chart by an isometry.

    Parameters
    ----------
    matrix : array-like of shape (n + 1, n + 1)
        An isometry.
    X : array-like of shape (m, n_columns)
        Points.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points and of the result.
    curvature : float, default=-1.0
        The curvature of that chart.

    Returns
    -------
    points : ndarray of shape (m, n_columns)

    Examples
    --------
    >>> apply_isometry(lorentz_boost([1.25, 0.75, 0.0]), [[0.0, 0.0]], "klein")
    array([[0.6, 0. ]])
    """
    values = _checked(matrix)
    _, radius, direction, chart, k = read_points(X, coordinates, curvature)
    check_dimension(len(values), direction.shape[1], "each row of matrix")
    # All divided by cosh r, which is made good at the end.
    moved = values[1:, 0] + np.tanh(radius)[:, None] * (direction @ values[1:, 1:].T)
    norms = row_norms(moved)
    with np.errstate(divide="ignore"):
        radius = arsinh_exp(np.log(norms) + log_cosh(radius))
    return write_points(radius, directions(moved, norms), chart, k)


def _checked(matrix: ArrayLike) -> Array:
    if not is_isometry(matrix):
        raise ValueError(
            "matrix is not an isometry of the hyperboloid: it must be square, keep the Minkowski "
            "product and have a positive first entry (see lorentz_boost, rotation)."
        )
    return as_doubles(matrix, "matrix")
