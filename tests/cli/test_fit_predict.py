import csv
import io
import json

import numpy as np
import pytest

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import convert
from hyplane.persistence import load_model


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_then_predict_is_what_the_library_does(hyplane, points, data):
    outcome = hyplane("fit", points, "--label", "kind", "-o", "model.json")
    assert (outcome.code, outcome.out) == (0, "")
    assert "fitted 60 points of 3 classes" in outcome.err
    assert "wrote model.json" in outcome.err
    wanted = HyperbolicSVC(random_state=0).fit(*data).predict(data[0])
    found = rows_of(hyplane("predict", "model.json", points).out)
    assert [row["predicted"] for row in found] == wanted.tolist()


def test_cv_gives_probabilities_and_says_which_c(hyplane, points, data):
    outcome = hyplane(
        "fit", points, "--label", "kind", "--cv", "--grid", "0.1,2", "--folds", "3", "-o", "m.json"
    )
    assert "chosen C: " in outcome.err
    model = HyperbolicSVCCV((0.1, 2.0), cv=3, random_state=0).fit(*data)
    rows = rows_of(hyplane("predict", "m.json", points, "--proba").out)
    assert list(rows[0]) == ["predicted", "proba_ant", "proba_bee", "proba_cat"]
    found = [[float(row[f"proba_{name}"]) for name in model.classes_] for row in rows]
    assert (np.array(found) == model.predict_proba(data[0])).all()


def test_scores_and_distances_are_exact_and_keep_keeps_the_table(hyplane, points, data):
    hyplane("fit", points, "--label", "kind", "-o", "m.json")
    rows = rows_of(hyplane("predict", "m.json", points, "--scores", "--distance", "--keep").out)
    model = load_model("m.json")
    assert list(rows[0])[:4] == ["x1", "x2", "kind", "predicted"]
    assert float(rows[5]["score_bee"]) == model.decision_function(data[0])[5, 1]
    assert float(rows[5]["distance_cat"]) == model.signed_distance(data[0])[5, 2]


def test_pairs_of_classes_name_their_distances(hyplane, points):
    hyplane("fit", points, "--label", "kind", "--one-vs-one", "-o", "m.json")
    rows = rows_of(hyplane("predict", "m.json", points, "--scores", "--distance").out)
    pairs = ("ant_bee", "ant_cat", "bee_cat")
    assert [name for name in rows[0] if "distance" in name] == [f"distance_{p}" for p in pairs]
    assert "score_cat" in rows[0]


@pytest.mark.parametrize("cv", [(), ("--cv",)], ids=["one C", "cv"])
def test_pairs_of_classes_keep_the_method(hyplane, points, cv):
    settings = ("--method", "hyperbolic-ours", "--one-vs-one", *cv, "-o", "m.json")
    assert hyplane("fit", points, "--label", "kind", *settings).code == 0
    model = load_model("m.json")
    assert (model.multi_class, model.bound) == ("ovo", "horosphere")


@pytest.mark.parametrize(
    "method",
    ["euclidean", "kernel-secant", "kernel-laplacian", "klein", "ambient", "logistic"],
)
def test_other_methods_fit_and_predict(hyplane, points, method):
    assert hyplane("fit", points, "--label", "kind", "--method", method, "-o", "m.json").code == 0
    rows = rows_of(hyplane("predict", "m.json", points, "--scores").out)
    assert {row["predicted"] for row in rows} == {"ant", "bee", "cat"}


def test_rbf_takes_gamma(hyplane, points):
    assert hyplane(
        "fit", points, "--label", "kind", "--method", "rbf", "--gamma", "2", "-o", "m.json"
    ).code == 0  # fmt: skip
    assert load_model("m.json")[-1].gamma == 2.0


def test_a_hard_margin_of_classes_that_overlap_is_one_line(fails, points):
    assert "finite C" in fails("fit", points, "--label", "kind", "-C", "inf", "-o", "m.json")


def test_other_charts_and_curvatures_classify_alike(hyplane, tmp_path, data):
    predictions = []
    for chart in ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"):
        X = convert(data[0] / 2, "ball", chart, curvature=-4.0)
        np.savez("t.npz", X=X, y=data[1])
        args = ("--coordinates", chart, "--curvature", "-4")
        assert hyplane("fit", "t.npz", "--label", "y", *args, "-o", "m.json").code == 0
        predictions.append(hyplane("predict", "m.json", "t.npz").out)
    assert len(set(predictions)) == 1


def test_several_labels_a_point(hyplane, tmp_path):
    hyplane("generate", "network", "--nodes", "100", "--labels", "3", "-o", "n.csv")
    labels = [f"label{number}" for number in (1, 2, 3)]
    assert hyplane("fit", "n.csv", "--label", ",".join(labels), "--cv", "-o", "m.json").code == 0
    rows = rows_of(hyplane("predict", "m.json", "n.csv", "--proba").out)
    assert list(rows[0])[:4] == [*(f"predicted_{label}" for label in labels), "proba_label1"]


def test_standard_input_and_output_make_a_pipeline(hyplane, points):
    text = points.read_text()
    model = hyplane("fit", "-", "--label", "kind", "-o", "-", stdin=text)
    assert json.loads(model.out)["format"] == "hyplane model"
    (points.parent / "m.json").write_text(model.out)
    from_file = hyplane("predict", "m.json", points).out
    assert hyplane("predict", "m.json", "-", stdin=text).out == from_file


def test_columns_are_found_by_name_in_any_order(hyplane, points, data):
    hyplane("fit", points, "--label", "kind", "-o", "m.json")
    wanted = hyplane("predict", "m.json", points).out
    X = data[0].tolist()
    other = "\n".join(["note,x2,x1", *(f"hello,{b!r},{a!r}" for a, b in X)])
    assert hyplane("predict", "m.json", "-", stdin=other).out == wanted


def test_a_table_without_names_is_read_by_position(hyplane, points, data):
    hyplane("fit", points, "--label", "kind", "-o", "m.json")
    np.save("new.npy", data[0])
    assert hyplane("predict", "m.json", "new.npy").out == hyplane("predict", "m.json", points).out


def test_whole_numbers_come_back_as_they_were(hyplane):
    X, y = make_hyperbolic_gaussians(30, n_classes=2, random_state=0)[:2]
    lines = [f"{a!r},{b!r},{label + 7}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    text = "\n".join(["a,b,c", *lines])
    (outcome := hyplane("fit", "-", "--label", "c", "-o", "m.json", stdin=text))
    assert outcome.code == 0
    assert load_model("m.json").classes_.tolist() == [7, 8]


FIT = ("fit", "-", "--label", "kind", "-o", "m.json")
HEADER = "x1,x2,kind\n0.1,0.2,a\n"


class TestRefusals:
    """Faults of single cells are in test_exact_text and test_simple_text."""

    @pytest.mark.parametrize(
        ("text", "more", "words"),
        [
            (HEADER, ("--label", "kinds"), "no column 'kinds'; its columns are x1, x2, kind. Did"),
            (HEADER, ("--points", "x1,x3"), "no column 'x3'"),
            (f"{HEADER}0.1,0.3,a\n", (), "one class only in the column 'kind', 'a'"),
            ("", (), "standard input is empty"),
            ("\n\n", (), "standard input is empty"),
            ("x1,x2,kind\n", (), "standard input has no rows"),
            ("kind,b\n0,1\n1,0\n", ("--label", "b"), "no columns for the points"),
            ("x1,kind,b\n0.1,0,1\n0.2,2,0\n", ("--label", "b"), "line 3, column 'kind': 2 is nei"),
        ],
    )
    def test_tables_that_cannot_be_fitted(self, fails, text, more, words):
        assert words in fails(*FIT, *more, stdin=text)

    @pytest.mark.parametrize(
        ("rows", "words"),
        [
            ([[0.1, 0.2, 1], [0.8, 0.9, 2]], "a.npy, row 1 (the first is 0): the point in 1, 2"),
            ([[0.1, 0.2, 1.5], [0.1, 0.3, 2]], "1.5 is no label"),
        ],
    )
    def test_arrays_that_cannot_be_fitted(self, fails, rows, words):
        np.save("a.npy", rows)
        assert words in fails("fit", "a.npy", "--label", "3", "-o", "m.json")

    def test_outputs_are_checked_before_the_table_is_read(self, fails, points, tmp_path):
        (tmp_path / "folder.json").mkdir()
        args = ("fit", "no.csv", "--label", "kind", "-o")
        assert fails(*args, "nowhere/m.json") == "nowhere: the folder does not exist"
        assert "points.csv" in fails(*args, "points.csv/m.json")
        assert "folder" in fails(*args, "folder.json")
        assert fails(*args, "m.json") == "no.csv: no such file or directory"
        assert "--output" in fails(*args[:-1], code=2)
        assert "otherwise give --format" in fails("fit", "a.xyz", *FIT[2:])

    @pytest.mark.parametrize(
        "settings",
        [
            ("-C", "0"),
            ("-C", "nan"),
            ("-C", "many"),
            ("--curvature", "1"),
            ("--curvature", "nan"),
            ("--curvature", "-inf"),
            ("--coordinates", "sphere"),
            ("--cv", "-C", "1"),
            ("--cv", "--grid", "1,-1"),
            ("--cv", "--folds", "1"),
            ("--folds", "3"),
            ("--gamma", "1"),
            ("--method", "tree"),
            ("--method", "rbf", "--one-vs-one"),
            ("--method", "rbf", "-C", "inf"),
            ("--seed", "-1"),
            ("--jobs", "0"),
            ("--no-such-option",),
        ],
    )
    def test_settings_are_checked_before_the_table_is_read(self, fails, settings):
        line = fails("fit", "no.csv", "--label", "kind", "-o", "m.json", *settings, code=2)
        assert line.endswith("See 'hyplane fit --help'.")
        assert "no.csv" not in line

    def test_models_that_do_not_fit(self, hyplane, fails, points, tmp_path):
        assert fails("predict", points, points) == f"{points} is not a hyplane model file"
        assert "no such file" in fails("predict", "no.json", points)
        hyplane("fit", points, "--label", "kind", "--method", "rbf", "-o", "m.json")
        assert "no distances" in fails("predict", "m.json", points, "--distance")
        hyplane("fit", points, "--label", "kind", "-o", "m.json")
        assert "no probabilities" in fails("predict", "m.json", points, "--proba")
        line = fails("predict", "m.json", "-", stdin="a,b\n0.1,0.2\n")
        assert "no column 'x1', which m.json was fitted on" in line
        np.save("a.npy", [[0.1, 0.2, 0.3]])
        assert "dimension 3 and m.json was fitted on dimension 2" in fails(
            "predict", "m.json", "a.npy"
        )
        (tmp_path / "m.json").write_text((tmp_path / "m.json").read_text()[:700])
        assert "cut off or damaged" in fails("predict", "m.json", points)

    def test_debug_shows_the_traceback(self, hyplane):
        outcome = hyplane("fit", "no.csv", "--label", "kind", "-o", "m.json", "--debug")
        assert "Traceback" in outcome.err
        assert outcome.err.splitlines()[-1].startswith("hyplane: error: no.csv")
