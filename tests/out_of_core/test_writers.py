"""Columns are written part by part, and a file appears whole or not at all."""

import numpy as np
import pytest

from hyplane.out_of_core.writers import write_columns

PARTS = ({"a": np.array([1.5, 2.0])}, {"a": np.array([3.0])})


def test_an_npy_file_can_be_read_as_a_memory_map(tmp_path):
    write_columns(tmp_path / "a.npy", iter(PARTS), 3)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy", mmap_mode="r"), [1.5, 2.0, 3.0])


def test_several_columns_of_one_type(tmp_path):
    write_columns(tmp_path / "a.npy", [{"a": np.arange(3), "b": np.ones(3, int)}], 3)
    assert np.load(tmp_path / "a.npy").tolist() == [[0, 1], [1, 1], [2, 1]]


def test_columns_of_several_types_need_parquet(tmp_path):
    with pytest.raises(ValueError, match=r"write .parquet"):
        write_columns(tmp_path / "a.npy", [{"a": np.arange(3), "b": np.ones(3)}], 3)
    assert not list(tmp_path.iterdir())


def test_a_parquet_file_keeps_the_type_of_each_column(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    parts = [
        {"a": np.array([1, 2]), "w": np.array(["x", "y"])},
        {"a": np.array([3]), "w": np.array(["z"])},
    ]
    write_columns(tmp_path / "a.parquet", parts, 3)
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.to_pydict() == {"a": [1, 2, 3], "w": ["x", "y", "z"]}


def test_an_error_leaves_no_file(tmp_path):
    def failing():
        yield PARTS[0]
        raise RuntimeError("stop")

    for name in ("a.npy", "a.parquet"):
        with pytest.raises(RuntimeError, match="stop"):
            write_columns(tmp_path / name, failing(), 3)
    assert not list(tmp_path.iterdir())


def test_other_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must end in .parquet, .pq or .npy"):
        write_columns(tmp_path / "a.csv", PARTS, 3)
