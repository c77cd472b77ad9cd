r"""Make the network files of ``hyplane.datasets`` from the public collections that hold the facts.

Political books, college football and political blogs come from graph-tool's collection, which
Debian ships in the package python3-graph-tool; the karate club comes from networkx. To redo it::

    apt-get download python3-graph-tool
    dpkg -x python3-graph-tool_*.deb unpacked
    python tools/make_network_files.py \
        unpacked/usr/lib/python3/dist-packages/graph_tool/collection

The same input gives the same files, byte for byte. Every count is checked before anything is
written: older copies of these networks differ in edges and labels.
"""

import argparse
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
from read_gt import read_gt

OUTPUT = Path(__file__).parents[1] / "src" / "hyplane" / "datasets" / "data"
CONFERENCES = (
    "Atlantic Coast", "Big East", "Big Ten", "Big Twelve", "Conference USA", "Independents",
    "Mid-American", "Mountain West", "Pacific Ten", "Southeastern", "Sun Belt", "Western Athletic",
)  # fmt: skip


@dataclass
class Network:
    """The facts of one network: undirected edges between nodes that have a name and a class."""

    name: str
    classes: tuple[str, ...]
    node_names: list[str]
    labels: list[int]
    edges: set[tuple[int, int]]

    def check(self, n_edges: int, class_sizes: list[int]) -> None:
        """Stop unless the number of edges and the sizes of the classes are the published ones."""
        counts = Counter(self.labels)
        found = len(self.edges), [counts[k] for k in range(len(self.classes))]
        if found != (n_edges, class_sizes):
            raise SystemExit(f"{self.name}: expected {n_edges} edges, {class_sizes}; got {found}")

    def to_text(self) -> str:
        """Header, then a line per node (class, name), then a line per node (later neighbours)."""
        later: list[list[int]] = [[] for _ in self.labels]
        for low, high in sorted(self.edges):
            later[low].append(high)
        lines = [
            "hyplane network 1",
            f"classes: {' | '.join(self.classes)}",
            f"nodes: {len(self.labels)}",
            f"edges: {len(self.edges)}",
            *(f"{label}\t{name}" for label, name in zip(self.labels, self.node_names, strict=True)),
            *(" ".join(map(str, neighbours)) for neighbours in later),
        ]
        return "\n".join(lines) + "\n"


def undirected(edges: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Merge duplicates and both directions of a link; leave self loops out."""
    return {(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]}


def karate() -> Network:
    """Zachary's karate club, with the factions in which the members ended (17 and 17)."""
    graph = nx.karate_club_graph()
    classes = ("Mr. Hi", "Officer")
    labels = [classes.index(graph.nodes[node]["club"]) for node in range(34)]
    names = [str(member) for member in range(1, 35)]
    network = Network("karate", classes, names, labels, undirected(list(graph.edges)))
    network.check(78, [17, 17])
    return network


def polbooks(collection: Path) -> Network:
    """Books on politics, with the leaning that Newman gave them."""
    source = read_gt(collection / "polbooks.gt.gz")
    classes = ("conservative", "liberal", "neutral")
    labels = ["cln".index(value) for value in source.node_properties["value"]]
    names = source.node_properties["label"]
    network = Network("polbooks", classes, names, labels, undirected(source.edges))
    network.check(441, [49, 43, 13])
    return network


def football(collection: Path) -> Network:
    """College football, the 613 games left after the correction of 2014."""
    source = read_gt(collection / "football.gt.gz")
    labels, names = source.node_properties["value"], source.node_properties["label"]
    network = Network("football", CONFERENCES, names, labels, undirected(source.edges))
    network.check(613, [9, 8, 11, 12, 10, 5, 13, 8, 10, 12, 7, 10])
    return network


def polblogs(collection: Path) -> Network:
    """Political blogs with at least one link to or from another blog."""
    source = read_gt(collection / "polblogs.gt.gz")
    linked = undirected(source.edges)
    kept = sorted({node for edge in linked for node in edge})
    position = {node: place for place, node in enumerate(kept)}
    labels = [int(source.node_properties["value"][node]) for node in kept]
    names = [source.node_properties["label"][node] for node in kept]
    edges = {(position[low], position[high]) for low, high in linked}
    network = Network("polblogs", ("liberal", "conservative"), names, labels, edges)
    network.check(16715, [588, 636])
    return network


def main() -> None:
    """Write the four files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("collection", type=Path, help="folder with graph-tool's .gt.gz files")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="default: the package's data")
    arguments = parser.parse_args()
    makers = (polbooks, football, polblogs)
    for network in (karate(), *(make(arguments.collection) for make in makers)):
        path = arguments.output / f"{network.name}.txt"
        path.write_text(network.to_text(), encoding="utf-8", newline="\n")
        print(f"{path}: {len(network.labels)} nodes, {len(network.edges)} edges")


if __name__ == "__main__":
    main()
