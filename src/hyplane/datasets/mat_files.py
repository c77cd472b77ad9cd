"""MATLAB files, read in a process of their own: a damaged one can crash scipy.

``python -P mat_files.py columns`` reads one from its standard input and writes the arrays as NPZ to
its standard output.
"""

import contextlib
import io
import subprocess
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, issparse


def read_arrays(
    content: bytes, origin: str, what: str = "columns", *, timeout: int = 120
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a MATLAB file of version 4 to 7, or raise a ValueError.

    `what` is "columns" (words and rows of one are made columns) or "matrices" (as they are).
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", __file__, what],
            input=content,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{origin} took more than {timeout} seconds to read") from error
    if done.returncode < 0:
        raise ValueError(f"{origin} is not a MATLAB file that can be read: it is damaged")
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").split("\n")
        reason = next((line for line in reversed(lines) if line.strip()), "it is damaged")
        if reason.startswith("NotImplementedError"):
            raise ValueError(f"{origin} is a MATLAB file of version 7.3: save it with -v7 instead")
        raise ValueError(f"{origin} is not a MATLAB file that can be read: {reason}")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as archive:
        return {name.removeprefix("="): archive[name] for name in archive.files}


def read_matrices(content: bytes, origin: str) -> dict[str, Any]:
    """Return the arrays of a MATLAB file as they are, and its sparse matrices as coo_array."""
    parts = read_arrays(content, origin, "matrices")
    matrices: dict[str, Any] = {name: each for name, each in parts.items() if "." not in name}
    for name in [key.removesuffix(".shape") for key in parts if key.endswith(".shape")]:
        places = parts[f"{name}.row"], parts[f"{name}.col"]
        shape = tuple(parts[f"{name}.shape"].tolist())
        matrices[name] = coo_array((parts[f"{name}.data"], places), shape=shape)
    return matrices


def main() -> None:
    """Read a MATLAB file from the standard input."""
    from scipy.io import loadmat

    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        address_space = 8 << 30
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    content = loadmat(io.BytesIO(sys.stdin.buffer.read()), chars_as_strings=True)
    arrays: dict[str, NDArray[Any]] = {}
    for name, value in content.items():
        if name[:2] == "__":
            continue
        if sys.argv[1:] == ["columns"]:
            arrays[name] = _unboxed(name, value)
        elif issparse(value):
            arrays |= _sparse_parts(name, value)
        elif np.asarray(value).dtype.kind in "biufcU":
            arrays[name] = np.asarray(value)
    buffer = io.BytesIO()
    # A name such as "file" would be taken for a parameter.
    np.savez(buffer, **{f"={name}": array for name, array in arrays.items()})  # type: ignore[arg-type]
    sys.stdout.buffer.write(buffer.getvalue())


def _sparse_parts(name: str, matrix: Any) -> dict[str, NDArray[Any]]:
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)
    matrix = matrix.tocoo()
    parts = {"row": matrix.row, "col": matrix.col, "data": matrix.data, "shape": matrix.shape}
    return {f"{name}.{part}": np.asarray(value) for part, value in parts.items()}


def _unboxed(name: str, value: Any) -> NDArray[Any]:
    """Turn a cell array of words into an array of words, and a row of one into a column."""
    if issparse(value):
        raise ValueError(f"{name} is sparse: write it with full()")
    array = np.asarray(value)
    if array.dtype.kind == "O":
        array = np.array(
            [str(np.ravel(cell)[0]) if np.size(cell) else "" for cell in array.ravel()]
        )
    return array.ravel() if array.ndim == 2 and 1 in array.shape else array


if __name__ == "__main__":
    main()
