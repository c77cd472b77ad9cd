import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from hyplane.evaluation import evaluate
from hyplane.evaluation.methods import METHODS
from hyplane.evaluation.paired import paired_t_test
from hyplane.persistence import load_model


class TestEvaluate:
    def test_numbers_are_those_of_the_library(self, hyplane, points, data):
        outcome = hyplane("evaluate", points, "--label", "kind", "--trials", "3", "--json")
        assert outcome.code == 0, outcome.err
        found = json.loads(outcome.out)
        own = {"scoring": "average_precision", "coordinates": "ball"}
        methods = {name: METHODS[name].make(**own) for name in ("hyperbolic", "euclidean")}
        wanted = evaluate(methods, *data, n_trials=3, random_state=0)
        first = wanted.scores("hyperbolic", "macro_average_precision")
        second = wanted.scores("euclidean", "macro_average_precision")
        assert found["methods"]["hyperbolic"]["mean"]["macro_average_precision"] == first.mean()
        assert found["methods"]["euclidean"]["std"]["macro_average_precision"] == second.std(ddof=1)
        [test] = found["tests"]
        assert (test["first"], test["second"]) == ("hyperbolic", "euclidean")
        assert test["p_value"] == paired_t_test(first, second, train_test_ratio=1.0).p_value
        assert len(found["records"]) == 6

    def test_the_table_is_aligned_and_short(self, hyplane, points, monkeypatch):
        monkeypatch.setenv("COLUMNS", "100")
        outcome = hyplane("evaluate", points, "--label", "kind", "--trials", "2")
        lines = outcome.out.splitlines()
        assert lines[0] == f"{points}: 60 points in 2 dimensions, 3 classes; 2 trials, 50% held out"
        head, hyperbolic, euclidean = lines[2:5]
        assert hyperbolic.startswith("Hyperbolic SVM  0.")
        assert euclidean.startswith("Euclidean SVM   0.")
        # The mark of the highest mean stands after its number.
        assert len({len(line.rstrip("*")) for line in (head, hyperbolic, euclidean)}) == 1
        assert max(map(len, lines[2:])) <= 100
        assert hyperbolic.count("*") + euclidean.count("*") >= 4
        assert "Nadeau and Bengio" in lines[-1]

    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_the_tables_fold_to_the_width_of_the_terminal(
        self, hyplane, points, monkeypatch, width
    ):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = hyplane("evaluate", points, "--label", "kind", "--trials", "2").out.splitlines()
        assert max(map(len, lines[1:])) <= width
        cells = re.findall(r"0\.\d{3} ± 0\.\d{3}", "\n".join(lines))
        assert len(cells) == 8
        blocks = sum(line.startswith("Hyperbolic SVM  ") for line in lines)
        assert blocks == (2 if width < 100 else 1)

    def test_the_chart_makes_no_difference(self, hyplane, points):
        args = ("--label", "kind", "--trials", "2", "--json")
        ball = json.loads(hyplane("evaluate", points, *args).out)
        hyplane("convert", points, "--label", "kind", "--to", "polar", "-o", "polar.csv")
        polar = json.loads(hyplane("evaluate", "polar.csv", *args, "--coordinates", "polar").out)
        for name in ("hyperbolic", "euclidean"):
            wanted, found = (
                each["methods"][name]["mean"]["macro_roc_auc"] for each in (ball, polar)
            )
            assert found == pytest.approx(wanted, abs=1e-6)

    def test_every_score_is_written_where_asked(self, hyplane, points, tmp_path):
        args = ("--methods", "klein", "--trials", "2", "--records", "records.csv")
        assert hyplane("evaluate", points, "--label", "kind", *args).code == 0
        with open("records.csv") as file:
            rows = list(csv.DictReader(file))
        assert [(row["method"], row["trial"]) for row in rows] == [("klein", "0"), ("klein", "1")]

    def test_several_labels_a_point(self, hyplane):
        hyplane("generate", "network", "--nodes", "100", "--labels", "2", "-o", "n.csv")
        outcome = hyplane("evaluate", "n.csv", "--label", "label1,label2", "--trials", "2")
        assert "2 labels" in outcome.out

    def test_refusals(self, fails, points):
        text = "x1,x2,kind\n0.1,0.2,a\n0.1,0.3,a\n"
        assert "one class only" in fails("evaluate", "-", "--label", "kind", stdin=text)
        assert "no column" in fails("evaluate", points, "--label", "z")
        assert "no such file" in fails("evaluate", "no.csv", "--label", "z")
        for settings in (("--methods", "magic"), ("--trials", "1"), ("--test-size", "1")):
            fails("evaluate", "no.csv", "--label", "kind", *settings, code=2)
        line = fails("evaluate", "no.csv", "--label", "kind", "--records", "no/r.csv")
        assert "the folder does not exist" in line


class TestPlot:
    @pytest.mark.parametrize(
        ("kind", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
    )
    def test_pictures_of_points_in_every_format(self, hyplane, points, kind, begins):
        outcome = hyplane("plot", points, "--label", "kind", "-o", f"p.{kind}")
        assert outcome.code == 0, outcome.err
        assert Path(f"p.{kind}").read_bytes().startswith(begins)

    @pytest.mark.parametrize("method", ["hyperbolic", "euclidean"])
    def test_a_picture_of_a_model_shows_its_classes(self, hyplane, points, method):
        hyplane("fit", points, "--label", "kind", "--method", method, "-o", "m.json")
        args = ("--label", "kind", "--model", "m.json", "--title", "A title of $x_{$")
        outcome = hyplane("plot", points, *args, "-o", "p.svg")
        assert outcome.code == 0, outcome.err
        text = Path("p.svg").read_text()
        assert all(f"<!-- {word} -->" in text for word in ("ant", "bee", "cat", "A title of $x_{$"))

    def test_one_label_of_several(self, hyplane, fails):
        hyplane("generate", "network", "--nodes", "100", "--labels", "2", "-o", "n.csv")
        hyplane("fit", "n.csv", "--label", "label1,label2", "-o", "m.json")
        args = ("plot", "n.csv", "--model", "m.json", "-o", "p.svg")
        assert hyplane(*args, "--label", "label2").code == 0
        assert "not label2" in Path("p.svg").read_text()
        assert "choose one with --label (label1, label2)" in fails(*args)

    def test_a_model_and_edges_in_one_picture(self, hyplane, fails):
        hyplane("generate", "tree", "--depth", "2", "--edges", "e.csv", "-o", "t.csv")
        hyplane("fit", "t.csv", "--label", "label", "-o", "m.json")
        args = ("plot", "t.csv", "--label", "label")
        drawn = {}
        for name, extra in {
            "both": ("--model", "m.json", "--edges", "e.csv"),
            "model": ("--model", "m.json"),
            "edges": ("--edges", "e.csv"),
        }.items():
            outcome = hyplane(*args, *extra, "-o", f"{name}.svg")
            assert outcome.code == 0, outcome.err
            drawn[name] = Path(f"{name}.svg").read_text()
        n_edges = len(Path("e.csv").read_text().splitlines()) - 1
        assert drawn["both"].count("<path ") >= drawn["model"].count("<path ") + n_edges
        assert "<image" in drawn["both"]
        assert "<image" not in drawn["edges"]
        Path("e.csv").write_text("source,target\n1,99\n")
        line = fails(*args, "--edges", "e.csv", "-o", "p.png")
        assert line == "e.csv, line 2: t.csv has no node '99'"

    def test_points_of_another_chart_than_the_models(self, hyplane, fails, points):
        hyplane("fit", points, "--label", "kind", "-o", "m.json")
        hyplane("convert", points, "--label", "kind", "--to", "polar", "-o", "polar.csv")
        args = ("plot", "polar.csv", "--label", "kind", "--model", "m.json", "-o", "p.png")
        assert "Add --coordinates polar" in fails(*args)
        assert "converted to ball" in hyplane(*args, "--coordinates", "polar").err

    def test_points_of_three_dimensions_are_projected(self, hyplane, fails):
        np.save("three.npy", 0.2 * np.random.default_rng(0).normal(size=(9, 3)))
        hyplane("plot", "three.npy", "-o", "p.svg", "--projection", "horo")
        assert Path("p.svg").read_bytes().startswith(b"<?xml")
        assert "two classes" in fails(
            "plot", "three.npy", "-o", "q.svg", "--projection", "hyperplane"
        )

    def test_refusals(self, hyplane, fails, points):
        fails("plot", points, "-o", "p.gif", code=2)
        fails("plot", points, "--label", "kind", "--dpi", "0", "-o", "p.png", code=2)
        args = ("--width", "100", "--dpi", "1000")
        line = fails("plot", points, "--label", "kind", *args, "-o", "p.png", code=2)
        assert line.startswith("a PNG of 100000 pixels a side takes too much memory")
        fails("plot", points, "--model", "m.json", "--curvature", "-2", "-o", "p.png", code=2)
        assert "the folder does not exist" in fails("plot", points, "-o", "no/p.png")
        assert "m.json" in fails("plot", points, "--model", "m.json", "-o", "p.png")
        assert not Path("p.png").exists()


class TestReproduce:
    def test_refusals(self, fails, points):
        assert "'gaussian', 'evolving', 'real', 'all'" in fails("reproduce", "everything", code=2)
        assert "no method 'magic'" in fails("reproduce", "--methods", "magic")
        fails("reproduce", "--seed", "-1", code=2)
        fails("reproduce", "--jobs", "0", code=2)
        fails("reproduce", "-o", points, code=2)


class TestOneRegister:
    @pytest.mark.parametrize("name", ["hyperbolic", "euclidean", "klein"])
    def test_the_model_of_fit_is_the_one_that_evaluate_scores(self, hyplane, points, data, name):
        outcome = hyplane(
            "fit", points, "--label", "kind", "--cv", "--method", name, "-o", "m.json"
        )
        assert outcome.code == 0, outcome.err
        own = {"scoring": "average_precision", "coordinates": "ball", "random_state": 0}
        if name == "hyperbolic":  # fit has our defaults, evaluate the settings of the paper
            own |= {"bound": "horosphere", "threshold": "side"}
        wanted = METHODS[name].make(**own).fit(*data)
        loaded = load_model("m.json")
        assert type(loaded) is type(wanted)
        np.testing.assert_array_equal(loaded.predict_proba(data[0]), wanted.predict_proba(data[0]))

    def test_evaluate_takes_every_point_that_fit_takes(self, hyplane, tmp_path):
        rng = np.random.default_rng(0)
        angle = rng.uniform(-3, 3, 60)
        rows = [f"{50 + a},{a},{'left' if abs(a) > 1.5 else 'right'}" for a in angle]
        (tmp_path / "far.csv").write_text("\n".join(["r,theta,side", *rows]) + "\n")
        settings = ("far.csv", "--label", "side", "--coordinates", "polar")
        assert hyplane("fit", *settings, "-o", "m.json").code == 0
        outcome = hyplane("evaluate", *settings, "--trials", "2")
        assert outcome.code == 0, outcome.err
