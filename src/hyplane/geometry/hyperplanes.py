"""Hyperplanes: their normals, the signed distances to them, and points along them.

A hyperplane is ``{x : w*x = 0}`` for a vector w with ``w*w < 0``. Any such vector is
``w = s (sinh a, cosh a · u)`` with a scale s > 0, an offset a and a unit normal u: the scale does
not move the hyperplane, and a is the signed distance of the origin to it. A point is on the
positive side when ``w*x > 0``; seen from the origin, u points to the negative side. Neither w nor
(a, u) depends on the curvature: lengths enter with the points.
"""

import numpy as np

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import as_doubles
from hyplane.geometry.charts import write_points
from hyplane.geometry.numerics import directions, dot_product, row_norms, row_scales, two_product
from hyplane.geometry.validation import (
    as_rows,
    check_curvature,
    check_dimension,
    check_positive,
    check_reach,
    read_points,
)
from hyplane.native import charts as native


def hyperplane_parameters(w: ArrayLike) -> tuple[Array, Array, Array]:
    """Return scale, offset and unit normal of ``w = s (sinh a, cosh a · u)``.

    Parameters
    ----------
    w : array-like of shape (n + 1,) or (n_planes, n + 1)
        Normals in Minkowski space, ``w*w < 0``.

    Returns
    -------
    scale : ndarray of shape () or (n_planes,)
        ``sqrt(-w*w)``.
    offset : ndarray of shape () or (n_planes,)
        Signed distance of the origin to the hyperplane, at curvature -1.
    normal : ndarray of shape (n,) or (n_planes, n)
        Unit vectors.

    Examples
    --------
    >>> scale, offset, normal = hyperplane_parameters([1.5, 2.5, 0.0])
    >>> float(scale), round(float(offset), 6), normal
    (2.0, 0.693147, array([1., 0.]))
    """
    values = as_doubles(w, "w")
    rows = np.atleast_2d(values)
    if rows.ndim != 2 or rows.shape[1] < 2 or not len(rows):
        raise ValueError(
            f"w must have shape (n + 1,) or (n_planes, n + 1); got {np.shape(values)}."
        )
    for plane in np.flatnonzero(~np.isfinite(rows).all(axis=1)):
        raise ValueError(f"hyperplane {plane} has NaN or infinite components.")
    # Powers of two scale exactly, and keep the squares inside the doubles.
    size = row_scales(rows)
    scaled = rows / size[:, None]
    square = negative_square(scaled)
    for plane in np.flatnonzero(square <= 0):
        raise ValueError(
            f"hyperplane {plane} has w*w = w0² - |w1:|² = "
            f"{-square[plane] * size[plane] ** 2:.6g} but it must be negative: "
            "otherwise no point of the space satisfies w*x = 0."
        )
    root = np.sqrt(square)
    scale, offset = size * root, np.arcsinh(scaled[:, 0] / root)
    normal = directions(scaled[:, 1:], row_norms(scaled[:, 1:]))
    return (scale, offset, normal) if values.ndim == 2 else (scale[0], offset[0], normal[0])


def negative_square(w: Array) -> Array:
    """Return ``|w1:|² - w0²`` in doubled precision: it all but cancels for far hyperplanes."""
    spatial, spatial_rest = dot_product(w[:, 1:], w[:, 1:])
    time, time_rest = two_product(w[:, 0], w[:, 0])
    return np.asarray((spatial - time) + (spatial_rest - time_rest))


def hyperplane_normal(scale: ArrayLike, offset: ArrayLike, normal: ArrayLike) -> Array:
    """Return ``w = s (sinh a, cosh a · u)``, the inverse of `hyperplane_parameters`.

    Parameters
    ----------
    scale : float or array-like of shape (n_planes,)
        Positive scales.
    offset : float or array-like of shape (n_planes,)
        Signed distances of the origin, at curvature -1. The rounding of w leaves its own offset
        uncertain by about ``1e-16 exp(2|a|)``: beyond 18 use (a, u) itself.
    normal : array-like of shape (n,) or (n_planes, n)
        Unit vectors.

    Returns
    -------
    w : ndarray of shape (n + 1,) or (n_planes, n + 1)

    Examples
    --------
    >>> hyperplane_normal(2.0, 0.0, [0.0, 1.0])
    array([0., 0., 2.])
    """
    s, a = as_doubles(scale, "scale"), as_doubles(offset, "offset")
    u = as_doubles(normal, "normal")
    if not (s > 0).all() or not np.isfinite(s).all():
        raise ValueError("scale must be positive and finite.")
    if u.ndim not in (1, 2) or not np.allclose(row_norms(np.atleast_2d(u)), 1.0, rtol=0, atol=1e-6):
        raise ValueError("normal must hold unit vectors, of shape (n,) or (n_planes, n).")
    with np.errstate(over="ignore", invalid="ignore"):
        time, space = s * np.sinh(a), (s * np.cosh(a))[..., None] * u
    if not (np.isfinite(time).all() and np.isfinite(space).all()):
        raise ValueError(
            f"an offset of {np.abs(a).max():.6g} is too far out for the components of w in double "
            "precision (at most about 710)."
        )
    return np.concatenate([np.broadcast_to(time, space.shape[:-1])[..., None], space], axis=-1)


def hyperplane_through(
    point: ArrayLike, normal: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the hyperplane through a point with a given normal there.

    Parameters
    ----------
    point : array-like of shape (n_columns,)
        A point of the hyperplane.
    normal : array-like of shape (n,)
        The direction, of any length, in which the hyperplane is crossed towards its positive side.
        It is the direction in the ball at that point, in ordinary Euclidean terms (the ball shows
        angles truly), whatever chart the point is given in; in other words, a direction at the
        origin carried along the geodesic to the point.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the point.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    w : ndarray of shape (n + 1,)
        With ``w*w = -1``.

    Examples
    --------
    >>> from hyplane.geometry import signed_distance
    >>> w = hyperplane_through([0.5, 0.0], [1.0, 0.0])
    >>> signed_distance([[0.5, 0.0], [0.9, 0.0]], w).round(4) + 0.0
    array([0.    , 1.8458])
    """
    _, radius, direction, _, k = read_points(as_rows(point), coordinates, curvature, "point")
    vector = as_doubles(normal, "normal")
    if len(radius) != 1 or vector.shape != (direction.shape[1],):
        raise ValueError(
            "point must be one point and normal a vector of the same dimension; "
            f"got {len(radius)} point(s) of dimension {direction.shape[1]} and a normal of shape "
            f"{vector.shape}."
        )
    length = row_norms(vector[None, :])[0]
    if not 0 < length < np.inf:
        raise ValueError(f"normal must be finite and not zero; got length {length:.6g}.")
    check_reach(radius, "point", k)
    unit, u = vector / length, direction[0]
    along = float(unit @ u)
    # The boost to the point stretches the part along its direction, and leaves the rest.
    space = unit + along * (np.cosh(radius[0]) - 1.0) * u
    return -np.concatenate([along * np.sinh(radius), space])


def hyperplane_points(
    w: ArrayLike,
    coordinates: str = "ball",
    *,
    n_points: int = 200,
    extent: float | None = None,
    curvature: float = -1.0,
) -> Array:
    """Return points along a hyperplane of the plane (a geodesic), for drawing.

    Parameters
    ----------
    w : array-like of shape (3,)
        A normal in Minkowski space, ``w*w < 0``.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart to draw in.
    n_points : int, default=200
        How many points, equally spaced by arc length.
    extent : float, optional
        How far to go either way from the point closest to the origin. By default 8 units of
        curvature -1, where ball and Klein coordinates have all but reached the boundary.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    points : ndarray of shape (n_points, n_columns)

    Examples
    --------
    >>> hyperplane_points([0.0, 0.0, 1.0], "tangent", n_points=3, extent=2.0).round(12) + 0.0
    array([[ 2.,  0.],
           [ 0.,  0.],
           [-2.,  0.]])
    """
    chart, k = chart_name(coordinates), check_curvature(curvature)
    _, offset, normal = hyperplane_parameters(w)
    if normal.shape != (2,):
        raise ValueError(
            "hyperplane_points draws one geodesic of the plane: w must have shape (3,); "
            f"got {np.shape(w)}."
        )
    if not isinstance(n_points, int | np.integer) or n_points < 2:
        raise ValueError(f"n_points must be an integer of at least 2; got {n_points!r}.")
    reach = 8.0 if extent is None else np.sqrt(k) * check_positive(extent, "extent")
    farthest = reach + abs(float(offset))
    if farthest > 600.0:
        raise ValueError(
            f"extent goes to radius {farthest:.6g} (at curvature -1), farther than 600."
        )
    t = np.linspace(-reach, reach, n_points)
    across = np.array([-normal[1], normal[0]])
    spatial = np.outer(np.cosh(t) * np.sinh(offset), normal) + np.outer(np.sinh(t), across)
    norms = row_norms(spatial)
    return write_points(np.arcsinh(norms), directions(spatial, norms), chart, k)


def signed_distance(
    X: ArrayLike, w: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the signed distance of points to hyperplanes, positive where ``w*x > 0``.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    w : array-like of shape (n + 1,) or (n_planes, n + 1)
        Normals in Minkowski space, ``w*w < 0``.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m,) or (m, n_planes)

    Notes
    -----
    ``arsinh(w*x / sqrt(-w*w))`` by Theorem 1 of [1]_, evaluated at any finite radius.

    References
    ----------
    .. [1] H. Cho, B. DeMeo, J. Peng and B. Berger, "Large-margin classification in hyperbolic
       space", AISTATS 2019, arXiv:1806.00437.

    Examples
    --------
    >>> signed_distance([[2.0, 0.0], [2.0, 3.14159265]], [0.0, 1.0, 0.0], coordinates="polar")
    array([-2.,  2.])
    """
    _, radius, direction, _, k = read_points(X, coordinates, curvature)
    _, offset, normal = hyperplane_parameters(w)
    check_dimension(normal.shape[-1] + 1, direction.shape[1], "w")
    return np.asarray(polar_signed_distance(radius, direction, offset, normal) / np.sqrt(k))


def polar_signed_distance(
    radius: Array, direction: Array, offset: Array | float, normal: Array
) -> Array:
    """Return the signed distance at curvature -1 of polar points to hyperplanes (a, u).

    ``w*x / s = sinh(a - r) + cosh a sinh r |u - v|²/2`` for a point in direction v. The squared
    chord keeps the digits that ``1 - u·v`` would lose for points in the direction of the normal.
    """
    normals = np.ascontiguousarray(np.atleast_2d(normal))
    offsets = np.ascontiguousarray(np.broadcast_to(offset, len(normals)), dtype=np.float64)
    radius, direction = np.ascontiguousarray(radius), np.ascontiguousarray(direction)
    distances = native.scores_polar(
        radius, direction, np.zeros(len(normals)), offsets, normals, "signed_distance"
    )
    return distances[:, 0] if normal.ndim == 1 else distances
