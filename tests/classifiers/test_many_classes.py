"""Estimators with many classes: work is shared, memory is bounded."""

import signal
import subprocess
import sys
import tracemalloc
import warnings
from itertools import combinations

import numpy as np
import pytest
from helpers import signs
from helpers import tangent_svc as svc
from sklearn.exceptions import ConvergenceWarning

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.solvers import Points, solve_soft_margin


def many_classes(n_classes, n_per_class, n_dim=5, distance=2.0, spread=0.2):
    """Return tangent vectors around random centres, and codes."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), n_per_class)
    centers = distance * rng.normal(size=(n_classes, n_dim))
    return centers[y] + spread * rng.normal(size=(len(y), n_dim)), y


def overlapping_classes(n_classes, n_dim, spread=0.3):
    """Return classes of which many lie within others."""
    return many_classes(n_classes, 60, n_dim, 1.5, spread)


def test_hundreds_of_classes_are_told_apart():
    X, y = many_classes(250, 10)
    with warnings.catch_warnings():
        # A hyperplane near its limit at infinity may end a little above the tolerance.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = svc().fit(X, y)
    assert clf.converged_.mean() > 0.99
    assert clf.coef_.shape == (250, 6)
    assert clf.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("n_classes", "n_dim", "spread", "C"),
    [(40, 2, 0.3, 1.0), (80, 5, 1.0, 1.0), (60, 10, 0.3, 1.0), (40, 2, 2.0, 1e-5)],
)
def test_the_objective_of_each_class_is_that_of_all_rows(n_classes, n_dim, spread, C):
    X, codes = overlapping_classes(n_classes, n_dim, spread)
    points = Points.from_chart(X, "tangent")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with the smallest C no hyperplane is worth its norm
        clf = svc(C=C).fit(X, codes)
    for k in range(0, n_classes, 9):
        result = clf.results_[k]
        assert result.converged or C < 1.0
        everywhere = points.soft_margin_objective(result, signs(codes == k), C=C)
        assert result.objective == pytest.approx(everywhere, rel=1e-10)


def test_the_hyperplane_of_each_class_is_as_good_as_that_of_its_binary_problem():
    X, codes = overlapping_classes(60, 10)
    clf = svc().fit(X, codes)
    points = Points.from_chart(X, "tangent")
    for k in range(0, 60, 6):
        alone = solve_soft_margin(points, signs(codes == k), seed=k)
        assert clf.objective_[k] <= alone.objective * (1 + 1e-5)


def test_weights_of_rows_of_many_classes_count_like_repeated_rows():
    X, codes = overlapping_classes(40, 3)
    counts = np.random.default_rng(1).integers(1, 4, size=len(codes))
    rows = np.repeat(np.arange(len(codes)), counts)
    weighted = svc().fit(X, codes, counts.astype(float))
    repeated = svc().fit(X[rows], codes[rows])
    assert weighted.objective_[3] == pytest.approx(repeated.objective_[3], rel=1e-5)


def test_many_classes_do_not_depend_on_the_number_of_threads():
    X, y = many_classes(130, 20)
    one, two = (svc(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)


def votes_in_numpy(scores, n_classes):
    votes = np.zeros((len(scores), n_classes))
    confidence = np.zeros_like(votes)
    for score, (a, b) in zip(scores.T, combinations(range(n_classes), 2), strict=True):
        votes[:, b] += score > 0
        votes[:, a] += score <= 0
        confidence[:, b] += score
        confidence[:, a] -= score
    return votes + confidence / (3.0 * (np.abs(confidence) + 1.0))


@pytest.mark.parametrize("n_classes", [3, 6, 12])
def test_votes_are_those_of_their_definition(n_classes):
    X, y = many_classes(n_classes, 8, spread=1.5)
    clf = svc(multi_class="ovo").fit(X, y)
    votes = clf.decision_function(X)
    expected = votes_in_numpy(np.arcsinh(clf.minkowski_products(X)), n_classes)
    np.testing.assert_allclose(votes, expected, rtol=1e-9)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[votes.argmax(axis=1)])


@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (HyperbolicSVC(), "decision_function"),
        (HyperbolicSVCCV([1.0], cv=2), "decision_function"),
        (HyperbolicSVCCV([1.0], cv=2), "predict_proba"),
    ],
    ids=str,
)
def test_many_rows_of_a_data_frame_are_scored_in_chunks_as_few_rows_are(estimator, method):
    pandas = pytest.importorskip("pandas")
    X, y = many_classes(30, 8)
    names = [f"x{k}" for k in range(5)]
    settings = {"coordinates": "tangent", "multi_class": "ovo", "random_state": 0}
    clf = estimator.set_params(**settings).fit(pandas.DataFrame(X, columns=names), y)
    # 435 scores of each row; two million are held at a time.
    frame = pandas.DataFrame(np.tile(X, (21, 1)), columns=names)
    few = getattr(clf, method)(frame[: len(X)])
    np.testing.assert_allclose(getattr(clf, method)(frame), np.tile(few, (21, 1)), rtol=1e-12)


def test_scores_of_pairs_are_not_all_held_at_once():
    X, y = many_classes(60, 4)
    clf = svc(multi_class="ovo").fit(X, y)
    rows = np.resize(X, (20_000, 5))
    tracemalloc.start()
    clf.decision_function(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # all 1770 scores of each row would be 283 MB


def test_a_warm_start_needs_fewer_evaluations_and_ends_at_the_same_minimum():
    X, y = many_classes(5, 40)
    clf = svc(warm_start=True).fit(X, y)
    first, cold = clf.objective_, sum(result.n_evaluations for result in clf.results_)
    clf.fit(X, y)
    assert sum(result.n_evaluations for result in clf.results_) < cold
    np.testing.assert_allclose(clf.objective_, first, rtol=1e-6)


def test_a_warm_start_of_other_classes_or_columns_is_a_cold_one():
    X, y = many_classes(4, 20)
    clf = svc(warm_start=True).fit(X, y)
    for rows, labels in ((X[:, :3], y), (X, y % 3)):
        np.testing.assert_array_equal(clf.fit(rows, labels).coef_, svc().fit(rows, labels).coef_)


@pytest.mark.parametrize("estimator", [HyperbolicSVC, HyperbolicSVCCV])
def test_verbose_says_on_the_standard_error_what_is_done(estimator, capsys, limits):
    limits(LINE_SECONDS=0.0)
    X, y = many_classes(4, 20)
    estimator(coordinates="tangent", random_state=0, verbose=1).fit(X, y)
    said = capsys.readouterr()
    assert "100%" in said.err
    assert not said.out
    estimator(coordinates="tangent", random_state=0).fit(X, y)
    assert not capsys.readouterr().err


LONG_FIT = """
import signal, sys
import numpy as np
from hyplane import HyperbolicSVC

signal.signal(signal.SIGINT, signal.default_int_handler)
n_classes = {"ovr": 5000, "ovo": 150}[sys.argv[1]]
X = np.random.default_rng(0).normal(size=(n_classes, 2))
clf = HyperbolicSVC(coordinates="tangent", multi_class=sys.argv[1], random_state=0)
try:
    print("begun", flush=True)
    clf.fit(X, np.arange(n_classes))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_a_fit_of_very_many_classes_answers_ctrl_c(multi_class):
    command = [sys.executable, "-W", "ignore", "-c", LONG_FIT, multi_class]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "begun\n"
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    assert out.strip() == "interrupted"
