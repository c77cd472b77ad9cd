"""The benchmark files that the authors of the paper published with their MATLAB code."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils import Bunch

from hyplane._utils.files import read_bytes
from hyplane._utils.progress import progress
from hyplane.datasets.download import fetch
from hyplane.datasets.mat_files import read_matrices
from hyplane.geometry import check_points

# Commits and not branches, so that the files never change.
_ADDRESS = "https://raw.githubusercontent.com/hhcho/hyplinear"
_COMMITS = {
    "gaussian": "2570f7abb532d9d7c0f31d60deea384bfb92b158",
    "randnet": "f4b74e06047bbe20bdbd0275ac8adafda3edc895",
    "realnet": "f4b74e06047bbe20bdbd0275ac8adafda3edc895",
}
_NETWORKS = ("karate", "polbooks", "football", "polblogs")
COLLECTIONS = tuple(_COMMITS)


def fetch_hyplinear(
    collection: str,
    *,
    subset: list[str] | None = None,
    data_home: str | os.PathLike[str] | None = None,
) -> list[Bunch]:
    """Fetch the data sets published with the paper, from the repository hhcho/hyplinear.

    Parameters
    ----------
    collection : {"gaussian", "randnet", "realnet"}
        - ``"gaussian"``: 100 mixtures of four hyperbolic Gaussians, named ``"001"`` to ``"100"``;
        - ``"randnet"``: 10 popularity-similarity networks of 500 nodes with the coordinates that
          LaBNE gave them, named ``"1"`` to ``"10"``;
        - ``"realnet"``: 20 embeddings of the real networks, five each, named ``"karate_1"`` to
          ``"polblogs_5"``.
    subset : list of str, optional
        The names of the data sets wanted; all by default.
    data_home : path, optional
        The folder of the downloads, see :func:`get_data_home`. Files put there by hand, below
        ``hyplinear/data``, are used without a download.

    Returns
    -------
    datasets : list of Bunch
        Each with ``name``, ``data`` (points in the ball, one row each) and ``target`` (the
        labels as published: a vector, or a binary indicator matrix). For ``"randnet"`` there are
        ``edges`` (older node, newer node, counted from 0) and no ``target``: the paper draws
        labels on them with :func:`propagate_labels`. For ``"realnet"`` there are ``adjacency`` (a
        sparse matrix) and ``walks`` (one a row, nodes counted from 0), the random walks that the
        embedding was trained on; None where a file does not hold them.

    References
    ----------
    H. Cho, B. DeMeo, J. Peng and B. Berger (2019). Large-margin classification in hyperbolic
    space. AISTATS. arXiv:1806.00437.

    Examples
    --------
    >>> from hyplane.datasets import fetch_hyplinear
    >>> [mixture] = fetch_hyplinear("gaussian", subset=["001"])  # doctest: +SKIP
    >>> mixture.data.shape  # doctest: +SKIP
    (400, 2)
    """
    if collection not in _COMMITS:
        raise ValueError(f"collection must be one of {', '.join(COLLECTIONS)}; got {collection!r}")
    known = list(_names(collection))
    names = known if subset is None else subset
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"the collection {collection} has no data set {unknown[0]!r}: "
            f"its names are {known[0]!r} to {known[-1]!r}"
        )
    read = _read_network if collection == "randnet" else _read_points
    return [
        read(collection, name, data_home)
        for name in progress(names, total=len(names), description=f"hyplinear {collection}")
    ]


def _names(collection: str) -> Iterator[str]:
    if collection == "gaussian":
        yield from (f"{number:03d}" for number in range(1, 101))
    elif collection == "randnet":
        yield from (str(number) for number in range(1, 11))
    else:
        yield from (f"{network}_{run}" for network in _NETWORKS for run in range(1, 6))


def _file(collection: str, name: str, data_home: str | os.PathLike[str] | None) -> Path:
    path = f"data/{collection}/{name}"
    url = f"{_ADDRESS}/{_COMMITS[collection]}/{path}"
    return fetch(url, f"hyplinear/{path}", data_home=data_home, progressbar=False)


def _read_points(collection: str, name: str, data_home: str | os.PathLike[str] | None) -> Bunch:
    network, _, run = name.rpartition("_")
    stem = f"{network}_data_{run}" if network else f"data_{run}"
    file = _file(collection, f"{stem}.mat", data_home)
    content = read_matrices(read_bytes(file), str(file))
    missing = [variable for variable in ("B", "label") if variable not in content]
    if missing:
        raise ValueError(f"{file} has no variable {missing[0]!r}: it is not a file of hyplinear")
    points = check_points(content["B"], "ball", name=str(file))
    target = _as_target(content["label"])
    if len(points) != len(target):
        raise ValueError(f"{file} has {len(points)} points and {len(target)} labels")
    if not network:
        return Bunch(name=name, data=points, target=target)
    return Bunch(
        name=name,
        data=points,
        target=target,
        adjacency=_as_adjacency(content.get("A"), len(points), file),
        walks=_as_walks(content.get("R"), len(points), file),
    )


def _read_network(collection: str, name: str, data_home: str | os.PathLike[str] | None) -> Bunch:
    stem = f"psmodel_deg4_gma2.25_{name}"
    net_file = _file(collection, f"{stem}_net.txt", data_home)
    point_file = _file(collection, f"{stem}_labne.txt", data_home)
    edges = _read_numbers(net_file).astype(np.intp) - 1  # MATLAB counts from 1
    points = check_points(_read_numbers(point_file), "ball", name=str(point_file))
    if edges.shape[1] != 2 or edges.min() < 0 or edges.max() >= len(points):
        raise ValueError(f"{net_file} is not a list of edges between the nodes 1 to {len(points)}")
    return Bunch(name=name, data=points, edges=edges)


def _read_numbers(file: Path) -> NDArray[np.float64]:
    text = file.read_text(encoding="utf-8").replace(",", " ")
    if not text.strip():
        raise ValueError(f"{file} is empty")
    try:
        return np.loadtxt(text.splitlines(), dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{file} is not a table of numbers: {error}") from error


def _as_adjacency(matrix: Any, n_nodes: int, file: Path) -> csr_array | None:
    if matrix is None:
        return None
    adjacency = csr_array(matrix)
    if adjacency.shape != (n_nodes, n_nodes):
        raise ValueError(
            f"{file}: the adjacency matrix A has the shape {adjacency.shape} for {n_nodes} points"
        )
    return adjacency


def _as_walks(walks: Any, n_nodes: int, file: Path) -> NDArray[np.intp] | None:
    if walks is None:
        return None
    numbers = np.asarray(walks.todense() if hasattr(walks, "todense") else walks)
    nodes = numbers.astype(np.intp)
    # MATLAB counts from 1. Walks that start at every node name the first and the last.
    nodes -= int(nodes.max(initial=0) == n_nodes)
    inside = ((nodes >= 0) & (nodes < n_nodes)).all()
    if not inside or not np.array_equal(numbers, numbers.round()):
        raise ValueError(f"{file}: the walks R are not rows of nodes from 1 to {n_nodes}")
    return nodes


def _as_target(label: Any) -> NDArray[Any]:
    """Undo that a vector in MATLAB is a matrix with one row or one column."""
    target = np.asarray(label.todense() if hasattr(label, "todense") else label)
    if 1 in target.shape:
        target = target.ravel()
    whole = target.astype(np.intp)
    return whole if np.array_equal(whole, target) else target
