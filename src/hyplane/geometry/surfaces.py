"""Surfaces of constant curvature: the solutions of ``w*x = c``, and horospheres.

The kind is the sign of ``w*w``. Negative: the points at one signed distance from a hyperplane,
an equidistant (the hyperplane itself for c = 0). Zero: a horosphere. Positive: a sphere. In the
ball each is a Euclidean sphere or plane, and each has a signed distance in closed form.

An ideal point is a unit vector ω, the end of a ray from the origin. The Busemann function of ω at x
is how much farther x is from ω than the origin is, ``log(w*x)`` with the null vector
``w = (1, ω)``. Its level sets are the horospheres centred at ω.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import as_doubles
from hyplane.geometry.distances import polar_distance
from hyplane.geometry.hyperplanes import (
    hyperplane_parameters,
    negative_square,
    polar_signed_distance,
)
from hyplane.geometry.numerics import row_norms, row_scales
from hyplane.geometry.validation import check_dimension, read_points


def busemann(
    X: ArrayLike, ideal: ArrayLike, *, coordinates: str = "ball", curvature: float = -1.0
) -> Array:
    """Return the Busemann functions of ideal points, which are 0 at the origin.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points.
    ideal : array-like of shape (n,) or (n_ideal, n)
        Ideal points, as unit vectors.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.

    Returns
    -------
    values : ndarray of shape (m,) or (m, n_ideal)
        The limit of ``d(x, y) - d(o, y)`` as y goes to ω along a ray, o being the origin: negative
        on the side of ω. Two points differ in it by at most their distance. The signed distance to
        the horosphere of level c, negative inside, is the value minus c.

    Notes
    -----
    ``log(w*x) = log(cosh r - sinh r cos φ)`` with ``w = (1, ω)`` and φ the angle between the
    point and ω; minus the logarithm of the Poisson kernel. It is evaluated as
    ``r + log(sin²(φ/2) + exp(-2r) cos²(φ/2))``, at any radius.

    Examples
    --------
    >>> busemann([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.0]], [1.0, 0.0]).round(4)
    array([-1.0986,  1.0986,  0.    ])
    >>> busemann([[5000.0, 0.0]], [1.0, 0.0], coordinates="polar")
    array([-5000.])
    """
    _, radius, direction, _, k = read_points(X, coordinates, curvature)
    values = polar_busemann(radius, direction, check_ideal_points(ideal, direction.shape[1]))
    values /= np.sqrt(k)
    return values[:, 0] if np.ndim(ideal) == 1 else values


def polar_busemann(radius: Array, direction: Array, ideal: Array) -> Array:
    """Return the Busemann functions of ideal points at polar points, at curvature -1."""
    values = np.empty((len(radius), len(ideal)))
    for rows in gen_batches(len(radius), max(1, (1 << 16) // len(ideal))):
        # The squared chord keeps the digits that 1 - cos φ would lose towards ω.
        sine = 0.25 * cdist(direction[rows], ideal, "sqeuclidean")
        r = radius[rows, None]
        with np.errstate(divide="ignore", under="ignore", over="ignore"):
            far = r + np.logaddexp(np.log(sine), np.log1p(-np.minimum(sine, 1.0)) - 2.0 * r)
            # Below radius 1, e^-r + 2 sinh r sin² is close to 1: only the difference has digits.
            small = np.minimum(r, 1.0)
            near = np.log1p(np.expm1(-small) + 2.0 * np.sinh(small) * sine)
        values[rows] = np.where(r < 1.0, near, far)
    return values


def check_ideal_points(ideal: ArrayLike, n_dim: int) -> Array:
    """Return ideal points as rows of unit length, or raise a ValueError."""
    values = as_doubles(ideal, "ideal")
    rows = np.atleast_2d(values)
    if rows.ndim != 2 or not len(rows) or rows.shape[1] != n_dim:
        raise ValueError(
            f"ideal points of a space of dimension {n_dim} are unit vectors, of shape ({n_dim},) "
            f"or (n_ideal, {n_dim}); got shape {np.shape(values)}."
        )
    norms = row_norms(rows)
    for row in np.flatnonzero(~(np.abs(norms - 1.0) <= 1e-6)):
        raise ValueError(
            f"ideal point {row} has length {norms[row]:.6g} but ideal points are unit vectors. "
            "Divide it by its length."
        )
    return np.asarray(rows / norms[:, None])


def surface_kind(w: ArrayLike) -> str:
    """Return the kind of the surfaces ``w*x = c`` of a vector w.

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
    square = _scaled(w)[1]
    return "equidistant" if square > 0 else "sphere" if square < 0 else "horosphere"


def surface_distance(
    X: ArrayLike,
    w: ArrayLike,
    c: float = 0.0,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Return the signed distance of points to the surface ``w*x = c``, positive where ``w*x > c``.

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
    _, radius, direction, _, k = read_points(X, coordinates, curvature)
    vector, square, level = _checked_surface(w, c)
    check_dimension(len(vector), direction.shape[1], "w")
    distances = _polar_surface_distance(radius, direction, vector, square, level)
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
    vector, square, level = _checked_surface(w, c)
    size = vector[0] + level
    if size == 0.0:
        length = float(np.linalg.norm(vector[1:]))
        return EuclideanSphere(vector[1:] / length, np.inf, vector[0] / length)
    root = np.sqrt(level**2 + square)
    return EuclideanSphere(vector[1:] / size, float(root / abs(size)), 0.0)


def _polar_surface_distance(
    radius: Array, direction: Array, w: Array, square: float, c: float
) -> Array:
    """Return the distances at curvature -1; the surface is known to exist, and square is -w*w."""
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
    towards = w[1:] / length if length > 0 else np.eye(len(w) - 1)[0]
    to_centre = polar_distance(radius, direction, np.arcsinh(length / root), towards)
    return np.asarray(sign * (to_centre - 2.0 * np.arcsinh(np.sqrt((c - root) / (2.0 * root)))))


def _scaled(w: ArrayLike) -> tuple[Array, float, float]:
    """Return w divided by a power of two, its ``-w*w`` then, and the power."""
    vector = as_doubles(w, "w")
    if vector.ndim != 1 or len(vector) < 2:
        raise ValueError(f"w must have shape (n + 1,), n at least 1; got {vector.shape}.")
    if not np.isfinite(vector).all() or not vector.any():
        raise ValueError("w must be finite and not zero.")
    scale = float(row_scales(vector[None])[0])
    vector = vector / scale
    return vector, float(negative_square(vector[None])[0]), scale


def _checked_surface(w: ArrayLike, c: float) -> tuple[Array, float, float]:
    """Return w, ``-w*w`` and c, scaled so that no square overflows, or why no point is there."""
    if not np.isfinite(float(c)):
        raise ValueError(f"c must be finite; got {c}.")
    vector, square, scale = _scaled(w)
    level = float(c) / scale
    upwards = level if vector[0] > 0 else -level
    if square < 0 and not upwards >= np.sqrt(-square):
        raise ValueError(
            f"no point satisfies w*x = {c:g}: w*w is positive, so |w*x| is at least "
            f"{scale * np.sqrt(-square):g} and w*x has the sign of w0."
        )
    if square == 0 and not upwards > 0:
        raise ValueError(
            f"no point satisfies w*x = {c:g}: w*w is zero, so w*x has the sign of w0 and is "
            "not zero."
        )
    return vector, square, level
