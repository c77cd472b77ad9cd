"""``hyplane fit``: a classifier from a table."""

from contextlib import nullcontext
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.progress import Progress, Waiting
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import POSITIVE, ListOf, Number, PointOptions, TableFile

if TYPE_CHECKING:
    from hyplane.out_of_core import ParquetTable


@options.command
@options.label()
@options.points()
@options.output("Model file to write, JSON.", required=True, tabular=False)
@options.choice("--method", "Classifier", options.METHODS, "hyperbolic")
@options.option(
    "-C C",
    "Weight of the losses; inf for the hard margin.  [default: 1]",
    Number(1e-100, 1e100, also=inf),
)
@options.flag("--cv", "Choose C by cross validation and calibrate probabilities.")
@options.option("--grid", "Values of C for --cv.  [default: 0.1,1,10]", ListOf(POSITIVE, "numbers"))
@options.option("--folds", "Number of folds for --cv.  [default: 5]", Number(2, 100_000_000))
@options.option("--gamma", "Scale of a kernel method.  [default: from the data]", POSITIVE)
@options.flag("--one-vs-one", "Fit one hyperplane per pair of classes.")
@options.flag("--balanced", "Weight classes by the inverse of their frequency.")
@options.flag("--readable", "Write numbers as decimals, for programs in other languages.")
@options.seed
@options.jobs
@options.table
def command(
    table: TableFile, label: tuple[str, ...], points: PointOptions, output: str, **settings: Any
) -> None:
    """Fit a classifier to TABLE and write it to a model file.

    The file is plain JSON; loading it runs no code. With --cv the classifier is the one that
    'hyplane evaluate' scores. Parquet files of 64 MiB or more are read part by part.

    Example:
      hyplane fit points.csv --label class -o model.json
      hyplane fit points.csv --label class --cv -o model.json   (for predict --proba)
      hyplane fit big.parquet --label class -o model.json
      cat points.csv | hyplane fit - --label class --method kernel-secant -o model.json
    """
    from hyplane.cli.point_columns import take_points
    from hyplane.cli.predict import in_blocks
    from hyplane.cli.table_files import head_of, open_large, read_table, write_stdout
    from hyplane.persistence import model_text, save_model

    options.keep_input(output, table.path)
    _check(settings)
    in_parts = settings["method"] == "hyperbolic" and settings["C"] != inf
    large = open_large(table) if in_parts else None
    data = read_table(table) if large is None else head_of(large, table.path)
    labels = data.find(label)
    if large is not None and len(labels) > 1:
        raise ValueError(f"{table.path} is read part by part, which needs one column of labels")
    taken = take_points(data, points, labels)
    X: Any = taken.X if large is None else large[taken.names]
    y: Any = data.labels(labels) if large is None else large[labels[0]]
    taken.announce(labels)
    estimator = _estimator(settings, **taken.space.chart)
    if y.ndim == 2 and not settings["cv"] and not settings["method"].startswith("hyperbolic"):
        raise ValueError("several labels per point need --cv or --method hyperbolic")
    kind = ""
    if large is None:
        kind = f" of {y.shape[1]} labels" if y.ndim == 2 else f" of {len(set(y.tolist()))} classes"
    start = perf_counter()
    _set_verbose(estimator, 1)
    named = nullcontext() if large is None else data.rows_named(taken.names)
    with Waiting(f"fitting {len(X)} points{kind}"), named:
        estimator.fit(X, y)
    _set_verbose(estimator, 0)  # the model file need not say it
    seconds = perf_counter() - start
    if large is None:
        predicted = in_blocks(estimator, X, ["predict"], "predicting the same points")["predict"]
        right = float((predicted == y).mean())
    else:
        kind = f" of {len(estimator.classes_)} classes"
        if estimator.classes_.dtype.kind == "f" and not (estimator.classes_ % 1).any():
            estimator.classes_ = estimator.classes_.astype("int64")
        del estimator.feature_names_in_  # the model file names the columns itself
        right = _share_right(estimator, large, taken.names, labels[0])
    stored: dict[str, Any] = {"point_columns": taken.names, "label_columns": labels}
    stored["readable"] = settings["readable"]
    if output == options.STREAM:
        write_stdout(model_text(estimator, **stored).encode())
    else:
        save_model(estimator, output, **stored)
    say(f"fitted {len(X)} points{kind} in {seconds:.2f} s; {right:.1%} of them are right", err=True)
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


def _share_right(estimator: Any, large: "ParquetTable", names: list[str], label: str) -> float:
    """Return the share of the rows on disk that a classifier gets right."""
    from hyplane.cli.tables import Table

    n_right = 0
    with Progress(large.n_rows, "predicting the same points", lines=True) as bar:
        for columns in large.parts([*names, label]):
            part = Table(dict(columns))
            y = part.classes(label)
            n_right += int((estimator.predict(part.numbers(names)) == y).sum())
            bar.advance(len(y))
    return n_right / large.n_rows


def listed_C(chosen: Any) -> str:
    """List the C of each class, or how often each was chosen if there are many."""
    words = [f"{C:g}" for C in chosen]
    if len(words) <= 12:
        return ", ".join(words)
    return ", ".join(f"{word} ({words.count(word)} times)" for word in dict.fromkeys(words))
