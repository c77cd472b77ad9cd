"""``hyplane generate``: data to try things on."""

from typing import TYPE_CHECKING, Any

import click

from hyplane.cli._formats import write_points, write_table
from hyplane.cli._groups import Group
from hyplane.cli._options import (
    chart_options,
    count_option,
    debug_option,
    extra_table_option,
    number_option,
    output_format_option,
    output_option,
    seed_option,
)
from hyplane.cli._spaces import Space
from hyplane.cli._standard_streams import say
from hyplane.cli._types import FROM_TWO, POSITIVE, PROBABILITY, Number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hyplane.cli._tables import Column

_TEMPERATURE = Number("at least 0 and less than 1", lambda value: 0 <= value < 1)


@click.group(
    cls=Group,
    epilog="\b\n"
    "Example:\n"
    "  hyplane generate gaussians --classes 4 --seed 2 -o points.csv\n"
    "  hyplane generate tree --depth 6 --edges edges.csv -o tree.csv",
)
def command() -> None:
    """Make data of a known kind, with labels."""


@command.command(
    short_help="Points from hyperbolic Gaussians, one per class.",
    epilog="\b\nExample:\n  hyplane generate gaussians --points 1000 --classes 3 -o points.csv",
)
@count_option("--points n_samples", 1, 400, "Number of points.")
@count_option("--classes n_classes", 1, 4, "Number of classes, a Gaussian each.")
@count_option("--dim n_dim", 1, 2, "Dimension of the space.")
@number_option(
    "--variance",
    POSITIVE,
    None,
    "Variance of the Gaussians.  [default: 1, less in more than 10 dimensions]",
)
@number_option(
    "--center-variance", POSITIVE, None, "Variance of their centres.  [default: 1.5 times that]"
)
@click.option(
    "--law",
    type=click.Choice(["riemannian", "wrapped"]),
    default="riemannian",
    show_default=True,
    help="Which Gaussian law.",
)
@chart_options
@seed_option
@output_option("The table to write.")
@output_format_option
@debug_option
def gaussians(seed: int, output: str, format: str | None, **law: Any) -> None:
    """Draw points from hyperbolic Gaussians, one per class, as in the paper."""
    from hyplane.datasets import make_hyperbolic_gaussians

    X, y = make_hyperbolic_gaussians(**law, random_state=seed)[:2]
    space = Space(law["coordinates"], law["curvature"])
    write_points(X, space, output, format, labels={"label": y})


@command.command(
    short_help="A growing network, with labels that spread.",
    epilog="\b\nExample:\n  hyplane generate network --nodes 500 --edges edges.csv -o nodes.csv",
)
@count_option("--nodes", 2, 500, "Number of nodes.")
@number_option("--degree mean_degree", FROM_TWO, 4.0, "Mean degree, at least 2.")
@number_option("--exponent", FROM_TWO, 2.25, "Exponent of the degrees, at least 2.")
@number_option("--temperature", _TEMPERATURE, 0.0, "From 0 to below 1; clustering falls with it.")
@count_option("--labels", 0, 10, "Number of labels that spread along the edges.")
@click.option(
    "--size",
    type=click.Tuple([int, int]),
    default=(20, 50),
    show_default=True,
    metavar="LEAST GREATEST",
    help="Nodes of a label.",
)
@number_option("--probability", PROBABILITY, 0.8, "With which an edge carries a label.")
@chart_options
@seed_option
@extra_table_option("--edges", "Write the edges there too, as a table.")
@output_option("The table to write.")
@output_format_option
@debug_option
def network(
    nodes: int,
    labels: int,
    size: tuple[int, int],
    probability: float,
    coordinates: str,
    curvature: float,
    seed: int,
    edges: str | None,
    output: str,
    format: str | None,
    **growth: float,
) -> None:
    """Grow a network by popularity and similarity, with labels, as in the paper.

    The points are the nodes' true places. Columns label1, label2, … hold 1 where a node has that
    label.
    """
    import numpy as np

    from hyplane.datasets import popularity_similarity_graph, propagate_labels

    if labels and not 1 <= size[0] <= min(size[1], nodes):
        raise click.BadParameter(
            f"must be a range within 1 to {nodes}, the number of nodes; got {size[0]} {size[1]}.",
            param_hint="'--size'",
        )
    rng = np.random.default_rng(seed)
    grown = popularity_similarity_graph(nodes, **growth, random_state=rng)
    columns: dict[str, Column] = {}
    if labels:
        Y, _ = propagate_labels(grown, labels, size, probability=probability, random_state=rng)
        columns = {f"label{place + 1}": column for place, column in enumerate(Y.T)}
    X = grown.points(coordinates, curvature=curvature)
    if edges is not None:
        _write_edges(grown.edges, edges)
    space = Space(coordinates, curvature)
    write_points(X, space, output, format, nodes=np.arange(nodes), labels=columns)


@command.command(
    short_help="A tree in the hyperbolic plane.",
    epilog="\b\nExample:\n  hyplane generate tree --branching 3 --depth 5 -o tree.csv",
)
@count_option("--branching", 1, 3, "Children of a node.")
@count_option("--depth", 1, 5, "Generations below the root.")
@count_option("--nodes n_nodes", 2, None, "Make a random tree of so many nodes instead.")
@number_option("--edge-length", POSITIVE, 2.0, "Length of the edges.")
@count_option("--label-depth", 1, 1, "Label a node by its ancestor of this generation.")
@chart_options
@seed_option
@extra_table_option("--edges", "Write the edges there too, as a table.")
@output_option("The table to write.")
@output_format_option
@debug_option
def tree(seed: int, edges: str | None, output: str, format: str | None, **shape: Any) -> None:
    """Lay out a tree in the hyperbolic plane.

    Nodes above the generation of the labels, such as the root, are left out of the table, and of
    the edges.
    """
    import numpy as np

    from hyplane.datasets import make_hyperbolic_tree

    made: Any = make_hyperbolic_tree(**shape, random_state=seed)
    if edges is not None:
        _write_edges(made.edges[np.isin(made.edges, made.nodes).all(axis=1)], edges)
    space = Space(shape["coordinates"], shape["curvature"])
    write_points(made.data, space, output, format, nodes=made.nodes, labels={"label": made.target})


def _write_edges(edges: "NDArray[Any]", path: str) -> None:
    from hyplane.cli._tables import Table

    write_table(Table({"source": edges[:, 0], "target": edges[:, 1]}), path)
    say(f"wrote {len(edges)} edges to {path}", err=True)
