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
from pathlib import Path

import pytest

import hyplane

GROUPS = (
    "classifiers", "families", "geometry", "kernels", "metrics", "graphs", "generators",
    "model files", "tables", "graph files", "commands", "failing files and streams",
    "evaluation", "experiments", "data", "models", "drawing", "solvers", "blocks",
)  # fmt: skip
CHILD = Path(__file__).with_name("child.py")


def printed(group, first, step, folder):
    """Return the exit code of the child, and its lines."""
    command = [sys.executable, "-P", CHILD, group, first, step, folder]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines or done.returncode == 0, done.stderr[-2000:]
    return done.returncode, lines


def check(group, step, folder):
    """Make the calls of a group; one that ends the process is followed by a new process."""
    wrong, first, code = [], 0, None
    while code != 0:
        code, lines = printed(group, first, step, folder)
        if code:
            assert len(lines) % 2, f"the process ended with {code} between two calls"
            lines.append(f"the process ended with {code}")
        for (number, _, name), verdict in zip(lines[::2], lines[1::2], strict=True):
            first = number + 1
            if verdict not in ("ok", "error"):
                wrong.append(f"{name}: {verdict}")
    assert first > 0
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong)


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


def all_names():
    """Give every name of every public module, with its value."""
    modules = [module.name for module in pkgutil.iter_modules(hyplane.__path__, "hyplane.")]
    for module in ["hyplane", *modules]:
        if not module.rpartition(".")[2].startswith("_") and module != "hyplane.native":
            found = importlib.import_module(module)
            yield from ((name, getattr(found, name)) for name in getattr(found, "__all__", ()))


def takes_input(value):
    """Tell constants, errors, modules and functions without arguments from the others."""
    error = isinstance(value, type) and issubclass(value, BaseException)
    return callable(value) and not error and bool(inspect.signature(value).parameters)


def test_every_public_name_is_in_the_catalogue_or_named_as_not_fed(tmp_path):
    _, listed = printed("all", 0, 0, tmp_path)
    assert {group for _, group, _ in listed} == set(GROUPS)
    words = {word for _, _, name in listed for word in re.findall(r"\w+", name)}
    optional = set() if importlib.util.find_spec("torch") else {"to_geoopt"}
    public = {name for name, value in all_names() if takes_input(value)}
    assert public - ANSWERS - words - optional == set()
    called = {word for _, _, name in listed for word in re.findall(r"\w+(?=\()", name)}
    assert ANSWERS & called == set()
    assert ANSWERS - {name for name, _ in all_names()} == set()


def test_a_part_of_the_catalogue_is_answered_or_refused(tmp_path):
    check("all", 131, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_all_of_the_catalogue_is_answered_or_refused(group, tmp_path):
    check(group, 1, tmp_path)
