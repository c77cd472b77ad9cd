"""The six charts, each as a map to native polar coordinates and one back.

All functions work on the hub of the package: ``radius`` at curvature -1 and a unit ``direction``,
where a point of the hyperboloid is ``(cosh r, sinh r · u)``. ``k`` is minus the curvature of the
chart's own coordinates. Maps to polar expect finite rows and send a point on or beyond the boundary
to an infinite radius, which the validation refuses. Maps from polar expect a
radius that the chart can hold.
"""

import numpy as np

from hyplane._utils.typing import Array, Mask
from hyplane.geometry._exact import boundary_gap
from hyplane.geometry.numerics import LOG_2, directions, row_norms


def ball_to_polar(points: Array, k: float) -> tuple[Array, Array]:
    """``b = tanh(r/2) u``, hence ``sinh(r/2) = |b| / sqrt(1 - |b|²)``."""
    norms = row_norms(points)
    return 2.0 * np.arcsinh(_sinh_of_flat(points, norms, k)), directions(points, norms)


def ball_from_polar(radius: Array, direction: Array, k: float) -> Array:
    """``b = tanh(r/2) u``, rounded so that it stays inside."""
    points = (np.tanh(0.5 * radius) / np.sqrt(k))[:, None] * direction
    return _kept_inside(points, k, np.cosh(np.minimum(0.5 * radius, 300.0)) ** -2, radius > 30.0)


def klein_to_polar(points: Array, k: float) -> tuple[Array, Array]:
    """``k = tanh(r) u``, hence ``sinh(r) = |k| / sqrt(1 - |k|²)``."""
    norms = row_norms(points)
    return np.arcsinh(_sinh_of_flat(points, norms, k)), directions(points, norms)


def klein_from_polar(radius: Array, direction: Array, k: float) -> Array:
    """``k = tanh(r) u``, rounded so that it stays inside."""
    points = (np.tanh(radius) / np.sqrt(k))[:, None] * direction
    return _kept_inside(points, k, np.cosh(np.minimum(radius, 300.0)) ** -2, radius > 15.0)


def _sinh_of_flat(points: Array, norms: Array, k: float) -> Array:
    gap = np.maximum(boundary_gap(points, k), 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(k) * norms / np.sqrt(gap))


def _kept_inside(points: Array, k: float, gap: Array, near: Mask) -> Array:
    """Step inwards, one unit in the last place at a time, where rounding went too far out.

    Rounding the coordinates moves ``1 - |b|²`` by a few 1e-16. Close to the boundary that is as
    much as the gap itself, so the point could land on the sphere, outside it, or inside but
    absurdly close to it. Rows whose gap came out below half of what it should be are stepped back.
    """
    rows = np.flatnonzero(near)
    while rows.size:
        rows = rows[boundary_gap(points[rows], k) < 0.5 * gap[rows]]
        points[rows] = np.nextafter(points[rows], 0.0)
    return points


def hyperboloid_to_polar(points: Array, k: float) -> tuple[Array, Array]:
    """``x = (cosh r, sinh r · u)``; the radius comes from the spatial part, which never cancels."""
    spatial = points[:, 1:]
    norms = row_norms(spatial)
    small = np.minimum(norms, 1e150)
    with np.errstate(divide="ignore"):
        radius = np.where(
            norms > 1e150,
            np.log(norms) + LOG_2 + 0.5 * np.log(k),
            np.arcsinh(np.sqrt(k) * small),
        )
    return radius, directions(spatial, norms)


def hyperboloid_from_polar(radius: Array, direction: Array, k: float) -> Array:
    """``x = (cosh r, sinh r · u)``."""
    points = np.empty((len(radius), direction.shape[1] + 1))
    scale = 1.0 / np.sqrt(k)
    points[:, 0] = np.cosh(radius) * scale
    points[:, 1:] = (np.sinh(radius) * scale)[:, None] * direction
    return points


def halfspace_to_polar(points: Array, k: float) -> tuple[Array, Array]:
    """Invert the paper's correspondence: ``x1: = (1 - |h|², 2 h2, …) / (2 h1)``.

    The radius is that of ``sinh²(r/2) = |h - e1|² / (4 h1)``.
    """
    points = np.sqrt(k) * points
    height, flat = points[:, 0], points[:, 1:]
    norms = row_norms(points)
    # 1 - |h|², divided by 1 + |h| so that nothing overflows. Near the base point (1, 0, …) the
    # difference 1 - |h| of rounded lengths would lose digits, far from it the squares may overflow.
    near = np.minimum(norms, 4.0) == norms
    h, f = np.where(near, height, 0.0), np.where(near[:, None], flat, 0.0)
    along = ((1.0 - h) * (1.0 + h) - np.einsum("ij,ij->i", f, f)) / (1.0 + norms)
    vector = np.empty_like(points)
    vector[:, 0] = np.where(near, along, 1.0 - norms)
    vector[:, 1:] = 2.0 * flat / (1.0 + norms)[:, None]
    lengths = row_norms(vector)
    offset = points.copy()
    offset[:, 0] -= 1.0
    return _halfspace_radius(row_norms(offset), height), directions(vector, lengths)


def _halfspace_radius(offset: Array, height: Array) -> Array:
    """``2 arsinh(|h - e1| / (2 sqrt(h1)))``; infinite where h1 ≤ 0, on or below the boundary."""
    height = np.maximum(height, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        sinh = offset / (2.0 * np.sqrt(height))
        far = 2.0 * np.log(offset) - np.log(height)
    return np.where(sinh > 1e100, far, 2.0 * np.arcsinh(np.minimum(sinh, 1e100)))


def halfspace_from_polar(radius: Array, direction: Array, k: float) -> Array:
    """``h = (1, sinh r · u2, …) / (cosh r + sinh r · u1)``."""
    first, rest = direction[:, 0], direction[:, 1:]
    sinh = np.sinh(radius)
    square = np.einsum("ij,ij->i", rest, rest)
    # 1 + u1 without cancellation, from the other components of the unit vector.
    one_plus = np.where(first < 0, square / (1.0 - np.minimum(first, 0.0)), 1.0 + first)
    denominator = (np.exp(-radius) + sinh * one_plus) * np.sqrt(k)
    points = np.empty_like(direction)
    points[:, 0] = 1.0 / denominator
    points[:, 1:] = sinh[:, None] * rest / denominator[:, None]
    return points


def polar_to_polar(points: Array, k: float) -> tuple[Array, Array]:
    """Rescale the radius and write the angle, or the given direction, as a unit vector."""
    radius = np.sqrt(k) * points[:, 0]
    if points.shape[1] == 2:
        angle = points[:, 1]
        direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    else:
        direction = directions(points[:, 1:], row_norms(points[:, 1:]))
    zero = radius == 0
    if zero.any():
        direction[zero] = 0.0
        direction[zero, 0] = 1.0
    return radius, direction


def polar_from_polar(radius: Array, direction: Array, k: float) -> Array:
    """Return ``(r, θ)`` in the plane, ``(r, u)`` in higher dimension."""
    radius = radius / np.sqrt(k)
    if direction.shape[1] == 2:
        return np.stack([radius, np.arctan2(direction[:, 1], direction[:, 0])], axis=1)
    return np.concatenate([radius[:, None], direction], axis=1)


def tangent_to_polar(points: Array, k: float) -> tuple[Array, Array]:
    """``v = r u``."""
    norms = row_norms(points)
    return np.sqrt(k) * norms, directions(points, norms)


def tangent_from_polar(radius: Array, direction: Array, k: float) -> Array:
    """``v = r u``."""
    return np.asarray((radius / np.sqrt(k))[:, None] * direction)
