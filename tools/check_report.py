"""Check that a report of `hyplane reproduce` holds what it should: numbers, tests, figures.

python tools/check_report.py report

A full run must also show the paper's findings: see `misses`. Exits with 1 if anything is missing.
"""

import csv
import html
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np

FIGURES = ("1", "2a", "2b", "2c", "3a", "3b", "3c", "real")
# The hyperbolic against the Euclidean SVM by the paper's procedure, in every full run.
PAPER = {"first": "hyperbolic", "second": "euclidean", "score": "macro_aupr"}
LEAST_WINS, MIXTURES = 97, 100
MOST_P = {"gaussian": 1e-25, "evolving": 1e-17}
# Mean and standard deviation of each cell of the real networks, from a full run with seed 0.
RECORDED = Path(__file__).with_name("recorded_cells.json")
CELL = ("network", "corpus", "features", "method")


def check(folder: Path) -> None:
    """Raise AssertionError, naming it, for the first thing that is missing or empty."""
    summary = json.loads((folder / "summary.json").read_text())
    page = html.unescape((folder / "index.html").read_text())
    for name in ("gaussian", "evolving", "real"):
        experiment = summary["experiments"][name]
        assert experiment["reading"], f"{name}: no reading"
        assert experiment["reading"][0] in page, f"{name}: its reading is not on the page"
        assert experiment["tests"], f"{name}: no tests"
        for test in experiment["tests"]:
            assert test["p_value"] is None or 0 <= test["p_value"] <= 1, f"{name}: {test}"
    for row in summary["experiments"]["gaussian"]["table"]:
        mean = row["scores"]["macro_aupr"]["mean"]
        assert 0.3 < mean <= 1, f"macro AUPR of {row['method']} is {mean}"
        assert f"{mean:.3f}" in page, f"{mean:.3f} is not on the page"
    for cell in summary["experiments"]["real"]["cells"]:
        assert cell["low"] <= cell["difference"] <= cell["high"], f"{cell} has no interval"
        assert cell["word"], f"{cell} has no verdict"
    for row in summary["experiments"]["real"]["published_table"]:
        mean, spread = row["scores"]["karate"]
        quoted = f"paper {mean:.2f} ± {spread:.2f}"
        known = summary["experiments"]["real"]["table"]
        if any(row["features"] == each["features"] for each in known):
            assert quoted in page, f"{quoted} is not on the page"
    with (folder / "scores.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 100, f"only {len(rows)} raw scores"
    for name in FIGURES:
        pixels = matplotlib.image.imread(folder / "figures" / f"figure-{name}.png")
        assert np.ptp(pixels[..., :3]) > 0.5, f"figure {name} is blank"
        vector = (folder / "figures" / f"figure-{name}.svg").read_text()
        assert vector.count("<path") > 10, f"figure {name} is blank as SVG"
    if not summary["run"]["quick"]:
        found = misses(summary, json.loads(RECORDED.read_text()))
        assert not found, "\n".join(found)
    print(f"{folder}: {len(rows)} raw scores, {len(FIGURES)} figures, all experiments present")


def misses(summary: Mapping[str, Any], recorded: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each finding of a full run that is not as it must be."""
    experiments = summary["experiments"]
    # Two laws of the mixtures, each with a test over all of its mixtures.
    mixtures = [
        test
        for test in experiments["gaussian"]["tests"]
        if all(test[key] == PAPER[key] for key in PAPER)
    ]
    found = [] if mixtures else ["gaussian: no test of the hyperbolic against the Euclidean SVM"]
    for test in mixtures:
        name = f"gaussian, {test['over']}"
        if test["n"] != MIXTURES or test["wins"] < LEAST_WINS:
            found.append(
                f"{name}: higher in {test['wins']} of {test['n']} mixtures; wanted at least "
                f"{LEAST_WINS} of {MIXTURES}"
            )
        found += _too_likely(name, test, MOST_P["gaussian"])
    found += _too_likely("evolving", experiments["evolving"]["headline"], MOST_P["evolving"])
    return found + _moved_cells(experiments["real"]["table"], recorded)


def _too_likely(name: str, test: Mapping[str, Any], most: float) -> list[str]:
    p = test["p_value"]
    return [] if p is not None and p <= most else [f"{name}: p = {p}; wanted at most {most}"]


def _moved_cells(table: Iterable[Mapping[str, Any]], recorded: Mapping[str, Any]) -> list[str]:
    score = recorded["score"]
    means = {tuple(row[key] for key in CELL): row["scores"][score]["mean"] for row in table}
    found = []
    for *place, mean, sd in recorded["cells"]:
        name, wanted = f"real, {', '.join(place)}", f"wanted {mean:.4f} ± {sd:.4f}"
        own = means.get(tuple(place))
        if own is None:
            found.append(f"{name}: the cell is missing; {wanted}")
        # Written so that nan is a miss too.
        elif not abs(own - mean) <= sd:
            found.append(f"{name}: {score} is {own:.4f}; {wanted}")
    return found


if __name__ == "__main__":
    try:
        check(Path(sys.argv[1]))
    except AssertionError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
