import numpy as np
import pytest

from hyplane.cli.options import TableFile
from hyplane.cli.table_files import read_table, write_table
from hyplane.cli.tables import Table

try:
    import pyarrow
except ImportError:
    pyarrow = None
needs_pyarrow = pytest.mark.skipif(pyarrow is None, reason="pyarrow is not installed")
every_format = pytest.mark.parametrize(
    "format",
    [
        pytest.param(name, marks=needs_pyarrow if name == "parquet" else ())
        for name in ("csv", "tsv", "parquet", "npy", "npz", "mat")
    ],
)

AWKWARD = [0.1, -0.0, 5e-324, 1 - 2**-53, 1e308, 1 / 3]


@pytest.fixture
def table():
    names = ["x1", "x2"]
    columns = {
        "x1": np.array(AWKWARD),
        "x2": -np.array(AWKWARD),
        "kind": np.array(["a", "b,c", 'd "e"', "é\tf", "7", "ant bee"]),
        "number": np.arange(6) - 3,
    }
    return Table(columns, groups={"X": names})


@every_format
def test_every_format_gives_back_exactly_what_it_was_given(table, tmp_path, format):
    file = str(tmp_path / f"table.{format}")
    write_table(table, file)
    read = read_table(TableFile(file))
    points = read.find(["X"] if format in ("npz", "mat") else ["x1", "x2"])
    found = read.numbers(points)
    assert found.tobytes() == np.column_stack([table.columns["x1"], table.columns["x2"]]).tobytes()
    assert read.labels(["kind"]).tolist() == table.columns["kind"].tolist()
    assert read.labels(["number"]).tolist() == [-3, -2, -1, 0, 1, 2]
    assert [path.name for path in tmp_path.iterdir()] == [f"table.{format}"]


@every_format
def test_every_format_goes_through_the_standard_streams(hyplane, points, format, tmp_path):
    written = tmp_path / f"points.{format}"
    assert hyplane("convert", points, "--label", "kind", "-o", written).code == 0
    label = ("--label", "kind")
    outcome = hyplane(
        "fit", "-", *label, "--format", format, "-o", "m.json", stdin=written.read_bytes()
    )
    assert outcome.code == 0, outcome.err
    assert "fitted 60 points of 3 classes" in outcome.err


def read(path, **settings):
    return read_table(TableFile(str(path), **settings))


def test_numbers_alone_make_a_plain_matrix(tmp_path):
    columns = {"x1": np.array([0.5, 0.25]), "label": np.array([1, 2])}
    write_table(Table(columns), str(tmp_path / "t.npy"))
    assert np.load(tmp_path / "t.npy").tolist() == [[0.5, 1.0], [0.25, 2.0]]
    assert read(tmp_path / "t.npy").labels(["2"]).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x,y\n1,2\n", ["x", "y"]),
        ("0,1,label\n0.5,0.5,a\n", ["0", "1", "label"]),
        ("0,1,2\n0.5,0.5,1\n", ["0", "1", "2"]),
        ("0.5,0.5,a\n0.5,0.5,b\n", ["1", "2", "3"]),
        ("3,4,1\n3,5,2\n", ["1", "2", "3"]),
        ("\ufeffx;y\n1;2\n", ["x", "y"]),
        ('"a,b",c\n1,2\n', ["a,b", "c"]),
    ],
)
def test_a_header_is_found_out(tmp_path, text, names):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    assert list(read(tmp_path / "t.csv").columns) == names


def test_a_header_can_be_said_to_be_there_or_not(tmp_path):
    (tmp_path / "t.csv").write_text("1.5,2.5\n3.5,4.5\n")
    assert list(read(tmp_path / "t.csv", header=True).columns) == ["1.5", "2.5"]
    (tmp_path / "u.csv").write_text("a,b\nc,d\n")
    assert read(tmp_path / "u.csv", header=False).n_rows == 2


@pytest.mark.parametrize("first", ["2 3\n", ""])
def test_word2vec_text_is_a_table_of_words_and_points(hyplane, fails, tmp_path, first):
    (tmp_path / "w.vec").write_text(f"{first}cat 0.5 0.25 0.125 \ndog 0 0 5e-324\n")
    outcome = hyplane("convert", "w.vec")
    assert outcome.err.startswith("points: x1, x2, x3 (3-D, ball)")
    assert outcome.out.splitlines()[1:] == ["cat,0.5,0.25,0.125", "dog,0.0,0.0,5e-324"]
    assert hyplane("info", "-", "--format", "word2vec", stdin=b"a 1 2\nb 3 4\n").code == 0
    (tmp_path / "w.vec").write_text(f"{first}cat 0.5 0.25\ndog 0\n")
    line = 3 if first else 2
    assert fails("info", "w.vec").startswith(f"w.vec, line {line}: 1 numbers after the word where")
    assert "not written as word2vec" in fails("convert", "t.csv", "-o", "u.vec")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"\xff\xfe\x00", "is not UTF-8 text"),
        ("t.csv", b'a,b\n1,"2\n', "line 2: unexpected end of data"),
        ("t.csv", b"a,a\n1,2\n", "two columns named 'a'"),
        ("t.npy", b"hello", "is not an NPY file that can be read"),
        ("t.npz", b"PK\x03\x04", "is not an NPZ file that can be read"),
        ("t.mat", b"hello" * 100, "is not a MATLAB file that can be read"),
        pytest.param(
            "t.parquet", b"hello", "is not a Parquet file that can be read", marks=needs_pyarrow
        ),
    ],
)
def test_a_file_in_another_format_is_refused(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read(tmp_path / name)


OBJECTS = np.array([{}, {}])


@pytest.mark.parametrize(
    ("name", "arrays", "words"),
    [
        ("t.npy", OBJECTS, "Python objects, which are not loaded"),
        ("t.npz", {"X": OBJECTS}, "Python objects, which are not loaded"),
        ("t.npz", {"X": np.zeros((3, 2)), "y": np.zeros(2)}, "number of rows: X 3, y 2"),
        ("t.npy", np.zeros((3, 2, 2)), r"shape \(3, 2, 2\)"),
        ("t.npy", np.zeros((0, 2**40), dtype=np.int8), "too many columns"),
    ],
)
def test_arrays_that_are_no_table_are_refused(tmp_path, name, arrays, words):
    if isinstance(arrays, dict):
        np.savez(tmp_path / name, allow_pickle=True, **arrays)
    else:
        np.save(tmp_path / name, arrays, allow_pickle=True)
    with pytest.raises(ValueError, match=words):
        read(tmp_path / name)


def test_the_format_is_that_of_the_extension(hyplane, fails, tmp_path):
    (tmp_path / "A.CSV").write_text("x1,x2\n0.1,0.2\n")
    (tmp_path / "points").write_text("x1\tx2\n0.1\t0.2\n")
    assert "2 columns" in hyplane("info", "A.CSV", "--format", "tsv").out
    assert "2 columns" in hyplane("info", "points", "--format", "tsv").out
    assert "2 columns" in hyplane("info", "-", stdin="x1,x2\n0.1,0.2\n").out
    assert "give --format" in fails("info", "points")


@pytest.mark.parametrize(
    ("chart", "n_dim", "names"),
    [
        (("ball",), 2, "ball_x1,ball_x2"),
        (("hyperboloid",), 2, "hyperboloid_x0,hyperboloid_x1,hyperboloid_x2"),
        (("polar",), 2, "polar_r,polar_theta"),
        (("polar",), 3, "polar_r,polar_x1,polar_x2,polar_x3"),
        (("klein", "--curvature", "-0.25"), 1, "klein_curvature-0.25_x1"),
    ],
)
def test_columns_are_named_after_the_chart(hyplane, chart, n_dim, names):
    out = hyplane("generate", "gaussians", "--dim", n_dim, "--coordinates", *chart).out
    assert out.splitlines()[0] == f"{names},label"


def test_what_the_command_writes_beside_points_is_taken_for_no_coordinate(hyplane):
    names = "node,x1,kind,label,label12,predicted,predicted_a,proba_b"
    out = hyplane(
        "convert", "-", "--label", "kind", stdin=f"{names}\n{','.join(8 * ['0.5'])}\n"
    ).err
    assert out == "points: x1 (1-D, ball)\n"


def test_a_column_named_twice_is_refused(fails, points):
    line = fails("fit", points, "--label", "kind", "--points", "x1,x1", "-o", "m.json")
    assert line == "the column 'x1' was named twice"


def test_an_error_about_a_point_is_told_in_terms_of_the_file(fails):
    text = "a,b,c\n1,0,0\n\n-1,0,0\n"
    line = fails("convert", "-", "--from", "hyperboloid", "--to", "ball", stdin=text)
    assert line.startswith("standard input, line 4, column 'a': the point is not on the hyperb")
    assert "pull them back explicitly with hyplane convert --clip-radius." in line
    assert line.endswith("Name the columns with --points if these are not the points.")
    line = fails("convert", "-", stdin="x,y\n0.1,0.2\n0.6,0.8\n")
    assert line.startswith("standard input, line 3: the point in x, y is not inside the Poincaré")
    line = fails("convert", "-", "--to", "klein", "--from", "tangent", stdin="x,y\n0.1,0.2\n60,0\n")
    assert "line 3: the point in x, y is at radius 60, farther out than klein" in line


def test_an_archive_of_a_later_zip_version_is_an_error(fails, tmp_path):
    np.savez(tmp_path / "t.npz", X=np.zeros((3, 2)))
    content = (tmp_path / "t.npz").read_bytes()
    entry = content.index(b"PK\x01\x02") + 6  # the version that is needed to read it
    (tmp_path / "t.npz").write_bytes(content[:entry] + b"\xd3\x00" + content[entry + 2 :])
    assert "not an NPZ file that can be read" in fails("info", "t.npz")
