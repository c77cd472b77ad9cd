"""Estimators with many classes: work is shared, memory is bounded, advice is given."""

import signal
import subprocess
import sys
import tracemalloc
import warnings
from itertools import combinations

import numpy as np
import pytest

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.classifiers import _base as base
from hyplane.classifiers._targets import one_vs_one_votes
from hyplane.solvers import Points, solve_soft_margin


def many_classes(n_classes, n_per_class, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), n_per_class)
    X = 2.0 * rng.normal(size=(n_classes, 5))[y] + 0.2 * rng.normal(size=(len(y), 5))
    return X, y


def test_hundreds_of_classes_are_told_apart():
    X, y = many_classes(250, 10)
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(X, y)
    assert clf.coef_.shape == (250, 6)
    assert clf.score(X, y) > 0.9


def overlapping_classes(n_classes, n_per_class, n_dim, spread=0.3, seed=0):
    """Return classes of which many lie within others: tangent vectors, codes."""
    rng = np.random.default_rng(seed)
    centers = 1.5 * rng.normal(size=(n_classes, n_dim))
    codes = np.repeat(np.arange(n_classes), n_per_class)
    return centers[codes] + spread * rng.normal(size=(len(codes), n_dim)), codes


def signs(codes, k):
    return np.where(codes == k, np.int8(1), np.int8(-1))


@pytest.mark.parametrize(
    ("n_classes", "n_dim", "spread", "C"),
    [(40, 2, 0.3, 1.0), (80, 5, 1.0, 1.0), (60, 10, 0.3, 1.0), (40, 2, 2.0, 1e-5)],
)
def test_the_objective_of_each_class_is_that_of_all_rows(n_classes, n_dim, spread, C):
    X, codes = overlapping_classes(n_classes, 60, n_dim, spread)
    points = Points.from_chart(X, "tangent")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with the smallest C no hyperplane is worth its norm
        clf = HyperbolicSVC(C, coordinates="tangent", random_state=0).fit(X, codes)
    for k in range(0, n_classes, 9):
        result = clf.results_[k]
        assert result.converged or C < 1.0
        everywhere = points.soft_margin_objective(result, signs(codes, k), C=C)
        assert result.objective == pytest.approx(everywhere, rel=1e-10)


def test_the_hyperplane_of_each_class_is_as_good_as_that_of_its_binary_problem():
    X, codes = overlapping_classes(60, 60, 10)
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(X, codes)
    points = Points.from_chart(X, "tangent")
    for k in range(0, 60, 6):
        alone = solve_soft_margin(points, signs(codes, k), seed=k)
        assert clf.objective_[k] <= alone.objective * (1 + 1e-5)


def test_no_descent_from_the_hyperplane_of_a_class_gains():
    """Started at the result, the solver finds no decrease nearby."""
    X, codes = overlapping_classes(50, 60, 3)
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(X, codes)
    points = Points.from_chart(X, "tangent")
    for k in (0, 17, 42):
        found = clf.results_[k]
        again = solve_soft_margin(points, signs(codes, k), starts=[found], seed=k)
        nearby = np.linalg.norm(again.normal - found.normal) < 0.01
        assert not nearby or again.objective == pytest.approx(found.objective, rel=1e-5)


def test_weights_of_rows_of_many_classes_count_like_repeated_rows():
    X, codes = overlapping_classes(40, 60, 3)
    counts = np.random.default_rng(1).integers(1, 4, size=len(codes))
    rows = np.repeat(np.arange(len(codes)), counts)
    weighted, repeated = (
        HyperbolicSVC(coordinates="tangent", random_state=0).fit(*data)
        for data in ((X, codes, counts.astype(float)), (X[rows], codes[rows]))
    )
    assert weighted.objective_[3] == pytest.approx(repeated.objective_[3], rel=1e-5)


def test_many_classes_do_not_depend_on_the_number_of_threads():
    X, y = many_classes(130, 20)
    one, two = (
        HyperbolicSVC(coordinates="tangent", random_state=0, n_jobs=n).fit(X, y) for n in (1, 2)
    )
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_votes_in_chunks_are_the_votes(monkeypatch):
    X, y = many_classes(12, 8)
    clf = HyperbolicSVC(coordinates="tangent", multi_class="ovo", random_state=0).fit(X, y)
    at_once = clf.decision_function(X)
    monkeypatch.setattr(base, "MOST_SCORES", 66 * 7)
    np.testing.assert_array_equal(clf.decision_function(X), at_once)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[at_once.argmax(axis=1)])
    np.testing.assert_array_equal(at_once, one_vs_one_votes(clf._scores(X), 12))


def test_scores_of_pairs_are_not_all_held_at_once():
    X, y = many_classes(60, 4)
    clf = HyperbolicSVC(coordinates="tangent", multi_class="ovo", random_state=0).fit(X, y)
    rows = np.resize(X, (20_000, 5))
    tracemalloc.start()
    clf.decision_function(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # all 1770 scores of each row would be 283 MB


def test_one_vs_one_with_very_many_classes_gives_advice():
    X, y = many_classes(101, 2)
    clf = HyperbolicSVC(coordinates="tangent", multi_class="ovo", random_state=0)
    with pytest.warns(UserWarning, match="101 classes makes 5050 hyperplanes.*'ovr' makes 101"):
        clf.fit(X, y)


def test_a_warm_start_needs_fewer_evaluations_and_ends_at_the_same_minimum():
    X, y = many_classes(5, 40)
    clf = HyperbolicSVC(coordinates="tangent", random_state=0, warm_start=True).fit(X, y)
    first = clf.objective_
    cold = sum(result.n_evaluations for result in clf.results_)
    clf.fit(X, y)
    assert sum(result.n_evaluations for result in clf.results_) < cold
    np.testing.assert_allclose(clf.objective_, first, rtol=1e-6)


def test_a_warm_start_of_other_classes_or_columns_is_a_cold_one():
    X, y = many_classes(4, 20)
    clf = HyperbolicSVC(coordinates="tangent", random_state=0, warm_start=True).fit(X, y)
    cold = HyperbolicSVC(coordinates="tangent", random_state=0)
    for rows, labels in ((X[:, :3], y), (X, y % 3)):
        np.testing.assert_array_equal(clf.fit(rows, labels).coef_, cold.fit(rows, labels).coef_)


@pytest.mark.parametrize("estimator", [HyperbolicSVC, HyperbolicSVCCV])
def test_verbose_says_on_the_standard_error_what_is_done(estimator, capsys, monkeypatch):
    monkeypatch.setattr("hyplane._utils.progress.LINE_SECONDS", 0.0)
    X, y = many_classes(4, 20)
    estimator(coordinates="tangent", random_state=0, verbose=1).fit(X, y)
    said = capsys.readouterr()
    assert "100%" in said.err
    assert not said.out
    estimator(coordinates="tangent", random_state=0).fit(X, y)
    assert not capsys.readouterr().err


@pytest.mark.parametrize("estimator", [HyperbolicSVC, HyperbolicSVCCV])
def test_chunks_of_a_data_frame_keep_the_names_of_its_columns(estimator, monkeypatch):
    pandas = pytest.importorskip("pandas")
    X, y = many_classes(6, 10)
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(5)])
    clf = estimator(coordinates="tangent", multi_class="ovo", random_state=0).fit(frame, y)
    at_once = clf.decision_function(frame)
    monkeypatch.setattr(base, "MOST_SCORES", 15 * 7)
    np.testing.assert_allclose(clf.decision_function(frame), at_once, rtol=1e-12)
    assert clf.score(frame, y) > 0.9


def test_probabilities_of_many_pairs_are_not_all_held_at_once(monkeypatch):
    X, y = many_classes(12, 10)
    clf = HyperbolicSVCCV(
        Cs=[1.0], cv=2, coordinates="tangent", multi_class="ovo", random_state=0
    ).fit(X, y)
    at_once = clf.predict_proba(X)
    monkeypatch.setattr(base, "MOST_SCORES", 66 * 5)
    np.testing.assert_allclose(clf.predict_proba(X), at_once, rtol=1e-12)
    np.testing.assert_allclose(at_once.sum(axis=1), 1.0)


LONG_FIT = """
import signal, sys
import numpy as np
from hyplane import HyperbolicSVC
from hyplane._utils import progress

signal.signal(signal.SIGINT, signal.default_int_handler)
progress.LINE_SECONDS = 0.0
n_classes = {"ovr": 5000, "ovo": 150}[sys.argv[1]]
X = np.random.default_rng(0).normal(size=(n_classes, 2))
try:
    HyperbolicSVC(coordinates="tangent", multi_class=sys.argv[1], verbose=1, random_state=0).fit(
        X, np.arange(n_classes)
    )
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_a_fit_of_very_many_classes_shows_how_far_it_is_and_answers_ctrl_c(multi_class):
    command = [sys.executable, "-W", "ignore", "-c", LONG_FIT, multi_class]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert "binary problems" in child.stderr.readline()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    assert out.strip() == "interrupted"


def votes_in_numpy(scores, n_classes):
    votes = np.zeros((len(scores), n_classes))
    confidence = np.zeros_like(votes)
    for score, (a, b) in zip(scores.T, combinations(range(n_classes), 2), strict=True):
        votes[:, b] += score > 0
        votes[:, a] += score <= 0
        confidence[:, b] += score
        confidence[:, a] -= score
    return votes + confidence / (3.0 * (np.abs(confidence) + 1.0))


def test_votes_are_those_of_their_definition():
    rng = np.random.default_rng(15)
    for n_classes in (1, 2, 3, 6):
        scores = rng.normal(0.0, 3.0, (1000, n_classes * (n_classes - 1) // 2)).round(1)
        actual = one_vs_one_votes(scores, n_classes)
        np.testing.assert_allclose(actual, votes_in_numpy(scores, n_classes), rtol=1e-14)
