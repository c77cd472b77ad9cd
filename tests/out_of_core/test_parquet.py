"""Columns of Parquet files: types, nulls, files that change or cannot be read."""

import os

import numpy as np
import pytest
from helpers import count_passes

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from hyplane import HyperbolicSVC, predict_to_file  # noqa: E402
from hyplane.out_of_core import DiskBlocks, ParquetTable  # noqa: E402


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
        (pa.array(["b", "a"], pa.large_string()), ["b", "a"]),  # as pandas 3 and polars write
        (pa.array(["b", "a"], pa.large_string()).dictionary_encode(), ["b", "a"]),
        (pa.array(["b", "a"], pa.string_view()), ["b", "a"]),
        ([2.0, 1.0], [2.0, 1.0]),
    ],
)
def test_labels_of_any_type(tmp_path, labels, expected):
    y = one(DiskBlocks(*_of(write(tmp_path / "a.parquet", x=[0.1, 0.2], label=labels)))).y
    y = y.values[y.codes] if hasattr(y, "codes") else y
    assert y.tolist() == expected


def _of(table, columns=("x",)):
    return table[list(columns)], table["label"]


def test_a_null_label_has_no_code_and_is_named_when_a_column_is_read_whole(tmp_path):
    table = write(tmp_path / "a.parquet", x=[0.1, 0.2], label=["a", None])
    assert one(DiskBlocks(*_of(table))).y.codes.tolist() == [0, -1]
    with pytest.raises(ValueError, match=r"row 1 of .*a\.parquet has no label"):
        table["label"].to_numpy()


def test_text_is_no_coordinate_no_weight_and_no_indicator(tmp_path):
    table = write(tmp_path / "a.parquet", x=[0.1, 0.2], label=[0, 1], w=["1", "0"])
    clf = HyperbolicSVC()
    for fit, word in (
        (lambda: clf.fit(table[["w"]], table["label"]), "a coordinate is a num"),
        (lambda: clf.fit(*_of(table), table["w"]), "a weight is a number"),
        (lambda: clf.fit(table[["x"]], table[["label", "w"]]), "an indicator is a num"),
    ):
        with pytest.raises(ValueError, match=f"column 'w' has the type string; {word}"):
            fit()


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([[0], [1]], "list"),
        ([{"a": 0}, {"a": 1}], "struct"),
        (np.array([0, 1], "datetime64[s]"), "timestamp"),
    ],
)
def test_labels_are_numbers_text_or_booleans(tmp_path, labels, kind):
    table = write(tmp_path / "a.parquet", x=[0.1, 0.2], label=labels)
    for read in (lambda: HyperbolicSVC().fit(*_of(table)), table["label"].to_numpy):
        with pytest.raises(ValueError, match=f"column 'label' has the type {kind}.*; labels are"):
            read()


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


def test_files_may_store_text_in_different_ways(tmp_path):
    for name, kind in {"a": pa.string(), "b": pa.large_string()}.items():
        write(tmp_path / f"{name}.parquet", x=[0.1, 0.2], label=pa.array(["u", "v"], kind))
    write(tmp_path / "c.parquet", x=[0.1], label=pa.array(["w"]).dictionary_encode())
    table = ParquetTable(tmp_path)
    assert HyperbolicSVC().fit(table[["x"]], table["label"]).classes_.tolist() == ["u", "v", "w"]


class TestChanges:
    """A file that changes after its table was made is an error, not another model."""

    @pytest.fixture
    def file(self, rows, tmp_path):
        """Return a file of long ago, so that each change of it has another time."""
        path = tmp_path / "a.parquet"
        self.store(path, *rows[:2])
        os.utime(path, (1.0, 1.0))
        return path

    @staticmethod
    def store(path, X, y):
        parquet.write_table(pa.table({"x1": X[:, 0], "x2": X[:, 1], "label": y}), path)

    @pytest.fixture(params=["fewer rows", "other labels", "truncated", "removed"])
    def change(self, request, rows, file):
        X, y, _ = rows
        whole = file.read_bytes()
        return {
            "fewer rows": lambda: self.store(file, X[:300], y[:300]),
            "other labels": lambda: self.store(file, X, np.roll(y, 1)),
            "truncated": lambda: file.write_bytes(whole[: len(whole) // 2]),
            "removed": file.unlink,
        }[request.param]

    @pytest.mark.usefixtures("large")
    def test_between_two_passes_of_a_fit(self, file, change):
        blocks = DiskBlocks(*_of(ParquetTable(file), ["x1", "x2"]))
        count_passes(blocks, lambda number: number == 2 and change())
        with pytest.raises(ValueError, match=r"a\.parquet was changed after it was first read"):
            HyperbolicSVC(random_state=0).fit(blocks, None)
        assert len(blocks.passes) == 2

    def test_before_a_prediction(self, rows, file, change, tmp_path):
        clf = HyperbolicSVC(random_state=0).fit(*rows[:2])
        points = ParquetTable(file)[["x1", "x2"]]
        change()
        for read in (
            lambda: clf.predict(points),
            lambda: predict_to_file(clf, points, tmp_path / "labels.npy"),
            points.to_numpy,
            lambda: list(points.table.parts()),
        ):
            with pytest.raises(ValueError, match=r"a\.parquet was changed"):
                read()
        assert not (tmp_path / "labels.npy").exists()

    def test_while_a_file_is_read(self, file, change):
        parts = ParquetTable(file).parts(rows=100)
        next(parts)
        change()
        with pytest.raises(ValueError, match=r"a\.parquet was changed"):
            list(parts)

    def test_a_file_that_is_broken_and_did_not_change(self, file):
        content = bytearray(file.read_bytes())
        content[4:100] = bytes(96)
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.parquet cannot be read as Parquet"):
            ParquetTable(file)["x1"].to_numpy()
