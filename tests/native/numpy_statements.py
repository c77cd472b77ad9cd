"""What the compiled charts compute, stated independently in NumPy: one formula a chart.

Radii are at curvature -1 and directions are unit vectors; a point of the hyperboloid is
``(cosh r, sinh r · u)``. ``k`` is minus the curvature of the chart.
"""

from fractions import Fraction

import numpy as np
from scipy.spatial.distance import cdist


def norms(vectors):
    """Return lengths of rows; hypot neither overflows nor underflows."""
    return np.hypot.reduce(vectors, axis=1) if vectors.shape[1] > 1 else np.abs(vectors[:, 0])


def units(vectors):
    """Return rows divided by their lengths; the zero vector gets the first axis."""
    lengths = norms(vectors)
    unit = vectors / np.where(lengths == 0, 1.0, lengths)[:, None]
    unit[lengths == 0] = np.eye(1, vectors.shape[1])
    return unit


def to_polar(X, chart, k):
    """Return radius and unit direction of valid rows."""
    X, root = np.asarray(X, dtype=np.float64), np.sqrt(k)
    if chart == "halfspace":
        return halfspace_to_polar(root * X)
    if chart == "polar":
        radius = root * X[:, 0]
        angle = X[:, 1]
        direction = units(X[:, 1:])
        if X.shape[1] == 2:
            direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        direction[radius == 0] = np.eye(1, direction.shape[1])
        return radius, direction
    if chart == "hyperboloid":
        X = X[:, 1:]
    lengths = root * norms(X)
    if chart in ("ball", "klein"):  # tanh(r/2) u and tanh(r) u
        gap = [float(1 - Fraction(k) * sum(Fraction(b) ** 2 for b in row)) for row in X.tolist()]
        radius = np.arcsinh(lengths / np.sqrt(gap)) * (2.0 if chart == "ball" else 1.0)
    elif chart == "hyperboloid":
        radius = np.arcsinh(lengths)
    else:
        radius = lengths
    return radius, units(X)


def halfspace_to_polar(H):
    """``sinh²(r/2) = |h - e1|² / (4 h1)``, in the direction of ``(1 - |h|², 2 h2, …)``."""
    height, flat = H[:, 0], H[:, 1:]
    length = norms(H)
    # All divided by 1 + |h|. Near the base point the difference 1 - |h| would lose digits.
    near = np.minimum(length, 4.0) == length
    h, f = np.where(near, height, 0.0), np.where(near[:, None], flat, 0.0)
    along = ((1.0 - h) * (1.0 + h) - (f * f).sum(axis=1)) / (1.0 + length)
    vector = np.column_stack(
        [np.where(near, along, 1.0 - length), 2.0 * flat / (1.0 + length)[:, None]]
    )
    offset = norms(np.column_stack([height - 1.0, flat]))
    return 2.0 * np.arcsinh(offset / (2.0 * np.sqrt(height))), units(vector)


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
