"""Hyperplanes and the signed distance to them."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from helpers import refuses, unit_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    check_points,
    convert,
    distance,
    from_polar,
    hyperplane_normal,
    hyperplane_parameters,
    hyperplane_points,
    hyperplane_through,
    minkowski_product,
    random_isometry,
    signed_distance,
    to_polar,
)
from hyplane.geometry.hyperplanes import polar_signed_distance

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**31 - 1)
curvatures = st.floats(-10.0, -0.1)


def random_hyperplane(seed, n_dim, max_offset=2.0):
    rng = np.random.default_rng(seed)
    [normal] = unit_rows(rng, 1, n_dim)
    return rng.uniform(0.1, 10.0), rng.uniform(-max_offset, max_offset), normal


@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(2, 6), curvature=curvatures)
def test_signed_distance_is_the_distance_to_the_nearest_point_of_the_hyperplane(
    seed, n_dim, curvature
):
    scale, offset, normal = random_hyperplane(seed, n_dim)
    w = hyperplane_normal(scale, offset, normal)
    rng = np.random.default_rng(seed + 1)
    direction = unit_rows(rng, 1, n_dim)
    x = from_polar([rng.uniform(0, 3.0)], direction, "hyperboloid", curvature=curvature)
    # Coordinates of the hyperplane: its closest point to the origin, and the directions across.
    centre = np.concatenate([[np.cosh(offset)], np.sinh(offset) * normal])
    across = np.linalg.svd(normal[None, :])[2][1:]

    def point(z):
        y = np.sqrt(1 + z @ z) * centre + np.concatenate([[0.0], z @ across])
        return y / np.sqrt(-curvature)

    def to_point(z):
        return distance(x, point(z), coordinates="hyperboloid", curvature=curvature)[0]

    start = rng.normal(size=n_dim - 1)
    assert abs(minkowski_product(w, point(start))) < 1e-12 * scale * np.abs(point(start)).max()
    nearest = minimize(lambda z: to_point(z) ** 2, start, method="BFGS", options={"gtol": 1e-10})
    found = signed_distance(x, w, coordinates="hyperboloid", curvature=curvature)[0]
    # A minimum is found to about 1e-8 in the argument, its value far better.
    assert_allclose(abs(found), to_point(nearest.x), rtol=1e-7, atol=1e-6)
    assert np.sign(found) == np.sign(minkowski_product(w, x[0]))


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=40)
@given(seed=seeds, n_dim=st.integers(2, 20), curvature=curvatures)
def test_signed_distance_is_the_formula_of_theorem_1_in_every_chart(
    polar_points, chart, seed, n_dim, curvature
):
    radius, direction = polar_points(seed, 30, n_dim, 5.0)
    X = from_polar(radius, direction, chart, curvature=curvature)
    x = from_polar(radius, direction, "hyperboloid")
    W = np.stack([hyperplane_normal(*random_hyperplane(seed + i, n_dim)) for i in range(3)])
    expected = np.arcsinh(
        minkowski_product(x[:, None, :], W) / np.sqrt(-minkowski_product(W, W))
    ) / np.sqrt(-curvature)
    got = signed_distance(X, W, coordinates=chart, curvature=curvature)
    blur = 64 * EPS * np.cosh(5.0) ** (2 if chart == "klein" else 1) * np.cosh(2.0)
    assert_allclose(got, expected, rtol=1e-12, atol=blur / np.sqrt(-curvature))
    single = signed_distance(X, W[1], coordinates=chart, curvature=curvature)
    assert_array_equal(single, got[:, 1])


@settings(max_examples=60)
@given(seed=seeds, n_dim=st.integers(1, 10))
def test_signed_distance_is_invariant_under_isometries(polar_points, seed, n_dim):
    X = from_polar(*polar_points(seed, 20, n_dim, 5.0), "tangent")
    w = hyperplane_normal(*random_hyperplane(seed, n_dim))
    isometry = random_isometry(n_dim, max_radius=2.0, random_state=seed)
    moved = signed_distance(
        apply_isometry(isometry, X, "tangent"), isometry @ w, coordinates="tangent"
    )
    # Normals of offset up to 4, points of radius up to 7, a matrix of norm exp(2).
    blur = 32 * EPS * np.cosh(7.0) * np.cosh(4.0) * np.exp(2.0)
    assert_allclose(moved, signed_distance(X, w, coordinates="tangent"), rtol=1e-12, atol=blur)


@settings(max_examples=100)
@given(
    seed=seeds,
    radius=st.floats(0.0, 36.0),
    offset=st.floats(-15.0, 15.0),
    spread=st.floats(-15.0, 0.0),
    opposite=st.booleans(),
)
def test_signed_distances_of_given_doubles_are_right_to_rounding(
    seed, radius, offset, spread, opposite
):
    """Points in nearly the direction of the normal, where ``1 - u·v`` has no digits left."""
    rng = np.random.default_rng(seed)
    normal = np.array([0.6, 0.0, 0.8])
    direction = normal + 10.0**spread * rng.normal(size=3)
    direction *= (-1.0 if opposite else 1.0) / np.linalg.norm(direction)
    got = polar_signed_distance(np.array([radius]), direction[None, :], offset, normal)[0]
    with localcontext() as context:
        context.prec = 80
        r, a = Decimal(radius), Decimal(offset)
        sinh, cosh = (
            lambda t: (t.exp() - (-t).exp()) / 2,
            lambda t: (t.exp() + (-t).exp()) / 2,
        )
        u, v = ([Decimal(float(c)) for c in vector] for vector in (normal, direction))
        lengths = (sum(c * c for c in u) * sum(c * c for c in v)).sqrt()
        cosine = sum(c * d for c, d in zip(u, v, strict=True)) / lengths
        score = sinh(a) * cosh(r) - cosh(a) * sinh(r) * cosine
        expected = float(score.copy_abs().ln()) if abs(score) > 10**12 else None
        exact = float(score)
        # Unit vectors are unit to rounding only: a difference of eps in direction moves the score
        # by eps cosh a sinh r sin φ, and by eps² cosh a sinh r even when φ is zero.
        sine = float((1 - cosine * cosine).copy_abs().sqrt())
    if expected is not None:
        assert_allclose(abs(got), expected + np.log(2.0), rtol=1e-13, atol=1e-12)
        return
    stretch = np.cosh(offset) * np.sinh(radius)
    blur = 8 * EPS * (abs(exact) + np.sinh(abs(radius - abs(offset))) + stretch * (sine + EPS) + 1)
    slack = blur / np.sqrt(1 + max(abs(exact) - blur, 0) ** 2) + 4 * EPS * abs(got)
    assert abs(got - np.arcsinh(exact)) <= slack


@pytest.mark.parametrize("radius", [1.0, 20.0, 300.0, 5000.0, 10_000.0])
def test_signed_distances_are_finite_and_right_at_any_radius(radius):
    offset, angle = 0.7, np.array([0.0, 0.3, np.pi / 2, 2.0, np.pi])
    X = np.stack([np.full(5, radius), angle], axis=1)
    got = signed_distance(X, hyperplane_normal(3.0, offset, [1.0, 0.0]), coordinates="polar")
    a, b = np.sinh(offset), np.cosh(offset) * np.cos(angle)
    if radius < 300:
        expected = np.arcsinh(a * np.cosh(radius) - b * np.sinh(radius))
    else:  # arsinh z = ± log(2 |z|), and sinh r = cosh r = exp(r)/2
        expected = np.sign(a - b) * (radius + np.log(np.abs(a - b)))
    assert_allclose(got, expected, rtol=1e-13)
    assert_allclose(got[[0, -1]], [offset - radius, offset + radius], rtol=1e-13)


@pytest.mark.parametrize("offset", [-5000.0, -800.0, 800.0, 5000.0])
def test_hyperplanes_may_be_as_far_out_as_points(offset):
    direction = np.sign(offset) * np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    radius = np.array([abs(offset), abs(offset) - 30.0, 100.0, 50.0])
    got = polar_signed_distance(radius, direction, offset, np.array([1.0, 0.0]))
    expected = [0.0, 30.0, abs(offset) + 100.0, abs(offset) + 50.0 - np.log(2.0)]
    assert_allclose(got, np.sign(offset) * np.array(expected), rtol=1e-13, atol=1e-12)


def test_many_rows_are_worked_in_blocks_that_join(polar_points):
    radius, direction = polar_points(1, 70_000, 2, 4.0)
    normals = np.array([[1.0, 0.0], [0.6, 0.8]])
    offsets = np.array([0.5, -0.5])
    got = polar_signed_distance(radius, direction, offsets, normals)
    score = np.sinh(offsets) * np.cosh(radius)[:, None]
    score -= np.cosh(offsets) * np.sinh(radius)[:, None] * (direction @ normals.T)
    assert_allclose(np.sinh(got), score, rtol=1e-11, atol=1e-12)


@settings(max_examples=80)
@given(seed=seeds, n_dim=st.integers(1, 20))
def test_parameters_and_normals_are_inverses(seed, n_dim):
    scale, offset, normal = random_hyperplane(seed, n_dim, max_offset=15.0)
    w = hyperplane_normal(scale, offset, normal)
    got = hyperplane_parameters(w)
    # The components of w are rounded at the size s cosh a, against which -w*w = s² is small.
    slack = 8 * EPS * np.cosh(offset) ** 2
    assert_allclose(got[0], scale, rtol=slack)
    assert_allclose(got[1], offset, rtol=0, atol=slack)
    assert_allclose(got[2], normal, rtol=0, atol=4 * EPS)
    assert_allclose(hyperplane_parameters(w * 1e-200)[0], got[0] * 1e-200, rtol=slack)
    assert_allclose(hyperplane_parameters(w * 1e200)[1], got[1], rtol=0, atol=slack)


def test_the_offset_is_the_signed_distance_of_the_origin():
    w = hyperplane_normal([1.0, 2.0], [0.7, -1.3], [[1.0, 0.0], [0.0, 1.0]])
    assert_allclose(signed_distance([[0.0, 0.0]], w), [[0.7, -1.3]], rtol=1e-15)
    assert_allclose(-minkowski_product(w, w), [1.0, 4.0])


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=30)
@given(seed=seeds, n_dim=st.integers(2, 10), curvature=curvatures)
def test_the_hyperplane_through_a_point_contains_it_and_faces_the_normal(
    polar_points, chart, seed, n_dim, curvature
):
    radius, direction = polar_points(seed, 4, n_dim, 4.0)
    X = from_polar(radius, direction, chart, curvature=curvature)
    normal = np.random.default_rng(seed).normal(size=n_dim)
    w = hyperplane_through(X[1], normal, coordinates=chart, curvature=curvature)
    assert_allclose(minkowski_product(w, w), -1.0, atol=1e-13 * np.cosh(8.0))
    keywords = {"coordinates": chart, "curvature": curvature}
    blur = 1e-14 * np.cosh(4.0) ** 2
    assert_allclose(signed_distance(X[1:2], w, **keywords), 0.0, atol=blur)
    # In the ball a small Euclidean step along the normal leads straight away from the hyperplane.
    b = convert(X[1:2], chart, "ball", curvature=curvature)
    step = b + 1e-4 * normal / np.linalg.norm(normal) * (1 + curvature * (b * b).sum())
    away = signed_distance(step, w, curvature=curvature)
    assert_allclose(away, distance(step, b, curvature=curvature), rtol=1e-3)
    assert (away > 0).all()


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=30)
@given(seed=seeds, curvature=curvatures)
def test_points_along_a_hyperplane_lie_on_it_at_equal_steps(chart, seed, curvature):
    scale, offset, normal = random_hyperplane(seed, 2)
    w = hyperplane_normal(scale, offset, normal)
    keywords = {"coordinates": chart, "curvature": curvature}
    extent = 5.0 / np.sqrt(-curvature)
    X = hyperplane_points(w, chart, n_points=21, extent=extent, curvature=curvature)
    check_points(X, chart, curvature=curvature)
    blur = 64 * EPS * np.cosh(7.0) ** (2 if chart == "klein" else 1) / np.sqrt(-curvature)
    assert_allclose(signed_distance(X, w, **keywords), 0.0, atol=blur * np.cosh(2.0))
    assert_allclose(distance(X[1:], X[:-1], **keywords), extent / 10, atol=4 * blur)
    assert_allclose(distance(X[:1], X[-1:], **keywords), 2 * extent, atol=4 * blur)
    radius, _ = to_polar(X, chart, curvature=curvature)
    assert radius.argmin() == 10
    assert_allclose(radius[10], abs(offset), atol=1e-12)


def test_points_along_a_hyperplane_have_sensible_defaults():
    points = hyperplane_points([0.3, 1.0, 0.5])
    assert points.shape == (200, 2)
    assert 0.99 < np.linalg.norm(points[0]) < 1
    assert hyperplane_points([0.3, 1.0, 0.5], "hyperboloid").shape == (200, 3)


@pytest.mark.parametrize(
    ("w", "message"),
    [
        ([2.0, 1.0, 1.0], r"hyperplane 0 has w\*w = w0² - \|w1:\|² = 2 but it must be negative"),
        ([1.0, 1.0, 0.0], r"w\*w = w0² - \|w1:\|² = -?0 but it must be negative"),
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], "hyperplane 1 has"),
        ([0.0, np.nan, 1.0], "hyperplane 0 has NaN"),
        ([1.0], r"shape \(n \+ 1,\)"),
    ],
)
def test_vectors_without_a_hyperplane_are_refused(w, message):
    refuses(message, hyperplane_parameters, w)
    refuses(message, signed_distance, [[0.1, 0.2]], w)


def test_arguments_of_hyperplanes_are_checked():
    with pytest.raises(ValueError, match="w has 4 components but points of dimension 2 need 3"):
        signed_distance([[0.1, 0.2]], [0.0, 1.0, 0.0, 0.0])
    refuses(r"w must have shape \(3,\)", hyperplane_points, [0.0, 1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="n_points must be an integer of at least 2"):
        hyperplane_points([0.0, 1.0, 0.0], n_points=1)
    with pytest.raises(ValueError, match="extent must be a positive finite number"):
        hyperplane_points([0.0, 1.0, 0.0], extent=-1.0)
    refuses("extent goes to radius 700", hyperplane_points, [0.0, 1.0, 0.0], "polar", extent=700.0)
    with pytest.raises(ValueError, match=r"row 0 is at radius 30.*klein"):
        hyperplane_points([0.0, 1.0, 0.0], "klein", extent=30.0)
    refuses("scale must be positive", hyperplane_normal, 0.0, 1.0, [1.0, 0.0])
    refuses("normal must hold unit vectors", hyperplane_normal, 1.0, 1.0, [1.0, 1.0])
    refuses("an offset of 900 is too far out", hyperplane_normal, 1.0, 900.0, [1.0, 0.0])
    refuses("normal must be finite and not zero", hyperplane_through, [0.1, 0.2], [0.0, 0.0])
    refuses("a normal of shape", hyperplane_through, [0.1, 0.2], [1.0])
    with pytest.raises(ValueError, match="point is at radius 5000"):
        hyperplane_through([5000.0, 0.2], [1.0, 0.0], coordinates="polar")
