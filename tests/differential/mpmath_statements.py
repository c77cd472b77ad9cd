"""The definitions of hyperbolic geometry at curvature -1, written in mpmath as textbooks have them.

Nothing here comes from hyplane and nothing is done for accuracy: `precise` computes with as many
digits as the textbook formulas lose, and 50 more.
"""

from contextlib import contextmanager
from math import log10

from mpmath import mp, mpf


@contextmanager
def precise(*sizes):
    """Compute with 50 digits beyond what is lost at radii of these sizes.

    ``cosh r`` is ``exp(r)`` far out, and 1 up to ``r²`` near the origin; both are squared.
    """
    lost = 0.0  # decimal digits
    for size in map(float, sizes):
        near = -4 * log10(size) if 0 < size < 1 else 0.0
        lost = max(lost, near, 2 * size / 2.302)
    with mp.workdps(int(60 + lost)):
        yield


def vector(values):
    """Return doubles as exact numbers."""
    return [mpf(float(value)) for value in values]


def dot(x, y):
    return mp.fsum(a * b for a, b in zip(x, y, strict=True))


def norm(x):
    return mp.sqrt(dot(x, x))


def minkowski(x, y):
    return x[0] * y[0] - dot(x[1:], y[1:])


def lift(spatial):
    """Return the point of the hyperboloid above a spatial part."""
    return [mp.sqrt(1 + dot(spatial, spatial)), *spatial]


def at(radius, direction):
    """Return the point at a radius in the direction of a vector of any length."""
    length = norm(direction)
    return [mp.cosh(radius), *(mp.sinh(radius) * u / length for u in direction)]


def hyperboloid(row, chart):
    """Return the point of the hyperboloid that a row of a chart says."""
    row = vector(row)
    if chart == "hyperboloid":
        return lift(row[1:])
    if chart == "ball":
        gap = 1 - dot(row, row)
        return [(1 + dot(row, row)) / gap, *(2 * b / gap for b in row)]
    if chart == "klein":
        time = 1 / mp.sqrt(1 - dot(row, row))
        return [time, *(time * k for k in row)]
    if chart == "halfspace":
        ball = _from_halfspace(row)
        gap = 1 - dot(ball, ball)
        return [(1 + dot(ball, ball)) / gap, *(2 * b / gap for b in ball)]
    if chart == "tangent":
        length = norm(row)
        return at(length, row) if length else [mpf(1), *row]
    return at(row[0], [mp.cos(row[1]), mp.sin(row[1])] if len(row) == 2 else row[1:])


def _from_halfspace(row):
    """Invert at the sphere of radius √2 around (-1, 0, …, 0), which is its own inverse."""
    shifted = [row[0] + 1, *row[1:]]
    factor = 2 / dot(shifted, shifted)
    return [factor * shifted[0] - 1, *(factor * h for h in shifted[1:])]


def coordinates(x, chart):
    """Return the row of a chart for a point of the hyperboloid."""
    if chart == "hyperboloid":
        return x
    ball = [part / (1 + x[0]) for part in x[1:]]
    if chart == "ball":
        return ball
    if chart == "klein":
        return [part / x[0] for part in x[1:]]
    if chart == "halfspace":
        return _from_halfspace(ball)
    length = norm(x[1:])
    radius = mp.asinh(length)
    direction = [part / length for part in x[1:]]
    if chart == "tangent":
        return [radius * u for u in direction]
    return [radius, *direction]


def distance(x, y):
    return mp.acosh(minkowski(x, y))


def exponential(base, tangent):
    length = mp.sqrt(-minkowski(tangent, tangent))
    return [
        mp.cosh(length) * b + mp.sinh(length) * v / length
        for b, v in zip(base, tangent, strict=True)
    ]


def logarithm(base, point):
    apart = distance(base, point)
    product = minkowski(base, point)
    across = [p - product * b for b, p in zip(base, point, strict=True)]
    return [apart * a / mp.sqrt(-minkowski(across, across)) for a in across]


def signed_distance(w, x):
    return mp.asinh(minkowski(w, x) / mp.sqrt(-minkowski(w, w)))


def plane_normal(log_scale, offset, normal):
    scale, offset = mp.exp(mpf(float(log_scale))), mpf(float(offset))
    normal = vector(normal)
    length = norm(normal)
    return [scale * mp.sinh(offset), *(scale * mp.cosh(offset) * u / length for u in normal)]


def soft_margin(points, labels, weights, w, C):
    losses = (
        mpf(float(c)) * max(mpf(0), mp.asinh(1) - mp.asinh(y * minkowski(w, x)))
        for x, y, c in zip(points, labels, weights, strict=True)
    )
    return -minkowski(w, w) / 2 + mpf(float(C)) * mp.fsum(losses)


def busemann(x, ideal):
    length = norm(ideal)
    return mp.log(minkowski(x, [mpf(1), *(u / length for u in ideal)]))
