"""The benchmark files that the authors of the paper published with their MATLAB code."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import Bunch

from hyplane._utils.files import read_bytes
from hyplane._utils.progress import progress
from hyplane.datasets.array_files import read_matrices
from hyplane.datasets.download import fetch
from hyplane.geometry import check_points

_ADDRESS = "https://raw.githubusercontent.com/hhcho/hyplinear"


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
    # Commits and not branches, so that the files never change.
    commits = dict.fromkeys(("randnet", "realnet"), "f4b74e06047bbe20bdbd0275ac8adafda3edc895")
    commits["gaussian"] = "2570f7abb532d9d7c0f31d60deea384bfb92b158"
    if collection not in commits:
        known = "gaussian, randnet, realnet"
        raise ValueError(f"collection must be one of {known}; got {collection!r}")
    networks = ("karate", "polbooks", "football", "polblogs")
    stems = {
        "gaussian": {f"{n:03d}": f"data_{n:03d}" for n in range(1, 101)},
        "randnet": {f"{n}": f"psmodel_deg4_gma2.25_{n}" for n in range(1, 11)},
        "realnet": {f"{name}_{n}": f"{name}_data_{n}" for name in networks for n in range(1, 6)},
    }[collection]
    names = list(stems) if subset is None else subset
    unknown = [name for name in names if name not in stems]
    if unknown:
        raise ValueError(
            f"the collection {collection} has no data set {unknown[0]!r}: "
            f"its names are {next(iter(stems))!r} to {list(stems)[-1]!r}"
        )

    def local_copy(name: str) -> Path:
        path = f"data/{collection}/{name}"
        url = f"{_ADDRESS}/{commits[collection]}/{path}"
        return fetch(url, f"hyplinear/{path}", data_home=data_home, progressbar=False)

    datasets = []
    for name in progress(names, total=len(names), description=f"hyplinear {collection}"):
        if collection == "randnet":
            found = _read_network(*(local_copy(f"{stems[name]}_{k}.txt") for k in ("net", "labne")))
        else:
            found = _read_points(local_copy(f"{stems[name]}.mat"), collection == "realnet")
        datasets.append(Bunch(name=name, **found))
    return datasets


def _read_points(file: Path, with_graph: bool) -> dict[str, Any]:
    content = read_matrices(read_bytes(file), str(file))
    for name, value in content.items():
        content[name] = value.toarray() if issparse(value) and name != "A" else value
    missing = [name for name in ("B", "label") if name not in content]
    if missing:
        raise ValueError(f"{file} has no variable {missing[0]!r}: it is not a file of hyplinear")
    points, target = check_points(content["B"], "ball", name=str(file)), content["label"]
    target = target.ravel() if 1 in target.shape else target  # a vector of MATLAB is a matrix
    target = target.astype(np.intp) if (target == np.round(target)).all() else target
    if len(points) != len(target):
        raise ValueError(f"{file} has {len(points)} points and {len(target)} labels")
    found = {"data": points, "target": target}
    if not with_graph:
        return found
    adjacency, walks = content.get("A"), content.get("R")
    if adjacency is not None and adjacency.shape != (len(points), len(points)):
        raise ValueError(
            f"{file}: the adjacency matrix A has the shape {adjacency.shape} for {len(points)} "
            "points"
        )
    if walks is not None:
        # MATLAB counts from 1. Walks that start at every node name the first and the last.
        nodes = walks.astype(np.intp) - int(walks.max(initial=0) == len(points))
        if (walks % 1.0 != 0).any() or nodes.min() < 0 or nodes.max() >= len(points):
            raise ValueError(f"{file}: the walks R are not rows of nodes from 1 to {len(points)}")
        walks = nodes
    return {
        **found,
        "adjacency": None if adjacency is None else csr_array(adjacency),
        "walks": walks,
    }


def _read_network(net_file: Path, point_file: Path) -> dict[str, Any]:
    links, points = (_read_numbers(file) for file in (net_file, point_file))
    edges = links.astype(np.intp) - 1  # MATLAB counts from 1
    points = check_points(points, "ball", name=str(point_file))
    if edges.shape[1] != 2 or edges.min() < 0 or edges.max() >= len(points):
        raise ValueError(f"{net_file} is not a list of edges between the nodes 1 to {len(points)}")
    return {"data": points, "edges": edges}


def _read_numbers(file: Path) -> Any:
    lines = file.read_text(encoding="utf-8").replace(",", " ").split("\n")
    try:
        return np.loadtxt([line for line in lines if line.strip()] or ["empty"], ndmin=2)
    except ValueError as error:
        raise ValueError(f"{file} is not a table of numbers: {error}") from error
