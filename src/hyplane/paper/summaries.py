"""Summaries of the raw scores: means with their spread, and paired tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from hyplane._utils.optional import import_optional
from hyplane.evaluation import METHODS, SCORES, paired_t_test
from hyplane.paper.published import OUR_PAIRS, OURS, PAPER

# A pandas DataFrame of raw scores: pandas is an extra, so its types are not known here.
Frame: TypeAlias = Any
Test: TypeAlias = Mapping[str, Any]
# The paper's score, and two that have no ceiling below 1.
TESTED = ("macro_aupr", "macro_average_precision", "macro_roc_auc")


@dataclass(frozen=True)
class Group:
    """Rows that are summarised together: their name in tests and tables, and further keys."""

    over: str
    frame: Frame
    keys: dict[str, Any] = field(default_factory=dict)


def title_of(method: str) -> str:
    """Return the name of a method in tables and sentences; the user's own keep theirs."""
    return METHODS[method].title if method in METHODS else method


def frame_of(rows: Iterable[Mapping[str, Any]]) -> Frame:
    """Return raw scores as a data frame; the columns that name a row come first."""
    frame = import_optional("pandas", "experiments").DataFrame(list(rows))
    names = ["experiment", "dataset", "part", "network", "size_range", "corpus", "features"]
    first = [name for name in (*names, "method") if name in frame]
    return frame[[*first, *(name for name in frame if name not in first)]]


def select(frame: Frame, **wanted: Any) -> Frame:
    """Return the rows that have the wanted values."""
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return frame


def unit_means(frame: Frame, score: str, unit: str = "dataset") -> Any:
    """Return the mean score of each data set, or other unit, in the order in which they come."""
    return frame.groupby(unit, sort=False)[score].mean()


def score_table(
    frame: Frame, by: Sequence[str] = ("method",), *, over_trials: bool = False
) -> list[dict[str, Any]]:
    """Return mean, standard deviation and number by score for each group of rows.

    The spread is that of the means of data sets, or `over_trials` that of all scores.
    """
    columns = list(SCORES)
    if not over_trials:
        frame = frame.groupby([*by, "dataset"], sort=False)[columns].mean().reset_index()
    table = []
    for values, group in frame.groupby(list(by), sort=False)[columns]:
        mean, sd = group.mean().to_dict(), group.std().fillna(0.0).to_dict()
        scores = {key: {"mean": mean[key], "sd": sd[key], "n": len(group)} for key in columns}
        table.append({**dict(zip(by, values, strict=True)), "scores": scores})
    return table


def compare(
    frame: Frame,
    score: str = TESTED[0],
    *,
    over: str,
    first: str = PAPER[0],
    second: str = PAPER[1],
    unit: str = "dataset",
    against: Frame | None = None,
    **keys: Any,
) -> dict[str, Any]:
    """Test whether the first method scores higher, pairing the means of each unit.

    `over` says what the rows are; `against` has the rows of the second method, if not `frame`.
    """
    rival = frame if against is None else against
    ours = unit_means(select(frame, method=first), score, unit)
    theirs = unit_means(select(rival, method=second), score, unit)
    test = paired_t_test(ours.to_numpy(), theirs.reindex(ours.index).to_numpy())
    names = {"over": over, "unit": unit, "first": first, "second": second, "score": score}
    return {**keys, **names, **asdict(test)}


def compare_paper(frame: Frame, *, over: str, **how: Any) -> list[dict[str, Any]]:
    """Compare the paper's two methods by each of the tested scores."""
    return [compare(frame, score, over=over, **how) for score in TESTED]


def compare_others(frame: Frame, *, over: str, **keys: Any) -> list[dict[str, Any]]:
    """Compare our method with its rivals, and each further method with the paper's two."""
    present = list(frame["method"].unique())
    further = [method for method in present if method not in (*PAPER, *OURS)]
    pairs = [pair for pair in OUR_PAIRS if set(pair) <= set(present)]
    pairs += [(method, second) for method in further for second in PAPER]
    return [compare(frame, over=over, first=a, second=b, **keys) for a, b in pairs]


def find(rows: Iterable[Test], **wanted: Any) -> list[Test]:
    """Return the tests, or other rows of a summary, that have the wanted values."""
    return [row for row in rows if all(row.get(key) == wanted[key] for key in wanted)]
