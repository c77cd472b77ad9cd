import gzip
import importlib.util
import struct
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "read_gt.py"
if not TOOL.is_file():
    pytest.skip("the tools are not part of this copy", allow_module_level=True)


@pytest.fixture(scope="module")
def read_gt():
    spec = importlib.util.spec_from_file_location("read_gt", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module.read_gt
    del sys.modules[spec.name]


def gt_file(order="<"):
    """A gt file by the documented layout: a path of three nodes with a name and a value each."""

    def text(string):
        return struct.pack(f"{order}Q", len(string.encode())) + string.encode()

    def number(code, value):
        return struct.pack(order + code, value)

    head = "⛾ gt".encode() + bytes([1, order == ">"]) + text("a comment")
    nodes = number("?", False) + number("Q", 3)
    edges = number("Q", 1) + number("B", 1) + number("Q", 1) + number("B", 2) + number("Q", 0)
    names = bytes([1]) + text("label") + bytes([6]) + text("ä") + text("b") + text("")
    values = bytes([1]) + text("value") + bytes([2]) + b"".join(number("i", v) for v in (7, -1, 0))
    places = bytes([1]) + text("pos") + bytes([11])
    places += b"".join(number("Q", 2) + number("d", x) + number("d", 0.5) for x in (1.0, 2.0, 3.0))
    weight = bytes([2]) + text("weight") + bytes([4]) + number("d", 1.5) + number("d", 2.5)
    about = bytes([0]) + text("readme") + bytes([6]) + text("hello")
    return head + nodes + edges + number("Q", 5) + names + values + places + weight + about


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_of_the_documented_layout_is_read(tmp_path, read_gt, order, pack):
    (tmp_path / "path.gt").write_bytes(pack(gt_file(order)))
    graph = read_gt(tmp_path / "path.gt")
    assert (graph.directed, graph.n_nodes, graph.edges) == (False, 3, [(0, 1), (1, 2)])
    assert graph.node_properties["label"] == ["ä", "b", ""]
    assert graph.node_properties["value"] == [7, -1, 0]
    assert graph.node_properties["pos"] == [[1.0, 0.5], [2.0, 0.5], [3.0, 0.5]]
    assert graph.edge_properties["weight"] == [1.5, 2.5]
    assert graph.graph_properties["readme"] == "hello"


def test_another_file_is_refused(tmp_path, read_gt):
    (tmp_path / "other.gt").write_bytes(b"GRAPH 1\n")
    with pytest.raises(ValueError, match="not a gt file"):
        read_gt(tmp_path / "other.gt")
