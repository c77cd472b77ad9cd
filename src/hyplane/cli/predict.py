"""``hyplane predict``: classes, scores, probabilities and distances of points."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from hyplane.cli._formats import STREAM, read_table, table_format, write_table
from hyplane.cli._options import (
    debug_option,
    format_options,
    keep_input,
    model_points_options,
    output_option,
    table_argument,
)
from hyplane.cli._standard_streams import say

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
@model_points_options
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
    from hyplane.cli._streams import head_of, stream_of, transformed
    from hyplane.cli._tables import Table
    from hyplane.out_of_core.writers import write_columns
    from hyplane.persistence import read_model

    keep_input(output, model, table)
    saved = read_model(model)
    methods = [extra for extra, chosen in wanted.items() if chosen]
    for extra in methods:
        if not hasattr(saved.estimator, _EXTRAS[extra][0]):
            raise ValueError(f"the classifier in {model} has no {_EXTRAS[extra][2]}")
    stream = stream_of(table, format) if _can_stream(output, format) else None
    data = read_table(table, format, header) if stream is None else head_of(stream, table)
    taken = points_for_model(data, saved, model, given=points, coordinates=coordinates)
    taken.announce()

    def columns_of(part: Table) -> "dict[str, Column]":
        its = points_for_model(part, saved, model, given=points, coordinates=coordinates)
        columns = _computed(saved, its.X, methods)
        if not keep:
            return columns
        twice = [name for name in columns if name in part.columns]
        if twice:
            raise ValueError(f"{part.origin} has a column {twice[0]!r} already: leave out --keep")
        return {**part.columns, **columns}

    if stream is None:
        groups, spaces = (data.groups, data.spaces) if keep else ({}, {})
        write_table(Table(columns_of(data), groups=groups, spaces=spaces), output, format)
    else:
        write_columns(
            output,
            transformed(stream, data, columns_of, None if keep else taken.names),
            stream.n_rows,
        )
    n_rows = data.n_rows if stream is None else stream.n_rows
    if output != STREAM:
        say(f"wrote {n_rows} predictions to {output}", err=True)


def _can_stream(output: str, format: str | None) -> bool:
    """Whether the table of predictions can be written part by part."""
    return output != STREAM and table_format(output, format) in ("parquet", "npy")


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
