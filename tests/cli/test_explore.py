"""``hyplane explore``: the page and the refusals; what it draws is tested beside the library."""

import json
import re
from pathlib import Path

import numpy as np


def payload_of(file):
    text = Path(file).read_text(encoding="utf-8")
    return json.loads(re.search(r'id="hyplane-data">(.*?)</script>', text, re.DOTALL)[1])


def test_points_and_classes(hyplane, points):
    outcome = hyplane(
        "explore", points, "--label", "kind", "--title", "Three kinds", "-o", "p.html"
    )
    assert outcome.code == 0, outcome.err
    assert outcome.err == "points: x1, x2 (2-D, ball); label: kind\nwrote p.html\n"
    page = payload_of("p.html")
    assert page["title"] == "Three kinds"
    assert [each["name"] for each in page["classes"]] == ["ant", "bee", "cat"]
    assert page["n"] == 60
    assert page["fits"] == []


def test_a_model_and_a_grid_of_C(hyplane, points):
    hyplane("fit", points, "--label", "kind", "-C", "2", "-o", "m.json")
    args = ("--label", "kind", "--model", "m.json", "--grid", "1,2,4", "-o", "p.html")
    assert hyplane("explore", points, *args).code == 0
    page = payload_of("p.html")
    assert [fit["name"] for fit in page["fits"]] == ["C = 1", "C = 2", "C = 4"]
    assert page["initial_fit"] == 1


def test_a_model_without_hyperplanes(hyplane, points):
    hyplane("fit", points, "--label", "kind", "--method", "euclidean", "-o", "m.json")
    assert hyplane("explore", points, "--model", "m.json", "-o", "p.html").code == 0
    [fit] = payload_of("p.html")["fits"]
    assert fit["texture"]["nRadius"] > 0


def test_a_graph_with_names(hyplane, fails):
    hyplane("generate", "tree", "--depth", "2", "--edges", "e.csv", "-o", "t.csv")
    args = ("explore", "t.csv", "--label", "label", "--edges", "e.csv", "-o", "p.html")
    assert hyplane(*args).code == 0
    page = payload_of("p.html")
    assert len(page["names"]) == page["n"]
    assert page["edges"] is not None
    Path("e.csv").write_text("source,target\n1,99\n")
    assert fails(*args) == "e.csv, line 2: t.csv has no node '99'"


def test_one_label_of_several(hyplane, fails):
    hyplane("generate", "network", "--nodes", "60", "--labels", "2", "-o", "n.csv")
    hyplane("fit", "n.csv", "--label", "label1,label2", "-o", "m.json")
    args = ("explore", "n.csv", "--model", "m.json", "-o", "p.html")
    assert hyplane(*args, "--label", "label2").code == 0
    assert [each["name"] for each in payload_of("p.html")["classes"]] == ["not label2", "label2"]
    assert "choose one with --label (label1, label2)" in fails(*args)


def test_more_dimensions(hyplane):
    np.save("five.npy", np.random.default_rng(0).normal(size=(9, 5)))
    assert hyplane("explore", "five.npy", "--coordinates", "tangent", "-o", "p.html").code == 0
    assert payload_of("p.html")["dim"] == 5
    np.savetxt(
        "six.csv", np.arange(18).reshape(3, 6) / 20, "%g", ",", header="a,b,c,d,e,size", comments=""
    )
    args = ("--coordinates", "tangent", "--color", "size", "--projection", "horo", "-o", "p.html")
    assert hyplane("explore", "six.csv", *args).code == 0
    payload = payload_of("p.html")
    assert payload["dim"] == 5
    assert [each["name"] for each in payload["extra"]] == ["size"]
    assert payload["note"].startswith("5 dimensions, horo projection")


def test_refusals(fails, points):
    fails("explore", points, "--grid", "1", "-o", "p.html", code=2)
    fails("explore", points, "--label", "kind", "--grid", "1,-1", "-o", "p.html", code=2)
    fails("explore", points, "--model", "m.json", "--curvature", "-2", "-o", "p.html", code=2)
    fails("explore", points, "--label", "kind,x1", "-o", "p.html", code=2)
    assert "the folder does not exist" in fails("explore", points, "-o", "no/p.html")
    assert "no column" in fails("explore", points, "--name", "who", "-o", "p.html")
    assert "has no column 'node'" in fails(
        "explore", points, "--label", "kind", "--edges", points, "-o", "p.html"
    )
    assert not Path("p.html").exists()
