import numpy as np
import pytest
from scipy.special import binom, log_ndtr
from scipy.stats import chi, kstest

from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import (
    apply_isometry,
    check_points,
    convert,
    distance,
    from_polar,
    lorentz_boost,
    to_polar,
)


def radial_cdf(r, n_dim, sigma):
    """Closed form: sinh^(n-1) is a signed sum of exponentials, each making a shifted normal."""
    r = np.asarray(r, dtype=np.float64)

    def mass(upper):
        total = np.zeros_like(upper)
        for j in range(n_dim):
            a = n_dim - 1 - 2 * j
            shift = a * sigma
            weight = (-1) ** j * binom(n_dim - 1, j) * np.exp(shift**2 / 2)
            total += weight * np.exp(log_ndtr(upper / sigma - shift))
            total -= weight * np.exp(log_ndtr(-shift))
        return total

    return mass(r) / mass(np.array([np.inf]))


def draw(size, **settings):
    return make_hyperbolic_gaussians(size, **settings)[0]


def radii(n_dim, sigma, size, seed):
    """Distances from the centre."""
    at = {"centers": np.zeros((1, n_dim)), "variance": sigma**2, "coordinates": "tangent"}
    return np.linalg.norm(draw(size, **at, random_state=seed), axis=1)


@pytest.mark.parametrize(("n_dim", "sigma"), [(2, 0.7), (2, 1.0), (2, 2.5), (3, 1.0), (5, 1.2)])
def test_distance_from_the_centre_follows_the_closed_form(n_dim, sigma):
    draws = radii(n_dim, sigma, 50_000, 0)
    assert kstest(draws, lambda r: radial_cdf(r, n_dim, sigma)).pvalue > 0.01


def test_the_kolmogorov_smirnov_test_can_tell_the_wrapped_law_apart():
    wrapped = chi.rvs(2, size=50_000, random_state=np.random.default_rng(0))
    assert kstest(wrapped, lambda r: radial_cdf(r, 2, 1.0)).pvalue < 1e-10


@pytest.mark.parametrize("sigma", [1e-12, 1e-3])
@pytest.mark.parametrize("n_dim", [2, 10])
def test_a_narrow_law_is_euclidean(n_dim, sigma):
    draws = radii(n_dim, sigma, 20_000, 1)
    assert kstest(draws / sigma, chi(n_dim).cdf).pvalue > 0.01


@pytest.mark.parametrize(("n_dim", "sigma"), [(2, 30.0), (100, 1.0), (1000, 3.0)])
def test_a_wide_law_is_a_shifted_normal(n_dim, sigma):
    # Far out sinh r is e^r / 2, and e^((n-1) r) moves the normal by (n - 1) σ².
    draws = radii(n_dim, sigma, 5_000, 2)
    assert kstest((draws - (n_dim - 1) * sigma**2) / sigma, "norm").pvalue > 0.01


def test_one_dimension_is_the_real_line():
    X = draw(20_000, centers=[[0.0]], variance=4.0, coordinates="tangent", random_state=0)
    assert kstest(X[:, 0] / 2.0, "norm").pvalue > 0.01


@pytest.mark.parametrize("law", ["riemannian", "wrapped"])
def test_directions_around_the_centre_are_uniform_and_independent_of_the_distance(law):
    X = draw(20_000, centers=[[0.0, 0.0]], law=law, coordinates="polar", random_state=3)
    angle = np.mod(X[:, 1], 2 * np.pi)
    assert kstest(angle / (2 * np.pi), "uniform").pvalue > 0.01
    near = X[:, 0] < np.median(X[:, 0])
    assert kstest(angle[near] / (2 * np.pi), "uniform").pvalue > 0.01


@pytest.mark.parametrize("law", ["riemannian", "wrapped"])
def test_moving_the_centre_is_moving_the_points_by_the_boost(law):
    mean = from_polar(np.array([1.7]), np.array([[0.6, -0.8]]), "hyperboloid")
    settings_ = {"law": law, "coordinates": "hyperboloid", "random_state": 4, "shuffle": False}
    here = draw(200, centers=[[1.0, 0.0, 0.0]], **settings_)
    there = draw(200, centers=mean, **settings_)
    # The origin's direction is the first axis, so that the headings of both draws agree.
    moved = apply_isometry(lorentz_boost(mean[0]), here, "hyperboloid")
    np.testing.assert_allclose(there, moved, rtol=1e-9, atol=1e-9)


def test_first_moment_after_a_boost_is_the_closed_form():
    from scipy.special import erf

    sigma, n = 0.8, 100_000
    mean = from_polar(np.array([1.2]), np.array([[0.0, 1.0]]), "hyperboloid")
    X = draw(n, centers=mean, variance=sigma**2, coordinates="hyperboloid", random_state=5)

    def integral(a):  # of sinh(a r) exp(-r² / 2σ²), up to a constant
        return np.exp(a**2 * sigma**2 / 2) * erf(a * sigma / np.sqrt(2))

    expected = integral(2) / (2 * integral(1)) * mean[0]  # E[cosh r] times the mean
    error = X.std(axis=0) / np.sqrt(n)
    assert (np.abs(X.mean(axis=0) - expected) < 4.5 * error).all()


def test_wrapped_law_has_chi_distributed_distances_to_its_centre():
    center = np.array([[0.5, 0.2, -0.1]])
    X = draw(20_000, centers=center, variance=0.49, law="wrapped", random_state=6)
    d = distance(X, np.repeat(center, len(X), axis=0), coordinates="ball")
    assert kstest(d / 0.7, chi(3).cdf).pvalue > 0.01


def test_variance_is_that_of_the_space_with_the_given_curvature():
    center = np.array([[0.1, 0.3]])
    X = draw(20_000, centers=center, variance=0.25, curvature=-4.0, random_state=7)
    d = distance(X, np.repeat(center, len(X), axis=0), coordinates="ball", curvature=-4.0)
    # At curvature -4 lengths are halved: σ = 0.5 is σ = 1 at curvature -1.
    assert kstest(2 * d, lambda r: radial_cdf(r, 2, 1.0)).pvalue > 0.01


@pytest.mark.parametrize("coordinates", ["ball", "klein", "halfspace", "polar", "tangent"])
def test_every_chart_holds_the_same_points(coordinates):
    X, y = make_hyperbolic_gaussians(50, n_dim=3, coordinates="hyperboloid", random_state=8)
    Z, z = make_hyperbolic_gaussians(50, n_dim=3, coordinates=coordinates, random_state=8)
    np.testing.assert_array_equal(y, z)
    np.testing.assert_allclose(convert(Z, coordinates, "hyperboloid"), X, rtol=1e-7, atol=1e-7)


def test_defaults_are_the_papers_four_classes_of_a_hundred():
    X, y, centers = make_hyperbolic_gaussians(random_state=0, return_centers=True)
    assert X.shape == (400, 2)
    assert np.bincount(y).tolist() == [100, 100, 100, 100]
    assert centers.shape == (4, 2)


def test_centres_follow_the_zero_mean_law():
    _, _, centers = make_hyperbolic_gaussians(
        5000, n_classes=5000, center_variance=1.5, return_centers=True, random_state=9
    )
    radius, _ = to_polar(centers, "ball")
    assert kstest(radius, lambda r: radial_cdf(r, 2, np.sqrt(1.5))).pvalue > 0.01


def test_class_sizes_and_variances_may_differ():
    X, y = make_hyperbolic_gaussians(
        [500, 20], centers=[[0.0, 0.0], [0.0, 0.0]], variance=[0.01, 4.0], random_state=0
    )
    assert np.bincount(y).tolist() == [500, 20]
    radius, _ = to_polar(X, "ball")
    assert np.median(radius[y == 0]) < 0.2 < np.median(radius[y == 1])


@pytest.mark.parametrize("make", [int, np.random.RandomState, np.random.default_rng])
def test_the_same_seed_of_every_kind_gives_the_same_points(make):
    np.testing.assert_array_equal(draw(30, random_state=make(12)), draw(30, random_state=make(12)))
    assert (draw(30) != draw(30)).any()


def test_points_beyond_every_double_of_the_ball_are_an_error_and_fine_in_polar_coordinates():
    far = {"n_dim": 800, "variance": 1.0, "center_variance": 1.5, "random_state": 0}
    with pytest.raises(ValueError, match=r"ball.*: polar, tangent"):
        make_hyperbolic_gaussians(10, **far)
    X = draw(10, coordinates="polar", **far)
    assert np.isfinite(X).all()
    assert (X[:, 0] > 710).all()


@pytest.mark.parametrize("law", ["riemannian", "wrapped"])
@pytest.mark.parametrize("curvature", [-1.0, -25.0, -0.04])
@pytest.mark.parametrize("n_dim", [1, 2, 10, 11, 15, 50, 300, 1000])
def test_points_of_every_dimension_can_be_written_in_the_ball_by_default(n_dim, curvature, law):
    X = draw(300, n_dim=n_dim, law=law, curvature=curvature, random_state=0)
    assert X.shape == (300, n_dim)
    check_points(X, "ball", curvature=curvature)


@pytest.mark.parametrize("n_dim", [2, 10])
def test_the_default_variances_of_low_dimension_are_those_of_the_paper(n_dim):
    X = draw(400, n_dim=n_dim, random_state=0)
    same = draw(400, n_dim=n_dim, variance=1.0, center_variance=1.5, random_state=0)
    np.testing.assert_array_equal(X, same)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"law": "normal"}, "'law' parameter"),
        ({"variance": 0.0}, "'variance' parameter"),
        ({"variance": [1.0, 0.0]}, "variance must be positive"),
        ({"variance": [1.0, 2.0]}, "2 entries for 4 classes"),
        ({"center_variance": -1.0}, "center_variance"),
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 3.5}, "n_samples"),
        ({"n_samples": [3, 0]}, "positive integers"),
        ({"n_dim": 0}, "n_dim"),
        ({"n_classes": 2.5}, "n_classes"),
        ({"curvature": 1.0}, "curvature must be a negative"),
        ({"centers": [[2.0, 0.0]]}, "row 0"),
        ({"centers": [[0.0, 0.0]], "n_samples": [3, 3]}, "2 entries and centers 1"),
        ({"random_state": "seed"}, "random_state"),
    ],
)
def test_bad_parameters_get_a_clear_error(bad, message):
    with pytest.raises(ValueError, match=message):
        make_hyperbolic_gaussians(**bad)
