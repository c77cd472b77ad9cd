"""The report: one page that needs nothing else, the figures, every score, and a summary."""

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from hyplane.experiments.figures import Figure
from hyplane.experiments.paper import CITATION
from hyplane.experiments.tables import (
    glance,
    real_table,
    scores_table,
    settings_table,
    tests_table,
)

_COLUMNS = ("experiment", "dataset", "network", "size_range", "corpus", "features", "method")

_PROTOCOL = """
<p>Each data set is divided into a training and a test half several times, class by class; where
nodes have several labels, each counts as one of its labels, drawn anew for each trial. All methods
get the same halves. One binary classifier is fitted for each class against the rest. Its C is
chosen from 0.1, 1 and 10 by cross validation inside the training half, with at most five folds and
never more than the rarer side has rows, by the area under the precision-recall curve of the pooled
scores of the rows left out. Platt's sigmoid is fitted to the same scores (for the hyperbolic SVM to
arsinh(w∗x), which ranks as w∗x does and is calibrated better), and the classifier is fitted anew on
the whole half. The Euclidean SVM is linear, with the squared hinge and a bias, on
the coordinates of the Poincaré ball (or on DeepWalk's vectors), with the same folds.</p>
<p>Macro scores are means over the classes that some but not all rows of the test half have; micro
scores pool all decisions. <b>AUPR</b> is the area under the precision-recall curve by the trapezoid
rule as the paper's authors compute it, without the point of recall 0: a perfect ranking of P
positives scores about 1 − 1/P, so small classes have a ceiling below 1. <b>Average precision</b>
has no such ceiling. With two classes the second is the one to find. Where there are several labels,
accuracy asks for all of them to be right.</p>
<p>The solver is this package's, not the published code, and the data are drawn anew by the paper's
recipe; so the numbers are not expected to be those of the paper to the digit.</p>
"""


def write_report(
    output: Path,
    experiments: Mapping[str, Mapping[str, Any]],
    figures: Mapping[str, Sequence[Figure]],
    rows: Sequence[Mapping[str, Any]],
    run: Mapping[str, Any],
) -> None:
    """Write ``index.html``, ``summary.json``, ``scores.csv`` and the figures into a folder.

    Parameters
    ----------
    output : Path
    experiments : dict
        Summaries by name.
    figures : dict
        Figures by name of the experiment.
    rows : sequence of dict
        Every raw score.
    run : dict
        When, with what and how long.
    """
    for drawn in figures.values():
        for figure in drawn:
            figure.save(output / "figures")
    _write(output / "scores.csv", _csv(rows))
    summary = {"format": 1, "run": run, "experiments": experiments}
    _write(output / "summary.json", json.dumps(_finite(summary), indent=2, ensure_ascii=False))
    _write(output / "index.html", page(experiments, figures, run))


def page(
    experiments: Mapping[str, Mapping[str, Any]],
    figures: Mapping[str, Sequence[Figure]],
    run: Mapping[str, Any],
) -> str:
    """Return the page."""
    css = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    links = "".join(
        f'<a href="#{name}">{escape(summary["title"])}</a>' for name, summary in experiments.items()
    )
    quick = ""
    if run["quick"]:
        quick = (
            '<p class="notice">A quick run: a small part of each experiment, for a first look. The '
            "numbers below are no evidence for or against the paper.</p>"
        )
    sections = "".join(
        _section(name, summary, figures.get(name, ())) for name, summary in experiments.items()
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hyperbolic SVM: the paper's experiments, run again</title>
<style>{css}</style>
</head>
<body>
<header>
<h1>Large-margin classification in hyperbolic space: the paper’s experiments, run again</h1>
<p class="quiet">hyplane {escape(run["versions"]["hyplane"])} · {escape(run["date"])} · seed
{run["seed"]} · {"quick run" if run["quick"] else "full size"}</p>
<nav>{links}<a href="#protocol">Protocol</a><a href="#run">Settings, versions, timing</a></nav>
</header>
{quick}
{glance(experiments)}
{sections}
<h2 id="protocol">Protocol</h2>
{_PROTOCOL}
{_run_section(experiments, run)}
<footer>The paper: {escape(CITATION)} Every raw score is in <code>scores.csv</code>, all numbers of
this page in <code>summary.json</code>, the figures in <code>figures/</code>.</footer>
</body>
</html>
"""


def _section(name: str, summary: Mapping[str, Any], figures: Sequence[Figure]) -> str:
    outcome, *sentences = summary["reading"]
    kind = "yes" if summary["reproduced"] else "no"
    reading = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    if name == "real":
        tables = real_table(summary, "macro_aupr") + real_table(summary, "macro_average_precision")
        tables += (
            '<p class="quiet">The paper’s own values are not quoted beside these: we had no copy '
            "of its table to check them against.</p>"
        )
    else:
        tables = scores_table(summary)
    return f"""<h2 id="{name}">{escape(summary["title"])}</h2>
<p class="{kind}">{escape(outcome)}</p>
<ul>{reading}</ul>
<div class="figures">{"".join(_figure(figure) for figure in figures)}</div>
{tables}
{tests_table(summary["tests"])}
"""


def _figure(figure: Figure) -> str:
    wide = ' class="wide"' if figure.name == "figure-real" else ""
    return (
        f'<figure{wide}><img src="{figure.data_uri}" alt="{escape(figure.caption)}">'
        f"<figcaption><b>{escape(figure.title)}.</b> {escape(figure.caption)}</figcaption></figure>"
    )


def _run_section(experiments: Mapping[str, Mapping[str, Any]], run: Mapping[str, Any]) -> str:
    parts = ['<h2 id="run">Settings, versions, timing</h2>']
    for summary in experiments.values():
        parts.append(f"<h3>{escape(summary['title'])}</h3>")
        parts.append(settings_table(summary["settings"]))
        if summary["warnings"]:
            items = "".join(f"<li>{escape(text)}</li>" for text in summary["warnings"])
            parts.append(f"<p>Warnings of the estimators:</p><ul>{items}</ul>")
    parts.append("<h3>This run</h3>")
    timing = {
        "wall clock": f"{run['seconds']:.1f} s",
        "processes": run["n_jobs"],
        "pieces": f"{run['n_pieces']}, of which {run['n_computed']} were computed in this run",
        **{
            f"work of {summary['title'].lower()}": f"{summary['work_seconds']:.1f} s in all pieces"
            for summary in experiments.values()
        },
        "seed": f"{run['seed']}; those of data sets, trials and folds are derived from it, and "
        "those of the trials are in scores.csv",
        "machine": run["machine"],
        **run["versions"],
    }
    parts.append(settings_table(timing))
    return "".join(parts)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    rest = [key for key in rows[0] if key not in _COLUMNS]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, [*_COLUMNS, *rest], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _finite(value: Any) -> Any:
    """JSON has no nan and no infinity: null stands for them."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value


def _write(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + ".tmp")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)
