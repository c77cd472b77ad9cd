import csv
import io

import numpy as np
import pytest

from hyplane.cli.tables import bare_name
from hyplane.datasets import load_karate, make_hyperbolic_gaussians
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram, LaBNE
from hyplane.geometry import convert


def columns_of(text):
    """Return the columns by name, the charts left out of the names."""
    rows = list(csv.reader(io.StringIO(text)))
    names = [bare_name(name) for name in rows[0]]
    return dict(zip(names, zip(*rows[1:], strict=True), strict=True))


def numbers(columns, *names):
    return np.array([columns[name] for name in names], dtype=float).T


class TestGenerate:
    def test_gaussians_are_those_of_the_library(self, hyplane):
        args = ("--points", "50", "--classes", "3", "--dim", "3", "--curvature", "-2")
        args += ("--variance", "0.5", "--center-variance", "2", "--law", "wrapped")
        found = columns_of(hyplane("generate", "gaussians", *args, "--seed", "7").out)
        given = {"n_classes": 3, "n_dim": 3, "curvature": -2.0, "law": "wrapped"}
        given |= {"variance": 0.5, "center_variance": 2.0, "random_state": 7}
        X, y = make_hyperbolic_gaussians(50, **given)[:2]
        assert (numbers(found, "x1", "x2", "x3") == X).all()
        assert [int(label) for label in found["label"]] == y.tolist()

    def test_gaussians_of_high_dimension_are_points_of_the_ball(self, hyplane):
        found = columns_of(hyplane("generate", "gaussians", "--dim", "50").out)
        X = numbers(found, *(f"x{column}" for column in range(1, 51)))
        assert ((X**2).sum(axis=1) < 1).all()

    def test_a_network_has_places_labels_and_edges(self, hyplane, tmp_path):
        args = ("--nodes", "80", "--labels", "2", "--size", "5", "20", "--coordinates", "polar")
        found = columns_of(hyplane("generate", "network", *args, "--edges", "e.csv").out)
        assert list(found) == ["node", "r", "theta", "label1", "label2"]
        assert 5 <= sum(map(int, found["label1"])) <= 20
        edges = columns_of((tmp_path / "e.csv").read_text())
        assert set(edges["source"]) | set(edges["target"]) == set(found["node"])

    def test_a_tree_leaves_out_the_root(self, hyplane, tmp_path):
        args = ("--branching", "2", "--depth", "3", "--edges", "e.csv")
        found = columns_of(hyplane("generate", "tree", *args).out)
        assert len(found["node"]) == 14
        edges = columns_of((tmp_path / "e.csv").read_text())
        assert set(edges["source"]) | set(edges["target"]) <= set(found["node"])
        assert len(edges["source"]) == 12

    def test_the_same_seed_gives_the_same_file(self, hyplane):
        runs = [hyplane("generate", "network", "--seed", seed).out for seed in (1, 1, 2)]
        assert runs[0] == runs[1] != runs[2]

    @pytest.mark.parametrize(
        "settings",
        [
            ("gaussians", "--points", "0"),
            ("gaussians", "--variance", "0"),
            ("gaussians", "--law", "normal"),
            ("network", "--degree", "1"),
            ("network", "--exponent", "1.9"),
            ("network", "--temperature", "1"),
            ("network", "--size", "50", "20"),
            ("network", "--nodes", "10"),
            ("network", "--probability", "1.1"),
            ("tree", "--depth", "0"),
            ("tree", "--edge-length", "-1"),
            ("cloud",),
        ],
    )
    def test_settings_out_of_range(self, fails, settings):
        fails("generate", *settings, code=2)

    def test_what_only_the_making_shows(self, fails):
        assert "no label of 20 to 50" in fails("generate", "network", "--probability", "0")
        assert "30" in fails("generate", "tree", "--depth", "30", "--branching", "1")

    def test_unwritable_outputs(self, fails):
        assert "the folder does not exist" in fails("generate", "tree", "-o", "no/t.csv")
        assert "the folder does not exist" in fails("generate", "tree", "--edges", "no/t.csv")
        assert "give --format" in fails("generate", "tree", "-o", "t.xyz")


class TestConvert:
    @pytest.mark.parametrize("chart", ["hyperboloid", "halfspace", "klein", "polar", "tangent"])
    def test_there_is_what_the_library_says_and_back_is_where_it_began(
        self, hyplane, points, data, chart
    ):
        there = hyplane("convert", points, "--to", chart, "--label", "kind")
        found = columns_of(there.out)
        assert found["kind"] == tuple(data[1])
        names = [name for name in found if name != "kind"]
        assert (numbers(found, *names) == convert(data[0], "ball", chart)).all()
        back = hyplane("convert", "-", "--to", "ball", stdin=there.out)
        assert np.allclose(numbers(columns_of(back.out), "x1", "x2"), data[0], rtol=0, atol=1e-12)

    def test_points_keep_their_place_among_the_columns(self, hyplane):
        text = "id,a,b,kind\nu,0.5,0.0,x\n"
        out = hyplane("convert", "-", "--points", "a,b", "--to", "hyperboloid", stdin=text).out
        names = out.splitlines()[0].split(",")
        assert names == ["id", *(f"hyperboloid_x{place}" for place in range(3)), "kind"]

    def test_clipping_is_asked_for_and_counted(self, hyplane):
        text = "x1,x2\n0.5,0.0\n3.0,4.0\n"
        outcome = hyplane("convert", "-", "--clip-radius", "2", stdin=text)
        found = numbers(columns_of(outcome.out), "x1", "x2")
        assert found[0].tolist() == [0.5, 0.0]
        assert np.linalg.norm(found[1]) == pytest.approx(np.tanh(1.0))
        assert "moved 1 of 2 points to radius 2" in outcome.err

    def test_formats_change_with_the_extension(self, hyplane, points, data):
        assert hyplane("convert", points, "--label", "kind", "-o", "p.npz").code == 0
        with np.load("p.npz") as archive:
            assert (archive["X"] == data[0]).all()
            assert archive["kind"].tolist() == data[1].tolist()

    def test_refusals(self, fails, points):
        text = "x1,x2\n0.5,0.0\n0.8,0.6\n"
        assert "standard input, line 3: the point" in fails("convert", "-", stdin=text)
        assert "'ant' is not a number" in fails("convert", points, "--points", "x1,x2,kind")
        assert "no column 'z'" in fails("convert", points, "--points", "z")
        fails("convert", points, "--to", "sphere", code=2)
        fails("convert", points, "--clip-radius", "0", code=2)
        fails("convert", "no.csv", "--curvature", "0", code=2)

    def test_a_point_beyond_the_new_chart_is_refused(self, fails):
        line = fails("convert", "-", "--from", "polar", "--to", "ball", stdin="r,theta\n900,0\n")
        assert line.startswith("standard input, line 2: the point in r, theta is at radius 900")


class TestEmbed:
    def test_labne_is_that_of_the_library(self, hyplane):
        found = columns_of(hyplane("embed", "karate", "--method", "labne").out)
        network = load_karate()
        assert (numbers(found, "x1", "x2") == LaBNE().fit_transform(network.graph)).all()
        assert found["label"] == tuple(network.target_names[network.target])
        assert found["node"] == tuple(network.node_names)

    def test_skip_gram_and_deepwalk_are_those_of_the_library(self, hyplane):
        graph = load_karate().graph
        args = ("--dim", "3", "--epochs", "2", "--walks", "2", "--seed", "3")
        setting = {"epochs": 2, "n_walks": 2, "random_state": 3}
        found = columns_of(hyplane("embed", "karate", *args).out)
        wanted = HyperbolicSkipGram.converged(3, **setting).fit_transform(graph)
        assert (numbers(found, "x1", "x2", "x3") == wanted).all()
        found = columns_of(hyplane("embed", "karate", *args, "--published").out)
        wanted = HyperbolicSkipGram(3, **setting).fit_transform(graph)
        assert (numbers(found, "x1", "x2", "x3") == wanted).all()
        args = ("--method", "deepwalk", "--dim", "2", "--epochs", "1", "--walk-length", "8")
        found = columns_of(hyplane("embed", "karate", *args).out)
        wanted = DeepWalk(2, epochs=1, walk_length=8, random_state=0).fit_transform(graph)
        assert (numbers(found, "x1", "x2") == wanted).all()

    def test_a_graph_of_ones_own_with_labels_from_a_table(self, hyplane, tmp_path):
        (tmp_path / "e.csv").write_text("from,to\nann,bob\nbob,cid\ncid,dan\ndan,ann\nann,cid\n")
        (tmp_path / "l.csv").write_text("who,what\nann,x\nbob,y\ncid,x\ndan,y\n")
        args = ("--labels", "l.csv", "--label-column", "what", "--published")
        found = columns_of(hyplane("embed", "e.csv", *args, "--coordinates", "polar").out)
        assert list(found) == ["node", "r", "theta", "label"]
        assert dict(zip(found["node"], found["label"], strict=True))["bob"] == "y"

    def test_an_edge_list_from_the_standard_input(self, hyplane):
        edges = "a b\nb c\nc d\nd a\na c\n"
        found = columns_of(hyplane("embed", "-", "--published", stdin=edges).out)
        assert sorted(found["node"]) == ["a", "b", "c", "d"]

    def test_what_is_embedded_can_be_fitted_without_naming_columns(self, hyplane):
        assert hyplane("embed", "karate", "--published", "-o", "k.csv").code == 0
        outcome = hyplane("fit", "k.csv", "--label", "label", "-o", "m.json")
        assert "fitted 34 points of 2 classes" in outcome.err

    def test_refusals(self, fails, tmp_path):
        assert "no.txt" in fails("embed", "no.txt")
        (tmp_path / "e.txt").write_text("a b\nb\n")
        assert "line 2" in fails("embed", "e.txt")
        (tmp_path / "empty.txt").write_text("")
        fails("embed", "empty.txt")
        fails("embed", "karate", "--method", "labne", "--walks", "3", code=2)
        fails("embed", "karate", "--method", "labne", "--dim", "3", code=2)
        fails("embed", "karate", "--exponent", "3", code=2)
        fails("embed", "karate", "--method", "deepwalk", "--coordinates", "polar", code=2)
        fails("embed", "karate", "--labels", "l.csv", code=2)
        fails("embed", "karate", "--label-column", "x", code=2)
        fails("embed", "no.txt", "--exponent", "1", code=2)
        assert "the folder does not exist" in fails("embed", "karate", "-o", "no/k.csv")
