"""``hyplane explore``: an interactive page of points, classifiers and graphs."""

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from hyplane.cli._formats import read_table
from hyplane.cli._options import (
    Numbers,
    chart_options,
    debug_option,
    format_options,
    label_option,
    output_option,
    points_option,
    table_argument,
)
from hyplane.cli._tables import NODE, Table
from hyplane.cli.predict import chart_of
from hyplane.model_files import SavedModel, read_model
from hyplane.plotting import explore


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane explore points.csv --label class -o points.html\n"
    "  hyplane explore points.csv --label class --grid 0.1,1,10 -o fits.html\n"
    "  hyplane explore points.csv --label class --model model.json -o decision.html\n"
    "  hyplane explore nodes.csv --label class --edges edges.csv -o network.html",
)
@table_argument
@label_option(required=False)
@points_option
@output_option("The page, .html.", required=True, tabular=False)
@click.option("--model", type=click.Path(), metavar="FILE", help="Show what this model decides.")
@click.option(
    "--grid", type=Numbers(), metavar="NUMBERS", help="Fit each of these C, for a slider."
)
@click.option(
    "--edges",
    type=click.Path(),
    metavar="FILE",
    help="Show edges, from a table of two nodes a row.",
)
@click.option("--name", metavar="NAME", help="Column of the points' names.  [default: node]")
@click.option("--title", metavar="TEXT", help="A title.")
@chart_options
@format_options
@debug_option
@click.pass_context
def command(
    ctx: click.Context,
    table: str,
    label: tuple[str, ...],
    points: tuple[str, ...],
    output: str,
    model: str | None,
    grid: tuple[float, ...] | None,
    edges: str | None,
    name: str | None,
    title: str | None,
    coordinates: str,
    curvature: float,
    format: str | None,
    header: bool | None,
) -> None:
    """Write a page on which one can move about among the points of TABLE.

    It is one file, needs no server and no network, and opens in any browser. Points of more than
    two dimensions are projected onto a plane, and the page says so.
    """
    default = click.core.ParameterSource.DEFAULT
    given = [
        each
        for each in ("coordinates", "curvature")
        if ctx.get_parameter_source(each) is not default
    ]
    if model and given:
        raise click.UsageError("--model knows the chart and the curvature of its points.")
    if grid and not label:
        raise click.UsageError("--grid needs --label, the classes to fit.")
    saved = None if model is None else read_model(model)
    if saved is not None:
        coordinates, curvature = chart_of(saved.estimator)
    data = read_table(table, format, header)
    label_columns = data.find(label)
    name_column = _name_column(data, name)
    columns = data.find(points) or _point_columns(saved, data, [*label_columns, *name_column])
    X = data.points(columns, coordinates, curvature)
    shown, class_names = _shown_label(saved, label_columns)
    names = [str(each) for each in data.columns[name_column[0]]] if name_column else None
    explore(
        X,
        data.classes(label_columns[0]) if label_columns else None,
        estimator=None if saved is None else saved.estimator,
        Cs=grid,
        edges=None if edges is None else _pairs(data, names, read_table(edges)),
        names=names,
        class_names=class_names,
        label=shown,
        coordinates=coordinates,
        curvature=curvature,
        title=title or data.origin,
        output=output,
    )
    click.echo(f"wrote {output}", err=True)


def _name_column(data: Table, name: str | None) -> list[str]:
    if name is not None:
        return data.find([name])
    return [NODE] if NODE in data.columns else []


def _point_columns(saved: SavedModel | None, data: Table, others: list[str]) -> list[str]:
    """Return the columns that the model was fitted on, where the table has them, else the rest."""
    fitted = [] if saved is None else saved.point_columns or []
    if fitted and all(name in data.columns for name in fitted):
        return fitted
    return data.points_besides(others)


def _shown_label(
    saved: SavedModel | None, labels: list[str]
) -> tuple[int | None, list[str] | None]:
    """Return which of a model's several labels to show, and names for those without and with it."""
    if len(labels) > 1:
        raise click.UsageError("a page shows one column of labels: name one with --label.")
    fitted = [] if saved is None else saved.label_columns or []
    if len(fitted) < 2:
        return None, None
    if not labels or labels[0] not in fitted:
        raise ValueError(
            f"the model knows several labels: choose one with --label ({', '.join(fitted)})"
        )
    return fitted.index(labels[0]), [f"not {labels[0]}", labels[0]]


def _pairs(data: Table, names: list[str] | None, edges: Table) -> NDArray[Any]:
    """Return the edges as rows of the points' table, whose names they hold."""
    if names is None:
        raise ValueError(f"{data.origin} has no column {NODE!r} for the edges to refer to")
    ends = list(edges.columns.values())[:2]
    if len(ends) < 2:
        raise ValueError(f"{edges.origin} has one column: an edge has two nodes")
    row_of = {name: row for row, name in enumerate(names)}
    pairs = np.empty((edges.n_rows, 2), dtype=np.intp)
    for side, column in enumerate(ends):
        for row, end in enumerate(np.asarray(column).tolist()):
            if str(end) not in row_of:
                raise ValueError(f"{edges.where(row)}: {data.origin} has no node {end!r}")
            pairs[row, side] = row_of[str(end)]
    return pairs
