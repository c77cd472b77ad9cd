"""Text tables through the command: every bit, every label, and the line of every fault."""

import csv
import io

import numpy as np
import pytest
from scipy.io import savemat

from hyplane.datasets import load_graph

INSIDE = 1 - 2**-53  # the largest number below 1
POINTS = np.array(
    [
        [INSIDE, 0.0],
        [5e-324, -INSIDE],
        [-0.0, 0.0],
        [0.1, -1 / 3],
        [0.6 * INSIDE, 0.8 * (1 - 2**-52)],
        [0.1 + 0.2, 1e-300],
        [2**-1022, -np.pi / 4],
    ]
)
# Words that other readers of tables take for a missing value.
WORDS = ["NA", "null", "nan", "None", "NULL", "N/A", "NaN", "-inf", "true"]


def as_csv(X):
    return "x1,x2\n" + "".join(f"{a!r},{b!r}\n" for a, b in X.tolist())


def test_numbers_of_a_csv_file_are_read_bit_for_bit(hyplane, tmp_path):
    (tmp_path / "t.csv").write_text(as_csv(POINTS))
    assert hyplane("convert", "t.csv", "-o", "t.npy").code == 0
    assert np.load(tmp_path / "t.npy").tobytes() == POINTS.tobytes()


def test_numbers_are_written_to_csv_bit_for_bit(hyplane, tmp_path):
    np.save(tmp_path / "t.npy", POINTS)
    outcome = hyplane("convert", "t.npy")
    written = np.array(list(csv.reader(io.StringIO(outcome.out)))[1:], dtype=float)
    assert written.tobytes() == POINTS.tobytes()


@pytest.mark.parametrize("exponent", [-53, -52, -51, -50, -40])
def test_a_point_just_inside_the_ball_survives_two_files(hyplane, tmp_path, exponent):
    angles = np.random.default_rng(0).uniform(0, 2 * np.pi, 300)
    X = (1 - 2.0**exponent) * np.column_stack([np.cos(angles), np.sin(angles)])
    X = np.vstack([X[(X**2).sum(axis=1) < 1], [[1 - 2.0**exponent, 0.0]]])
    np.save(tmp_path / "a.npy", X)
    for source, output in (("a.npy", "b.csv"), ("b.csv", "c.csv"), ("c.csv", "d.npy")):
        outcome = hyplane("convert", source, "-o", output)
        assert outcome.code == 0, outcome.err
    assert np.load(tmp_path / "d.npy").tobytes() == X.tobytes()


@pytest.mark.parametrize(("name", "separator"), [("t.csv", ","), ("t.csv", ";"), ("t.tsv", "\t")])
@pytest.mark.parametrize("quoted", [False, True])
def test_words_for_missing_values_are_labels(hyplane, tmp_path, name, separator, quoted):
    angles = 2 * np.pi * np.arange(len(WORDS)) / len(WORDS)
    X = 0.6 * np.column_stack([np.cos(angles), np.sin(angles)])
    rows = [["x1", "x2", "kind"], *([*x, word] for x, word in zip(X.tolist(), WORDS, strict=True))]
    with (tmp_path / name).open("w", newline="") as file:
        style = csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL
        csv.writer(file, delimiter=separator, quoting=style).writerows(rows)
    outcome = hyplane("fit", name, "--label", "kind", "-C", "1000", "-o", "m.json")
    assert f"of {len(WORDS)} classes" in outcome.err, outcome.err
    predicted = hyplane("predict", "m.json", name)
    assert predicted.out.splitlines()[1:] == WORDS


def test_such_labels_are_kept_beside_the_predictions(hyplane, tmp_path):
    rows = [f"{x},0.1,{word}\n" for x, word in ((0.5, "NA"), (0.6, "NA"), (-0.5, "null"))]
    (tmp_path / "t.csv").write_text("x1,x2,kind\n" + "".join(rows))
    assert hyplane("fit", "t.csv", "--label", "kind", "-o", "m.json").code == 0
    kept = hyplane("predict", "m.json", "t.csv", "--keep").out.splitlines()
    assert [line.split(",")[2:] for line in kept[1:]] == [2 * ["NA"], 2 * ["NA"], 2 * ["null"]]


GOOD = "0.1,0.2,a\n-0.1,0.3,b\n"


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("x1,x2,kind\n" + GOOD, 4),
        ("x1,x2,kind\n\n" + GOOD + "\n\n", 7),
        ("\n\nx1,x2,kind\n" + GOOD, 6),
        ("x1,x2,kind\r\n" + GOOD.replace("\n", "\r\n") + "\r\n", 5),
        ('x1,x2,kind\n0.1,0.2,"two\nlines"\n0.2,0.2,b\n', 5),
        ('x1,x2,"kind"\n0.1,0.2,"one\r\nand\n\nfour"\n\n0.2,0.2,b\n', 8),
        ('x1,x2,kind\n0.1,0.2,"a ""quoted\n"" word"\n0.2,0.2,b\n', 5),
    ],
    ids=["plain", "blank lines", "blank first", "crlf", "quoted", "long cell", "quotes in quotes"],
)
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("0.1,bad,a", ", column 'x2': 'bad' is not a number"),
        ("0.1,,a", ", column 'x2': the cell is empty"),
        ("0.1,1_0,a", ", column 'x2': '1_0' is not a number"),
        ("0.1,nan,a", ", column 'x2': nan is not a finite number"),
        ("0.1,-inf,a", ", column 'x2': -inf is not a finite number"),
        ("0.8,0.8,a", ": the point in x1, x2 is not inside"),
        ("0.1,0.2,", ", column 'kind': the label is missing"),
        ("0.1,0.2", ": 2 cells where the first line has 3"),
    ],
)
def test_a_fault_is_named_by_its_line_in_the_file(fails, tmp_path, before, line, row, said):
    (tmp_path / "t.csv").write_bytes(f"{before}{row}\n0.3,0.3,b\n".encode())
    message = fails("fit", "t.csv", "--label", "kind", "-o", "m.json")
    assert message.startswith(f"t.csv, line {line}{said}")


def test_a_comment_is_no_row_of_a_table_and_named_by_its_line(fails, tmp_path):
    (tmp_path / "t.csv").write_text("x1,x2,kind\n" + GOOD + "\n# a comment,0.1,a\n")
    message = fails("fit", "t.csv", "--label", "kind", "-o", "m.json")
    assert message.startswith("t.csv, line 5, column 'x1': '# a comment' is not a number")


@pytest.mark.parametrize("name", ["edges.txt", "edges.csv"])
def test_comments_and_blank_lines_of_a_list_of_edges_are_counted(tmp_path, name):
    cut = "," if name.endswith("csv") else " "
    lines = ["# a comment", f"a{cut}b", "", "# another", f"b{cut}c", "alone", f"c{cut}a"]
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=r"line 6\b"):
        load_graph(tmp_path / name)


def test_a_mat_file_that_is_cut_off_is_an_error(fails, tmp_path):
    label = np.array(["a", "b", "a", "b"], dtype=object)
    savemat(tmp_path / "t.mat", {"X": 0.1 * np.eye(4)[:, :2], "label": label})
    content = (tmp_path / "t.mat").read_bytes()
    for length in (0, 100, len(content) // 2, len(content) - 40):
        (tmp_path / "t.mat").write_bytes(content[:length])
        assert fails("fit", "t.mat", "--label", "label", "-o", "m.json").startswith("t.mat")
