"""Text tables hold what Python's csv reader and float find, and faults are named."""

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hyplane.cli.options import TableFile
from hyplane.cli.table_files import read_table

CELLS = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(["", "a", "é", '"', '"a"', '"a,b"', '""', " 0.5", "1_0", "+1", "0x1", "nan"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=4),
)
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=6)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\r"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, end=ENDS)
def test_every_cell_is_the_one_that_pythons_csv_reader_finds(tmp_path, lines, end):
    text = end.join(",".join(cells) for cells in lines) + end
    file = tmp_path / "t.csv"
    file.write_text(text, encoding="utf-8", newline="")
    try:
        table = read_table(TableFile(str(file), header=False))
    except ValueError:
        return
    first = text.splitlines()[0]
    assume(not (";" in first and "," in first))  # it may have decimal commas
    delimiter = ";" if ";" in first else ","
    wanted = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    for place, column in enumerate(table.columns.values()):
        assert list(column) == [row[place] for row in wanted]
        numbers = [float(row[place]) for row in wanted] if table_is_plain(column) else None
        if numbers is not None and np.isfinite(numbers).all():
            found = table.numbers([str(place + 1)])
            assert found.tobytes() == np.array(numbers).tobytes()


def table_is_plain(column):
    """Whether all cells are numbers as every program writes them."""
    return all(
        re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*", cell, re.I | re.A)
        for cell in column
    )


@pytest.mark.parametrize("header", ["x1;x2;label\n", ""])
def test_decimal_commas_are_read_where_semicolons_separate(hyplane, header):
    text = f"{header}0,5;-0,25;a\n,1;1,5e-1;1,5\n0.125;0;b\n"
    out = hyplane("convert", "-", "--label", "label" if header else "3", stdin=text).out
    assert out.splitlines()[1:] == ["0.5,-0.25,a", "0.1,0.15,1.5", "0.125,0.0,b"]


def test_a_number_with_two_kinds_of_commas_is_refused(fails):
    line = fails("convert", "-", stdin="x1;x2\n0,5;0,25\n1.234,5;0,1\n")
    assert line.startswith("standard input, line 3, column 'x1': '1.234,5' is not a number")


def test_text_that_is_no_coordinate_stays_as_it_was(hyplane):
    text = "x1,x2,code,when\n0.10,0.2,007,1.50\n0.3,0.4,008,2.5e0\n"
    outcome = hyplane("convert", "-", "--points", "x1,x2", "--to", "klein", stdin=text)
    assert [line.split(",")[2:] for line in outcome.out.splitlines()[1:]] == [
        ["007", "1.50"],
        ["008", "2.5e0"],
    ]


def test_blanks_around_numbers_are_taken(hyplane):
    outcome = hyplane("convert", "-", stdin="x1, x2\n0.5, 0.25\n 1e-3 ,0\n")
    assert outcome.out.splitlines()[1:] == ["0.5,0.25", "0.001,0.0"]


def test_a_fault_in_the_bytes_is_named(fails):
    text = b"x1,x2,label\n0.1,0.2,\xff\n"
    line = fails("fit", "-", "--label", "label", "-o", "m.json", stdin=text)
    assert re.search(r"is not UTF-8 text \(byte 20\)", line)
