"""Edges between the rows of a table, whose names they hold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane.cli._tables import NODE, Table


def edge_pairs(data: Table, edges: Table, name_column: str | None = None) -> NDArray[Any]:
    """Return edges as pairs of rows of the table of the points.

    Parameters
    ----------
    data : Table
        The points.
    edges : Table
        Two nodes a row, by name; further columns are not used.
    name_column : str, optional
        The column of the points' names; ``node`` by default.

    Returns
    -------
    pairs : ndarray of int of shape (n_edges, 2)
    """
    name_column = name_column or NODE
    if name_column not in data.columns:
        raise ValueError(f"{data.origin} has no column {name_column!r} for the edges to refer to")
    ends = list(edges.columns.values())[:2]
    if len(ends) < 2:
        raise ValueError(f"{edges.origin} has one column: an edge has two nodes")
    row_of = {name: row for row, name in enumerate(words_of(data, name_column))}
    pairs = np.empty((edges.n_rows, 2), dtype=np.intp)
    for side, column in enumerate(ends):
        for row, end in enumerate(column):
            if str(end) not in row_of:
                raise ValueError(f"{edges.where(row)}: {data.origin} has no node {str(end)!r}")
            pairs[row, side] = row_of[str(end)]
    return pairs


def words_of(data: Table, name: str) -> list[str]:
    """Return a column as words."""
    return [str(cell) for cell in data.columns[name]]
