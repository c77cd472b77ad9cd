"""Kernels on hyperbolic space: positive definite, invariant, accurate, taken by scikit-learn."""

import numpy as np
import pytest
from helpers import tangent_points
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import WhiteKernel
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR

from hyplane.features import (
    HyperbolicKernel,
    gamma_grid,
    laplacian_kernel,
    scale_gamma,
    scale_radius,
    secant_kernel,
)
from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    convert,
    minkowski_product,
    pairwise_distances,
    random_isometry,
)
from hyplane.geometry.distances import log_cosh_distances


def tangent_rbf(X, Y=None, *, gamma="scale", **chart):
    if gamma == "scale":
        gamma = scale_gamma(X if Y is None else Y, "tangent_rbf", **chart)
    return HyperbolicKernel("tangent_rbf", gamma, **chart)(X, Y)


KERNELS = {"secant": secant_kernel, "laplacian": laplacian_kernel, "tangent_rbf": tangent_rbf}
INVARIANT = ("secant", "laplacian")


def test_kernels_are_what_their_formulas_say():
    V = tangent_points()
    d = pairwise_distances(V, coordinates="tangent")
    x = convert(V, "tangent", "hyperboloid")
    products = minkowski_product(x[:, None], x[None])
    chart = {"gamma": 0.7, "coordinates": "tangent"}
    np.testing.assert_allclose(secant_kernel(V, **chart), products**-0.7, rtol=1e-10)
    np.testing.assert_allclose(laplacian_kernel(V, **chart), np.exp(-0.7 * d), rtol=1e-12)
    np.testing.assert_allclose(tangent_rbf(V, **chart), rbf_kernel(V, gamma=0.7), rtol=1e-9)
    ball = rbf_kernel(convert(V, "tangent", "ball"), gamma=0.7)
    np.testing.assert_allclose(HyperbolicKernel("ball_rbf", **chart)(V), ball, rtol=1e-9)


@pytest.mark.parametrize("name", KERNELS)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 8),
    radius=st.sampled_from([1e-6, 0.1, 1.0, 5.0, 30.0, 1000.0]),
    gamma=st.sampled_from([0.05, 0.5, 3.0, "scale"]),
)
@settings(max_examples=40, deadline=None)
def test_kernels_are_positive_definite_and_symmetric_with_unit_diagonal(
    name, seed, n, radius, gamma
):
    V = tangent_points(seed, m=30, n=n, radius=radius)
    K = KERNELS[name](V, gamma=gamma, coordinates="tangent")
    assert (np.diag(K) == 1.0).all()
    assert (K == K.T).all()
    assert np.isfinite(K).all()
    assert np.linalg.eigvalsh(K).min() > -1e-13 * len(K)
    np.testing.assert_array_equal(KERNELS[name](V, V, gamma=gamma, coordinates="tangent"), K)


def test_the_geodesic_gaussian_has_a_negative_eigenvalue():
    # The vertices of a regular polygon and its centre: a star, as in a tree.
    angle = 2 * np.pi * np.arange(6) / 6
    V = np.vstack([np.zeros(2), 3.0 * np.column_stack([np.cos(angle), np.sin(angle)])])
    d = pairwise_distances(V, coordinates="tangent")
    assert np.linalg.eigvalsh(np.exp(-0.02 * d**2)).min() < -0.01
    assert np.linalg.eigvalsh(np.exp(-0.02 * d)).min() > 0
    assert np.linalg.eigvalsh(np.cosh(d) ** -0.02).min() > 0


@pytest.mark.parametrize("name", ["rbf", "gaussian", "geodesic_gaussian"])
def test_the_geodesic_gaussian_is_refused_with_the_reason(name):
    with pytest.raises(ValueError, match=r"not positive definite.*Use 'secant'"):
        HyperbolicKernel(name)([[0.1, 0.2]])


def test_unknown_kernels_and_gammas_are_refused():
    with pytest.raises(ValueError, match="kernel must be one of"):
        HyperbolicKernel("cubic")([[0.1, 0.2]])
    for gamma in (0.0, -1.0, np.nan, np.inf, "auto", "1", None, 10**400):
        with pytest.raises(ValueError, match="gamma must be a positive finite number"):
            secant_kernel([[0.1, 0.2]], gamma=gamma)
    with pytest.raises(ValueError, match="same number of columns"):
        secant_kernel([[0.1, 0.2]], [[0.1, 0.2, 0.3]], gamma=1.0)


@pytest.mark.parametrize("name", [*KERNELS, "ball_rbf"])
@pytest.mark.parametrize("coordinates", CHARTS)
def test_any_chart_and_curvature_give_the_same_kernel_and_scale(name, coordinates):
    V = tangent_points(n=3)
    expected = HyperbolicKernel(name, gamma=0.7, coordinates="tangent")(V, V[:5])
    scale = scale_gamma(V, name, coordinates="tangent")
    for curvature in (-1.0, -0.3, -4.0):
        X = convert(V / np.sqrt(-curvature), "tangent", coordinates, curvature=curvature)
        space = {"coordinates": coordinates, "curvature": curvature}
        kernel = HyperbolicKernel(name, gamma=0.7, **space)
        np.testing.assert_allclose(kernel(X, X[:5]), expected, rtol=1e-9)
        assert (np.diag(kernel(X)) == 1.0).all()
        assert scale_gamma(X, name, **space) == pytest.approx(scale, rel=1e-9)


@pytest.mark.parametrize("name", INVARIANT)
@pytest.mark.parametrize("gamma", [0.7, "scale"])
def test_secant_and_laplacian_are_invariant_under_isometries(name, gamma):
    V = tangent_points(n=3)
    for seed in range(5):
        moved = apply_isometry(random_isometry(3, max_radius=3.0, random_state=seed), V, "tangent")
        K = KERNELS[name](V, gamma=gamma, coordinates="tangent")
        # The centre behind "scale" is found to four digits.
        rtol = 1e-7 if gamma == 0.7 else 1e-2
        np.testing.assert_allclose(
            KERNELS[name](moved, gamma=gamma, coordinates="tangent"), K, rtol=rtol
        )


def test_far_points_and_near_neighbours_keep_their_digits():
    far = np.array([[1000.0, 0.0], [1001.0, 0.0], [2000.0, np.pi]])
    K = secant_kernel(far, gamma=0.01, coordinates="polar")
    np.testing.assert_allclose(K[0, 1], np.cosh(1.0) ** -0.01, rtol=1e-12)
    np.testing.assert_allclose(K[0, 2], np.exp(-0.01 * (3000.0 - np.log(2.0))), rtol=1e-10)
    near = np.array([[0.0, 0.0], [1e-9, 0.0]])
    K = secant_kernel(near, gamma=1e18, coordinates="tangent")
    np.testing.assert_allclose(K[0, 1], np.exp(-0.5), rtol=1e-12)


@pytest.mark.parametrize("coordinates", CHARTS)
@pytest.mark.parametrize("radius", [1e-6, 1.0, 16.0])
def test_the_secant_kernel_is_as_accurate_as_the_distance(coordinates, radius):
    X = convert(tangent_points(m=50, n=3, radius=radius) / 2.0, "tangent", coordinates)
    d = pairwise_distances(X, coordinates=coordinates)
    gamma = 1.0 / radius**2
    expected = np.exp(-gamma * np.log1p(2 * np.sinh(d / 2) ** 2))
    K = secant_kernel(X, gamma=gamma, coordinates=coordinates)
    np.testing.assert_allclose(K, expected, rtol=1e-13)


def test_scale_of_a_small_cloud_is_that_of_scikit_learns_rbf():
    V = 1e-5 * np.random.default_rng(0).normal(size=(50, 3))
    V -= V.mean(axis=0)
    expected = rbf_kernel(V, gamma=1.0 / (3 * V.var()))
    for name in ("secant", "tangent_rbf"):
        K = KERNELS[name](V, coordinates="tangent")
        np.testing.assert_allclose(K, expected, rtol=1e-4)


@pytest.mark.parametrize("radius", [1e-3, 1.0, 10.0, 300.0])
def test_scale_makes_the_mean_exponent_between_points_and_centre_one(radius):
    # Opposite points: the centre is the origin.
    V = tangent_points(radius=radius)
    V = np.vstack([V, -V])
    r = np.linalg.norm(V, axis=1)
    log_cosh = np.logaddexp(r, -r) - np.log(2.0)
    gamma = {name: scale_gamma(V, name, coordinates="tangent") for name in KERNELS}
    np.testing.assert_allclose(gamma["secant"] * log_cosh.mean(), 1.0, rtol=1e-3)
    np.testing.assert_allclose(gamma["laplacian"] * r.mean(), 1.0, rtol=1e-3)
    np.testing.assert_allclose(gamma["tangent_rbf"] * (r**2).mean(), 1.0, rtol=1e-9)
    in_ball = scale_gamma(V, "ball_rbf", coordinates="tangent") * np.tanh(0.5 * r) ** 2
    np.testing.assert_allclose(in_ball.mean(), 1.0, rtol=1e-9)


def ring(m=1000, radius=1.5):
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(radius, 0.05, m), rng.uniform(0.0, 2.0 * np.pi, m)])


def test_the_grid_of_gamma_reaches_from_all_points_to_the_nearest():
    X = ring()
    assert gamma_grid(X, coordinates="polar")[-1] > 100 * scale_gamma(X, coordinates="polar")
    for points, chart in ((X, "polar"), (tangent_points(m=300, n=20, radius=2.0), "tangent")):
        grid = gamma_grid(points, coordinates=chart)
        d = np.sort(log_cosh_distances(points, coordinates=chart), axis=1)
        assert grid[0] == pytest.approx(0.3 * scale_gamma(points, coordinates=chart))
        assert grid[-1] >= 0.999 / np.median(d[:, 5])
        np.testing.assert_allclose(grid[1:] / grid[:-1], grid[1] / grid[0])
    scaled = gamma_grid(X, radius_scale=0.5, coordinates="polar")
    np.testing.assert_allclose(scaled, gamma_grid(X * [0.5, 1.0], coordinates="polar"), rtol=1e-6)


def test_one_point_far_out_does_not_carry_the_centre_of_scale_away():
    V = tangent_points(m=200, radius=5.0)
    before = 1 / scale_gamma(V, coordinates="tangent")
    V[0] = [100.0, 0.0]
    # It counts with its own distance; seen from half way to it, all others would be 50 away.
    assert 1 / scale_gamma(V, coordinates="tangent") < before + 101 / 200


def test_scale_counts_a_row_as_often_as_its_weight():
    V = tangent_points(m=20)
    weights = np.arange(20) % 4
    weighted = scale_gamma(V, sample_weight=weights, coordinates="tangent")
    repeated = scale_gamma(np.repeat(V, weights, axis=0), coordinates="tangent")
    np.testing.assert_allclose(weighted, repeated, rtol=1e-6)


def test_the_radius_scale_hardly_depends_on_repeated_or_many_points():
    V = tangent_points(m=80, n=30)
    scale = scale_radius(V, coordinates="tangent")
    repeated = np.repeat(V, np.arange(80) % 4 + 1, axis=0)[::-1]
    assert scale_radius(repeated, coordinates="tangent") == scale
    many = tangent_points(m=3000, n=30)
    assert scale_radius(many, coordinates="tangent") == pytest.approx(scale, rel=0.3)


@pytest.mark.parametrize("name", KERNELS)
def test_radii_are_multiplied_by_the_scale(name):
    V = tangent_points(n=3)
    options = {"coordinates": "tangent", "radius_scale": 0.3}
    kernel = HyperbolicKernel(name, 0.7, **options)
    expected = HyperbolicKernel(name, 0.7, coordinates="tangent")(0.3 * V)
    np.testing.assert_allclose(kernel(V), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel(V[:5], V), expected[:5], rtol=1e-12)
    assert (np.diag(kernel(V)) == 1.0).all()
    gamma = scale_gamma(V, name, **options)
    assert gamma == pytest.approx(scale_gamma(0.3 * V, name, coordinates="tangent"), rel=1e-9)
    if name in INVARIANT:
        np.testing.assert_array_equal(
            KERNELS[name](V[:5], V, **options), HyperbolicKernel(name, gamma, **options)(V[:5], V)
        )


def test_a_small_radius_scale_makes_the_secant_kernel_the_tangent_rbf():
    V = tangent_points(n=3, radius=8.0)
    K = secant_kernel(V, radius_scale=1e-4, coordinates="tangent")
    gamma = scale_gamma(V, "tangent_rbf", coordinates="tangent")
    np.testing.assert_allclose(K, tangent_rbf(V, gamma=gamma, coordinates="tangent"), rtol=1e-4)


def test_the_automatic_radius_scale_is_one_unless_distances_are_sums_of_radii():
    for n, radius in ((2, 8.0), (5, 2.0), (60, 0.9)):
        assert scale_radius(tangent_points(m=300, n=n, radius=radius), coordinates="tangent") == 1.0
    for n, radius in ((20, 8.0), (60, 4.0)):
        V = tangent_points(m=300, n=n, radius=radius)
        median = np.median(np.linalg.norm(V, axis=1))
        assert scale_radius(V, coordinates="tangent") == pytest.approx(1.0 / median)
        K = laplacian_kernel(V, radius_scale="auto", coordinates="tangent")
        expected = laplacian_kernel(V, radius_scale=1.0 / median, coordinates="tangent")
        np.testing.assert_allclose(K, expected, rtol=1e-9)


def test_bad_radius_scales_are_refused():
    for scale in (0.0, -1.0, np.nan, np.inf, "scale", None):
        with pytest.raises(ValueError, match="radius_scale must be a positive finite number"):
            secant_kernel([[0.1, 0.2]], gamma=1.0, radius_scale=scale)


def test_scale_of_a_single_place_is_one():
    assert scale_gamma([[0.3, 0.4]] * 3) == 1.0


def test_scale_comes_from_the_training_points():
    train, test = tangent_points(0), tangent_points(1, m=3, radius=1.0)
    gamma = scale_gamma(train, coordinates="tangent")
    np.testing.assert_array_equal(
        secant_kernel(test, train, coordinates="tangent"),
        secant_kernel(test, train, gamma=gamma, coordinates="tangent"),
    )


def labelled():
    V = tangent_points(m=60)
    X = convert(V, "tangent", "ball")
    return X, np.linalg.norm(V, axis=1)


@pytest.mark.parametrize("name", KERNELS)
def test_scikit_learns_kernel_methods_take_the_kernel_object(name):
    X, y = labelled()
    kernel = HyperbolicKernel(name, gamma=0.5)
    K = KERNELS[name](X, gamma=0.5)
    np.testing.assert_array_equal(kernel(X), K)
    np.testing.assert_array_equal(kernel.diag(X), np.diag(K))
    for estimator in (SVR(), KernelRidge(alpha=0.1), SVC()):
        target = y > 2.0 if isinstance(estimator, SVC) else y
        direct = clone(estimator).set_params(kernel=kernel).fit(X, target)
        precomputed = clone(estimator).set_params(kernel="precomputed").fit(K, target)
        np.testing.assert_allclose(direct.predict(X), precomputed.predict(K), atol=1e-9)
    nystroem = Nystroem(kernel, n_components=len(X), random_state=0).fit_transform(X)
    np.testing.assert_allclose(nystroem @ nystroem.T, K, atol=1e-6)
    direct = KernelPCA(2, kernel=kernel).fit(X).eigenvalues_
    np.testing.assert_allclose(direct, KernelPCA(2, kernel="precomputed").fit(K).eigenvalues_)


def test_plain_functions_work_as_kernels_too():
    X, y = labelled()
    assert SVC(kernel=secant_kernel).fit(X, y > 2.0).score(X, y > 2.0) > 0.9
    X, y = X[:20], y[:20]
    one_by_one = KernelRidge(alpha=0.1, kernel=secant_kernel, kernel_params={"gamma": 0.5})
    at_once = KernelRidge(alpha=0.1, kernel=HyperbolicKernel(gamma=0.5))
    np.testing.assert_allclose(one_by_one.fit(X, y).predict(X), at_once.fit(X, y).predict(X))
    with pytest.raises(ValueError, match="HyperbolicKernel works on whole arrays"):
        KernelRidge(kernel=secant_kernel).fit(X, y)


@pytest.mark.parametrize("name", KERNELS)
def test_the_derivative_by_log_gamma_is_right(name):
    X, _ = labelled()
    h = 1e-5
    up, down = (HyperbolicKernel(name, gamma=0.5 * np.exp(s))(X) for s in (h, -h))
    K, gradient = HyperbolicKernel(name, gamma=0.5)(X, eval_gradient=True)
    np.testing.assert_allclose(gradient[:, :, 0], (up - down) / (2 * h), atol=1e-9)
    _, none = HyperbolicKernel(name, gamma_bounds="fixed")(X, eval_gradient=True)
    assert none.shape == (*K.shape, 0)


def test_gaussian_processes_learn_gamma():
    X, y = labelled()
    kernel = HyperbolicKernel(gamma=20.0) + WhiteKernel(1e-3)
    gp = GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)
    assert gp.kernel_.k1.gamma < 10.0
    assert gp.score(X, y) > 0.99
    fixed = GaussianProcessRegressor(kernel, normalize_y=True, optimizer=None).fit(X, y)
    assert gp.log_marginal_likelihood_value_ > fixed.log_marginal_likelihood_value_ + 10
    assert "secant" in repr(gp.kernel_)
    classifier = GaussianProcessClassifier(HyperbolicKernel("laplacian")).fit(X, y > 2.0)
    assert classifier.score(X, y > 2.0) > 0.95
