"""``hyplane convert``: points in another chart."""

import click

from hyplane._utils.charts import CHARTS
from hyplane.cli._formats import STREAM, read_table, write_table
from hyplane.cli._options import (
    curvature_option,
    debug_option,
    format_options,
    number_option,
    output_option,
    points_option,
    table_argument,
)
from hyplane.cli._standard_streams import say
from hyplane.cli._types import POSITIVE, ChartType


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
    metavar="CHART",
    help=f"Chart of the points: {', '.join(CHARTS)}.  [default: the table's, or ball]",
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
    source: str | None,
    target: str | None,
    curvature: float | None,
    clip_radius: float | None,
    label: tuple[str, ...],
    format: str | None,
    header: bool | None,
) -> None:
    """Write the points of TABLE in another chart.

    Conversions are exact to rounding, and a point outside its chart is an error that names it.
    """
    from hyplane.cli._choice import ChosenPoints, doubt, guess_columns, resolve_space
    from hyplane.cli._spaces import Space
    from hyplane.cli._tables import Column, Table, table_of_points
    from hyplane.geometry import clip_radius as pull_back
    from hyplane.geometry import convert

    data = read_table(table, format, header)
    names = data.find(points) or guess_columns(data, data.find(label))
    old = resolve_space(data, names, source, curvature, "--from")
    new = Space(target or old.coordinates, old.curvature)
    hint = "" if points else doubt("--from", stated=source is not None)
    moved = 0
    if clip_radius is None:
        X = data.points(names, old, hint)
    else:
        given = data.numbers(names)
        with data.rows_named(names, hint):
            X = pull_back(given, old.coordinates, max_radius=clip_radius, curvature=old.curvature)
        moved = int((given != X).any(axis=1).sum())
    with data.rows_named(names):
        X = convert(X, old.coordinates, new.coordinates, curvature=old.curvature)
    ChosenPoints(names, X, new, old).announce()
    made = table_of_points(X, new)
    columns: dict[str, Column] = {}
    for name, column in data.columns.items():
        if name == names[0]:
            columns |= made.columns
        if name not in names:
            if name in made.columns:
                raise ValueError(f"{data.origin} has a column {name!r} besides the points")
            columns[name] = column
    write_table(Table(columns, groups=made.groups, spaces=made.spaces), output, format)
    if moved or output != STREAM:
        pulled = f", {moved} of them pulled back" if moved else ""
        say(f"wrote {data.n_rows} points{pulled}", err=True)
