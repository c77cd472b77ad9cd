"""Busemann functions as features."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane.features import HorofunctionFeatures
from hyplane.geometry import apply_isometry, busemann, distance, random_isometry


@parametrize_with_checks(
    [HorofunctionFeatures(law, coordinates="tangent") for law in ("geodesic", "harmonic")]
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 3)) * rng.uniform(0.1, 2.0, size=(60, 1))


@pytest.mark.parametrize("law", ["geodesic", "harmonic", "uniform"])
@pytest.mark.parametrize("curvature", [-1.0, -4.0])
def test_features_are_busemann_functions_of_unit_vectors(points, law, curvature):
    features = HorofunctionFeatures(
        law, n_components=7, coordinates="tangent", curvature=curvature, random_state=0
    )
    values = features.fit_transform(points)
    np.testing.assert_allclose(np.linalg.norm(features.ideal_points_, axis=1), 1.0)
    expected = busemann(points, features.ideal_points_, coordinates="tangent", curvature=curvature)
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    assert len(features.get_feature_names_out()) == 7


def test_an_isometry_adds_a_constant_to_each_geodesic_feature(points):
    isometry = random_isometry(3, max_radius=1.5, random_state=0)
    moved = apply_isometry(isometry, points, "tangent")
    values = [
        HorofunctionFeatures(coordinates="tangent", random_state=0).fit_transform(X)
        for X in (points, moved)
    ]
    shift = values[1] - values[0]
    np.testing.assert_allclose(shift - shift[0], 0.0, atol=1e-6)


def test_harmonic_ideal_points_are_uniform_seen_from_their_point():
    point = np.array([[1.5, 0.0]])
    ideal = (
        HorofunctionFeatures("harmonic", n_components=4000, coordinates="tangent", random_state=0)
        .fit(point)
        .ideal_points_
    )
    # Poisson's kernel is the density: half of the measure of a point at radius r lies within the
    # angle at which the geodesic perpendicular to the ray ends.
    within = np.abs(np.arctan2(ideal[:, 1], ideal[:, 0])) < np.arccos(np.tanh(1.5))
    assert abs(within.mean() - 0.5) < 0.03


def test_geodesics_end_where_distances_along_them_are_busemann_differences(points):
    for pair in np.split(points, 30):
        features = HorofunctionFeatures(n_components=4, coordinates="tangent", random_state=0)
        values = features.fit_transform(pair)
        along = distance(pair[:1], pair[1:], coordinates="tangent")
        np.testing.assert_allclose(np.abs(values[0] - values[1]), along.repeat(4), rtol=1e-9)


def test_geodesics_between_equal_points_end_in_their_direction():
    features = HorofunctionFeatures(coordinates="tangent", random_state=0).fit([[0.0, 2.0]] * 2)
    np.testing.assert_array_equal(features.ideal_points_, [[0.0, 1.0]] * 32)


def test_chosen_ideal_points_are_taken_and_wrong_ones_refused(points):
    features = HorofunctionFeatures(np.eye(3), coordinates="tangent").fit(points)
    np.testing.assert_array_equal(features.ideal_points_, np.eye(3))
    with pytest.raises(ValueError, match="dimension 3"):
        HorofunctionFeatures(np.eye(2), coordinates="tangent").fit(points)


def test_features_are_finite_at_any_radius():
    X = np.array([[5000.0, 0.0], [3000.0, 2.0], [1e-300, 1.0]])
    for law in ("geodesic", "harmonic", "uniform"):
        features = HorofunctionFeatures(law, coordinates="polar", random_state=0)
        assert np.isfinite(features.fit_transform(X)).all()
