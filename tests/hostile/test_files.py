"""Files that lie about what they hold, and numbers in writings that only Python knows."""

import gzip
import io
import random
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from scipy.io import savemat

from hyplane.cli import main
from hyplane.datasets import fetch, load_graph

TABLE = "x1,x2,label\n0.1,0.2,a\n-0.1,0.3,b\n0.2,0.2,a\n-0.2,0.1,b\n"


def refused(capsys, *words):
    assert main(list(words)) in (1, 2)
    error = capsys.readouterr().err
    assert error.startswith("hyplane: error: ")
    assert "bug" not in error
    return error


@pytest.fixture
def fit(tmp_path, capsys):
    """Fit a table that is refused, and return the line of the error."""

    def run(name, content):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        output = str(tmp_path / "m.json")
        return refused(capsys, "fit", str(tmp_path / name), "--label", "label", "-o", output)

    return run


@pytest.mark.parametrize("cell", ["0.1_0", "٠.١", "1_0"])
def test_numbers_in_unusual_writing_are_no_numbers(fit, cell):
    assert f"{cell!r} is not a number" in fit("t.csv", TABLE.replace("0.1,", f"{cell},", 1))


def test_arrays_whose_columns_share_a_name_are_refused(fit):
    buffer = io.BytesIO()
    np.savez(buffer, X=np.zeros((2, 2)), X1=np.zeros(2), label=np.array(["a", "b"]))
    assert "two columns named 'X1'" in fit("t.npz", buffer.getvalue())


def test_an_archive_of_other_files_is_refused(fit):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert "holds no array of one or two dimensions" in fit("t.npz", buffer.getvalue())


def mat(**arrays):
    buffer = io.BytesIO()
    savemat(buffer, arrays)
    return buffer.getvalue()


def test_complex_points_of_a_mat_file_are_refused(fit):
    content = mat(X=np.array([[0.1 + 1j, 0], [0.2, 0.3]]), label=np.array([0, 1]))
    assert "column 'X1': the numbers are complex" in fit("t.mat", content)


@pytest.mark.slow
def test_a_damaged_mat_file_never_ends_the_command(tmp_path, capsys):
    content = mat(X=np.zeros((4, 2)), label=np.array(["a", "b", "a", "b"], dtype=object))
    draw = random.Random(0)
    for _ in range(40):
        broken = bytearray(content)
        for _ in range(3):
            broken[draw.randrange(116, len(broken))] = draw.randrange(256)
        (tmp_path / "t.mat").write_bytes(broken)
        assert main(["convert", str(tmp_path / "t.mat"), "--label", "label"]) in (0, 1)
        capsys.readouterr()


def test_a_model_is_not_written_over_its_table(tmp_path, capsys):
    file = tmp_path / "t.csv"
    file.write_text(TABLE)
    assert "would replace" in refused(capsys, "fit", str(file), "--label", "label", "-o", str(file))
    assert file.read_text() == TABLE


def test_a_table_of_twenty_thousand_columns_is_read(fit):
    names = ",".join(f"x{place}" for place in range(20_000))
    zeros = ",".join(["0.0"] * 20_000)
    assert "one class only" in fit("t.csv", f"{names},label\n{zeros},a\n{zeros},a\n")


@pytest.mark.parametrize(
    ("words", "closed"),
    [("convert -", "<&-"), ("generate tree --depth 1", ">&-"), ("--version", ">&-")],
)
def test_a_closed_stream_is_named(words, closed):
    command = f"{sys.executable} -m hyplane {words} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "put is closed" in done.stderr


def test_quotation_marks_hold_a_name_together(tmp_path):
    (tmp_path / "g.csv").write_text('source,target\n"Smith, Ann",bob\nbob,cid\n')
    (tmp_path / "g.txt").write_text('"Ann Smith" bob\nbob cid\n')
    assert load_graph(tmp_path / "g.csv").node_names.tolist() == ["Smith, Ann", "bob", "cid"]
    assert load_graph(tmp_path / "g.txt").node_names.tolist() == ["Ann Smith", "bob", "cid"]
    (tmp_path / "g.csv").write_text('"a,b\nb,c\n')
    with pytest.raises(ValueError, match="line 1: the quotation marks do not close"):
        load_graph(tmp_path / "g.csv")


def test_other_digits_are_names_of_nodes(tmp_path):
    (tmp_path / "g.txt").write_text("١ ٢\n")
    assert load_graph(tmp_path / "g.txt").node_names.tolist() == ["١", "٢"]


def test_a_packed_file_that_fills_the_memory_is_refused(tmp_path):
    (tmp_path / "g.txt.gz").write_bytes(gzip.compress(b"1 2\n" * 20_000_000, 9))
    with pytest.raises(ValueError, match="unpacks to more than 200 times its size"):
        load_graph(tmp_path / "g.txt.gz")


def test_an_archive_that_fills_the_memory_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "g.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        buffer = io.BytesIO()
        np.save(buffer, np.zeros((3000, 3000)))
        archive.writestr("X.npy", buffer.getvalue())
    with pytest.raises(ValueError, match="unpacks to more than 200 times"):
        load_graph(tmp_path / "g.npz")


def test_an_array_larger_than_its_file_is_refused(tmp_path, fit):
    buffer = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**3)}
    np.lib.format.write_array_header_1_0(buffer, header)
    assert "is not an NPY file that can be read" in fit("t.npy", buffer.getvalue())


@pytest.mark.parametrize(
    "signs", ["-" * 9000 + "1", "1**" * 3000 + "1", "(" * 90 + ")" * 90, "a()"]
)
def test_a_header_that_would_be_evaluated_is_refused(tmp_path, fit, signs):
    content = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({signs},)}}".encode()
    array = b"\x93NUMPY\x01\x00" + len(content).to_bytes(2, "little") + content + bytes(64)
    assert "is not an NPY file that can be read" in fit("t.npy", array)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("X.npy", array)
    assert "is not an NPZ file that can be read" in fit("t.npz", buffer.getvalue())
    (tmp_path / "g.npy").write_bytes(array)
    with pytest.raises(ValueError, match=r"is not an NP[YZ] file that can be read"):
        load_graph(tmp_path / "g.npy")


def test_headers_with_unusual_names_are_read(tmp_path, capsys):
    records = np.zeros(2, dtype=[("it's", float), ('a "b" (c', float), ("d\\e", float)])
    np.save(tmp_path / "t.npy", records)
    points = ["--points", "it's", "--points", "d\\e"]
    assert main(["convert", str(tmp_path / "t.npy"), *points]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    "lines",
    [
        "coordinate real general\n300000000 300000000 1\n1 2 1.0\n",
        "coordinate real general\n3 3 1000000000000\n1 2 1.0\n",
        "array real general\n1000000 1000000\n1.0\n",
        "coordinate real general\n3 3 1\n4 1 1.0\n",
        "coordinate real general\n3 3 1\n0 1 1.0\n",
        "coordinate complex general\n3 3 1\n1 1 1.0 0.0\n",
    ],
)
def test_a_matrix_that_claims_more_than_it_holds_is_refused(tmp_path, lines):
    (tmp_path / "g.mtx").write_text(f"%%MatrixMarket matrix {lines}")
    with pytest.raises(ValueError, match=r"g\.mtx"):
        load_graph(tmp_path / "g.mtx")


@pytest.mark.parametrize(
    ("url", "path", "sha256"),
    [
        ("file:///etc/hostname", "x", None),
        ("ftp://example.org/x", "x", None),
        ("http://example.org/x", "x", None),
        ("https://example.org/x", "../x", None),
        ("https://example.org/x", "a/../../x", None),
        ("https://example.org/x", "/x", None),
        ("https://example.org/x", "", None),
        ("https://example.org/x", "x", "abc"),
    ],
)
def test_addresses_and_places_that_lead_elsewhere_are_not_fetched(tmp_path, url, path, sha256):
    with pytest.raises(ValueError, match=r"https|below the data folder|64 hexadecimal"):
        fetch(url, path, sha256=sha256, data_home=tmp_path)


def test_a_device_is_no_file(capsys):
    assert "this is a device" in refused(capsys, "predict", "/dev/zero", "/dev/zero")
