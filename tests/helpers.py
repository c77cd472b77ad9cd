"""What tests of several folders share."""

import importlib.util
import subprocess
import sys
import textwrap

import numpy as np
import pytest


def load_script(path):
    """Import a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_python(code, *words):
    """Run a program in a process of its own; code may be indented."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=500,
    )


def refuses(message, function, *arguments, **keywords):
    """Assert that a call raises a ValueError whose message matches a pattern."""
    with pytest.raises(ValueError, match=message):
        function(*arguments, **keywords)


def unit_rows(rng, m, n):
    """Return random unit vectors."""
    rows = rng.standard_normal((m, n))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def tangent_points(seed=0, m=40, n=2, radius=4.0):
    """Return points of random directions, with radii uniform up to some radius."""
    rng = np.random.default_rng(seed)
    direction = unit_rows(rng, m, n)
    return rng.uniform(0.0, radius, m)[:, None] * direction


def seeds_of(random_state, count=1):
    """Return the seeds that a classifier draws from its ``random_state``."""
    return np.random.RandomState(random_state).randint(2**31 - 1, size=count).tolist()


def signs(positive):
    """Return labels of a binary problem: 1 where positive, -1 elsewhere."""
    return np.where(positive, 1, -1).astype(np.int8)


def ring(n_classes=2, m=120, spread=0.5, seed=0, radius=1.5):
    """Return classes around points of a circle, in tangent coordinates."""
    rng = np.random.default_rng(seed)
    y = np.arange(m) % n_classes
    angle = 2 * np.pi * y / n_classes
    V = spread * rng.standard_normal((m, 2))
    return V + radius * np.column_stack([np.cos(angle), np.sin(angle)]), y


def tangent_svc(**parameters):
    """Return a HyperbolicSVC of tangent vectors with a seed."""
    from hyplane import HyperbolicSVC

    return HyperbolicSVC(**{"coordinates": "tangent", "random_state": 0, **parameters})


def several_labels(y):
    """Return an indicator matrix of four labels; all rows have the third, none the fourth."""
    return np.column_stack([y == 0, y != 2, np.ones(len(y)), np.zeros(len(y))]).astype(int)


def count_passes(blocks, before=lambda number: None):
    """Let blocks count the passes over them, and those prepared from them, in ``passes``.

    The function is called before each pass with its number.
    """

    class Counted(type(blocks)):
        passes = []  # noqa: RUF012 (one list for all copies)

        def map(self, function, *args):
            self.passes.append(function)
            before(len(self.passes))
            return super().map(function, *args)

    blocks.__class__ = Counted
    return blocks
