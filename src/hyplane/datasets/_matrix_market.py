"""Matrices in the format of the Matrix Market; scipy's own reader crashes on some damaged files."""

import re
from typing import Any

import numpy as np
from scipy import sparse

_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")


def read_matrix_market(text: str) -> Any:
    r"""Read a matrix of real numbers, general or symmetric.

    Parameters
    ----------
    text : str
        The content of the file.

    Returns
    -------
    matrix : coo_array or ndarray

    Raises
    ------
    ValueError
        If it is anything else, or does not hold what it claims.

    Examples
    --------
    >>> head = "%%MatrixMarket matrix coordinate pattern symmetric"
    >>> read_matrix_market(head + "\n2 2 1\n2 1\n").toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    first, *lines = text.splitlines() or [""]
    words = first.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError(f"its first line is {first[:60]!r}")
    layout, field, symmetry = words[2:]
    if field not in _FIELDS or symmetry not in ("general", "symmetric"):
        raise ValueError(f"it is a {symmetry} matrix of {field} entries, which is no graph")
    rows = [line.split() for line in lines if line.strip() and not line.startswith("%")]
    if not rows or not all(re.fullmatch(r"[0-9]{1,15}", cell) for cell in rows[0]):
        raise ValueError("it does not say its size")
    size, rows = [int(cell) for cell in rows[0]], rows[1:]
    if layout == "coordinate" and len(size) == 3:
        if size[2] != len(rows):
            raise ValueError(f"it has {len(rows)} entries and claims {size[2]}")
        return _entries(rows, (size[0], size[1]), field == "pattern", symmetry == "symmetric")
    if layout == "array" and len(size) == 2 and field != "pattern":
        n = size[0] * size[1] if symmetry == "general" else size[0] * (size[0] + 1) // 2
        square = symmetry == "general" or size[0] == size[1]
        if n != len(rows) or not square or any(len(cells) != 1 for cells in rows):
            raise ValueError(f"it has {len(rows)} entries and claims {size[0]} times {size[1]}")
        values = np.array([_number(cells[0]) for cells in rows])
        if symmetry == "general":
            return values.reshape(size, order="F")
        # The lower half, column by column.
        matrix = np.zeros((size[0], size[0]))
        columns, lower = np.triu_indices(size[0])
        matrix[lower, columns] = matrix[columns, lower] = values
        return matrix
    raise ValueError(f"its layout is {layout} and its size {size}")


def _entries(rows: list[list[str]], shape: tuple[int, int], pattern: bool, symmetric: bool) -> Any:
    if any(len(cells) != (2 if pattern else 3) for cells in rows):
        raise ValueError("an entry has too few or too many numbers")
    if not all(re.fullmatch(r"[0-9]{1,15}", cell) for cells in rows for cell in cells[:2]):
        raise ValueError("the place of an entry is not two whole numbers")
    places = np.array([[int(cell) for cell in cells[:2]] for cells in rows]).reshape(-1, 2) - 1
    if ((places < 0) | (places >= shape)).any():
        raise ValueError(f"an entry lies outside of {shape[0]} times {shape[1]}")
    values = np.array([1.0 if pattern else _number(cells[2]) for cells in rows])
    if symmetric:
        off = places[:, 0] != places[:, 1]
        places, values = np.vstack([places, places[off, ::-1]]), np.append(values, values[off])
    return sparse.coo_array((values, (places[:, 0], places[:, 1])), shape=shape)


def _number(cell: str) -> float:
    if not cell.isascii() or "_" in cell:
        raise ValueError(f"{cell!r} is not a number")
    return float(cell)
