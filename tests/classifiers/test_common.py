"""What holds for every classifier."""

import pickle

import numpy as np
import pytest
from helpers import several_labels
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import (
    CurvedHyperbolicSVC,
    HyperbolicClassifier,
    HyperbolicForestClassifier,
    HyperbolicKernelLogisticRegression,
    HyperbolicKernelSVC,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
    HyperbolicSVC,
    HyperbolicSVCCV,
)

EXACT = 1e-10  # rows with a weight then count as copies of them to seven digits
SAME_WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
# Also expected of scikit-learn's own SVC and forests.
EXPECTED_FAILURES = {
    CurvedHyperbolicSVC: "equal to the tolerance of the solver only",
    HyperbolicKernelSVC: "equal only to the tolerance of the solver",
    HyperbolicForestClassifier: "repeated rows draw other random cuts",
    HyperbolicClassifier: "repeated rows are dealt to other folds",
}


@parametrize_with_checks(
    [
        HyperbolicSVC(tol=EXACT),
        HyperbolicSVC(tol=EXACT, multi_class="ovo"),
        # One of the checks wants predictions that agree with the probabilities, near 0.5 too.
        HyperbolicSVCCV((0.1, 1.0), cv=3, tol=1e-12, threshold="probability"),
        HyperbolicSVCCV((0.1, 1.0), cv=2, tol=1e-12, multi_class="ovo"),
        CurvedHyperbolicSVC(tol=1e-4, max_iter=100, random_state=0),
        *(
            HyperbolicKernelSVC(kernel=k)
            for k in ("secant", "laplacian", "tangent_rbf", "ball_rbf")
        ),
        HyperbolicLogisticRegression(),
        HyperbolicLogisticRegression(surface="hyperplane"),
        HyperbolicKernelLogisticRegression(),
        HyperbolicKernelLogisticRegression(kernel="laplacian"),
        HyperbolicKNeighborsClassifier(),
        HyperbolicKNeighborsClassifier(3, weights="distance"),
        HyperbolicForestClassifier(10, random_state=0),
        HyperbolicClassifier(["logistic", "neighbors"], cv=2, random_state=0),
    ],
    expected_failed_checks=lambda clf: (
        {SAME_WEIGHTS: EXPECTED_FAILURES[type(clf)]} if type(clf) in EXPECTED_FAILURES else {}
    ),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:no cross validation")
def test_scikit_learns_common_checks(estimator, check):
    check(estimator.set_params(coordinates="tangent"))


CLASSIFIERS = [
    HyperbolicSVC(random_state=0),
    HyperbolicSVC(multi_class="ovo", random_state=0),
    HyperbolicSVCCV(cv=3, random_state=0),
    CurvedHyperbolicSVC(random_state=0),
    CurvedHyperbolicSVC(multi_class="ovo", random_state=0),
    HyperbolicKernelSVC(2.0),
    HyperbolicLogisticRegression(),
    HyperbolicLogisticRegression(surface="hyperplane"),
    HyperbolicKernelLogisticRegression(),
    HyperbolicKNeighborsClassifier(),
    HyperbolicForestClassifier(50, random_state=0),
    HyperbolicClassifier(["logistic", "neighbors"], cv=2, random_state=0),
]
of_each = pytest.mark.parametrize("clf", CLASSIFIERS, ids=str)


@of_each
def test_it_separates_classes_and_pickles(data, clf):
    X, y = data
    names = np.array(["a", "b", "c"])[y]
    clf.fit(X[::2], names[::2])
    assert clf.score(X[1::2], names[1::2]) > 0.65
    copy = pickle.loads(pickle.dumps(clf))
    assert_array_equal(copy.predict(X), clf.predict(X))
    if hasattr(clf, "predict_proba"):
        assert_allclose(clf.predict_proba(X).sum(axis=1), 1.0)
        assert_allclose(np.exp(clf.predict_log_proba(X)), clf.predict_proba(X))


@of_each
def test_rows_of_weight_zero_do_not_count(data, clf):
    if isinstance(clf, HyperbolicKNeighborsClassifier):
        pytest.skip("neighbours have no weights")
    X, y = data
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    method = "predict_proba" if hasattr(clf, "predict_proba") else "decision_function"
    expected = getattr(clf.fit(X[weight > 0], y[weight > 0]), method)(X)
    assert_allclose(getattr(clf.fit(X, y, sample_weight=weight), method)(X), expected)
    with pytest.raises(ValueError, match="at least one"):
        clf.fit(X, y, sample_weight=np.zeros(len(y)))


@of_each
def test_labels_may_go_together_and_may_be_constant(data, clf):
    X, y = data
    Y = several_labels(y)
    predicted = clf.fit(X, Y).predict(X)
    assert np.mean(predicted == Y) > 0.85
    assert_array_equal(predicted[:, 2:], [[1, 0]] * len(X))
    if hasattr(clf, "predict_proba"):
        constant = clf.predict_proba(X)[:, 2:]
        assert clf.predict_proba(X).shape == Y.shape
        assert (constant[:, 0] > 0.95).all()
        assert (constant[:, 0] < 1.0).all()  # as Platt's targets say
        assert_allclose(constant.sum(axis=1), 1.0)
    else:
        assert np.isfinite(clf.decision_function(X)).all()


@pytest.mark.parametrize(
    "clf",
    [
        HyperbolicSVC(random_state=0),
        # Of two classes the side of the hyperplane decides by default, of several labels each
        # probability.
        HyperbolicSVCCV(cv=3, threshold="probability", random_state=0),
        HyperbolicLogisticRegression(),
        HyperbolicKernelLogisticRegression(),
        HyperbolicKernelSVC(2.0),
        HyperbolicKNeighborsClassifier(),
    ],
    ids=str,
)
def test_each_of_several_labels_is_learned_as_if_it_were_alone(data, clf):
    X, y = data
    Y = several_labels(y)
    together = clf.fit(X, Y).predict(X)
    for k in (0, 1):
        assert_array_equal(together[:, k], clf.fit(X, Y[:, k]).predict(X))


@pytest.mark.parametrize(
    ("clf", "radius"),
    [
        (HyperbolicLogisticRegression(), 5000.0),
        (HyperbolicForestClassifier(20, random_state=0), 5000.0),
        (HyperbolicSVCCV(cv=2, random_state=0), 2000.0),
        (CurvedHyperbolicSVC(random_state=0), 300.0),
    ],
    ids=str,
)
def test_points_far_out_are_classified(clf, radius):
    X = np.array([[1.0, 0.0], [0.8, 0.1], [1.0, 2.0], [0.8, 2.1]] * 5) * [radius, 1.0]
    y = np.array([0, 0, 1, 1] * 5)
    clf.set_params(coordinates="polar").fit(X, y)
    assert_array_equal(clf.predict(X), y)
    method = "decision_function" if hasattr(clf, "decision_function") else "predict_proba"
    assert np.isfinite(getattr(clf, method)(X * [10.0, 1.0])).all()


@pytest.mark.parametrize(
    ("estimator", "other"),
    [
        (HyperbolicSVC, "HyperbolicSVCCV"),
        (CurvedHyperbolicSVC, "HyperbolicLogisticRegression"),
        (HyperbolicKernelSVC, "HyperbolicKernelLogisticRegression"),
    ],
)
def test_an_estimator_without_probabilities_names_one_that_has_them(data, estimator, other):
    clf = estimator().fit(*data)
    assert not hasattr(clf, "predict_proba")
    with pytest.raises(AttributeError, match=other):
        clf.predict_proba([[0.1, 0.1]])
