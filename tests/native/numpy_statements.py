"""Draws that the tests of compiled charts share, and signed distances stated in NumPy.

Radii are at curvature -1 and directions are unit vectors; a point of the hyperboloid is
``(cosh r, sinh r · u)``. ``k`` is minus the curvature of the chart.
"""

import numpy as np
from helpers import unit_rows
from scipy.spatial.distance import cdist

from hyplane.geometry import from_polar

LARGEST_RADIUS = {"ball": 37.0, "klein": 18.5, "hyperboloid": 700.0, "halfspace": 690.0}


def random_planes(rng, p, n):
    """Return log scales, offsets and normals."""
    return rng.normal(-1.0, 1.0, p), rng.normal(0.0, 1.5, p), unit_rows(rng, p, n)


def random_rows(rng, m, n, chart, k, largest=np.inf):
    """Return points of a chart at radii from 1e-150 to the largest that it holds."""
    largest = min(largest, LARGEST_RADIUS.get(chart, 600.0))
    tiny = 10.0 ** rng.uniform(-150, 0, m)
    radius = np.where(rng.random(m) < 0.3, tiny, rng.uniform(0.0, largest, m))
    return from_polar(radius, unit_rows(rng, m, n), chart, curvature=-k)


def log_sinh(x):
    with np.errstate(divide="ignore"):
        return x - np.log(2.0) + np.log(-np.expm1(-2.0 * x))


def log_cosh(x):
    return np.logaddexp(x, -x) - np.log(2.0)


def arsinh_exp(log_x):
    return np.where(log_x > 40.0, log_x + np.log(2.0), np.arcsinh(np.exp(np.minimum(log_x, 40.0))))


def signed_distance(radius, direction, offset, normal):
    """Return ``arsinh(sinh(a - r) + cosh a sinh r |u - v|²/2)`` of all points and hyperplanes."""
    side = np.where(offset < 0, -1.0, 1.0)
    half = 0.5 * cdist(direction, side[:, None] * normal, "sqeuclidean")
    r, a = radius[:, None], np.abs(offset)
    size = np.abs(a - r)
    with np.errstate(divide="ignore"):
        across = log_cosh(a) + log_sinh(r) + np.log(half)
        largest = np.maximum(size, across)
        radial = 0.5 * np.sign(a - r) * np.exp(size - largest) * -np.expm1(-2.0 * size)
        rest = radial + np.exp(across - largest)
        return side * np.sign(rest) * arsinh_exp(largest + np.log(np.abs(rest)))
