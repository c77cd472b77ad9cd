"""The command in this process, with its exit code and what it wrote."""

import contextlib
import io
import sys
from typing import NamedTuple

import numpy as np
import pytest

from hyplane.cli import main
from hyplane.datasets import make_hyperbolic_gaussians


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def hyplane(capsys, monkeypatch, tmp_path):
    def run(*arguments, stdin=""):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    with contextlib.chdir(tmp_path):
        yield run


@pytest.fixture
def fails(hyplane):
    """Run a command that must fail, and return its one line on the standard error.

    Before it may stand what was taken for the points.
    """

    def run(*arguments, code=1, stdin=""):
        outcome = hyplane(*arguments, stdin=stdin)
        assert outcome.code == code, outcome
        assert outcome.out == ""
        *before, line = outcome.err.splitlines()
        assert all(each.startswith("points: ") for each in before)
        assert line.startswith("hyplane: error: ")
        return line.removeprefix("hyplane: error: ")

    return run


@pytest.fixture
def data():
    X, y = make_hyperbolic_gaussians(60, n_classes=3, random_state=2)[:2]
    return X, np.array(["ant", "bee", "cat"])[y]


@pytest.fixture
def points(tmp_path, data):
    """Write a CSV file of points and their classes."""
    file = tmp_path / "points.csv"
    rows = [
        f"{x1!r},{x2!r},{name}" for (x1, x2), name in zip(data[0].tolist(), data[1], strict=True)
    ]
    file.write_text("\n".join(["x1,x2,kind", *rows]) + "\n")
    return file
