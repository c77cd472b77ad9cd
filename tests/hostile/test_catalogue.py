"""A catalogue of bad input: every call gives a right answer or a clear error, and soon.

The calls are made in child processes, so that a crash or a call that does not end is found out and
named. A part of the catalogue is quick; all of it is marked slow.
"""

import json
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

GROUPS = (
    "classifiers", "geometry", "kernels", "metrics", "graphs", "generators",
    "model files", "tables", "graph files", "commands",
    "families", "evaluation", "experiments", "others", "drawing",
)  # fmt: skip
QUICK_STEP = 23
KNOWN = runpy.run_path(str(Path(__file__).with_name("known.py")))["KNOWN"]
CHILD = Path(__file__).with_name("child.py")


def outcomes(group, step, folder):
    """Make the calls of a group; one that ends the process is followed by a new process."""
    found, first = [], 0
    while True:
        done = subprocess.run(
            [sys.executable, "-P", str(CHILD), group, str(first), str(step), str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        ended = zip(lines[::2], lines[1::2], strict=False)
        found += [(*call[1:], verdict) for call, verdict in ended]
        if done.returncode == 0:
            return found
        if len(lines) % 2 == 0:
            raise RuntimeError(done.stderr[-2000:])
        number, kind, name = lines[-1]
        found.append((kind, name, f"the process ended with {done.returncode}"))
        first = number + 1


def check(group, step, folder, capsys):
    found = outcomes(group, step, folder)
    assert found
    with capsys.disabled():
        counts = Counter(kind for kind, _, _ in found)
        errors = Counter(kind for kind, _, verdict in found if verdict == "error")
        print(f"\n{group}: {len(found)} calls of {len(counts)} kinds")
        for kind, count in counts.items():
            print(f"  {kind}: {count} calls, {errors[kind]} refused")
    wrong = [
        f"{name}: {verdict}"
        for _, name, verdict in found
        if verdict not in ("ok", "error") and name not in KNOWN
    ]
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong)
    mended = [name for _, name, verdict in found if verdict in ("ok", "error") and name in KNOWN]
    assert not mended, f"take off the list of known.py: {mended}"


@pytest.mark.parametrize("group", GROUPS)
def test_a_part_of_the_catalogue_is_answered_or_refused(group, tmp_path, capsys):
    check(group, QUICK_STEP, tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_all_of_the_catalogue_is_answered_or_refused(group, tmp_path, capsys):
    check(group, 1, tmp_path, capsys)
