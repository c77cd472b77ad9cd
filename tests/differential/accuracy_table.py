"""The worst relative error of each function against `mpmath_statements`, by radius."""

import mpmath_statements as exact
import numpy as np
from mpmath import mp, mpf

from hyplane import geometry
from hyplane.geometry.distances import log_cosh_distances
from hyplane.solvers import Points
from hyplane.solvers.result import Hyperplanes

RADII = (1e-300, 1e-150, 1e-16, 1e-8, 1e-3, 1.0, 10.0, 18.0, 35.0, 300.0, 700.0, 1e4)
# Radii that the doubles of each chart hold.
REACH = {"klein": 18.0, "ball": 35.0, "halfspace": 700.0, "hyperboloid": 700.0}


def reaches(chart, radius):
    """Say whether a chart holds points at this radius (and, close to 0, their digits)."""
    # The half-space is 1 + small near the origin: rows there have lost the radius themselves.
    return radius <= REACH.get(chart, np.inf) and (chart != "halfspace" or radius >= 1e-3)


def draw(rng, radius, n=3):
    """Return a radius within a factor of this one, and a direction."""
    direction = rng.standard_normal(n)
    return radius * rng.uniform(0.8, 1.0), direction / np.linalg.norm(direction)


def row_of(chart, radius, direction):
    """Return a row of the chart: doubles, which are then taken as exact."""
    return geometry.from_polar(np.array([radius]), direction[None], chart)[0]


def relative(value, truth):
    """Return the error of a vector or a number relative to its length."""
    value = exact.vector(np.atleast_1d(value))
    truth = truth if isinstance(truth, list) else [truth]
    size = exact.norm(truth)
    error = exact.norm([a - b for a, b in zip(value, truth, strict=True)])
    return float(error / size) if size else float(error)


def to_polar(chart):
    def error(rng, radius):
        row = row_of(chart, *draw(rng, radius))
        found, direction = geometry.to_polar(row[None], chart)
        point = exact.hyperboloid(row, chart)
        length, *true_direction = exact.coordinates(point, "polar")
        return max(relative(found[0], length), relative(direction[0], true_direction))

    return error


def from_polar(chart):
    def error(rng, radius):
        size, direction = draw(rng, radius)
        row = row_of(chart, size, direction)
        point = exact.at(mpf(float(size)), exact.vector(direction))
        truth = exact.coordinates(point, chart)
        if chart == "halfspace":  # the height is tiny far out, and has digits of its own
            return max(relative(row[0], truth[0]), relative(row[1:], truth[1:]))
        return relative(row, truth)

    return error


def distance(chart):
    def error(rng, radius):
        left, right = (row_of(chart, *draw(rng, radius)) for _ in range(2))
        found = geometry.distance(left[None], right[None], coordinates=chart)[0]
        return relative(
            found, exact.distance(*(exact.hyperboloid(r, chart) for r in (left, right)))
        )

    return error


def nearby_distance(chart):
    """Points a billionth of their radius apart (of 1, far out)."""

    def error(rng, radius):
        size, direction = draw(rng, radius)
        turned = direction + 1e-9 * rng.standard_normal(3) / max(1.0, radius)
        turned /= np.linalg.norm(turned)
        left, right = row_of(chart, size, direction), row_of(chart, size * (1 + 1e-9), turned)
        found = geometry.distance(left[None], right[None], coordinates=chart)[0]
        truth = exact.distance(*(exact.hyperboloid(r, chart) for r in (left, right)))
        return relative(found, truth)

    return error


def all_pairs(rng, radius):
    rows = np.stack([row_of("tangent", *draw(rng, radius)) for _ in range(3)])
    found = geometry.pairwise_distances(rows[:1], rows[1:], coordinates="tangent")[0]
    points = [exact.hyperboloid(row, "tangent") for row in rows]
    return max(
        relative(f, exact.distance(points[0], p)) for f, p in zip(found, points[1:], strict=True)
    )


def log_cosh(rng, radius):
    radius = max(radius, 1e-150)  # below, d²/2 is no double
    rows = np.stack([row_of("tangent", *draw(rng, radius)) for _ in range(2)])
    found = log_cosh_distances(rows[:1], rows[1:], coordinates="tangent")[0, 0]
    return relative(
        found, mp.log(exact.minkowski(*(exact.hyperboloid(r, "tangent") for r in rows)))
    )


def exponential_map(rng, radius):
    """From a base point at radius 1 by a vector of the given length."""
    base = np.array([[0.6, -0.5, 0.4]])
    target = draw(rng, radius)
    point = exact.hyperboloid(base[0], "tangent")
    step = exact.vector(target[0] * target[1])
    time = exact.dot(step, point[1:]) / point[0]
    vector = np.array([[float(time), *map(float, step)]])
    found = geometry.exponential_map(vector, base, coordinates="tangent")[0]
    # The first component follows from the others: the rounded one is off the tangent space.
    truth = exact.coordinates(exact.exponential(point, [time, *step]), "tangent")
    return relative(found, truth)


def logarithm_map(rng, radius):
    base = np.array([[0.6, -0.5, 0.4]])
    row = row_of("tangent", *draw(rng, radius))
    found = geometry.logarithm_map(row[None], base, coordinates="tangent")[0]
    points = [exact.hyperboloid(r, "tangent") for r in (base[0], row)]
    return relative(found, exact.logarithm(*points))


def to_hyperplane(chart):
    def error(rng, radius):
        row = row_of(chart, *draw(rng, radius))
        # A hyperplane that passes the origin at a distance of the order of the radius, up to 10.
        offset, normal = rng.uniform(0.3, 0.9) * min(radius, 10.0), draw(rng, 1.0)[1]
        w = geometry.hyperplane_normal(1.0, offset, normal)
        found = geometry.signed_distance(row[None], w, coordinates=chart)[0]
        return relative(
            found, exact.signed_distance(exact.vector(w), exact.hyperboloid(row, chart))
        )

    return error


def classifier_scores(kind):
    def error(rng, radius):
        size, direction = draw(rng, radius)
        offset, normal = rng.uniform(0.3, 0.9) * min(radius, 10.0), draw(rng, 1.0)[1]
        plane = Hyperplanes(np.array([-0.5]), np.array([offset]), normal[None])
        found = Points(np.array([size]), direction[None]).scores(plane, kind)[0, 0]
        w = exact.plane_normal(-0.5, offset, normal)
        x = exact.at(mpf(float(size)), exact.vector(direction))
        truth = {
            "signed_distance": lambda: exact.signed_distance(w, x),
            "arsinh_product": lambda: mp.asinh(exact.minkowski(w, x)),
        }[kind]()
        return relative(found, truth)

    return error


class _Plane:
    """A hyperplane as the objective takes it."""

    def __init__(self, log_scale, offset, normal):
        self.log_scale, self.offset, self.normal = log_scale, offset, normal


def objective(rng, radius):
    drawn = [draw(rng, radius) for _ in range(5)]
    points = Points(np.array([r for r, _ in drawn]), np.stack([u for _, u in drawn]))
    labels = np.array([1, -1, 1, -1, 1], dtype=np.int8)
    weights = rng.uniform(0.5, 2.0, 5)
    plane = _Plane(-0.9 * min(radius, 300.0), 0.5 * min(radius, 10.0), draw(rng, 1.0)[1])
    found = points.soft_margin_objective(plane, labels, weights, C=2.0)
    w = exact.plane_normal(plane.log_scale, plane.offset, plane.normal)
    rows = [exact.at(mpf(float(r)), exact.vector(u)) for r, u in drawn]
    return relative(found, exact.soft_margin(rows, labels.tolist(), weights, w, 2.0))


def busemann(rng, radius):
    size, direction = draw(rng, radius)
    ideal = draw(rng, 1.0)[1]
    found = geometry.busemann([[size, *direction]], ideal, coordinates="polar")[0]
    x = exact.at(mpf(float(size)), exact.vector(direction))
    # Relative to the radius: the function is 0 on a whole horosphere.
    return float(abs(mpf(float(found)) - exact.busemann(x, ideal)) / mpf(float(size)))


def functions():
    """Yield the name of each function, its chart, and its error at a radius."""
    for chart in geometry.CHARTS:
        yield f"`to_polar`, {chart}", chart, to_polar(chart)
        if chart not in ("polar", "tangent"):
            yield f"`from_polar`, {chart}", chart, from_polar(chart)
    for chart in geometry.CHARTS:
        yield f"`distance`, {chart}", chart, distance(chart)
    for chart in ("ball", "halfspace", "tangent"):
        yield f"`distance` of near points, {chart}", chart, nearby_distance(chart)
    yield "`pairwise_distances`, tangent", "tangent", all_pairs
    yield "`log cosh` of distances, tangent", "tangent", log_cosh
    yield "`exponential_map`, tangent", "tangent", exponential_map
    yield "`logarithm_map`, tangent", "tangent", logarithm_map
    yield "`busemann`, polar", "polar", busemann
    for chart in ("ball", "halfspace", "tangent"):
        yield f"`signed_distance`, {chart}", chart, to_hyperplane(chart)
    yield "`Points.scores`, signed distance", "polar", classifier_scores("signed_distance")
    yield "`Points.scores`, arsinh(w*x)", "polar", classifier_scores("arsinh_product")
    yield "`Points.soft_margin_objective`", "polar", objective


def worst(error, chart, radius, n_draws, seed=0):
    """Return the worst relative error of several draws; None where the chart does not reach."""
    if not reaches(chart, radius):
        return None
    rng = np.random.default_rng(seed)
    with exact.precise(radius, max(1.0, radius)):
        return max(error(rng, radius) for _ in range(n_draws))
