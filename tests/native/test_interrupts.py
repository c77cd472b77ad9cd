"""Ctrl-C and the end of the process reach compiled code, on the main thread and on others."""

import signal
import sys
import textwrap

import pytest
from helpers import run_python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PROBLEM = """
import os, signal, sys, threading, time
import numpy as np
from hyplane.native import core

# A shell starts its background jobs with SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def problem(m, n, seed=0):
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal((m, n))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    points = core.PackedPoints(m, n, False)
    points.fill(0, rng.uniform(0.1, 3.0, m), direction)
    return points, rng.choice([-1, 1], m).astype(np.int8)

def solve(points, labels, n_threads=1):
    # A tolerance of 0 keeps the solver at work.
    return core.solve_soft_margin(points, labels, None, 1.0, 0.0, 10**9, 0, n_threads=n_threads)
"""


def run(code):
    return run_python(PROBLEM + textwrap.dedent(code))


@pytest.mark.parametrize(
    ("size", "n_threads"),
    [((200, 2000), 1), ((400, 100), 1), ((100_000, 20), 1), ((200_000, 20), 3)],
)
def test_ctrl_c_ends_a_fit_on_the_main_thread(size, n_threads):
    done = run(
        f"""
        points, labels = problem{size}
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            while True:
                solve(points, labels, {n_threads})
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "interrupted"


ARGUMENTS = """
from hyplane.native import charts, skipgram
rng = np.random.default_rng(0)

def walk(length, n_dim):
    vectors, outputs = np.full((2, n_dim), 1e-3, np.float32), np.zeros((2, n_dim), np.float32)
    nodes, narrowing = rng.integers(0, 2, (1, length)), np.zeros((1, length), np.int64)
    path = np.array([0, 1, 2]), np.zeros(2, np.int32), np.array([0, 1], np.uint8)
    return vectors, outputs, nodes.astype(np.int32), narrowing, length, *path, 1e-9

def pairs(m, n_dim, n_negatives):
    nodes = rng.integers(0, 50, (m, n_negatives)).astype(np.int32)
    vectors, outputs = rng.random((2, 50, n_dim))
    centers, contexts = nodes[:, 0].copy(), nodes[:, 1].copy()
    return vectors, outputs, np.zeros(50), centers, contexts, nodes, m, 0.1, 0.1

def scores(n_threads):
    X = np.broadcast_to(np.full(1000, 0.001), (10**8, 1000))  # one row in memory
    planes = np.zeros(1), np.zeros(1), np.full((1, 1000), 1000**-0.5)
    return X, "ball", 1.0, *planes, "product", n_threads

def folds(m, n):
    return *problem(m, n), None, np.arange(m), np.arange(m), np.ones(9), 1e-6, 100, 0
"""


# Each computes for several seconds at least where nobody interrupts it.
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("skipgram.train_walks", "walk(10**5, 8)"),
        ("skipgram.train_walks", "walk(10**3, 2**18)"),
        ("skipgram.train", "pairs(2 * 10**5, 300, 20)"),
        ("core.fit_folds", "folds(4000, 40)"),
        ("charts.scores", "scores(1)"),
        ("charts.scores", "scores(2)"),
    ],
)
def test_ctrl_c_is_answered_after_less_than_a_second_of_computing(function, arguments):
    done = run(
        ARGUMENTS
        + f"""
arguments = {arguments}
pressed = []

begun = time.process_time()  # in which other processes do not count

def press():
    while time.process_time() < begun + 0.7:
        time.sleep(0.01)
    pressed.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
try:
    {function}(*arguments)
except KeyboardInterrupt:
    print(time.process_time() - pressed[0])
"""
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0


@pytest.mark.parametrize(
    "call",
    [
        "solve(points, labels)",
        "charts.to_polar(X, 'ball', 1.0)",
        "charts.decide(X, 'ball', 1.0, planes[0], planes[0], planes)",
        "charts.scores(X, 'ball', 1.0, planes[0], planes[0], planes, 'product')",
    ],
)
def test_a_call_on_a_daemon_thread_does_not_abort_the_end_of_the_process(call):
    done = run(
        f"""
        from hyplane.native import charts
        points, labels = problem(400, 100)
        X, planes = np.full((100_000, 3), 0.2), np.eye(3)
        def work():
            while True:
                {call}
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.5)
        """
    )
    assert done.returncode == 0, done.stderr
    assert "terminate called" not in done.stderr


def test_ctrl_c_during_joblib_threads_is_a_keyboard_interrupt_and_no_abort():
    done = run(
        """
        from joblib import Parallel, delayed
        made = [problem(400, 100, seed) for seed in range(4)]
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        Parallel(n_jobs=2, backend="threading")(
            delayed(solve)(*each) for each in made * 100
        )
        """
    )
    assert done.returncode == -signal.SIGINT, done.stderr
    assert "KeyboardInterrupt" in done.stderr
    assert "terminate called" not in done.stderr


def test_ctrl_c_is_answered_while_another_library_computes():
    done = run(
        """
        import ctypes
        from hyplane._utils.parallel import interruptible
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            interruptible(lambda: [ctypes.CDLL(None).sleep(1000) for _ in range(9)])
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "interrupted"
