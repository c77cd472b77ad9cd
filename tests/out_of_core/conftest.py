"""Rows on disk, small enough to be read in an instant."""

import numpy as np
import pytest

from hyplane.geometry import convert

WORDS = np.array(["ant", "bee", "cat", "dormouse"])


@pytest.fixture
def large(limits):
    """Make every memory map large, and no number of rows small enough to be gathered."""
    limits(LEAST_BYTES=0, MOST_ROWS=0, SAMPLE_ROWS=1024, MOST_SAMPLED=4096,
           usual_rows=lambda n_columns: 1365)  # fmt: skip


@pytest.fixture(scope="session")
def rows():
    """Points of four classes, labels in words, and weights of which some are 0."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 8000)
    centers = np.array([[1.0, 0.0], [-1.0, 0.5], [0.0, 1.5], [0.2, -1.0]])
    V = centers[y] + rng.normal(size=(len(y), 2))
    X = convert(V, "tangent", "ball")
    return X, WORDS[y], rng.random(len(X)) * (rng.random(len(X)) > 0.1)


# With some other seeds one class of three has several minima close together, up to 7e-7 apart, and
# blocks and memory end in different ones.
def _clouds(n_classes=2, m=6000, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=m)
    angle = 2 * np.pi * y / n_classes
    centers = 1.2 * np.column_stack([np.cos(angle), np.sin(angle)])
    return centers + rng.normal(size=(m, 2)), y


@pytest.fixture(scope="session")
def clouds():
    """Return a function that makes clouds around a circle, in tangent coordinates."""
    return _clouds


@pytest.fixture(scope="session")
def mapped(rows, tmp_path_factory):
    """Return the points as a memory map."""
    file = tmp_path_factory.mktemp("map") / "X.npy"
    np.save(file, rows[0])
    return np.load(file, mmap_mode="r")


@pytest.fixture
def write_table(tmp_path):
    """Return a function that writes columns to Parquet files and returns their table.

    The files end at the rows of ``cuts``.
    """
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    from hyplane.out_of_core import ParquetTable

    def write(columns, folder="table", cuts=(), row_group_size=None):
        whole = pa.table(columns)
        (tmp_path / folder).mkdir()
        for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(whole)], strict=True)):
            file = tmp_path / folder / f"{number}.parquet"
            parquet.write_table(whole[begin:end], file, row_group_size=row_group_size)
        return ParquetTable(tmp_path / folder)

    return write


@pytest.fixture
def table(rows, write_table):
    """Return the same rows as a folder of three Parquet files, one of them empty."""
    X, y, weight = rows
    columns = {"x1": X[:, 0], "x2": X[:, 1], "label": y, "weight": weight}
    return write_table(columns, cuts=(3000, 3000), row_group_size=1000)
