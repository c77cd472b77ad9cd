"""Distances between points, row by row and in all pairs."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from helpers import refuses, unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hyplane.geometry import (
    CHARTS,
    convert,
    distance,
    from_polar,
    minkowski_product,
    pairwise_distances,
    to_polar,
)
from hyplane.geometry.distances import log_cosh_distances

seeds = st.integers(0, 2**32 - 1)
curvatures = st.one_of(st.just(-1.0), st.floats(-10.0, -0.1))


def decimals(row):
    return [Decimal(float(value)) for value in row]


def dot(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), Decimal(0))


def decimal_distance(x, y, chart, k):
    """The distance of the doubles as given, from the hyperboloid at 150 digits."""
    with localcontext() as context:
        context.prec = 150
        k = Decimal(float(k))
        x, y = (decimal_spatial_part(decimals(p), chart, k) for p in (x, y))
        difference = [a - b for a, b in zip(x, y, strict=True)]
        times = [(1 + dot(p, p)).sqrt() for p in (x, y)]
        square = dot(difference, difference) - (times[0] - times[1]) ** 2
        root = (square / 4).sqrt()
        return float(2 * (root + (1 + root * root).sqrt()).ln() / k.sqrt())


def decimal_spatial_part(p, chart, k):
    root = k.sqrt()
    if chart == "hyperboloid":
        return [root * a for a in p[1:]]
    if chart == "ball":
        return [2 * root * a / (1 - k * dot(p, p)) for a in p]
    if chart == "klein":
        return [root * a / (1 - k * dot(p, p)).sqrt() for a in p]
    if chart == "halfspace":
        p = [root * a for a in p]
        return [(1 - dot(p, p)) / (2 * p[0]), *(a / p[0] for a in p[1:])]
    if chart == "tangent":
        norm = dot(p, p).sqrt()
        return [(root * norm).exp() / norm * a / 2 - (-root * norm).exp() / norm * a / 2 for a in p]
    radius, norm = root * p[0], dot(p[1:], p[1:]).sqrt()
    return [(radius.exp() - (-radius).exp()) / 2 * a / norm for a in p[1:]]


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=60)
@given(
    seed=seeds,
    n_dim=st.integers(3, 8),
    curvature=curvatures,
    shift=st.floats(-16, 0),
    kind=st.sampled_from(["any", "near", "radial"]),
)
def test_distances_of_given_doubles_are_right_to_rounding(
    chart, seed, n_dim, curvature, shift, kind
):
    rng = np.random.default_rng(seed)
    reach = {"ball": 30.0, "klein": 15.0}.get(chart, 60.0)
    direction = rng.normal(size=(2, n_dim))
    radius = rng.uniform(0.01, reach, 2)
    if kind != "any":
        direction[1] = direction[0] + (kind == "near") * 10.0**shift * direction[1]
        radius[1] = radius[0] * (1 - 10.0**shift * rng.uniform())
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    x, y = from_polar(radius, direction, chart, curvature=curvature)
    expected = decimal_distance(x, y, chart, -curvature)
    got = distance(x, y, coordinates=chart, curvature=curvature)
    assert_allclose(got, [expected], rtol=1e-14, atol=0)
    assert_allclose(distance(y, x, coordinates=chart, curvature=curvature), got, rtol=4e-15)


@settings(max_examples=60)
@given(seed=seeds, n_dim=st.integers(2, 20), curvature=curvatures)
def test_distances_agree_across_the_charts(polar_points, seed, n_dim, curvature):
    (r, u), (s, v) = polar_points(seed, 20, n_dim, 8.0), polar_points(seed + 1, 20, n_dim, 8.0)
    found = [
        distance(
            from_polar(r, u, chart, curvature=curvature),
            from_polar(s, v, chart, curvature=curvature),
            coordinates=chart,
            curvature=curvature,
        )
        for chart in CHARTS
    ]
    # Klein coordinates at radius 8 are blurred by eps cosh²(8), about 5e-10.
    assert_allclose(found, np.broadcast_to(found[0], np.shape(found)), rtol=0, atol=1e-8)
    x, y = from_polar(r, u, "hyperboloid"), from_polar(s, v, "hyperboloid")
    cosh = np.cosh(np.sqrt(-curvature) * found[0])
    assert_allclose(minkowski_product(x, y), cosh, rtol=1e-9, atol=1e-16 * np.cosh(16.0))


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("curvature", [-1.0, -0.3])
def test_all_pairs_equal_the_distances_row_by_row(polar_points, chart, curvature):
    X = from_polar(*polar_points(3, 30, 3, 9.0), chart, curvature=curvature)
    Y = from_polar(*polar_points(4, 17, 3, 9.0), chart, curvature=curvature)
    pairs = pairwise_distances(X, Y, coordinates=chart, curvature=curvature)
    for column, y in enumerate(Y):
        rows = distance(X, y, coordinates=chart, curvature=curvature)
        assert_allclose(pairs[:, column], rows, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=30)
@given(seed=seeds, n_dim=st.integers(2, 6), curvature=curvatures, shift=st.floats(-16, -4))
def test_all_pairs_of_nearly_equal_points_keep_the_digits_of_distance(
    chart, seed, n_dim, curvature, shift
):
    rng = np.random.default_rng(seed)
    direction = unit_rows(rng, 3, n_dim)
    reach = {"ball": 30.0, "klein": 15.0}.get(chart, 60.0)
    radius = np.array([1e-3, 1.0, 1.0]) * rng.uniform(0.1, reach, 3)
    X = from_polar(radius, direction, chart, curvature=curvature)
    # Points on the hyperboloid must stay on it.
    if chart == "hyperboloid":
        Y = from_polar(radius * (1 + 10.0**shift), direction, chart, curvature=curvature)
    else:
        Y = X * (1.0 + 10.0**shift * rng.uniform(-1, 1, X.shape))
    space = {"coordinates": chart, "curvature": curvature}
    if chart in ("ball", "klein"):  # that moved it outside, very near the boundary
        Y = np.where((-curvature * (Y**2).sum(axis=1) < 1.0)[:, None], Y, X)
    if chart == "polar" and n_dim > 2:
        Y[:, 1:] = X[:, 1:]
    left, right = np.repeat(X, 3, axis=0), np.tile(Y, (3, 1))
    expected = distance(left, right, **space).reshape(3, 3)
    assert_allclose(pairwise_distances(X, Y, **space), expected, rtol=3e-13, atol=0)
    both = pairwise_distances(np.vstack([X, Y]), **space)
    assert_array_equal(both, both.T)
    assert_array_equal(np.diag(both), 0.0)
    near = expected < 1.0
    cosh = log_cosh_distances(X, Y, **space)
    wanted = np.log1p(2.0 * np.sinh(0.5 * np.sqrt(-curvature) * expected) ** 2)
    assert_allclose(cosh[near], wanted[near], rtol=1e-12, atol=1e-320)


@pytest.mark.parametrize("chart", ["ball", "klein", "tangent", "halfspace"])
@pytest.mark.parametrize("size", [1e-100, 1e-180, 1e-300])
def test_all_pairs_do_not_underflow(chart, size):
    X, Y = np.array([[0.0, size], [0.0, 3 * size]]), np.zeros((1, 2))
    if chart == "halfspace":
        X[:, 0] = Y[:, 0] = 1.0
    expected = distance(X, Y, coordinates=chart)
    assert (expected > 0.5 * size).all()
    assert_allclose(pairwise_distances(X, Y, coordinates=chart)[:, 0], expected, rtol=1e-14)


@pytest.mark.parametrize("chart", ["polar", "tangent"])
@pytest.mark.parametrize("radius", [300.0, 5000.0, 10_000.0])
def test_far_points_have_finite_distances(chart, radius):
    angle = np.array([1e-3, 0.5, 2.0, np.pi])
    direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X = from_polar(np.full(4, radius), direction, chart)
    Y = from_polar([radius - 100.0], [[1.0, 0.0]], chart)
    # Beyond the reach of sinh: d = r + s + 2 log sin(φ/2), but for terms of relative size e^-r.
    expected = 2 * radius - 100.0 + 2 * np.log(np.sin(angle / 2))
    assert_allclose(distance(X, Y, coordinates=chart), expected, rtol=1e-14)
    assert_allclose(pairwise_distances(X, Y, coordinates=chart)[:, 0], expected, rtol=1e-13)
    same = from_polar([radius], [[1.0, 0.0]], chart)
    assert_allclose(distance(same, Y, coordinates=chart), 100.0, rtol=1e-14)
    assert_allclose(pairwise_distances(same, Y, coordinates=chart), [[100.0]], rtol=1e-14)


def test_the_half_space_is_measured_to_the_ends_of_the_doubles():
    X = np.array([[1e-300, 0.0], [1e-300, 1e300], [1e300, 0.0]])
    Y = np.array([[1e300, 0.0], [1e-300, -1e300], [1e300, 1.0]])
    log = np.log(10.0)
    expected = [600 * log, 2 * np.log(2.0) + 1200 * log, 1e-300]
    assert_allclose(distance(X, Y, coordinates="halfspace"), expected, rtol=1e-14)
    assert_allclose(to_polar(X, "halfspace")[0], np.array([300, 900, 300]) * log, rtol=1e-14)
    assert_allclose(
        np.diag(pairwise_distances(X, Y, coordinates="halfspace"))[:2], expected[:2], rtol=1e-13
    )


def test_the_hyperboloid_is_measured_to_the_ends_of_the_doubles():
    X = from_polar([709.0, 709.0], [[1.0, 0.0], [0.0, 1.0]], "hyperboloid")
    assert_allclose(distance(X[:1], X[1:], coordinates="hyperboloid"), 1418 - np.log(2.0))
    tiny = [[1.0, 3e-200, 4e-200]]
    assert_allclose(distance(tiny, [[1.0, 0.0, 0.0]], coordinates="hyperboloid"), 5e-200)


def test_rows_that_do_not_match_are_refused():
    X = np.zeros((3, 2))
    refuses("X has 3 rows and Y has 2", distance, X, X[:2])
    refuses("same number of columns; got 2 and 1", distance, X, X[:, :1])
    refuses("same number of columns; got 2 and 1", pairwise_distances, X, X[:, :1])
    refuses("row 1 of Y is not inside", distance, X, [[0.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    refuses("same number of components", minkowski_product, [1.0, 0.0], [1.0, 0.0, 0.0])


def test_the_minkowski_product_has_one_plus_sign():
    assert minkowski_product([2.0, 3.0, 5.0], [7.0, 11.0, 13.0]) == 14 - 33 - 65
    X = convert([[0.1, 0.2], [0.7, -0.1]], "ball", "hyperboloid")
    assert_allclose(minkowski_product(X, X), 1.0, rtol=1e-14)
