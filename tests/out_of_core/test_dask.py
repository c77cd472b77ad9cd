"""Chunks of Dask collections as blocks: the right rows together, or an error that says why not."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("dask.array")
pytest.importorskip("dask.dataframe")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd

from hyplane import HyperbolicSVC
from hyplane.out_of_core import Block
from hyplane.out_of_core.dask import DaskBlocks, lazy_rows
from hyplane.out_of_core.disk import as_blocks

ROWS = np.arange(20.0).reshape(10, 2)
NUMBERS = np.arange(10)
LETTERS = np.array(list("abcabcabca"))


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def parts(block):
    labels = block.y
    if hasattr(labels, "codes"):
        labels = labels.values[labels.codes]
    return block.first, block.X, labels, block.weight


def joined(blocks):
    """All rows, after a look at the numbers of the first ones."""
    found = list(blocks.map(parts))
    sizes = [len(rows) for _, rows, _, _ in found]
    assert [first for first, *_ in found] == np.cumsum([0, *sizes[:-1]]).tolist()
    assert all(sizes)
    columns = list(zip(*found, strict=True))[1:]
    return [None if column[0] is None else np.concatenate(column) for column in columns]


def frame(**more):
    table = pd.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1], "label": LETTERS, **more})
    return dd.from_pandas(table, npartitions=3)


def unknown(array):
    """The same array, of which Dask does not know the sizes of the chunks."""
    return array[da.ones(len(array), chunks=array.chunks[0], dtype=bool)]


@pytest.mark.parametrize(
    "chunks",
    [(10, 2), (3, 2), (3, 1), ((4, 0, 5, 1), (1, 1)), ((0, 10), (2,))],
    ids=["one", "even", "split columns", "uneven, empty and split", "empty first"],
)
def test_any_chunks_give_the_rows_in_order(chunks):
    X = da.from_array(ROWS, chunks=chunks)
    blocks = as_blocks(X, da.from_array(NUMBERS, chunks=4), da.from_array(NUMBERS + 1.0, chunks=7))
    assert (blocks.n_rows, blocks.n_columns, blocks.column_names) == (10, 2, None)
    rows, labels, weights = joined(blocks)
    np.testing.assert_array_equal(rows, ROWS)
    np.testing.assert_array_equal(labels, NUMBERS)
    np.testing.assert_array_equal(weights, NUMBERS + 1.0)


@pytest.mark.parametrize("labels", [NUMBERS, LETTERS, NUMBERS.tolist(), NUMBERS[:, None]])
def test_labels_may_be_an_ordinary_array(labels):
    for X in (da.from_array(ROWS, chunks=3), unknown(da.from_array(ROWS, chunks=3)), frame()):
        X = X[["a", "b"]] if hasattr(X, "columns") else X
        rows, found, _ = joined(as_blocks(X, labels))
        np.testing.assert_array_equal(rows, ROWS)
        np.testing.assert_array_equal(found, np.ravel(labels))


def test_chunks_of_unknown_sizes_that_fit_together():
    X, y = da.from_array(ROWS, chunks=4), da.from_array(NUMBERS, chunks=4)
    rows, labels, _ = joined(as_blocks(X[X[:, 0] > 5.0], y[X[:, 0] > 5.0]))
    np.testing.assert_array_equal(rows, ROWS[ROWS[:, 0] > 5.0])
    np.testing.assert_array_equal(labels, NUMBERS[ROWS[:, 0] > 5.0])


@pytest.mark.parametrize("chunks", [5, (3, 3, 4)])
def test_labels_of_known_sizes_are_divided_like_rows_of_unknown_ones(chunks):
    for X in (unknown(da.from_array(ROWS, chunks=4)), frame()[["a", "b"]]):
        rows, labels, _ = joined(as_blocks(X, da.arange(10, chunks=(chunks,))))
        np.testing.assert_array_equal(rows, ROWS)
        np.testing.assert_array_equal(labels, NUMBERS)


def test_a_data_frame_keeps_the_names_of_its_columns():
    table = frame()
    blocks = as_blocks(table[["a", "b"]], table["label"])
    assert blocks.column_names == ["a", "b"]
    rows, labels, _ = joined(blocks)
    np.testing.assert_array_equal(rows, ROWS)
    np.testing.assert_array_equal(labels, LETTERS)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(LETTERS).astype("category"),
        pd.Series(LETTERS).astype(object),
        pd.Series(NUMBERS).astype("Int64"),
        pd.Series(NUMBERS),
        pd.Series(NUMBERS % 2 == 0),
        pd.Series(NUMBERS / 2),
    ],
    ids=lambda column: str(column.dtype),
)
def test_labels_of_any_type_of_column(column):
    table = frame(other=column)
    _, labels, _ = joined(as_blocks(table[["a", "b"]], table["other"]))
    np.testing.assert_array_equal(labels, np.asarray(column))
    _, labels, _ = joined(as_blocks(table[["a", "b"]], table[["other"]]))
    np.testing.assert_array_equal(labels, np.asarray(column))


def test_a_missing_label_is_known_as_missing():
    table = frame(other=pd.Series(["x", None, *"xyxyxyxy"]))
    [first, *_] = as_blocks(table[["a", "b"]], table["other"]).map(lambda block: block.y)
    assert first.codes.tolist() == [0, -1, 0, 1]


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int16, bool])
def test_single_precision_stays_and_the_rest_becomes_double(kind):
    for X in (
        da.from_array(ROWS.astype(kind), chunks=4),
        dd.from_pandas(pd.DataFrame(ROWS.astype(kind)), npartitions=2),
    ):
        kinds = set(as_blocks(X).map(lambda block: block.X.dtype))
        assert kinds == {np.dtype(np.float32 if kind == np.float32 else np.float64)}


def test_missing_numbers_of_pandas_become_nan():
    table = frame(c=pd.array([1.5, None, *range(8)], dtype="Float64"))
    rows, *_ = joined(as_blocks(table[["a", "c"]]))
    assert np.flatnonzero(np.isnan(rows[:, 1])).tolist() == [1]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (da.from_array(ROWS, chunks=4), NUMBERS[:9], "X has 10 rows and y 9"),
        (da.from_array(ROWS, chunks=4), da.arange(9, chunks=4), "X has 10 rows and y 9"),
        (da.from_array(ROWS[:, 0], chunks=4), NUMBERS, "X has 1 axes"),
        (da.from_array(ROWS.astype(str), chunks=4), NUMBERS, "rows of numbers"),
        (da.from_array(ROWS + 1j, chunks=4), NUMBERS, "rows of numbers"),
        (frame(), NUMBERS, "column label of X has the type"),
        (frame()["a"], NUMBERS, "X has 1 axes"),
        (
            frame()[["a", "b"]],
            frame().repartition(npartitions=2)["a"],
            "X has 3 chunks of rows and y 2",
        ),
        (frame()[["a", "b"]], unknown(da.arange(10, chunks=(3, 3, 4))), "rows and that of y"),
        (da.from_array(ROWS, chunks=4), unknown(da.arange(10, chunks=5)), "how many rows are in"),
        (da.ones((0, 2)), NUMBERS[:0], "at least one row"),
    ],
)
def test_what_does_not_fit_together_is_said(X, y, message):
    with pytest.raises(ValueError) as error:
        list(as_blocks(X, y).map(len))
    assert message in str(error.value)


def test_labels_of_different_types_are_refused():
    # Unless asked not to, Dask makes words of such a column before we see it.
    with dask.config.set({"dataframe.convert-string": False}):
        table = frame(other=[1, "x"] * 5)
        with pytest.raises(ValueError, match="labels of different types: int and str"):
            list(as_blocks(table[["a"]], table["other"]).map(len))


def test_labels_of_different_types_in_different_chunks_are_refused(limits):
    X = da.from_array(ROWS / 100, chunks=5)
    y = np.array([1] * 5 + ["a"] * 5, dtype=object)
    for most_rows in (10, 0):  # fitted in memory, and over blocks
        limits(MOST_ROWS=most_rows)
        for labels in (da.from_array(y, chunks=5), y):
            with pytest.raises(ValueError, match="labels of different types: 1 and 'a'"):
                HyperbolicSVC().fit(X, labels)


def chunks_of(*parts):
    """An array that says that each chunk has two columns."""
    return da.concatenate(
        [da.from_delayed(dask.delayed(part), (len(part), 2), dtype=float) for part in parts]
    )


def test_a_chunk_with_other_columns_than_the_metadata_is_refused():
    clf = HyperbolicSVC().fit(ROWS / 100, NUMBERS % 2)
    wide = np.hstack([ROWS, ROWS]) / 100
    for X in (chunks_of(wide[:5], wide[5:]), chunks_of(ROWS[:5] / 100, wide)):
        y = da.from_array(np.arange(len(X)) % 2, chunks=X.chunks[0])
        for call in (lambda X=X, y=y: clf.fit(X, y), clf.predict(X).compute):
            with pytest.raises(ValueError, match=r"chunk . of X has 4 columns, but .* X says 2"):
                call()


def test_a_chunk_with_its_columns_in_another_order_is_refused():
    table = pd.DataFrame(ROWS / 100, columns=["a", "b"])
    X = dd.from_delayed(
        [dask.delayed(table), dask.delayed(table[["b", "a"]])], meta=table[:0], verify_meta=False
    )
    for y in (np.arange(20) % 2, X["a"] > 0.05):
        with pytest.raises(ValueError, match=r"chunk 1 of X has the columns b, a, but .* a, b"):
            HyperbolicSVC().fit(X, y)


def test_rows_are_read_once():
    read = []

    def chunk(number):
        read.append(number)
        return ROWS[5 * number : 5 * number + 5]

    X = da.concatenate(
        [da.from_delayed(dask.delayed(chunk)(k), (5, 2), dtype=float) for k in (0, 1)]
    )
    blocks = as_blocks(X, NUMBERS)
    for _ in range(3):
        assert sum(blocks.map(len)) == 10
    ready = blocks.prepared(parts)
    assert list(ready.map(len)) == [4, 4]
    assert sorted(read) == [0, 1]


def test_large_arguments_arrive_whole():
    X = da.from_array(ROWS, chunks=4)
    large = np.arange(10_000)
    assert list(DaskBlocks(X).map(lambda block, a, b: a.sum() + b, large, 1)) == [49_995_001] * 3


def odd(array):
    """The same array, at an address that is not a multiple of its item size."""
    memory = np.zeros(array.nbytes + 1, dtype=np.uint8)
    moved = memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    assert not moved.flags.aligned
    return moved


def test_blocks_that_moved_to_odd_addresses_are_copied_for_compiled_code():
    moved = DaskBlocks(da.from_array(ROWS, chunks=4)).prepared(lambda block: replace(
        block, X=odd(block.X), weight=odd(block.X[:, 0])
    ))  # fmt: skip
    for first, X, _, weight in moved.map(parts):
        assert X.flags.aligned
        assert weight.flags.aligned
        np.testing.assert_array_equal(X, ROWS[first : first + 4])


@pytest.mark.parametrize("width", [None, 3])
def test_rows_of_a_result_stay_lazy_and_keep_their_chunks(width):
    def scores(block, factor):
        assert len(block)
        total = factor * block.X.sum(axis=1)
        return total if width is None else np.repeat(total[:, None], width, axis=1)

    expected = scores(Block(0, ROWS), 2.0)
    X = da.from_array(ROWS, chunks=((4, 0, 6), (1, 1)))
    for rows, chunks in (
        (lazy_rows(X, scores, 2.0, dtype=float, n_columns=width), (4, 0, 6)),
        (lazy_rows(unknown(X), scores, 2.0, dtype=float, n_columns=width), (np.nan,) * 3),
        (lazy_rows(frame()[["a", "b"]], scores, 2.0, dtype=float, n_columns=width), None),
    ):
        assert isinstance(rows, da.Array)
        assert (rows.dtype, rows.ndim) == (np.float64, 1 if width is None else 2)
        if chunks is not None:
            np.testing.assert_array_equal(rows.chunks[0], chunks)
        np.testing.assert_array_equal(rows.compute(), expected)


def test_a_row_of_a_lazy_result_knows_its_number_or_its_chunk():
    def name(block):
        return np.array([block.name_of_row(row) for row in range(len(block))], dtype="U40")

    X = da.from_array(ROWS, chunks=4)
    assert lazy_rows(X, name, dtype="U40").compute()[5] == "row 5"
    names = lazy_rows(unknown(X), name, dtype="U40").compute()
    assert names[5] == "row 1 (row 1 of chunk 1 of X)"


def test_only_dask_collections_are_taken_for_such():
    assert as_blocks(da.ones((3, 2))) is not None
    assert as_blocks(frame()[["a", "b"]]) is not None
    assert as_blocks(ROWS) is None
    assert as_blocks(pd.DataFrame(ROWS)) is None
