"""The guard of the reproduction: what it lets pass, and what it names."""

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import load_script

image = pytest.importorskip("matplotlib.image")

ROOT = Path(__file__).parents[2]
if not (ROOT / "tools" / "check_report.py").is_file():
    pytest.skip("the tools are not part of this copy", allow_module_level=True)

tool = load_script(ROOT / "tools" / "check_report.py")

RECORDED = json.loads(tool.RECORDED.read_text())
BOTH = {"first": "hyperbolic", "second": "euclidean", "score": "macro_aupr"}


def compared(**found):
    return {**BOTH, "over": "all", "n": 100, "wins": 98, "p_value": 1e-28, **found}


@pytest.fixture
def summary():
    """The parts of a full run's summary.json that are checked, with the recorded cells."""
    cells = [
        {**dict(zip(tool.CELL, place, strict=True)), "scores": {"macro_aupr": {"mean": mean}}}
        for *place, mean, _ in RECORDED["cells"]
    ]
    mixtures = [compared(over="riemannian"), compared(over="wrapped")]
    other_score = compared(score="micro_aupr", wins=50, p_value=0.5)
    growing = [compared(n=150, wins=120, p_value=1e-20)]
    means = {"scores": {"macro_aupr": {"mean": 0.8}}, "method": "hyperbolic"}
    judged = [{"low": 0.0, "difference": 0.1, "high": 0.2, "word": "higher"}]
    gaussian = {"tests": [*mixtures, other_score], "headline": mixtures[0], "table": [means]}
    real = {"tests": [compared()], "table": cells, "cells": judged, "published_table": []}
    experiments = {
        "gaussian": {"reading": ["One."], **gaussian},
        "evolving": {"reading": ["Two."], "tests": growing, "headline": growing[0]},
        "real": {"reading": ["Three."], **real},
    }
    return {"run": {"quick": False}, "experiments": experiments}


@pytest.fixture
def folder(tmp_path):
    """A report without its summary."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "index.html").write_text("<p>One. Two. Three. 0.800</p>")
    (tmp_path / "scores.csv").write_text("macro_aupr\n" + 101 * "0.8\n")
    for name in tool.FIGURES:
        image.imsave(tmp_path / "figures" / f"figure-{name}.png", np.eye(4))
        (tmp_path / "figures" / f"figure-{name}.svg").write_text(11 * "<path d=''/>")
    return tmp_path


def check(folder, summary):
    (folder / "summary.json").write_text(json.dumps(summary))
    tool.check(folder)


def test_the_recorded_cells_say_when_and_how_they_were_made():
    assert RECORDED["date"]
    assert (RECORDED["seed"], RECORDED["score"]) == (0, "macro_aupr")
    assert RECORDED["columns"] == [*tool.CELL, "mean", "sd"]
    assert {cell[0] for cell in RECORDED["cells"]} == {"karate", "polbooks", "football", "polblogs"}
    assert all(0 < sd < mean <= 1 for *_, mean, sd in RECORDED["cells"])


def test_a_run_with_the_recorded_numbers_passes(folder, summary):
    assert tool.misses(summary, RECORDED) == []
    check(folder, summary)


def test_a_cell_that_moved_by_more_than_its_deviation_is_named(folder, summary):
    *place, mean, sd = RECORDED["cells"][3]
    own = summary["experiments"]["real"]["table"][3]["scores"]["macro_aupr"]
    own["mean"] = mean + 0.9 * sd
    assert tool.misses(summary, RECORDED) == []
    own["mean"] = mean - 1.1 * sd
    found = f"macro_aupr is {own['mean']:.4f}; wanted {mean:.4f} ± {sd:.4f}"
    assert tool.misses(summary, RECORDED) == [f"real, {', '.join(place)}: {found}"]
    with pytest.raises(AssertionError, match="wanted"):
        check(folder, summary)
    summary["run"]["quick"] = True
    check(folder, summary)


def test_a_cell_that_is_missing_or_no_number_is_named(summary):
    table = summary["experiments"]["real"]["table"]
    del table[5]
    table[0]["scores"]["macro_aupr"]["mean"] = float("nan")
    first, second = tool.misses(summary, RECORDED)
    assert "is nan; wanted" in first
    assert "the cell is missing; wanted" in second


@pytest.mark.parametrize("law", [0, 1])
@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"wins": 96}, "higher in 96 of 100 mixtures; wanted at least 97 of 100"),
        ({"n": 99, "wins": 99}, "higher in 99 of 99 mixtures; wanted at least 97 of 100"),
        ({"p_value": 2e-25}, "p = 2e-25; wanted at most 1e-25"),
        ({"p_value": None}, "p = None; wanted at most 1e-25"),
    ],
)
def test_mixtures_must_be_won(summary, law, found, words):
    tests = summary["experiments"]["gaussian"]["tests"]
    tests[law].update(found)
    [line] = tool.misses(summary, RECORDED)
    assert line == f"gaussian, {tests[law]['over']}: {words}"


def test_mixtures_must_be_tested_and_growing_networks_clear(summary):
    summary["experiments"]["gaussian"]["tests"] = []
    summary["experiments"]["evolving"]["headline"]["p_value"] = 1.1e-17
    first, second = tool.misses(summary, RECORDED)
    assert first.startswith("gaussian: no test")
    assert second == "evolving: p = 1.1e-17; wanted at most 1e-17"
