"""A reader of graph-tool's binary format (https://graph-tool.skewed.de/static/doc/gt_format.html)."""

import gzip
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAGIC = "⛾ gt".encode()
# Value types 0 to 4 of the format have a fixed size, given here as struct codes.
FIXED_TYPES = ("?", "h", "i", "q", "d")
LONG_DOUBLE, STRING, FIRST_VECTOR, VECTOR_OF_STRINGS, PYTHON_OBJECT = 5, 6, 7, 13, 14
LONG_DOUBLE_BYTES = 16


@dataclass
class GtGraph:
    """What a gt file says: the arcs as they are stored, and its property maps by name."""

    directed: bool
    n_nodes: int
    edges: list[tuple[int, int]]
    graph_properties: dict[str, Any] = field(default_factory=dict)
    node_properties: dict[str, list[Any]] = field(default_factory=dict)
    edge_properties: dict[str, list[Any]] = field(default_factory=dict)


class _Reader:
    """Takes numbers and strings one after the other from the bytes of a gt file."""

    def __init__(self, content: bytes) -> None:
        if content[:6] != MAGIC or content[6] != 1:
            raise ValueError("not a gt file of version 1")
        self.content = content
        self.order = ">" if content[7] else "<"
        self.position = 8

    def numbers(self, code: str, count: int) -> tuple[Any, ...]:
        layout = f"{self.order}{count}{code}"
        values = struct.unpack_from(layout, self.content, self.position)
        self.position += struct.calcsize(layout)
        return values

    def number(self, code: str = "Q") -> Any:
        return self.numbers(code, 1)[0]

    def bytes(self) -> bytes:
        size = self.number()
        self.position += size
        return self.content[self.position - size : self.position]

    def value(self, kind: int) -> Any:
        if kind < len(FIXED_TYPES):
            return self.number(FIXED_TYPES[kind])
        if kind == LONG_DOUBLE:
            # No property used here is a long double: it is stepped over.
            self.position += LONG_DOUBLE_BYTES
            return None
        if kind == STRING:
            return self.bytes().decode()
        if kind < PYTHON_OBJECT:
            element = STRING if kind == VECTOR_OF_STRINGS else kind - FIRST_VECTOR
            return [self.value(element) for _ in range(self.number())]
        if kind == PYTHON_OBJECT:
            # A pickle could run code: its bytes are kept as they are and never loaded.
            return self.bytes()
        raise ValueError(f"unknown value type {kind} in a gt file")


def read_gt(path: str | Path) -> GtGraph:
    """Read a ``.gt`` or ``.gt.gz`` file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    graph : GtGraph
    """
    content = Path(path).read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    reader = _Reader(content)
    reader.bytes()  # the comment
    directed, n_nodes = reader.number("?"), reader.number()
    node_code = next(code for code, bits in zip("BHIQ", (8, 16, 32, 64), strict=True)
                     if n_nodes < 2**bits)  # fmt: skip
    edges = [
        (node, neighbour)
        for node in range(n_nodes)
        for neighbour in reader.numbers(node_code, reader.number())
    ]
    graph = GtGraph(directed, n_nodes, edges)
    for _ in range(reader.number()):
        owner, name, kind = reader.number("B"), reader.bytes().decode(), reader.number("B")
        if owner == 0:
            graph.graph_properties[name] = reader.value(kind)
        elif owner == 1:
            graph.node_properties[name] = [reader.value(kind) for _ in range(n_nodes)]
        else:
            graph.edge_properties[name] = [reader.value(kind) for _ in edges]
    return graph
