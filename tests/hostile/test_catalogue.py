"""A catalogue of bad input: every call gives a right answer or a clear error, and soon.

The calls are made in child processes, so that a crash or a call that does not end is found out and
named. A part of the catalogue is quick; all of it is marked slow.
"""

import importlib.util
import inspect
import json
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import hyplane

GROUPS = (
    "classifiers", "geometry", "kernels", "metrics", "graphs", "generators",
    "model files", "tables", "graph files", "commands",
    "families", "evaluation", "experiments", "others", "drawing", "solvers", "blocks",
    "parts of fits", "failing files and streams",
)  # fmt: skip
QUICK_STEP = 67
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
    wrong = [f"{name}: {verdict}" for _, name, verdict in found if verdict not in ("ok", "error")]
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong)


# Names that no call of the catalogue has, by the reason.
NOT_FED = {
    "results: functions return them, and nobody has to make one": (
        "Certificate Evaluation HardMarginResult Network PairedTest PowerLaw"
        " PopularitySimilarityNetwork ReproductionSummary SavedModel SoftMarginResult Trial"
    ),
    "pictures: functions return them, made of points that were checked": (
        "Explorer HalfPlaneDisplay HyperboloidDisplay KleinDisplay ModelDisplay PoincareDisplay"
    ),
    "contracts to inherit from; what inherits is fed": "Blocks Experiment",
    "an entry of the register of methods, whose names are fed": "Method",
    "sources of blocks make it; these are fed": "Block",
}
ANSWERS = {name for names in NOT_FED.values() for name in names.split()}


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """Kind and name of every call of every group."""
    folder = tmp_path_factory.mktemp("catalogue")
    done = subprocess.run(
        [sys.executable, "-P", str(CHILD), "names", "0", "1", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def public_names():
    """Give every name of every public module, but constants, errors and modules."""
    modules = [module.name for module in pkgutil.iter_modules(hyplane.__path__, "hyplane.")]
    for module in ["hyplane", *modules]:
        if not module.rpartition(".")[2].startswith("_") and module != "hyplane.native":
            found = importlib.import_module(module)
            for name in getattr(found, "__all__", ()):
                value = getattr(found, name)
                error = isinstance(value, type) and issubclass(value, BaseException)
                if name in ANSWERS or error or not callable(value):
                    continue
                if inspect.signature(value).parameters:
                    yield module, name


def test_every_public_name_is_in_the_catalogue(listed):
    words = {word for _, _, name in listed for word in re.findall(r"\w+", name)}
    optional = set() if importlib.util.find_spec("torch") else {"to_geoopt"}
    assert {each for each in public_names() if each[1] not in words | optional} == set()


def test_names_that_are_not_fed_are_public_and_not_in_the_catalogue(listed):
    words = {word for _, _, name in listed for word in re.findall(r"\w+(?=\()", name)}
    assert ANSWERS & words == set()
    public = {
        name
        for module in pkgutil.iter_modules(hyplane.__path__, "hyplane.")
        for name in getattr(importlib.import_module(module.name), "__all__", ())
    }
    assert ANSWERS - public == set()


@pytest.mark.parametrize("group", GROUPS)
def test_a_part_of_the_catalogue_is_answered_or_refused(group, tmp_path, capsys):
    check(group, QUICK_STEP, tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_all_of_the_catalogue_is_answered_or_refused(group, tmp_path, capsys):
    check(group, 1, tmp_path, capsys)
