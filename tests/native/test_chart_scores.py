"""Compiled scores agree with those in NumPy, at any radius and in any chart."""

from dataclasses import dataclass

import numpy as np
import pytest
from helpers import unit_rows
from numpy_statements import (
    arsinh_exp,
    log_cosh,
    log_sinh,
    random_planes,
    random_rows,
    signed_distance,
)

from hyplane.geometry import CHARTS, from_polar
from hyplane.native import charts


@dataclass
class Reference:
    """The same values in NumPy: with the signed distance d, ``w*x = s sinh d``."""

    log_scale: np.ndarray
    offset: np.ndarray
    normal: np.ndarray

    def signed_distance(self, radius, direction):
        constant = np.isinf(self.offset)
        offset = np.where(constant, 0.0, self.offset)
        distances = signed_distance(radius, direction, offset, self.normal)
        return np.where(constant, self.offset, distances)

    def arsinh_score(self, radius, direction):
        distances = self.signed_distance(radius, direction)
        with np.errstate(divide="ignore"):
            logarithm = self.log_scale + log_sinh(np.abs(distances))
        logarithm[:, np.isinf(self.offset)] = log_cosh(radius)[:, None]
        return np.sign(distances) * arsinh_exp(logarithm)


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_scores_agree_with_the_formulas_in_numpy(chart, n):
    n = max(n, 2) if chart == "polar" else n
    rng = np.random.default_rng(n)
    for k in (1.0, 0.3):
        X = random_rows(rng, 300, n, chart, k)
        planes = Reference(*random_planes(rng, 6, n))
        planes.offset[:2] = np.inf, -np.inf
        radius, direction, _ = charts.to_polar(X, chart, k)
        parameters = planes.log_scale, planes.offset, planes.normal
        expected = {
            "signed_distance": planes.signed_distance(radius, direction),
            "arsinh_product": planes.arsinh_score(radius, direction),
        }
        for kind, values in expected.items():
            actual, bad_row = charts.scores(X, chart, k, *parameters, kind)
            again = charts.scores_polar(radius, direction, *parameters, kind)
            assert bad_row == -1
            # A value near 0 is a difference of sizes near 1, and of radii up to 700.
            np.testing.assert_allclose(actual, values, rtol=2e-12, atol=1e-12)
            np.testing.assert_allclose(again, values, rtol=2e-12, atol=1e-12)
        clear = np.abs(expected["arsinh_product"]) > 1e-10
        near = (radius < 30.0)[:, None] & clear
        product, _ = charts.scores(X, chart, k, *parameters, "product")
        np.testing.assert_allclose(
            np.arcsinh(product)[near], expected["arsinh_product"][near], rtol=2e-11
        )


@pytest.mark.parametrize("chart", ["polar", "tangent"])
@pytest.mark.parametrize("radius", [100.0, 114.9, 115.1, 300.0, 800.0, 5000.0])
def test_scores_are_finite_at_any_radius(chart, radius):
    rng = np.random.default_rng(12)
    X = from_polar(np.full(50, radius), unit_rows(rng, 50, 3), chart)
    for offset in (0.5, -20.0, 200.0, -4000.0):
        log_scale, _, normal = random_planes(rng, 3, 3)
        planes = Reference(log_scale, np.full(3, offset), normal)
        polar = charts.to_polar(X, chart, 1.0)[:2]
        parameters = planes.log_scale, planes.offset, planes.normal
        arsinh, _ = charts.scores(X, chart, 1.0, *parameters, "arsinh_product")
        distance, _ = charts.scores(X, chart, 1.0, *parameters, "signed_distance")
        assert np.isfinite(arsinh).all()
        np.testing.assert_allclose(arsinh, planes.arsinh_score(*polar), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(distance, planes.signed_distance(*polar), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("offset", [0.5, -20.0, 200.0, -350.0])
def test_signs_have_a_limit_at_infinite_radius(offset):
    rng = np.random.default_rng(16)
    unit = unit_rows(rng, 50, 3)
    planes = np.zeros(3), np.full(3, offset), unit_rows(rng, 3, 3)
    planes[2][0] = np.sign(offset) * unit[0]  # the first point is straight beyond the hyperplane
    rows = [np.column_stack([np.full(50, r), unit]) for r in (400.0, 5000.0, 1e20, 1e100)]
    signs = [np.sign(charts.scores(X, "polar", 1.0, *planes, "arsinh_product")[0]) for X in rows]
    for later in signs[1:]:
        np.testing.assert_array_equal(later, signs[0])
    assert signs[0][0, 0] == -np.sign(offset)


@pytest.mark.parametrize("log_scale", [-2000.0, -300.0, 300.0, 2000.0, -np.inf])
def test_scales_of_any_size_are_taken(log_scale):
    rng = np.random.default_rng(13)
    X = random_rows(rng, 40, 2, "ball", 1.0, 20.0)
    planes = Reference(np.array([log_scale]), np.array([0.7]), unit_rows(rng, 1, 2))
    parameters = planes.log_scale, planes.offset, planes.normal
    actual, _ = charts.scores(X, "ball", 1.0, *parameters, "arsinh_product")
    expected = planes.arsinh_score(*charts.to_polar(X, "ball", 1.0)[:2])
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


@pytest.mark.parametrize("chart", CHARTS)
def test_decisions_are_those_of_the_scores(chart):
    rng = np.random.default_rng(14)
    for p in (1, 2, 7):
        log_scale, offset, normal = random_planes(rng, p, 3)
        X = random_rows(rng, 500, 3, chart, 1.0)
        for offsets in (offset, np.where(np.arange(p) == p - 1, -np.inf, offset)):
            scores, _ = charts.scores(X, chart, 1.0, log_scale, offsets, normal, "arsinh_product")
            decision, bad_row = charts.decide(X, chart, 1.0, log_scale, offsets, normal)
            expected = scores.argmax(axis=1) if p > 1 else scores[:, 0] > 0
            assert bad_row == -1
            assert decision.dtype == np.int64
            np.testing.assert_array_equal(decision, expected)


def test_no_hyperplanes_give_no_columns():
    none = np.empty(0), np.empty(0), np.empty((0, 2))
    assert charts.scores(np.zeros((3, 2)), "ball", 1.0, *none, "product")[0].shape == (3, 0)
    with pytest.raises(ValueError, match="no hyperplanes"):
        charts.decide(np.zeros((3, 2)), "ball", 1.0, *none)


def test_hyperplanes_that_do_not_fit_are_refused():
    X, one = np.zeros((3, 2)), np.zeros(1)
    for planes in (
        (one, np.zeros(2), np.eye(2)[:1]),
        (np.zeros(2), one, np.eye(2)[:1]),
        (one, one, np.ones((1, 3))),
        (one, one, np.ones((1, 0))),
        (np.array([np.nan]), one, np.eye(2)[:1]),
        (one, np.array([np.nan]), np.eye(2)[:1]),
        (one, one, np.array([[np.inf, 0.0]])),
    ):
        with pytest.raises(ValueError, match=r"hyperplane|normal"):
            charts.scores(X, "ball", 1.0, *planes, "product")
    with pytest.raises(ValueError, match="kind must be one of"):
        charts.scores(X, "ball", 1.0, one, one, np.eye(2)[:1], "cosine")
    with pytest.raises(ValueError, match="shape"):
        charts.scores_polar(one, X, one, one, np.eye(2)[:1], "product")
