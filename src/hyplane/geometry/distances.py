"""Hyperbolic distances, accurate for nearly equal points and for far ones."""

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from hyplane._typing import Array, ArrayLike
from hyplane.geometry._arrays import finite_array
from hyplane.geometry._exact import boundary_gap
from hyplane.geometry._separation import Separation, distance_of, separate
from hyplane.geometry._table import Chart, find_chart
from hyplane.geometry.numerics import LOG_2, row_norms
from hyplane.geometry.validation import check_curvature, check_points

_BLOCK = 1 << 21
_NEAR = 300.0  # below, products of two hyperbolic sines stay finite
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
    if chart.name == "ball":
        distances = _ball_distance(left, right, k)
    elif chart.name == "halfspace":
        distances = _halfspace_distance(left, right)
    else:
        distances = distance_of(separate(left, right, chart, k))
    return np.asarray(distances / np.sqrt(k))


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
    Coordinates are subtracted one by one (never through ``|x|² + |y|² - 2 x·y``). In the ball and
    the half-space that is as accurate as `distance`; in the other charts the directions are rounded
    first, so that a distance is right to about ``1e-16 sinh(r)``.

    Examples
    --------
    >>> pairwise_distances([[0.0, 0.0], [0.5, 0.0]]).round(4)
    array([[0.    , 1.0986],
           [1.0986, 0.    ]])
    """
    chart, k = find_chart(coordinates), check_curvature(curvature)
    left, right = _both_sides(X, Y, coordinates, curvature)
    if _is_conformal(left, chart) and _is_conformal(right, chart):
        distances = _conformal_pairs(left, right, chart, k)
    elif chart.name == "halfspace":
        distances = np.stack([_halfspace_distance(left, row[None, :]) for row in right], axis=1)
    else:
        distances = _polar_pairs(chart.to_polar(left, k), chart.to_polar(right, k))
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
    if chart.name == "ball":
        excess = cdist(left, right, "sqeuclidean")
        excess *= np.multiply.outer(_weights(left, chart, k), _weights(right, chart, k))
        excess *= 2.0
        return np.asarray(np.log1p(excess, out=excess))
    if chart.name != "halfspace":
        (r, u), (s, v) = chart.to_polar(left, k), chart.to_polar(right, k)
        if max(r.max(), s.max()) < _NEAR:
            excess = cdist(u, v, "sqeuclidean")
            excess *= np.multiply.outer(np.sinh(r), np.sinh(s))
            excess *= 0.5
            excess += 2.0 * np.sinh(0.5 * (r[:, None] - s)) ** 2
            return np.asarray(np.log1p(excess, out=excess))
    d = pairwise_distances(left, right, coordinates=coordinates, curvature=curvature)
    d *= np.sqrt(k)
    excess = 2.0 * np.sinh(0.5 * np.minimum(d, _FAR)) ** 2
    return np.where(d > _FAR, d - LOG_2, np.log1p(excess))


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


def _ball_distance(B: Array, C: Array, k: float) -> Array:
    gaps = np.sqrt(boundary_gap(B, k)) * np.sqrt(boundary_gap(C, k))
    return np.asarray(2.0 * np.arcsinh(np.sqrt(k) * row_norms(B - C) / gaps))


def _halfspace_distance(H: Array, G: Array) -> Array:
    norms = row_norms(H - G)
    with np.errstate(divide="ignore", over="ignore"):
        sinh = norms / (2.0 * np.sqrt(H[:, 0]) * np.sqrt(G[:, 0]))
        far = 2.0 * np.log(norms) - np.log(H[:, 0]) - np.log(G[:, 0])
    return np.where(sinh > 1e100, far, 2.0 * np.arcsinh(np.minimum(sinh, 1e100)))


def _is_conformal(points: Array, chart: Chart) -> bool:
    """Tell whether ``sinh²(d/2)`` is a squared Euclidean distance times one weight per point."""
    if chart.name == "halfspace":  # unless the squares could leave the doubles
        return bool(points[:, 0].min() > 1e-100 and np.abs(points).max() < 1e100)
    return chart.name == "ball"


def _conformal_pairs(X: Array, Y: Array, chart: Chart, k: float) -> Array:
    w, v = _weights(X, chart, k), _weights(Y, chart, k)
    distances = np.empty((len(X), len(Y)))
    for rows in _blocks(len(X), len(Y)):
        block = cdist(X[rows], Y, "sqeuclidean")
        block *= np.multiply.outer(w[rows], v)
        np.sqrt(block, out=block)
        np.arcsinh(block, out=block)
        np.multiply(block, 2.0, out=distances[rows])
    return distances


def _weights(points: Array, chart: Chart, k: float) -> Array:
    if chart.name == "halfspace":
        return np.asarray(0.5 / points[:, 0])
    return np.asarray(np.sqrt(k) / boundary_gap(points, k))


def _polar_pairs(X: tuple[Array, Array], Y: tuple[Array, Array]) -> Array:
    (r, u), (s, v) = X, Y
    distances = np.empty((len(r), len(s)))
    for rows in _blocks(len(r), len(s)):
        sine = 0.25 * cdist(u[rows], v, "sqeuclidean")
        column = np.broadcast_to(r[rows, None], sine.shape)
        row = np.broadcast_to(s, sine.shape)
        distances[rows] = distance_of(Separation(column, row, column - row, sine))
    return distances


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, _BLOCK // n_columns)
    return (slice(start, start + step) for start in range(0, n_rows, step))
