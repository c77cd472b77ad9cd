"""Exponents of degree distributions."""

import numpy as np
import pytest
from scipy.special import zeta
from scipy.stats import zipf

from hyplane.embeddings import fit_power_law


@pytest.mark.parametrize("exponent", [2.1, 2.5, 3.2])
def test_the_exponent_of_a_true_power_law_is_found(exponent):
    degrees = zipf.rvs(exponent, size=20_000, random_state=0)
    law = fit_power_law(degrees, x_min=1)
    assert law.exponent == pytest.approx(exponent, abs=0.03)
    assert law.n_tail == 20_000


def test_the_likelihood_is_highest_at_the_fit():
    degrees = zipf.rvs(2.4, size=300, random_state=1)
    law = fit_power_law(degrees, x_min=2)
    tail = degrees[degrees >= 2]

    def log_likelihood(gamma):
        return -tail.size * np.log(zeta(gamma, 2)) - gamma * np.log(tail).sum()

    grid = np.linspace(1.5, 5.0, 3501)
    assert law.exponent == pytest.approx(grid[np.argmax(log_likelihood(grid))], abs=1e-3)
    assert law.n_tail == tail.size


def test_x_min_is_found_where_the_law_begins():
    rng = np.random.default_rng(2)
    tail = zipf.rvs(2.5, size=200_000, random_state=2)
    tail = tail[tail >= 8]
    body = rng.integers(1, 8, size=2 * tail.size)
    law = fit_power_law(np.concatenate([body, tail]))
    assert 7 <= law.x_min <= 12
    assert law.exponent == pytest.approx(2.5, abs=0.1)


def test_ks_distance_is_the_largest_gap_at_any_whole_number():
    degrees = np.array([2, 2, 2, 3, 3, 7, 12, 40])
    law = fit_power_law(degrees, x_min=2)
    k = np.arange(2, 200)
    observed = (degrees[:, np.newaxis] > k).mean(axis=0)
    fitted = zeta(law.exponent, k + 1.0) / zeta(law.exponent, 2)
    assert law.ks_distance == pytest.approx(np.abs(observed - fitted).max(), abs=1e-12)


@pytest.mark.parametrize("x_min", [None, 4, 100])
def test_equal_degrees_have_no_power_law(x_min):
    with pytest.raises(ValueError, match="Give the exponent"):
        fit_power_law([4, 4, 4, 4], x_min=x_min)


@pytest.mark.parametrize("degrees", [[], [0, 1, 2], [1.5, 2.0], [[1, 2]]])
def test_bad_degrees_are_refused(degrees):
    with pytest.raises(ValueError, match="whole numbers"):
        fit_power_law(degrees)
