"""The Fréchet mean is where the gradient vanishes, at any radius and in every chart."""

import numpy as np
import pytest
from helpers import tangent_points

from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    convert,
    distance,
    frechet_mean,
    logarithm_map,
    random_isometry,
)


@pytest.mark.parametrize("radius", [1e-3, 2.0, 20.0, 300.0])
def test_the_gradient_vanishes_there(radius):
    X = tangent_points(m=200, n=4, radius=radius)
    weights = np.random.default_rng(1).uniform(size=len(X))
    mean = frechet_mean(X, weights, coordinates="tangent")
    pulls = logarithm_map(X, mean, coordinates="tangent")
    assert np.abs(weights @ pulls / weights.sum()).max() < 1e-12 * radius


def test_one_far_point_moves_it_by_its_share_of_the_distance():
    X = np.vstack([tangent_points(m=499, n=4, radius=0.1), [[3000.0, 0.0, 0.0, 0.0]]])
    mean = frechet_mean(X, coordinates="tangent")
    assert mean[0] == pytest.approx(6.0, abs=0.1)
    assert np.abs(mean[1:]).max() < 0.1


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_and_curvature_make_no_difference(chart):
    X = tangent_points(m=200, n=4, radius=2.0)
    there = convert(X / 3.0, "tangent", chart, curvature=-9.0)
    found = frechet_mean(there, coordinates=chart, curvature=-9.0)
    wanted = frechet_mean(X, coordinates="tangent") / 3.0
    gap = distance(
        found[None],
        convert(wanted[None], "tangent", chart, curvature=-9.0),
        coordinates=chart,
        curvature=-9.0,
    )
    assert gap < 1e-12


def test_it_moves_with_the_points_and_counts_weights():
    X = tangent_points(m=200, n=4, radius=2.0)
    isometry = random_isometry(4, max_radius=2.0, random_state=0)
    moved = apply_isometry(isometry, X, "tangent")
    mean = apply_isometry(isometry, frechet_mean(X, coordinates="tangent")[None], "tangent")[0]
    np.testing.assert_allclose(frechet_mean(moved, coordinates="tangent"), mean, atol=1e-9)
    repeats = np.arange(len(X)) % 3
    np.testing.assert_allclose(
        frechet_mean(X, repeats, coordinates="tangent"),
        frechet_mean(np.repeat(X, repeats, axis=0), coordinates="tangent"),
        atol=1e-12,
    )
