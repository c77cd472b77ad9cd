"""Arrays in NPY, NPZ, MATLAB and Matrix Market files, which may be damaged or made to do harm.

scipy can crash on a damaged MATLAB or Matrix Market file, so these are read in a process of
their own: ``python -P array_files.py mat`` (or ``mtx``) reads standard input and writes
the arrays as NPZ to standard output.
"""

import contextlib
import gzip
import io
import subprocess
import sys
import zlib
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, issparse


def gunzip(content: bytes, origin: str) -> bytes:
    """Unpack a gzip file, unless it is damaged or unpacks to far more than files do."""
    most = _largest_size(len(content))
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(most + 1)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise ValueError(f"{origin} is not a gzip file that can be read: {error}") from error
    _check_size(len(unpacked), most, origin)
    return unpacked


def read_numpy(file: IO[bytes], origin: str, kind: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an NPZ file, or under an empty name the one of an NPY file."""
    if kind == "npz" and file.seekable():
        unpacked = 0
        # zipfile raises almost anything too; what it cannot read is left to NumPy.
        with contextlib.suppress(Exception), ZipFile(file) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        _check_size(unpacked, _largest_size(file.seek(0, io.SEEK_END)), origin)
        file.seek(0)
    try:
        found = np.load(file, allow_pickle=False)
        single = isinstance(found, np.ndarray)
        arrays = {"": found} if single else {name: np.asarray(found[name]) for name in found.files}
    except Exception as error:  # NumPy and zipfile raise almost anything on a foreign file
        raise ValueError(
            f"{origin} is not an {kind.upper()} file that can be read, is larger than the memory, "
            "or holds Python objects, which are not loaded"
        ) from error
    if single != (kind == "npy"):
        what = "a single array; call it .npy" if single else "an archive; call it .npz"
        raise ValueError(f"{origin} is not an {kind.upper()} file but {what}")
    return arrays


def _largest_size(packed: int) -> int:
    """Bytes that a file may unpack to: text and numbers pack to a tenth; 64 MiB are harmless."""
    return max(64 << 20, 200 * packed)


def _check_size(size: int, most: int, origin: str) -> None:
    if size > most:
        raise ValueError(
            f"{origin} unpacks to more than 200 times its size, as files made to fill the memory "
            "do. Unpack it by hand if it is right"
        )


def read_matrices(content: bytes, origin: str, kind: str = "mat") -> dict[str, Any]:
    """Return the arrays of a MATLAB file (4 to 7) or the one of a Matrix Market file ("mtx").

    Sparse matrices are returned as coo_array.
    """
    command = [sys.executable, "-P", __file__, kind]
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{origin} took more than 120 seconds to read") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").split("\n")
        reason = next((line for line in reversed(lines) if line.strip()), "it is damaged")
        if reason.startswith("NotImplementedError"):
            raise ValueError(f"{origin} is a MATLAB file of version 7.3: save it with -v7 instead")
        name = "MATLAB" if kind == "mat" else "Matrix Market"
        raise ValueError(f"{origin} is not a {name} file that can be read: {reason}")
    arrays: dict[str, Any] = {}
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as archive:
        for name in archive.files:
            arrays[name.strip("=")] = archive[name]
    for name in [key.removesuffix(".shape") for key in arrays if key.endswith(".shape")]:
        row, col, data, shape = (arrays.pop(f"{name}.{part}") for part in _SPARSE_PARTS)
        arrays[name] = coo_array((data, (row, col)), shape=tuple(shape.tolist()))
    return arrays


def read_mat_columns(content: bytes, origin: str) -> dict[str, NDArray[Any]]:
    """Return the dense arrays of a MATLAB file; matrices of one row or column are vectors."""
    arrays = read_matrices(content, origin)
    sparse = [name for name, array in arrays.items() if issparse(array)]
    if sparse:
        raise ValueError(f"{origin}: {sparse[0]} is sparse; write it with full()")
    return {
        name: array.ravel() if array.ndim == 2 and 1 in array.shape else array
        for name, array in arrays.items()
    }


_SPARSE_PARTS = ("row", "col", "data", "shape")


def _convert(kind: str) -> None:
    """Turn a file from the standard input into NPZ."""
    from scipy.io import loadmat, mmread

    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        address_space = 8 << 30
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    file = io.BytesIO(sys.stdin.buffer.read() + b"\n" * (kind == "mtx"))
    content = {"matrix": mmread(file)} if kind == "mtx" else loadmat(file, chars_as_strings=True)
    arrays: dict[str, Any] = {}
    for name, value in content.items():
        if issparse(value):
            if hasattr(value, "check_format"):
                value.check_format(full_check=True)
            matrix = value.tocoo()
            arrays |= {f"={name}.{part}": getattr(matrix, part) for part in _SPARSE_PARTS}
            continue
        array = np.asarray(value)
        if array.dtype.kind == "O":  # a cell array of words
            cells = [np.ravel(cell) for cell in array.ravel()]
            array = np.array([str(cell[0]) if cell.size else "" for cell in cells])
        if name[:2] != "__" and array.dtype.kind in "biufcU":
            arrays[f"={name}"] = array  # a name such as "file" would be taken for a parameter
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    sys.stdout.buffer.write(buffer.getvalue())


if __name__ == "__main__":
    _convert(sys.argv[1])
