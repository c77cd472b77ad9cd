"""Adjacency matrices in the Matrix Market format.

SciPy's reader is not used: it reads beyond the end of some damaged files, which ends the process.
"""

from typing import Any

import numpy as np
from scipy import sparse

from hyplane._typing import Array, Ints

_FIELDS = ("real", "integer", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def read_matrix_market(content: bytes) -> Any:
    r"""Read a real matrix.

    Parameters
    ----------
    content : bytes
        The whole file.

    Returns
    -------
    matrix : sparse array or ndarray
        Sparse for the coordinate format, dense for the array format.

    Examples
    --------
    >>> text = b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"
    >>> read_matrix_market(text).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    first, *lines = content.decode("ascii").splitlines() or [""]
    words = first.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError("its first line does not say that it is a Matrix Market file")
    layout, field, symmetry = words[2:]
    if field not in _FIELDS or symmetry not in _SYMMETRIES:
        raise ValueError(f"a matrix that is {field} and {symmetry} is no adjacency matrix")
    rows = [line.split() for line in lines if line.strip() and line[0] != "%"]
    if not rows or any("_" in cell for row in rows for cell in row):
        raise ValueError("its sizes or numbers cannot be read")
    sizes = [int(cell) for cell in rows[0]]
    if min(sizes, default=-1) < 0 or len(sizes) != (3 if layout == "coordinate" else 2):
        raise ValueError(f"its line of sizes is {' '.join(rows[0])!r}")
    if layout == "coordinate":
        return _from_coordinates(sizes, rows[1:], field, symmetry)
    if layout == "array" and field != "pattern":
        return _from_array(sizes, [float(cell) for row in rows[1:] for cell in row], symmetry)
    raise ValueError(f"the layout {layout} of {field} numbers is not known")


def _from_coordinates(sizes: list[int], rows: list[list[str]], field: str, symmetry: str) -> Any:
    n_rows, n_columns, n_entries = sizes
    width = 2 if field == "pattern" else 3
    if len(rows) != n_entries or any(len(row) != width for row in rows):
        raise ValueError(
            f"it has {len(rows)} entries, where its sizes say {n_entries} of {width} numbers each"
        )
    places: Ints = np.array([[int(cell) for cell in row[:2]] for row in rows], dtype=np.int64)
    i, j = places.reshape(-1, 2).T - 1
    if ((i < 0) | (i >= n_rows) | (j < 0) | (j >= n_columns)).any():
        raise ValueError(f"it has an entry outside its {n_rows} rows and {n_columns} columns")
    values: Array = np.array([1.0 if width == 2 else float(row[2]) for row in rows])
    if symmetry != "general":
        across = i != j
        other = values[across] * (-1.0 if symmetry == "skew-symmetric" else 1.0)
        i, j = np.append(i, j[across]), np.append(j, i[across])
        values = np.append(values, other)
    return sparse.coo_array((values, (i, j)), shape=(n_rows, n_columns))


def _from_array(sizes: list[int], values: list[float], symmetry: str) -> Array:
    """Fill columns one after the other; of a symmetric matrix only the lower half is given."""
    n_rows, n_columns = sizes
    skipped = {"general": None, "symmetric": 0, "skew-symmetric": 1}[symmetry]
    if skipped is None:
        expected = n_rows * n_columns
    else:
        expected = (n_rows - skipped) * (n_rows - skipped + 1) // 2
    if len(values) != expected or (skipped is not None and n_rows != n_columns):
        raise ValueError(f"it has {len(values)} numbers, where its sizes say {expected}")
    if skipped is None:
        return np.array(values, dtype=np.float64).reshape((n_rows, n_columns), order="F")
    matrix = np.zeros((n_rows, n_rows))
    columns, rows = np.triu_indices(n_rows, k=skipped)
    matrix[columns, rows] = np.array(values) * (-1.0 if skipped else 1.0)
    matrix[rows, columns] = values
    return matrix
