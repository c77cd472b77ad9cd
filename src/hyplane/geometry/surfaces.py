"""Surfaces of constant curvature: the solutions of ``w*x = c``.

The sign of ``w*w`` says which kind. Negative: the points at one signed distance from a hyperplane,
an equidistant (the hyperplane itself for c = 0). Zero: a horosphere. Positive: a sphere. In the
ball each is a Euclidean sphere or plane, and each has a signed distance in closed form.
"""

from typing import NamedTuple

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry._separation import Separation, distance_of, half_angle
from hyplane.geometry._table import find_chart
from hyplane.geometry.distances import as_rows, pairwise_distances
from hyplane.geometry.horospheres import polar_busemann
from hyplane.geometry.hyperplanes import _negative_square, hyperplane_parameters
from hyplane.geometry.plane_distances import polar_signed_distance, signed_distance
from hyplane.geometry.validation import as_doubles, check_curvature, checked_polar

__all__ = [
    "equidistant_distance",
    "sphere_distance",
    "surface_distance",
    "surface_in_ball",
    "surface_kind",
]


def equidistant_distance(
    X: ArrayLike,
    w: ArrayLike,
    offset: ArrayLike,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the signed distance to the points at one signed distance from a hyperplane.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    w : array-like of shape (n + 1,) or (n_planes, n + 1)
        Normals of the hyperplanes, ``w*w < 0``.
    offset : float or array-like of shape (n_planes,)
        Signed distance of the equidistant from its hyperplane; 0 is the hyperplane itself.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m,) or (m, n_planes)

    Examples
    --------
    >>> equidistant_distance([[0.0, 0.0]], [0.0, 1.0, 0.0], 0.5)
    array([-0.5])
    """
    planes = signed_distance(X, w, coordinates=coordinates, curvature=curvature)
    return np.asarray(planes - as_doubles(offset, "offset")[0])


def sphere_distance(
    X: ArrayLike,
    centre: ArrayLike,
    radius: ArrayLike,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the signed distance of points to spheres, negative inside.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    centre : array-like of shape (n_columns,) or (n_spheres, n_columns)
        Centres, in the chart of the points.
    radius : float or array-like of shape (n_spheres,)
        Radii, not negative.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points and of the centres.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m,) or (m, n_spheres)

    Examples
    --------
    >>> sphere_distance([[0.0, 0.0], [0.5, 0.0]], [0.0, 0.0], 1.0).round(4)
    array([-1.    ,  0.0986])
    """
    radii, _ = as_doubles(radius, "radius")
    if not (radii >= 0).all():
        raise ValueError(f"the radius of a sphere is not negative; got {radius!r}.")
    to_centres = pairwise_distances(
        X, as_rows(centre), coordinates=coordinates, curvature=curvature
    )
    distances = to_centres - radii
    return distances[:, 0] if np.ndim(centre) == 1 else distances


def surface_kind(w: ArrayLike) -> str:
    """Name the surfaces ``w*x = c`` of a vector w.

    Parameters
    ----------
    w : array-like of shape (n + 1,)

    Returns
    -------
    kind : {"equidistant", "horosphere", "sphere"}
        By the sign of ``w*w``, computed without rounding errors of its own.

    Examples
    --------
    >>> surface_kind([1.0, 2.0, 0.0]), surface_kind([5.0, 3.0, 4.0]), surface_kind([1.0, 0.0, 0.0])
    ('equidistant', 'horosphere', 'sphere')
    """
    square = _scaled_square(_vector(w))[0]
    return "equidistant" if square > 0 else "sphere" if square < 0 else "horosphere"


def surface_distance(
    X: ArrayLike,
    w: ArrayLike,
    c: float = 0.0,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the signed distance of points to the surface ``w*x = c``, positive where it is more.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    w : array-like of shape (n + 1,)
        Any vector of Minkowski space but zero.
    c : float, default=0.0
        The level, for x on the hyperboloid of curvature -1.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    distances : ndarray of shape (m,)

    Raises
    ------
    ValueError
        Where no point satisfies the equation.

    Notes
    -----
    With ``σ = w*w`` and ``s = sqrt(|σ|)``: ``arsinh(w*x/s) - arsinh(c/s)`` for σ < 0,
    ``log(w*x) - log(c)`` for σ = 0 and ``arcosh(w*x/s) - arcosh(c/s)`` for σ > 0 (with w on the
    future side, ``w0 > 0``; else both signs change). All three are
    ``log(w*x + sqrt((w*x)² - σ)) - log(c + sqrt(c² - σ))``, so the distance is continuous in w:
    a sphere of growing radius becomes a horosphere, then an equidistant.

    Examples
    --------
    >>> surface_distance([[0.0, 0.0]], [0.0, -1.0, 0.0], np.sinh(0.5)).round(6)
    array([-0.5])
    >>> surface_distance([[0.5, 0.0]], [1.0, 0.0, 0.0], np.cosh(1.0)).round(4)
    array([0.0986])
    """
    k = check_curvature(curvature)
    radius, direction = checked_polar(X, find_chart(coordinates), k)
    vector, level = _checked_surface(w, c, direction.shape[1])
    distances = _polar_surface_distance(radius, direction, vector, level)
    distances /= np.sqrt(k)
    return distances


class EuclideanSphere(NamedTuple):
    """A sphere of Euclidean space, or a plane.

    Attributes
    ----------
    centre : ndarray of shape (n,)
        The centre; for a plane its unit normal.
    radius : float
        The radius; infinite for a plane.
    offset : float
        For a plane: its points b satisfy ``centre·b = offset``. Else 0.

    Examples
    --------
    >>> surface_in_ball([0.0, 1.0, 0.0]).radius  # a hyperplane through the origin
    inf
    """

    centre: Array
    radius: float
    offset: float


def surface_in_ball(w: ArrayLike, c: float = 0.0) -> EuclideanSphere:
    """Return the surface ``w*x = c`` as a Euclidean sphere or plane in the Poincaré ball.

    Parameters
    ----------
    w : array-like of shape (n + 1,)
    c : float, default=0.0

    Returns
    -------
    sphere : EuclideanSphere
        In the ball of curvature -1, whose radius is 1. The part of it inside the ball is the
        surface.

    Notes
    -----
    In the ball the equation is ``(w0 + c)|b|² - 2 w1:·b + (w0 - c) = 0``.

    Examples
    --------
    >>> sphere = surface_in_ball([1.0, 0.0, 0.0], np.cosh(1.0))
    >>> sphere.centre, bool(np.isclose(sphere.radius, np.tanh(0.5)))
    (array([0., 0.]), True)
    """
    vector, level = _checked_surface(w, c, None)
    scale = np.abs(vector).max()
    vector, level = vector / scale, level / scale
    size = vector[0] + level
    if size == 0.0:
        length = float(np.linalg.norm(vector[1:]))
        return EuclideanSphere(vector[1:] / length, np.inf, vector[0] / length)
    root = np.sqrt(level**2 + _negative_square(vector[None])[0])
    return EuclideanSphere(vector[1:] / size, float(root / abs(size)), 0.0)


def _polar_surface_distance(radius: Array, direction: Array, w: Array, c: float) -> Array:
    """Return the distances at curvature -1; the surface is known to exist."""
    square, exponent = _scaled_square(w)
    w, c = np.ldexp(w, -exponent), float(np.ldexp(c, -exponent))
    if square > 0:
        scale, offset, normal = hyperplane_parameters(w)
        return polar_signed_distance(radius, direction, offset, normal) - np.arcsinh(c / scale)
    sign = 1.0 if w[0] > 0 else -1.0
    w, c = sign * w, sign * c
    length = float(np.linalg.norm(w[1:]))
    if square == 0:
        busemann = polar_busemann(radius, direction, w[None, 1:] / length)[:, 0]
        return np.asarray(sign * (busemann - np.log(c / length)))
    root = np.sqrt(-square)
    at = np.broadcast_to(np.arcsinh(length / root), radius.shape)
    towards = w[1:] / length if length > 0 else np.eye(len(w) - 1)[0]
    sine = half_angle(direction, np.broadcast_to(towards, direction.shape))
    to_centre = distance_of(Separation(radius, at, radius - at, sine))
    return np.asarray(sign * (to_centre - 2.0 * np.arcsinh(np.sqrt((c - root) / (2.0 * root)))))


def _vector(w: ArrayLike) -> Array:
    vector, _ = as_doubles(w, "w")
    if vector.ndim != 1 or len(vector) < 2:
        raise ValueError(f"w must have shape (n + 1,), n at least 1; got {vector.shape}.")
    if not np.isfinite(vector).all() or not vector.any():
        raise ValueError("w must be finite and not zero.")
    return vector


def _scaled_square(w: Array) -> tuple[float, int]:
    """Return ``-w*w`` of w divided by a power of two, and its exponent."""
    exponent = int(np.frexp(np.abs(w).max())[1])
    return float(_negative_square(np.ldexp(w, -exponent)[None])[0]), exponent


def _checked_surface(w: ArrayLike, c: float, n_dim: int | None) -> tuple[Array, float]:
    """Return w and c, or say why there is no such surface."""
    vector, level = _vector(w), float(c)
    if n_dim is not None and len(vector) != n_dim + 1:
        raise ValueError(
            f"w has {len(vector)} components but points of dimension {n_dim} need {n_dim + 1}."
        )
    if not np.isfinite(level):
        raise ValueError(f"c must be finite; got {level}.")
    square, exponent = _scaled_square(vector)
    scaled = np.ldexp(level if vector[0] > 0 else -level, -exponent)
    if square < 0 and not scaled >= np.sqrt(-square):
        raise ValueError(
            f"no point satisfies w*x = {level:g}: w*w is positive, so |w*x| is at least "
            f"{np.ldexp(np.sqrt(-square), exponent):g} and w*x has the sign of w0."
        )
    if square == 0 and not scaled > 0:
        raise ValueError(
            f"no point satisfies w*x = {level:g}: w*w is zero, so w*x has the sign of w0 and is "
            "not zero."
        )
    return vector, level
