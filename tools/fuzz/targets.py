"""What the fuzzer calls: each target takes bytes and may raise only what its callers are told.

An error of a documented type is a right answer. Any other exception, a crash, a hang or a request
for much memory is a finding.
"""

import hashlib
import io
import json
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hyplane.cli._readers import READERS
from hyplane.datasets import load_graph
from hyplane.model_files import ModelFileError, load_model
from hyplane.native import certificate, charts, core, skipgram, surfaces

warnings.simplefilter("ignore")

_FOLDER = Path(tempfile.mkdtemp(prefix="hyplane-fuzz-"))


class _Named(io.BytesIO):
    """Bytes that say which file they are, as an open file does."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def model_file(data: bytes) -> None:
    """Load a model file whose checksum is made to fit, and predict with it."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        head = ("format", "format_version", "sha256")
        body = {name: value for name, value in document.items() if name not in head}
        text = json.dumps(body, sort_keys=True)
        document["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        data = json.dumps(document).encode()
    path = _FOLDER / "model.json"
    path.write_bytes(data)
    try:
        estimator = load_model(path)
    except ModelFileError:
        return
    columns = getattr(estimator, "n_features_in_", 2)
    if isinstance(columns, int) and 0 < columns < 50:
        try:
            estimator.predict(np.full((2, columns), 0.1))
        except ValueError:
            return


def _table(data: bytes, kinds: list[str]) -> None:
    kind = kinds[data[0] % len(kinds)] if data else kinds[0]
    try:
        READERS[kind](_Named(data[1:], f"table.{kind}"), f"table.{kind}", None)
    except ValueError:
        return


def table_text(data: bytes) -> None:
    """Read CSV and TSV."""
    _table(data, ["csv", "tsv"])


def table_binary(data: bytes) -> None:
    """Read NPY and NPZ files."""
    _table(data, ["npy", "npz"])


def table_mat(data: bytes) -> None:
    """Read MATLAB files: a few a second, since each is read in a process of its own."""
    _table(data, ["mat"])


def _graph(data: bytes, kinds: list[tuple[str, str | None]]) -> None:
    name, format = kinds[data[0] % len(kinds)] if data else kinds[0]
    try:
        load_graph(_Named(data[1:], name), format=format)
    except ValueError:
        return


def graph_text(data: bytes) -> None:
    """Read edge lists, GML, GraphML and matrices as text."""
    _graph(data, [("g.txt", None), ("g.gml", None), ("g.graphml", None), ("g.csv", "adjacency")])


def graph_binary(data: bytes) -> None:
    """Read matrices in NPY, NPZ and Matrix Market files."""
    _graph(data, [("g.npy", None), ("g.npz", None), ("g.mtx", None)])


class _Draw:
    """Arguments for compiled functions, taken from bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def bytes(self, count: int) -> bytes:
        taken = self.data[self.place : self.place + count]
        self.place += count
        return taken + bytes(count - len(taken))

    def integer(self, low: int, high: int) -> int:
        return low + int.from_bytes(self.bytes(2), "little") % (high - low + 1)

    def number(self) -> float:
        """Return any double; half of the time one of ordinary size."""
        if self.integer(0, 1):
            return float(np.frombuffer(self.bytes(8), dtype=np.float64)[0])
        return self.integer(0, 40_000) / 10_000 - 2.0

    def array(self, *shape: int) -> Any:
        return np.array([self.number() for _ in range(int(np.prod(shape)))]).reshape(shape)

    def directions(self, rows: int, columns: int) -> Any:
        """Return unit vectors, or now and then something else."""
        values = self.array(rows, columns)
        if self.integer(0, 7):
            with np.errstate(all="ignore"):
                values = np.nan_to_num(values, nan=0.5, posinf=1.0, neginf=-1.0)
                values /= np.maximum(np.abs(values).max(axis=1, initial=0.0), 1e-300)[:, None]
                norms = np.linalg.norm(values, axis=1)
            values = np.where(norms[:, None] > 0, values / np.maximum(norms, 1e-3)[:, None], 0.0)
            values[norms == 0, :1] = 1.0
        return np.ascontiguousarray(values)


def native(data: bytes) -> None:
    """Call a compiled function with drawn arguments."""
    draw = _Draw(data)
    calls = [_soft_margin, _certificate, _charts, _skipgram, _votes, _linalg, _surfaces]
    call = calls[draw.integer(0, len(calls) - 1)]
    try:
        call(draw)
    except (ValueError, TypeError, MemoryError, IndexError, OverflowError):
        return


def _soft_margin(draw: _Draw) -> None:
    m, n = draw.integer(0, 6), draw.integer(0, 4)
    points = core.PackedPoints(m, n, bool(draw.integer(0, 1)))
    points.fill(draw.integer(0, 2), np.abs(draw.array(m)), draw.directions(m, n))
    labels = np.array([draw.integer(0, 2) - 1 for _ in range(m)], dtype=np.int8)
    weights = np.abs(draw.array(m)) if draw.integer(0, 1) else None
    starts = draw.array(1, n + 2) if draw.integer(0, 3) == 0 else None
    C, tol = draw.number(), draw.number()
    core.solve_soft_margin(points, labels, weights, C, tol, draw.integer(0, 60), 0, starts)
    core.loss_and_gradient(points, labels, weights, C, 0.0, draw.number(), draw.directions(1, n)[0])


def _certificate(draw: _Draw) -> None:
    m = draw.integer(0, 6)
    radius, angle, weights = np.abs(draw.array(m)), draw.array(m), draw.array(m)
    certificate.bound_objective(
        radius, angle, weights, abs(draw.number()), bool(draw.integer(0, 1)), draw.number(), 1e-3,
        0.05, draw.integer(0, 200),
    )  # fmt: skip
    certificate.bound_box(radius, angle, weights, draw.array(3), draw.array(3))


def _charts(draw: _Draw) -> None:
    chart = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")[draw.integer(0, 5)]
    m, n, planes = draw.integer(0, 9), draw.integer(0, 5), draw.integer(0, 3)
    X = draw.array(m, n)
    if draw.integer(0, 1):
        with np.errstate(all="ignore"):
            X = X.astype(np.float32)
    if draw.integer(0, 1):
        X = np.asfortranarray(X)
    k, threads = draw.number(), draw.integer(0, 3)
    charts.to_polar(X, chart, k, threads)
    shape = draw.integer(0, 5)
    arrays = draw.array(planes), draw.array(planes), draw.directions(planes, shape)
    kind = ("arsinh_product", "product", "signed_distance", "other")[draw.integer(0, 3)]
    charts.scores(X, chart, k, *arrays, kind, threads)
    charts.decide(X, chart, k, *arrays, threads)
    charts.scores_polar(np.abs(draw.array(m)), draw.directions(m, n), *arrays, kind, threads)


def _skipgram(draw: _Draw) -> None:
    functions = [getattr(skipgram, name) for name in dir(skipgram) if name[0] != "_"]
    function = functions[draw.integer(0, len(functions) - 1)]
    if not callable(function) or isinstance(function, type):
        return
    arguments: list[Any] = []
    for _ in range(draw.integer(0, 12)):
        kind = draw.integer(0, 4)
        size = draw.integer(0, 5)
        arguments.append(
            [draw.number(), draw.integer(-3, 9), draw.array(size), draw.array(size, 2),
             np.array([draw.integer(-3, 9) for _ in range(size)], dtype=np.int64)][kind]
        )  # fmt: skip
    function(*arguments)


def _votes(draw: _Draw) -> None:
    charts.one_vs_one_votes(draw.array(draw.integer(0, 4), draw.integer(0, 7)), draw.integer(-2, 6))


def _linalg(draw: _Draw) -> None:
    n = draw.integer(0, 4)
    factor = core.cholesky(draw.array(n, draw.integer(0, 4)), draw.number())
    if factor is not None:
        core.solve_triangular(factor, draw.array(draw.integer(0, 5)), bool(draw.integer(0, 1)))


def _surfaces(draw: _Draw) -> None:
    m, n = draw.integer(0, 6), draw.integer(0, 4)
    radius, direction = np.abs(draw.array(m)), draw.directions(m, n)
    level, sign = draw.number(), (1.0, -1.0, draw.number())[draw.integer(0, 2)]
    w = draw.array(n + 1 if draw.integer(0, 7) else draw.integer(0, 6))
    scores = surfaces.scores(radius, direction, draw.number(), w, level, sign)
    assert scores.shape == (m,)
    objective = surfaces.SurfaceObjective(radius, direction, draw.array(m), abs(draw.number()))
    kind = list(surfaces.Kind)[draw.integer(0, 2)]
    needed = n + (3 if kind is surfaces.Kind.ANY else 2)
    theta = draw.array(needed if draw.integer(0, 7) else draw.integer(0, 9))
    _, gradient = objective.evaluate(kind, sign, theta)
    assert gradient.shape == theta.shape
    objective.descend(kind, sign, theta, draw.number(), draw.integer(-2, 60))


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each
    for each in (
        *(model_file, table_text, table_binary, table_mat, graph_text, graph_binary, native),
    )
}


def remove_folder() -> None:
    """Remove the files of this process."""
    for path in _FOLDER.iterdir():
        os.unlink(path)
    _FOLDER.rmdir()
