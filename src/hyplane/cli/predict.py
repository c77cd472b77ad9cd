"""``hyplane predict``: classes, scores, probabilities and distances of points."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from hyplane.cli._formats import STREAM, read_table, write_table
from hyplane.cli._options import (
    coordinates_option,
    debug_option,
    format_options,
    keep_input,
    output_option,
    table_argument,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli._tables import Column

_EXTRAS = {
    "scores": ("decision_function", "score", "scores"),
    "proba": ("predict_proba", "proba", "probabilities; fit it with --cv"),
    "distance": ("signed_distance", "distance", "distances to hyperplanes"),
}


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane predict model.json new.csv -o predicted.csv\n"
    "  cat new.csv | hyplane predict model.json - --proba --keep",
)
@click.argument("model", type=click.Path())
@table_argument
@click.option(
    "--points",
    multiple=True,
    metavar="NAMES",
    help="Columns of the points, as in x1,x2.  [default: those of the model]",
)
@coordinates_option("the table's, or the model's")
@output_option("The table of predictions.")
@click.option("--scores", is_flag=True, help="Add the scores of the classes.")
@click.option("--proba", is_flag=True, help="Add the probabilities of the classes.")
@click.option("--distance", is_flag=True, help="Add the signed distances to the hyperplanes.")
@click.option("--keep", is_flag=True, help="Keep the columns of TABLE before these.")
@format_options
@debug_option
def command(
    model: str,
    table: str,
    points: tuple[str, ...],
    coordinates: str | None,
    output: str,
    keep: bool,
    format: str | None,
    header: bool | None,
    **wanted: bool,
) -> None:
    """Classify the points of TABLE with a MODEL that 'hyplane fit' wrote.

    The columns of the points are those that the model was fitted on, by name. Points in another
    chart are converted where --coordinates names it.
    """
    from hyplane.cli._models import points_for_model
    from hyplane.cli._tables import Table
    from hyplane.model_files import read_model

    keep_input(output, model, table)
    saved = read_model(model)
    methods = [extra for extra, chosen in wanted.items() if chosen]
    for extra in methods:
        if not hasattr(saved.estimator, _EXTRAS[extra][0]):
            raise ValueError(f"the classifier in {model} has no {_EXTRAS[extra][2]}")
    data = read_table(table, format, header)
    taken = points_for_model(data, saved, model, given=points, coordinates=coordinates)
    taken.announce()
    columns = _computed(saved, taken.X, methods)
    if keep:
        twice = [name for name in columns if name in data.columns]
        if twice:
            raise ValueError(f"{data.origin} has a column {twice[0]!r} already: leave out --keep")
        columns = {**data.columns, **columns}
    groups, spaces = (data.groups, data.spaces) if keep else ({}, {})
    write_table(Table(columns, groups=groups, spaces=spaces), output, format)
    if output != STREAM:
        click.echo(f"wrote {data.n_rows} predictions to {output}", err=True)


def _computed(saved: Any, X: "NDArray[Any]", extras: list[str]) -> "dict[str, Column]":
    """Return the columns that were asked for."""
    from hyplane.cli._models import computed

    estimator, labels = saved.estimator, saved.label_columns
    wanted = ["predict", *(_EXTRAS[extra][0] for extra in extras)]
    found = computed(estimator, X, wanted, f"predicting {len(X)} points")
    columns = _predicted(found["predict"], labels)
    for extra in extras:
        method, prefix, _ = _EXTRAS[extra]
        columns |= _extra(estimator, found[method], method, prefix, labels)
    return columns


def _predicted(predicted: "NDArray[Any]", labels: list[str] | None) -> "dict[str, Column]":
    if predicted.ndim == 1:
        return {"predicted": predicted}
    names = labels if labels is not None and len(labels) == predicted.shape[1] else None
    names = names or [str(place) for place in range(predicted.shape[1])]
    return {f"predicted_{name}": column for name, column in zip(names, predicted.T, strict=True)}


def _extra(
    estimator: Any, values: "NDArray[Any]", method: str, prefix: str, labels: list[str] | None
) -> "dict[str, Column]":
    if values.ndim == 1:
        return {prefix: values}
    classes = [str(name) for name in estimator.classes_]
    if labels is not None and len(labels) == len(classes) > 1 and len(labels) == values.shape[1]:
        classes = labels
    if values.shape[1] != len(classes) or (
        method == "signed_distance" and estimator.decomposition_ == "ovo"
    ):
        classes = [f"{a}_{b}" for a, b in combinations(classes, 2)]
    return {f"{prefix}_{name}": column for name, column in zip(classes, values.T, strict=True)}
