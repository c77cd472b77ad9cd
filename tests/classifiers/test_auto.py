"""The choice among all classifiers."""

import threading
import warnings

import numpy as np
import pytest
from helpers import seeds_of
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier

from hyplane import HyperbolicClassifier, HyperbolicKernelSVC
from hyplane.classifiers._candidates import LANDMARKS, Candidate, candidates
from hyplane.classifiers._search import (
    RARE,
    Round,
    Search,
    fit_power,
    likelihood,
    probabilities_of,
    sharpen,
    stacking_weights,
    standard_error,
    strata_of,
    stratified_sample,
)
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import distance


@pytest.fixture(scope="module")
def fitted(data):
    X, y = data
    return HyperbolicClassifier(cv=3, random_state=0).fit(
        X[:160], np.array(["a", "b", "c"])[y[:160]]
    )


def test_results_name_every_candidate_and_why_it_left(fitted, data):
    results = fitted.results_
    X = data[0][:160]
    names = {each.name for each in candidates(fitted.family, X, 160, 106, True, 0, fitted._chart)}
    assert set(results["candidate"]) == names
    assert {len(column) for column in results.values()} == {len(names)}
    n_chosen = len(fitted.estimators_)
    assert_array_equal(results["weight"][:n_chosen], fitted.weights_)
    assert all(end.startswith("chosen") for end in results["end"][:n_chosen])
    assert all(end.startswith("left") for end in results["end"][n_chosen:])
    assert np.isfinite(results["log_loss"]).all()
    assert (results["rows"] > 0).all()


def test_the_table_is_shown_as_text_in_notebooks_and_by_pandas(fitted):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(fitted.results_)
    assert list(frame["candidate"]) == fitted.results_["candidate"]
    report, bundle = fitted.report(5), fitted._repr_mimebundle_()
    assert len(report.splitlines()) == 7
    assert f"and {len(frame) - 5} more in results_" in report
    for name, end in zip(frame["candidate"][:5], frame["end"][:5], strict=True):
        assert name in report
        assert end in report
        assert name in bundle["text/html"]
    assert "<table>" in bundle["text/html"]
    assert "<table>" not in HyperbolicClassifier()._repr_html_()
    assert bundle["text/plain"] == repr(fitted)


def test_those_chosen_are_named_and_no_worse_than_the_others_by_more_than_noise(fitted):
    for weight, name in zip(fitted.weights_, fitted.results_["candidate"], strict=False):
        assert name in fitted.choice_
        assert f"{weight:.2f}" in fitted.choice_ or len(fitted.weights_) == 1
    losses, rows = fitted.results_["log_loss"], fitted.results_["rows"]
    best = losses[rows == rows.max()].min()
    assert (losses[: len(fitted.weights_)] < best + 0.05).all()


def test_the_result_is_the_same_with_two_jobs_and_beside_a_busy_thread(data):
    X, y = data
    clf = HyperbolicClassifier(["logistic", "forest"], cv=2, random_state=3)
    alone = clone(clf).fit(X, y)
    done = threading.Event()

    def work():
        while not done.is_set():
            np.linalg.svd(np.ones((60, 60)))

    busy = threading.Thread(target=work, daemon=True)
    busy.start()
    try:
        both = clone(clf).set_params(n_jobs=2).fit(X, y)
    finally:
        done.set()
        busy.join()
    assert both.choice_ == alone.choice_
    assert both.results_["end"] == alone.results_["end"]
    assert_array_equal(both.predict_proba(X), alone.predict_proba(X))


def test_progress_is_a_line_for_each_candidate_and_round(data, capsys):
    clf = HyperbolicClassifier(["logistic", "neighbors"], cv=2, random_state=0).fit(*data)
    assert capsys.readouterr().err == ""
    clf.set_params(n_jobs=2, verbose=1).fit(*data)
    lines = capsys.readouterr().err.splitlines()
    first = [line for line in lines if line.startswith("round 1: ")]
    ends = clf.results_["end"]
    assert len(first) == len(ends)
    # Of the two values of C of each of two surfaces one goes on.
    assert sum(end.startswith("left after round 1: C=") for end in ends) == 2
    assert any(line.startswith("round 3: ") for line in lines)
    assert any("5 nearest neighbours: log loss 0." in line for line in lines)


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
    results = clf.results_
    assert clf.choice_ == results["candidate"][0]
    assert clf.weights_.tolist() == [1.0]
    assert results["log_loss"][0] == results["log_loss"][results["rows"] == 120].min()
    (member,) = clf.estimators_
    assert_array_equal(clf.predict(X), member.predict(X))


def test_members_are_fitted_on_all_rows(data, fitted):
    X, y = data[0][:160], np.array(["a", "b", "c"])[data[1][:160]]
    for member in fitted.estimators_:
        alone = clone(member).fit(X, y)
        assert_array_equal(probabilities_of(member, X), probabilities_of(alone, X))


def test_it_does_not_choose_hyperplanes_where_the_truth_is_a_circle():
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.65, 0.65, size=(300, 2))
    clf = HyperbolicClassifier(cv=3, random_state=0).fit(X, distance(X, [0.1, 0.1]) < 0.8)
    assert "hyperplanes" not in clf.choice_
    assert "hyperbolic SVM" not in clf.choice_
    assert clf.results_["accuracy"][0] > 0.93


def test_a_limit_of_time_warns_where_it_cuts_and_still_gives_a_classifier(data):
    X, y = data
    clf = HyperbolicClassifier(cv=3, max_seconds=1e-9, random_state=0)
    with pytest.warns(UserWarning, match="cut after max_seconds"):
        clf.fit(X, y)
    assert clf.predict(X).shape == y.shape
    assert clf.choice_.startswith("logistic regression")
    assert "not tried: max_seconds were over" in clf.results_["end"]
    clf.set_params(family=["neighbors"], max_seconds=1000.0).fit(X, y)  # no warning


def test_warnings_of_candidates_are_in_the_table(data):
    class Grumbling(KNeighborsClassifier):
        def fit(self, X, y):
            warnings.warn(f"{self.n_neighbors} are too many", stacklevel=1)
            return super().fit(X, y)

    X, y = data
    family = [Candidate(str(k), "k", Grumbling(k)) for k in range(2, 9)]
    quiet = Candidate("quiet", "k", KNeighborsClassifier(9))
    Search(X, y, 2, 0, n_jobs=2).run([*family, quiet])
    assert [each.warning for each in family] == [f"{k} are too many" for k in range(2, 9)]
    assert quiet.warning == ""


def test_what_cannot_be_compared_is_refused_with_the_reason(data):
    X, y = data
    with pytest.raises(ValueError, match="two classes need two rows"):
        HyperbolicClassifier().fit(X[:30], np.arange(30) == 0)
    with pytest.raises(ValueError, match="one or more of logistic"):
        HyperbolicClassifier(["boosting"]).fit(X, y)


def test_the_search_looks_at_no_more_rows_than_asked(data):
    X, y = data
    clf = HyperbolicClassifier(["logistic", "svm"], cv=2, max_rows=40, random_state=0).fit(X, y)
    assert clf.results_["rows"].max() <= 30
    assert clf.predict(X).shape == y.shape


def test_a_sample_keeps_the_shares_of_the_classes_and_all_rows_of_rare_ones():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1, 2, 3], [30_000, 15_000, 110, 9]))
    rows, weights = stratified_sample(y, 5000, seed=1)
    counts = np.bincount(y[rows])
    assert len(set(rows)) == len(rows) <= 5000 + 2 * RARE
    assert counts[3] == 9
    assert counts[2] == RARE
    assert_allclose(counts[0] / counts[1], 2.0, rtol=0.01)
    # With its weights the sample has the shares of all rows.
    assert_allclose(np.bincount(y[rows], weights) / weights.sum(), np.bincount(y) / len(y))
    balanced = stratified_sample(y[y < 2], 5000, seed=1)
    assert balanced[1] is None
    everything, none = stratified_sample(y, len(y), seed=1)
    assert none is None
    assert_array_equal(everything, np.arange(len(y)))


def test_rows_with_several_labels_are_drawn_by_the_rarest():
    Y = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 0, 1], [1, 1, 1]])
    strata = strata_of(Y[[0, 1, 2, 3, 4, 1, 0]])
    assert len(set(strata[[0, 1, 2, 3]])) == 4
    assert strata[4] == strata[3]  # the third label is rarer than the second


def test_rare_classes_are_in_the_search_of_many_rows():
    X, _ = make_hyperbolic_gaussians(3000, n_classes=2, random_state=0)
    y = np.zeros(3000, dtype=int)
    y[np.argsort(-distance(X, [0.0, 0.0]))[:20]] = 1
    clf = HyperbolicClassifier(["forest"], max_rows=200, random_state=0).fit(X, y)
    assert clf.results_["average_precision"][0] > 0.9
    assert np.mean(clf.predict(X)[y == 1]) > 0.5


def test_kernel_machines_of_many_rows_have_landmarks():
    X, y = make_hyperbolic_gaussians(2000, n_classes=2, random_state=0)
    clf = HyperbolicClassifier(["kernel"], cv=2, max_rows=100, random_state=0).fit(X, y)
    for member in clf.estimators_:
        assert member.matrix_bytes(10**9) < 8e9 * 600  # no matrix of all rows
        assert member.dual_coef_.shape[1] <= LANDMARKS


def test_kernel_machines_are_fitted_to_a_sample_where_all_rows_take_too_much(monkeypatch, data):
    X, y = data
    monkeypatch.setattr("hyplane.classifiers.auto.KERNEL_ROWS", 60)
    clf = HyperbolicClassifier(["kernel"], ensemble="best", cv=2, random_state=0).fit(X, y)
    (member,) = clf.estimators_
    part, _ = stratified_sample(y, 60, *seeds_of(0))
    alone = clone(member).fit(X[part], y[part])
    assert_array_equal(probabilities_of(member, X), probabilities_of(alone, X))


def test_kernel_machines_without_enough_memory_are_left_out(monkeypatch, data):
    monkeypatch.setattr("hyplane.classifiers._candidates.available_memory", lambda: 1e5)
    clf = HyperbolicClassifier(["kernel", "neighbors"], cv=2, random_state=0).fit(*data)
    assert clf.choice_.endswith("neighbours")
    for name, end in zip(clf.results_["candidate"], clf.results_["end"], strict=True):
        assert ("GB of memory" in end) == ("kernel" in name)


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
    model.fit(X, np.column_stack([y == 0, y != 1]).astype(int))  # each of several labels
    assert_array_equal(probabilities_of(model, X) > 0.5, model.predict(X) > 0)


@pytest.mark.parametrize("family", ["kernel", "forest"])
def test_what_it_chose_is_stored(reloaded, family):
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.65, 0.65, size=(150, 2))
    y = np.digitize(distance(X, [0.1, 0.1]), [0.5, 1.0])
    clf = HyperbolicClassifier([family], cv=2, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.9
    stored = reloaded(clf)
    assert_array_equal(stored.predict_proba(X), clf.predict_proba(X))
    assert stored.report() == clf.report()


def test_each_round_has_more_rows_and_fewer_candidates(data):
    rounds = (Round(30, 10, 8, True), Round(60, 50, 3, False), Round(1000, 200, 3, False))
    X, y = data
    family = [Candidate(f"{k} neighbours", "k", KNeighborsClassifier(k)) for k in range(1, 13)]
    finalists = Search(X, y, 5, 0, rounds=rounds).run(family)
    assert len(finalists) == 3
    assert {each.n_rows for each in finalists} == {192}
    assert {len(each.fitted) for each in finalists} == {5}
    left = [each for each in family if each not in finalists]
    assert sorted({each.n_rows for each in left}) == [30, 60]
    assert sum(each.end.startswith("left after round 1") for each in left) == 4
    assert sum(each.end.startswith("left after round 2") for each in left) == 5
    assert [each.log_loss for each in finalists] == sorted(each.log_loss for each in finalists)


def test_the_best_of_each_kind_survives_the_first_round(data):
    rounds = (Round(100, 40, 2, True), Round(1000, 40, 5, False))
    X, y = data
    found = [Candidate(f"{k}", "k", KNeighborsClassifier(k)) for k in (5, 7, 9)]
    found += [Candidate("all", "weak", KNeighborsClassifier(100))]
    finalists = Search(X, y, 5, 0, rounds=rounds).run(found)
    assert {each.kind for each in finalists} == {"k", "weak"}
    assert len(finalists) == 2


def test_rounds_with_the_same_rows_fit_nothing_twice(data):
    class Counting(KNeighborsClassifier):
        n_fits = 0

        def fit(self, X, y):
            Counting.n_fits += 1
            return super().fit(X, y)

    X, y = data
    Search(X, y, 4, 0).run([Candidate("5", "k", Counting(5))])
    assert Counting.n_fits == 4


def test_few_rows_are_dealt_to_folds_twice_and_differently(data):
    X, y = data
    search = Search(X[:100], y[:100], 5, 0)
    first, second = search.folds
    assert (first != second).any()
    for folds in search.folds:
        counts = [np.bincount(folds[y[:100] == k], minlength=5) for k in range(3)]
        assert np.ptp(counts, axis=1).max() <= 1
    assert len(Search(X, y, 5, 0).folds) == 1


def average_of(tables, y):
    """Return the average of classifiers with these probabilities of the rows left out."""
    search = Search(np.zeros((len(y), 2)), y, 2, 0)
    found = [Candidate(str(k), str(k), None, probabilities=p) for k, p in enumerate(tables)]
    return search.average(found)


def test_a_member_that_adds_less_than_noise_is_left_out():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, size=2000)
    y = (rng.uniform(size=2000) < p).astype(int)
    noise = rng.uniform(-1e-3, 1e-3, size=(2, 2000))
    near_copies = [np.column_stack([1 - q, q]) for q in (p, *(p + noise))]
    members, _, _ = average_of(near_copies, y)
    assert [(each.name, each.weight) for each in members] == [("0", 1.0)]
    # Classifiers that know different halves of the rows help each other.
    sides = [np.where(half, 0.5, p) for half in (np.arange(2000) < 1000, np.arange(2000) >= 1000)]
    members, _, _ = average_of([np.column_stack([1 - q, q]) for q in sides], y)
    assert len(members) == 2
    assert min(each.weight for each in members) > 0.3


def test_an_average_has_few_members():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=3000)
    tables = []
    for part in np.array_split(rng.permutation(3000), 5):
        p = np.full(3000, 0.5)
        p[part] = 0.1 + 0.8 * y[part]
        tables.append(np.column_stack([1 - p, p]))
    assert len(average_of(tables, y)[0]) == 2


def test_the_members_of_an_average_are_of_different_kinds(data):
    X, y = data
    search = Search(X, y, 3, 0)
    found = [
        Candidate(f"{kind}, {k}", kind, KNeighborsClassifier(k))
        for kind, k in (("a", 9), ("a", 5), ("a", 20), ("b", 60))
    ]
    chosen, _, _ = search.average(search.run(found))
    kinds = [each.kind for each in chosen]
    assert len(set(kinds)) == len(kinds)


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


def test_the_standard_error_is_that_of_a_mean():
    values = np.random.default_rng(0).normal(size=500)
    assert_allclose(standard_error(values, np.ones(500)), values.std() / np.sqrt(500))
    twice = np.repeat(values, 2)  # two labels of each row count once
    assert_allclose(standard_error(twice, np.ones(500)), standard_error(values, np.ones(500)))
