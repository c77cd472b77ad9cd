"""Labels, names of columns and files, and models cannot control the terminal or forge a line."""

import csv
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EVIL = "a\x1b[2J\x07\r\x9b2J\u202e\nforged: all is well"


def is_harmless(text):
    """Whether text has no control character but line ends, and none of them came from EVIL."""
    unsafe = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
    return unsafe is None and not re.search("^forged", text, re.MULTILINE)


@pytest.fixture
def evil(tmp_path, data):
    """Write a table whose file name, column names and classes are all evil."""
    file = tmp_path / f"{EVIL}.csv"
    X, y = data
    with open(file, "w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow([f"{EVIL}1", f"{EVIL}2", f"{EVIL}label"])
        writer.writerows((*x, f"{name}{EVIL}") for x, name in zip(X.tolist(), y, strict=True))
    return file


@pytest.fixture
def model(hyplane, evil):
    names = f"{EVIL}1", "--points", f"{EVIL}2"
    outcome = hyplane("fit", evil, "--label", f"{EVIL}label", "--points", *names, "-o", "m.json")
    assert outcome.code == 0, outcome.err
    assert is_harmless(outcome.err)
    return "m.json"


def test_what_is_said_of_a_table_is_harmless(hyplane, evil):
    outcome = hyplane("info", evil)
    assert outcome.code == 0
    assert r"a\x1b[2J\x07\r\x9b2J\u202e\nforged" in outcome.out
    assert is_harmless(outcome.out + outcome.err)


def test_what_is_said_of_a_model_is_harmless(hyplane, model):
    document = json.loads(Path(model).read_text())
    document["hyplane_version"] = EVIL
    head = ("format", "format_version", "sha256")
    body = {name: value for name, value in document.items() if name not in head}
    text = json.dumps(body, sort_keys=True)
    document["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    Path(model).write_text(json.dumps(document))
    outcome = hyplane("info", model)
    assert outcome.code == 0, outcome.err
    assert r"hyplane a\x1b" in outcome.out
    assert is_harmless(outcome.out + outcome.err)


@pytest.mark.parametrize(
    "words",
    [
        ("score", "m.json", "{table}"),
        ("evaluate", "{table}", "--label", f"{EVIL}label", "--methods", "klein", "--trials", "2"),
        ("predict", "m.json", "{table}", "-o", f"{EVIL}.out.csv"),
        ("plot", "{table}", "--label", f"{EVIL}label", "--model", "m.json", "-o", f"{EVIL}.svg"),
        ("explore", "{table}", "--label", f"{EVIL}label", "--model", "m.json", "-o", f"{EVIL}.htm"),
        ("fit", "{table}", "--label", EVIL, "-o", "m.json"),
        ("fit", "{table}", "--label", f"{EVIL}1", "-o", "m.json"),
        ("fit", f"{EVIL}.csv", "--label", "x", "-o", "m.json"),
        ("fit", "{table}", "--method", EVIL),
        ("predict", "{table}", "{table}"),
        ("info", f"{EVIL}.json"),
        ("convert", "{table}", "--to", EVIL),
        ("--debug", "score", "m.json", f"{EVIL}.csv"),
        (EVIL,),
    ],
    ids=lambda words: words[0] if words[0] != EVIL else "command",
)
def test_what_a_command_says_is_harmless(hyplane, evil, model, words):
    outcome = hyplane(*(str(evil) if word == "{table}" else word for word in words))
    assert outcome.err or outcome.out
    assert is_harmless(outcome.out + outcome.err)


def test_tables_for_other_programs_keep_every_character(hyplane, evil, model):
    outcome = hyplane("predict", model, evil)
    assert EVIL in outcome.out


def test_a_table_on_a_terminal_is_harmless(evil, model):
    pty = pytest.importorskip("pty", exc_type=ImportError)
    ours, theirs = pty.openpty()
    code = "import sys; from hyplane.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "predict", model, str(evil)], stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    found = b""
    try:
        while part := os.read(ours, 4096):
            found += part
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    assert rb"a\x1b[2J\x07" in found
    assert not set(found) & {0x1B, 0x07}
