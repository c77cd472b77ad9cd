"""``hyplane convert``: points in another chart."""

from typing import Any

from hyplane._utils.charts import CHARTS
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import POSITIVE, ChartType, PointOptions, Space, TableFile, option


@options.command
@options.points(chart_option="--from")
@option("--to", "Chart to convert to.  [default: the chart of TABLE]", ChartType(CHARTS))
@option("--clip-radius", "Move points beyond this radius to this radius.", POSITIVE)
@options.label("Columns of labels, which are copied.", required=False)
@options.output("Table to write. Other columns are kept.", default=options.STREAM)
@options.table
def command(
    table: TableFile, points: PointOptions, label: tuple[str, ...], output: str, **given: Any
) -> None:
    """Convert the points of TABLE to another chart.

    Conversions are exact up to rounding. A point outside its chart is an error; with --clip-radius
    such points are moved inside.

    Example:
      hyplane convert points.csv --from ball --to hyperboloid --label class -o points.parquet
      hyplane convert points.npy --clip-radius 12 -o inside.npy
    """
    from hyplane.cli.point_columns import ChosenPoints, doubt, find_points
    from hyplane.cli.table_files import read_table, write_table
    from hyplane.cli.tables import Column, Table, table_of_points
    from hyplane.geometry import clip_radius as pull_back
    from hyplane.geometry import convert

    data, clip_radius = read_table(table), given["clip_radius"]
    names, old = find_points(data, points, data.find(label))
    new = Space(given["to"] or old.coordinates, old.curvature)
    n_moved = 0
    if clip_radius is None:
        X = data.points(names, old, doubt(points))
    else:
        before = data.numbers(names)
        with data.rows_named(names, doubt(points)):
            X = pull_back(before, old.coordinates, max_radius=clip_radius, curvature=old.curvature)
        n_moved = int((before != X).any(axis=1).sum())
    with data.rows_named(names):
        X = convert(X, old.coordinates, new.coordinates, curvature=old.curvature)
    ChosenPoints(names, X, new, old).announce()
    made = table_of_points(X, new)
    columns: dict[str, Column] = {}
    for name in data.columns:
        if name == names[0]:
            columns |= made.columns
        if name not in names:
            if name in made.columns:
                raise ValueError(f"{data.origin} has a column {name!r} besides the points")
            columns[name] = data.columns[name]
    if n_moved:
        say(f"moved {n_moved} of {data.n_rows} points to radius {clip_radius:g}", err=True)
    write_table(Table(columns, groups=made.groups), output, table.format, rows="points")
