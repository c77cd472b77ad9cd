"""The tables of the report, as data for its template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hyplane.paper._trials import title_of
from hyplane.paper.reading import interval, number, p_text

SCORE_TITLES = {
    "macro_aupr": "macro AUPR",
    "micro_aupr": "micro AUPR",
    "macro_average_precision": "macro average precision",
    "micro_average_precision": "micro average precision",
    "macro_roc_auc": "macro ROC AUC",
    "micro_roc_auc": "micro ROC AUC",
    "accuracy": "accuracy",
}


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text : str
    note : str
        Beside the text, less prominent.
    below : str
        In a line of its own, less prominent.
    kind : str
        Names of classes of the style sheet: ``best``, ``yes``, ``no``.
    """

    text: str
    note: str = ""
    below: str = ""
    kind: str = ""


@dataclass(frozen=True)
class ReportTable:
    """A table of the report.

    Attributes
    ----------
    caption : str
    columns : sequence of str
    rows : sequence
        Rows of cells or texts; a single text heads the rows below it.
    n_text : int
        How many columns, from the first, hold words and not numbers.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | str] | str]
    n_text: int = 1


def spread(score: Mapping[str, float], *, best: bool = False, below: str = "") -> Cell:
    """Return a mean and its standard deviation as a cell.

    Examples
    --------
    >>> spread({"mean": 0.5, "sd": 0.25})
    Cell(text='0.500', note='± 0.250', below='', kind='')
    """
    kind = "best" if best else ""
    return Cell(number(score["mean"]), f"± {number(score['sd'])}", below, kind)


def is_highest(score: str, row: Mapping[str, Any], rivals: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a mean is the highest, to the digits shown: what reads the same is the same."""
    highest = max(rival["scores"][score]["mean"] for rival in rivals)
    return number(row["scores"][score]["mean"]) == number(highest)


def scores_table(rows: Sequence[Mapping[str, Any]]) -> ReportTable:
    """All scores of all methods; rows that have the same ``part`` stand below it."""
    body: list[Sequence[Cell | str] | str] = []
    for part in dict.fromkeys(row.get("part") for row in rows):
        rivals = [row for row in rows if row.get("part") == part]
        body += [part] if part else []
        body += [
            [title_of(row["method"])]
            + [
                spread(row["scores"][score], best=is_highest(score, row, rivals))
                for score in SCORE_TITLES
            ]
            for row in rivals
        ]
    return ReportTable(
        "Mean ± standard deviation over data sets; the highest in bold.",
        ["Method", *SCORE_TITLES.values()],
        body,
    )


def tests_table(tests: Sequence[Mapping[str, Any]]) -> ReportTable:
    """All paired tests, those of two methods together."""
    body: list[Sequence[Cell | str] | str] = []
    for pair in dict.fromkeys((test["first"], test["second"]) for test in tests):
        body.append(" minus ".join(title_of(method) for method in pair))
        body += [
            [
                test["over"].replace("-", "–"),
                SCORE_TITLES[test["score"]],
                str(test["n"]),
                f"{test['wins']} / {test['ties']} / {test['losses']}",
                number(test["difference"], 4),
                interval(test, 4),
                number(test["statistic"], 2),
                p_text(test["p_value"]),
            ]
            for test in tests
            if (test["first"], test["second"]) == pair
        ]
    columns = ["Over", "Score", "n", "Won / tied / lost", "Mean difference", "95 % interval"]
    columns += ["t", "one-sided p"]
    return ReportTable("Paired t-tests over the means of the trials.", columns, body, n_text=2)


def settings_table(settings: Mapping[str, Any]) -> ReportTable:
    """Names and values."""
    body = [[key.replace("_", " "), _plain(value)] for key, value in settings.items()]
    return ReportTable("", ["Setting", "Value"], body, n_text=2)


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {each}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(
            "–".join(map(str, each)) if isinstance(each, list | tuple) else str(each)
            for each in value
        )
    return str(value)
