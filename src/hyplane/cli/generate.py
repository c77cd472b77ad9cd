"""``hyplane generate``: data to try things on."""

from typing import Any

import click

from hyplane.cli import options
from hyplane.cli.options import COUNT, POSITIVE, Number, PointsFile, choice, option

BELOW_1 = Number(0.0, 1 - 2**-53)


@options.Group.of
def command() -> None:
    """Generate points with labels: gaussians, network or tree.

    Example:
      hyplane generate gaussians --classes 4 --seed 2 -o points.csv
      hyplane generate tree --depth 6 --edges edges.csv -o tree.csv
    """


@command.add
@option("--points n_samples", "Number of points.", COUNT, 400)
@option("--classes n_classes", "Number of classes. Each class is one Gaussian.", COUNT, 4)
@option("--dim n_dim", "Dimension of the space.", COUNT, 2)
@option("--variance", "Variance of a Gaussian.  [default: 1, less above 10-D]", POSITIVE)
@option("--center-variance", "Variance of the centers.  [default: 1.5, less above 10-D]", POSITIVE)
@choice("--law", "Kind of Gaussian", ("riemannian", "wrapped"), "riemannian")
@options.made_points
def gaussians(seed: int, output: PointsFile, **law: Any) -> None:
    """Draw points from hyperbolic Gaussians, one per class.

    The defaults are those of the first experiment of the paper.

    Example:
      hyplane generate gaussians --points 1000 --classes 3 -o points.csv
    """
    from hyplane.cli.table_files import write_points
    from hyplane.datasets import make_hyperbolic_gaussians

    X, y = make_hyperbolic_gaussians(**law, **output.space.chart, random_state=seed)[:2]
    write_points(output, X, label=y)


@command.add
@option("--nodes", "Number of nodes.", Number(2, 100_000_000), 500)
@option("--degree mean_degree", "Mean degree.", Number(2.0, 1e9), 4.0)
@option("--exponent", "Exponent of the degree distribution.", Number(2.0, 1e9), 2.25)
@option("--temperature", "From 0 to below 1; higher is less clustered.", BELOW_1, 0.0)
@option("--labels", "Number of labels to draw.", Number(0, 100_000_000), 10)
@option(
    "--size",
    "Smallest and largest number of nodes with a label.",
    click.Tuple([int, int]),
    (20, 50),
    metavar="LEAST GREATEST",
)
@option("--probability", "Probability that an edge passes a label on.", Number(0.0, 1.0), 0.8)
@options.output("Also write the edges to this table.", "--edges")
@options.made_points
def network(
    nodes: int, labels: int, size: tuple[int, int], seed: int, output: PointsFile, **given: Any
) -> None:
    """Grow a network with labels that spread along its edges.

    The network follows the popularity-similarity model, as in the second experiment of the paper.
    The points are the positions of the nodes in the model. The columns label1, label2, … are 1 for
    nodes with the label and 0 for the others.

    Example:
      hyplane generate network --nodes 500 --edges edges.csv -o nodes.csv
    """
    import numpy as np

    from hyplane.cli.table_files import write_points
    from hyplane.datasets import popularity_similarity_graph, propagate_labels

    if labels and not 1 <= size[0] <= min(size[1], nodes):
        wrong = f"must be a range within 1 to {nodes}, the number of nodes"
        raise click.BadParameter(f"{wrong}; got {size[0]} {size[1]}.", param_hint="'--size'")
    rng = np.random.default_rng(seed)
    edges, spread = given.pop("edges"), {"probability": given.pop("probability")}
    grown = popularity_similarity_graph(nodes, **given, random_state=rng)
    columns = {}
    if labels:
        Y, _ = propagate_labels(grown, labels, size, **spread, random_state=rng)
        columns = {f"label{place}": column for place, column in enumerate(Y.T, 1)}
    _write_edges(grown.edges, edges)
    X = grown.points(**output.space.chart)
    write_points(output, X, nodes=np.arange(nodes), **columns)


@command.add
@option("--branching", "Number of children of each node.", COUNT, 3)
@option("--depth", "Number of generations below the root.", COUNT, 5)
@option("--nodes n_nodes", "Make a random tree of this size.", Number(2, 100_000_000))
@option("--edge-length", "Length of the edges.", POSITIVE, 2.0)
@option("--label-depth", "Label each node by its ancestor in this generation.", COUNT, 1)
@options.output("Also write the edges to this table.", "--edges")
@options.made_points
def tree(seed: int, edges: str | None, output: PointsFile, **shape: Any) -> None:
    """Lay out a tree in the hyperbolic plane.

    Nodes in a generation above --label-depth, such as the root, have no label. They are left out of
    the table and of the edges.

    Example:
      hyplane generate tree --branching 3 --depth 5 -o tree.csv
    """
    import numpy as np

    from hyplane.cli.table_files import write_points
    from hyplane.datasets import make_hyperbolic_tree

    made: Any = make_hyperbolic_tree(**shape, **output.space.chart, random_state=seed)
    _write_edges(made.edges[np.isin(made.edges, made.nodes).all(axis=1)], edges)
    write_points(output, made.data, nodes=made.nodes, label=made.target)


def _write_edges(edges: Any, path: str | None) -> None:
    from hyplane.cli.table_files import write_table
    from hyplane.cli.tables import Table

    if path is not None:
        write_table(Table({"source": edges[:, 0], "target": edges[:, 1]}), path, rows="edges")
