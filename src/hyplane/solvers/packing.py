"""Points at the door of the compiled code: any chart in, packed native polar coordinates out."""

from collections.abc import Iterator

import numpy as np

from hyplane._typing import Array, ArrayLike
from hyplane.geometry import check_points, to_polar
from hyplane.native import core

# Rows are converted a chunk at a time, so that no temporary is as large as the data.
CHUNK_ROWS = 16_384


def polar_chunks(
    X: ArrayLike, coordinates: str, *, curvature: float = -1.0
) -> Iterator[tuple[slice, Array, Array]]:
    """Yield ``(rows, radius, direction)`` for one chunk of rows after the other.

    Parameters
    ----------
    X : array of shape (m, n_columns)
        Points.
    coordinates : str
        Their chart.
    curvature : float, default=-1.0
        The curvature of the chart; the radius is that of curvature -1.

    Yields
    ------
    rows : slice
    radius : ndarray of shape (chunk,)
    direction : ndarray of shape (chunk, n)

    Examples
    --------
    >>> [(rows.stop, radius.shape) for rows, radius, _ in polar_chunks([[0.5, 0.0]], "ball")]
    [(1, (1,))]
    """
    X = X if hasattr(X, "shape") else np.asarray(X)
    for first in range(0, len(X), CHUNK_ROWS):
        rows = slice(first, min(first + CHUNK_ROWS, len(X)))
        try:
            radius, direction = to_polar(X[rows], coordinates, curvature=curvature)
        except ValueError:
            check_points(X, coordinates, curvature=curvature)  # names the row in X, not the chunk
            raise
        yield rows, radius, direction


def pack_points(
    X: ArrayLike, coordinates: str = "ball", *, curvature: float = -1.0
) -> core.PackedPoints:
    """Pack points of any chart for the compiled solver.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        Their chart.
    curvature : float, default=-1.0
        The curvature of the chart.

    Returns
    -------
    points : Points
        ``n + 1`` doubles a point.

    Examples
    --------
    >>> points = pack_points([[0.5, 0.0], [0.0, -0.5]])
    >>> points.n_rows, points.n_dim, points.far
    (2, 2, False)
    """
    X = X if hasattr(X, "shape") else np.asarray(X, dtype=np.float64)
    for far in (False, True):
        points = _pack(X, coordinates, curvature, far=far)
        if points is not None:
            return points
    raise ValueError("no points: at least one row is needed.")


def _pack(
    X: ArrayLike, coordinates: str, curvature: float, *, far: bool
) -> core.PackedPoints | None:
    """Pack the points; None where there are none, or one is too far for the fast kernel."""
    points: core.PackedPoints | None = None
    for rows, radius, direction in polar_chunks(X, coordinates, curvature=curvature):
        if not far and radius.max() > core.LARGEST_NEAR_RADIUS:
            return None
        if points is None:
            points = core.PackedPoints(len(X), direction.shape[1], far)
        points.fill(rows.start, radius, np.ascontiguousarray(direction))
    return points
