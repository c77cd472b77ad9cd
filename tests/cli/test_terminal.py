"""What is seen on a terminal: how far it is while it runs, and no trace of it in the end."""

import os
import re
import signal
import struct
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tqdm")
pty = pytest.importorskip("pty", exc_type=ImportError)
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

pytestmark = pytest.mark.slow  # a process of its own for each test

# The entry point, with a clock that looks at once rather than after a second.
COMMAND = """
import sys, time
import hyplane._utils.progress as progress
progress.DELAY = 0.02
progress.LINE_SECONDS = 0.04
{slow}
from hyplane.cli import main
sys.exit(main(sys.argv[1:]))
"""
# A method of a class that takes its time.
SLOW = """
from {module} import {kind}
method = {kind}.{name}
def slow(*args, **kwargs):
    time.sleep({seconds}); {more}
    return method(*args, **kwargs)
{kind}.{name} = slow
"""


def slow_svc(name, seconds=0.3, more=""):
    module, kind = "hyplane", "HyperbolicSVC"
    return SLOW.format(module=module, kind=kind, name=name, seconds=seconds, more=more)


SLOW_BLOCKS = """
import hyplane.out_of_core.rows as rows
import hyplane._utils.validation as streams
import hyplane.classifiers._lazy_input as block_fits
streams.LEAST_BYTES = block_fits.MOST_ROWS = 0
rows.usual_rows = lambda n_columns: 20
""" + SLOW.format(module="hyplane.solvers", kind="Points", name="from_chart", seconds=0.1, more="")


def on_a_terminal(*arguments, slow="", stop_at=None):
    """Run the command with all its streams on a terminal; return the bytes and the exit code.

    It gets a Ctrl-C when the words `stop_at` appear.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(slow=slow), *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
        if stop_at is not None and stop_at.encode() in written:
            process.send_signal(signal.SIGINT)
            stop_at = None
    os.close(ours)
    return written.decode(), process.wait(60)


def screen_of(text):
    """Return the lines that are left on the screen; a return without a feed overwrites."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        cells = []
        for part in re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line).split("\r"):
            cells[: len(part)] = part
        lines.append("".join(cells).rstrip())
    return lines


@pytest.fixture
def table(tmp_path, data):
    file = tmp_path / "t.npz"
    np.savez(file, X=data[0], kind=data[1])
    return file


@pytest.fixture
def model(hyplane, table, tmp_path):
    hyplane("fit", table, "--label", "kind", "-o", tmp_path / "m.json")
    return tmp_path / "m.json"


def check_end_of_fit(lines, names, folder):
    """Check that a fit left its three lines on the screen, and nothing else."""
    points, fitted, *rest = lines
    assert points == f"points: {names} (2-D, ball); label: kind"
    assert fitted.startswith("fitted 60 points of 3 classes in ")
    assert rest == [f"wrote {folder / 'm.json'}", ""]


def test_a_fit_shows_the_time_and_leaves_no_trace(table, tmp_path):
    written, code = on_a_terminal(
        "fit", table, "--label", "kind", "-o", tmp_path / "m.json", slow=slow_svc("fit")
    )
    assert code == 0, written
    assert "fitting 60 points [00:00]" in written
    check_end_of_fit(screen_of(written), "X1, X2", tmp_path)


def test_predictions_show_a_bar_and_leave_no_trace(model, table, tmp_path):
    written, code = on_a_terminal(
        "predict", model, table, "-o", tmp_path / "p.csv", slow=slow_svc("predict")
    )
    assert code == 0, written
    assert re.search(r"\d+% \|.*\| predicting 60 points \[", written)
    assert screen_of(written) == [
        "points: X1, X2 (2-D, ball)",
        f"wrote 60 predictions to {tmp_path / 'p.csv'}",
        "",
    ]


def test_a_fit_part_by_part_counts_passes_and_rows_and_leaves_no_trace(data, tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"x1": data[0][:, 0], "x2": data[0][:, 1], "kind": data[1]}), file)
    written, code = on_a_terminal(
        "fit", file, "--label", "kind", "-o", tmp_path / "m.json", slow=SLOW_BLOCKS
    )
    assert code == 0, written
    for n_pass in (1, 2):
        assert re.search(rf"\d+% \|.*\| fitting, pass {n_pass}, [24]0 of 60 rows \[", written)
    check_end_of_fit(screen_of(written), "x1, x2", tmp_path)


def test_an_evaluation_shows_a_bar_and_then_its_table(table):
    # So many that it takes more than a moment.
    written, code = on_a_terminal("evaluate", table, "--label", "kind", "--trials", "60")
    assert code == 0, written
    assert re.search(r"\d+% \|.*\| evaluating \[", written)
    lines = screen_of(written)
    assert lines[0] == "points: X1, X2 (2-D, ball); label: kind"
    assert lines[1].startswith(f"{table}: 60 points in 2 dimensions")
    assert not any("evaluating" in line for line in lines)


def test_an_embedding_shows_a_bar_and_leaves_no_trace(tmp_path):
    arguments = ("--published", "--epochs", "20", "-o", tmp_path / "e.csv")
    written, code = on_a_terminal("embed", "polblogs", *arguments)
    assert code == 0, written
    assert re.search(r"\d+% \|.*\|", written)
    lines = screen_of(written)
    assert lines[-2] == f"wrote 1224 points to {tmp_path / 'e.csv'}"
    assert not any("%" in line for line in lines)


def test_ctrl_c_leaves_a_clean_screen_and_no_file(table, tmp_path):
    slow = slow_svc("fit", 60)
    arguments = ("fit", table, "--label", "kind", "-o", tmp_path / "m.json")
    written, code = on_a_terminal(*arguments, slow=slow, stop_at="60 points [00:00]")
    assert code == 130, written
    assert [line for line in screen_of(written) if line] == [
        "points: X1, X2 (2-D, ball); label: kind",
        "hyplane: error: interrupted; no file was left half written",
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["t.npz"]


def test_a_warning_has_a_line_of_its_own(table, tmp_path):
    slow = slow_svc("fit", more="import warnings; warnings.warn('beware')")
    written, code = on_a_terminal(
        "fit", table, "--label", "kind", "-o", tmp_path / "m.json", slow=slow
    )
    assert code == 0, written
    assert "hyplane: warning: beware" in screen_of(written)


def test_without_a_terminal_there_are_plain_lines(table, tmp_path):
    command = [sys.executable, "-c", COMMAND.format(slow=slow_svc("fit"))]
    arguments = ["fit", str(table), "--label", "kind", "-o", str(tmp_path / "m.json")]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert "\r" not in done.stderr
    assert "fitting 60 points, 0 s so far\n" in done.stderr
