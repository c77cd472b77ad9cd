"""Large-margin classifiers with curved boundaries."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import CurvedHyperbolicSVC, HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import CHARTS, busemann, convert, distance, surface_distance, surface_kind


@parametrize_with_checks(
    [CurvedHyperbolicSVC(coordinates="tangent", random_state=0)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "equal to the tolerance of the solver only"
    },
)
@pytest.mark.filterwarnings("ignore:the solver stopped before it converged")  # of 1000 iterations
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(240, n_classes=3, random_state=0)


def test_hyperplanes_are_those_of_the_hyperbolic_svc(data):
    X, y = data
    plane = HyperbolicSVC(random_state=0, tol=1e-8).fit(X, y)
    curved = CurvedHyperbolicSVC(surface="hyperplane", random_state=0).fit(X, y)
    assert_allclose(curved.objective_, plane.objective_)
    assert_array_equal(curved.level_, 0.0)
    assert_allclose(np.sinh(curved.decision_function(X)), plane.decision_function(X), rtol=1e-4)


@pytest.mark.parametrize("surface", ["horosphere", "sphere"])
def test_each_kind_of_surface_is_found_where_it_is_the_truth(surface):
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.95, 0.95, size=(800, 2))
    X = X[np.linalg.norm(X, axis=1) < 0.95]
    inside, outside = distance(X, [0.4, 0.2]) > 1.0, busemann(X, [0.6, 0.8]) > -0.3
    truth = inside if surface == "sphere" else outside
    clf = CurvedHyperbolicSVC(100.0, surface=surface).fit(X, truth)
    plane = HyperbolicSVC(100.0).fit(X, truth)
    assert clf.score(X, truth) > 0.98 > plane.score(X, truth)
    w, c = clf.coef_[0], clf.level_[0]
    if surface == "sphere":
        assert surface_kind(w) == "sphere"
    assert_array_equal(surface_distance(X, w, c) > 0, clf.predict(X))
    free = CurvedHyperbolicSVC(100.0).fit(X, truth)
    assert free.objective_[0] <= clf.objective_[0] * (1 + 1e-4)


@pytest.mark.parametrize("chart", CHARTS)
def test_the_same_points_in_any_chart_give_the_same_classifier(data, chart):
    B, y = data
    expected = CurvedHyperbolicSVC(random_state=0).fit(B, y).decision_function(B)
    X = convert(B / 2.0, "ball", chart, curvature=-4.0)
    clf = CurvedHyperbolicSVC(coordinates=chart, curvature=-4.0, random_state=0).fit(X, y)
    assert np.corrcoef(clf.decision_function(X).ravel(), expected.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_it_separates_classes_labels_and_constant_labels(data, multi_class):
    X, y = data
    clf = CurvedHyperbolicSVC(multi_class=multi_class, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.7
    Y = np.column_stack([y == 0, y != 2, np.ones(len(y)), np.zeros(len(y))]).astype(int)
    clf.fit(X, Y)
    assert_array_equal(clf.predict(X)[:, 2:], [[1, 0]] * len(X))
    copy = pickle.loads(pickle.dumps(clf))
    assert_array_equal(copy.decision_function(X), clf.decision_function(X))


def test_points_far_out_have_finite_scores():
    X = np.array([[300.0, 0.0], [250.0, 0.1], [300.0, 2.0], [250.0, 2.1]] * 5)
    y = np.array([0, 0, 1, 1] * 5)
    clf = CurvedHyperbolicSVC(coordinates="polar", random_state=0).fit(X, y)
    assert_array_equal(clf.predict(X), y)
    assert np.isfinite(clf.decision_function(X * [10.0, 1.0])).all()
