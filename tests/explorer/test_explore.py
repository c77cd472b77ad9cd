"""What goes into a page, and what is refused. No browser is needed here."""

import base64
import json
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.explorer import explore
from hyplane.geometry import signed_distance

X = np.array([[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]])
Y = np.array(["right", "right", "left", "left"])


def unpacked(array):
    return np.frombuffer(base64.b64decode(array["data"]), dtype=f"<{array['type']}")


class TestPage:
    def test_it_is_one_file_without_links_to_anywhere(self, tmp_path):
        explore(X, Y, output=tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text()
        assert list(tmp_path.iterdir()) == [tmp_path / "page.html"]
        links = re.findall(r'(?:src|href)="([^"]*)"', text.split("<script")[0])
        assert links == ["data:,"]
        assert "default-src 'none'" in text

    def test_data_cannot_end_the_script(self):
        bad = "</script><script>alert(1)</script>"
        text = explore(X, [bad, bad, "b", "b"], names=[bad] * 4, title=bad).html
        assert "alert(1)</script" not in text
        assert text.count("<script") == 2
        data = re.search(r'id="hyplane-data">(.*?)</script>', text, re.DOTALL)[1]
        assert json.loads(data)["names"] == [bad] * 4
        assert json.loads(data)["classes"][0]["name"] == bad

    def test_numbers_arrive_bit_for_bit(self):
        payload = explore(X, Y).payload
        assert np.array_equal(unpacked(payload["X"]).reshape(-1, 2), X)

    def test_a_notebook_shows_a_frame(self):
        text = explore(X, Y, title="a < b")._repr_html_()
        assert text.startswith("<iframe srcdoc=")
        assert 'title="a &lt; b"' in text

    def test_both_dark_themes_are_the_same(self):
        css = re.search(r"<style>(.*?)</style>", explore(X, Y).html, re.DOTALL)[1]
        blocks = [
            re.findall(
                r"--hyx-\w+: [^;]+;", css[css.index(start) : css.index("}", css.index(start))]
            )
            for start in ('.hyx[data-theme="dark"]', '.hyx:not([data-theme="light"])')
        ]
        assert blocks[0] == blocks[1]


class TestFits:
    def test_hyperplanes_are_those_of_the_estimator(self):
        clf = HyperbolicSVC(C=2.0).fit(X, Y)
        [fit] = explore(X, Y, estimator=clf).payload["fits"]
        assert fit["name"] == "HyperbolicSVC, C = 2"
        assert unpacked(fit["offset"]) == clf.hyperplanes_.offset
        assert fit["rule"] == "sign"
        assert fit["plane_names"] == ["right (+) against left"]
        assert fit["accuracy"] == 1.0

    def test_the_given_classifier_takes_its_place_among_those_over_C(self):
        clf = HyperbolicSVC(C=1.0).fit(X, Y)
        payload = explore(X, Y, estimator=clf, Cs=[10, 1, 0.1]).payload
        assert [fit["name"] for fit in payload["fits"]] == ["C = 0.1", "C = 1", "C = 10"]
        assert payload["initial_fit"] == 1
        offsets = [unpacked(fit["offset"])[0] for fit in payload["fits"]]
        for C, offset in zip([0.1, 1, 10], offsets, strict=True):
            assert np.isclose(offset, HyperbolicSVC(C=C).fit(X, Y).hyperplanes_.offset[0])
        # Without a classifier the slider begins in the middle.
        assert explore(X, Y, Cs=[0.1, 1, 10]).payload["initial_fit"] == 1

    def test_a_classifier_of_another_kind_comes_first(self):
        X_, Y_ = np.repeat(X, 3, axis=0) * np.linspace(0.8, 1, 12)[:, None], np.repeat(Y, 3)
        clf = HyperbolicSVCCV(random_state=0).fit(X_, Y_)
        payload = explore(X_, Y_, estimator=clf, Cs=[1.0]).payload
        assert [fit["name"] for fit in payload["fits"]] == ["HyperbolicSVCCV", "C = 1"]
        assert [fit["given"] for fit in payload["fits"]] == [True, False]
        found = unpacked(payload["probabilities"]).reshape(-1, 2)
        assert np.allclose(found, clf.predict_proba(X_), atol=1e-6)

    @pytest.mark.parametrize("clf", [HyperbolicKernelSVC(), LogisticRegression()])
    def test_other_classifiers_are_asked_on_a_grid(self, clf):
        [fit] = explore(X, Y, estimator=clf.fit(X, Y)).payload["fits"]
        texture = fit["texture"]
        codes = unpacked(texture["codes"]).reshape(texture["nRadius"], texture["nAngle"])
        assert fit["plane_names"] == []
        # classes_ are left and right; the first angle is that of the positive axis.
        assert codes[80, 0] == 1
        assert codes[80, texture["nAngle"] // 2] == 0

    def test_charts_and_curvature_come_from_the_estimator(self):
        polar = np.array([[1.0, 0.1], [1.5, 0.3], [1.0, 3.0], [1.2, 3.3]])
        clf = HyperbolicSVC(coordinates="polar", curvature=-4.0).fit(polar, Y)
        payload = explore(polar, Y, estimator=clf).payload
        assert (payload["coordinates"], payload["curvature"]) == ("polar", -4.0)
        assert unpacked(payload["radius"]) == pytest.approx(2 * polar[:, 0])
        assert payload["columns"] == ["r", "θ"]

    def test_each_fit_of_two_classes_has_its_own_view_of_the_hyperplane(self):
        rng = np.random.default_rng(0)
        T = rng.normal(size=(60, 5))
        y = T[:, 0] + 0.5 * rng.normal(size=60) > 0
        payload = explore(T, y, Cs=[0.1, 10.0], coordinates="tangent").payload
        for fit, C in zip(payload["fits"], (0.1, 10.0), strict=True):
            places = fit["places"] or payload["places"]
            direction = unpacked(places["direction"]).reshape(-1, 2)
            shown = unpacked(places["radius"])[:, None] * direction
            clf = HyperbolicSVC(C, coordinates="tangent", random_state=0).fit(T, y)
            found = signed_distance(shown, [0, 0, -1], coordinates="tangent")
            assert found == pytest.approx(clf.signed_distance(T), abs=1e-6)
            assert "100 % of the points" in fit["note"]

    def test_the_support_is_marked_where_the_points_are_those_of_the_fit(self):
        clf = HyperbolicSVC().fit(X, Y)
        [fit] = explore(X, Y, estimator=clf).payload["fits"]
        assert np.flatnonzero(unpacked(fit["support"])).tolist() == clf.support_.tolist()
        [other] = explore(X[::-1] * 0.9, Y[::-1], estimator=clf).payload["fits"]
        assert other["support"] is None


class TestTargets:
    def test_fractions_are_a_quantity_and_whole_numbers_are_classes(self):
        points = np.random.default_rng(0).normal(size=(50, 2))
        values = np.arange(50) / 7
        payload = explore(points, values, coordinates="tangent").payload
        assert np.array_equal(unpacked(payload["values"]), values)
        assert not payload["labelled"]
        whole = explore(points, np.arange(50.0), coordinates="tangent").payload
        assert whole["values"] is None
        assert len(whole["classes"]) == 50

    def test_one_label_of_several(self):
        labels = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
        clf = HyperbolicSVC().fit(X, labels)
        payload = explore(X, labels, estimator=clf, label=1).payload
        assert unpacked(payload["codes"]).tolist() == [0, 1, 1, 0]
        assert [each["name"] for each in payload["classes"]] == ["without label 1", "with label 1"]
        assert len(payload["fits"][0]["plane_names"]) == 1

    def test_edges_by_name(self):
        payload = explore(X, edges=[("a", "b"), ("d", "a")], names=list("abcd")).payload
        assert unpacked(payload["edges"]).tolist() == [0, 1, 3, 0]

    def test_edges_of_a_networkx_graph(self):
        nx = pytest.importorskip("networkx")
        graph = nx.Graph([(7, 8), (8, 9), (9, 6)])
        payload = explore(X, edges=graph).payload
        assert payload["names"] == ["7", "8", "9", "6"]
        assert unpacked(payload["edges"]).tolist() == [0, 1, 1, 2, 2, 3]
        payload = explore(X, edges=graph, names=[6, 7, 8, 9]).payload
        assert unpacked(payload["edges"]).tolist() == [1, 2, 2, 3, 3, 0]
        with pytest.raises(ValueError, match="one name for each of the 3 points; got 4"):
            explore(X[:3], edges=graph)

    def test_other_columns_are_numbers_or_classes(self):
        values = [0.5, 1.5, -2.0, 3.0]
        extra = explore(X, columns={"height": values, "kind": list("abba")}).payload["extra"]
        assert unpacked(extra[0]["values"]).tolist() == values
        assert (extra[0]["low"], extra[0]["high"]) == (-2.0, 3.0)
        assert unpacked(extra[1]["codes"]).tolist() == [0, 1, 1, 0]
        assert [each["name"] for each in extra[1]["classes"]] == ["a", "b"]
        table = pytest.importorskip("pandas").DataFrame({"height": values})
        assert explore(X, columns=table).payload["extra"] == extra[:1]

    def test_a_line_is_shown_in_the_plane(self):
        payload = explore([[1.0], [-2.0]], coordinates="tangent").payload
        assert payload["dim"] == 2


class TestWidget:
    def test_it_holds_the_same_payload_and_a_chosen_point(self):
        pytest.importorskip("anywidget", reason="anywidget is not installed")
        explorer = explore(X, Y)
        widget = explorer.widget(height=300)
        assert widget.payload == explorer.payload
        assert (widget.height, widget.selected) == (300, -1)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"names": ["a"]}, "one name for each of the 4 points; got 1"),
            ({"edges": [[0, 4]]}, r"edge 0 is \(0, 4\), but points are numbered from 0 to 3"),
            ({"edges": [[0, 1, 2]]}, r"integers of shape \(n_edges, 2\)"),
            ({"edges": [["a", "b"]]}, r"integers of shape \(n_edges, 2\).*type <U1"),
            ({"edges": [["a", "z"]], "names": list("abcd")}, "'z', and no point has that name"),
            ({"Cs": [1, -1]}, "Cs must be positive numbers; got -1"),
            ({"Cs": []}, "one or more numbers"),
            ({"Cs": [1], "y": None}, "need y"),
            ({"y": ["a"]}, "one value for each of the 4 points"),
            ({"y": np.eye(4)}, "choose one to show with label=0, …, 3"),
            ({"label": 1}, "Leave label out"),
            ({"class_names": ["a"]}, "1 names for 2 classes"),
            ({"curvature": 1.0}, "negative"),
            ({"coordinates": "disc"}, "disc"),
            ({"projection": "umap"}, "projection must be one of radial, .*got 'umap'"),
            ({"columns": {"a": [1.0]}}, "column 'a' must have one value for each of the 4 points"),
        ],
    )
    def test_a_sentence_says_what_is_wrong(self, arguments, message):
        arguments = {"y": Y, **arguments}
        with pytest.raises(ValueError, match=message):
            explore(X, arguments.pop("y"), **arguments)

    def test_a_bad_point_and_a_colour_that_is_no_number_are_named_by_their_row(self):
        with pytest.raises(ValueError, match="row 1"):
            explore([[0.1, 0.2], [2.0, 0.0]])
        with pytest.raises(ValueError, match="row 3 of y is nan"):
            explore(np.zeros((30, 2)), [0.5, 1.5, 2.5, np.nan, *np.arange(26) / 3])

    def test_a_classifier_without_C_has_no_slider(self):
        with pytest.raises(ValueError, match="DecisionTreeClassifier has none"):
            explore(X, Y, estimator=DecisionTreeClassifier().fit(X, Y), Cs=[1])

    def test_no_file_is_left_where_the_input_is_bad(self, tmp_path):
        with pytest.raises(ValueError, match="names"):
            explore(X, names=["a"], output=tmp_path / "page.html")
        assert not list(tmp_path.iterdir())
