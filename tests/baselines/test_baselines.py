"""The baselines are what they say, and take the same points as the hyperbolic classifiers."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane.baselines import TangentSVC, ambient_svm, klein_svm
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import METHODS
from hyplane.features import ChartTransformer
from hyplane.geometry import (
    CHARTS,
    apply_isometry,
    convert,
    distance,
    einstein_midpoint,
    logarithm_map,
    minkowski_product,
    pairwise_distances,
    random_isometry,
)


def expected_failures(estimator):
    if isinstance(estimator, TangentSVC):
        reason = "a hyperplane through the reference point cannot give way to a heavier class"
        return {"check_class_weight_classifiers": reason}
    if estimator.target == "polar":
        return {"check_fit2d_1feature": "a line has no polar chart"}
    return {}


@parametrize_with_checks(
    [
        TangentSVC(coordinates="tangent"),
        ChartTransformer("polar", coordinates="tangent"),
        ChartTransformer("tangent", coordinates="tangent"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


BASELINES = ["euclidean", "klein", "ambient", "tangent", "logistic", "rbf"]


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(240, n_classes=3, random_state=0)


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("coordinates", CHARTS)
def test_every_baseline_gives_the_same_answer_in_any_chart(data, name, coordinates):
    B, y = data
    expected = METHODS[name].single(C=2.0).fit(B, y).decision_function(B)
    assert (expected.argmax(axis=1) == y).mean() > 0.7
    for curvature in (-1.0, -0.3):
        X = convert(B / np.sqrt(-curvature), "ball", coordinates, curvature=curvature)
        model = METHODS[name].single(C=2.0, coordinates=coordinates, curvature=curvature).fit(X, y)
        # Solvers stop at 1e-4, and RBF's "scale" sees the rounding of the conversion.
        np.testing.assert_allclose(model.decision_function(X), expected, atol=2e-3)


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_clones_pickles_and_is_searched(data, name):
    X, y = data
    names = np.array(["a", "b", "c"])[y]
    model = METHODS[name].single()
    (parameter,) = [key for key in model.get_params() if key == "C" or key.endswith("__C")]
    search = GridSearchCV(clone(model), {parameter: [0.1, 1.0]}, cv=3).fit(X, names)
    copy = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(copy.predict(X), search.predict(X))
    assert search.best_score_ > 0.6


def test_klein_hyperplanes_and_feasible_ambient_ones_are_hyperbolic_hyperplanes(data):
    X, y = data
    y = (y == 0).astype(int)
    x = convert(X, "ball", "hyperboloid")
    klein = klein_svm().fit(X, y)
    svm = klein[-1]
    w = np.concatenate([svm.intercept_, -svm.coef_[0]])
    np.testing.assert_allclose(minkowski_product(x, w[None]) / x[:, 0], klein.decision_function(X))
    ambient = ambient_svm().fit(X, y)
    w = ambient[-1].coef_[0] * np.where(np.arange(3) == 0, 1.0, -1.0)
    np.testing.assert_allclose(minkowski_product(x, w[None]), ambient.decision_function(X))


def test_tangent_svc_is_a_linear_svm_on_the_log_map_without_bias():
    X, y = make_hyperbolic_gaussians(200, n_classes=2, n_dim=4, random_state=1)
    clf = TangentSVC().fit(X, y)
    V = logarithm_map(X, clf.reference_points_[0])
    # An orthonormal frame at the reference point; its choice does not matter to the SVM.
    p = convert(clf.reference_points_, "ball", "hyperboloid")[0]
    metric = np.diag([-1.0, 1.0, 1.0, 1.0, 1.0])
    frame = np.zeros((4, 5))
    for i in range(4):
        e = np.eye(5)[i + 1]
        e = e + (e @ metric @ p) * p
        for other in frame[:i]:
            e = e - (e @ metric @ other) * other
        frame[i] = e / np.sqrt(e @ metric @ e)
    columns = V @ metric @ frame.T
    svm = LinearSVC(fit_intercept=False, dual=False).fit(columns, y)
    np.testing.assert_allclose(clf.decision_function(X), svm.decision_function(columns), atol=1e-4)


def test_tangent_svc_at_the_origin_is_a_linear_svm_on_tangent_vectors():
    V, y = make_hyperbolic_gaussians(100, n_classes=2, coordinates="tangent", random_state=0)
    clf = TangentSVC(reference="origin", fit_intercept=True, coordinates="tangent").fit(V, y)
    svm = LinearSVC(dual=False).fit(V, y)
    np.testing.assert_allclose(clf.decision_function(V), svm.decision_function(V), atol=1e-4)


def test_reference_point_in_the_plane_is_half_way_between_the_nearest_hull_vertices():
    rng = np.random.default_rng(0)
    V = np.vstack([rng.normal(size=(30, 2)) * 0.3, rng.normal(size=(30, 2)) * 0.3 + [2.0, 0.0]])
    y = np.repeat([0, 1], 30)
    p = TangentSVC(coordinates="tangent").fit(V, y).reference_points_
    gaps = pairwise_distances(V[:30], V[30:], coordinates="tangent")
    # For classes apart from each other the nearest of all points are vertices of the hulls.
    i, j = np.unravel_index(gaps.argmin(), gaps.shape)
    to_p = [distance(q[None], p, coordinates="tangent")[0] for q in (V[i], V[30 + j])]
    np.testing.assert_allclose(to_p, gaps.min() / 2)


def test_inner_points_do_not_move_the_reference_point_in_the_plane():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
    V = np.vstack([square, square * 0.3 + [3.0, 0.0]])
    y = np.repeat([0, 1], 4)
    before = TangentSVC(coordinates="tangent").fit(V, y).reference_points_
    V = np.vstack([V, [[2.9, 0.0]], [[0.0, 0.0]]])
    after = TangentSVC(coordinates="tangent").fit(V, [*y, 1, 0]).reference_points_
    np.testing.assert_array_equal(after, before)


def test_reference_point_beyond_the_plane_is_half_way_between_the_means():
    X, y = make_hyperbolic_gaussians(100, n_classes=2, n_dim=3, random_state=0)
    p = TangentSVC().fit(X, y).reference_points_
    means = [einstein_midpoint(X[y == k])[None] for k in (0, 1)]
    half = distance(means[0], means[1])[0] / 2
    np.testing.assert_allclose([distance(m, p)[0] for m in means], half, rtol=1e-9)
    with pytest.raises(ValueError, match="reference='hulls' is for the plane"):
        TangentSVC(reference="hulls").fit(X, y)


@pytest.mark.parametrize("n_dim", [2, 3])
def test_tangent_svc_is_invariant_under_isometries(n_dim):
    X, y = make_hyperbolic_gaussians(120, n_classes=3, n_dim=n_dim, random_state=0)
    scores = TangentSVC().fit(X, y).decision_function(X)
    moved = apply_isometry(random_isometry(n_dim, max_radius=1.5, random_state=0), X)
    np.testing.assert_allclose(
        TangentSVC().fit(moved, y).decision_function(moved), scores, atol=2e-3
    )


def test_points_too_far_for_a_chart_are_an_error_not_clipped():
    X = np.array([[50.0, 0.0], [1.0, 0.1], [2.0, 0.2]])
    with pytest.raises(ValueError, match=r"row 0 is at radius 50.*hold it"):
        klein_svm(coordinates="tangent").fit(X, [0, 1, 0])


def test_the_tangent_svm_takes_labels_that_go_together():
    X, y = make_hyperbolic_gaussians(120, random_state=0)
    Y = np.column_stack([y == 0, y == 1, np.ones_like(y)]).astype(int)
    clf = TangentSVC().fit(X, Y)
    for k in range(2):
        alone = TangentSVC().fit(X, Y[:, k])
        assert np.array_equal(clf.predict(X)[:, k], alone.predict(X))
    assert clf.predict(X)[:, 2].all()  # a constant label stays constant
