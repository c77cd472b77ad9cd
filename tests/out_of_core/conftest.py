"""Rows on disk, small enough to be read in an instant."""

import numpy as np
import pytest

from hyplane.classifiers import _lazy_input
from hyplane.geometry import convert
from hyplane.solvers import tuning

WORDS = np.array(["ant", "bee", "cat", "dormouse"])


@pytest.fixture
def large(monkeypatch):
    """Make every memory map large, and no number of rows small enough to be gathered."""
    monkeypatch.setattr("hyplane._utils.validation.LEAST_BYTES", 0)
    monkeypatch.setattr(_lazy_input, "MOST_ROWS", 0)
    monkeypatch.setattr(tuning, "SAMPLE_ROWS", 1024)
    monkeypatch.setattr(tuning, "MOST_SAMPLED", 4096)
    monkeypatch.setattr("hyplane.out_of_core.rows.usual_rows", lambda n_columns: 1365)


@pytest.fixture(scope="session")
def rows():
    """Points of four classes, labels in words, and weights of which some are 0."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 8000)
    centers = np.array([[1.0, 0.0], [-1.0, 0.5], [0.0, 1.5], [0.2, -1.0]])
    V = centers[y] + rng.normal(size=(len(y), 2))
    X = convert(V, "tangent", "ball")
    return X, WORDS[y], rng.random(len(X)) * (rng.random(len(X)) > 0.1)


@pytest.fixture(scope="session")
def mapped(rows, tmp_path_factory):
    """Return the points as a memory map."""
    file = tmp_path_factory.mktemp("map") / "X.npy"
    np.save(file, rows[0])
    return np.load(file, mmap_mode="r")


@pytest.fixture(scope="session")
def table(rows, tmp_path_factory):
    """Return the same rows as a folder of three Parquet files, one of them empty."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    from hyplane.out_of_core import ParquetTable

    X, y, weight = rows
    folder = tmp_path_factory.mktemp("table")
    whole = pa.table({"x1": X[:, 0], "x2": X[:, 1], "label": y, "weight": weight})
    for name, part in {"a": whole[:3000], "b": whole[:0], "c": whole[3000:]}.items():
        parquet.write_table(part, folder / f"{name}.parquet", row_group_size=1000)
    return ParquetTable(folder)
