"""Matrix Market files: what SciPy writes is read, and what crashes SciPy is an error."""

import io
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite

from hyplane.datasets import load_graph


def load(content):
    file = io.BytesIO(content)
    file.name = "graph.mtx"
    return load_graph(file).graph


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
@pytest.mark.parametrize("layout", [sp.coo_array, np.asarray])
def test_what_scipy_writes_is_read_back(layout, field, symmetry):
    if field == "pattern" and layout is np.asarray:
        pytest.skip("a pattern is sparse")
    A = np.random.default_rng(0).integers(0, 2, (6, 6)) * 3.0
    A = np.tril(A, -1) + (np.tril(A, -1).T if symmetry == "symmetric" else 0.0)
    content = io.BytesIO()
    mmwrite(content, layout(A), field=field, symmetry=symmetry)
    warned = (
        pytest.warns(UserWarning, match="is directed") if symmetry == "general" else nullcontext()
    )
    with warned:
        graph = load(content.getvalue())
    edges = {tuple(sorted(edge)) for edge in graph.edges}
    assert edges == {tuple(sorted(edge)) for edge in np.argwhere(A).tolist()}


@pytest.mark.parametrize(
    "tail", [b"4 3 2 ", b"4 3", b"9 1 1\n", b"0 1 1\n", b"1 1 \0\0 1\n", b"", b"1_0 1 1\n", b"x"]
)
def test_damaged_files_are_refused_where_scipy_may_crash(tail):
    head = b"%%MatrixMarket matrix coordinate real symmetric\n%\n4 4 2\n2 1 1\n"
    if tail == b"4 3 2 ":
        assert sorted(load(head + tail).edges(data="weight")) == [(0, 1, 1.0), (2, 3, 2.0)]
    else:
        with pytest.raises(ValueError, match=r"graph\.mtx is not a readable adjacency matrix"):
            load(head + tail)
