"""Threads that share the rows: the same bits for any number of them, and none left behind."""

import os
import time

import numpy as np
import pytest
from helpers import run_python

from hyplane import HyperbolicSVC
from hyplane.native import core
from hyplane.solvers import Points, solve_soft_margin

THREADS = (2, 3, 7)


def problem(m, n, seed=0, far=False):
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1, 1], m).astype(np.int8)
    V = rng.normal(size=(m, n))
    V[:, 0] += 0.8 * labels
    if far:
        V *= 60.0
    return Points.from_chart(V, "tangent", pack=True), labels


@pytest.mark.parametrize(
    ("m", "n", "far"),
    [
        *((100_000, 2, False), (60_000, 3, False), (9_000, 40, False), (1_500, 300, False)),
        (40_000, 2, True),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_one_pass_has_the_same_bits_for_any_number_of_threads(m, n, far, weighted):
    rows, labels = problem(m, n, far=far)
    assert rows.packed.far == far
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.1, 2.0, m) if weighted else None
    plane = (-50.0 if far else 0.2, -0.3, np.eye(n)[0])
    one = core.loss_and_gradient(rows.packed, labels, weights, 1.5, *plane)
    for n_threads in THREADS:
        several = core.loss_and_gradient(
            rows.packed, labels, weights, 1.5, *plane, n_threads=n_threads
        )
        assert several[:3] == one[:3]
        np.testing.assert_array_equal(several[3], one[3])


def test_the_sums_of_many_ranges_are_the_sum_of_all_rows():
    """Rows given twice count twice, whatever ranges they fall in."""
    rng = np.random.default_rng(2)
    V, labels = rng.normal(size=(30_000, 2)), rng.choice([-1, 1], 30_000).astype(np.int8)
    once = Points.from_chart(V, "tangent", pack=True).packed
    twice = Points.from_chart(np.vstack([V, V]), "tangent", pack=True).packed
    plane = (0.1, 0.2, np.array([1.0, 0.0]))
    single = core.loss_and_gradient(once, labels, np.full(30_000, 2.0), 1.0, *plane)
    double = core.loss_and_gradient(twice, np.r_[labels, labels], None, 1.0, *plane)
    assert double[0] == pytest.approx(single[0], rel=1e-13)
    np.testing.assert_allclose(double[3], single[3], rtol=1e-10)


def assert_same_bits(rows, labels, weights=None):
    """Fit with several numbers of threads."""
    one = vars(solve_soft_margin(rows, labels, weights))
    for n_threads in THREADS:
        several = vars(solve_soft_margin(rows, labels, weights, n_threads=n_threads))
        np.testing.assert_array_equal(several.pop("normal"), one["normal"])
        assert several.items() <= one.items()


def test_a_fit_has_the_same_bits_for_any_number_of_threads():
    assert_same_bits(*problem(150_000, 2))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_fit_with_heavy_rows_has_the_same_bits_for_any_number_of_threads(weighted):
    # Kink steps on all 60 000 rows.
    rows, labels = problem(60_000, 3)
    weights = np.ones(60_000)
    weights[:20] = 3000.0
    if not weighted:
        chosen = np.repeat(np.arange(60_000), weights.astype(int))
        rows, labels, weights = rows[chosen], labels[chosen], None
    assert_same_bits(rows, labels, weights)


def test_estimators_divide_their_threads_between_problems_and_rows():
    rng = np.random.default_rng(3)
    y = np.arange(120_000) % 3
    X = rng.normal(size=(120_000, 2)) + 1.5 * np.column_stack([np.cos(2 * y), np.sin(2 * y)])
    one = HyperbolicSVC(coordinates="tangent", random_state=0).fit(X, y)
    several = HyperbolicSVC(coordinates="tangent", random_state=0, n_jobs=8).fit(X, y)
    np.testing.assert_array_equal(several.coef_, one.coef_)
    np.testing.assert_array_equal(several.decision_function(X), one.decision_function(X))
    np.testing.assert_array_equal(several.predict(X), one.predict(X))


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads as Linux lists them")
def test_no_thread_outlives_its_fit():
    rows, labels = problem(60_000, 2)
    before = len(os.listdir("/proc/self/task"))
    for _ in range(3):
        solve_soft_margin(rows, labels, n_threads=4)
    # The system lists a thread for a moment after it was joined.
    until = time.monotonic() + 10.0
    while len(os.listdir("/proc/self/task")) > before and time.monotonic() < until:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_forked_after_a_fit_can_fit_again():
    code = """
import os, sys
import numpy as np
from hyplane.solvers import Points, solve_soft_margin
rng = np.random.default_rng(0)
labels = rng.choice([-1, 1], 60_000).astype(np.int8)
rows = Points.from_chart(rng.normal(size=(60_000, 2)), "tangent", n_threads=2, pack=True)
before = solve_soft_margin(rows, labels, n_threads=2).objective
child = os.fork()
if child == 0:
    os._exit(0 if solve_soft_margin(rows, labels, n_threads=2).objective == before else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run_python(code).returncode == 0
