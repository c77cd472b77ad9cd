"""The tests leave no process behind."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

WATCHER = Path(__file__).parents[1] / "end_children.py"
SESSION = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
subprocess.Popen([sys.executable, "-S", sys.argv[1], str(os.getpid()), sys.argv[2]])
print(child.pid, flush=True)
time.sleep(600)
"""


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_children_of_a_killed_session_are_ended():
    session = subprocess.Popen(
        [sys.executable, "-c", SESSION, str(WATCHER), uuid.uuid4().hex],
        stdout=subprocess.PIPE,
        text=True,
    )
    child = int(session.stdout.readline())
    time.sleep(2.0)
    assert alive(child)
    os.kill(session.pid, signal.SIGKILL)
    session.wait()
    session.stdout.close()
    for _ in range(600):
        if not alive(child):
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    raise AssertionError("the child lives on")
