"""The choice among all classifiers."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier

from hyplane import HyperbolicClassifier, HyperbolicKernelSVC
from hyplane.classifiers._search import (
    FINALISTS,
    Candidate,
    SuccessiveHalving,
    deal_folds,
    fit_power,
    likelihood,
    probabilities_of,
    sharpen,
    stacking_weights,
)
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import distance
from hyplane.persistence import load_model, save_model


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
    results = fitted.cv_results_
    n_chosen = np.count_nonzero(results["weight"])
    assert_array_equal(results["weight"][:n_chosen], fitted.weights_)
    assert set(results["n_folds"][:n_chosen]) == {6}  # three folds, dealt twice
    assert {1, 2, 3} < set(results["n_folds"].tolist())
    assert len(results["candidate"]) > 15
    assert {len(column) for column in results.values()} == {len(results["candidate"])}
    text = repr(fitted)
    for weight, name in zip(fitted.weights_, results["candidate"], strict=False):
        assert f"{weight:.2f} ({name})" in fitted.choice_
        assert name in text
    assert "cv_results_" not in repr(HyperbolicClassifier())


def test_those_chosen_are_not_worse_than_the_others_by_more_than_noise(fitted):
    losses = -fitted.cv_results_["mean_test_neg_log_loss"]
    best = losses[fitted.cv_results_["n_folds"] >= 3].min()
    assert (losses[: len(fitted.weights_)] < best + 0.05).all()


def test_each_fit_is_a_line_if_it_is_verbose(data, capsys):
    clf = HyperbolicClassifier(["logistic", "neighbors"], cv=2, random_state=0).fit(*data)
    assert capsys.readouterr().err == ""
    clf.set_params(n_jobs=2, verbose=1).fit(*data)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == clf.cv_results_["n_folds"].sum()
    assert any(line.startswith("5 nearest neighbours: log loss 0.") for line in lines)


def test_weights_count_in_the_choice_and_in_the_fits(data):
    X, y = data
    weight = np.where(y == 0, 20.0, 1.0)
    clf = HyperbolicClassifier(["logistic", "neighbors"], cv=2, random_state=0)
    plain, weighted = clone(clf).fit(X, y), clone(clf).fit(X, y, sample_weight=weight)
    assert np.mean(weighted.predict(X) == 0) > np.mean(plain.predict(X) == 0) + 0.02
    kept = np.arange(len(y)) % 3 > 0
    by_weight = clone(clf).fit(X, y, sample_weight=kept)
    by_rows = clone(clf).fit(X[kept], y[kept])
    assert_array_equal(by_weight.predict_proba(X), by_rows.predict_proba(X))


def test_probabilities_are_the_calibrated_average_of_those_chosen(data, fitted):
    X, y = data
    assert len(fitted.estimators_) == len(fitted.weights_) > 1
    assert_allclose(fitted.weights_.sum(), 1.0)
    parts = [
        weight * sharpen(probabilities_of(member, X), power, False)
        for member, weight, power in zip(
            fitted.estimators_, fitted.weights_, fitted.powers_, strict=True
        )
    ]
    assert_allclose(fitted.predict_proba(X), sharpen(sum(parts), fitted.power_, False))
    assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)
    assert fitted.score(X[160:], np.array(["a", "b", "c"])[y[160:]]) > 0.65


def test_the_best_alone_is_the_one_of_the_lowest_loss(data):
    X, y = data
    clf = HyperbolicClassifier(["logistic", "neighbors"], ensemble="best", cv=2, random_state=0)
    clf.fit(X, y)
    results = clf.cv_results_
    assert clf.choice_ == results["candidate"][0]
    assert clf.weights_.tolist() == [1.0]
    scores, n_folds = results["mean_test_neg_log_loss"], results["n_folds"]
    assert scores[0] == scores[n_folds == n_folds.max()].max()
    (member,) = clf.estimators_
    assert_array_equal(clf.predict(X), member.predict(X))


def test_members_are_fitted_on_all_rows(data):
    X, y = data
    clf = HyperbolicClassifier(["kernel"], cv=2, random_state=0).fit(X, y)
    for member in clf.estimators_:
        alone = clone(member).fit(X, y)
        assert_array_equal(probabilities_of(member, X), probabilities_of(alone, X))


def test_it_does_not_choose_hyperplanes_where_the_truth_is_a_circle():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.65, 0.65, size=(300, 2))
    clf = HyperbolicClassifier(cv=3, random_state=0).fit(X, distance(X, [0.1, 0.1]) < 0.8)
    assert "hyperplanes" not in clf.choice_
    assert "hyperbolic SVM" not in clf.choice_
    assert clf.cv_results_["mean_test_accuracy"][0] > 0.93


def test_a_short_budget_still_gives_a_classifier(data):
    X, y = data
    clf = HyperbolicClassifier(cv=3, max_seconds=1e-9, random_state=0)
    with pytest.raises(ValueError, match="too short"):
        clf.fit(X, y)
    clf.set_params(max_seconds=0.2).fit(X, y)
    assert clf.predict(X).shape == y.shape


def test_a_second_class_of_one_row_is_refused_with_the_reason(data):
    X = data[0][:30]
    with pytest.raises(ValueError, match="two classes need two rows"):
        HyperbolicClassifier().fit(X, np.arange(30) == 0)


def test_the_search_looks_at_no_more_rows_than_asked(data):
    X, y = data
    clf = HyperbolicClassifier(cv=2, max_rows=40, random_state=0).fit(X, y)
    assert clf.n_features_in_ == 2
    with pytest.raises(ValueError, match="one or more of logistic"):
        HyperbolicClassifier(["boosting"]).fit(X, y)
    assert clf.predict(X).shape == y.shape


def test_kernel_machines_whose_matrix_of_all_rows_is_too_large_are_left_out():
    X, y = make_hyperbolic_gaussians(20_000, n_classes=2, random_state=0)
    for rows, some in ((slice(300), True), (slice(None), False)):
        clf = HyperbolicClassifier(
            ["kernel", "neighbors"], ensemble="best", cv=2, max_rows=100, random_state=0
        ).fit(X[rows], y[rows])
        names = " ".join(clf.cv_results_["candidate"])
        assert ("kernel SVM" in names) == some
        assert "kernel logistic" in names


def test_no_kernel_machine_is_an_error_where_nothing_else_is_asked_for():
    X = np.tile([[0.1, 0.2], [-0.3, 0.1]], (500_000, 1))
    with pytest.raises(MemoryError, match="kernel matrices of 1000000 rows"):
        HyperbolicClassifier(["kernel"], random_state=0).fit(X, np.tile([0, 1], 500_000))


def test_the_power_calibrates_what_is_too_sure_and_too_timid():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=4000)
    truth = rng.uniform(size=4000) < p
    indicator = np.column_stack([~truth, truth]).astype(int)
    calibrated = np.column_stack([1 - p, p])
    for distortion in (0.3, 1.0, 3.0):
        wrong = sharpen(calibrated, distortion, False)
        power = fit_power(wrong, indicator, False, np.ones(4000))
        assert abs(np.log(power * distortion)) < 0.15
        assert log_loss(truth, sharpen(wrong, power, False)) <= log_loss(truth, wrong) + 1e-9


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_scores_of_a_kernel_svc_become_probabilities_that_follow_its_labels(n_classes):
    X, y = make_hyperbolic_gaussians(60 * n_classes, n_classes=n_classes, random_state=3)
    names = np.array(list("edcba"))[y]
    model = HyperbolicKernelSVC(decision_function_shape="ovo").fit(X, names)
    probabilities = probabilities_of(model, X)
    assert probabilities.shape == (len(X), n_classes)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    labels = model.classes_[probabilities.argmax(axis=1)]
    assert np.mean(labels == model.predict(X)) > 0.97  # votes of pairs may end in a draw


def test_kernel_svms_take_part_and_are_stored(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.65, 0.65, size=(150, 2))
    y = np.digitize(distance(X, [0.1, 0.1]), [0.5, 1.0])
    clf = HyperbolicClassifier(["kernel"], cv=2, random_state=0).fit(X, y)
    assert any(isinstance(member, HyperbolicKernelSVC) for member in clf.estimators_)
    assert "kernel SVM" in clf.choice_
    assert clf.score(X, y) > 0.9
    save_model(clf, tmp_path / "model.json")
    assert_array_equal(load_model(tmp_path / "model.json").predict_proba(X), clf.predict_proba(X))


def test_scores_of_labels_become_probabilities_of_each(data):
    X, y = data
    Y = np.column_stack([y == 0, y != 2]).astype(int)
    model = HyperbolicKernelSVC(decision_function_shape="ovo").fit(X, Y)
    assert_array_equal(probabilities_of(model, X) > 0.5, model.predict(X) > 0)


@pytest.mark.parametrize(("m", "first"), [(30, 5), (60, 3), (150, 1)])
def test_no_candidate_leaves_before_it_was_tried_on_enough_rows(data, m, first):
    X, y = data[0][:m], data[1][:m]
    folds = deal_folds(y, 5, np.random.RandomState(0))
    search = SuccessiveHalving(X, y, folds)
    family = [Candidate(f"{k} neighbours", KNeighborsClassifier(k)) for k in range(1, 21)]
    finalists, others = search.run(family)
    assert {entry.n_folds for entry in finalists} == {10}  # five folds, dealt twice
    assert len(finalists) == FINALISTS
    counts = Counter(entry.n_folds for entry in others)
    assert counts == {first: 20 - 7, first + 1: 7 - FINALISTS}
    assert search.loss(finalists[0]) <= min(map(search.loss, finalists))


def test_of_candidates_that_differ_in_c_alone_one_stays(data):
    X, y = data
    search = SuccessiveHalving(X, y, deal_folds(y, 3, np.random.RandomState(0)))
    # The same classifier under three names, and ten others.
    names = [("a", 15), ("a", 15), ("a", 15)] + [(str(k), k) for k in range(1, 11)]
    family = [Candidate(path, KNeighborsClassifier(k), path=path) for path, k in names]
    finalists, _ = search.run(family)
    paths = [entry.path for entry in finalists]
    assert paths.count("a") == 1
    assert len(set(paths)) == len(paths) == FINALISTS


@pytest.mark.parametrize(("m", "repeats"), [(20, 2), (199, 2), (200, 1)])
def test_folds_hold_each_class_evenly_and_few_rows_are_dealt_twice(m, repeats):
    codes = np.random.default_rng(0).integers(0, 3, m)
    folds = deal_folds(codes, 5, np.random.RandomState(0))
    assert folds.shape == (repeats, m)
    assert len({tuple(each) for each in folds.tolist()}) == repeats
    counts = [np.bincount(each[codes == k], minlength=5) for each in folds for k in range(3)]
    assert np.ptp(counts, axis=1).max() <= 1


def test_weights_are_those_of_the_most_likely_mixture():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet([1.0, 1.0, 1.0], size=3000)
    classes = np.array([rng.choice(3, p=row) for row in truth])
    indicator = np.eye(3, dtype=int)[classes]
    noise = rng.dirichlet([1.0, 1.0, 1.0], size=3000)
    uniform = np.full((3000, 3), 1 / 3)
    seen = np.array([likelihood(p, indicator, False) for p in (noise, truth, uniform)])
    weights = stacking_weights(seen, np.ones(3000))
    assert weights.argmax() == 1
    assert weights[1] > 0.8
    assert_allclose(weights.sum(), 1.0)
    assert_allclose(stacking_weights(seen[[1, 1]], np.ones(3000)), 0.5)
    assert -np.log(weights @ seen).mean() < min(-np.log(seen).mean(axis=1)) + 0.01
