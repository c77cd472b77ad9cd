"""A report that somebody else prepared: going on with it runs nothing that lies in its folder."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
pytest.importorskip("jinja2")

SMALL = """
[gaussian]
n_datasets = 2
n_per_class = 12
laws = ["riemannian"]
"""
# Names that Python, the package or its libraries might look for.
MODULES = (
    *("sitecustomize", "usercustomize", "conftest", "__init__", "__main__", "planted"),
    *("hyplane", "numpy", "json", "sklearn", "joblib", "matplotlib", "pandas", "gaussian"),
)


class Planted:
    """A pickle of this runs a program when it is loaded."""

    def __init__(self, program):
        self.program = program

    def __reduce__(self):
        return exec, (self.program,)


def trap(trace):
    """Return a program that leaves a line in a file where it is run."""
    return f"with open({str(trace)!r}, 'a') as file: file.write('run ' + __name__ + ';')"


def reproduce(place, *more):
    """Run the command as its script does: without the current folder among the modules."""
    command = [sys.executable, "-P", "-m", "hyplane", "reproduce", "gaussian", "--trials", "1"]
    done = subprocess.run(
        [*command, "--no-progress", *map(str, more)],
        capture_output=True,
        text=True,
        cwd=place,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def plant(report, program):
    """Lay programs wherever a resumed run might read: modules, pickles, pieces and settings."""
    content = pickle.dumps(Planted(program))
    for folder in (report, report / "pieces", *(report / "pieces").iterdir(), report / "figures"):
        for name in MODULES:
            (folder / f"{name}.py").write_text(program)
        for name in ("state.pkl", "cache.joblib", "scores.pickle"):
            (folder / name).write_bytes(content)
        np.save(folder / "state.npy", np.array([Planted(program)], dtype=object), allow_pickle=True)
    first, second, third, *_ = sorted((report / "pieces").rglob("*.json"))
    first.write_bytes(content)
    second.write_text(json.dumps({"py/reduce": ["exec", program], "function": "planted:made"}))
    for suffix in (".pkl", ".pickle", ".joblib", ".py"):
        third.with_suffix(suffix).write_bytes(program.encode() if suffix == ".py" else content)
    settings = report / "experiment.toml"
    named = 'methods = ["planted"]\n', '\n[estimators]\nplanted = "planted:made"\n'
    settings.write_text(settings.read_text().join(named))
    summary = json.loads((report / "summary.json").read_text())
    for experiment in summary["experiments"].values():
        experiment["settings"]["methods"].append("planted")
        experiment["settings"]["estimators"] = {"planted": "planted:made"}
    (report / "summary.json").write_text(json.dumps(summary))


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "inside"), [(1, False), (2, True)])
def test_a_resumed_run_executes_nothing_from_its_folder(tmp_path, jobs, inside):
    (tmp_path / "small.toml").write_text(SMALL)
    report, trace = tmp_path / "report", tmp_path / "trace.txt"
    options = ("--settings", tmp_path / "small.toml", "--jobs", jobs, "--output")
    reproduce(tmp_path, *options, report)
    plant(report, trap(trace))
    errors = reproduce(report if inside else tmp_path, *options, report)
    assert not trace.exists(), trace.read_text()
    assert errors.count("computed again") == 2  # the two pieces that were replaced


def test_the_trap_works(tmp_path):
    pickle.loads(pickle.dumps(Planted(trap(tmp_path / "trace.txt"))))
    assert (tmp_path / "trace.txt").read_text().startswith("run")
