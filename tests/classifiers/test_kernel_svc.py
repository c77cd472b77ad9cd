"""HyperbolicKernelSVC is scikit-learn's SVC with a hyperbolic kernel."""

import pickle

import numpy as np
import pytest
from helpers import several_labels
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from hyplane import HyperbolicKernelLogisticRegression, HyperbolicKernelSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import (
    HyperbolicKernel,
    gamma_grid,
    laplacian_kernel,
    scale_gamma,
    scale_radius,
    secant_kernel,
)


def tangent_rbf(X, Y):
    return HyperbolicKernel("tangent_rbf", scale_gamma(Y, "tangent_rbf"))(X, Y)


KERNELS = {"secant": secant_kernel, "laplacian": laplacian_kernel, "tangent_rbf": tangent_rbf}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_it_agrees_with_svc_on_the_same_kernel(data, kernel, shape):
    X, y = data
    clf = HyperbolicKernelSVC(2.0, kernel=kernel, decision_function_shape=shape).fit(
        X[:150], y[:150]
    )
    assert clf.gamma_ == scale_gamma(X[:150], kernel)
    svc = SVC(C=2.0, kernel=KERNELS[kernel], decision_function_shape=shape).fit(X[:150], y[:150])
    np.testing.assert_allclose(clf.decision_function(X), svc.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(clf.predict(X), svc.predict(X))
    np.testing.assert_array_equal(clf.support_, svc.support_)
    np.testing.assert_array_equal(clf.support_vectors_, X[:150][svc.support_])


def test_rows_of_weight_zero_do_not_count(data):
    X, y = data
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    kept = np.flatnonzero(weight)
    weighted = HyperbolicKernelSVC().fit(X, y, sample_weight=weight)
    plain = HyperbolicKernelSVC().fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(weighted.support_, kept[plain.support_])
    with pytest.raises(ValueError, match="at least one"):
        HyperbolicKernelSVC().fit(X, y, sample_weight=np.zeros(len(y)))


def test_a_callable_is_the_kernel(data):
    X, y = data
    by_name = HyperbolicKernelSVC(kernel="laplacian", gamma=0.5).fit(X, y)
    by_call = HyperbolicKernelSVC(kernel=lambda A, B: laplacian_kernel(A, B, gamma=0.5)).fit(X, y)
    np.testing.assert_allclose(by_call.decision_function(X), by_name.decision_function(X))
    assert by_call.gamma_ is None


def test_it_clones_pickles_and_is_searched_and_calibrated(data):
    X, y = data
    names = np.array(["a", "b", "c"])[y]
    search = GridSearchCV(
        HyperbolicKernelSVC(class_weight="balanced"), {"C": [0.1, 1.0], "gamma": ["scale", 0.3]}
    )
    search.fit(X, names)
    assert search.best_score_ > 0.75
    clf = search.best_estimator_
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict(X), clf.predict(X))
    assert clone(clf).get_params() == clf.get_params()
    proba = CalibratedClassifierCV(clf, cv=3).fit(X, names).predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_each_label_has_scores_and_support_vectors_of_its_own(data, reloaded):
    X, y = data
    Y = several_labels(y)
    clf = HyperbolicKernelSVC(2.0).fit(X, Y)
    scores = clf.decision_function(X)
    for k in (0, 1):
        alone = HyperbolicKernelSVC(2.0).fit(X, Y[:, k])
        np.testing.assert_allclose(scores[:, k], alone.decision_function(X), atol=1e-9)
        assert clf.n_support_[k] == len(alone.support_)
    np.testing.assert_array_equal(scores[:, 2:], [[1.0, -1.0]] * len(X))
    np.testing.assert_array_equal(reloaded(clf).decision_function(X), scores)


MACHINES = [HyperbolicKernelSVC(), HyperbolicKernelLogisticRegression()]


@pytest.mark.parametrize("clf", MACHINES, ids=lambda clf: type(clf).__name__)
def test_rows_of_several_blocks_are_predicted_as_few_rows_are(data, clf):
    X, y = data
    clf.fit(X, y)
    copies = 5_000_000 // (clf.dual_coef_.shape[1] * len(X)) + 1  # more than 4 million numbers
    scores = clf.decision_function(np.tile(X, (copies, 1)))
    np.testing.assert_allclose(scores, np.tile(clf.decision_function(X), (copies, 1)), atol=1e-12)


@pytest.mark.parametrize("clf", MACHINES, ids=lambda clf: type(clf).__name__)
@pytest.mark.parametrize(
    ("kernel", "reason"), [("rbf", "not positive definite"), ("poly", "kernel must be one of")]
)
def test_a_kernel_that_does_not_exist_is_refused_with_the_reason(data, clf, kernel, reason):
    with pytest.raises(ValueError, match=reason):
        clone(clf).set_params(kernel=kernel).fit(*data)


@pytest.mark.parametrize(("clf", "gigabytes"), list(zip(MACHINES, ("320", "960"), strict=True)))
def test_a_matrix_that_does_not_fit_in_memory_is_refused_before_it_is_made(clf, gigabytes):
    X = np.tile([[0.1, 0.2], [-0.3, 0.1]], (100_000, 1))
    needed = rf"200000 rows needs {gigabytes}\.0 GB .*fewer n_landmarks"
    with pytest.raises(MemoryError, match=needed):
        clone(clf).set_params(n_landmarks=None).fit(X, np.tile([0, 1], 100_000))


def test_the_memory_of_a_fit_is_known_before():
    assert HyperbolicKernelSVC().matrix_bytes(1_000_000) < 10e9
    assert HyperbolicKernelSVC().matrix_bytes(5000) == 8 * 5000**2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_landmarks_approach_the_squared_hinge_loss_of_all_rows(n_classes):
    X, y = make_hyperbolic_gaussians(400, n_classes=n_classes, random_state=0)
    fits = [
        HyperbolicKernelSVC(n_landmarks=n, decision_function_shape="ovo", tol=1e-5, random_state=0)
        for n in (5, 50, 399)
    ]
    few, some, most = (clf.fit(X, y).decision_function(X) for clf in fits)
    assert np.abs(few - most).mean() > 3 * np.abs(some - most).mean()
    assert len(fits[1].support_) == fits[1].n_support_.sum() == 50
    np.testing.assert_array_equal(fits[1].support_vectors_, X[fits[1].support_])
    exact = HyperbolicKernelSVC().fit(X, y)
    assert np.mean(fits[1].predict(X) == exact.predict(X)) > 0.95


def test_landmarks_minimise_the_squared_hinge_loss(data):
    X, y = data[0], data[1] == 1
    clf = HyperbolicKernelSVC(3.0, n_landmarks=40, tol=1e-7, random_state=0).fit(X, y)
    K = secant_kernel(X, clf.support_vectors_, gamma=clf.gamma_)
    own = secant_kernel(clf.support_vectors_, gamma=clf.gamma_)

    def objective(dual, intercept):
        short = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * (K @ dual + intercept))
        return 0.5 * dual @ own @ dual + 3.0 * short @ short

    least = objective(clf.dual_coef_[0], clf.intercept_[0])
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        moved = clf.dual_coef_[0] + size * rng.normal(size=40)
        assert objective(moved, clf.intercept_[0] + size * rng.normal()) > least


def test_labels_and_weights_go_with_landmarks(data, reloaded):
    X, y = data
    Y = several_labels(y)
    clf = HyperbolicKernelSVC(n_landmarks=50, random_state=0).fit(X, Y)
    scores = clf.decision_function(X)
    np.testing.assert_array_equal(scores[:, 2:], [[1.0, -1.0]] * len(X))
    alone = HyperbolicKernelSVC(n_landmarks=50, random_state=0).fit(X, Y[:, 0])
    np.testing.assert_allclose(scores[:, 0], alone.decision_function(X))
    balanced = HyperbolicKernelSVC(n_landmarks=50, class_weight="balanced", random_state=0)
    rare = (y == 0) & (np.arange(len(y)) % 4 == 0)
    kept = rare | (y != 0)
    plain = clone(balanced).set_params(class_weight=None).fit(X[kept], rare[kept])
    assert balanced.fit(X[kept], rare[kept]).predict(X).sum() > plain.predict(X).sum()
    for each in (clf, balanced.fit(X, y)):
        np.testing.assert_array_equal(
            reloaded(each).decision_function(X), each.decision_function(X)
        )


@pytest.mark.parametrize("n_landmarks", ["auto", 100])
def test_points_far_out_in_many_dimensions_are_learned_at_another_scale(n_landmarks, reloaded):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=400)
    V = rng.normal(size=(3, 30))[y] + 1.5 * rng.normal(size=(400, 30))
    chart = {"coordinates": "tangent", "n_landmarks": n_landmarks, "random_state": 0}
    scaled = HyperbolicKernelSVC(**chart).fit(V[:200], y[:200])
    plain = HyperbolicKernelSVC(radius_scale=1.0, **chart).fit(V[:200], y[:200])
    assert plain.radius_scale_ == 1.0
    assert scaled.radius_scale_ == scale_radius(V[:200], coordinates="tangent") < 0.2
    assert scaled.score(V[200:], y[200:]) > plain.score(V[200:], y[200:]) + 0.05
    np.testing.assert_array_equal(
        reloaded(scaled).decision_function(V), scaled.decision_function(V)
    )


def test_the_grid_of_gamma_finds_short_arcs_of_a_ring():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, 2.0 * np.pi, 2000)
    y = (10 * angle / np.pi).astype(int) % 2
    X = np.column_stack([rng.normal(1.5, 0.05, 2000), angle])
    clf = HyperbolicKernelSVC(coordinates="polar")
    search = GridSearchCV(clf, {"gamma": gamma_grid(X[:1000], coordinates="polar")}, cv=3)
    assert search.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.95
    assert clf.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) < 0.85
