"""Moving the origin to where the classes meet, so that the coordinates there keep their digits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.geometry import geodesic_midpoint
from hyplane.geometry._separation import Separation, distance_of
from hyplane.geometry._vectors import arsinh_exp, directions, log_cosh, log_sinh, row_norms

_STARTS = 8


@dataclass(frozen=True)
class Frame:
    """The isometry that carries the point (radius, direction) to the origin along a geodesic.

    Attributes
    ----------
    radius : float
    direction : ndarray of shape (n,)
        Of unit length.
    """

    radius: float
    direction: Array

    @classmethod
    def between(cls, radius: Array, direction: Array) -> "Frame":
        """Put the origin half way between two points."""
        ends = radius[:, None] * direction
        middle = geodesic_midpoint(ends[:1], ends[1:], coordinates="tangent")
        norms = row_norms(middle)
        return cls(float(norms[0]), directions(middle, norms)[0])

    def klein(self, radius: Array, direction: Array) -> tuple[Array, Array]:
        """Return Klein coordinates and ``log x0`` of polar points, seen from the new origin.

        With q the radius of the frame and h half the squared chord between the directions, the
        point is ``cosh(r-q) + sinh r sinh q h`` in time, ``sinh(r-q) - sinh r cosh q h`` along
        the frame's direction and ``sinh r`` times the chord across it. The differences r - q and
        of the directions are exact for near points, so these keep their digits at any radius; all
        are divided by ``cosh r cosh q``, so none overflows.
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
        """Return offset and normal, seen from the old origin, of a hyperplane in the new frame.

        The normal is rounded first; the offset is then the one that keeps the distance of the
        frame's own origin, ``a = artanh(c tanh q) + arsinh(sinh a' / sqrt(1 + sinh²q (1 - c²)))``
        with ``c = cos`` of the angle between normal and frame. Computed apart, the two would
        carry the rounding of the normal, times ``exp q``, to where the points are.
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

    def moved_to(self, klein: Array) -> "Frame":
        """Put the origin at a point given by its Klein coordinates in this frame."""
        length = np.sqrt(klein @ klein)
        inverse = Frame(self.radius, -self.direction)
        points, log_time = inverse.klein(
            np.arctanh(np.minimum([length], 1.0 - 1e-15)),
            directions(klein[None], np.array([length])),
        )
        radius = log_time[0] + np.log1p(np.sqrt(-np.expm1(-2.0 * max(log_time[0], 0.0))))
        return Frame(float(radius), directions(points, row_norms(points))[0])


def mutual_neighbours(
    radius: Array, direction: Array, labels: Array
) -> tuple[NDArray[np.int64], float]:
    """Return a point of each class, each the nearest of its class to the other, and their distance.

    The best of a few alternating searches; not always the closest pair of all.
    """
    sides = [np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)]

    def nearest(row: int, side: NDArray[np.int64]) -> tuple[int, float]:
        chord = direction[side] - direction[row]
        sine = 0.25 * np.einsum("ij,ij->i", chord, chord)
        other = np.broadcast_to(radius[row], len(side))
        away = distance_of(Separation(radius[side], other, radius[side] - other, sine))
        best = int(np.argmin(away))
        return int(side[best]), float(away[best])

    best = (np.array([sides[0][0], sides[1][0]]), np.inf)
    for start in sides[0][:: max(1, len(sides[0]) // _STARTS)][:_STARTS]:
        pair, apart = [int(start), int(start)], np.inf
        turn = 1
        while True:
            found, closer = nearest(pair[1 - turn], sides[turn])
            if not closer < apart:
                break
            pair[turn], apart = found, closer
            turn = 1 - turn
        if apart < best[1]:
            best = (np.array(pair), apart)
    return best
