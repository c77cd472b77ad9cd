"""The choice among all classifiers."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import HyperbolicClassifier
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import sphere_distance
from hyplane.selection.race import fit_power, sharpen, stratified_folds


@parametrize_with_checks(
    [HyperbolicClassifier(["logistic", "neighbors"], cv=2, coordinates="tangent", random_state=0)]
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(240, n_classes=3, random_state=0)


@pytest.fixture(scope="module")
def fitted(data):
    X, y = data
    return HyperbolicClassifier(cv=3, random_state=0).fit(
        X[:160], np.array(["a", "b", "c"])[y[:160]]
    )


def test_it_says_what_it_chose_and_how_the_others_did(fitted):
    assert fitted.standings_[0].name == fitted.choice_
    assert fitted.standings_[0].n_folds == 3
    assert {standing.n_folds for standing in fitted.standings_} == {1, 2, 3}
    assert len(fitted.standings_) > 15
    text = repr(fitted)
    assert fitted.choice_ in text
    assert fitted.standings_[1].name in text
    assert "standings" not in repr(HyperbolicClassifier())


def test_the_chosen_one_is_not_less_accurate_than_the_others_by_more_than_noise(fitted):
    best = max(standing.accuracy for standing in fitted.standings_ if standing.n_folds == 3)
    assert fitted.standings_[0].accuracy > best - 0.05


def test_probabilities_are_those_of_the_chosen_one_sharpened(data, fitted):
    X, y = data
    inner = fitted.best_estimator_.predict_proba(X)
    assert_allclose(fitted.predict_proba(X), sharpen(inner, fitted.power_, False))
    assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)
    assert fitted.score(X[160:], np.array(["a", "b", "c"])[y[160:]]) > 0.65
    copy = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(copy.predict(X), fitted.predict(X))


def test_the_same_seed_makes_the_same_choice(data, fitted):
    X, y = data
    again = HyperbolicClassifier(cv=3, random_state=0).fit(
        X[:160], np.array(["a", "b", "c"])[y[:160]]
    )
    assert again.choice_ == fitted.choice_
    assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_it_does_not_choose_hyperplanes_where_the_truth_is_a_circle():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.65, 0.65, size=(300, 2))
    clf = HyperbolicClassifier(cv=3, random_state=0).fit(X, sphere_distance(X, [0.1, 0.1], 0.8) < 0)
    assert "hyperplanes" not in clf.choice_
    assert "SVM" not in clf.choice_
    assert clf.standings_[0].accuracy > 0.93


def test_labels_may_go_together_and_may_be_constant(data):
    X, y = data
    Y = np.column_stack([y == 0, y != 2, np.ones(len(y))]).astype(int)
    clf = HyperbolicClassifier(cv=2, random_state=0).fit(X, Y)
    assert clf.predict_proba(X).shape == Y.shape
    assert np.mean(clf.predict(X) == Y) > 0.8


def test_a_short_budget_still_gives_a_classifier(data):
    X, y = data
    clf = HyperbolicClassifier(cv=3, max_seconds=1e-9, random_state=0)
    with pytest.raises(ValueError, match="too short"):
        clf.fit(X, y)
    clf.set_params(max_seconds=0.2).fit(X, y)
    assert clf.predict(X).shape == y.shape


def test_the_search_looks_at_no_more_rows_than_asked(data):
    X, y = data
    clf = HyperbolicClassifier(cv=2, max_rows=40, random_state=0).fit(X, y)
    assert clf.n_features_in_ == 2
    with pytest.raises(ValueError, match="one or more of logistic"):
        HyperbolicClassifier(["boosting"]).fit(X, y)
    assert clf.predict(X).shape == y.shape


def test_the_power_calibrates_what_is_too_sure_and_too_timid():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=4000)
    truth = rng.uniform(size=4000) < p
    indicator = np.column_stack([~truth, truth]).astype(int)
    calibrated = np.column_stack([1 - p, p])
    for distortion in (0.3, 1.0, 3.0):
        wrong = sharpen(calibrated, distortion, False)
        power = fit_power(wrong, indicator, False)
        assert abs(np.log(power * distortion)) < 0.15
        assert log_loss(truth, sharpen(wrong, power, False)) <= log_loss(truth, wrong) + 1e-9


def test_folds_hold_each_class_evenly():
    codes = np.random.default_rng(0).integers(0, 4, 203)
    folds = stratified_folds(codes, 5, np.random.RandomState(0))
    for k in range(4):
        counts = np.bincount(folds[codes == k], minlength=5)
        assert counts.max() - counts.min() <= 1
