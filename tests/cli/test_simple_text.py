"""Text that is read by columns at once is the same table as the careful reader's."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hyplane.cli import _text_files
from hyplane.cli._formats import read_table
from hyplane.cli._tables import Table
from hyplane.cli._text import coded, floats_of, whole_numbers_of
from hyplane.cli._text_files import read_carefully, read_simple, split_columns

CELLS = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(["", "a", "é", '"', '"a"', '"a,b"', '""', " 0.5", "1_0", "+1", "0x1", "nan"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=4),
)
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=6)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\r"])


def content(table):
    return {name: list(column) for name, column in table.columns.items()}


@pytest.fixture(params=["pyarrow", "split"])
def reader(request):
    """Read with pyarrow, and as where it is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "pyarrow":
            pytest.importorskip("pyarrow")
        else:
            patch.setattr(_text_files, "find_spec", lambda name: None)
        yield request.param


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, end=ENDS)
def test_whatever_the_fast_reader_takes_is_what_the_careful_one_reads(reader, lines, end):
    text = end.join(",".join(cells) for cells in lines) + end
    fast = read_simple(text.encode(), ",", "t.csv", None)
    if fast is None:
        return
    slow = read_carefully(text, ",", "t.csv", None)
    assert content(fast) == content(slow)
    assert fast.named == slow.named
    assert list(fast.lines) == list(slow.lines)
    for name in fast.columns:
        for convert in (floats_of, whole_numbers_of):
            a, b = convert(fast.columns[name]), convert(slow.columns[name])
            np.testing.assert_array_equal(a, b)
        words, codes = coded(fast.columns[name])
        assert [words[code] for code in codes] == list(slow.columns[name])


@pytest.mark.parametrize(
    "text",
    [
        "x1,x2,label\n0.1,0.2,a\n0.3,0.4,b\n",
        "x1,x2,label\r\n0.1,0.2,a\r\n0.3,0.4,b\r\n",
        '"x1","x2","label"\n0.1,0.2,"a"\n0.3,0.4,"b c"\n',
        "x1,x2,label\n0.1,0.2,a\n0.3,0.4,b",
        "0.1,0.2,a\n0.3,0.4,b\n",
    ],
)
def test_usual_files_are_read_fast(text):
    pytest.importorskip("pyarrow")
    assert read_simple(text.encode(), ",", "t.csv", None) is not None


def test_without_pyarrow_usual_files_are_read_fast_too():
    assert split_columns(b"0.1,a\r\n0.2,b\r\n", ",", 2) == [("0.1", "0.2"), ("a", "b")]
    assert split_columns(b"0.1,a\n0.2\n", ",", 2) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0.1", "line 5001: 1 cells where the first line has 3"),
        ("0.1,abc,a", "line 5001, column 'x2': 'abc' is not a number"),
        ("0.1,,a", "line 5001, column 'x2': the cell is empty"),
        ("0.1,1_0,a", "line 5001, column 'x2': '1_0' is not a number"),
        ("0.1,nan,a", "line 5001, column 'x2': nan is not a finite number"),
        ("0.1,0.2,", "line 5001, column 'label': the label is missing"),
        ('0.1,0.2,"a', "line 6001: unexpected end of data"),
        ("0.9,0.9,a", "line 5001: the point in x1, x2 is not inside the Poincaré ball"),
    ],
)
def test_a_fault_far_down_is_named_by_line_and_column(fails, reader, line, words):
    lines = ["x1,x2,label", *(f"0.{row % 7 + 1},0.2,{'ab'[row % 2]}" for row in range(6000))]
    lines[5000] = line
    text = "\n".join(lines) + "\n"
    assert words in fails("fit", "-", "--label", "label", "-o", "m.json", stdin=text)


def test_text_that_is_no_coordinate_stays_as_it_was(hyplane, reader):
    text = "x1,x2,code,when\n0.10,0.2,007,1.50\n0.3,0.4,008,2.5e0\n"
    outcome = hyplane("convert", "-", "--points", "x1,x2", "--to", "klein", stdin=text)
    assert [line.split(",")[2:] for line in outcome.out.splitlines()[1:]] == [
        ["007", "1.50"],
        ["008", "2.5e0"],
    ]


def test_blanks_around_numbers_are_taken(tmp_path, reader):
    (tmp_path / "t.csv").write_text("x1, x2\n0.5, 0.25\n 1e-3 ,0\n")
    table: Table = read_table(str(tmp_path / "t.csv"))
    assert table.numbers(["x1", "x2"]).tolist() == [[0.5, 0.25], [0.001, 0.0]]


def test_a_fault_in_the_bytes_is_named(fails, reader):
    text = b"x1,x2,label\n0.1,0.2,\xff\n"
    line = fails("fit", "-", "--label", "label", "-o", "m.json", stdin=text)
    assert re.search(r"is not UTF-8 text \(byte 20\)", line)
