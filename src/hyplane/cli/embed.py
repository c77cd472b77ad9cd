"""``hyplane embed``: a graph as points."""

import io
import os
from dataclasses import replace
from typing import Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli import options
from hyplane.cli.errors import say
from hyplane.cli.options import POSITIVE, Number, PointsFile, choice, flag, option

COUNT = Number(1, 1_000_000)


@options.command
@click.argument("graph", type=options.FILE)
@choice("--method", "Embedding method", ("skipgram", "labne", "deepwalk"), "skipgram")
@option("--dim", "Dimension of the space; 2 for LaBNE.  [default: 2]", COUNT)
@option("--labels", "Table of nodes and labels, or an attribute of the nodes.", metavar="FILE|NAME")
@option("--label-column", "Column of the table of --labels.  [default: the second]", metavar="NAME")
@choice("--graph-format", "Format of GRAPH", ("edgelist", "gml", "graphml", "adjacency"))
@option("--exponent", "LaBNE: exponent of the degrees.  [default: fitted]", Number(2.0, 1e9))
@option("--disc-radius", "LaBNE: scale the largest radius to this. The paper uses 3.", POSITIVE)
@flag("--published", "Skip-gram: one short walk from each node, as published.")
@option("--walks n_walks", "Number of random walks from each node.", COUNT)
@option("--walk-length", "Number of nodes in a walk.", Number(2, 1_000_000))
@option("--window", "Pair nodes that are at most this many steps apart in a walk.", COUNT)
@option("--epochs", "Number of passes over the walks.", COUNT)
@options.made_points
def command(graph: str, output: PointsFile, **given: Any) -> None:
    """Embed GRAPH and write a table with one point per node.

    GRAPH is a file (an edge list, GML, GraphML or an adjacency matrix), - for an edge list from
    standard input, or one of the networks karate, polbooks, football and polblogs.

    Skip-gram and LaBNE embed in hyperbolic space, DeepWalk embeds in Euclidean space. Skip-gram
    gives useful pictures of most graphs. LaBNE is fast and suits large sparse networks with a few
    hubs; it puts small dense graphs on the rim of the disk.

    Example:
      hyplane embed edges.csv --labels classes.csv -o points.csv
      hyplane embed karate --method labne --disc-radius 3 -o karate.csv
    """
    import numpy as np

    from hyplane import datasets
    from hyplane.cli.table_files import read_stdin, write_points

    labels, column, format = (
        given.pop(name) for name in ("labels", "label_column", "graph_format")
    )
    if column and not labels:
        raise click.UsageError("--label-column needs --labels.")
    options.keep_input(output.path, graph, labels)
    embedding = _embedding(output.space.chart, **given)
    if graph in ("karate", "polbooks", "football", "polblogs") and not os.path.exists(graph):
        if labels:
            raise click.UsageError(f"{graph} has labels of its own.")
        network: Any = getattr(datasets, f"load_{graph}")()
    else:
        source: Any = graph
        if graph == options.STREAM:
            source = io.BytesIO(read_stdin())
            source.name = "standard input"
        network = datasets.load_graph(
            source, format=format, labels=labels, label_column=column or 1
        )
    if network.get("label_origin"):
        say(f"labels: {network.label_origin}", err=True)
    with Waiting(f"embedding {len(network.node_names)} nodes"):
        X = embedding.fit_transform(network.graph)
    rows = np.asarray(embedding.node_names_, dtype=np.intp)
    found = {"nodes": np.asarray(network.node_names)[rows]}
    if network.target is not None:
        found["label"] = np.asarray(network.target_names)[network.target[rows]]
    if given["method"] == "deepwalk":
        output = replace(output, space=options.Space("tangent"))
    write_points(output, X, **found)


def _embedding(
    space: dict[str, Any], method: str, dim: int | None, seed: int, **settings: Any
) -> Any:
    """Make the embedding, or say which settings do not go together."""
    from hyplane.embeddings import DeepWalk, HyperbolicSkipGram, LaBNE

    given = {name: value for name, value in settings.items() if value}
    walks = ("n_walks", "walk_length", "window", "epochs")
    known = {"labne": ("exponent", "disc_radius"), "skipgram": (*walks, "published")}
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
        published = given.pop("published", False)
        make = HyperbolicSkipGram if published else HyperbolicSkipGram.converged
        return make(dim or 2, random_state=seed, **given, **space)
    if space != {"coordinates": "ball", "curvature": -1.0}:
        raise click.UsageError("deepwalk gives Euclidean vectors, without chart or curvature.")
    return DeepWalk(dim or 2, random_state=seed, **given)
