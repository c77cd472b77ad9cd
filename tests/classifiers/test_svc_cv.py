"""HyperbolicSVCCV: the paper's procedure, against a plain statement of it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from helpers import refuses, ring
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.metrics import average_precision_score, log_loss
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import convert, minkowski_product
from hyplane.metrics import METRICS
from hyplane.solvers import Points, SoftMargin
from hyplane.solvers.rows import BinaryRows
from hyplane.solvers.squared_hinge import SquaredHinge

CS = (0.1, 1.0, 10.0)
EXACT = 1e-10  # different starts then end at the same hyperplane to many digits


def blobs(n_classes=2, m=120, spread=1.0):
    return ring(n_classes, m, spread, radius=1.2)


def labels_that_go_together(m=120, seed=0, spread=0.5):
    V, _ = blobs(m=m)
    noise = spread * np.random.default_rng(seed).standard_normal((m, 3))
    Y = np.column_stack([V[:, 0], V[:, 1], V[:, 0] + V[:, 1] - 1.0]) + noise > 0
    return V, Y.astype(int)


def tangent(**parameters):
    return HyperbolicSVCCV(CS, coordinates="tangent", random_state=0, **parameters)


def plain_procedure(V, positive, cv):
    """Choose C and calibrate one binary problem, step by step."""
    pooled, scores = [], []
    for C in CS:
        out_of_fold = np.empty(len(V))
        for training, test in cv.split(V, positive):
            svc = HyperbolicSVC(C, coordinates="tangent", tol=EXACT, random_state=1)
            svc.fit(V[training], positive[training])
            out_of_fold[test] = svc.decision_function(V[test])
        pooled.append(np.arcsinh(out_of_fold))
        scores.append(average_precision_score(positive, out_of_fold))
    best = int(np.argmax(scores))  # the first of equals
    n_yes, n_no = positive.sum(), (~positive).sum()
    targets = np.where(positive, (n_yes + 1) / (n_yes + 2), 1 / (n_no + 2))

    def cross_entropy(parameters):
        p = expit(parameters[0] * pooled[best] + parameters[1])
        return -np.sum(targets * np.log(p) + (1 - targets) * np.log(1 - p))

    slope, intercept = minimize(
        cross_entropy, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10}
    ).x
    final = HyperbolicSVC(CS[best], coordinates="tangent", tol=EXACT, random_state=1).fit(
        V, positive
    )
    score = np.arcsinh(final.decision_function(V))
    return CS[best], scores, expit(slope * score + intercept)


def binary_problems(y, kind):
    if y.ndim == 2:
        return [(np.arange(len(y)), column == 1) for column in y.T]
    if len(np.unique(y)) == 2:
        return [(np.arange(len(y)), y == 1)]
    if kind == "ovr":
        return [(np.arange(len(y)), y == k) for k in np.unique(y)]
    pairs = combinations(np.unique(y), 2)
    return [(np.flatnonzero((y == a) | (y == b)), y[(y == a) | (y == b)] == b) for a, b in pairs]


@pytest.mark.parametrize(
    ("data", "multi_class"),
    [
        # Classes that overlap a little: where they overlap much, folds have minima close to each
        # other, and it depends on the starts which of them is found.
        (blobs(2, spread=0.6), "ovr"),
        (blobs(3, spread=0.6), "ovr"),
        (blobs(3, spread=0.6), "ovo"),
        (labels_that_go_together(spread=0.1), "ovr"),
    ],
    ids=["binary", "one-vs-rest", "one-vs-one", "multi-label"],
)
def test_selection_and_calibration_agree_with_a_plain_implementation(data, multi_class):
    V, y = data
    cv = StratifiedKFold(4)
    clf = tangent(cv=cv, multi_class=multi_class, tol=EXACT).fit(V, y)
    scores = np.arcsinh(clf.minkowski_products(V)).reshape(len(V), -1)
    log_odds = clf.sigmoids_.slope * scores + clf.sigmoids_.intercept
    for k, (rows, positive) in enumerate(binary_problems(y, multi_class)):
        C, of_grid, probabilities = plain_procedure(V[rows], positive, cv)
        np.testing.assert_allclose(clf.cv_scores_[k], of_grid, rtol=1e-9)
        assert clf.C_[k] == C
        np.testing.assert_allclose(expit(log_odds[rows, k]), probabilities, atol=1e-4)
    assert (clf.n_folds_ == 4).all()


def test_two_classes_are_told_apart_by_the_side_or_by_the_probability():
    V, y = blobs(2, m=300, spread=1.5)
    kept = (y == 0) | (np.arange(300) % 3 == 0)  # classes of different size
    V, y = V[kept], y[kept]
    side, probable = (
        tangent(threshold=threshold).fit(V, y) for threshold in ("side", "probability")
    )
    plain = HyperbolicSVC(side.C_[0], coordinates="tangent", random_state=0).fit(V, y)
    np.testing.assert_array_equal(side.predict(V), plain.predict(V))
    np.testing.assert_array_equal(side.decision_function(V) > 0, plain.predict(V))
    np.testing.assert_array_equal(side.predict_proba(V), probable.predict_proba(V))
    most_probable = probable.predict_proba(V).argmax(axis=1)
    np.testing.assert_array_equal(probable.predict(V), most_probable)
    assert (most_probable != side.predict(V)).any()


def test_isotonic_probabilities_follow_shares_that_are_no_sigmoid_of_the_score():
    # Errors are frequent far from the hyperplane.
    rng = np.random.default_rng(0)
    V = rng.normal(size=(4000, 2))
    share = np.where(np.abs(V[:, 0]) < 1.0, 0.95, 0.55)
    y = ((V[:, 0] > 0) == (rng.random(4000) < share)).astype(int)
    losses = {}
    for calibration in ("sigmoid", "isotonic"):
        clf = tangent(calibration=calibration).fit(V[:2000], y[:2000])
        losses[calibration] = log_loss(y[2000:], clf.predict_proba(V[2000:]))
    assert losses["isotonic"] < losses["sigmoid"] - 0.01
    clf.set_params(calibration="sigmoid").fit(V[:100], y[:100])
    assert not hasattr(clf, "isotonic_")


@pytest.mark.parametrize("solver", [SoftMargin(), SquaredHinge()], ids=["soft", "squared"])
def test_a_fold_knows_nothing_of_the_labels_it_leaves_out(solver):
    # Labels that do not depend on the place have many minima: which is found depends on the starts.
    for seed in range(10):
        rng = np.random.default_rng(seed)
        V, folds = 2.0 * rng.standard_normal((60, 10)), np.arange(60) % 3
        data = Points.from_chart(V, "tangent") if isinstance(solver, SoftMargin) else V
        labels = np.where(rng.random(60) < 0.3, 1, -1).astype(np.int8)
        for k in range(3):
            others = np.where(folds == k, -labels, labels)
            before, after = (
                solver.out_of_fold_scores(
                    BinaryRows(data, each, None, folds), range(3), np.array(CS)
                )
                for each in (labels, others)
            )
            np.testing.assert_allclose(before[folds == k], after[folds == k], rtol=1e-12)
            assert (before[folds != k] != after[folds != k]).any()


@pytest.mark.parametrize("scoring", METRICS)
def test_the_scores_of_the_grid_are_those_of_the_metric_named(scoring):
    V, y = blobs()
    cv = StratifiedKFold(3)
    clf = tangent(cv=cv, scoring=scoring).fit(V, y)
    for C, score in zip(CS, clf.cv_scores_[0], strict=True):
        pooled = np.empty(len(y))
        for training, test in cv.split(V, y):
            svc = HyperbolicSVC(C, coordinates="tangent", random_state=0)
            pooled[test] = svc.fit(V[training], y[training]).decision_function(V[test])
        assert score == pytest.approx(METRICS[scoring](y, pooled, None), abs=1e-9)
    assert clf.C_[0] == CS[np.argmax(clf.cv_scores_[0])]


@pytest.mark.parametrize("Cs", [(0.1, 1.0, 10.0), [10.0, 0.1, 1.0]])
def test_the_smaller_of_equally_good_values_of_C_is_chosen(Cs):
    V, y = blobs(spread=0.1)
    clf = HyperbolicSVCCV(Cs, coordinates="tangent", random_state=0).fit(V, y)
    np.testing.assert_allclose(clf.cv_scores_, 1.0)
    assert clf.C_ == [0.1]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_the_last_fit_is_that_of_hyperbolic_svc(multi_class):
    V, y = blobs(3)
    clf = tangent(multi_class=multi_class).fit(V, y)
    for k, C in enumerate(clf.C_):
        svc = HyperbolicSVC(C, coordinates="tangent", multi_class=multi_class, random_state=0)
        svc.fit(V, y)
        np.testing.assert_array_equal(clf.coef_[k], svc.coef_[k])
        np.testing.assert_array_equal(clf.signed_distance(V)[:, k], svc.signed_distance(V)[:, k])
        assert clf.objective_[k] == svc.objective_[k]
    assert clf.converged_.all()
    assert len(clf.results_) == len(clf.n_iter_) == 3


def reliability(probabilities, truth, n_bins=10):
    """Largest difference between mean probability and frequency over equally full bins."""
    bins = np.array_split(np.argsort(probabilities), n_bins)
    return max(abs(probabilities[rows].mean() - truth[rows].mean()) for rows in bins)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_probabilities_are_calibrated_on_a_large_set(seed):
    X, y = make_hyperbolic_gaussians(
        [20_000, 20_000], centers=[[0.35, 0.0], [-0.35, 0.0]], random_state=seed
    )
    clf = HyperbolicSVCCV(random_state=0).fit(X[:10_000], y[:10_000])
    probabilities = clf.predict_proba(X[10_000:])[:, 1]
    assert reliability(probabilities, y[10_000:]) < 0.03
    # And they say something: from rather sure to rather sure.
    assert np.quantile(probabilities, 0.1) < 0.15
    assert np.quantile(probabilities, 0.9) > 0.85


@pytest.mark.parametrize("threshold", ["side", "probability"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_predictions_scores_and_probabilities_agree(n_classes, multi_class, threshold):
    V, y = blobs(n_classes, m=200)
    y = np.array(["a", "b", "c", "d", "e"])[y]
    clf = tangent(multi_class=multi_class, threshold=threshold).fit(V, y)
    probabilities, scores = clf.predict_proba(V), clf.decision_function(V)
    assert probabilities.shape == (200, n_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (clf.predict(V) == clf.classes_[probabilities.argmax(axis=1)]).all()
    if n_classes == 2:
        assert scores.shape == (200,)
        assert (clf.predict(V) == clf.classes_[(scores > 0).astype(int)]).all()
    else:
        assert scores.shape == (200, n_classes)
        assert (clf.predict(V) == clf.classes_[scores.argmax(axis=1)]).all()
    assert clf.score(V, y) > 0.5


def test_scores_keep_the_order_of_the_products():
    V, y = blobs(3)
    clf = tangent().fit(V, y)
    products = minkowski_product(convert(V, "tangent", "hyperboloid")[:, None], clf.coef_[None])
    np.testing.assert_allclose(clf.minkowski_products(V), products, rtol=1e-9, atol=1e-12)
    for column, product in zip(clf.decision_function(V).T, products.T, strict=True):
        # Support vectors tie at 1 and -1 to rounding.
        assert np.diff(column[np.argsort(product)]).min() > -1e-9


def test_labels_that_all_rows_have_or_none_are_handled():
    V, Y = labels_that_go_together()
    Y = np.column_stack([Y[:, 0], np.zeros(120, int), np.ones(120, int), Y[:, 1]])
    clf = tangent().fit(V, Y)
    probabilities = clf.predict_proba(V)
    np.testing.assert_allclose(probabilities[:, 1], 1 / 122)
    np.testing.assert_allclose(probabilities[:, 2], 121 / 122)
    np.testing.assert_array_equal(clf.predict(V)[:, 1:3], Y[:, 1:3])
    np.testing.assert_array_equal(clf.predict(V), probabilities > 0.5)
    assert np.isnan(clf.C_).tolist() == [False, True, True, False]
    assert np.isnan(clf.cv_scores_[1:3]).all()
    assert clf.n_folds_.tolist() == [5, 0, 0, 5]
    # The other labels are as if these were not there.
    clf.set_params(cv=StratifiedKFold(5))
    together = clone(clf).fit(V, Y).predict_proba(V)[:, [0, 3]]
    alone = clone(clf).fit(V, Y[:, [0, 3]]).predict_proba(V)
    # The seeds differ, so these agree to the root of the solver's tolerance.
    np.testing.assert_allclose(together, alone, atol=2e-4)


def test_a_class_of_fewer_rows_than_folds_is_left_out_row_by_row():
    V, _ = blobs(2)
    clf = tangent(cv=5).fit(V, np.arange(len(V)) < 3)
    assert clf.n_folds_ == [5]
    assert np.isfinite(clf.cv_scores_).all()


def test_a_class_of_a_single_row_is_fitted_without_cross_validation_and_said_so():
    V, y = blobs(2)
    V, y = np.vstack([V, [[0.0, 5.0]]]), np.append(y, 2)
    with pytest.warns(UserWarning, match="no cross validation for class 2: a single row"):
        clf = tangent().fit(V, y)
    assert clf.n_folds_.tolist() == [5, 5, 0]
    assert clf.C_[2] == 1.0
    assert np.isnan(clf.cv_scores_[2]).all()
    probabilities = clf.predict_proba(V)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert probabilities[:, 2].argmax() == 120


def test_weights_count_like_repeated_rows():
    V, y = blobs(3, m=90, spread=0.6)
    repeats = np.random.default_rng(0).integers(0, 4, 90)
    fold = np.random.default_rng(1).integers(0, 3, 90)

    def splits(fold):
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]

    weighted = tangent(cv=splits(fold)).fit(V, y, sample_weight=repeats)
    repeated = tangent(cv=splits(np.repeat(fold, repeats))).fit(
        np.repeat(V, repeats, axis=0), np.repeat(y, repeats)
    )
    np.testing.assert_allclose(weighted.cv_scores_, repeated.cv_scores_)
    np.testing.assert_allclose(weighted.predict_proba(V), repeated.predict_proba(V), atol=1e-4)
    by_class = tangent(cv=splits(fold), class_weight={0: 1, 1: 2, 2: 3}).fit(V, y)
    by_row = tangent(cv=splits(fold)).fit(V, y, sample_weight=y + 1)
    np.testing.assert_allclose(by_class.predict_proba(V), by_row.predict_proba(V), atol=1e-6)


def test_folds_must_be_a_partition_with_both_sides_to_learn_from():
    V, y = blobs()
    refuses("out 2 times", tangent(cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2)).fit, V, y)
    refuses("out 0 times", tangent(cv=ShuffleSplit(1, random_state=0)).fit, V, y)
    halves = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    with pytest.raises(ValueError, match="training part of fold 0 has one side only of class 1"):
        tangent(cv=[halves, halves[::-1]]).fit(V, y)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("Cs", [], "one or more numbers"),
        ("Cs", [1.0, -1.0], "positive and finite; got -1"),
        ("Cs", [np.inf], "HyperbolicSVC"),
        ("Cs", [[1.0]], "one or more numbers"),
        ("Cs", 1.0, "'Cs' parameter"),
        ("cv", 1, "'cv' parameter"),
        ("scoring", "accuracy", "'scoring' parameter"),
    ],
)
def test_wrong_parameters_are_named(name, value, message):
    with pytest.raises(ValueError, match=message):
        tangent().set_params(**{name: value}).fit(*blobs())


def test_it_works_in_pipelines_searches_and_with_pandas():
    V, y = blobs(3)
    frame = pd.DataFrame(V, columns=["x", "y"])
    names = pd.Series(y).map({0: "red", 1: "green", 2: "blue"})
    pipeline = make_pipeline(FunctionTransformer(feature_names_out="one-to-one"), tangent())
    pipeline.fit(frame, names)
    assert pipeline[-1].feature_names_in_.tolist() == ["x", "y"]
    assert set(pipeline.predict(frame)) == {"red", "green", "blue"}
    search = GridSearchCV(
        tangent(cv=2), {"multi_class": ["ovr", "ovo"]}, scoring="neg_log_loss", cv=2
    ).fit(frame, names)
    assert search.best_score_ > -np.log(3)
    assert cross_val_score(tangent(cv=2), V, y, scoring="roc_auc_ovr", cv=2).min() > 0.7


@pytest.mark.parametrize(
    "clf", [HyperbolicSVC(C=3.0, random_state=0), HyperbolicSVCCV(cv=3, random_state=0)], ids=repr
)
def test_other_names_of_the_classes_change_their_order_alone(clf):
    rng = np.random.default_rng(193)
    X, y = rng.uniform(-0.6, 0.6, (90, 2)), np.arange(90) % 3
    X[:, 0] += 0.2 * (y - 1)
    clf = clone(clf).set_params(multi_class="ovr")
    coef = clf.fit(X, y).coef_
    np.testing.assert_array_equal(coef, clf.fit(X, 2 - y).coef_[::-1])


def rising(scores, probabilities):
    """Whether no probability is lower than that of a lower score, but for rounding."""
    return np.diff(probabilities[np.argsort(scores)]).min() >= -1e-15


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_never_fall_with_the_score_whatever_the_labels(seed):
    # Few labels that mean nothing: the class that a fold has less of is the one it is tested on.
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-0.6, 0.6, (24, 2)), rng.permutation(np.arange(24) % 2)
    clf = HyperbolicSVCCV((1.0,), cv=12, scoring="roc_auc", random_state=0).fit(X, y)
    scores, probabilities = clf.decision_function(X), clf.predict_proba(X)[:, 1]
    assert rising(scores, probabilities)
    if seed == 5:  # here a sigmoid without a lower bound would fall
        assert clf.cv_scores_[0, 0] < 0.45
        assert probabilities[scores.argmin()] < probabilities[scores.argmax()]
        np.testing.assert_allclose(probabilities, 0.5, atol=0.01)
    several = HyperbolicSVCCV((1.0,), cv=6, random_state=0).fit(X, rng.integers(0, 2, (24, 4)))
    scores, probabilities = several.decision_function(X), several.predict_proba(X)
    for label in range(4):
        assert rising(scores[:, label], probabilities[:, label])


@pytest.mark.parametrize(
    ("cv", "sentence"),
    [
        ([([0, 1], [2]), ([2], [200])], "split 1 of cv .* rows 0 to 3 of X: index 200 is out"),
        ([([0, 1], [-9])], "split 0 of cv .* index -9 is out"),
        ([([0, 1], ["a"])], "split 0 of cv must be a pair"),
        ([([0, 1], [0.5])], "split 0 of cv must be a pair"),
        ([1, 2], "split 0 of cv must be a pair"),
        ([([0, 1], [2]), ([2, 3], [0])], "cv leaves row 1 out 0 times"),
    ],
)
def test_splits_name_rows_that_exist(cv, sentence):
    with pytest.raises(ValueError, match=sentence):
        HyperbolicSVCCV(cv=cv).fit([[0.1, 0.2], [-0.3, 0.1], [0.2, 0.2], [-0.2, 0.1]], [0, 1, 0, 1])


def test_test_parts_may_be_masks():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-0.6, 0.6, size=(40, 2)), np.arange(40) % 2
    even = np.arange(40) // 2 % 2 == 0
    masks = [(~even, even), (even, ~even)]
    rows = [[np.flatnonzero(part) for part in split] for split in masks]
    one, other = (HyperbolicSVCCV(cv=cv, random_state=0).fit(X, y) for cv in (masks, rows))
    np.testing.assert_array_equal(one.cv_scores_, other.cv_scores_)
