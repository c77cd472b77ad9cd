"""Nodes that arrive after fitting."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from hyplane._utils.typing import Array
from hyplane.geometry import check_points, einstein_midpoint


def place_new_nodes(
    embedding: ArrayLike,
    neighbors: Sequence[Sequence[int]],
    *,
    weights: Sequence[Sequence[float]] | None = None,
    coordinates: str = "ball",
    curvature: float = -1.0,
) -> Array:
    """Put each new node at the mean of its neighbours, without moving anything else.

    The mean is the weighted Einstein midpoint, which commutes with isometries, so the result does
    not depend on where the embedding put its origin.

    Parameters
    ----------
    embedding : array-like of shape (n_nodes, n_columns)
        Points of the embedded nodes.
    neighbors : sequence of sequences of int
        For each new node, the rows of its neighbours in ``embedding``.
    weights : sequence of sequences of float, optional
        A weight for each of these neighbours; equal by default.
    coordinates : str, default="ball"
        The chart of ``embedding`` and of the result.
    curvature : float, default=-1.0

    Returns
    -------
    points : ndarray of shape (n_new, n_columns)

    Examples
    --------
    >>> place_new_nodes([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.5]], [[0, 1], [2]]).round(3) + 0.0
    array([[0. , 0. ], [0. , 0.5]])
    """
    points = check_points(embedding, coordinates, curvature=curvature, name="embedding")
    if weights is not None and len(weights) != len(neighbors):
        raise ValueError(
            f"weights for {len(weights)} new nodes and neighbours of {len(neighbors)} differ."
        )
    placed = np.empty((len(neighbors), points.shape[1]))
    for i, rows in enumerate(neighbors):
        chosen = np.asarray(rows)
        if chosen.size == 0:
            raise ValueError(f"new node {i} has no neighbour and cannot be placed.")
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise ValueError(f"the neighbours of new node {i} must be a list of rows.")
        if chosen.min() < 0 or chosen.max() >= len(points):
            raise ValueError(
                f"new node {i} has the neighbours {chosen.tolist()}, but the embedding has rows 0 "
                f"to {len(points) - 1}."
            )
        placed[i] = einstein_midpoint(
            points[chosen],
            None if weights is None else np.asarray(weights[i], dtype=np.float64),
            coordinates=coordinates,
            curvature=curvature,
        )
    return placed
