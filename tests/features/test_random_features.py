"""Random horocycle waves converge to the kernels they are said to converge to."""

import pickle
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from helpers import tangent_points
from scipy.integrate import quad
from scipy.special import erf, loggamma
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import HyperbolicRandomFeatures, scale_gamma, secant_kernel
from hyplane.geometry import apply_isometry, pairwise_distances, random_isometry


@parametrize_with_checks([HyperbolicRandomFeatures(coordinates="tangent", n_components=10)])
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


def features(V, n_components, seed=0, **parameters):
    transformer = HyperbolicRandomFeatures(
        n_components=n_components, coordinates="tangent", random_state=seed, **parameters
    )
    return transformer.fit_transform(V)


def mean_square_error(V, expected, n_components, repetitions=6, **parameters):
    errors = []
    for seed in range(repetitions):
        Z = features(V, n_components, seed, **parameters)
        errors.append(np.mean((Z @ Z.T - expected) ** 2))
    return np.mean(errors)


@pytest.mark.parametrize(("n", "radius"), [(1, 3.0), (2, 1.0), (2, 6.0), (3, 4.0), (6, 2.0)])
def test_error_against_the_secant_kernel_falls_as_one_over_root_d(n, radius):
    V = tangent_points(m=30, n=n, radius=radius)
    gamma = (n - 1) / 2 + 1.0
    K = secant_kernel(V, gamma=gamma, coordinates="tangent")
    sizes = np.array([100, 1000, 10_000])
    errors = np.sqrt([mean_square_error(V, K, size, gamma=gamma) for size in sizes])
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.6 < slope < -0.4
    assert errors[-1] < 2.0 / np.sqrt(sizes[-1])


def test_heat_and_normal_spectra_have_their_closed_forms_in_three_dimensions():
    V, gamma = tangent_points(m=30, n=3, radius=3.0), 1.7
    d = pairwise_distances(V, coordinates="tangent") + 1e-9
    heat = d / np.sinh(d) * np.exp(-0.5 * gamma * d**2)
    normal = np.sqrt(np.pi / (2 * gamma)) * erf(d * np.sqrt(gamma / 2)) / np.sinh(d)
    assert mean_square_error(V, heat, 20_000, 2, kernel="heat", gamma=gamma) < 4 / 20_000
    assert mean_square_error(V, normal, 20_000, 2, kernel="normal", gamma=gamma) < 4 / 20_000
    # Were the two spectra confused, the error would not be noise.
    assert mean_square_error(V, heat, 20_000, 2, kernel="normal", gamma=gamma) > 40 / 20_000


def test_the_kernel_is_invariant_under_isometries_up_to_its_error():
    V = tangent_points(m=30, n=2, radius=3.0)
    for seed in range(3):
        moved = apply_isometry(random_isometry(2, max_radius=2.0, random_state=seed), V, "tangent")
        Z, W = features(V, 40_000, gamma=1.5), features(moved, 40_000, seed + 10, gamma=1.5)
        assert np.sqrt(np.mean((Z @ Z.T - W @ W.T) ** 2)) < 3 / np.sqrt(40_000)


def test_features_of_new_points_belong_to_the_same_kernel():
    train, new = tangent_points(m=30, n=2, radius=3.0), tangent_points(1, m=30, radius=4.0)
    transformer = HyperbolicRandomFeatures(
        gamma=1.5, n_components=40_000, coordinates="tangent", random_state=0
    ).fit(train)
    estimate = transformer.transform(new) @ transformer.transform(train).T
    K = secant_kernel(new, train, gamma=1.5, coordinates="tangent")
    assert np.sqrt(np.mean((estimate - K) ** 2)) < 3 / np.sqrt(40_000)


def test_anchors_keep_the_error_small_far_out():
    V = np.concatenate(
        [tangent_points(m=15, n=3, radius=1.0), tangent_points(m=15, n=3, radius=1.0)]
    )
    V[:, 0] += np.repeat([8.0, -8.0], 15)
    K = secant_kernel(V, gamma=2.0, coordinates="tangent")
    with_anchors = mean_square_error(V, K, 2000, gamma=2.0)
    assert with_anchors < 20 / 2000
    assert mean_square_error(V, K, 2000, gamma=2.0, n_anchors=0) > 10 * with_anchors


def test_frequencies_follow_their_density():
    for kernel, gamma, n in [("secant", 1.8, 2), ("secant", 0.01, 1), ("heat", 30.0, 10)]:
        rho = (n - 1) / 2
        transformer = HyperbolicRandomFeatures(
            kernel, gamma=gamma, n_components=80_000, coordinates="tangent", random_state=0
        )
        at = np.quantile(transformer.fit(np.ones((1, n))).frequencies_, [0.1, 0.5, 0.9])

        def log_density(x, kernel=kernel, gamma=gamma, rho=rho):
            """k̂(λ) |c(λ)|^-2, up to a constant."""
            transform = -(x**2) / (2 * gamma)
            if kernel == "secant":
                transform = 2 * loggamma((gamma - rho + 1j * x) / 2).real
            return transform + (rho > 0) * 2 * (loggamma(rho + 1j * x) - loggamma(1j * x)).real

        top = max(log_density(x) for x in np.geomspace(1e-6, 100, 2000))
        ends = np.concatenate([[0.0], at, [at[-1] * 20 + 20]])
        parts = [
            quad(lambda x, f=log_density, top=top: np.exp(f(x) - top), a, b, limit=200)[0]
            for a, b in pairwise(ends)
        ]
        np.testing.assert_allclose(parts / np.sum(parts), [0.1, 0.4, 0.4, 0.1], atol=0.01)


def test_too_slow_a_kernel_is_refused_and_scale_is_never_too_slow():
    V = tangent_points(m=30, n=4, radius=6.0)
    with pytest.raises(ValueError, match=r"gamma must be greater than \(n - 1\)/2 = 1.5"):
        features(V, 100, gamma=1.5)
    transformer = HyperbolicRandomFeatures(coordinates="tangent").fit(V)
    assert transformer.gamma_ == 1.5 + scale_gamma(V, coordinates="tangent")


def test_an_odd_number_of_features_is_unbiased_too():
    V = tangent_points(m=5, n=2, radius=1.0)
    K = secant_kernel(V, gamma=1.5, coordinates="tangent")
    for n_components in (1, 3):
        draws = [features(V, n_components, seed, gamma=1.5) for seed in range(100)]
        assert draws[0].shape == (5, n_components)
        mean = np.mean([Z @ Z.T for Z in draws], axis=0)
        np.testing.assert_allclose(mean, K, atol=4 / np.sqrt(100))


def test_very_far_points_have_finite_features():
    X = np.array([[0.0, 0.0], [20.0, 1.0], [1000.0, 1.0], [5000.0, 2.0]])
    Z = HyperbolicRandomFeatures(coordinates="polar", random_state=0).fit_transform(X)
    assert np.isfinite(Z).all()


def test_a_linear_model_on_the_features_stands_in_a_pipeline():
    X, y = make_hyperbolic_gaussians(400, n_classes=3, random_state=0)
    model = make_pipeline(
        HyperbolicRandomFeatures(n_components=400, random_state=0), LinearSVC(dual=False)
    )
    model.fit(X[::2], y[::2])
    exact = SVC(kernel=partial(secant_kernel, gamma=model[0].gamma_)).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > exact.score(X[1::2], y[1::2]) - 0.05
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    assert len(model[0].get_feature_names_out()) == 400
