import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, precision_score

from hyplane.evaluation import score_predictions
from hyplane.persistence import load_model


class TestScore:
    @pytest.fixture
    def model(self, hyplane, points):
        hyplane("fit", points, "--label", "kind", "-o", "m.json")
        return "m.json"

    def test_the_numbers_are_those_of_the_library(self, hyplane, points, model, data):
        found = json.loads(hyplane("score", model, points, "--json").out)
        clf, (X, y) = load_model(model), data
        predicted = clf.predict(X)
        wanted = score_predictions(y, clf.decision_function(X), predicted, clf.classes_)
        assert found["scores"] == pytest.approx(wanted, abs=0)
        assert found["scores"]["accuracy"] == accuracy_score(y, predicted)
        assert [each["class"] for each in found["classes"]] == ["ant", "bee", "cat"]
        precision = precision_score(y, predicted, average=None)
        assert [each["precision"] for each in found["classes"]] == precision.tolist()
        assert sum(each["n_points"] for each in found["classes"]) == len(y)

    def test_the_table_is_aligned(self, hyplane, points, model):
        outcome = hyplane("score", model, points)
        assert outcome.err == "points: x1, x2 (2-D, ball); label: kind\n"
        lines = outcome.out.splitlines()
        assert lines[0] == f"{points}: 60 points of 3 classes, m.json"
        assert lines[2].startswith("accuracy                 0.")
        assert len({len(line) for line in lines[6:]}) == 1

    @pytest.mark.parametrize("method", ["neighbors", "rbf", "euclidean"])
    def test_every_kind_of_classifier(self, hyplane, points, method):
        hyplane("fit", points, "--label", "kind", "--method", method, "-o", "m.json")
        assert hyplane("score", "m.json", points).code == 0

    def test_two_classes(self, hyplane):
        hyplane("generate", "gaussians", "--classes", "2", "--points", "80", "-o", "t.csv")
        for extra in ((), ("--method", "neighbors")):
            hyplane("fit", "t.csv", "--label", "label", *extra, "-o", "m.json")
            found = json.loads(hyplane("score", "m.json", "t.csv", "--json").out)
            assert found["scores"]["macro_roc_auc"] > 0.5

    def test_several_labels_a_point(self, hyplane, fails):
        hyplane("generate", "network", "--nodes", "100", "--labels", "2", "-o", "n.csv")
        hyplane("fit", "n.csv", "--label", "label1,label2", "-o", "m.json")
        found = json.loads(hyplane("score", "m.json", "n.csv", "--json").out)
        assert [each["class"] for each in found["classes"]] == ["label1", "label2"]
        assert "fitted on 2 columns of 0 and 1" in fails(
            "score", "m.json", "n.csv", "--label", "label1"
        )

    def test_refusals(self, fails, model, points):
        text = "x1,x2,kind\n0.1,0.2,ant\n0.1,0.3,dog\n"
        line = fails("score", model, "-", stdin=text)
        assert line == (
            "standard input, line 3, column 'kind': 'dog' is not a class of m.json, which has "
            "ant, bee, cat"
        )
        assert "no column 'kind'" in fails("score", model, "-", stdin="x1,x2\n0.1,0.2\n")
        assert "no rows" in fails("score", model, "-", stdin="x1,x2,kind\n")
        assert "no column 'z'" in fails("score", model, points, "--label", "z")


class TestInfo:
    def test_a_table(self, hyplane, points):
        lines = hyplane("info", points).out.splitlines()
        assert lines[0] == f"{points}: a table of 60 rows and 3 columns"
        assert lines[1].startswith("  x1    numbers from -0.")
        assert lines[3] == "  kind  words: ant (20), bee (20), cat (20)"
        assert lines[4] == "points: x1, x2 (2-D, ball)"

    @pytest.mark.parametrize("format", ["csv", "npz", "mat", "npy"])
    def test_tables_of_every_format(self, hyplane, points, format, tmp_path):
        hyplane("convert", points, "--label", "kind", "-o", tmp_path / f"t.{format}")
        outcome = hyplane("info", tmp_path / f"t.{format}")
        assert "a table of 60 rows and 3 columns" in outcome.out
        assert "points: ball_x1, ball_x2 (2-D, ball)" in outcome.out

    def test_points_that_are_not_clear(self, hyplane):
        outcome = hyplane("info", "-", stdin="a,x1,x2\nnan,0.1,0.2\n3,0.2,0.1\n")
        assert outcome.code == 0
        assert "  a   numbers from 3 to 3, 1 not finite" in outcome.out
        assert "points: not clear. standard input: the columns a, x1, x2" in outcome.out

    def test_a_table_without_names_or_rows(self, hyplane):
        np.save("wide.npy", np.full((3, 30), 0.1))
        lines = hyplane("info", "wide.npy").out.splitlines()
        assert lines[1] == "  without names of columns: they are called 1, 2, …"
        assert "  … and 10 more" in lines
        assert "has no rows" in hyplane("info", "-", stdin="x1,x2\n").out

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ((), "binary problems: 3 (ovr), all converged"),
            (("--one-vs-one",), "binary problems: 3 (ovo), all converged"),
            (("--cv",), "chosen C: "),
            (("--method", "rbf"), "classifier: Pipeline("),
            (("--method", "neighbors"), "offers: --proba"),
            (("--method", "auto"), "  chosen: "),
        ],
    )
    def test_a_model(self, hyplane, points, settings, words):
        hyplane("fit", points, "--label", "kind", *settings, "-o", "m.json")
        out = hyplane("info", "m.json").out
        assert out.startswith("m.json: a model of hyplane 0.")
        assert "  points: x1, x2 (2-D, ball)\n" in out
        assert "  classes of kind: 3 (ant, bee, cat)\n" in out
        assert words in out

    def test_refusals(self, fails, tmp_path):
        assert fails("info", "no.csv") == "no.csv: no such file or directory"
        assert fails("info", "no.json") == "no.json: no such file or directory"
        for content in ("{", "[]", "{}", '{"format": "hyplane model"}'):
            (tmp_path / "j.json").write_text(content)
            assert fails("info", "j.json").startswith("j.json ")
        assert "give --format" in fails("info", "a.xyz")
