"""``hyplane predict``: classes, scores, probabilities and distances of points."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.progress import Progress, Waiting
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import PointOptions, TableFile, flag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli.tables import Table
    from hyplane.out_of_core import ParquetTable

    Columns = dict[str, NDArray[Any]]


@options.command
@click.argument("model", type=options.FILE)
@options.points("those of the model", "the table's, or the model's", curvature=False)
@options.output("Table of predictions to write.", default=options.STREAM)
@flag("--scores decision_function", "Add the score of each class.")
@flag("--proba predict_proba", "Add the probability of each class.")
@flag("--distance signed_distance", "Add the signed distance to each hyperplane.")
@flag("--keep", "Write the columns of TABLE too, before the predictions.")
@options.table
def command(
    model: str, table: TableFile, points: PointOptions, output: str, keep: bool, **wanted: bool
) -> None:
    """Classify the points of TABLE with a MODEL from 'hyplane fit'.

    By default the points are the columns that MODEL was fitted on. If TABLE is in another chart
    than the points of MODEL, name the chart with --coordinates, and the points are converted.

    Example:
      hyplane predict model.json new.csv -o predicted.csv
      cat new.csv | hyplane predict model.json - --proba --keep
    """
    from hyplane.cli.point_columns import points_for_model
    from hyplane.cli.table_files import head_of, open_large, read_table, write_table
    from hyplane.cli.tables import Table
    from hyplane.out_of_core.writers import write_columns
    from hyplane.persistence import read_model

    options.keep_input(output, model, table.path)
    saved = read_model(model)
    methods = [method for method, chosen in wanted.items() if chosen]
    for method in methods:
        if not hasattr(saved.estimator, method):
            what = {"decision_function": "scores", "signed_distance": "distances to hyperplanes"}
            missing = what.get(method, "probabilities; fit it with --cv")
            raise ValueError(f"the classifier in {model} has no {missing}")
    format = options.table_format(output, table.format, to_write=True)
    in_parts = output != options.STREAM and format in ("parquet", "npy")
    large = open_large(table) if in_parts else None
    data = read_table(table) if large is None else head_of(large, table.path)
    taken = points_for_model(data, saved, model, points)
    taken.announce()

    def predicted(part: "Table") -> "Columns":
        X = taken.X if part is data else points_for_model(part, saved, model, points).X
        found = in_blocks(saved.estimator, X, ["predict", *methods], f"predicting {len(X)} points")
        columns: Columns = {}
        for method, values in found.items():
            columns |= _columns(saved, method, values)
        if not keep:
            return columns
        twice = [name for name in columns if name in part.columns]
        if twice:
            raise ValueError(f"{part.origin} has a column {twice[0]!r} already: leave out --keep")
        return {**part.columns, **columns}  # type: ignore[dict-item]

    if large is None:
        made = Table(predicted(data), groups=data.groups if keep else {})
        write_table(made, output, table.format, rows="predictions")
    else:
        names = None if keep else taken.names
        write_columns(output, _in_parts(large, table.path, names, predicted), large.n_rows)
        say(f"wrote {large.n_rows} predictions to {output}", err=True)


def in_blocks(
    estimator: Any, X: "NDArray[Any]", methods: Sequence[str], description: str
) -> "Columns":
    """Call methods of a classifier on blocks of rows, and show progress."""
    import numpy as np

    size = 50_000
    found: dict[str, list[NDArray[Any]]] = {method: [] for method in methods}
    total = len(X) * len(methods)
    with Waiting(description), Progress(total, description, lines=True) as bar:
        for start in range(0, max(len(X), 1), size):
            rows = X[start : start + size]
            for method in methods:
                found[method].append(np.asarray(getattr(estimator, method)(rows)))
                bar.advance(len(rows))
    return {method: np.concatenate(parts) for method, parts in found.items()}


def _columns(saved: Any, method: str, values: "NDArray[Any]") -> "Columns":
    """Name the columns of what a method returned."""
    prefix = {"decision_function": "score", "predict_proba": "proba", "predict": "predicted"}.get(
        method, "distance"
    )
    if values.ndim == 1:
        return {prefix: values}
    labels, n = saved.label_columns or [], values.shape[1]
    names = [str(name) for name in saved.estimator.classes_]
    if len(labels) == n > 1:
        names = labels
    pairs = method == "signed_distance" and saved.estimator.decomposition_ == "ovo"
    if len(names) != n or pairs:
        names = [f"{a}_{b}" for a, b in combinations(names, 2)]
    return {f"{prefix}_{name}": column for name, column in zip(names, values.T, strict=True)}


def _in_parts(
    large: "ParquetTable", origin: str, names: list[str] | None, function: Any
) -> "Iterator[Columns]":
    """Yield the columns that a function makes of each part of a table, with a progress bar."""
    import numpy as np

    from hyplane.cli.tables import Table
    from hyplane.out_of_core.rows import Workers

    def parts() -> "Iterator[Table]":
        first = 0
        for columns in large.parts(names):
            yield Table(dict(columns), origin, first=first)
            first += len(next(iter(columns.values())))

    with Progress(large.n_rows, f"predicting {large.n_rows} points", lines=True) as bar:
        for columns in Workers(1).in_order(parts(), function, ()):
            yield {name: np.asarray(column) for name, column in columns.items()}
            n_rows = len(next(iter(columns.values())))
            bar.advance(n_rows, f"predicting, {bar.done + n_rows:.0f} of {large.n_rows} rows")
