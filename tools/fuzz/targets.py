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

from hyplane.cli.table_files import READERS
from hyplane.datasets import load_graph
from hyplane.native import certificate, charts, core, skipgram
from hyplane.persistence import ModelFileError, load_model

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
    calls = [
        *(_soft_margin, _certificate, _charts, _skipgram),
        *(_walks, _folds, _sizes, _blocks, _passes),
    ]
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


def _packed(draw: _Draw) -> tuple[Any, Any]:
    """Return a few valid points and labels of two kinds."""
    m, n = draw.integer(0, 9), draw.integer(1, 3)
    points = core.PackedPoints(m, n, bool(draw.integer(0, 1)))
    points.fill(0, np.abs(draw.array(m)), draw.directions(m, n))
    return points, np.array([draw.integer(0, 1) * 2 - 1 for _ in range(m)], dtype=np.int8)


def _sizes(draw: _Draw) -> None:
    """Ask for sizes that no memory holds, or of which nothing is taken."""
    sizes = (0, 1, 2, 2**55, 2**59, 2**63, 2**64 - 1)
    rows, columns = sizes[draw.integer(0, 6)], sizes[draw.integer(0, 6)]
    if draw.integer(0, 3) == 0:
        numbers = draw.array(draw.integer(0, 40))
        state = (rows, columns, bool(draw.integer(0, 1)), draw.number(), numbers)
        core.PackedPoints.__new__(core.PackedPoints).__setstate__(state)
    points = core.PackedPoints(rows, columns, bool(draw.integer(0, 1)))
    core.join([points, points])
    core.polar(points)
    none = np.empty(0), np.empty(0), np.empty((0, columns))
    X = np.broadcast_to(0.0, (min(rows, 2), columns))
    charts.scores(X, "ball", 1.0, *none, "product", draw.integer(1, 3))
    core.pack(X, "ball", 1.0, draw.integer(1, 3))


def _blocks(draw: _Draw) -> None:
    points, _ = _packed(draw)
    m, n, fits = points.n_rows, points.n_dim, draw.integer(0, 2)
    planes = np.hstack([draw.array(fits, 2), draw.directions(fits, n)])
    problems = np.array([draw.integer(-2, 4) for _ in range(3 * fits)], np.int32).reshape(fits, 3)
    if draw.integer(0, 1):
        codes = np.array([draw.integer(0, 1) for _ in range(2 * m)], np.int8).reshape(m, 2)
    else:
        codes = np.array([draw.integer(-1, 3) for _ in range(m)], np.int32)
    weights = np.abs(draw.array(m)) if draw.integer(0, 1) else None
    folds = np.array([draw.integer(-1, 2) for _ in range(m)], np.int32)
    sizes = [(0, 3, 100, draw.number())[draw.integer(0, 3)] for _ in range(3 * fits)]
    asked = np.hstack([np.reshape(sizes, (fits, 3)), draw.array(fits, 3), planes])
    sides = np.abs(draw.array(fits, 2)) if draw.integer(0, 1) else None
    answers = core.passes_of_block(points, codes, weights, folds, asked, problems, sides)
    for question, answer in zip(asked, answers, strict=True):
        core.merge_passes(answer, answer, question)


def _passes(draw: _Draw) -> None:
    """Descend by answers of which some numbers are anything, or that are anything."""
    points, labels = _packed(draw)
    m, n = points.n_rows, points.n_dim
    start = np.hstack([draw.array(1, 2), draw.directions(1, n)])
    limits = draw.number(), draw.integer(0, 60), draw.integer(0, 40), abs(draw.number())
    weights = np.abs(draw.array(m)) if draw.integer(0, 1) else np.ones(m)
    descent = core.Descent(points, labels, weights, abs(draw.number()), start, *limits)
    codes, problem = (labels > 0).astype(np.int32), np.array([[1, -1, -1]], dtype=np.int32)
    for _ in range(20):
        if descent.done:
            break
        asked = descent.ask()
        if draw.integer(0, 7):
            [answer] = core.passes_of_block(points, codes, weights, None, asked[None], problem)
            for _ in range(draw.integer(0, 2)):
                answer[draw.integer(0, len(answer) - 1)] = draw.number()
        else:
            answer = draw.array(draw.integer(0, 40))
        descent.tell(core.merge_passes(answer, answer, asked) if draw.integer(0, 1) else answer)
    descent.result()


def _certificate(draw: _Draw) -> None:
    m = draw.integer(0, 6)
    radius, angle, weights = np.abs(draw.array(m)), draw.array(m), draw.array(m)
    certificate.bound_objective(
        radius, angle, weights, abs(draw.number()), bool(draw.integer(0, 1)), draw.number(), 1e-3,
        0.05, draw.integer(0, 200),
    )  # fmt: skip


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


def _nodes(draw: _Draw, *shape: int) -> Any:
    """Return numbers of three nodes, now and then one that is not there."""
    low, high = (0, 2) if draw.integer(0, 3) else (-1, 4)
    return np.array(
        [draw.integer(low, high) for _ in range(int(np.prod(shape)))], dtype=np.int32
    ).reshape(shape)


def _skipgram(draw: _Draw) -> None:
    n, dim = 3 if draw.integer(0, 7) else draw.integer(0, 4), draw.integer(0, 3)
    pairs, negatives = draw.integer(0, 4), draw.integer(0, 2)
    arrays = draw.array(n, dim), draw.array(n, dim), draw.array(n)
    skipgram.train(
        *arrays, _nodes(draw, pairs), _nodes(draw, pairs), _nodes(draw, pairs, negatives),
        draw.integer(0, 5), draw.number(), draw.number(), bool(draw.integer(0, 1)),
    )  # fmt: skip


def _walks(draw: _Draw) -> None:
    n = 3 if draw.integer(0, 7) else draw.integer(0, 4)
    padded = (0, 8, 16, 24, 32, draw.integer(0, 9))[draw.integer(0, 5)]
    with np.errstate(all="ignore"):
        values = np.resize(draw.array(7), (n, padded)).astype(np.float32)
    shape = draw.integer(0, 3), draw.integer(0, 4)
    window, turns = draw.integer(0, 4), draw.integer(0, 5)
    narrowing = [draw.integer(0, window + draw.integer(0, 1)) for _ in range(shape[0] * shape[1])]
    starts = [draw.integer(-1 if draw.integer(0, 7) == 0 else 0, turns) for _ in range(n + 1)]
    skipgram.train_walks(
        values, values[::-1].copy(), _nodes(draw, *shape),
        np.array(narrowing, dtype=np.int64).reshape(shape), window,
        np.array(sorted(starts) if draw.integer(0, 7) else starts, dtype=np.int64),
        _nodes(draw, turns), np.frombuffer(draw.bytes(turns), dtype=np.uint8), draw.number(),
    )  # fmt: skip


def _folds(draw: _Draw) -> None:
    m, n = draw.integer(0, 8), draw.integer(1, 3)
    points = core.PackedPoints(m, n, bool(draw.integer(0, 1)))
    points.fill(0, np.abs(draw.array(m)), draw.directions(m, n))
    labels = np.array([draw.integer(0, 2) - 1 for _ in range(m)], dtype=np.int8)
    weights = np.abs(draw.array(m)) if draw.integer(0, 1) else None
    folds = np.array([draw.integer(-1, 3) for _ in range(m if draw.integer(0, 7) else 3)], np.int64)
    which = np.array([draw.integer(-2, 4) for _ in range(draw.integer(0, 4))], dtype=np.int64)
    Cs = np.abs(draw.array(draw.integer(0, 3)))
    planes = core.fit_folds(
        points, labels, weights, folds, which, Cs, draw.number(), draw.integer(0, 60), 0
    )
    assert planes.shape == (len(which) * len(Cs) * (n + 2),)
    assert np.isfinite(planes).all()


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
