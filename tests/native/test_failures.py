"""A compiled call that runs out of memory or threads ends in an error, never the process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import run_python

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "src" / "hyplane" / "native"

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None
    or not sys.platform.startswith("linux")
    or "LD_PRELOAD" in os.environ,
    reason="needs g++ and a Linux without preloaded libraries",
)

CALLS = """
import ctypes, json, sys
import numpy as np
from hyplane.native import certificate, charts, core, skipgram

library = ctypes.CDLL(sys.argv[1])
library.fail_after.argtypes = [ctypes.c_long]
library.requests_left.restype = ctypes.c_long
rng = np.random.default_rng(0)
few, wide, many = (
    core.pack(rng.normal(size=shape), "tangent", 1.0)[0]
    for shape in ((300, 2), (100, 9), (40_000, 2))
)
y = lambda points: np.where(np.arange(points.n_rows) % 2, 1, -1).astype(np.int8)
X = 0.1 * rng.normal(size=(60_000, 3))
plane = np.array([[0.0, 0.0, 1.0, 0.0]])
planes = np.zeros(2), np.zeros(2), np.eye(3)[:2]
nodes = np.arange(4, dtype=np.int32)
codes, problem = np.arange(300, dtype=np.int32) % 2, np.array([[1, -1, -1]], dtype=np.int32)
asked = np.array([[20.0, 30.0, 10.0, 4.0, 1e-3, 1e300, 0.0, *plane[0]]])
[numbers] = core.passes_of_block(few, codes, None, None, asked, problem)

def descent():
    search = core.Descent(few, y(few), np.ones(300), 1.0, plane, 1e-6, 20, 100, 0.0)
    while not search.done:
        asked = search.ask()
        search.tell(core.passes_of_block(few, codes, None, None, asked[None], problem)[0])
    return search.result()

calls = {
    "pack": lambda: core.pack(X, "ball", 1.0, 4),
    "take": lambda: few.take(np.arange(9)),
    "polar": lambda: core.polar(few),
    "loss_and_gradient": lambda: core.loss_and_gradient(
        many, y(many), None, 1.0, 0.0, 0.1, plane[0, 2:], n_threads=4
    ),
    "weighted": lambda: core.loss_and_gradient(
        many, y(many), np.ones(40_000), 1.0, 0.0, 0.1, plane[0, 2:], n_threads=4
    ),
    "fit of few rows": lambda: core.solve_soft_margin(few, y(few), None, 1.0, 1e-6, 100, 0),
    "fit of wide rows": lambda: core.solve_soft_margin(wide, y(wide), None, 1.0, 1e-6, 100, 0),
    "fit in threads": lambda: core.solve_soft_margin(
        many, y(many), None, 1.0, 1e-6, 100, 0, n_threads=4
    ),
    "fit_folds": lambda: core.fit_folds(
        few, y(few), None, np.arange(300) % 3, np.arange(3), np.ones(1), 1e-6, 100, 0
    ),
    "descent": descent,
    "passes_of_block": lambda: core.passes_of_block(few, codes, np.ones(300), None, asked, problem),
    "merge_passes": lambda: core.merge_passes(numbers, numbers, asked[0]),
    "to_polar": lambda: charts.to_polar(X, "ball", 1.0, 4),
    "scores": lambda: charts.scores(X, "ball", 1.0, *planes, "product", 4),
    "decide": lambda: charts.decide(X, "ball", 1.0, *planes, 4),
    "bound_objective": lambda: certificate.bound_objective(
        np.ones(20), np.arange(20.0), np.tile([1.0, -1.0], 10), 1.0, False, 30.0, 1e-3, 5.0, 300
    ),
    "skipgram": lambda: skipgram.train(
        np.ones((4, 2)), np.ones((4, 2)), np.zeros(4), nodes, nodes,
        np.zeros((4, 2), np.int32), 2, 0.1, 0.1,
    ),
}
answers = {}
for name, call in calls.items():
    library.fail_after(10**9)
    call()
    n_requests = 10**9 - library.requests_left()
    for number in np.unique(np.geomspace(1, n_requests, 25).astype(int)) - 1:
        print(name, number, file=sys.stderr)
        library.fail_after(int(number))
        try:
            call()
            answer = "answer"
        except Exception as error:
            answer = type(error).__name__
        library.fail_after(-1)
        answers.setdefault(name, []).append(answer)
print(json.dumps(answers))
"""


def build(source, target, *options):
    command = ["g++", "-std=c++17", "-O1", "-g", "-pthread", f"-I{SOURCES}", *options]
    subprocess.run([*command, str(HERE / source), "-o", str(target)], check=True)


def test_a_compiled_call_without_memory_raises_memory_error(tmp_path):
    library = tmp_path / "failing_new.so"
    build("failing_new.cpp", library, "-shared", "-fPIC")
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(library)],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-1000:]
    for name, answers in json.loads(done.stdout).items():
        # Without memory for another thread the others do the work.
        assert set(answers) <= {"MemoryError", "answer"}, name
        assert "MemoryError" in answers, name


@pytest.mark.parametrize(
    "sanitizer",
    ["none", *(pytest.param(each, marks=pytest.mark.slow) for each in ("address", "thread"))],
)
def test_what_a_thread_throws_reaches_the_caller(sanitizer, tmp_path):
    program = tmp_path / "row_threads"
    build("row_threads.cpp", program, *([] if sanitizer == "none" else [f"-fsanitize={sanitizer}"]))
    done = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_a_fit_works_where_no_thread_can_be_started():
    code = """
import resource
import numpy as np
from hyplane.native import core
rng = np.random.default_rng(0)
points = core.pack(rng.normal(size=(40_000, 2)), "tangent", 1.0)[0]
y = np.where(np.arange(40_000) % 2, 1, -1).astype(np.int8)
plane = (1.0, 0.0, 0.1, np.array([1.0, 0.0]))
wanted = core.loss_and_gradient(points, y, None, *plane)[0]
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + 2**22  # a stack takes more
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
assert core.loss_and_gradient(points, y, None, *plane, n_threads=64)[0] == wanted
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
