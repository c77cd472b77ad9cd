"""``hyplane predict``: classes, scores, probabilities and distances of points."""

from itertools import combinations
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from hyplane.cli._formats import STREAM, read_table, write_table
from hyplane.cli._options import (
    debug_option,
    format_options,
    keep_input,
    output_option,
    table_argument,
)
from hyplane.cli._tables import Column, Table

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
    output: str,
    keep: bool,
    format: str | None,
    header: bool | None,
    **wanted: bool,
) -> None:
    """Classify the points of TABLE with a MODEL that 'hyplane fit' wrote.

    The columns of the points are those that the model was fitted on, by name.
    """
    from hyplane.model_files import read_model

    keep_input(output, model, table)
    saved = read_model(model)
    methods = [extra for extra, chosen in wanted.items() if chosen]
    for extra in methods:
        if not hasattr(saved.estimator, _EXTRAS[extra][0]):
            raise ValueError(f"the classifier in {model} has no {_EXTRAS[extra][2]}")
    data = read_table(table, format, header)
    names = data.find(points) or _columns(saved, data, model)
    coordinates, curvature = chart_of(saved.estimator)
    X = data.points(names, coordinates, curvature)
    if X.shape[1] != saved.estimator.n_features_in_:
        raise ValueError(
            f"{data.origin} has points of {X.shape[1]} columns and {model} was fitted on "
            f"{saved.estimator.n_features_in_}"
        )
    columns = _predicted(saved.estimator, X, saved.label_columns)
    for extra in methods:
        method, prefix, _ = _EXTRAS[extra]
        columns |= _extra(saved.estimator, X, method, prefix, saved.label_columns)
    if keep:
        taken = [name for name in columns if name in data.columns]
        if taken:
            raise ValueError(f"{data.origin} has a column {taken[0]!r} already: leave out --keep")
        columns = {**data.columns, **columns}
    write_table(Table(columns), output, format)
    if output != STREAM:
        click.echo(f"wrote {data.n_rows} predictions to {output}", err=True)


def chart_of(estimator: Any) -> tuple[str, float]:
    """Return chart and curvature of the points that a classifier takes.

    Parameters
    ----------
    estimator : classifier
        One that a model file can hold.

    Returns
    -------
    coordinates : str
    curvature : float
    """
    inner = getattr(estimator, "estimator", estimator)
    first = inner.steps[0][1] if hasattr(inner, "steps") else inner
    return first.coordinates, first.curvature


def _columns(saved: Any, data: Table, model: str) -> list[str]:
    """Find the columns that the model was fitted on; without names their number must do."""
    labels = [name for name in saved.label_columns or [] if name in data.columns]
    if saved.point_columns is None or not data.named:
        return data.points_besides(labels)
    missing = [name for name in saved.point_columns if name not in data.columns]
    if missing and all(name.isdecimal() for name in saved.point_columns):
        return data.points_besides(labels)
    if missing:
        raise ValueError(
            f"{data.origin} has no column {missing[0]!r}, which {model} was fitted on; its columns "
            f"are {', '.join(data.columns)}. Name the columns of the points with --points"
        )
    return list(saved.point_columns)


def _predicted(estimator: Any, X: Any, labels: list[str] | None) -> dict[str, Column]:
    predicted = np.asarray(estimator.predict(X))
    if predicted.ndim == 1:
        return {"predicted": predicted}
    names = labels if labels is not None and len(labels) == predicted.shape[1] else None
    names = names or [str(place) for place in range(predicted.shape[1])]
    return {f"predicted_{name}": column for name, column in zip(names, predicted.T, strict=True)}


def _extra(
    estimator: Any, X: Any, method: str, prefix: str, labels: list[str] | None
) -> dict[str, Column]:
    values: NDArray[Any] = np.asarray(getattr(estimator, method)(X))
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
