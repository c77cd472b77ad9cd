"""Hyperbolic distances, accurate for nearly equal points and for far ones."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.spatial.distance import cdist

from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane.geometry._arrays import finite_array
from hyplane.geometry._exact import boundary_gap
from hyplane.geometry._separation import Separation, distance_of, separate
from hyplane.geometry._table import Chart, find_chart
from hyplane.geometry.numerics import LOG_2, row_norms
from hyplane.geometry.validation import check_curvature, check_points

_BLOCK = 1 << 21
_PAIRS = 1 << 16  # computed again at a time
_LEAST_SQUARE = 1e-290
# Directions are rounded in the last place, which is a relative error of 1e-13 in sin φ/2 here.
_ROUNDED_ANGLE = 5e-6
_FAR = 600.0  # beyond, log cosh d is d - log 2 to the last digit and cosh may overflow


def distance(
    X: ArrayLike, Y: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the distance between matching rows.

    Parameters
    ----------
    X, Y : array-like of shape (m, n_columns)
        Points of one chart. Either may be a single point, of shape (1, n_columns) or (n_columns,).
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number. Distances at curvature -k are those at -1 divided by ``sqrt(k)``.

    Returns
    -------
    distances : ndarray of shape (m,)

    Notes
    -----
    No chart is left: the coordinates are subtracted first, so that nearly equal points keep their
    digits, and radii beyond the range of ``sinh`` are handled through logarithms. In the ball
    ``sinh(d/2) = |b - c| / sqrt((1 - |b|²)(1 - |c|²))``, in the half-space
    ``sinh(d/2) = |h - g| / (2 sqrt(h1 g1))``, elsewhere
    ``sinh²(d/2) = sinh²((r - s)/2) + sinh r sinh s sin²(φ/2)``.

    Examples
    --------
    >>> distance([[0.0, 0.0]], [[0.5, 0.0]]).round(6)
    array([1.098612])
    >>> distance([[10000.0, 0.0]], [[9000.0, 0.0]], coordinates="polar")
    array([1000.])
    """
    chart = find_chart(coordinates)
    k = check_curvature(curvature)
    left, right = matching_rows(X, Y, coordinates, curvature, "X", "Y")
    return np.asarray(_matching_distances(left, right, chart, k) / np.sqrt(k))


def pairwise_distances(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the distances between all rows of X and all rows of Y.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m1, m2)

    Notes
    -----
    As accurate as `distance`. Coordinates are subtracted one by one (never through
    ``|x|² + |y|² - 2 x·y``). In charts other than the ball and the half-space the directions are
    rounded first; pairs in nearly the same direction, for which this matters, are computed again
    from their coordinates. Where most pairs are of this kind that takes some twenty times as long.

    Examples
    --------
    >>> pairwise_distances([[0.0, 0.0], [0.5, 0.0]]).round(4)
    array([[0.    , 1.0986],
           [1.0986, 0.    ]])
    """
    chart, k = find_chart(coordinates), check_curvature(curvature)
    left, right = _both_sides(X, Y, coordinates, curvature)
    distances = _of_all_pairs(left, right, chart, k, _distance_of_square, lambda d: d)
    distances /= np.sqrt(k)
    return distances


def polar_distance(
    radius: ArrayLike, direction: ArrayLike, other_radius: ArrayLike, other_direction: ArrayLike
) -> Array:
    """Return the distance between matching polar points at curvature -1, at any radius.

    The work of `distance` for points that are already polar.

    Parameters
    ----------
    radius, other_radius : array-like of shape (m,)
        Radii. One of each pair of arrays may also be a single point, which meets every row.
    direction, other_direction : array-like of shape (m, n)
        Unit directions.

    Returns
    -------
    distances : ndarray of shape (m,)

    Examples
    --------
    >>> east = np.array([[1.0, 0.0]])
    >>> polar_distance(np.array([100.0, 500.0]), east, np.array(1.0), -east)
    array([101., 501.])
    """
    radius, other_radius = (
        finite_array(radius, "radius"),
        finite_array(other_radius, "other_radius"),
    )
    direction = finite_array(direction, "direction", 1, 2)
    other_direction = finite_array(other_direction, "other_direction", 1, 2)
    try:
        chord = np.atleast_2d(direction - other_direction)
        sine = 0.25 * np.einsum("ij,ij->i", chord, chord)
        rows = np.broadcast_arrays(radius, other_radius, sine)
    except ValueError as error:
        raise ValueError(
            f"the points do not match row by row: {radius.shape} radii with {direction.shape} "
            f"directions, and {other_radius.shape} with {other_direction.shape}."
        ) from error
    if rows[0].ndim != 1 or direction.shape[-1] != other_direction.shape[-1]:
        raise ValueError("radii have shape (m,) and directions (m, n).")
    if (radius < 0.0).any() or (other_radius < 0.0).any():
        raise ValueError("a radius is negative.")
    return distance_of(Separation(rows[0], rows[1], rows[0] - rows[1], rows[2]))


def log_cosh_distances(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return ``log cosh d`` of all pairs, for the distance d at curvature -1.

    Parameters
    ----------
    X : array-like of shape (m1, n_columns)
        Points.
    Y : array-like of shape (m2, n_columns), optional
        Points of the same chart; X itself by default.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        Their chart.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    values : ndarray of shape (m1, m2)
        ``log(x*y)``, without overflow, and with all digits for near points.

    Notes
    -----
    ``cosh d - 1 = 2 sinh²(d/2)`` comes from differences of coordinates, as in
    `pairwise_distances`, so that no distance has to be taken out of its hyperbolic sine.

    Examples
    --------
    >>> np.exp(log_cosh_distances([[0.0, 0.0]], [[0.5, 0.0]])).round(6)
    array([[1.666667]])
    """
    chart, k = find_chart(coordinates), check_curvature(curvature)
    left, right = _both_sides(X, Y, coordinates, curvature)
    return _of_all_pairs(left, right, chart, k, _log_cosh_of_square, _log_cosh)


def _both_sides(
    X: ArrayLike, Y: ArrayLike | None, coordinates: str, curvature: float
) -> tuple[Array, Array]:
    """Return the checked points of all pairs; those of X twice where there is no Y."""
    left = check_points(X, coordinates, curvature=curvature)
    right = left if Y is None else check_points(Y, coordinates, curvature=curvature, name="Y")
    _check_same_columns(left, right, "X", "Y")
    return left, right


def matching_rows(
    X: ArrayLike,
    Y: ArrayLike,
    coordinates: str,
    curvature: float,
    x_name: str,
    y_name: str,
) -> tuple[Array, Array]:
    """Return two checked arrays of points of equal length; one point alone meets every row."""
    left = check_points(as_rows(X), coordinates, curvature=curvature, name=x_name)
    right = check_points(as_rows(Y), coordinates, curvature=curvature, name=y_name)
    _check_same_columns(left, right, x_name, y_name)
    n_rows = max(len(left), len(right))
    if len(left) not in (1, n_rows) or len(right) not in (1, n_rows):
        raise ValueError(
            f"{x_name} has {len(left)} rows and {y_name} has {len(right)}: rows are matched one to "
            "one, or one point with all. See pairwise_distances for all pairs."
        )
    shape = (n_rows, left.shape[1])
    return np.broadcast_to(left, shape), np.broadcast_to(right, shape)


def as_rows(X: ArrayLike) -> ArrayLike:
    """Return a single point as an array of one row, anything else as it is."""
    return np.asanyarray(X)[None, :] if np.ndim(X) == 1 else X


def _check_same_columns(left: Array, right: Array, x_name: str, y_name: str) -> None:
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"{x_name} and {y_name} must have the same number of columns; "
            f"got {left.shape[1]} and {right.shape[1]}."
        )


def _matching_distances(X: Array, Y: Array, chart: Chart, k: float) -> Array:
    """Return the distance between matching rows at curvature -1."""
    if chart.name == "ball":
        gaps = np.sqrt(boundary_gap(X, k)) * np.sqrt(boundary_gap(Y, k))
        return np.asarray(2.0 * np.arcsinh(np.sqrt(k) * row_norms(X - Y) / gaps))
    if chart.name == "halfspace":
        return _halfspace_distance(X, Y)
    return distance_of(separate(X, Y, chart, k))


def _halfspace_distance(H: Array, G: Array) -> Array:
    norms = row_norms(H - G)
    with np.errstate(divide="ignore", over="ignore"):
        sinh = norms / (2.0 * np.sqrt(H[:, 0]) * np.sqrt(G[:, 0]))
        far = 2.0 * np.log(norms) - np.log(H[:, 0]) - np.log(G[:, 0])
    return np.where(sinh > 1e100, far, 2.0 * np.arcsinh(np.minimum(sinh, 1e100)))


def _of_all_pairs(
    X: Array,
    Y: Array,
    chart: Chart,
    k: float,
    of_square: Callable[[Array, Array], None],
    of_distance: Callable[[Array], Array],
) -> Array:
    """Return a function of ``sinh²(d/2)`` for all pairs, from d itself where that loses digits."""
    squares: Callable[[Array, Array, Array, Array], tuple[Array, Mask]]
    if chart.name in ("ball", "halfspace"):
        squares = _conformal_squares
        (a, b), (c, d) = (_weights(X, chart, k), X), (_weights(Y, chart, k), Y)
    else:
        squares = _polar_squares
        (a, b), (c, d) = chart.to_polar(X, k), chart.to_polar(Y, k)
    values = np.empty((len(X), len(Y)))
    for rows in _blocks(len(X), len(Y)):
        with np.errstate(over="ignore", invalid="ignore"):
            square, is_exact = squares(a[rows], b[rows], c, d)
            # Beyond these bounds a square has lost digits, or its logarithm is needed.
            is_exact &= (square > _LEAST_SQUARE) & (square < 1.0 / _LEAST_SQUARE)
            of_square(square, values[rows])
        left, right = np.nonzero(~is_exact)
        left += rows.start
        for first in range(0, len(left), _PAIRS):
            i, j = left[first : first + _PAIRS], right[first : first + _PAIRS]
            # Of points with themselves both orders of a pair get the same bits.
            m, n = (np.minimum(i, j), np.maximum(i, j)) if X is Y else (i, j)
            values[i, j] = of_distance(_matching_distances(X[m], Y[n], chart, k))
    return values


def _conformal_squares(w: Array, X: Array, v: Array, Y: Array) -> tuple[Array, Mask]:
    """Return ``sinh²(d/2) = w v |x - y|²``, and which of them have all their digits."""
    square = cdist(X, Y, "sqeuclidean")
    is_exact = square > _LEAST_SQUARE
    square *= np.multiply.outer(w, v)
    return square, is_exact


def _polar_squares(r: Array, u: Array, s: Array, v: Array) -> tuple[Array, Mask]:
    """Return ``sinh²(d/2) = sinh²((r - s)/2) + sinh r sinh s sin²(φ/2)``, and the same."""
    size = np.multiply.outer(np.sinh(r), np.sinh(s))
    square = cdist(u, v, "sqeuclidean")
    square *= 0.25
    square *= size
    square += np.sinh(0.5 * (r[:, None] - s)) ** 2
    return square, square > _ROUNDED_ANGLE * size


def _weights(points: Array, chart: Chart, k: float) -> Array:
    if chart.name == "halfspace":
        with np.errstate(over="ignore"):
            return np.asarray(0.5 / points[:, 0])
    return np.asarray(np.sqrt(k) / boundary_gap(points, k))


def _distance_of_square(square: Array, out: Array) -> None:
    np.sqrt(square, out=out)
    np.arcsinh(out, out=out)
    out *= 2.0


def _log_cosh_of_square(square: Array, out: Array) -> None:
    np.multiply(square, 2.0, out=out)
    np.log1p(out, out=out)


def _log_cosh(d: Array) -> Array:
    excess = 2.0 * np.sinh(0.5 * np.minimum(d, _FAR)) ** 2
    return np.where(d > _FAR, d - LOG_2, np.log1p(excess))


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, _BLOCK // n_columns)
    return (slice(start, start + step) for start in range(0, n_rows, step))
