"""``hyplane evaluate``: the paper's protocol on a table of one's own."""

import json
from importlib.metadata import version
from typing import Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli._formats import read_table, write_stdout, write_table
from hyplane.cli._options import (
    count_option,
    dask_option,
    debug_option,
    extra_table_option,
    format_options,
    jobs_option,
    label_option,
    number_option,
    points_option,
    seed_option,
    table_argument,
    table_chart_options,
)
from hyplane.cli._standard_streams import say
from hyplane.cli._types import CHOICE_OF_C, METHODS, SCORES, SHARE, Methods


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane evaluate points.csv --label class\n"
    "  hyplane evaluate points.csv --label class --methods hyperbolic,kernel-secant,rbf --json",
)
@table_argument
@label_option()
@points_option
@table_chart_options
@click.option(
    "--methods",
    type=Methods(),
    default="hyperbolic,euclidean",
    show_default=True,
    metavar="NAMES",
    help=f"The first is tested against the others. There are {', '.join(METHODS)}.",
)
@count_option("--trials", 2, 5, "Number of random divisions.", 100_000)
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
@dask_option
@format_options
@debug_option
def command(
    table: str,
    label: tuple[str, ...],
    points: tuple[str, ...],
    coordinates: str | None,
    curvature: float | None,
    methods: tuple[str, ...],
    trials: int,
    test_size: float,
    score: str,
    as_json: bool,
    records: str | None,
    seed: int,
    jobs: int,
    dask: str | None,
    format: str | None,
    header: bool | None,
) -> None:
    """Compare classifiers on TABLE by the protocol of the paper.

    The points are divided at random into two parts, class by class, several times. Each method
    chooses C by cross validation in the one part and is scored on the other; all have the same
    parts, so that they can be compared in pairs.
    """
    import numpy as np

    from hyplane.cli import _comparison as words
    from hyplane.cli._choice import take_points
    from hyplane.cli._tables import Column, Table
    from hyplane.evaluation import METHODS as REGISTER
    from hyplane.evaluation import evaluate

    data = read_table(table, format, header)
    labels = data.find(label)
    taken = take_points(data, points, labels, coordinates, curvature)
    X, y = taken.X, data.labels(labels)
    taken.announce(labels)
    chart = taken.space.chart
    estimators = {name: REGISTER[name].make(scoring=CHOICE_OF_C, **chart) for name in methods}
    with Waiting(f"evaluating {len(X)} points"):
        found = evaluate(
            estimators,
            X,
            y,
            n_trials=trials,
            test_size=test_size,
            random_state=seed,
            n_jobs=jobs,
            dask=dask,
            verbose=True,
        ).records
    tests = {name: words.test_of(found, methods[0], name, score) for name in methods[1:]}
    if records is not None:
        columns: dict[str, Column] = {
            key: np.array([record[key] for record in found]) for key in found[0]
        }
        write_table(Table(columns), records)
    if as_json:
        summary: dict[str, Any] = {
            "table": table,
            "hyplane_version": version("hyplane"),
            "n_points": len(X),
            "trials": trials,
            "test_size": test_size,
            "seed": seed,
            "score": score,
            **chart,
            "labels": labels,
            "methods": {name: words.summary_of(found, name) for name in methods},
            "tests": [
                words.summary_of_test(methods[0], name, test) for name, test in tests.items()
            ],
            "records": found,
        }
        text = json.dumps(summary, indent=1, default=_plain)
        write_stdout(f"{text}\n".encode())
        return
    about = words.describe(data.origin, X, y, taken.dim)
    say(f"{about}; {trials} trials, {test_size:.0%} held out", "")
    say(*words.laid_out(words.comparison(found, methods)))
    if tests:
        table_of_tests = words.laid_out(words.tests_of(methods[0], tests, score))
        say("", *table_of_tests, "", *words.FOOTNOTE.split("\n"))


def _plain(value: Any) -> Any:
    return value.item()
