"""``hyplane plot``: points and decisions in the Poincaré disk."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.files import replacing
from hyplane._utils.optional import import_optional
from hyplane.cli._formats import read_table
from hyplane.cli._options import (
    debug_option,
    file_option,
    format_options,
    label_option,
    number_option,
    output_option,
    points_option,
    table_argument,
    table_chart_options,
)
from hyplane.cli._standard_streams import say
from hyplane.cli._types import between

if TYPE_CHECKING:
    from hyplane.cli._choice import ChosenPoints
    from hyplane.cli._tables import Table
    from hyplane.persistence import SavedModel

_PICTURES = ("png", "svg", "pdf")
_MOST_PIXELS = 10_000  # a side: 400 MB in memory


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane plot points.csv --label class -o points.svg\n"
    "  hyplane plot points.csv --label class --model model.json -o decision.png\n"
    "  hyplane plot nodes.csv --label class --edges edges.csv --model model.json -o network.pdf",
)
@table_argument
@label_option(required=False)
@points_option
@output_option("The picture, .png, .svg or .pdf.", required=True, tabular=False)
@file_option("--model", "Draw what this model decides.")
@file_option("--edges", "Draw edges, from a table of two nodes a row.")
@click.option("--title", metavar="TEXT", help="A title.")
@number_option("--width", between(1, 100), 5.0, "Width in inches.")
@number_option("--dpi", between(10, 2400), 200.0, "Resolution of PNG output in dots per inch.")
@table_chart_options
@format_options
@debug_option
def command(
    table: str,
    label: tuple[str, ...],
    points: tuple[str, ...],
    output: str,
    model: str | None,
    edges: str | None,
    title: str | None,
    width: float,
    dpi: float,
    coordinates: str | None,
    curvature: float | None,
    format: str | None,
    header: bool | None,
) -> None:
    """Draw the points of TABLE in the Poincaré disk.

    With --model the regions, boundaries and margins of the classifier too; with --edges a graph.
    """
    from hyplane.cli._edges import edge_pairs
    from hyplane.plotting import PoincareDisplay, draw_disk, draw_graph, draw_points

    kind = _kind(output)
    if kind == "png" and width * dpi > _MOST_PIXELS:
        raise click.UsageError(
            f"a PNG of {width * dpi:.0f} pixels a side takes too much memory: --width times --dpi "
            f"must be at most {_MOST_PIXELS}."
        )
    data, labels, taken, saved = read_drawing(
        table, format, header, label, points, coordinates, curvature, model
    )
    shown, names = shown_label(saved, labels, "a picture")
    y = data.classes(labels[0]) if labels else None
    taken.announce(labels)
    pairs = None if edges is None else edge_pairs(data, read_table(edges))
    figure = import_optional("matplotlib.figure", "plot").Figure(
        figsize=(width, 1.04 * width), layout="constrained"
    )
    ax = figure.add_subplot()
    chart = taken.space.chart
    if saved is not None:
        if pairs is not None:
            # The marks of the nodes are drawn with the decision.
            draw_graph(taken.X, pairs, ax=ax, node_size=0, legend=False, **chart)
        PoincareDisplay.from_estimator(
            saved.estimator, taken.X, y, ax=ax, label=shown, class_names=names, **chart
        )
    elif pairs is not None:
        draw_graph(taken.X, pairs, y, ax=ax, **chart)
    else:
        draw_disk(ax)
        draw_points(taken.X, y, ax=ax, **chart)
    if title:
        ax.set_title(title, parse_math=False)
    with replacing(output) as file:
        figure.savefig(file, format=kind, dpi=dpi)
    say(f"wrote {output}", err=True)


def read_drawing(
    table: str,
    format: str | None,
    header: bool | None,
    label: tuple[str, ...],
    points: tuple[str, ...],
    coordinates: str | None,
    curvature: float | None,
    model: str | None,
    others: tuple[str, ...] = (),
) -> "tuple[Table, list[str], ChosenPoints, Any]":
    """Read a table that is to be drawn, and the model that is drawn with it, if there is one.

    Returns
    -------
    data : Table
    labels : list of str
        The columns of the labels.
    points : ChosenPoints
        In the chart of the model.
    saved : SavedModel or None
    """
    from hyplane.cli._choice import take_points
    from hyplane.cli._models import points_for_model
    from hyplane.persistence import read_model

    if model and curvature is not None:
        raise click.UsageError("--model already has the curvature of its points.")
    saved = None if model is None else read_model(model)
    data = read_table(table, format, header)
    labels = data.find(label)
    beside = [*labels, *data.find(others)]
    if saved is None or model is None:
        return data, labels, take_points(data, points, beside, coordinates, curvature), None
    taken = points_for_model(
        data, saved, model, given=points, labels=beside, coordinates=coordinates
    )
    return data, labels, taken, saved


def _kind(output: str) -> str:
    kind = Path(output).suffix.lower().removeprefix(".")
    if kind not in _PICTURES:
        raise click.BadParameter(
            f"must end in {', '.join(f'.{name}' for name in _PICTURES)}; got {output}.",
            param_hint="'--output'",
        )
    return kind


def shown_label(
    saved: "SavedModel | None", labels: list[str], drawing: str
) -> tuple[int | None, list[str] | None]:
    """Return which of a model's several labels to show, and names for those without and with it."""
    if len(labels) > 1:
        raise click.UsageError(f"{drawing} shows one column of labels: name one with --label.")
    fitted = [] if saved is None else saved.label_columns or []
    if len(fitted) < 2:
        return None, None
    if not labels or labels[0] not in fitted:
        raise ValueError(
            f"the model has several labels: choose one with --label ({', '.join(fitted)})"
        )
    return fitted.index(labels[0]), [f"not {labels[0]}", labels[0]]
