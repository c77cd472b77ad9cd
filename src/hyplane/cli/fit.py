"""``hyplane fit``: a classifier from a table."""

from contextlib import nullcontext
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli._formats import STREAM, read_table, write_stdout
from hyplane.cli._options import (
    debug_option,
    format_options,
    jobs_option,
    keep_input,
    label_option,
    output_option,
    points_option,
    seed_option,
    table_argument,
    table_chart_options,
)
from hyplane.cli._standard_streams import say
from hyplane.cli._types import (
    CHOICE_OF_C,
    METHODS,
    POSITIVE,
    POSITIVE_OR_INF,
    Numbers,
    whole,
)

# Binary problems whose chosen C are listed one by one.
_FEW = 12

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli._spaces import Space


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane fit points.csv --label class -o model.json\n"
    "  hyplane fit points.csv --label class --cv -o model.json   (for predict --proba)\n"
    "  hyplane fit big.parquet --label class -o model.json   (64 MiB or more: part by part)\n"
    "  cat points.csv | hyplane fit - --label class --method kernel-secant -o model.json",
)
@table_argument
@label_option()
@points_option
@output_option("The model file, JSON.", required=True, tabular=False)
@table_chart_options
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="hyperbolic",
    show_default=True,
    metavar="NAME",
    help=f"The classifier: {', '.join(METHODS)}.",
)
@click.option(
    "-C",
    "C",
    type=POSITIVE_OR_INF,
    metavar="NUMBER",
    help="Weight of the losses; inf is the hard margin.  [default: 1]",
)
@click.option("--cv", is_flag=True, help="Choose C by cross validation, and learn probabilities.")
@click.option("--grid", type=Numbers(), metavar="NUMBERS", help="With --cv.  [default: 0.1,1,10]")
@click.option("--folds", type=whole(2), metavar="INTEGER", help="With --cv.  [default: 5]")
@click.option(
    "--gamma", type=POSITIVE, metavar="NUMBER", help="Of a kernel.  [default: from the data]"
)
@click.option("--one-vs-one", is_flag=True, help="A hyperplane per pair of classes.")
@click.option(
    "--readable", is_flag=True, help="Write numbers as decimals, for programs in other languages."
)
@click.option("--balanced", is_flag=True, help="Give rare classes more weight.")
@seed_option
@jobs_option
@format_options
@debug_option
def command(
    table: str,
    label: tuple[str, ...],
    points: tuple[str, ...],
    output: str,
    coordinates: str | None,
    curvature: float | None,
    readable: bool,
    format: str | None,
    header: bool | None,
    **settings: Any,
) -> None:
    """Learn a classifier from TABLE and write it to a model file.

    The file is plain JSON that runs nothing when it is loaded. With --cv the classifier is the one
    that `hyplane evaluate` scores.
    """
    from hyplane.cli._choice import take_points
    from hyplane.cli._streams import head_of, stream_of
    from hyplane.persistence import model_text, save_model

    keep_input(output, table)
    _check(settings)
    stream = stream_of(table, format) if _can_stream(settings) else None
    data = read_table(table, format, header) if stream is None else head_of(stream, table)
    label_columns = data.find(label)
    if stream is not None and len(label_columns) > 1:
        raise ValueError(f"{table} is read part by part, which goes with one column of labels")
    taken = take_points(data, points, label_columns, coordinates, curvature)
    X: Any = taken.X if stream is None else stream[taken.names]
    y: Any = data.labels(label_columns) if stream is None else stream[label_columns[0]]
    taken.announce(label_columns)
    estimator = _estimator(taken.space, settings)
    if y.ndim == 2 and not settings["cv"] and not settings["method"].startswith("hyperbolic"):
        raise ValueError("several labels a point go with --cv, or with --method hyperbolic")
    kind = "" if stream is not None else _kind(y)
    start = perf_counter()
    _set_verbose(estimator, 1)
    named = nullcontext() if stream is None else data.rows_named(taken.names)
    with Waiting(f"fitting {len(X)} points{kind}"), named:
        estimator.fit(X, y)
    _set_verbose(estimator, 0)  # the model file need not say it
    seconds = perf_counter() - start
    right = _share_right(estimator, X, y)
    if stream is not None:
        _whole_classes(estimator)
        del estimator.feature_names_in_  # the model file names the columns itself
        kind = f" of {len(estimator.classes_)} classes"
    stored: dict[str, Any] = {"point_columns": taken.names, "label_columns": label_columns}
    stored["readable"] = readable
    if output == STREAM:
        write_stdout(model_text(estimator, **stored).encode())
    else:
        save_model(estimator, output, **stored)
    lines = [f"fitted {len(X)} points{kind} in {seconds:.2f} s; {right:.1%} of them are right"]
    _tell(estimator, lines, output)


def _can_stream(settings: dict[str, Any]) -> bool:
    """Whether the classifier can read a table part by part."""
    return bool(settings["method"] == "hyperbolic" and settings["C"] != inf)


def _kind(y: "NDArray[Any]") -> str:
    return f" of {y.shape[1]} labels" if y.ndim == 2 else f" of {len(set(y.tolist()))} classes"


def _whole_classes(estimator: Any) -> None:
    """Make whole numbers of classes that a table has as floating-point numbers."""
    classes = estimator.classes_
    if classes.dtype.kind == "f" and (classes == classes.round()).all():
        estimator.classes_ = classes.astype("int64")


def _share_right(estimator: Any, X: Any, y: Any) -> float:
    from hyplane.cli._models import computed
    from hyplane.cli._streams import share_right

    if hasattr(y, "table"):
        return share_right(estimator, y.table, X.names, y.names[0])
    predicted = computed(estimator, X, ["predict"], "predicting the same points")["predict"]
    return float((predicted == y).mean())


def _check(settings: dict[str, Any]) -> None:
    """Say which settings do not go together."""
    name = settings["method"]
    hyperbolic, kernel = name.startswith("hyperbolic"), name.startswith("kernel") or name == "rbf"
    _only(settings, hyperbolic, "--method hyperbolic", "one_vs_one")
    _only(settings, kernel, "--method kernel-secant, kernel-laplacian or rbf", "gamma")
    _only(settings, settings["cv"], "--cv", "grid", "folds")
    if settings["cv"] and settings["C"] is not None:
        raise click.UsageError("--cv chooses C itself, from --grid; leave out -C.")
    if settings["C"] == inf and not hyperbolic:
        raise click.UsageError("-C inf goes with --method hyperbolic only.")


def _estimator(space: "Space", settings: dict[str, Any]) -> Any:
    """Make the classifier."""
    from hyplane.evaluation import METHODS as REGISTER

    name = settings["method"]
    method = REGISTER[name]
    chosen: dict[str, Any] = {
        **space.chart,
        "class_weight": "balanced" if settings["balanced"] else None,
        "C": settings["C"],
        "gamma": settings["gamma"],
        "Cs": settings["grid"],
        "cv": settings["folds"],
        "multi_class": "ovo" if settings["one_vs_one"] else None,
    }
    if settings["cv"] or name.startswith("hyperbolic"):
        chosen |= {"random_state": settings["seed"], "n_jobs": settings["jobs"]}
    given = {key: value for key, value in chosen.items() if value is not None}
    return method.make(scoring=CHOICE_OF_C, **given) if settings["cv"] else method.single(**given)


def _set_verbose(estimator: Any, verbose: int) -> None:
    ours = type(estimator).__module__.startswith("hyplane")  # scikit-learn's print to the output
    if ours and "verbose" in estimator.get_params(deep=False):
        estimator.set_params(verbose=verbose)


def _only(settings: dict[str, Any], fits: bool, with_what: str, *names: str) -> None:
    for name in names:
        if settings[name] and not fits:
            option = "-C" if name == "C" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} goes with {with_what} only.")


def _tell(estimator: Any, lines: list[str], output: str) -> None:
    chosen = getattr(estimator, "C_", None)
    if chosen is not None:
        lines.append(f"chosen C: {_listed(chosen)}")
    if output != STREAM:
        lines.append(f"wrote {output}")
    say(*lines, err=True)


def _listed(chosen: "NDArray[Any]") -> str:
    """List what was chosen for each class, or how often where there are many."""
    words = [f"{C:g}" for C in chosen]
    if len(words) <= _FEW:
        return ", ".join(words)
    return ", ".join(f"{word} ({words.count(word)} times)" for word in dict.fromkeys(words))
