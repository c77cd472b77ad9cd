"""``hyplane embed``: a graph as points."""

import io
import os
from dataclasses import replace
from typing import Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import POSITIVE, Number, PointsFile


@options.command
@click.argument("graph", type=click.Path(allow_dash=True))
@options.choice("--method", "Embedding", ("labne", "skipgram", "deepwalk"), "labne")
@options.option("--dim", "Dimension; always 2 for LaBNE.  [default: 2]", Number(1, 1_000_000))
@options.option("--labels", "Table of nodes and their labels.", click.Path())
@options.option("--label-column", "Column of --labels.  [default: the second]", metavar="NAME")
@options.option("--label-attribute", "Attribute of GML or GraphML nodes.", metavar="NAME")
@options.choice("--graph-format", "Format of GRAPH", ("edgelist", "gml", "graphml", "adjacency"))
@options.option(
    "--exponent", "LaBNE: exponent of the degrees.  [default: fitted]", Number(2.0, 1e9)
)
@options.option("--disc-radius", "LaBNE: scale the radii to this; the paper uses 3.", POSITIVE)
@options.flag("--converged", "Skip-gram: use longer walks than the published setting.")
@options.option("--walks n_walks", "Number of walks from each node.", Number(1, 1_000_000))
@options.option("--walk-length", "Number of nodes in a walk.", Number(2, 1_000_000))
@options.option("--window", "Largest distance of a pair of nodes in a walk.", Number(1, 1_000_000))
@options.option("--epochs", "Number of passes over the walks.", Number(1, 1_000_000))
@options.made_points
def command(graph: str, output: PointsFile, **given: Any) -> None:
    """Embed GRAPH and write a table with one point per node.

    LaBNE and skip-gram are hyperbolic embeddings, DeepWalk is a Euclidean one.

    GRAPH is a file (edge list, GML, GraphML or adjacency matrix), - for an edge list from standard
    input, or one of karate, polbooks, football and polblogs.

    Example:
      hyplane embed edges.csv --labels classes.csv -o points.csv
      hyplane embed karate --method skipgram --converged -o karate.csv
    """
    import numpy as np

    from hyplane import datasets
    from hyplane.cli.table_files import read_stdin, write_points

    labels, column, attribute, format = (
        given.pop(name) for name in ("labels", "label_column", "label_attribute", "graph_format")
    )
    if labels and attribute:
        raise click.UsageError("give --labels or --label-attribute, not both.")
    if column and not labels:
        raise click.UsageError("--label-column needs --labels.")
    options.keep_input(output.path, graph, labels)
    embedding = _embedding(output.chart, **given)
    if graph in ("karate", "polbooks", "football", "polblogs") and not os.path.exists(graph):
        if labels or attribute:
            raise click.UsageError(f"{graph} has labels of its own.")
        network: Any = getattr(datasets, f"load_{graph}")()
    else:
        source: Any = graph
        if graph == options.STREAM:
            source = io.BytesIO(read_stdin())
            source.name = "standard input"
        told = {"labels": labels, "label_column": column or 1, "label_attribute": attribute}
        network = datasets.load_graph(source, format=format, **told)
    if network.get("label_origin"):
        say(f"labels: {network.label_origin}", err=True)
    with Waiting(f"embedding {len(network.node_names)} nodes"):
        X = embedding.fit_transform(network.graph)
    rows = np.asarray(embedding.node_names_, dtype=np.intp)
    found = {"nodes": np.asarray(network.node_names)[rows]}
    if network.target is not None:
        found["label"] = np.asarray(network.target_names)[network.target[rows]]
    if given["method"] == "deepwalk":
        output = replace(output, coordinates="tangent")
    write_points(output, X, **found)


def _embedding(
    space: dict[str, Any], method: str, dim: int | None, seed: int, **settings: Any
) -> Any:
    """Make the embedding, or say which settings do not go together."""
    from hyplane.embeddings import DeepWalk, HyperbolicSkipGram, LaBNE

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
