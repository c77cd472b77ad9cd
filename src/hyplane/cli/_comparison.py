"""What `hyplane evaluate` found, in words and in lines that fit a terminal."""

from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane.evaluation import METHODS, SCORES, PairedTest, paired_t_test

TITLES = {
    "macro_average_precision": "macro AP",
    "macro_aupr": "macro AUPR",
    "macro_roc_auc": "macro ROC AUC",
    "accuracy": "accuracy",
}
FOOTNOTE = """\
mean ± standard deviation over the trials; * the highest. AP: average precision. AUPR: the area that
the paper's authors report, by the trapezoid rule, in which a perfect ranking scores less than 1.
p: one-sided paired t-test for trials that share points (Nadeau and Bengio)."""


def scores_of(found: list[dict[str, Any]], method: str, score: str) -> NDArray[Any]:
    """Return the scores of a method, trial by trial."""
    return np.array([record[score] for record in found if record["method"] == method], float)


def test_of(found: list[dict[str, Any]], first: str, second: str, score: str) -> PairedTest:
    """Test one method against another."""
    # Trials on one table share their rows, so the plain test would promise too much.
    ratio = found[0]["n_train"] / found[0]["n_test"]
    a, b = scores_of(found, first, score), scores_of(found, second, score)
    return paired_t_test(a, b, train_test_ratio=ratio)


def summary_of(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the means and standard deviations of a method, as JSON holds them."""
    values = {score: scores_of(found, name, score) for score in (*SCORES, "seconds")}
    return {
        "title": METHODS[name].title,
        "mean": {score: plain_number(value.mean()) for score, value in values.items()},
        "std": {score: plain_number(value.std(ddof=1)) for score, value in values.items()},
    }


def summary_of_test(first: str, second: str, test: PairedTest) -> dict[str, Any]:
    """Return a test as JSON holds it."""
    numbers = {name: plain_number(value) for name, value in asdict(test).items()}
    return {"first": first, "second": second, **numbers}


def plain_number(value: float) -> float | int | None:
    """Return a number that JSON knows."""
    if isinstance(value, int):
        return value
    return float(value) if isfinite(value) else None


def describe(origin: str, X: NDArray[Any], y: NDArray[Any], dim: int) -> str:
    """Return what a table holds, in a few words."""
    kind = f"{y.shape[1]} labels" if y.ndim == 2 else f"{len(np.unique(y))} classes"
    return f"{origin}: {len(X)} points in {dim} dimensions, {kind}"


def comparison(found: list[dict[str, Any]], methods: tuple[str, ...]) -> list[list[str]]:
    """Return means and standard deviations, the best mean of each score marked with a star."""
    means = {score: [scores_of(found, name, score).mean() for name in methods] for score in TITLES}
    rows = [["method", *(f"{title} " for title in TITLES.values()), "seconds"]]
    for place, name in enumerate(methods):
        cells = [METHODS[name].title]
        for score, values in means.items():
            best = len(methods) > 1 and values[place] == np.nanmax(values)
            spread = scores_of(found, name, score).std(ddof=1)
            cells.append(f"{values[place]:.3f} ± {spread:.3f}{'*' if best else ' '}")
        rows.append([*cells, f"{scores_of(found, name, 'seconds').sum():.2f}"])
    return rows


def tests_of(first: str, tests: dict[str, PairedTest], score: str) -> list[list[str]]:
    """Return the tests of the first method against the others."""
    head = [f"{METHODS[first].title} against", score, "95 % interval", "higher in", "p"]
    rows = [head]
    for name, test in tests.items():
        interval = f"{test.low:+.3f} to {test.high:+.3f}"
        higher = f"{test.wins} of {test.n}"
        p_value = "-" if np.isnan(test.p_value) else f"{test.p_value:.2g}"
        rows.append([METHODS[name].title, f"{test.difference:+.3f}", interval, higher, p_value])
    return rows


def laid_out(rows: list[list[str]]) -> list[str]:
    """Return lines of aligned columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return lines
