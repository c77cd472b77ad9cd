"""The report: one page that needs nothing else, the figures, every score, and a summary."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyplane._utils.files import write_text
from hyplane._utils.optional import import_optional
from hyplane.paper._trials import title_of
from hyplane.paper.figures import Figure, models_figure
from hyplane.paper.paper import CITATION, OUR_PAIRS
from hyplane.paper.reading import interval, number, p_text
from hyplane.paper.summaries import Frame
from hyplane.paper.tables import Cell, ReportTable, settings_table

_OUTCOMES = {"reproduced": "yes", "too small to tell": "quiet", "not in the paper": "quiet"}


@dataclass(frozen=True)
class Section:
    """The part of the report on one experiment.

    Attributes
    ----------
    summary : dict
    tables : sequence of ReportTable
    figures : sequence of Figure
    """

    summary: Mapping[str, Any]
    tables: Sequence[ReportTable]
    figures: Sequence[Figure]


def write_report(
    output: Path, sections: Mapping[str, Section], scores: Frame, run: Mapping[str, Any]
) -> None:
    """Write ``index.html``, ``summary.json``, ``scores.csv`` and the figures into a folder.

    Parameters
    ----------
    output : Path
    sections : dict of str to Section
        By name of the experiment.
    scores : DataFrame
        Every raw score.
    run : dict
        When, with what and how long.
    """
    introduction = models_figure()
    for figure in (introduction, *(f for each in sections.values() for f in each.figures)):
        figure.save(output / "figures")
    write_text(output / "scores.csv", scores.to_csv(index=False, lineterminator="\n"))
    experiments = {name: section.summary for name, section in sections.items()}
    summary = {"format": 2, "run": run, "experiments": experiments}
    write_text(output / "summary.json", json.dumps(_finite(summary), indent=2, ensure_ascii=False))
    write_text(output / "index.html", page(sections, run, introduction))


def page(sections: Mapping[str, Section], run: Mapping[str, Any], introduction: Figure) -> str:
    """Return the page; a figure introduces it."""
    jinja2 = import_optional("jinja2", "experiments")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    text: str = environment.get_template("report.html").render(
        sections=sections,
        run=run,
        introduction=introduction,
        glance=_glance(sections),
        ours=_ours(sections),
        settings=[
            (section.summary, settings_table(section.summary["settings"]))
            for section in sections.values()
        ],
        this_run=_this_run(sections, run),
        outcome_kind=lambda outcome: _OUTCOMES.get(outcome, "no"),
        citation=CITATION,
    )
    return text


def _glance(sections: Mapping[str, Section]) -> ReportTable:
    """One row per experiment: what the paper found, and what was found here."""
    body = []
    for section in sections.values():
        summary = section.summary
        test, published = summary["headline"], summary["published"]["p_value"]
        outcome = summary["outcome"]
        body.append(
            [
                summary["title"],
                str(test["n"]),
                number(test["difference"]),
                f"{test['wins']} of {test['n']}",
                p_text(test["p_value"]),
                "–" if published is None else p_text(published),
                Cell(outcome, kind=_OUTCOMES.get(outcome, "no")),
            ]
        )
    columns = ["Experiment", "Pairs", "Mean difference", "Hyperbolic higher", "p, ours"]
    columns += ["p, paper", "The paper’s finding is"]
    caption = (
        "Hyperbolic minus Euclidean SVM, macro AUPR, one-sided paired t-test. A dash: the paper "
        "gives no test."
    )
    return ReportTable(caption, columns, body)


def _ours(sections: Mapping[str, Section]) -> ReportTable | None:
    """Our method against the paper's, and against the rival that has its grid."""
    body: list[Sequence[Cell | str] | str] = []
    for pair in OUR_PAIRS:
        rows = [
            [
                section.summary["title"],
                test["over"].replace("-", "–"),
                str(test["n"]),
                number(test["difference"], 4),
                interval(test, 4),
                f"{test['wins']} of {test['n']}",
                p_text(test["p_value"]),
            ]
            for section in sections.values()
            for test in section.summary["tests"]
            if (test["first"], test["second"]) == pair and test.get("network", "all") == "all"
        ]
        if rows:
            body += [" minus ".join(title_of(method) for method in pair), *rows]
    columns = ["Experiment", "Over", "Pairs", "Mean difference", "95 % interval", "Higher"]
    caption = (
        "Not the paper’s: our hyperbolic SVM beside its procedure, macro AUPR, one-sided paired "
        "t-test. Ours has a bound that does not depend on the origin, and chooses the score and C, "
        "among 0.01, 0.1, 1, 10 and 100, by cross validation. The Euclidean SVM with our grid has "
        "the same values of C."
    )
    return ReportTable(caption, [*columns, "p"], body, n_text=2) if body else None


def _this_run(sections: Mapping[str, Section], run: Mapping[str, Any]) -> ReportTable:
    work = {
        f"work of {section.summary['title'].lower()}": (
            f"{section.summary['work_seconds']:.1f} s in all pieces"
        )
        for section in sections.values()
    }
    return settings_table(
        {
            "wall clock": f"{run['seconds']:.1f} s",
            "processes": run["n_jobs"],
            "pieces": f"{run['n_pieces']}, of which {run['n_computed']} were computed in this run",
            **work,
            "seed": f"{run['seed']}; those of data sets, trials and folds are derived from it, "
            "and those of the trials are in scores.csv",
            "machine": run["machine"],
            "digest of the code": run["code"][:16],
            **run["versions"],
        }
    )


def _finite(value: Any) -> Any:
    """JSON has no nan and no infinity: null stands for them."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
