"""HyperbolicKernelSVC is scikit-learn's SVC with a hyperbolic kernel."""

import pickle

import numpy as np
import pytest
from helpers import several_labels
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from hyplane import HyperbolicKernelSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import laplacian_kernel, scale_gamma, secant_kernel, tangent_rbf_kernel
from hyplane.persistence import load_model, save_model

KERNELS = {
    "secant": secant_kernel,
    "laplacian": laplacian_kernel,
    "tangent_rbf": tangent_rbf_kernel,
}


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(240, n_classes=3, random_state=0)


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


def test_rows_of_several_blocks_are_predicted_as_few_rows_are(data):
    X, y = data
    clf = HyperbolicKernelSVC().fit(X, y)
    copies = 5_000_000 // (len(clf.support_) * len(X)) + 1  # more than 4 million numbers
    scores = clf.decision_function(np.tile(X, (copies, 1)))
    np.testing.assert_allclose(scores, np.tile(clf.decision_function(X), (copies, 1)), atol=1e-12)


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


def test_the_geodesic_gaussian_is_refused_with_the_reason(data):
    with pytest.raises(ValueError, match="not positive definite"):
        HyperbolicKernelSVC(kernel="rbf").fit(*data)
    with pytest.raises(ValueError, match="kernel must be one of"):
        HyperbolicKernelSVC(kernel="poly").fit(*data)


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


def test_each_label_has_scores_and_support_vectors_of_its_own(data):
    X, y = data
    Y = several_labels(y)
    clf = HyperbolicKernelSVC(2.0).fit(X, Y)
    scores = clf.decision_function(X)
    for k in (0, 1):
        alone = HyperbolicKernelSVC(2.0).fit(X, Y[:, k])
        np.testing.assert_allclose(scores[:, k], alone.decision_function(X), atol=1e-9)
        assert clf.n_support_[k] == len(alone.support_)
    np.testing.assert_array_equal(scores[:, 2:], [[1.0, -1.0]] * len(X))


def test_a_classifier_of_labels_is_stored(data, tmp_path):
    X, y = data
    clf = HyperbolicKernelSVC().fit(X, np.column_stack([y == 0, y != 2]).astype(int))
    save_model(clf, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.decision_function(X), clf.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), clf.predict(X))


def test_a_matrix_that_does_not_fit_in_memory_is_refused_before_it_is_made():
    X = np.tile([[0.1, 0.2], [-0.3, 0.1]], (500_000, 1))
    sentence = r"matrix of 1000000 rows needs 8,000\.0 GB .*HyperbolicRandomFeatures with"
    with pytest.raises(MemoryError, match=sentence):
        HyperbolicKernelSVC().fit(X, np.tile([0, 1], 500_000))
