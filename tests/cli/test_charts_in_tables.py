"""Tables say their chart and curvature; what does not fit is refused."""

import csv
import io
import json
import warnings

import numpy as np
import pytest

from hyplane.cli.tables import Space, space_in_name

try:
    import pyarrow
except ImportError:
    pyarrow = None
needs_pyarrow = pytest.mark.skipif(pyarrow is None, reason="pyarrow is not installed")
# A matrix in an NPY file has no place for names.
saying = pytest.mark.parametrize(
    "format",
    [
        pytest.param(name, marks=needs_pyarrow if name == "parquet" else ())
        for name in ("csv", "tsv", "parquet", "npz", "mat")
    ],
)
CHARTS = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")


def predicted(text):
    return [row["predicted"] for row in csv.DictReader(io.StringIO(text))]


@pytest.fixture
def model(hyplane, points):
    assert hyplane("fit", points, "--label", "kind", "-o", "m.json").code == 0
    return "m.json"


@pytest.mark.parametrize(
    ("chart", "format"),
    [
        *((chart, "csv") for chart in CHARTS),
        ("klein", "tsv"),
        pytest.param("polar", "parquet", marks=needs_pyarrow),
        ("hyperboloid", "npz"),
        ("halfspace", "mat"),
    ],
)
def test_a_chart_goes_with_the_table_and_need_not_be_named(
    hyplane, points, model, format, chart, tmp_path
):
    file = tmp_path / f"t.{format}"
    assert hyplane("convert", points, "--label", "kind", "--to", chart, "-o", file).code == 0
    outcome = hyplane("fit", file, "--label", "kind", "-o", "other.json")
    assert outcome.code == 0, outcome.err
    assert f"(2-D, {chart}); label: kind" in outcome.err
    found = predicted(hyplane("predict", "other.json", file).out)
    assert found == predicted(hyplane("predict", model, points).out)


@saying
def test_points_of_another_chart_are_refused_or_converted(
    hyplane, fails, points, model, format, tmp_path
):
    file = tmp_path / f"t.{format}"
    hyplane("convert", points, "--label", "kind", "--to", "klein", "-o", file)
    line = fails("predict", model, file)
    assert line == (
        f"{file} says that its points are in the chart klein, and m.json was fitted on the chart "
        "ball. Add --coordinates klein to have them converted"
    )
    assert "in the chart klein" in fails("score", model, file)
    outcome = hyplane("predict", model, file, "--coordinates", "klein")
    assert outcome.err == "points: klein_x1, klein_x2 (2-D, klein, converted to ball)\n"
    assert predicted(outcome.out) == predicted(hyplane("predict", model, points).out)


@saying
def test_a_curvature_goes_with_the_table(hyplane, fails, model, format, tmp_path):
    file = tmp_path / f"t.{format}"
    hyplane("generate", "gaussians", "--points", "40", "--curvature", "-0.25", "-o", file)
    outcome = hyplane("fit", file, "--label", "label", "-o", "other.json")
    assert "(2-D, ball of curvature -0.25); label: label" in outcome.err
    assert json.loads((tmp_path / "other.json").read_text())["model"]["parameters"][
        "curvature"
    ] == -0.25  # fmt: skip
    assert "these are different spaces" in fails("predict", model, file)
    line = fails("fit", file, "--label", "label", "--curvature", "-1", "-o", "m2.json")
    assert "in the chart ball of curvature -0.25; --curvature -1 does not fit" in line


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "--label", "label", "-o", "x.json"),
        ("evaluate", "--label", "label"),
        ("plot", "--label", "label", "-o", "p.png"),
        ("explore", "--label", "label", "-o", "p.html"),
    ],
)
def test_an_option_that_contradicts_the_table_is_refused(hyplane, fails, command):
    hyplane("generate", "gaussians", "--coordinates", "klein", "-o", "k.csv")
    name, *rest = command
    line = fails(name, "k.csv", *rest, "--coordinates", "ball")
    assert "k.csv says that its points are in the chart klein; --coordinates ball" in line


def test_convert_too_refuses_what_contradicts_the_table(hyplane, fails):
    hyplane("generate", "gaussians", "--coordinates", "klein", "-o", "k.csv")
    line = fails("convert", "k.csv", "--from", "ball", "--to", "polar")
    assert "--from ball does not fit" in line


def test_old_tables_and_old_models_still_go_together(hyplane, points, model, data):
    """A model of x1, x2 takes a table of ball_x1, ball_x2, and the other way round."""
    wanted = predicted(hyplane("predict", model, points).out)
    hyplane("convert", points, "--label", "kind", "-o", "new.csv")
    assert predicted(hyplane("predict", model, "new.csv").out) == wanted
    hyplane("fit", "new.csv", "--label", "kind", "-o", "new.json")
    assert predicted(hyplane("predict", "new.json", points).out) == wanted
    np.save("bare.npy", data[0])
    assert predicted(hyplane("predict", "new.json", "bare.npy").out) == wanted


def test_plain_names_stand_for_those_with_a_chart(hyplane, points):
    hyplane("convert", points, "--label", "kind", "-o", "new.csv")
    outcome = hyplane("fit", "new.csv", "--label", "kind", "--points", "x1,x2", "-o", "m.json")
    assert outcome.err.startswith("points: ball_x1, ball_x2 (2-D, ball); label: kind\n")


def test_points_in_two_charts_are_not_guessed(hyplane, fails):
    text = "ball_x1,ball_x2,klein_x1,klein_x2,label\n" + "0.1,0.2,0.3,0.4,a\n0.1,0.3,0.2,0.1,b\n"
    args = ("fit", "-", "--label", "label", "-o", "m.json")
    assert "has points in two charts, ball (" in fails(*args, stdin=text)
    assert "are of different charts" in fails(*args, "--points", "ball_x1,klein_x2", stdin=text)
    outcome = hyplane(*args, "--points", "klein_x1,klein_x2", stdin=text)
    assert "(2-D, klein)" in outcome.err


def test_a_matrix_that_cannot_say_its_chart_is_written_with_a_warning(hyplane):
    made = ("generate", "gaussians", "--points", "9", "-o", "k.npy")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert hyplane(*made).err == "wrote 9 points to k.npy\n"
        outcome = hyplane(*made, "--coordinates", "klein")
    assert outcome.err.startswith(
        "hyplane: warning: a matrix in an NPY file does not say that its points are in the chart "
        "klein; name it when the file is read"
    )


def test_an_archive_of_ones_own_can_say_its_chart(hyplane, fails, data):
    np.savez("t.npz", X=data[0], y=data[1], coordinates="Poincaré ball")
    assert "(2-D, ball)" in hyplane("fit", "t.npz", "--label", "y", "-o", "m.json").err
    np.savez("t.npz", X=data[0], y=data[1], coordinates="klein", curvature=-1)
    outcome = hyplane("fit", "t.npz", "--label", "y", "-o", "m.json")
    assert outcome.err.startswith("points: klein_x1, klein_x2 (2-D, klein); label: y\n")
    np.savez("t.npz", X=data[0], y=data[1], coordinates="sphere")
    assert "coordinates must be one of ball" in fails(
        "fit", "t.npz", "--label", "y", "-o", "m.json"
    )


def test_what_is_kept_beside_predictions_keeps_its_chart(hyplane, points):
    hyplane("convert", points, "--label", "kind", "--to", "klein", "-o", "k.npz")
    hyplane("fit", "k.npz", "--label", "kind", "-o", "m.json")
    hyplane("predict", "m.json", "k.npz", "--keep", "-o", "kept.npz")
    assert "(2-D, klein)" in hyplane("info", "kept.npz").out
    assert hyplane("predict", "m.json", "kept.npz").code == 0


def test_names_are_read_back_exactly():
    for curvature in (-1.0, -0.1, -1e-7, -3.0, -1 / 3):
        for chart in CHARTS:
            for name in Space(chart, curvature).column_names(4):
                assert space_in_name(name) == Space(chart, curvature)
    for name in ("x1", "ball", "ball_x", "klein_curvature1_x1", "ball_curvature-1.2.3_x1", "my_r"):
        assert space_in_name(name) is None
