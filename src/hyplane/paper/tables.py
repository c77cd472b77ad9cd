"""The tables of the report, as data for its template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hyplane.evaluation import SCORES
from hyplane.paper.narrative import interval, number, p_text
from hyplane.paper.pieces import as_json
from hyplane.paper.summaries import Test, title_of


@dataclass(frozen=True)
class Cell:
    """A cell: text, a note beside it, a line below it, and a class of the style sheet."""

    text: str
    note: str = ""
    below: str = ""
    kind: str = ""


Rows: TypeAlias = list[list[Cell | str] | str]


@dataclass(frozen=True)
class ReportTable:
    """A table of the report.

    Attributes
    ----------
    caption : str
    columns : sequence of str
    rows : list
        Rows of cells or texts; a single text heads the rows below it.
    n_text : int
        How many columns, from the first, hold words and not numbers.
    """

    caption: str
    columns: Sequence[str]
    rows: Rows
    n_text: int = 1


def score_title(score: str) -> str:
    """Return a score as tables name it.

    Examples
    --------
    >>> score_title("macro_roc_auc")
    'macro ROC AUC'
    """
    return score.replace("_", " ").replace("aupr", "AUPR").replace("roc auc", "ROC AUC")


def title_of_data(over: str) -> str:
    """Return the data of a test as tables name them.

    Examples
    --------
    >>> title_of_data("labels of 20-50 nodes")
    'Labels of 20–50 nodes'
    """
    return over[0].upper() + over[1:].replace("-", "–")


def spread(score: str, row: Mapping[str, Any], rivals: Sequence[Any], below: str = "") -> Cell:
    """Return a mean and its standard deviation; bold if, to the digits shown, it is the highest."""
    found = row["scores"][score]
    highest = max(rival["scores"][score]["mean"] for rival in rivals)
    kind = "best" if number(found["mean"]) == number(highest) else ""
    return Cell(number(found["mean"]), f"± {number(found['sd'])}", below, kind)


def scores_table(rows: Sequence[Mapping[str, Any]]) -> ReportTable:
    """All scores of all methods; rows that have the same ``part`` stand below it."""
    body: Rows = []
    for part in dict.fromkeys(row["part"] for row in rows):
        rivals = [row for row in rows if row["part"] == part]
        body += [part] if part else []
        for row in rivals:
            cells = [spread(score, row, rivals) for score in SCORES]
            body.append([title_of(row["method"]), *cells])
    caption = "Mean ± standard deviation over data sets; the highest in bold."
    return ReportTable(caption, ["Method", *map(score_title, SCORES)], body)


def paired_table(
    tests: Sequence[Test],
    caption: str = "Paired t-tests over the means of the trials.",
    first: tuple[str, str] = ("Over", "Score"),
) -> ReportTable:
    """All paired tests, those of two methods together; ``names`` are for the first columns."""
    body: Rows = []
    for pair in dict.fromkeys((test["first"], test["second"]) for test in tests):
        body.append(" minus ".join(map(title_of, pair)))
        body += [
            [
                *test.get("names", (title_of_data(test["over"]), score_title(test["score"]))),
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
    columns = [*first, "n", "Won / tied / lost", "Mean difference", "95 % interval"]
    columns += ["t", "one-sided p"]
    return ReportTable(caption, columns, body, n_text=2)


def settings_table(settings: Mapping[str, Any]) -> ReportTable:
    """Names and values, lists as in ``experiment.toml``."""
    body: Rows = [
        [key.replace("_", " "), value if isinstance(value, str) else as_json(value)]
        for key, value in settings.items()
    ]
    return ReportTable("", ["Setting", "Value"], body, n_text=2)
