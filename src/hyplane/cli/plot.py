"""``hyplane plot``: points and decisions in the Poincaré disk."""

from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from hyplane._atomic import replacing
from hyplane._optional import import_optional
from hyplane.cli._formats import read_table
from hyplane.cli._options import (
    POSITIVE,
    chart_options,
    debug_option,
    format_options,
    label_option,
    number_option,
    output_option,
    points_option,
    table_argument,
)
from hyplane.cli._tables import NODE, Table
from hyplane.cli.predict import chart_of

_PICTURES = ("png", "svg", "pdf")


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane plot points.csv --label class -o points.svg\n"
    "  hyplane plot points.csv --label class --model model.json -o decision.png\n"
    "  hyplane plot nodes.csv --label class --edges edges.csv -o network.pdf",
)
@table_argument
@label_option(required=False)
@points_option
@output_option("The picture, .png, .svg or .pdf.", required=True, tabular=False)
@click.option("--model", type=click.Path(), metavar="FILE", help="Draw what this model decides.")
@click.option(
    "--edges",
    type=click.Path(),
    metavar="FILE",
    help="Draw edges, from a table of two nodes a row.",
)
@click.option("--title", metavar="TEXT", help="A title.")
@number_option("--width", POSITIVE, 5.0, "Width in inches.")
@number_option("--dpi", POSITIVE, 200.0, "Of a PNG.")
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
    edges: str | None,
    title: str | None,
    width: float,
    dpi: float,
    coordinates: str,
    curvature: float,
    format: str | None,
    header: bool | None,
) -> None:
    """Draw the points of TABLE in the Poincaré disk.

    With --model the regions, boundaries and margins of the classifier too, in the chart it was
    fitted on.
    """
    from hyplane.model_files import read_model
    from hyplane.plotting import draw_disk, draw_points

    kind = _kind(output)
    if model and edges:
        raise click.UsageError("give --model or --edges, not both.")
    if model and _given(ctx, "coordinates", "curvature"):
        raise click.UsageError("--model already has the chart and the curvature of its points.")
    saved = None if model is None else read_model(model)
    if saved is not None:
        coordinates, curvature = chart_of(saved.estimator)
    data = read_table(table, format, header)
    labels = data.find(label)
    if len(labels) > 1:
        raise click.UsageError("a picture shows one column of labels: name one with --label.")
    names = data.find(points) or _fitted_columns(saved, data) or data.points_besides(labels)
    X = data.points(names, coordinates, curvature)
    y = data.classes(labels[0]) if labels else None
    figure = import_optional("matplotlib.figure", "plot").Figure(
        figsize=(width, 1.04 * width), layout="constrained"
    )
    ax = figure.add_subplot()
    if saved is not None:
        _draw_decision(saved, X, y, labels, ax)
    elif edges is not None:
        _draw_graph(data, X, y, read_table(edges), ax, coordinates, curvature)
    else:
        draw_disk(ax)
        draw_points(X, y, coordinates=coordinates, curvature=curvature, ax=ax)
    if title:
        ax.set_title(title)
    with replacing(output) as file:
        figure.savefig(file, format=kind, dpi=dpi)
    click.echo(f"wrote {output}", err=True)


def _kind(output: str) -> str:
    kind = Path(output).suffix.lower().removeprefix(".")
    if kind not in _PICTURES:
        raise click.BadParameter(
            f"must end in {', '.join(f'.{name}' for name in _PICTURES)}; got {output}.",
            param_hint="'--output'",
        )
    return kind


def _given(ctx: click.Context, *names: str) -> bool:
    default = click.core.ParameterSource.DEFAULT
    return any(ctx.get_parameter_source(name) is not default for name in names)


def _fitted_columns(saved: Any, data: Table) -> list[str]:
    """Return the columns that the model was fitted on, where the table has them all."""
    if saved is None or saved.point_columns is None:
        return []
    there = all(name in data.columns for name in saved.point_columns)
    return saved.point_columns if there else []


def _draw_decision(
    saved: Any, X: NDArray[Any], y: NDArray[Any] | None, labels: list[str], ax: Any
) -> None:
    from hyplane.plotting import PoincareDisplay

    coordinates, curvature = chart_of(saved.estimator)
    fitted = saved.label_columns or []
    shown, names = None, None
    if len(fitted) > 1:
        if not labels or labels[0] not in fitted:
            raise ValueError(
                f"the model has several labels: choose one with --label ({', '.join(fitted)})"
            )
        shown, names = fitted.index(labels[0]), [f"not {labels[0]}", labels[0]]
    PoincareDisplay.from_estimator(
        saved.estimator,
        X,
        y,
        ax=ax,
        coordinates=coordinates,
        curvature=curvature,
        label=shown,
        class_names=names,
    )


def _draw_graph(
    data: Table,
    X: NDArray[Any],
    y: NDArray[Any] | None,
    edges: Table,
    ax: Any,
    coordinates: str,
    curvature: float,
) -> None:
    """Draw the edges between rows of the table, whose nodes are in the column of that name."""
    from hyplane.plotting import draw_graph

    if NODE not in data.columns:
        raise ValueError(f"{data.origin} has no column {NODE!r} for the edges to refer to")
    row_of = {str(name): row for row, name in enumerate(np.asarray(data.columns[NODE]).tolist())}
    ends = list(edges.columns.values())[:2]
    if len(ends) < 2:
        raise ValueError(f"{edges.origin} has one column: an edge has two nodes")
    pairs = np.empty((edges.n_rows, 2), dtype=np.intp)
    for side, column in enumerate(ends):
        for row, name in enumerate(np.asarray(column).tolist()):
            if str(name) not in row_of:
                raise ValueError(f"{edges.where(row)}: {data.origin} has no node {name!r}")
            pairs[row, side] = row_of[str(name)]
    draw_graph(X, pairs, y, coordinates=coordinates, curvature=curvature, ax=ax)
