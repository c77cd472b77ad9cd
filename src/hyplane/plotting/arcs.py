"""Geodesics and hypercycles of the Poincaré disk as exact circular arcs.

No picture is drawn here. Points of the plane are complex numbers, since the disk shows angles
truly and complex numbers multiply angles.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, Ints
from hyplane.geometry.numerics import log_cosh, log_sinh

Complex = NDArray[np.complex128]

# Beyond this distance an arc is smaller than exp(-300) and cannot be seen.
FARTHEST = 300.0


@dataclass(frozen=True)
class Arcs:
    """Circular arcs, straight ones included.

    Attributes
    ----------
    middle : ndarray of complex of shape (m,)
        Middles of the chords.
    half : ndarray of complex of shape (m,)
        Half of the way from start to end. Kept apart from the ends, whose difference would be lost
        in their rounding where an arc rises from two nearly equal points of the rim.
    bulge : ndarray of shape (m,)
        Height of the arc over its chord, divided by half the chord; positive to the right of the
        way from start to end. It is the tangent of a quarter of the arc's angle, and 0 for a
        segment.
    """

    middle: Complex
    half: Complex
    bulge: Array

    def __len__(self) -> int:
        return len(self.bulge)

    def __getitem__(self, rows: Ints | slice) -> Self:
        return type(self)(self.middle[rows], self.half[rows], self.bulge[rows])

    def points(self, n_points: int) -> Complex:
        """Return points along the arcs, equally spaced, of shape (m, n_points)."""
        s = np.linspace(-1.0, 1.0, n_points)
        phi, scale = self._angle_and_scale()
        # A large radius must not cancel against itself.
        height = 2.0 * np.sin(0.5 * phi * (1.0 + s)) * np.sin(0.5 * phi * (1.0 - s))
        z: Complex = self.middle[:, None] + scale * (np.sin(phi * s) - 1j * height)
        z[:, 0], z[:, -1] = self.middle - self.half, self.middle + self.half
        return z

    def beziers(self) -> list[Array]:
        """Return each arc as the vertices of cubic Bézier pieces, of shape (1 + 3 pieces, 2)."""
        # A piece of an eighth of a half circle leaves it by 7e-8 of the radius.
        pieces = np.maximum(1, np.ceil(32.0 / np.pi * np.arctan(np.abs(self.bulge)))).astype(int)
        curves: list[Array] = [np.empty(0)] * len(self)
        for count in np.unique(pieces):
            rows = np.flatnonzero(pieces == count)
            for row, z in zip(rows, self[rows]._pieces(int(count)), strict=True):
                curves[row] = np.column_stack([z.real, z.imag])
        return curves

    def _pieces(self, count: int) -> Complex:
        """Return the vertices of arcs that all have this number of pieces."""
        knots = self.points(count + 1)
        phi, scale = self._angle_and_scale()
        turned = scale * np.exp(1j * phi * np.linspace(-1.0, 1.0, count + 1))
        arm = 4.0 / 3.0 * np.tan(0.5 * phi / count) * turned
        z = np.empty((len(self), 3 * count + 1), dtype=np.complex128)
        z[:, ::3] = knots
        z[:, 1::3] = knots[:, :-1] + arm[:, :-1]
        z[:, 2::3] = knots[:, 1:] - arm[:, 1:]
        return z

    def _angle_and_scale(self) -> tuple[Array, Complex]:
        """Return the angle between chord and arc, and half the chord over its sine, as columns."""
        straight = 1e-100
        bulge = np.where(np.abs(self.bulge) < straight, straight, self.bulge)[:, None]
        return 2.0 * np.arctan(bulge), self.half[:, None] * (0.5 * (bulge + 1.0 / bulge))


def geodesic_arcs(start: Complex, end: Complex) -> Arcs:
    """Return the geodesic segments between points of the closed unit disk, end by end.

    The Möbius map that takes ``start`` to 0 straightens the geodesic; its derivative shows that the
    arc leaves its chord at the angle ``arg(1 - conj(start) end)``. The bulge is the tangent of half
    of that.
    """
    turn = 1.0 - np.conj(start) * end
    size = np.abs(turn) + turn.real
    bulge = np.divide(turn.imag, size, out=np.zeros_like(size), where=size > 0)
    return Arcs(0.5 * (start + end), 0.5 * (end - start), bulge)


def hypercycle_arcs(offset: Array, normal: Array, distance: Array | float = 0.0) -> Arcs:
    """Return the curves at a signed distance from hyperplanes ``(a, u)`` of the plane.

    All curves of one hyperplane share its two ideal points ``tanh a · u ± sech a · iu``. The one at
    distance 0 is the hyperplane itself, and meets the circle at right angles. The offsets a are at
    most `FARTHEST` in size.
    """
    u = complex_of(normal)
    size = np.exp(-np.abs(offset))
    d = np.clip(distance, -FARTHEST, FARTHEST)
    total, difference = 0.5 * (offset + d), 0.5 * (offset - d)
    with np.errstate(over="ignore"):
        bulge = -np.sign(total) * np.exp(log_sinh(np.abs(total)) - log_cosh(difference))
    return Arcs(np.tanh(offset) * u, 2j * size / (1.0 + size**2) * u, bulge)


def circle_arcs(center: complex, radius: float) -> Arcs:
    """Return a whole circle as two half circles."""
    half = np.array([radius, -radius], dtype=np.complex128)
    return Arcs(np.full(2, center, dtype=np.complex128), half, np.ones(2))


def chord_arcs(intercept: Array, coefficients: Array) -> Arcs:
    """Return the chords ``c·b + t = 0`` of the unit disk, for vectors with ``|c| > |t|``."""
    c = complex_of(coefficients)
    u, foot = c / np.abs(c), -intercept / np.abs(c)
    return Arcs(foot * u, 1j * np.sqrt((1.0 - foot) * (1.0 + foot)) * u, np.zeros(len(c)))


def to_halfplane(z: Complex) -> Complex:
    """Return points of the closed unit disk in the closed upper half-plane, its height upwards.

    ``i (1 - z) / (1 + z)``; the point -1 of the rim goes to infinity.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.abs(1.0 + z) ** 2
        height = np.maximum((1.0 - np.abs(z)) * (1.0 + np.abs(z)), 0.0)
        return np.asarray(2.0 * z.imag / size + 1j * (height / size))


def halfplane_arcs(arcs: Arcs) -> Arcs:
    """Return arcs of the disk as arcs of the upper half-plane.

    A Möbius map takes circles to circles. An arc with one end at infinity becomes a ray; an arc
    with both ends there is left out.
    """
    infinity, ray = 1e6, 1e3
    z = to_halfplane(arcs.points(3))
    start, middle, end = z.T
    is_near = np.abs(z[:, [0, 2]]) < infinity  # False for NaN too
    has_one = is_near.any(axis=1) & ~is_near.all(axis=1)
    foot = np.where(is_near[:, 0], start, end)
    with np.errstate(invalid="ignore"):
        half = np.where(
            has_one, 0.5 * ray * (middle - foot) / np.abs(middle - foot), 0.5 * (end - start)
        )
        # The turn from the first half chord to the second is half of the angle of the arc.
        turn = np.angle((end - middle) * np.conj(middle - start))
        arcs = Arcs(
            np.where(has_one, foot + half, 0.5 * (start + end)),
            half,
            np.where(has_one, 0.0, np.tan(0.5 * turn)),
        )
    return arcs[np.flatnonzero(is_near.any(axis=1))]


def complex_of(points: Array) -> Complex:
    """Return points of shape (m, 2) as complex numbers."""
    return np.asarray(points[:, 0] + 1j * points[:, 1])
