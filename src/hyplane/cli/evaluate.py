"""``hyplane evaluate``: the paper's protocol on a table of one's own."""

import json
from dataclasses import asdict
from importlib.metadata import version
from math import isfinite, isnan
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import ListOf, Number, PointOptions, TableFile, choice, flag, option

if TYPE_CHECKING:
    from numpy.typing import NDArray


@options.command
@options.label()
@options.points()
@option(
    "--methods",
    f"Methods to compare; the first is tested against the others: {', '.join(options.METHODS)}.",
    ListOf(click.Choice(options.METHODS), "names"),
    "hyperbolic,euclidean",
)
@option("--trials", "Number of random splits.", Number(2, 100_000), 5)
@option("--test-size", "Share of the points to test on.", Number(1e-9, 1 - 1e-9), 0.5)
@choice("--score", "Score to compare by", options.SCORES, "macro_average_precision")
@flag("--json as_json", "Print the scores as JSON.")
@options.output("Also write the scores of every trial to this table.", "--records")
@options.seed
@options.jobs
@options.dask
@options.table
def command(
    table: TableFile, label: tuple[str, ...], points: PointOptions, score: str, **given: Any
) -> None:
    """Compare classifiers on TABLE by the protocol of the paper.

    Each trial splits the points at random into a training and a test set, stratified by class.
    Every method chooses C by cross-validation on the training set and is scored on the test set.
    All methods see the same splits, so their scores are compared trial by trial.

    Example:
      hyplane evaluate points.csv --label class
      hyplane evaluate points.csv --label class --methods hyperbolic,kernel-secant,rbf --json
    """
    import numpy as np

    from hyplane.cli.point_columns import take_points
    from hyplane.cli.table_files import read_table, write_stdout, write_table
    from hyplane.cli.tables import Table
    from hyplane.evaluation import METHODS, evaluate, paired_t_test

    methods, trials, test_size = given["methods"], given["trials"], given["test_size"]
    data = read_table(table)
    labels = data.find(label)
    taken = take_points(data, points, labels)
    X, y = taken.X, data.labels(labels)
    taken.announce(labels)
    chart = taken.space.chart
    own = {"scoring": "average_precision", **chart}
    estimators = {name: METHODS[name].make(**own) for name in methods}
    settings = {"n_trials": trials, "test_size": test_size, "random_state": given["seed"]}
    settings |= {"n_jobs": given["jobs"], "dask": given["dask"]}
    with Waiting(f"evaluating {len(X)} points"):
        found = evaluate(estimators, X, y, **settings, verbose=True)
    # Trials on one table share their rows, so the plain test would promise too much.
    ratio = found.records[0]["n_train"] / found.records[0]["n_test"]
    first = found.scores(methods[0], score)
    tests = {
        name: paired_t_test(first, found.scores(name, score), train_test_ratio=ratio)
        for name in methods[1:]
    }
    if given["records"] is not None:
        columns = {key: np.array([each[key] for each in found.records]) for key in found.records[0]}
        write_table(Table(columns), given["records"], rows="scores")
    titles = {name: METHODS[name].title for name in methods}
    scores = (*options.SCORES, "seconds")
    values = {name: {key: found.scores(name, key) for key in scores} for name in methods}
    if given["as_json"]:
        summary: dict[str, Any] = {"table": table.path, "hyplane_version": version("hyplane")}
        summary |= {name: given[name] for name in ("trials", "test_size", "seed")}
        summary |= {"n_points": len(X), "score": score, **chart, "labels": labels, "methods": {}}
        for name, own_scores in values.items():
            means = {key: each.mean() for key, each in own_scores.items()}
            spread = {key: each.std(ddof=1) for key, each in own_scores.items()}
            summary["methods"][name] = {"title": titles[name], "mean": means, "std": spread}
        pairs = ({"first": methods[0], "second": name, **asdict(tests[name])} for name in tests)
        summary |= {"tests": list(pairs), "records": found.records}
        write_stdout(json_text(summary).encode())
        return
    kind = f"{y.shape[1]} labels" if y.ndim == 2 else f"{len(np.unique(y))} classes"
    axes = "dimension" if taken.dim == 1 else "dimensions"
    about = f"{data.origin}: {len(X)} points in {taken.dim} {axes}, {kind}"
    say(f"{about}; {trials} trials, {test_size:.0%} held out", "")
    say(*laid_out(_comparison(values, titles)))
    note = """Mean ± standard deviation over the trials; * marks the highest mean. AP is the average
    precision. AUPR is the area that the paper's authors report, by the trapezoid rule, in which a
    perfect ranking scores less than 1."""
    if tests:
        rows = [["method", "difference", "95 % interval", "higher in", "p"]]
        for name, test in tests.items():
            p = "-" if isnan(test.p_value) else f"{test.p_value:.2g}"
            interval = f"{test.low:+.3f} to {test.high:+.3f}"
            cells = [f"{test.difference:+.3f}", interval, f"{test.wins} of {test.n}", p]
            rows.append([titles[name], *cells])
        say("", f"{titles[methods[0]]} against the others, {score}:", "", *laid_out(rows))
        note += " p: one-sided paired t-test for trials that share points (Nadeau and Bengio)."
    say("", *wrap(" ".join(note.split()), min(terminal_width(), 100)))


def _comparison(
    values: "dict[str, dict[str, NDArray[Any]]]", titles: dict[str, str]
) -> list[list[str]]:
    """Return means and standard deviations, the highest mean of each score marked with a star."""
    shown = {"macro_average_precision": "macro AP", "macro_aupr": "macro AUPR"}
    shown |= {"macro_roc_auc": "macro ROC AUC", "accuracy": "accuracy"}
    rows = [["method", *(f"{title} " for title in shown.values()), "seconds"]]
    for name, title in titles.items():
        cells = [title]
        for score in shown:
            mean, spread = values[name][score].mean(), values[name][score].std(ddof=1)
            best = len(titles) > 1 and mean == max(each[score].mean() for each in values.values())
            cells.append(f"{mean:.3f} ± {spread:.3f}{'*' if best else ' '}")
        rows.append([*cells, f"{values[name]['seconds'].sum():.2f}"])
    return rows


def json_text(summary: Any) -> str:
    """Return text in JSON, with null for numbers that are not finite."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        value = value.item() if hasattr(value, "item") else value
        return None if isinstance(value, float) and not isfinite(value) else value

    return json.dumps(plain(summary), indent=1) + "\n"


def terminal_width() -> int:
    """Return the width of the terminal, or 100 if there is none."""
    return get_terminal_size((100, 24)).columns


def laid_out(rows: list[list[str]]) -> list[str]:
    r"""Return lines of aligned columns, the first to the left and the others to the right.

    Columns that do not fit the terminal follow below, with the first one repeated.

    Examples
    --------
    >>> print(*laid_out([["class", "points"], ["a", "12"]]), sep="\n")
    class  points
    a          12
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    places = list(range(1, len(widths)))
    while places:
        shown: list[int] = []
        room = terminal_width() - widths[0]
        while places and (not shown or widths[places[0]] + 2 <= room):
            room -= widths[places[0]] + 2
            shown.append(places.pop(0))
        lines += [""] if lines else []
        for row in rows:
            cells = [row[place].rjust(widths[place]) for place in shown]
            lines.append("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
    return lines
