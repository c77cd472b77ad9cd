"""``hyplane convert``: points in another chart."""

import click

from hyplane._charts import CHARTS
from hyplane.cli._chart_type import ChartType
from hyplane.cli._formats import STREAM, read_table, write_table
from hyplane.cli._options import (
    POSITIVE,
    curvature_option,
    debug_option,
    format_options,
    number_option,
    output_option,
    points_option,
    table_argument,
)
from hyplane.cli._tables import Column, Table, point_names


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane convert points.csv --from ball --to hyperboloid --label class -o points.parquet\n"
    "  hyplane convert points.npy --clip-radius 12 -o inside.npy",
)
@table_argument
@points_option
@output_option("The table to write; other columns are kept.")
@click.option(
    "--from",
    "source",
    type=ChartType(),
    default="ball",
    show_default=True,
    metavar="CHART",
    help=f"Chart of the points: {', '.join(CHARTS)}.",
)
@click.option(
    "--to",
    "target",
    type=ChartType(),
    metavar="CHART",
    help="Chart to write them in.  [default: the same]",
)
@curvature_option
@number_option(
    "--clip-radius",
    POSITIVE,
    None,
    "Pull points farther than this from the origin back to it, also those outside the chart.",
)
@click.option(
    "--label",
    multiple=True,
    metavar="NAMES",
    help="Columns that are no points and stay as they are.",
)
@format_options
@debug_option
def command(
    table: str,
    points: tuple[str, ...],
    output: str,
    source: str,
    target: str | None,
    curvature: float,
    clip_radius: float | None,
    label: tuple[str, ...],
    format: str | None,
    header: bool | None,
) -> None:
    """Write the points of TABLE in another chart.

    Conversions are exact to rounding, and a point outside its chart is an error that names it.
    """
    from hyplane.geometry import clip_radius as pull_back
    from hyplane.geometry import convert

    data = read_table(table, format, header)
    names = data.find(points) or data.points_besides(data.find(label))
    moved = 0
    if clip_radius is None:
        X = data.points(names, source, curvature)
    else:
        given = data.numbers(names)
        with data.rows_named(names):
            X = pull_back(given, source, max_radius=clip_radius, curvature=curvature)
        moved = int((given != X).any(axis=1).sum())
    with data.rows_named(names):
        X = convert(X, source, target or source, curvature=curvature)
    columns: dict[str, Column] = {}
    new = point_names(target or source, X.shape[1])
    fresh: dict[str, Column] = dict(zip(new, X.T, strict=True))
    for name, column in data.columns.items():
        if name == names[0]:
            columns |= fresh
        if name not in names:
            if name in fresh:
                raise ValueError(f"{data.origin} has a column {name!r} besides the points")
            columns[name] = column
    write_table(Table(columns, groups={"X": new}), output, format)
    if moved or output != STREAM:
        pulled = f", {moved} of them pulled back" if moved else ""
        click.echo(f"wrote {data.n_rows} points{pulled}", err=True)
