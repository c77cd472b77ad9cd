"""``hyplane explore``: an interactive page of points, classifiers and graphs."""

from typing import Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import NUMBERS, PointOptions, TableFile, option
from hyplane.cli.plot import edge_pairs, projection, read_drawing


@options.command
@options.label(required=False)
@options.points()
@options.output("HTML file to write.", required=True, tabular=False)
@option("--model", "Model from 'hyplane fit' to show.", options.FILE)
@option("--grid", "Values of C to fit, for a slider on the page.", NUMBERS)
@option("--edges", "Table of edges to show, two node names per row.", options.FILE)
@option("--name", "Column with the names of the points.  [default: node]", metavar="NAME")
@projection
@option("--color", "Other columns by which the page can colour the points.", options.NAMES)
@option("--title", "Title of the page.", metavar="TEXT")
@options.table
def command(
    table: TableFile, label: tuple[str, ...], points: PointOptions, output: str, **given: Any
) -> None:
    """Write an interactive page of the points of TABLE.

    The page is a single HTML file that opens in any browser, without a server or a network. Points
    of more than two dimensions are projected, and the page says how.

    Example:
      hyplane explore points.csv --label class -o points.html
      hyplane explore points.csv --label class --grid 0.1,1,10 -o fits.html
      hyplane explore points.csv --label class --model model.json -o decision.html
      hyplane explore nodes.csv --label class --edges edges.csv -o network.html
    """
    from hyplane.explorer import explore

    if given["grid"] and not label:
        raise click.UsageError("--grid needs --label, the classes to fit.")
    name = given["name"]
    colors = given["color"] or ()
    beside = colors if name is None else (name, *colors)
    drawing = read_drawing(table, label, points, given["model"], beside)
    data, taken = drawing.data, drawing.points
    named = data.find([name])[0] if name else "node" if "node" in data.columns else None
    with Waiting(f"making {output}"):
        explore(
            taken.X,
            drawing.y,
            estimator=drawing.estimator,
            Cs=given["grid"],
            edges=edge_pairs(data, given["edges"], named or "node"),
            names=None if named is None else list(map(str, data.columns[named])),
            class_names=drawing.class_names,
            label=drawing.label,
            **taken.space.chart,
            projection=given["projection"],
            columns={column: data.columns[column] for column in data.find(colors)},
            title=given["title"] or data.origin,
            output=output,
        )
    say(f"wrote {output}", err=True)
