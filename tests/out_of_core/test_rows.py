"""Blocks yield all rows in order, a few at a time."""

import threading

import numpy as np
import pytest

from hyplane.out_of_core import Block, DiskBlocks, MemoryBlocks
from hyplane.out_of_core.disk import as_blocks
from hyplane.out_of_core.rows import WatchedBlocks, Workers


def rows_of(block):
    return block.X, block.y, block.first


def doubled(block):
    return Block(block.first, 2 * block.X)


def total(block):
    return float(block.X.sum())


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("kind", ["memory", "map", "table"])
def test_blocks_hold_every_row_once_and_in_order(kind, n_threads, rows, mapped, table):
    X, y, _ = rows
    points = {"memory": X, "map": mapped, "table": table[["x1", "x2"]]}[kind]
    make = MemoryBlocks if kind == "memory" else DiskBlocks
    blocks = make(points, y, n_threads=n_threads, rows_per_block=700)
    parts = list(blocks.map(rows_of))
    np.testing.assert_array_equal(np.concatenate([part[0] for part in parts]), X)
    np.testing.assert_array_equal(np.concatenate([part[1] for part in parts]), y)
    ends = np.cumsum([len(part[0]) for part in parts])
    assert [part[2] for part in parts] == [0, *ends[:-1].tolist()]
    assert (blocks.n_rows, blocks.n_columns) == X.shape


def test_prepared_blocks_go_through_the_function(rows, mapped):
    X = rows[0]
    for blocks in (MemoryBlocks(X, rows_per_block=999), DiskBlocks(mapped, rows_per_block=999)):
        twice = blocks.prepared(doubled).prepared(doubled)
        assert sum(twice.map(total)) == pytest.approx(4 * X.sum())
        assert sum(blocks.map(total)) == pytest.approx(X.sum())


class Counted:
    """An item that counts how many of its kind are alive."""

    alive, most, lock = 0, 0, threading.Lock()

    def __init__(self):
        with Counted.lock:
            Counted.alive += 1
            Counted.most = max(Counted.most, Counted.alive)

    def __del__(self):
        with Counted.lock:
            Counted.alive -= 1


@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_constant_number_of_blocks_is_alive(n_threads):
    Counted.most = 0
    found = list(Workers(n_threads).in_order((Counted() for _ in range(80)), id, ()))
    assert len(found) == 80
    assert 1 <= Counted.most <= n_threads + 3


def test_an_error_in_a_block_comes_out_and_ends_the_pass(mapped):
    def refuse(block):
        if block.first >= 1000:
            raise ValueError(f"block {block.first}")
        return block.first

    blocks = DiskBlocks(mapped, n_threads=2, rows_per_block=500)
    passed = blocks.map(refuse)
    assert [next(passed), next(passed)] == [0, 500]
    with pytest.raises(ValueError, match="block 1000"):
        next(passed)


def test_lengths_that_differ_are_refused(mapped, table):
    with pytest.raises(ValueError, match="X has 8000 rows and y 3"):
        DiskBlocks(mapped, np.zeros(3))
    with pytest.raises(ValueError, match="not of the same one"):
        DiskBlocks(mapped, table["label"])


def test_what_is_read_block_by_block(mapped, table, limits):
    assert as_blocks(np.zeros((3, 2))) is None
    assert as_blocks([[1.0]]) is None
    assert as_blocks(mapped) is None  # small
    limits(LEAST_BYTES=0)
    assert isinstance(as_blocks(mapped), DiskBlocks)
    assert as_blocks(mapped[[0, 5]]) is None  # rows that were picked are in memory
    assert as_blocks(table) is not None
    assert as_blocks(table[["x1", "x2"]]).column_names == ["x1", "x2"]
    blocks = MemoryBlocks(np.zeros((3, 2)))
    assert as_blocks(blocks) is blocks
    with pytest.raises(ValueError, match="hold their own labels"):
        as_blocks(blocks, np.zeros(3))


def test_passes_and_rows_are_counted(rows):
    with WatchedBlocks(MemoryBlocks(rows[0], rows_per_block=3000), "adding up") as blocks:
        ready = blocks.prepared(doubled)
        assert blocks.n_passes == 0
        list(ready.map(total))
        list(ready.map(total))
        assert ready.n_passes == blocks.n_passes == 2
        assert ready._bar.description == "adding up, pass 2, 8 000 of 8 000 rows"


def test_what_the_passes_are_for_is_shown_beside_them(limits, capsys):
    limits(LINE_SECONDS=0.0, DELAY=0.0)
    with WatchedBlocks(MemoryBlocks(np.ones((8, 2)), rows_per_block=4), "fitting") as blocks:
        blocks.tell("3 of 9 problems solved")
        assert list(blocks.map(len)) == [4, 4]
    shown = capsys.readouterr().err
    assert "fitting, 3 of 9 problems solved, pass 1, 4 of 8 rows" in shown
