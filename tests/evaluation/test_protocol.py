"""The protocol against an independent, plain statement of it."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import SCORES, evaluate, score_predictions, stratified_trials


def points_of_curve(truth, scores):
    """Recall, precision and false positive rate at every threshold, highest first."""
    curve = []
    for threshold in sorted(set(scores), reverse=True):
        found = [t for t, s in zip(truth, scores, strict=True) if s >= threshold]
        recall = sum(found) / sum(truth)
        false_rate = (len(found) - sum(found)) / (len(truth) - sum(truth))
        curve.append((recall, sum(found) / len(found), false_rate))
    return curve


def plain_scores(truth, scores):
    """The authors' AUPR, average precision and ROC AUC of one class, by the definitions."""
    curve = points_of_curve(truth, scores)
    aupr = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(curve))
    precision, last = 0.0, 0.0
    for recall, at, _ in curve:
        precision += (recall - last) * at
        last = recall
    pairs = [
        1.0 if s > r else 0.5 if s == r else 0.0
        for t, s in zip(truth, scores, strict=True)
        if t
        for u, r in zip(truth, scores, strict=True)
        if not u
    ]
    return aupr, precision, sum(pairs) / len(pairs)


def plain_protocol(make, X, Y, fit_target, *, n_trials, seed):
    """Every step written out; Y is the indicator matrix."""
    rows = []
    for trial_seed in np.random.default_rng(seed).integers(2**31 - 1, size=n_trials):
        rng = np.random.default_rng(trial_seed)
        if (Y.sum(axis=1) == 1).all():
            strata = Y.argmax(axis=1)
        else:
            draws = rng.random(Y.shape)
            strata = [
                max(np.flatnonzero(row), key=lambda k, u=u: u[k]) if row.any() else -1
                for row, u in zip(Y, draws, strict=True)
            ]
        splitter = StratifiedShuffleSplit(1, test_size=0.5, random_state=int(trial_seed))
        train, test = next(splitter.split(X, strata))
        train, test = sorted(train), sorted(test)
        clf = make(int(trial_seed)).fit(X[train], fit_target[train])
        scores = clf.decision_function(X[test])
        columns = range(Y.shape[1])
        if scores.ndim == 1:
            scores, columns = np.column_stack([-scores, scores]), [1]
        truth = Y[test]
        usable = [k for k in columns if 0 < truth[:, k].sum() < len(test)]
        each = [plain_scores(truth[:, k].tolist(), scores[:, k].tolist()) for k in usable]
        pooled = plain_scores(
            truth[:, list(columns)].ravel().tolist(), scores[:, list(columns)].ravel().tolist()
        )
        predicted = clf.predict(X[test])
        right = [np.all(a == b) for a, b in zip(predicted, fit_target[test], strict=True)]
        macro = [sum(column) / len(column) for column in zip(*each, strict=True)]
        rows.append(
            [macro[0], pooled[0], macro[1], pooled[1], macro[2], pooled[2], sum(right) / len(right)]
        )
    return rows


def overlapping_labels(X):
    middle = np.median(X, axis=0)
    low = X.sum(axis=1) < np.quantile(X.sum(axis=1), 0.2)
    Y = np.column_stack([middle < X, low]).astype(int)
    assert (Y.sum(axis=1) == 0).any()
    assert (Y.sum(axis=1) > 1).any()
    return Y


@pytest.mark.parametrize("kind", ["two classes", "four classes", "labels"])
def test_protocol_gives_the_numbers_of_a_plain_statement_of_it(kind):
    X, y = make_hyperbolic_gaussians(
        60, n_classes=2 if kind == "two classes" else 4, random_state=5
    )
    target = overlapping_labels(X) if kind == "labels" else y
    Y = target if kind == "labels" else (y[:, None] == np.unique(y)).astype(int)
    expected = plain_protocol(
        lambda seed: HyperbolicSVCCV(random_state=seed), X, Y, target, n_trials=3, seed=11
    )
    evaluation = evaluate({"svm": HyperbolicSVCCV()}, X, target, n_trials=3, random_state=11)
    found = [[record[score] for score in SCORES] for record in evaluation.records]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_all_methods_get_the_same_splits_and_seeds():
    X, y = make_hyperbolic_gaussians(80, random_state=0)
    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y):
            seen.append((self.random_state, X.tobytes()))
            return super().fit(X, y)

    evaluate({"a": Spy(), "b": Spy(C=2.0)}, X, y, n_trials=3)
    assert seen[0::2] == seen[1::2]
    assert len({seed for seed, _ in seen}) == 3


def test_a_method_may_bring_its_own_input():
    X, y = make_hyperbolic_gaussians(60, random_state=0)
    both = evaluate(
        {"own": (LogisticRegression(), X**3), "shared": LogisticRegression()}, X, y, n_trials=2
    )
    alone = evaluate({"own": LogisticRegression()}, X**3, y, n_trials=2)
    np.testing.assert_array_equal(both.scores("own"), alone.scores("own"))
    assert (both.scores("own") != both.scores("shared")).any()


def test_scores_do_not_depend_on_the_number_of_processes():
    X, y = make_hyperbolic_gaussians(60, random_state=0)
    methods = {"svm": HyperbolicSVC(), "forest": RandomForestClassifier(5)}
    one, two = (evaluate(methods, X, y, n_trials=2, n_jobs=n_jobs) for n_jobs in (1, 2))
    for method in methods:
        np.testing.assert_array_equal(one.scores(method), two.scores(method))


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(10),
        OneVsRestClassifier(LogisticRegression()),
        make_pipeline(StandardScaler(), OneVsRestClassifier(LogisticRegression())),
    ],
)
def test_labels_that_go_together_are_scored_with_any_estimator(estimator):
    X, _ = make_hyperbolic_gaussians(120, random_state=1)
    for n_labels in (2, 3):
        Y = overlapping_labels(X)[:, :n_labels]
        evaluation = evaluate({"any": estimator}, X, Y, n_trials=2)
        assert (evaluation.scores("any", "macro_roc_auc") > 0.8).all()


def test_trials_keep_the_share_of_each_class():
    y = np.repeat(["a", "b", "c"], [40, 20, 10])
    for trial in stratified_trials(y, n_trials=4):
        assert sorted([*trial.train, *trial.test]) == list(range(70))
        _, counts = np.unique(y[trial.test], return_counts=True)
        assert counts.tolist() == [20, 10, 5]


@pytest.mark.parametrize("test_size", [0.5, 0.3, 0.77])
def test_trials_are_those_of_scikit_learn(test_size):
    rng = np.random.default_rng(0)
    for n_classes in (1, 2, 5, 12):
        y = np.r_[np.repeat(np.arange(n_classes), 2), rng.integers(n_classes, size=61)]
        for trial in stratified_trials(y, n_trials=3, test_size=test_size):
            splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=trial.seed)
            train, test = next(splitter.split(y, y))
            np.testing.assert_array_equal(trial.train, np.sort(train))
            np.testing.assert_array_equal(trial.test, np.sort(test))


def test_rows_of_single_classes_are_divided_all_the_same():
    for singles in (1, 2, 3):
        y = np.r_[np.zeros(10), np.ones(10), np.arange(2, 2 + singles)]
        for trial in stratified_trials(y, n_trials=2):
            assert len(trial.train) + len(trial.test) == len(y)


def test_a_class_missing_from_the_training_half_is_never_found():
    X, y = make_hyperbolic_gaussians(60, random_state=0)
    y = y.astype(int)
    y[0] = 9
    evaluation = evaluate({"svm": HyperbolicSVC()}, X, y, n_trials=6)
    halves = {int(0 in trial.test) for trial in evaluation.trials}
    assert halves == {0, 1}
    assert np.isfinite([record["macro_aupr"] for record in evaluation.records]).all()


def test_classes_absent_from_the_test_half_do_not_count():
    scores = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [2.0, 0.0, 1.0]])
    found = score_predictions([0, 1, 0], scores, [0, 1, 0], [0, 1, 2])
    assert found["macro_average_precision"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"estimators": {}}, "at least one method"),
        ({"X": None}, "has no input"),
        ({"y": [0, 1]}, "must agree"),
        ({"n_trials": 0}, "n_trials"),
        ({"test_size": 1.5}, "test_size"),
        ({"y": np.linspace(0, 1, 8)}, "class labels"),
    ],
)
def test_bad_input_is_refused_with_a_reason(arguments, message):
    given = {"estimators": {"svm": HyperbolicSVC()}, "X": np.zeros((8, 2)), "y": [0, 1] * 4}
    with pytest.raises(ValueError, match=message):
        evaluate(**given | arguments)


def test_predictions_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"y_pred has shape \(2, 1\) where \(2,\) is needed"):
        score_predictions([0, 1], [0.1, 0.9], [[0], [1]], [0, 1])


def test_an_evaluation_is_short_to_print_and_long_as_a_frame():
    pandas = pytest.importorskip("pandas")
    X, y = make_hyperbolic_gaussians(120, random_state=0)
    estimators = {f"method {k}": HyperbolicSVC(C=10.0**k) for k in range(-4, 4)}
    found = evaluate(estimators, X, y, n_trials=3, protocol="twofold")
    text = repr(found)
    assert text.startswith("Evaluation of 8 methods in 3 trials, macro average precision: ")
    assert text.endswith("and 2 more")
    assert len(text) < 300
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 8 * 3 * 2
    means = frame.groupby("method")["accuracy"].mean()
    summary = found.summary("accuracy")
    assert [each["mean"] for each in summary.values()] == pytest.approx(sorted(means, reverse=True))
    assert all(summary[name]["mean"] == pytest.approx(means[name]) for name in means.index)
    assert all(each["n"] == 6 for each in summary.values())
    with pytest.raises(ValueError, match="score must be one of macro_aupr"):
        found.summary("auc")
