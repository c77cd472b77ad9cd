"""No process that a test started outlives pytest, not even where pytest is killed."""

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from hypothesis import settings

# Before NumPy is loaded: if each worker of a session had a thread for every processor, they would
# wait for each other most of the time.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No deadline: the machine may be busy. The examples of property tests are new in every run, except
# where a run decides whether a change is taken.
settings.register_profile(
    "hyplane",
    deadline=None,
    max_examples=40,
    derandomize="HYPLANE_SAME_EXAMPLES" in os.environ,
)
settings.load_profile("hyplane")

# For helpers.py and the modules beside tests that are imported by name.
TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS), str(TESTS / "native"), str(TESTS / "differential")]

VARIABLE = "HYPLANE_TEST_SESSION"
_watchers = []


def pytest_configure(config):
    """Start the watcher, unless this is a worker of a session that has one."""
    # A shell that starts pytest in the background has it ignore Ctrl-C, which tests send.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "linux" or VARIABLE in os.environ:
        return
    os.environ[VARIABLE] = uuid.uuid4().hex
    watcher = TESTS / "end_children.py"
    command = [sys.executable, "-S", str(watcher), str(os.getpid()), os.environ[VARIABLE]]
    _watchers.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True))


def pytest_unconfigure(config):
    """End the watcher."""
    while _watchers:
        watcher = _watchers.pop()
        watcher.kill()
        watcher.wait()


@pytest.fixture(scope="session")
def cluster():
    """A Dask cluster of two processes, and a client of it that is the default one."""
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("dask.array")
    # Any free port for its pages: two clusters at a time would be warned of the usual one.
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**settings, host="127.0.0.1") as made,
        distributed.Client(made) as client,
    ):
        yield client


# Numbers that decide from which size on rows are read block by block, sampled or shown.
LIMITS = {
    "LEAST_BYTES": "hyplane._utils.validation",
    "usual_rows": "hyplane.out_of_core.rows",
    "MOST_ROWS": "hyplane.classifiers._lazy_input",
    "SAMPLE_ROWS": "hyplane.solvers.tuning",
    "MOST_SAMPLED": "hyplane.solvers.tuning",
    "WORKING_ROWS": "hyplane.solvers.tuning",
    "PROBLEMS_TOGETHER": "hyplane.solvers.tuning",
    "ROWS_PER_GROUP": "hyplane.solvers.reservoir",
    "DELAY": "hyplane._utils.progress",
    "LINE_SECONDS": "hyplane._utils.progress",
}


@pytest.fixture
def limits(monkeypatch):
    """Return a function that sets limits, so that a few thousand rows are many."""

    def set_limits(**numbers):
        for name, number in numbers.items():
            monkeypatch.setattr(f"{LIMITS[name]}.{name}", number)

    return set_limits
