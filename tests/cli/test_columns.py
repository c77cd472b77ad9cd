"""Which columns are taken for the points: said on the standard error, or refused."""

import numpy as np
import pytest

LABEL = ("--label", "label", "-o", "m.json")


def rows_under(header, data, cells):
    """Write points and further cells under a header."""
    lines = [
        ",".join(cells(row, [repr(x) for x in point])) for row, point in enumerate(data[0].tolist())
    ]
    return "\n".join([header, *lines]) + "\n"


def info_of_columns(hyplane, names):
    """Describe a table with a column of each name."""
    rows = [names, *([f"0.{row}{column}" for column in range(len(names))] for row in range(3))]
    text = "\n".join(",".join(row or ['""']) or '""' for row in rows) + "\n"
    return hyplane("info", "-", "--header", stdin=text).out


@pytest.fixture
def confident(data):
    """Write nodes and a measurement beside the points, and the classes."""

    def cells(row, point):
        return [str(7 * row), *point, "0.01", data[1][row]]

    return rows_under("node,x1,x2,conf,label", data, cells)


def test_a_measurement_beside_the_points_is_not_taken_for_one(fails, confident):
    line = fails("fit", "-", *LABEL, stdin=confident)
    assert line == (
        "standard input: the columns x1, x2, conf are not named alike, so they may not all be "
        "coordinates. Name those of the points with --points, for instance --points x1,x2"
    )


def test_what_was_taken_is_said(hyplane, confident):
    outcome = hyplane("fit", "-", *LABEL, "--points", "x1,x2", stdin=confident)
    assert outcome.code == 0, outcome.err
    assert outcome.err.splitlines()[0] == "points: x1, x2 (2-D, ball); label: label"
    outcome = hyplane("predict", "m.json", "-", stdin=confident)
    assert outcome.err == "points: x1, x2 (2-D, ball)\n"
    outcome = hyplane("fit", "-", *LABEL, "--points", "x1,x2,conf", stdin=confident)
    assert outcome.err.splitlines()[0] == "points: x1, x2, conf (3-D, ball); label: label"


@pytest.mark.parametrize("command", [("evaluate", "-", "--label", "label"), ("convert", "-")])
def test_other_commands_refuse_the_same_guess(fails, confident, command):
    assert "--points x1,x2" in fails(*command, stdin=confident)


@pytest.mark.parametrize("first", ["id", "Unnamed: 0", "", "index", "row_id"])
def test_an_id_is_skipped_and_said(hyplane, data, first):
    text = rows_under(f"{first},x1,x2,label", data, lambda row, p: [str(row), *p, data[1][row]])
    skipped, taken, *_ = hyplane("fit", "-", *LABEL, stdin=text).err.splitlines()
    assert skipped == f"skipped: {first}, which numbers the rows"
    assert taken == "points: x1, x2 (2-D, ball); label: label"


@pytest.mark.parametrize("start", [0, 1])
def test_a_column_without_a_name_that_counts_the_rows_is_skipped(hyplane, data, start):
    text = rows_under("", data, lambda row, p: [str(row + start), *p, data[1][row]]).lstrip()
    lines = hyplane("fit", "-", "--label", "4", "-o", "m.json", stdin=text).err.splitlines()
    assert lines[0] == "skipped: 1, which numbers the rows"
    assert lines[1].startswith("points: 2, 3 (2-D, ball)")


@pytest.mark.parametrize("names", ["e0:e2", "e*", "2:4", "e0,e1:e2", "e0,3,4"])
def test_columns_by_range_pattern_and_place(hyplane, names):
    text = "a,e0,e1,e2,label\n1,0.1,0.2,0.3,x\n1,0.2,0.3,0.1,y\n"
    outcome = hyplane("fit", "-", *LABEL, "--points", names, stdin=text)
    assert outcome.err.startswith("points: e0, e1, e2 (3-D, ball); label: label\n")


@pytest.mark.parametrize("names", ["f*", "e2:e0", "e0:f", "9", "0"])
def test_ranges_and_patterns_without_columns_are_refused(fails, names):
    text = "e0,e1,e2,label\n0.1,0.2,0.3,x\n0.2,0.3,0.1,y\n"
    line = fails("fit", "-", *LABEL, "--points", names, stdin=text)
    assert "; its columns are e0, e1, e2, label." in line


def test_values_outside_the_chart_are_refused_with_both_remedies(fails):
    text = "x1,x2,label\n0.1,0.2,a\n1.5,0.1,b\n"
    line = fails("fit", "-", *LABEL, stdin=text)
    assert line.startswith("standard input, line 3: the point in x1, x2 is not inside the Poincaré")
    assert line.endswith(
        "Name the columns with --points if these are not the points, or the chart with "
        "--coordinates if it is another."
    )


def test_columns_that_were_named_are_not_doubted(fails):
    text = "x1,x2,label\n0.1,0.2,a\n1.5,0.1,b\n"
    line = fails("fit", "-", *LABEL, "--points", "x1,x2", stdin=text)
    assert "Name the columns" not in line


def test_polar_names_without_a_chart_are_refused(fails):
    text = "r,theta,label\n0.1,0.2,a\n0.5,0.1,b\n"
    assert fails("fit", "-", *LABEL, stdin=text).endswith("for instance --coordinates polar")


def test_many_columns_are_shortened(hyplane):
    X = np.random.default_rng(0).uniform(-0.1, 0.1, (20, 9))
    np.savez("t.npz", X=X, label=np.arange(20) % 2)
    outcome = hyplane("fit", "t.npz", *LABEL)
    assert outcome.err.startswith("points: X1, X2, X3, … X9 (9-D, ball); label: label\n")


def test_several_labels_are_said(hyplane):
    hyplane("generate", "network", "--nodes", "60", "--labels", "2", "-o", "n.csv")
    outcome = hyplane("fit", "n.csv", "--label", "label1,label2", "-o", "m.json")
    assert outcome.err.startswith("points: ball_x1, ball_x2 (2-D, ball); labels: label1, label2\n")


@pytest.mark.parametrize(
    "names",
    [["x1", "x2"], ["x0", "x1", "x2"], ["x", "y"], ["x", "y", "z"], ["pos_x", "pos_y"], ["1", "2"],
     ["r", "theta"], ["r", "x1", "x2"], ["dim_10", "dim_11"], ["embedding"]],
)  # fmt: skip
def test_names_of_coordinates(hyplane, names):
    assert "not named alike" not in info_of_columns(hyplane, names)


@pytest.mark.parametrize(
    "names",
    [["x1", "x2", "conf"], ["x1", "y1"], ["age", "size"], ["x", "z"], ["id"], [""],
     ["r", "phi"], ["a", "theta"]],
)  # fmt: skip
def test_names_that_leave_it_open(hyplane, names):
    assert "not named alike" in info_of_columns(hyplane, names)


class TestEmbed:
    @pytest.fixture
    def edges(self, tmp_path):
        (tmp_path / "e.csv").write_text("from,to\nann,bob\nbob,cid\ncid,dan\ndan,ann\nann,cid\n")
        (tmp_path / "l.csv").write_text("who,what,when\nann,x,1\nbob,y,1\ncid,x,2\ndan,y,3\n")
        return ("embed", "e.csv", "--published")

    def test_the_column_of_the_labels_is_said(self, hyplane, edges):
        outcome = hyplane(*edges, "--labels", "l.csv")
        assert outcome.err == "labels: the column 'what' of l.csv\n"
        outcome = hyplane(*edges, "--labels", "l.csv", "--label-column", "when")
        assert outcome.err == "labels: the column 'when' of l.csv\n"

    def test_a_column_without_a_name_has_a_number(self, hyplane, edges, tmp_path):
        text = (tmp_path / "l.csv").read_text().partition("\n")[2]
        (tmp_path / "l.csv").write_text(text)
        assert hyplane(*edges, "--labels", "l.csv").err == "labels: the column 2 of l.csv\n"

    def test_the_weights_of_edges_are_used(self, hyplane, edges, tmp_path):
        plain = hyplane(*edges)
        lines = (tmp_path / "e.csv").read_text().splitlines()
        weighted = [f"{line},{place}" for place, line in enumerate(lines)]
        (tmp_path / "e.csv").write_text("\n".join(weighted).replace("to,0", "to,weight"))
        outcome = hyplane(*edges)
        assert (plain.code, outcome.code) == (0, 0)
        assert outcome.out != plain.out
