"""The report: a page in a single file, the figures, every score, and a summary."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyplane._utils.files import write_text
from hyplane._utils.optional import import_optional
from hyplane.paper.figures import Figure, figure_style, models_figure
from hyplane.paper.narrative import number, p_text
from hyplane.paper.pieces import as_json
from hyplane.paper.published import CITATION, OUR_PAIRS
from hyplane.paper.summaries import frame_of
from hyplane.paper.tables import (
    Cell,
    ReportTable,
    Rows,
    paired_table,
    settings_table,
    title_of_data,
)


@dataclass(frozen=True)
class Section:
    """The part of the report on one experiment."""

    name: str
    summary: Mapping[str, Any]
    tables: Sequence[ReportTable]
    figures: Sequence[Figure]
    rows: Sequence[Mapping[str, Any]]  # the raw scores


def write_report(output: Path, sections: Mapping[str, Section], run: Mapping[str, Any]) -> None:
    """Write ``index.html``, ``summary.json``, ``scores.csv`` and the figures into a folder."""
    with figure_style():
        introduction = models_figure()
    for figure in (introduction, *(f for each in sections.values() for f in each.figures)):
        figure.save(output / "figures")
    scores = frame_of(row for section in sections.values() for row in section.rows)
    write_text(output / "scores.csv", scores.to_csv(index=False, lineterminator="\n"))
    experiments = {name: section.summary for name, section in sections.items()}
    summary = as_json({"format": 2, "run": run, "experiments": experiments})
    # JSON has no nan and no infinity: null stands for them.
    finite = json.loads(summary, parse_constant=lambda name: None)
    write_text(output / "summary.json", json.dumps(finite, indent=2, ensure_ascii=False))
    jinja2 = import_optional("jinja2", "experiments")
    how = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    loader = jinja2.PackageLoader(__package__)
    pages = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, **how)
    summaries = list(experiments.values())
    page = pages.get_template("report.html").render(
        sections=sections,
        run=run,
        introduction=introduction,
        glance=_glance(summaries),
        ours=_ours(summaries),
        settings=[(each, settings_table(each["settings"])) for each in summaries],
        this_run=_this_run(summaries, run),
        outcome_kind=_outcome_kind,
        citation=CITATION,
    )
    write_text(output / "index.html", page)


def summary_rows(summaries: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return one row per experiment: our test beside the paper's."""
    return [
        {
            "Experiment": summary["title"],
            "Pairs": str(test["n"]),
            "Mean difference": number(test["difference"]),
            "Hyperbolic higher": f"{test['wins']} of {test['n']}",
            "p, ours": p_text(test["p_value"]),
            "p, paper": p_text(summary["published"]["p_value"]),
            "The paper’s finding is": summary["outcome"],
        }
        for summary in summaries
        for test in [summary["headline"]]
    ]


def _glance(summaries: Sequence[Mapping[str, Any]]) -> ReportTable:
    rows = summary_rows(summaries)
    body: Rows = []
    for row in rows:
        *texts, outcome = row.values()
        body.append([*texts, Cell(outcome, kind=_outcome_kind(outcome))])
    caption = (
        "Hyperbolic minus Euclidean SVM, macro AUPR, one-sided paired t-test. A dash means that "
        "the paper gives no test."
    )
    return ReportTable(caption, list(rows[0]), body)


def _outcome_kind(outcome: str) -> str:
    """Return the class of the style sheet for an outcome."""
    kinds = {"reproduced": "yes", "too small to tell": "quiet", "not in the paper": "quiet"}
    return kinds.get(outcome, "no")


def _ours(summaries: Sequence[Mapping[str, Any]]) -> ReportTable | None:
    """Return the tests of our method against the paper's, and against the rival with its grid."""
    tests = [
        {**test, "names": (summary["title"], title_of_data(test["over"]))}
        for summary in summaries
        for test in summary["tests"]
        if (test["first"], test["second"]) in OUR_PAIRS and test.get("network", "all") == "all"
    ]
    caption = (
        "Our hyperbolic SVM compared with the paper’s procedure, macro AUPR, one-sided paired "
        "t-test. Ours has a bound that does not depend on the origin. It chooses the score and C, "
        "from 0.01, 0.1, 1, 10 and 100, by cross validation. The Euclidean SVM with our grid "
        "chooses from the same values of C."
    )
    return paired_table(tests, caption, ("Experiment", "Over")) if tests else None


def _this_run(summaries: Sequence[Mapping[str, Any]], run: Mapping[str, Any]) -> ReportTable:
    work = {
        f"work of {summary['title'].lower()}": f"{summary['work_seconds']:.1f} s in all pieces"
        for summary in summaries
    }
    seed = f"{run['seed']}; the seeds of data sets, trials and folds are derived from it"
    shown = {
        "wall clock": f"{run['seconds']:.1f} s",
        "processes": run["n_jobs"],
        "pieces": f"{run['n_pieces']}, of which {run['n_computed']} were computed in this run",
        **work,
        "seed": f"{seed}, and those of the trials are in scores.csv",
        "machine": run["machine"],
        "digest of the code": run["code"][:16],
    }
    return settings_table({**shown, **run["versions"]})
