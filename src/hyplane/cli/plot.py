"""``hyplane plot``: points and decisions in the Poincaré disk."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.charts import PROJECTIONS
from hyplane._utils.files import replacing
from hyplane._utils.optional import import_optional
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import Number, PointOptions, TableFile, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli.point_columns import ChosenPoints
    from hyplane.cli.tables import Table

projection = options.choice(
    "--projection",
    "How more than two dimensions are shown",
    PROJECTIONS,
    note="  [default: hyperplane for two classes, else radial]",
)


@options.command
@options.label(required=False)
@options.points()
@options.output("Image to write: .png, .svg or .pdf.", required=True, tabular=False)
@option("--model", "Model from 'hyplane fit' to draw.", options.FILE)
@option("--edges", "Table of edges to draw, two node names per row.", options.FILE)
@projection
@option("--title", "Title of the image.", metavar="TEXT")
@option("--width", "Width of the image in inches.", Number(1.0, 100.0), 5.0)
@option("--dpi", "Resolution of PNG output in dots per inch.", Number(10.0, 2400.0), 200.0)
@options.table
def command(
    table: TableFile, label: tuple[str, ...], points: PointOptions, output: str, **given: Any
) -> None:
    """Draw the points of TABLE in the Poincaré disk.

    With --model, also draw the regions, boundaries and margins of a classifier. With --edges, also
    draw the edges of a graph. Points of more than two dimensions are projected, and a note below
    the image says how.

    Example:
      hyplane plot points.csv --label class -o points.svg
      hyplane plot points.csv --label class --model model.json -o decision.png
      hyplane plot nodes.csv --label class --edges edges.csv --model model.json -o network.pdf
    """
    from hyplane.plotting import PoincareDisplay, draw_disk, draw_graph, draw_points
    from hyplane.plotting.decision import decision_of
    from hyplane.plotting.projection import with_view

    kind = Path(output).suffix.lower().removeprefix(".")
    if kind not in ("png", "svg", "pdf"):
        hint = "'--output'"
        raise click.BadParameter(f"must end in .png, .svg, .pdf; got {output}.", param_hint=hint)
    title, width, dpi = given["title"], given["width"], given["dpi"]
    most_pixels = 10_000  # a side: 400 MB in memory
    if kind == "png" and width * dpi > most_pixels:
        raise click.UsageError(
            f"a PNG of {width * dpi:.0f} pixels a side takes too much memory: --width times --dpi "
            f"must be at most {most_pixels}."
        )
    drawing = read_drawing(table, label, points, given["model"])
    X, y, chart = drawing.points.X, drawing.y, drawing.points.space.chart
    pairs = edge_pairs(drawing.data, given["edges"])
    figure = import_optional("matplotlib.figure", "plot").Figure(
        figsize=(width, 1.04 * width), layout="constrained"
    )
    ax = figure.add_subplot()
    chart |= {"projection": given["projection"]}
    if drawing.estimator is not None:
        if pairs is not None:
            # The marks of the nodes are drawn with the decision, in the same projection.
            own = drawing.points.space.chart
            decision = decision_of(drawing.estimator, X, **own, label=drawing.label)
            chart["projection"] = with_view(decision, given["projection"], X).view
            draw_graph(X, pairs, ax=ax, node_size=0, legend=False, **chart)
        shown: dict[str, Any] = {"label": drawing.label, "class_names": drawing.class_names}
        PoincareDisplay.from_estimator(drawing.estimator, X, y, ax=ax, **shown, **chart)
    elif pairs is not None:
        draw_graph(X, pairs, y, ax=ax, **chart)
    else:
        draw_disk(ax)
        draw_points(X, y, ax=ax, **chart)
    if title:
        ax.set_title(title, parse_math=False)
    with replacing(output) as file:
        figure.savefig(file, format=kind, dpi=dpi)
    say(f"wrote {output}", err=True)


@dataclass(frozen=True)
class Drawing:
    """What is drawn: points with their classes, and the decisions of a model.

    `label` is the number of the label that is shown of several that the model has, and
    `class_names` are names for points without and with it.
    """

    data: "Table"
    points: "ChosenPoints"
    y: "NDArray[Any] | None"
    estimator: Any = None
    label: int | None = None
    class_names: list[str] | None = None


def read_drawing(
    table: TableFile,
    label: tuple[str, ...],
    points: PointOptions,
    model: str | None,
    others: tuple[str, ...] = (),
) -> Drawing:
    """Read a table that is to be drawn, and the model that is drawn with it, if there is one."""
    from hyplane.cli.point_columns import points_for_model, take_points
    from hyplane.cli.table_files import read_table
    from hyplane.persistence import read_model

    if model and points.curvature is not None:
        raise click.UsageError("--model already has the curvature of its points.")
    saved = None if model is None else read_model(model)
    data = read_table(table)
    labels = data.find(label)
    beside = [*labels, *data.find(others)]
    if saved is None or model is None:
        taken = take_points(data, points, beside)
    else:
        taken = points_for_model(data, saved, model, points, beside)
    if len(labels) > 1:
        raise click.UsageError("only one column of labels can be drawn: name one with --label.")
    y = data.classes(labels[0]) if labels else None
    taken.announce(labels)
    if saved is None:
        return Drawing(data, taken, y)
    fitted = saved.label_columns or []
    if len(fitted) < 2:
        return Drawing(data, taken, y, saved.estimator)
    if not labels or labels[0] not in fitted:
        raise ValueError(
            f"the model has several labels: choose one with --label ({', '.join(fitted)})"
        )
    names = [f"not {labels[0]}", labels[0]]
    return Drawing(data, taken, y, saved.estimator, fitted.index(labels[0]), names)


def edge_pairs(data: "Table", file: str | None, name_column: str = "node") -> "NDArray[Any] | None":
    """Return the edges of a table, two nodes a row by name, as pairs of rows of the points."""
    import numpy as np

    from hyplane.cli.table_files import read_table

    if file is None:
        return None
    edges = read_table(TableFile(file))
    if name_column not in data.columns:
        raise ValueError(f"{data.origin} has no column {name_column!r} for the edges to refer to")
    if len(edges.columns) < 2:
        raise ValueError(f"{edges.origin} has one column: an edge has two nodes")
    row_of = {str(name): row for row, name in enumerate(data.columns[name_column])}
    pairs = np.empty((edges.n_rows, 2), dtype=np.intp)
    for side, column in enumerate(list(edges.columns.values())[:2]):
        for row, end in enumerate(column):
            if str(end) not in row_of:
                raise ValueError(f"{edges.where(row)}: {data.origin} has no node {str(end)!r}")
            pairs[row, side] = row_of[str(end)]
    return pairs
