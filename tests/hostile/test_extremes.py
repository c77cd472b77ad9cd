"""Numbers at the ends of the doubles: what cannot be right is not called converged."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hyplane import HyperbolicSVC

RNG = np.random.default_rng(0)
y = np.repeat([0, 1], 20)
X = RNG.normal(size=(40, 2)) * 0.1 + np.where(y, -0.5, 0.5)[:, None] * [1.0, 0.0]


def fitted(points, *, weight=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = HyperbolicSVC(random_state=0, **parameters)
        return clf.fit(points, y, None if weight is None else np.full(len(y), weight))


@pytest.mark.parametrize("weight", [1e-16, 1e-17, 1e-30, 1e-300])
def test_weights_too_small_for_any_hyperplane_to_matter_are_named(weight):
    clf = fitted(X, weight=weight)
    assert not clf.converged_.any()
    assert "too small" in clf.results_[0].reason
    # The limit of a scale of zero is the best there is, and was once missed by far.
    assert clf.objective_[0] <= weight * len(y) * np.arcsinh(1.0) * (1.0 + 1e-6)


def test_small_weights_are_a_small_c():
    light, small = fitted(X, weight=2.0**-40), fitted(X, C=2.0**-40)
    np.testing.assert_array_equal(light.coef_, small.coef_)


@pytest.mark.parametrize("C", [1e15, 1e100, 1e300])
def test_a_c_whose_rounding_hides_the_margin_is_named(C):
    clf = fitted(X, C=C)
    assert not clf.converged_.any()
    assert "hard margin" in clf.results_[0].reason
    assert clf.objective_[0] >= 0.0


@pytest.mark.parametrize(("C", "words"), [(1e308, "double"), (10**400, "The 'C' parameter")])
def test_a_c_beyond_the_doubles_is_refused(C, words):
    with pytest.raises(ValueError, match=words):
        fitted(X, C=C)


@pytest.mark.parametrize("radius", [1e-7, 1e-20, 1e-100, 1e-300])
def test_points_at_the_origin_are_named(radius):
    clf = fitted(X * radius)
    assert not clf.converged_.any()
    assert "too small" in clf.results_[0].reason


@pytest.mark.parametrize("radius", [1e15, 1e16, 1e100, 1e300])
def test_radii_without_digits_are_named(radius):
    angle = np.pi * y + RNG.normal(size=len(y)) * 0.4
    clf = fitted(np.column_stack([np.full(len(y), radius), angle]), coordinates="polar")
    assert not clf.converged_.any()


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e6])
def test_ordinary_fits_converge(C):
    assert fitted(X, C=C).converged_.all()
