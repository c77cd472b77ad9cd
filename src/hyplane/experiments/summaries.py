"""Raw scores summed up: means with their spread, and the paired tests of each experiment."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from hyplane.evaluation import SCORES
from hyplane.evaluation.methods import PAPER
from hyplane.evaluation.paired import paired_t_test

Row = Mapping[str, Any]
# The paper's score, and two that do not share its quirks.
TESTED = ("macro_aupr", "macro_average_precision", "macro_roc_auc")


def dataset_means(rows: Iterable[Row], score: str) -> dict[str, float]:
    """Return the mean over trials of each data set, in the order of the rows.

    Examples
    --------
    >>> rows = [{"dataset": "a", "accuracy": 0.5}, {"dataset": "a", "accuracy": 1.0}]
    >>> dataset_means(rows, "accuracy")
    {'a': 0.75}
    """
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        values[row["dataset"]].append(row[score])
    return {name: float(np.mean(scores)) for name, scores in values.items()}


def dataset_spreads(rows: Iterable[Row], score: str) -> dict[str, float]:
    """Return the standard deviation over trials of each data set."""
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        values[row["dataset"]].append(row[score])
    return {name: float(np.std(v, ddof=1)) if len(v) > 1 else 0.0 for name, v in values.items()}


def where(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """Return the rows that have the wanted values."""
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def values_of(rows: Iterable[Row], key: str) -> list[Any]:
    """Return the different values of a column, in the order in which they come."""
    return list(dict.fromkeys(row[key] for row in rows))


def mean_and_spread(rows: Sequence[Row], *, by_dataset: bool) -> dict[str, dict[str, float]]:
    """Return mean and standard deviation of each score, over data sets or over all trials."""
    table = {}
    for score in SCORES:
        scores = [row[score] for row in rows]
        if by_dataset:
            scores = list(dataset_means(rows, score).values())
        spread = float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
        table[score] = {"mean": float(np.mean(scores)), "sd": spread, "n": len(scores)}
    return table


def compare(
    rows: Sequence[Row],
    first: str,
    second: str,
    score: str,
    *,
    over: str,
    unit: str = "dataset",
    **names: Any,
) -> dict[str, Any]:
    """Test whether the first method scores higher, pairing the means of each unit.

    Parameters
    ----------
    rows : sequence of dict
    first, second : str
        Methods.
    score : str
    over : str
        What the rows are, in words.
    unit : str, default="dataset"
        The column whose values are the pairs.
    **names
        What else to say of the test.

    Returns
    -------
    test : dict
    """
    means = [_unit_means(where(rows, method=method), unit, score) for method in (first, second)]
    test = paired_t_test([means[0][key] for key in means[0]], [means[1][key] for key in means[0]])
    return {
        **names,
        "over": over,
        "unit": unit,
        "first": first,
        "second": second,
        "score": score,
        **asdict(test),
    }


def _unit_means(rows: Sequence[Row], unit: str, score: str) -> dict[Any, float]:
    if unit == "dataset":
        return dict(dataset_means(rows, score))
    return {
        value: float(np.mean(list(dataset_means(where(rows, **{unit: value}), score).values())))
        for value in values_of(rows, unit)
    }


def sum_up_gaussian(rows: Sequence[Row]) -> dict[str, Any]:
    """Sum up the Gaussian mixtures."""
    methods = values_of(rows, "method")
    table = [
        {"method": method, "scores": mean_and_spread(where(rows, method=method), by_dataset=True)}
        for method in methods
    ]
    tests = [compare(rows, *PAPER, score, over="all data sets") for score in TESTED]
    tests += _tests_of_others(rows, methods)
    return {"n_datasets": len(values_of(rows, "dataset")), "table": table, "tests": tests}


def sum_up_evolving(rows: Sequence[Row]) -> dict[str, Any]:
    """Sum up the evolving networks, over all and by the size of the labels."""
    methods, ranges = values_of(rows, "method"), values_of(rows, "size_range")
    table = [
        {
            "size_range": size,
            "method": method,
            "scores": mean_and_spread(
                where(rows, method=method, **({"size_range": size} if size != "all" else {})),
                by_dataset=True,
            ),
        }
        for size in ("all", *ranges)
        for method in methods
    ]
    tests = [compare(rows, *PAPER, score, over="all data sets") for score in TESTED]
    tests += [
        compare(where(rows, size_range=size), *PAPER, score, over=f"labels of {size} nodes")
        for size in ranges
        for score in TESTED
    ]
    tests += [
        compare(rows, *PAPER, score, over="means of networks", unit="network") for score in TESTED
    ]
    tests += _tests_of_others(rows, methods)
    return {"n_datasets": len(values_of(rows, "dataset")), "table": table, "tests": tests}


def sum_up_real(rows: Sequence[Row]) -> dict[str, Any]:
    """Sum up the real networks: each network, corpus, embedding and method."""
    table, tests = [], []
    for network in values_of(rows, "network"):
        for corpus in values_of(rows, "corpus"):
            part = where(rows, network=network, corpus=corpus)
            for features in values_of(part, "features"):
                for method in values_of(where(part, features=features), "method"):
                    chosen = where(part, features=features, method=method)
                    scores = mean_and_spread(chosen, by_dataset=False)
                    names = {"network": network, "corpus": corpus, "features": features}
                    table.append({**names, "method": method, "scores": scores})
            same = where(part, features="hyperbolic")
            over = f"embeddings of {network}"
            tests += [
                compare(same, *PAPER, score, over=over, network=network, corpus=corpus)
                for score in TESTED
            ]
    for corpus in values_of(rows, "corpus"):
        same = where(rows, corpus=corpus, features="hyperbolic")
        tests += [
            compare(same, *PAPER, score, over="all embeddings", corpus=corpus) for score in TESTED
        ]
    return {"n_datasets": len(values_of(rows, "dataset")), "table": table, "tests": tests}


def _tests_of_others(rows: Sequence[Row], methods: Sequence[str]) -> list[dict[str, Any]]:
    return [
        compare(rows, method, second, TESTED[0], over="all data sets")
        for method in methods
        if method not in PAPER
        for second in PAPER
    ]


def find_test(tests: Sequence[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    """Return the first test with the wanted values."""
    return next(
        test for test in tests if all(test.get(key) == value for key, value in wanted.items())
    )


SUM_UP = {"gaussian": sum_up_gaussian, "evolving": sum_up_evolving, "real": sum_up_real}
