"""Space seen from another origin: the boost to a point, exact at any radius.

`lorentz_boost` is the same isometry as a matrix. A matrix loses the digits of far points; here
nothing is a difference of large numbers, and no exponential overflows.
"""

from dataclasses import dataclass

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry._arrays import finite_array, finite_rows
from hyplane.geometry._separation import distance_of, perpendicular, separate
from hyplane.geometry._table import find_chart
from hyplane.geometry.maps import geodesic_midpoint
from hyplane.geometry.numerics import arsinh_exp, directions, log_cosh, log_sinh, row_norms


@dataclass(frozen=True)
class Recentering:
    """The isometry that carries the point (radius, direction) to the origin along a geodesic.

    Everything is at curvature -1.

    Attributes
    ----------
    radius : float
        Distance of the new origin from the old one.
    direction : ndarray of shape (n,)
        Its direction, of unit length.

    Examples
    --------
    >>> middle = Recentering.between(np.array([1.0, 3.0]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    >>> middle.radius, middle.direction
    (2.0, array([1., 0.]))
    >>> middle.klein(np.array([2.0]), np.array([[1.0, 0.0]]))[0]
    array([[0., 0.]])
    """

    radius: float
    direction: Array

    @classmethod
    def between(cls, radius: Array, direction: Array) -> "Recentering":
        """Put the origin half way between two points.

        Parameters
        ----------
        radius : ndarray of shape (2,)
        direction : ndarray of shape (2, n)

        Returns
        -------
        recentering : Recentering
        """
        radius, direction = finite_rows(radius, direction)
        if len(radius) != 2:
            raise ValueError(f"two points are needed; got {len(radius)}.")
        ends = radius[:, None] * direction
        middle = geodesic_midpoint(ends[:1], ends[1:], coordinates="tangent")
        norms = row_norms(middle)
        return cls(float(norms[0]), directions(middle, norms)[0])

    def klein(self, radius: Array, direction: Array) -> tuple[Array, Array]:
        """Return Klein coordinates and ``log x0`` of polar points, seen from the new origin.

        Parameters
        ----------
        radius : ndarray of shape (m,)
        direction : ndarray of shape (m, n)

        Returns
        -------
        points : ndarray of shape (m, n)
        log_time : ndarray of shape (m,)

        Notes
        -----
        With q the radius of the new origin and h half the squared chord between the directions,
        the point is ``cosh(r-q) + sinh r sinh q h`` in time, ``sinh(r-q) - sinh r cosh q h`` along
        the direction of the new origin and ``sinh r`` times the chord across it. The differences
        r - q and of the directions are exact for near points, so these keep their digits at any
        radius; all are divided by ``cosh r cosh q``, so none overflows.
        """
        q = np.asarray(self.radius)
        chord = direction - self.direction
        half = 0.5 * np.einsum("ij,ij->i", chord, chord)
        across = chord - (chord @ self.direction)[:, None] * self.direction
        shift = radius - q
        near = 2.0 * np.exp(-2.0 * np.minimum(radius, q)) * (1.0 + np.exp(-2.0 * np.abs(shift)))
        near /= (1.0 + np.exp(-2.0 * radius)) * (1.0 + np.exp(-2.0 * q))
        tanh = np.tanh(radius)
        time = near + tanh * np.tanh(q) * half
        along = near * np.tanh(shift) - tanh * half
        points = along[:, None] * self.direction
        points += (tanh * np.exp(-log_cosh(q)))[:, None] * across
        return points / time[:, None], log_cosh(radius) + log_cosh(q) + np.log(time)

    def hyperplane_back(self, offset: float, normal: Array) -> tuple[float, Array]:
        """Return offset and normal, seen from the old origin, of a hyperplane seen from the new.

        Parameters
        ----------
        offset : float
        normal : ndarray of shape (n,)

        Returns
        -------
        offset : float
        normal : ndarray of shape (n,)

        Notes
        -----
        The normal is rounded first; the offset is then the one that keeps the distance of the
        new origin, ``a = artanh(c tanh q) + arsinh(sinh a' / sqrt(1 + sinh²q (1 - c²)))``
        with ``c = cos`` of the angle between the normal and the direction of the new origin. If
        the two were computed apart, the rounding of the normal would be multiplied by ``exp q``
        where the points are.
        """
        q = np.asarray(self.radius)
        cosine = self.direction @ normal
        turned = (normal - cosine * self.direction) * np.exp(-log_cosh(q))
        turned += (cosine + np.tanh(q) * np.tanh(offset)) * self.direction
        turned /= np.sqrt(turned @ turned)
        side = 1.0 if turned @ self.direction >= 0.0 else -1.0
        chord = turned - side * self.direction
        half = 0.5 * (chord @ chord)
        with np.errstate(divide="ignore"):
            # 1 - c tanh q = (1 - tanh q) + tanh q (1 - c)
            log_complement = np.logaddexp(-q - log_cosh(q), np.log(np.tanh(q) * half))
            radial = side * 0.5 * (np.log(2.0 - np.exp(log_complement)) - log_complement)
            log_size = 0.5 * np.logaddexp(0.0, 2.0 * log_sinh(q) + np.log(half * (2.0 - half)))
            log_offset = log_sinh(np.abs(np.asarray(offset))) - log_size
        return float(radial + np.sign(offset) * arsinh_exp(log_offset)), turned

    def moved_to(self, klein: Array) -> "Recentering":
        """Put the origin at a point that was seen from this one.

        Parameters
        ----------
        klein : ndarray of shape (n,)
            Its Klein coordinates from the new origin.

        Returns
        -------
        recentering : Recentering
        """
        length = np.sqrt(klein @ klein)
        inverse = Recentering(self.radius, -self.direction)
        points, log_time = inverse.klein(
            np.arctanh(np.minimum([length], 1.0 - 1e-15)),
            directions(klein[None], np.array([length])),
        )
        radius = log_time[0] + np.log1p(np.sqrt(-np.expm1(-2.0 * max(log_time[0], 0.0))))
        return Recentering(float(radius), directions(points, row_norms(points))[0])


def recentered(vectors: ArrayLike, base: ArrayLike) -> Array:
    """Return the log map at a base point, carried to the origin by the boost.

    In other words, the tangent coordinates of points where the base is the origin. Everything is
    at curvature -1.

    Parameters
    ----------
    vectors : array-like of shape (m, n)
        Points in tangent coordinates.
    base : array-like of shape (n,)
        The new origin, in the same coordinates.

    Returns
    -------
    moved : ndarray of shape (m, n)

    Notes
    -----
    The part along the geodesic from the old origin is proportional to
    ``sinh(r - s) - 2 sinh r cosh s sin²(φ/2)``, the part across to ``sinh r sin φ``. Both are
    divided by ``exp(r + s)``.

    Examples
    --------
    >>> recentered(np.array([[5.0, 0.0], [0.0, 0.0]]), np.array([2.0, 0.0]))
    array([[ 3.,  0.],
           [-2.,  0.]])
    """
    vectors, base = finite_array(vectors, "vectors", 2), finite_array(base, "base", 1)
    if vectors.shape[1] != len(base) or not base.size:
        raise ValueError(f"vectors has {vectors.shape[1]} columns where base has {len(base)}.")
    if not base.any():  # where no direction is radial
        return np.asarray(vectors)
    start = np.broadcast_to(base, vectors.shape)
    gap = separate(vectors, start, find_chart("tangent"), 1.0)
    r, s = gap.radius, gap.other_radius
    half_sinh = 0.25 * -np.expm1(-2.0 * r)
    along = 0.5 * (np.exp(-2.0 * s) - np.exp(-2.0 * r))
    along -= 2.0 * half_sinh * (1.0 + np.exp(-2.0 * s)) * gap.sine
    side = 4.0 * half_sinh * np.exp(-s) * np.sqrt(gap.sine * (1.0 - gap.sine))
    size = np.hypot(along, side)
    size = np.where(size == 0, 1.0, size)
    length = distance_of(gap)
    across = perpendicular(start, vectors)
    across /= np.maximum(row_norms(across), np.finfo(np.float64).tiny)[:, None]
    radial = (length * along / size)[:, None] * directions(start, s)
    return np.asarray(radial + (length * side / size)[:, None] * across)


def polar_boost(
    radius: ArrayLike, direction: ArrayLike, length: ArrayLike, heading: ArrayLike
) -> tuple[Array, Array]:
    """Carry polar points by the boosts that take the origin to other polar points.

    Row by row, ``(length, heading)`` is carried by the boost that takes the origin to
    ``(radius, direction)``: go from there by a length in the direction of a heading. Everything is
    at curvature -1.

    Parameters
    ----------
    radius, length : array-like of shape (m,)
    direction, heading : array-like of shape (m, n)
        Unit vectors.

    Returns
    -------
    radius : ndarray of shape (m,)
    direction : ndarray of shape (m, n)

    Notes
    -----
    Everything is divided by ``exp(radius + length)``, so that no radius is too large, and nothing
    is a difference of near numbers, so that the way back towards the origin keeps its digits (from
    radii up to 370, whose exponentials squared are still doubles).

    Examples
    --------
    >>> one, east, west = np.ones(1), np.array([[1.0, 0.0]]), np.array([[-1.0, 0.0]])
    >>> polar_boost(one, east, 3 * one, west)
    (array([2.]), array([[-1.,  0.]]))
    """
    radius, direction = finite_rows(radius, direction)
    length, heading = finite_rows(length, heading, "length", "heading")
    if direction.shape != heading.shape:
        raise ValueError(
            f"direction has shape {direction.shape} where heading has {heading.shape}."
        )
    # 1 + cos of the angle between heading and direction, exact also where they are opposite.
    opening = ((heading + direction) ** 2).sum(axis=1) / 2.0
    across = heading + (1.0 - opening)[:, np.newaxis] * direction
    gap = np.abs(radius - length)
    damping = np.exp(-2.0 * np.minimum(radius, length))
    grown = -np.expm1(-2.0 * length)
    half = damping * np.expm1(-gap) ** 2 + -np.expm1(-2.0 * radius) * grown * opening / 2.0
    along = -np.copysign(damping, radius - length) * np.expm1(-2.0 * gap)
    along += (1.0 + np.exp(-2.0 * radius)) * grown * opening / 2.0
    with np.errstate(divide="ignore"):
        log_half = radius + length + np.log(half / 4.0)  # log sinh²(r/2)
    near = 2.0 * np.arcsinh(np.exp(np.minimum(log_half, 80.0) / 2.0))
    new_radius = np.where(log_half < 80.0, near, log_half + np.log(4.0))
    sideways = np.exp(-radius) * grown
    # By a power of two, which rounds nothing: products of the smallest doubles have no digits left.
    exponent = -np.frexp(np.maximum(np.abs(along), sideways))[1]
    vector = np.ldexp(along, exponent)[:, np.newaxis] * direction
    vector += np.ldexp(sideways, exponent)[:, np.newaxis] * across
    norm = row_norms(vector)[:, np.newaxis]
    at_origin = norm == 0.0
    return new_radius, np.where(at_origin, direction, vector / np.where(at_origin, 1.0, norm))
