"""``hyplane generate``: data to try things on."""

from functools import partial
from typing import Any

import click

from hyplane.cli import options
from hyplane.cli.app import Group
from hyplane.cli.errors import say


@partial(options.command, cls=Group)
def command() -> None:
    """Generate points with labels: gaussians, network or tree.

    Example:
      hyplane generate gaussians --classes 4 --seed 2 -o points.csv
      hyplane generate tree --depth 6 --edges edges.csv -o tree.csv
    """


@command.add
@options.option("--points n_samples", "Number of points.", options.COUNT, 400)
@options.option("--classes n_classes", "Number of classes, a Gaussian each.", options.COUNT, 4)
@options.option("--dim n_dim", "Dimension of the space.", options.COUNT, 2)
@options.option(
    "--variance",
    "Variance of the Gaussians.  [default: 1, less in more than 10 dimensions]",
    options.POSITIVE,
)
@options.option(
    "--center-variance",
    "Variance of their centres.  [default: 1.5 times --variance]",
    options.POSITIVE,
)
@options.choice("--law", "Kind of Gaussian", ("riemannian", "wrapped"), "riemannian")
@options.made_points
@options.seed
@options.output("Table to write.")
@options.table_format_option
def gaussians(seed: int, output: str, format: str | None, **law: Any) -> None:
    """Draw points from hyperbolic Gaussians, one per class.

    This is the first experiment of the paper.

    Example:
      hyplane generate gaussians --points 1000 --classes 3 -o points.csv
    """
    from hyplane.datasets import make_hyperbolic_gaussians

    X, y = make_hyperbolic_gaussians(**law, random_state=seed)[:2]
    _write(X, law, output, format, labels={"label": y})


@command.add
@options.option("--nodes", "Number of nodes.", options.Number(2, 100_000_000), 500)
@options.option("--degree mean_degree", "Mean degree.", options.Number(2.0, 1e9), 4.0)
@options.option("--exponent", "Exponent of the degrees.", options.Number(2.0, 1e9), 2.25)
@options.option(
    "--temperature",
    "Temperature, below 1; higher means less clustering.",
    options.Number(0.0, 1 - 2**-53, "at least 0 and less than 1"),
    0.0,
)
@options.option("--labels", "Number of labels.", options.Number(0, 100_000_000), 10)
@click.option(
    "--size",
    type=click.Tuple([int, int]),
    default=(20, 50),
    show_default=True,
    metavar="LEAST GREATEST",
    help="Number of nodes that have a label.",
)
@options.option(
    "--probability",
    "Probability that a label spreads along an edge.",
    options.Number(0.0, 1.0),
    0.8,
)
@options.made_points
@options.seed
@options.extra_table("--edges", "Table to write the edges to.")
@options.output("Table to write.")
@options.table_format_option
def network(
    nodes: int,
    labels: int,
    size: tuple[int, int],
    probability: float,
    seed: int,
    edges: str | None,
    output: str,
    format: str | None,
    coordinates: str,
    curvature: float,
    **growth: float,
) -> None:
    """Grow a network with labels that spread along edges.

    The model is popularity-similarity optimisation, as in the paper. The points are the true
    positions of the nodes. Columns label1, label2, … are 1 for nodes with that label.

    Example:
      hyplane generate network --nodes 500 --edges edges.csv -o nodes.csv
    """
    import numpy as np

    from hyplane.datasets import popularity_similarity_graph, propagate_labels

    if labels and not 1 <= size[0] <= min(size[1], nodes):
        wrong = f"must be a range within 1 to {nodes}, the number of nodes"
        raise click.BadParameter(f"{wrong}; got {size[0]} {size[1]}.", param_hint="'--size'")
    rng = np.random.default_rng(seed)
    grown = popularity_similarity_graph(nodes, **growth, random_state=rng)
    columns = {}
    if labels:
        Y, _ = propagate_labels(grown, labels, size, probability=probability, random_state=rng)
        columns = {f"label{place}": column for place, column in enumerate(Y.T, 1)}
    X = grown.points(coordinates, curvature=curvature)
    _write_edges(grown.edges, edges)
    space = {"coordinates": coordinates, "curvature": curvature}
    _write(X, space, output, format, nodes=np.arange(nodes), labels=columns)


@command.add
@options.option("--branching", "Number of children of a node.", options.COUNT, 3)
@options.option("--depth", "Number of generations below the root.", options.COUNT, 5)
@options.option(
    "--nodes n_nodes",
    "Make a random tree with this number of nodes instead.",
    options.Number(2, 100_000_000),
)
@options.option("--edge-length", "Length of the edges.", options.POSITIVE, 2.0)
@options.option("--label-depth", "Generation of the ancestor that is the label.", options.COUNT, 1)
@options.made_points
@options.seed
@options.extra_table("--edges", "Table to write the edges to.")
@options.output("Table to write.")
@options.table_format_option
def tree(seed: int, edges: str | None, output: str, format: str | None, **shape: Any) -> None:
    """Lay out a tree in the hyperbolic plane.

    Nodes above the generation of the labels, such as the root, are left out of the table and of
    the edges.

    Example:
      hyplane generate tree --branching 3 --depth 5 -o tree.csv
    """
    import numpy as np

    from hyplane.datasets import make_hyperbolic_tree

    made: Any = make_hyperbolic_tree(**shape, random_state=seed)
    _write_edges(made.edges[np.isin(made.edges, made.nodes).all(axis=1)], edges)
    _write(made.data, shape, output, format, nodes=made.nodes, labels={"label": made.target})


def _write(X: Any, made: dict[str, Any], output: str, format: str | None, **columns: Any) -> None:
    from hyplane.cli.point_columns import Space
    from hyplane.cli.table_files import write_points

    write_points(X, Space(made["coordinates"], made["curvature"]), output, format, **columns)


def _write_edges(edges: Any, path: str | None) -> None:
    from hyplane.cli.table_files import write_table
    from hyplane.cli.tables import Table

    if path is not None:
        write_table(Table({"source": edges[:, 0], "target": edges[:, 1]}), path)
        say(f"wrote {len(edges)} edges to {path}", err=True)
