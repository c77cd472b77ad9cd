"""Check that a report of `hyplane reproduce` holds what it should: numbers, tests, figures.

python tools/check_report.py report
"""

import csv
import html
import json
import sys
from pathlib import Path

import matplotlib.image
import numpy as np

FIGURES = ("1", "2a", "2b", "2c", "3a", "3b", "3c", "real")


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
    print(f"{folder}: {len(rows)} raw scores, {len(FIGURES)} figures, all experiments present")


if __name__ == "__main__":
    check(Path(sys.argv[1]))
