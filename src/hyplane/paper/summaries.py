"""Raw scores summed up: means with their spread, and paired tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from hyplane._utils.optional import import_optional
from hyplane.evaluation import SCORES, paired_t_test
from hyplane.paper.paper import OUR_PAIRS, OURS, PAPER

# A pandas DataFrame of raw scores: pandas is an extra, so its types are not known here.
Frame: TypeAlias = Any
# The paper's score, and two that do not share its quirks.
TESTED = ("macro_aupr", "macro_average_precision", "macro_roc_auc")
_LABELS = ("experiment", "dataset", "part", "network", "size_range", "corpus", "features", "method")


def frame_of(rows: Iterable[Mapping[str, Any]]) -> Frame:
    """Return raw scores as a data frame, what they belong to first.

    Examples
    --------
    >>> rows = [{"accuracy": 0.5, "dataset": "a"}, {"accuracy": 1.0, "dataset": "a"}]
    >>> list(frame_of(rows))
    ['dataset', 'accuracy']
    """
    frame = import_optional("pandas", "experiments").DataFrame(list(rows))
    first = [name for name in _LABELS if name in frame]
    return frame[[*first, *(name for name in frame if name not in first)]]


def select(frame: Frame, **wanted: Any) -> Frame:
    """Return the rows that have the wanted values.

    Examples
    --------
    >>> frame = frame_of([{"dataset": "a", "trial": 0}, {"dataset": "b", "trial": 0}])
    >>> len(select(frame, dataset="a", trial=0))
    1
    """
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return frame


def unit_means(frame: Frame, score: str, unit: str = "dataset") -> Any:
    """Return the mean score of each data set, or other unit, in the order in which they come."""
    return frame.groupby(unit, sort=False)[score].mean()


def score_table(
    frame: Frame, by: Sequence[str], *, over_trials: bool = False
) -> list[dict[str, Any]]:
    """Sum up each group of rows: mean and standard deviation of each score.

    Parameters
    ----------
    frame : DataFrame
    by : sequence of str
        Columns whose values make the groups.
    over_trials : bool, default=False
        Whether the spread is that of all scores; by default it is that of means of data sets.

    Returns
    -------
    table : list of dict
        The values of the columns, and ``scores``: ``mean``, ``sd`` and ``n`` by score.
    """
    columns = list(SCORES)
    if not over_trials:
        frame = frame.groupby([*by, "dataset"], sort=False)[columns].mean().reset_index()
    table = []
    for values, group in frame.groupby(list(by), sort=False)[columns]:
        mean, sd = group.mean(), group.std(ddof=1).fillna(0.0)
        scores = {
            score: {"mean": float(mean[score]), "sd": float(sd[score]), "n": len(group)}
            for score in columns
        }
        table.append({**dict(zip(by, values, strict=True)), "scores": scores})
    return table


def compare(
    frame: Frame,
    score: str,
    *,
    over: str,
    first: str = PAPER[0],
    second: str = PAPER[1],
    unit: str = "dataset",
    against: Frame | None = None,
    **names: Any,
) -> dict[str, Any]:
    """Test whether the first method scores higher, pairing the means of each unit.

    Parameters
    ----------
    frame : DataFrame
    score : str
    over : str
        What the rows are, in words.
    first, second : str
        Methods; by default those of the paper.
    unit : str, default="dataset"
        The column whose values are the pairs.
    against : DataFrame, optional
        The rows of the second method, where they are others than those of the first.
    **names
        What else to say of the test.

    Returns
    -------
    test : dict
    """
    rival = frame if against is None else against
    ours = unit_means(select(frame, method=first), score, unit)
    theirs = unit_means(select(rival, method=second), score, unit)
    test = paired_t_test(ours.to_numpy(), theirs.reindex(ours.index).to_numpy())
    told = {"over": over, "unit": unit, "first": first, "second": second, "score": score}
    return {**names, **told, **asdict(test)}


def compare_all(frame: Frame, *, over: str, **names: Any) -> list[dict[str, Any]]:
    """Compare the paper's two methods by each of the tested scores."""
    return [compare(frame, score, over=over, **names) for score in TESTED]


def compare_others(
    frame: Frame, *, over: str = "all data sets", **names: Any
) -> list[dict[str, Any]]:
    """Compare our method with its rivals, and each further method with the paper's two."""
    present = list(frame["method"].unique())
    pairs = [pair for pair in OUR_PAIRS if set(pair) <= set(present)]
    pairs += [
        (method, second) for method in present if method not in (*PAPER, *OURS) for second in PAPER
    ]
    return [
        compare(frame, TESTED[0], over=over, first=first, second=second, **names)
        for first, second in pairs
    ]


def find_test(tests: Iterable[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    """Return the first test with the wanted values."""
    return find_tests(tests, **wanted)[0]


def find_tests(tests: Iterable[Mapping[str, Any]], **wanted: Any) -> list[Mapping[str, Any]]:
    """Return the tests with the wanted values."""
    return [test for test in tests if all(test.get(key) == wanted[key] for key in wanted)]
