"""The Euclidean SVM of the paper, and the procedure it shares with the hyperbolic one."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV, NestedCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import METHODS
from hyplane.solvers.squared_hinge import SquaredHinge


def exact(C=1.0):
    return LinearSVC(dual=False, C=C, tol=1e-12, max_iter=100_000)


@pytest.mark.parametrize("n_columns", [1, 2, 25])
def test_newton_finds_the_minimum_of_liblinear(n_columns):
    rng = np.random.default_rng(n_columns)
    X = rng.normal(size=(80, n_columns))
    labels = np.where(X[:, 0] + rng.normal(size=80) > 0, 1, -1)
    part = rng.random(80) < 0.7
    kept = np.where(part, labels, 0).astype(np.int8)
    for C in (0.1, 1.0, 10.0):
        w = SquaredHinge().fit(X, kept, None, C)
        svm = exact(C).fit(X[part], labels[part])
        np.testing.assert_allclose(w, [*svm.coef_[0], svm.intercept_[0]], atol=1e-6)


@pytest.mark.parametrize("kind", ["classes", "labels"])
@pytest.mark.parametrize(
    ("own", "alone"), [(EuclideanSVCCV(), exact()), (HyperbolicSVCCV(), HyperbolicSVC())]
)
def test_quick_and_general_procedure_agree_and_have_the_same_folds(own, alone, kind):
    X, y = make_hyperbolic_gaussians(80, random_state=1)
    target = y if kind == "classes" else np.column_stack([X > 0, X < -0.2]).astype(int)
    own.set_params(random_state=5).fit(X, target)
    general = NestedCV(alone, random_state=5).fit(X, target)
    np.testing.assert_allclose(own.cv_scores_, general.cv_scores_, atol=1e-9)
    if isinstance(own, EuclideanSVCCV):
        np.testing.assert_array_equal(own.C_, general.C_)
        np.testing.assert_allclose(
            own.decision_function(X), general.decision_function(X), atol=1e-4
        )
        np.testing.assert_array_equal(own.predict(X), general.predict(X))


def test_probabilities_predictions_and_scores_agree():
    X, y = make_hyperbolic_gaussians(80, random_state=1)
    clf = EuclideanSVCCV(random_state=0).fit(X, y)
    probabilities = clf.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(clf.classes_[probabilities.argmax(axis=1)], clf.predict(X))
    two = EuclideanSVCCV(random_state=0).fit(X, y > 1)
    np.testing.assert_array_equal(two.decision_function(X) > 0, two.predict(X))
    np.testing.assert_array_equal(two.predict_proba(X)[:, 1] > 0.5, two.predict(X))


def test_labels_of_all_rows_and_of_one_row_are_learned():
    X, _ = make_hyperbolic_gaussians(40, random_state=1)
    Y = np.column_stack([np.ones(40), np.zeros(40), np.arange(40) == 3, X[:, 0] > 0]).astype(int)
    with pytest.warns(UserWarning, match="no cross validation for label 2"):
        predicted = EuclideanSVCCV(random_state=0).fit(X, Y).predict(X)
    assert predicted[:, 0].all()
    assert not predicted[:, 1].any()


@pytest.mark.parametrize("name", METHODS)
def test_every_method_learns_easy_classes(name):
    X, y = make_hyperbolic_gaussians(
        30, centers=[[0.8, 0.0], [-0.6, 0.6], [-0.4, -0.7]], variance=0.1, random_state=0
    )
    clf = METHODS[name].make(cv=2, Cs=(1.0,)).fit(X, y)
    scores = getattr(clf, "decision_function", clf.predict_proba)
    assert scores(X).shape == (30, 3)
    assert (clf.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("bad", [[2.0, 0.0], [np.nan, 0.0]])
@pytest.mark.parametrize("name", [name for name in METHODS if not name.startswith("euclidean")])
def test_errors_name_the_row_of_the_table(name, bad):
    X, y = make_hyperbolic_gaussians(60, random_state=0)
    X[37] = bad
    clf = METHODS[name].make(random_state=0)
    with pytest.raises(ValueError, match="row 37 of X"):
        clf.fit(X, y)


@pytest.mark.parametrize("name", METHODS)
def test_random_state_makes_every_method_repeatable(name):
    # Rows at random, where solvers with random starts end in different minima.
    rng = np.random.default_rng(0)
    X, y = 0.6 * rng.uniform(-1, 1, (24, 2)), np.arange(24) % 3
    scores = []
    for state in (1, 2):
        np.random.seed(state)  # noqa: NPY002 (used by whoever gets no seed)
        clf = METHODS[name].make(random_state=0, cv=2, Cs=(1.0,)).fit(X, y)
        scores.append(getattr(clf, "decision_function", clf.predict_proba)(X))
    np.testing.assert_array_equal(*scores)


def test_the_inner_classifier_gets_a_seed_unless_it_has_one():
    X, y = make_hyperbolic_gaussians(40, n_classes=2, random_state=0)

    def seeds(inner):
        clf = [NestedCV(inner, random_state=state).fit(X, y) for state in (0, 0, 1)]
        return [each.results_[0].random_state for each in clf]

    first, again, other = seeds(LinearSVC(random_state=None))
    assert first == again != other
    assert None not in (first, other)
    assert seeds(LinearSVC(random_state=7)) == [7, 7, 7]
