"""``hyplane explore``: an interactive page of points, classifiers and graphs."""

from typing import TYPE_CHECKING

import click

from hyplane._utils.progress import Waiting
from hyplane.cli._formats import read_table
from hyplane.cli._options import (
    debug_option,
    file_option,
    format_options,
    label_option,
    output_option,
    points_option,
    table_argument,
    table_chart_options,
)
from hyplane.cli._standard_streams import say
from hyplane.cli._types import Numbers
from hyplane.cli.plot import read_drawing, shown_label

if TYPE_CHECKING:
    from hyplane.cli._tables import Table


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
@file_option("--model", "Show what this model decides.")
@click.option(
    "--grid", type=Numbers(), metavar="NUMBERS", help="Fit each of these C, for a slider."
)
@file_option("--edges", "Show edges, from a table of two nodes a row.")
@click.option("--name", metavar="NAME", help="Column of the points' names.  [default: node]")
@click.option("--title", metavar="TEXT", help="A title.")
@table_chart_options
@format_options
@debug_option
def command(
    table: str,
    label: tuple[str, ...],
    points: tuple[str, ...],
    output: str,
    model: str | None,
    grid: tuple[float, ...] | None,
    edges: str | None,
    name: str | None,
    title: str | None,
    coordinates: str | None,
    curvature: float | None,
    format: str | None,
    header: bool | None,
) -> None:
    """Write a page on which one can move about among the points of TABLE.

    It is one file, needs no server and no network, and opens in any browser. Points of more than
    two dimensions are projected onto a plane, and the page says so.
    """
    from hyplane.cli._edges import edge_pairs, words_of
    from hyplane.explorer import explore

    if grid and not label:
        raise click.UsageError("--grid needs --label, the classes to fit.")
    beside = () if name is None else (name,)
    data, labels, taken, saved = read_drawing(
        table, format, header, label, points, coordinates, curvature, model, beside
    )
    name_column = _name_column(data, name)
    shown, class_names = shown_label(saved, labels, "a page")
    classes = data.classes(labels[0]) if labels else None
    taken.announce(labels)
    pairs = None if edges is None else edge_pairs(data, read_table(edges), name_column)
    with Waiting(f"making {output}"):
        explore(
            taken.X,
            classes,
            estimator=None if saved is None else saved.estimator,
            Cs=grid,
            edges=pairs,
            names=None if name_column is None else words_of(data, name_column),
            class_names=class_names,
            label=shown,
            **taken.space.chart,
            title=title or data.origin,
            output=output,
        )
    say(f"wrote {output}", err=True)


def _name_column(data: "Table", name: str | None) -> str | None:
    if name is not None:
        return data.find([name])[0]
    return "node" if "node" in data.columns else None
