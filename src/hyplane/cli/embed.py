"""``hyplane embed``: a graph as points."""

import io
import os
from typing import TYPE_CHECKING, Any

import click

from hyplane._utils.progress import Waiting
from hyplane.cli._formats import STREAM, read_stdin, write_points
from hyplane.cli._options import (
    chart_options,
    count_option,
    debug_option,
    keep_input,
    number_option,
    output_format_option,
    output_option,
    seed_option,
)
from hyplane.cli._standard_streams import say
from hyplane.cli._types import FROM_TWO, POSITIVE

if TYPE_CHECKING:
    from hyplane.cli._tables import Column

_METHODS = ("labne", "skipgram", "deepwalk")
_NETWORKS = ("karate", "polbooks", "football", "polblogs")
_GRAPHS = ("edgelist", "gml", "graphml", "adjacency")
_MOST = 1_000_000  # of each number that an embedding has
_WALKS = ("walks", "walk_length", "window", "epochs")


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  hyplane embed edges.csv --labels classes.csv -o points.csv\n"
    "  hyplane embed karate --method skipgram --converged -o karate.csv",
)
@click.argument("graph", type=click.Path(allow_dash=True))
@output_option("The table to write: node, point, label.")
@click.option(
    "--method",
    type=click.Choice(_METHODS),
    default="labne",
    show_default=True,
    metavar="NAME",
    help="labne and skipgram are hyperbolic, deepwalk is Euclidean.",
)
@count_option("--dim", 1, None, "Dimension; 2 for LaBNE. [default: 2]", _MOST)
@chart_options
@click.option(
    "--labels", type=click.Path(), metavar="FILE", help="Table of nodes and their labels."
)
@click.option("--label-column", metavar="NAME", help="Its column of labels.  [default: the second]")
@click.option("--label-attribute", metavar="NAME", help="Attribute of GML or GraphML nodes.")
@click.option(
    "--graph-format",
    type=click.Choice(_GRAPHS),
    metavar="FORMAT",
    help=f"Format of GRAPH: {', '.join(_GRAPHS)}.  [default: by the extension]",
)
@number_option("--exponent", FROM_TWO, None, "Of the degrees, for LaBNE.  [default: fitted]")
@number_option("--disc-radius", POSITIVE, None, "Scale LaBNE's radii to this; 3 in the paper.")
@click.option("--converged", is_flag=True, help="Skip-gram on longer walks than the published.")
@count_option("--walks", 1, None, "Walks from each node.", _MOST)
@count_option("--walk-length", 2, None, "Nodes in a walk.", _MOST)
@count_option("--window", 1, None, "Farthest pairs in a walk.", _MOST)
@count_option("--epochs", 1, None, "Passes over the walks.", _MOST)
@seed_option
@output_format_option
@debug_option
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
    """Turn GRAPH into a table of points, one for each node.

    GRAPH is a file (edge list, GML, GraphML or adjacency matrix), - for an edge list from the
    standard input, or one of karate, polbooks, football and polblogs.
    """
    import numpy as np

    from hyplane.cli._spaces import Space

    if labels and label_attribute:
        raise click.UsageError("give --labels or --label-attribute, not both.")
    if label_column and not labels:
        raise click.UsageError("--label-column goes with --labels only.")
    keep_input(output, graph, labels)
    embedding = _embedding(settings)
    network = _load(
        graph,
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
    euclidean = settings["method"] == "deepwalk"
    space = Space("tangent") if euclidean else Space(settings["coordinates"], settings["curvature"])
    found: dict[str, Column] = {}
    if network.target is not None:
        found["label"] = np.asarray(network.target_names)[network.target[rows]]
    nodes = np.asarray(network.node_names)[rows]
    write_points(X, space, output, format, nodes=nodes, labels=found)


def _embedding(settings: dict[str, Any]) -> Any:
    """Make the embedding, or say which settings do not go together."""
    from hyplane.embeddings import DeepWalk, HyperbolicSkipGram, LaBNE

    method, dim = settings["method"], settings["dim"] or 2
    given = {name: settings[name] for name in _WALKS if settings[name] is not None}
    space = {"coordinates": settings["coordinates"], "curvature": settings["curvature"]}
    if method == "labne":
        _refuse([*given, *(["converged"] if settings["converged"] else [])], "LaBNE")
        if dim != 2:
            raise click.UsageError(f"LaBNE embeds in 2 dimensions, not {dim}; try skipgram.")
        return LaBNE(settings["exponent"], disc_radius=settings["disc_radius"], **space)
    shape = {name: settings[name] for name in ("exponent", "disc_radius")}
    _refuse([name for name, value in shape.items() if value is not None], method)
    if "walks" in given:
        given["n_walks"] = given.pop("walks")
    given["random_state"] = settings["seed"]
    if method == "skipgram":
        if dim < 2:
            raise click.UsageError("skipgram embeds in 2 dimensions or more.")
        make = HyperbolicSkipGram.converged if settings["converged"] else HyperbolicSkipGram
        return make(dim, **given, **space)
    _refuse(["converged"] if settings["converged"] else [], "deepwalk")
    if space != {"coordinates": "ball", "curvature": -1.0}:
        raise click.UsageError("deepwalk gives Euclidean vectors, without chart or curvature.")
    return DeepWalk(dim, **given)


def _refuse(names: list[str], method: str) -> None:
    if names:
        raise click.UsageError(f"--{names[0].replace('_', '-')} does not go with {method}.")


def _load(graph: str, **settings: Any) -> Any:
    from hyplane import datasets

    if graph in _NETWORKS and not os.path.exists(graph):
        if settings["labels"] or settings["label_attribute"]:
            raise click.UsageError(f"{graph} has labels of its own.")
        return getattr(datasets, f"load_{graph}")()
    source: Any = graph
    if graph == STREAM:
        source = io.BytesIO(read_stdin())
        source.name = "standard input"
    return datasets.load_graph(source, **settings)
