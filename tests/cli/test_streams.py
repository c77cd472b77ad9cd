"""Parquet files that are read part by part give what files that are read whole give."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def large(limits):
    """Read every Parquet file part by part, small as it may be."""
    limits(LEAST_BYTES=0, MOST_ROWS=0)


@pytest.fixture
def table(tmp_path, data):
    X, kinds = data
    file = tmp_path / "points.parquet"
    columns = {"x1": X[:, 0], "x2": X[:, 1], "kind": kinds, "size": np.arange(len(X)) * 1.5}
    parquet.write_table(pa.table(columns), file, row_group_size=17)
    return file


def fit(hyplane, table, *more, output="model.json"):
    outcome = hyplane("fit", table, "--label", "kind", "--points", "x1,x2", "-o", output, *more)
    assert outcome.code == 0, outcome
    return outcome.err.splitlines()


def test_the_model_is_that_of_the_file_read_whole(hyplane, table, request):
    options = ("--readable", "--seed", "0")
    whole = fit(hyplane, table, *options, output="whole.json")
    request.getfixturevalue("large")
    parts = fit(hyplane, table, *options, output="parts.json")
    assert parts[0] == whole[0] == "points: x1, x2 (2-D, ball); label: kind"
    assert parts[1].split("; ")[1] == whole[1].split("; ")[1]
    assert "fitted 60 points of 3 classes" in parts[1]
    first, second = (json.loads(Path(name).read_text()) for name in ("whole.json", "parts.json"))
    assert first.keys() == second.keys()
    assert first["point_columns"] == second["point_columns"] == ["x1", "x2"]


def test_a_folder_of_files_is_one_table(hyplane, table, tmp_path, request):
    whole = parquet.read_table(table)
    (tmp_path / "parts").mkdir()
    parquet.write_table(whole[:25], tmp_path / "parts" / "0.parquet")
    # The second as pandas 3 and polars write text.
    kinds = whole["kind"].cast(pa.large_string())
    whole = whole.set_column(whole.column_names.index("kind"), "kind", kinds)
    parquet.write_table(whole[25:], tmp_path / "parts" / "1.parquet")
    for files in ("parts", "parts/1.parquet", "parts"):
        assert "of 3 classes" in fit(hyplane, tmp_path / files)[1]
        request.getfixturevalue("large")
    assert "fitted 60 points of 3 classes" in fit(hyplane, tmp_path / "parts")[1]


@pytest.mark.parametrize("labels", [[[0], [1]], [{"a": 0}, {"a": 1}]], ids=["lists", "structs"])
def test_labels_that_are_lists_are_named(hyplane, tmp_path, labels, request):
    columns = {"x1": [0.1, 0.2], "x2": [0.1, 0.3], "kind": labels}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    for message in ("column 'kind': .* is no label; labels are", "column 'kind' has the type"):
        outcome = hyplane("fit", tmp_path / "a.parquet", "--label", "kind", "-o", "model.json")
        assert outcome.code == 1
        assert re.search(message, outcome.err), outcome
        request.getfixturevalue("large")


@pytest.mark.parametrize("keep", [False, True])
def test_predictions_are_those_of_the_file_read_whole(hyplane, table, request, keep):
    fit(hyplane, table)
    options = ["--scores", "--distance", *(["--keep"] if keep else [])]
    hyplane("predict", "model.json", table, *options, "-o", "whole.parquet")
    request.getfixturevalue("large")
    outcome = hyplane("predict", "model.json", table, *options, "-o", "parts.parquet")
    assert outcome.err.splitlines()[-1] == "wrote 60 predictions to parts.parquet"
    first, second = (parquet.read_table(f"{name}.parquet") for name in ("whole", "parts"))
    assert first.column_names == second.column_names
    assert first.to_pydict() == second.to_pydict()


def test_cross_validation_and_probabilities(hyplane, table, large):
    lines = fit(hyplane, table, "--cv", "--folds", "3")
    assert lines[2].startswith("chosen C: ")
    assert hyplane("predict", "model.json", table, "--proba", "-o", "out.parquet").code == 0
    stored = parquet.read_table("out.parquet")
    names = [f"proba_{kind}" for kind in ("ant", "bee", "cat")]
    assert stored.column_names == ["predicted", *names]
    np.testing.assert_allclose(sum(stored[name].to_numpy() for name in names), 1.0)


def test_labels_go_to_an_array(hyplane, table, large):
    fit(hyplane, table)
    assert hyplane("predict", "model.json", table, "-o", "labels.npy").code == 0
    assert np.load("labels.npy").shape == (60,)


def test_points_in_another_chart_are_converted(hyplane, table, large, data):
    fit(hyplane, table)
    hyplane("predict", "model.json", table, "-o", "ball.parquet")
    klein = 2 * data[0] / (1 + (data[0] ** 2).sum(axis=1, keepdims=True))
    parquet.write_table(pa.table({"x1": klein[:, 0], "x2": klein[:, 1]}), "klein.parquet")
    hyplane("predict", "model.json", "klein.parquet", "--coordinates", "klein", "-o", "k.parquet")
    assert parquet.read_table("k.parquet").equals(parquet.read_table("ball.parquet"))


def test_whole_numbers_stay_whole(hyplane, table, large, data):
    columns = {"x1": data[0][:, 0], "x2": data[0][:, 1], "kind": (data[1] == "ant") * 1.0}
    parquet.write_table(pa.table(columns), "numbers.parquet")
    fit(hyplane, "numbers.parquet")
    hyplane("predict", "model.json", "numbers.parquet", "-o", "out.parquet")
    assert set(parquet.read_table("out.parquet")["predicted"].to_pylist()) <= {0, 1}
    assert parquet.read_table("out.parquet").schema.field("predicted").type == pa.int64()


class TestErrors:
    """They name the row among all rows, and leave no file."""

    def damage(self, table, row, **values):
        columns = parquet.read_table(table).to_pydict()
        for name, value in values.items():
            columns[name][row] = value
        parquet.write_table(pa.table(columns), table, row_group_size=17)

    def test_a_row_that_is_no_point(self, fails, table, large, tmp_path):
        self.damage(table, 47, x1=3.0)
        message = fails("fit", table, "--label", "kind", "--points", "x1,x2", "-o", "m.json")
        assert "points.parquet, row 47 (the first is 0): the point in x1, x2 is not in" in message
        assert not (tmp_path / "m.json").exists()

    def test_a_row_to_predict(self, hyplane, fails, table, large, tmp_path):
        fit(hyplane, table)
        self.damage(table, 47, x1=3.0)
        message = fails("predict", "model.json", table, "-o", "out.parquet")
        assert "points.parquet, row 47 (the first is 0): the point in x1, x2 is not in" in message
        assert not (tmp_path / "out.parquet").exists()

    def test_a_label_that_is_missing(self, fails, table, large):
        self.damage(table, 31, kind=None)
        message = fails("fit", table, "--label", "kind", "--points", "x1,x2", "-o", "m.json")
        assert "points.parquet: row 31 has no label" in message

    def test_several_columns_of_labels(self, fails, table, large):
        message = fails(
            "fit", table, "--label", "kind,size", "--points", "x1,x2", "-o", "model.json"
        )
        assert "needs one column of labels" in message

    def test_a_folder_without_tables(self, fails, tmp_path):
        (tmp_path / "empty").mkdir()
        assert "this is a folder without Parquet files" in fails(
            "fit", "empty", "--label", "a", "-o", "m.json"
        )
