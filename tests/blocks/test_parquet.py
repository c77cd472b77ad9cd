"""Columns of Parquet files: types, nulls, files that cannot be read."""

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from hyplane.blocks import DiskBlocks, EncodedLabels, ParquetTable  # noqa: E402


def write(path, **columns):
    parquet.write_table(pa.table(columns), path)
    return ParquetTable(path)


def one(blocks):
    [block] = blocks.map(_itself)
    return block


def _itself(block):
    return block


def test_names_and_sizes_are_known_without_reading(table):
    assert table.names == ["x1", "x2", "label", "weight"]
    assert len(table) == table.n_rows == 8000
    assert table["label"].shape == (8000,)
    assert table[["x1", "x2"]].shape == (8000, 2)


def test_columns_can_be_read_whole(rows, table):
    np.testing.assert_array_equal(table[["x1", "x2"]].to_numpy(), rows[0])
    np.testing.assert_array_equal(table["label"].to_numpy(), rows[1])


def test_single_precision_stays_single(tmp_path):
    single = pa.array([0.5], pa.float32())
    table = write(tmp_path / "a.parquet", a=single, b=single, c=[1])
    assert one(DiskBlocks(table[["a", "b"]])).X.dtype == np.float32
    assert one(DiskBlocks(table[["a", "c"]])).X.dtype == np.float64


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", "a"], ["b", "a"]),
        ([3, 1], [3, 1]),
        ([True, False], [True, False]),
        (pa.array(["b", "a"]).dictionary_encode(), ["b", "a"]),
        ([2.0, 1.0], [2.0, 1.0]),
    ],
)
def test_labels_of_any_type(tmp_path, labels, expected):
    y = one(DiskBlocks(*_of(write(tmp_path / "a.parquet", x=[0.1, 0.2], label=labels)))).y
    y = y.values[y.codes] if isinstance(y, EncodedLabels) else y
    assert y.tolist() == expected


def _of(table):
    return table[["x"]], table["label"]


def test_a_null_label_has_no_code(tmp_path):
    y = one(DiskBlocks(*_of(write(tmp_path / "a.parquet", x=[0.1, 0.2], label=["a", None])))).y
    assert y.codes.tolist() == [0, -1]


def test_text_is_no_coordinate(tmp_path):
    table = write(tmp_path / "a.parquet", x=["0.1", "0.2"], label=[0, 1])
    with pytest.raises(ValueError, match="column 'x' has the type string; a coordinate is a num"):
        one(DiskBlocks(*_of(table)))


def test_a_column_that_is_not_there(table):
    with pytest.raises(KeyError, match="no column 'x3'; there are x1, x2, label, weight"):
        table["x3"]


def test_what_is_no_table(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        ParquetTable(tmp_path / "nothing.parquet")
    (tmp_path / "text.parquet").write_text("no table")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        ParquetTable(tmp_path / "text.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no files whose names end in"):
        ParquetTable(tmp_path / "empty")


def test_files_of_different_types_are_refused(tmp_path):
    write(tmp_path / "a.parquet", x=[0.1], label=["a"])
    write(tmp_path / "b.parquet", x=[0.1], label=[1])
    table = ParquetTable(tmp_path)
    with pytest.raises(ValueError, match=r"b\.parquet.*'label'.*int64.*string"):
        list(DiskBlocks(*_of(table)).map(_itself))
