"""``hyplane embed``: a graph as points."""

import io
import os
from typing import Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli import options
from hyplane.cli.errors import say


@options.command
@click.argument("graph", type=click.Path(allow_dash=True))
@options.output("Table to write: node, point, label.")
@options.choice(
    "--method",
    "Embedding, hyperbolic (labne, skipgram) or Euclidean (deepwalk)",
    ("labne", "skipgram", "deepwalk"),
    "labne",
)
@options.option(
    "--dim", "Dimension; always 2 for LaBNE.  [default: 2]", options.Number(1, 1_000_000)
)
@options.made_points
@options.input_file("--labels", "Table of nodes and their labels.")
@options.option("--label-column", "Column of --labels.  [default: the second]", metavar="NAME")
@options.option(
    "--label-attribute", "Attribute of GML or GraphML nodes to use as label.", metavar="NAME"
)
@options.choice(
    "--graph-format",
    "Format of GRAPH",
    ("edgelist", "gml", "graphml", "adjacency"),
    note="  [default: from the extension]",
)
@options.option(
    "--exponent",
    "LaBNE: exponent of the degree distribution.  [default: estimated]",
    options.Number(2.0, 1e9),
)
@options.option(
    "--disc-radius", "LaBNE: scale the radii to this; the paper uses 3.", options.POSITIVE
)
@options.flag("--converged", "Skip-gram: use longer walks than the published setting.")
@options.option(
    "--walks n_walks", "options.Number of walks from each node.", options.Number(1, 1_000_000)
)
@options.option("--walk-length", "options.Number of nodes in a walk.", options.Number(2, 1_000_000))
@options.option(
    "--window", "Largest distance of a pair of nodes in a walk.", options.Number(1, 1_000_000)
)
@options.option(
    "--epochs", "options.Number of passes over the walks.", options.Number(1, 1_000_000)
)
@options.seed
@options.table_format_option
def command(
    graph: str,
    output: str,
    labels: str | None,
    label_column: str | None,
    label_attribute: str | None,
    graph_format: str | None,
    format: str | None,
    **settings: Any,
) -> None:
    """Embed GRAPH and write a table with one point per node.

    GRAPH is a file (edge list, GML, GraphML or adjacency matrix), - for an edge list from standard
    input, or one of karate, polbooks, football and polblogs.

    Example:
      hyplane embed edges.csv --labels classes.csv -o points.csv
      hyplane embed karate --method skipgram --converged -o karate.csv
    """
    import numpy as np

    from hyplane import datasets
    from hyplane.cli.point_columns import Space
    from hyplane.cli.table_files import read_stdin, write_points

    if labels and label_attribute:
        raise click.UsageError("give --labels or --label-attribute, not both.")
    if label_column and not labels:
        raise click.UsageError("--label-column needs --labels.")
    options.keep_input(output, graph, labels)
    embedding = _embedding(**settings)
    if graph in ("karate", "polbooks", "football", "polblogs") and not os.path.exists(graph):
        if labels or label_attribute:
            raise click.UsageError(f"{graph} has labels of its own.")
        network: Any = getattr(datasets, f"load_{graph}")()
    else:
        source: Any = graph
        if graph == options.STREAM:
            source = io.BytesIO(read_stdin())
            source.name = "standard input"
        network = datasets.load_graph(
            source,
            format=graph_format,
            labels=labels,
            label_column=label_column or 1,
            label_attribute=label_attribute,
        )
    if network.get("label_origin"):
        say(f"labels: {network.label_origin}", err=True)
    with Waiting(f"embedding {len(network.node_names)} nodes"):
        X = embedding.fit_transform(network.graph)
    rows = np.asarray(embedding.node_names_, dtype=np.intp)
    space = Space(settings["coordinates"], settings["curvature"])
    if settings["method"] == "deepwalk":
        space = Space("tangent")
    found = {}
    if network.target is not None:
        found["label"] = np.asarray(network.target_names)[network.target[rows]]
    nodes = np.asarray(network.node_names)[rows]
    write_points(X, space, output, format, nodes=nodes, labels=found)


def _embedding(method: str, dim: int | None, seed: int, **settings: Any) -> Any:
    """Make the embedding, or say which settings do not go together."""
    from hyplane.embeddings import DeepWalk, HyperbolicSkipGram, LaBNE

    space = {name: settings.pop(name) for name in ("coordinates", "curvature")}
    given = {name: value for name, value in settings.items() if value}
    walks = ("n_walks", "walk_length", "window", "epochs")
    known = {"labne": ("exponent", "disc_radius"), "skipgram": (*walks, "converged")}
    for name in given:
        if name not in known.get(method, walks):
            option = name.removeprefix("n_").replace("_", "-")
            raise click.UsageError(f"--{option} does not apply to {method}.")
    if method == "labne":
        if dim not in (None, 2):
            raise click.UsageError(f"LaBNE embeds in 2 dimensions, not {dim}; try skipgram.")
        return LaBNE(**given, **space)
    if method == "skipgram":
        if dim == 1:
            raise click.UsageError("skipgram embeds in 2 dimensions or more.")
        converged = given.pop("converged", False)
        make = HyperbolicSkipGram.converged if converged else HyperbolicSkipGram
        return make(dim or 2, random_state=seed, **given, **space)
    if space != {"coordinates": "ball", "curvature": -1.0}:
        raise click.UsageError("deepwalk gives Euclidean vectors, without chart or curvature.")
    return DeepWalk(dim or 2, random_state=seed, **given)
