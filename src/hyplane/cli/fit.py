"""``hyplane fit``: a classifier from a table."""

from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.progress import Progress, Waiting
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import NUMBERS, POSITIVE, Number, choice, flag, option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hyplane.out_of_core import ParquetTable


@options.command
@options.label()
@options.points()
@options.output("Model file to write.", required=True, tabular=False)
@choice("--method", "Classifier", options.METHODS, "hyperbolic")
@option(
    "-C C",
    "Weight of errors; inf for a hard margin.  [default: 1]",
    Number(1e-100, 1e100, "a positive number up to 1e100, or inf", also=inf),
)
@flag("--cv", "Choose C by cross-validation, and calibrate probabilities.")
@option("--grid", "Values of C that --cv tries.  [default: 0.1,1,10]", NUMBERS)
@option("--folds", "Number of folds for --cv.  [default: 5]", Number(2, 100_000_000))
@option("--gamma", "Scale of kernel methods.  [default: from the data]", POSITIVE)
@flag("--one-vs-one", "Fit one hyperplane for each pair of classes.")
@flag("--balanced", "Weight classes inversely to their frequency.")
@flag("--readable", "Write arrays as decimal numbers, which other programs can read.")
@options.seed
@options.jobs
@options.table
def command(
    table: options.TableFile,
    label: tuple[str, ...],
    points: options.PointOptions,
    output: str,
    **settings: Any,
) -> None:
    """Fit a classifier to TABLE and write it to a model file.

    The model file is plain JSON, and loading it never runs code. Use --cv if you need
    probabilities. 'hyplane evaluate' uses the same settings, except for the hyperbolic SVM, which
    it fits with those of the paper. Parquet files of 64 MiB or more are read in parts, so they
    need not fit into memory.

    Example:
      hyplane fit points.csv --label class -o model.json
      hyplane fit points.csv --label class --cv -o model.json
      hyplane fit large.parquet --label class -o model.json
      cat points.csv | hyplane fit - --label class --method kernel-secant -o model.json
    """
    from hyplane.cli.point_columns import ChosenPoints, doubt, find_points
    from hyplane.cli.table_files import head_of, open_large, read_table, write_stdout
    from hyplane.persistence import model_text, save_model

    options.keep_input(output, table.path)
    _check(settings)
    in_parts = settings["method"] == "hyperbolic" and settings["C"] != inf
    large = open_large(table) if in_parts else None
    data = read_table(table) if large is None else head_of(large, table.path)
    labels = data.find(label)
    names, space = find_points(data, points, labels)
    X: Any = data.numbers(names) if large is None else large[names]
    if large is None:
        y: Any = data.labels(labels)
    elif len(labels) > 1:
        raise ValueError(f"{table.path} is read part by part, which needs one column of labels")
    else:
        y = large[labels[0]]
    ChosenPoints(names, X, space, space).announce(labels)
    estimator = _estimator(settings, **space.chart)
    several = len(labels) > 1
    if several and not settings["cv"] and not settings["method"].startswith("hyperbolic"):
        raise ValueError("several labels per point need --cv or --method hyperbolic")
    start = perf_counter()
    _set_verbose(estimator, 1)
    with Waiting(f"fitting {len(X)} points"), data.rows_named(names, doubt(points)):
        estimator.fit(X, y)
    _set_verbose(estimator, 0)  # the model file need not say it
    seconds = perf_counter() - start
    if large is not None:
        if estimator.classes_.dtype.kind == "f" and not (estimator.classes_ % 1).any():
            estimator.classes_ = estimator.classes_.astype("int64")
        del estimator.feature_names_in_  # the model file names the columns itself
    parts = _in_memory(X, y) if large is None else _on_disk(large, names, labels[0])
    right = _share_right(estimator, parts, len(X))
    stored: dict[str, Any] = {"point_columns": names, "label_columns": labels}
    stored["readable"] = settings["readable"]
    if output == options.STREAM:
        write_stdout(model_text(estimator, **stored).encode())
    else:
        save_model(estimator, output, **stored)
    kind = f"{len(labels)} labels" if several else f"{len(estimator.classes_)} classes"
    fitted = f"fitted {len(X)} points of {kind} in {seconds:.2f} s"
    say(f"{fitted}; {right:.1%} of them are right", err=True)
    if hasattr(estimator, "C_"):
        say(f"chosen C: {listed_C(estimator.C_)}", err=True)
    if output != options.STREAM:
        say(f"wrote {output}", err=True)


def _check(settings: dict[str, Any]) -> None:
    """Refuse settings that do not go together."""
    name = settings["method"]
    hyperbolic, kernel = name.startswith("hyperbolic"), name.startswith("kernel") or name == "rbf"
    kernels = "--method kernel-secant, kernel-laplacian or rbf"
    for wrong, message in (
        (settings["one_vs_one"] and not hyperbolic, "--one-vs-one needs --method hyperbolic."),
        (settings["gamma"] and not kernel, f"--gamma needs {kernels}."),
        (settings["grid"] and not settings["cv"], "--grid needs --cv."),
        (settings["folds"] and not settings["cv"], "--folds needs --cv."),
        (settings["cv"] and settings["C"], "--cv chooses C from --grid; leave out -C."),
        (settings["C"] == inf and not hyperbolic, "-C inf needs --method hyperbolic."),
    ):
        if wrong:
            raise click.UsageError(message)


def _estimator(settings: dict[str, Any], **chart: Any) -> Any:
    from hyplane.evaluation import METHODS

    name, method = settings["method"], METHODS[settings["method"]]
    chosen = {"class_weight": "balanced" if settings["balanced"] else None}
    chosen |= {"multi_class": "ovo" if settings["one_vs_one"] else None}
    chosen |= {"C": settings["C"], "gamma": settings["gamma"]}
    chosen |= {"Cs": settings["grid"], "cv": settings["folds"]}
    if settings["cv"] or name.startswith("hyperbolic"):
        chosen |= {"random_state": settings["seed"], "n_jobs": settings["jobs"]}
    chart |= {key: value for key, value in chosen.items() if value is not None}
    if not settings["cv"]:
        return method.single(**chart)
    if name == "hyperbolic":  # the register has the paper's settings, which are for comparisons
        chart |= {"bound": "horosphere", "threshold": "side"}
    return method.make(scoring="average_precision", **chart)


def _set_verbose(estimator: Any, verbose: int) -> None:
    ours = type(estimator).__module__.startswith("hyplane")  # scikit-learn's print to the output
    if ours and "verbose" in estimator.get_params(deep=False):
        estimator.set_params(verbose=verbose)


def _in_memory(X: Any, y: Any, size: int = 50_000) -> "Iterator[tuple[Any, Any]]":
    return ((X[at : at + size], y[at : at + size]) for at in range(0, len(X), size))


def _on_disk(large: "ParquetTable", names: list[str], label: str) -> "Iterator[tuple[Any, Any]]":
    from hyplane.cli.tables import Table

    for columns in large.parts([*names, label]):
        part = Table(dict(columns))
        yield part.numbers(names), part.classes(label)


def _share_right(estimator: Any, parts: "Iterator[tuple[Any, Any]]", n_rows: int) -> float:
    """Return the share of the labels of the training rows that a classifier gets right."""
    n_right = n_labels = 0
    description = "predicting the same points"
    with Waiting(description), Progress(n_rows, description, lines=True) as bar:
        for X, y in parts:
            n_right += int((estimator.predict(X) == y).sum())
            n_labels += y.size
            bar.advance(len(y))
    return n_right / n_labels


def listed_C(chosen: Any) -> str:
    """List the C of each class, or how often each was chosen if there are many."""
    words = [f"{C:g}" for C in chosen]
    if len(words) <= 12:
        return ", ".join(words)
    return ", ".join(f"{word} ({words.count(word)} times)" for word in dict.fromkeys(words))
