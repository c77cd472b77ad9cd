"""``hyplane evaluate``: the paper's protocol on a table of one's own."""

import json
from dataclasses import asdict
from importlib.metadata import version
from math import isfinite
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from hyplane._progress import progress
from hyplane.cli._formats import read_table, write_stdout, write_table
from hyplane.cli._options import (
    SHARE,
    Methods,
    chart_options,
    count_option,
    debug_option,
    extra_table_option,
    format_options,
    jobs_option,
    label_option,
    number_option,
    points_option,
    seed_option,
    table_argument,
)
from hyplane.cli._tables import Column, Table
from hyplane.evaluation import METHODS, SCORES, PairedTest, evaluate, paired_t_test

# What C is chosen by, as in `hyplane fit --cv`.
_CHOICE_OF_C = "average_precision"
_TITLES = {
    "macro_average_precision": "macro AP",
    "macro_aupr": "macro AUPR",
    "macro_roc_auc": "macro ROC AUC",
    "accuracy": "accuracy",
}
_FOOTNOTE = """\
mean ± standard deviation over the trials; * the highest. AP: average precision. AUPR: the area that
the paper's authors report, by the trapezoid rule, in which a perfect ranking scores less than 1.
p: one-sided paired t-test for trials that share points (Nadeau and Bengio)."""


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane evaluate points.csv --label class\n"
    "  hyplane evaluate points.csv --label class --methods hyperbolic,kernel-secant,rbf --json",
)
@table_argument
@label_option()
@points_option
@chart_options
@click.option(
    "--methods",
    type=Methods(),
    default="hyperbolic,euclidean",
    show_default=True,
    metavar="NAMES",
    help=f"The first is tested against the others. There are {', '.join(METHODS)}.",
)
@count_option("--trials", 2, 5, "Number of random divisions.")
@number_option("--test-size", SHARE, 0.5, "Share of the points held out.")
@click.option(
    "--score",
    type=click.Choice(SCORES),
    default="macro_average_precision",
    show_default=True,
    metavar="NAME",
    help=f"What the test compares: {', '.join(SCORES)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@extra_table_option("--records", "Write every score there too, as a table.")
@seed_option
@jobs_option
@format_options
@debug_option
def command(
    table: str,
    label: tuple[str, ...],
    points: tuple[str, ...],
    coordinates: str,
    curvature: float,
    methods: tuple[str, ...],
    trials: int,
    test_size: float,
    score: str,
    as_json: bool,
    records: str | None,
    seed: int,
    jobs: int,
    format: str | None,
    header: bool | None,
) -> None:
    """Compare classifiers on TABLE by the protocol of the paper.

    The points are divided at random into two parts, class by class, several times. Each method
    chooses C by cross validation in the one part and is scored on the other; all have the same
    parts, so that they can be compared in pairs.
    """
    data = read_table(table, format, header)
    labels = data.find(label)
    names = data.find(points) or data.points_besides(labels)
    X = data.points(names, coordinates, curvature)
    y = data.labels(labels)
    chart = {"coordinates": coordinates, "curvature": curvature}
    found: list[dict[str, Any]] = []
    for name in progress(methods, total=len(methods), description="evaluating"):
        found += evaluate(
            {name: METHODS[name].make(scoring=_CHOICE_OF_C, **chart)},
            X,
            y,
            n_trials=trials,
            test_size=test_size,
            random_state=seed,
            n_jobs=jobs,
        ).records
    tests = {name: _test(found, methods[0], name, score) for name in methods[1:]}
    settings = {"trials": trials, "test_size": test_size, "seed": seed, "score": score}
    settings |= {"coordinates": coordinates, "curvature": curvature, "labels": labels}
    summary = {
        "table": table,
        "hyplane_version": version("hyplane"),
        "n_points": len(X),
        **settings,
    }
    if records is not None:
        columns: dict[str, Column] = {
            key: np.array([record[key] for record in found]) for key in found[0]
        }
        write_table(Table(columns), records)
    if as_json:
        summary["methods"] = {name: _summary(found, name) for name in methods}
        summary["tests"] = [_test_summary(methods[0], name, test) for name, test in tests.items()]
        text = json.dumps({**summary, "records": found}, indent=1, default=_plain)
        write_stdout(f"{text}\n".encode())
        return
    click.echo(f"{_describe(data.origin, X, y)}; {trials} trials, {test_size:.0%} held out\n")
    click.echo(_laid_out(_comparison(found, methods)))
    if tests:
        click.echo(f"\n{_laid_out(_tested(methods[0], tests, score))}\n\n{_FOOTNOTE}")


def _scores(found: list[dict[str, Any]], method: str, score: str) -> NDArray[Any]:
    return np.array([record[score] for record in found if record["method"] == method], float)


def _test(found: list[dict[str, Any]], first: str, second: str, score: str) -> PairedTest:
    # Trials on one table share their rows, so the plain test would promise too much.
    ratio = found[0]["n_train"] / found[0]["n_test"]
    a, b = _scores(found, first, score), _scores(found, second, score)
    return paired_t_test(a, b, train_test_ratio=ratio)


def _summary(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    values = {score: _scores(found, name, score) for score in (*SCORES, "seconds")}
    return {
        "title": METHODS[name].title,
        "mean": {score: _number(value.mean()) for score, value in values.items()},
        "std": {score: _number(value.std(ddof=1)) for score, value in values.items()},
    }


def _test_summary(first: str, second: str, test: PairedTest) -> dict[str, Any]:
    numbers = {name: _number(value) for name, value in asdict(test).items()}
    return {"first": first, "second": second, **numbers}


def _number(value: float) -> float | int | None:
    """Return a number that JSON knows."""
    if isinstance(value, int):
        return value
    return float(value) if isfinite(value) else None


def _plain(value: Any) -> Any:
    return value.item()


def _describe(origin: str, X: NDArray[Any], y: NDArray[Any]) -> str:
    kind = f"{y.shape[1]} labels" if y.ndim == 2 else f"{len(np.unique(y))} classes"
    return f"{origin}: {len(X)} points in {X.shape[1]} dimensions, {kind}"


def _comparison(found: list[dict[str, Any]], methods: tuple[str, ...]) -> list[list[str]]:
    """Return means and standard deviations, the best mean of each score marked with a star."""
    means = {score: [_scores(found, name, score).mean() for name in methods] for score in _TITLES}
    rows = [["method", *(f"{title} " for title in _TITLES.values()), "seconds"]]
    for place, name in enumerate(methods):
        cells = [METHODS[name].title]
        for score, values in means.items():
            best = len(methods) > 1 and values[place] == np.nanmax(values)
            spread = _scores(found, name, score).std(ddof=1)
            cells.append(f"{values[place]:.3f} ± {spread:.3f}{'*' if best else ' '}")
        rows.append([*cells, f"{_scores(found, name, 'seconds').sum():.2f}"])
    return rows


def _tested(first: str, tests: dict[str, PairedTest], score: str) -> list[list[str]]:
    """Return the tests of the first method against the others."""
    head = [f"{METHODS[first].title} against", score, "95 % interval", "higher in", "p"]
    rows = [head]
    for name, test in tests.items():
        interval = f"{test.low:+.3f} to {test.high:+.3f}"
        higher = f"{test.wins} of {test.n}"
        p_value = "-" if np.isnan(test.p_value) else f"{test.p_value:.2g}"
        rows.append([METHODS[name].title, f"{test.difference:+.3f}", interval, higher, p_value])
    return rows


def _laid_out(rows: list[list[str]]) -> str:
    """Line up the columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)
