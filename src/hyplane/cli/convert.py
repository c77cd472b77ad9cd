"""``hyplane convert``: points in another chart."""

from typing import Any

from hyplane._utils.charts import CHARTS
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import POSITIVE, ChartType, PointOptions, TableFile


@options.command
@options.points(chart_option="--from")
@options.option("--to", "Chart to convert to.  [default: the same]", ChartType(CHARTS))
@options.option("--clip-radius", "Move points beyond this radius back to it.", POSITIVE)
@options.label("Columns that are not points and are copied.", required=False)
@options.output("Table to write; other columns are kept.", default=options.STREAM)
@options.table
def command(
    table: TableFile, points: PointOptions, label: tuple[str, ...], output: str, **given: Any
) -> None:
    """Convert the points of TABLE to another chart.

    Conversions are exact up to rounding. A point outside its chart is an error that names its row;
    with --clip-radius it is moved inside.

    Example:
      hyplane convert points.csv --from ball --to hyperboloid --label class -o points.parquet
      hyplane convert points.npy --clip-radius 12 -o inside.npy
    """
    from hyplane.cli.point_columns import ChosenPoints, doubt, find_points
    from hyplane.cli.table_files import read_table, write_table
    from hyplane.cli.tables import Column, Space, Table, table_of_points
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
    write_table(Table(columns, groups=made.groups), output, table.format)
    if n_moved or output != options.STREAM:
        moved = f", {n_moved} of them moved to radius {clip_radius:g}" if n_moved else ""
        say(f"wrote {data.n_rows} points{moved}", err=True)
