"""Geodesics and hypercycles of the Poincaré disk as exact circular arcs.

No picture is drawn here. Points of the plane are complex numbers, since the disk shows angles
truly and complex numbers multiply angles.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, Mask
from hyplane.geometry.numerics import log_cosh, log_sinh

Complex = NDArray[np.complex128]

# Beyond this distance an arc is smaller than exp(-300): there is nothing to see.
FARTHEST = 300.0
# A cubic Bézier piece of this angle leaves its circle by 7e-8 of the radius.
_PIECE = np.pi / 8
_STRAIGHT = 1e-100
# A point of the half-plane this far away is drawn as the one at infinity.
_INFINITY = 1e6
# Length of the rays drawn towards it, in units of the half-plane.
_RAY = 1e3


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

    def __getitem__(self, rows: NDArray[np.intp] | Mask | slice) -> Self:
        return type(self)(self.middle[rows], self.half[rows], self.bulge[rows])

    @property
    def start(self) -> Complex:
        """Where the arcs begin."""
        return np.asarray(self.middle - self.half)

    @property
    def end(self) -> Complex:
        """Where they end."""
        return np.asarray(self.middle + self.half)

    @property
    def center(self) -> Complex:
        """Centres of the circles; not finite for segments."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            along = (1.0 - self.bulge**2) / (2.0 * self.bulge)
            return np.asarray(self.middle + 1j * self.half * along)

    @property
    def radius(self) -> Array:
        """Radii of the circles; not finite for segments."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.asarray(
                np.abs(self.half) * (1.0 + self.bulge**2) / (2.0 * np.abs(self.bulge))
            )

    def points(self, n_points: int = 100) -> Complex:
        """Return points along the arcs, equally spaced, of shape (m, n_points)."""
        z = self._at(np.linspace(-1.0, 1.0, n_points))
        z[:, 0], z[:, -1] = self.start, self.end
        return z

    def beziers(self) -> list[Array]:
        """Return each arc as the vertices of cubic Bézier pieces, of shape (1 + 3 pieces, 2)."""
        half_angle = 2.0 * np.arctan(np.abs(self.bulge))
        pieces = np.maximum(1, np.ceil(2.0 * half_angle / _PIECE)).astype(np.intp)
        curves: list[Array] = [np.empty(0)] * len(self)
        for count in np.unique(pieces):
            rows = np.flatnonzero(pieces == count)
            for row, curve in zip(rows, self[rows]._pieces(int(count)), strict=True):
                curves[row] = curve
        return curves

    def _pieces(self, count: int) -> Array:
        s = np.linspace(-1.0, 1.0, count + 1)
        knots = self.points(count + 1)
        phi, sine, half = self._shape()
        turned = half / sine * np.exp(1j * phi * s)
        arm = 4.0 / 3.0 * np.tan(0.5 * phi / count) * turned
        z = np.empty((len(self), 3 * count + 1), dtype=np.complex128)
        z[:, ::3] = knots
        z[:, 1::3] = knots[:, :-1] + arm[:, :-1]
        z[:, 2::3] = knots[:, 1:] - arm[:, 1:]
        return np.stack([z.real, z.imag], axis=-1)

    def _at(self, s: Array) -> Complex:
        """Return the points at parameters s between -1 and 1, without a large radius cancelling."""
        phi, sine, half = self._shape()
        across = np.sin(phi * s)
        height = 2.0 * np.sin(0.5 * phi * (1.0 + s)) * np.sin(0.5 * phi * (1.0 - s))
        return np.asarray(self.middle[:, None] + half / sine * (across - 1j * height))

    def _shape(self) -> tuple[Array, Array, Complex]:
        """Return the angle between chord and arc, its sine and half the chord, as columns."""
        bulge = np.where(np.abs(self.bulge) < _STRAIGHT, _STRAIGHT, self.bulge)[:, None]
        return 2.0 * np.arctan(bulge), 2.0 / (bulge + 1.0 / bulge), self.half[:, None]


def geodesic_arcs(start: Complex, end: Complex) -> Arcs:
    """Return the geodesic segments between points of the closed unit disk, end by end.

    The Möbius map that takes ``start`` to 0 straightens the geodesic; its derivative shows that the
    arc leaves its chord at the angle ``arg(1 - conj(start) end)``. The bulge is the tangent of half
    of that.

    Examples
    --------
    >>> arcs = geodesic_arcs(np.array([1.0 + 0j]), np.array([1j]))
    >>> arcs.center.round(6), arcs.radius.round(6)
    (array([1.+1.j]), array([1.]))
    """
    turn = 1.0 - np.conj(start) * end
    size = np.abs(turn) + turn.real
    bulge = np.divide(turn.imag, size, out=np.zeros_like(size), where=size > 0)
    return Arcs(0.5 * (start + end), 0.5 * (end - start), bulge)


def hypercycle_arcs(offset: Array, normal: Array, distance: Array | float = 0.0) -> Arcs:
    """Return the curves at a signed distance from hyperplanes ``(a, u)`` of the plane.

    All curves of one hyperplane share its two ideal points ``tanh a · u ± sech a · iu``. The one at
    distance 0 is the hyperplane itself, and meets the circle at right angles.

    Parameters
    ----------
    offset : ndarray of shape (m,)
        Signed distances a of the origin, at most 300 in size.
    normal : ndarray of shape (m, 2)
        Unit normals u.
    distance : float or ndarray of shape (m,), default=0.0
        Signed distances at curvature -1.

    Examples
    --------
    >>> arcs = hypercycle_arcs(np.array([0.0]), np.array([[1.0, 0.0]]), 1.0)
    >>> bool(np.isclose(arcs.points(3)[0, 1], np.tanh(-0.5)))
    True
    """
    u: Complex = normal[:, 0] + 1j * normal[:, 1]
    size = np.exp(-np.abs(offset))
    sech = 2.0 * size / (1.0 + size**2)
    d = np.clip(distance, -FARTHEST, FARTHEST)
    total, difference = 0.5 * (offset + d), 0.5 * (offset - d)
    with np.errstate(over="ignore"):
        bulge = -np.sign(total) * np.exp(log_sinh(np.abs(total)) - log_cosh(difference))
    return Arcs(np.tanh(offset) * u, 1j * sech * u, bulge)


def circle_arcs(center: complex, radius: float) -> Arcs:
    """Return a whole circle as two half circles.

    Examples
    --------
    >>> circle_arcs(0j, 0.5).radius
    array([0.5, 0.5])
    """
    half = np.array([radius, -radius], dtype=np.complex128)
    return Arcs(np.full(2, center, dtype=np.complex128), half, np.ones(2))


def chord_arcs(intercept: Array, coefficients: Array) -> Arcs:
    """Return the chords ``c·b + t = 0`` of the unit disk, those that cross it.

    Parameters
    ----------
    intercept : ndarray of shape (m,)
        Constants t.
    coefficients : ndarray of shape (m, 2)
        Vectors c with ``|c| > |t|``.

    Examples
    --------
    >>> chord_arcs(np.array([-1.0]), np.array([[2.0, 0.0]])).start.round(3)
    array([0.5-0.866j])
    """
    c: Complex = coefficients[:, 0] + 1j * coefficients[:, 1]
    u: Complex = c / np.abs(c)
    foot = -intercept / np.abs(c)
    half = np.sqrt((1.0 - foot) * (1.0 + foot))
    return Arcs(foot * u, 1j * half * u, np.zeros(len(c)))


def arcs_through(start: Complex, middle: Complex, end: Complex) -> Arcs:
    """Return the arcs through three points each.

    The turn from the first chord to the second is half of the angle that the whole arc turns.

    Examples
    --------
    >>> arcs_through(np.array([-1 + 0j]), np.array([-1j]), np.array([1 + 0j])).bulge
    array([1.])
    """
    turn = np.angle((end - middle) * np.conj(middle - start))
    return Arcs(0.5 * (start + end), 0.5 * (end - start), np.tan(0.5 * turn))


def to_halfplane(z: Complex) -> Complex:
    """Return points of the closed unit disk in the closed upper half-plane, its height upwards.

    ``i (1 - z) / (1 + z)``; the point -1 of the rim goes to infinity.

    Examples
    --------
    >>> to_halfplane(np.array([0.0, 1.0, 1j]))
    array([0.+1.j, 0.+0.j, 1.+0.j])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.abs(1.0 + z) ** 2
        height = np.maximum((1.0 - np.abs(z)) * (1.0 + np.abs(z)), 0.0)
        return np.asarray(2.0 * z.imag / size + 1j * (height / size))


def halfplane_arcs(arcs: Arcs) -> Arcs:
    """Return arcs of the disk as arcs of the upper half-plane.

    A Möbius map takes circles to circles. An arc with one end at infinity becomes a ray; an arc
    with both ends there is left out.

    Examples
    --------
    >>> arcs = halfplane_arcs(geodesic_arcs(np.array([1j]), np.array([-1j])))
    >>> arcs.center.round(6) + 0.0, arcs.radius.round(6)
    (array([0.+0.j]), array([1.]))
    """
    ends = to_halfplane(np.column_stack([arcs.start, arcs.end]))
    near = np.abs(ends) < _INFINITY  # False for NaN too
    middle = to_halfplane(arcs.points(3)[:, 1])
    both = near.all(axis=1)
    curved = arcs_through(ends[both, 0], middle[both], ends[both, 1])
    one = near.any(axis=1) & ~both
    foot = np.where(near[one, 0], ends[one, 0], ends[one, 1])
    half = (middle[one] - foot) * (0.5 * _RAY / np.abs(middle[one] - foot))
    return joined([curved, Arcs(foot + half, half, np.zeros(len(foot)))])


def joined(parts: list[Arcs]) -> Arcs:
    """Return the arcs of all parts, one part after the other.

    Examples
    --------
    >>> arcs = geodesic_arcs(np.array([0j]), np.array([0.5 + 0j]))
    >>> len(joined([arcs, arcs]))
    2
    """
    return Arcs(
        np.concatenate([part.middle for part in parts]),
        np.concatenate([part.half for part in parts]),
        np.concatenate([part.bulge for part in parts]),
    )
