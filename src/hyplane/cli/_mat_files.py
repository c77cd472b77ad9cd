"""MATLAB files, read in a process of their own: a damaged one can crash scipy.

``python -P -m hyplane.cli._mat_files`` reads one from its standard input and writes the arrays as
NPZ to its standard output.
"""

import contextlib
import io
import subprocess
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SECONDS = 120
_MEMORY = 8 << 30  # address space of the process


def read_arrays(content: bytes, origin: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a MATLAB file of version 4 to 7.

    Parameters
    ----------
    content : bytes
    origin : str
        What to call it in messages.

    Returns
    -------
    arrays : dict

    Raises
    ------
    ValueError
        If the file cannot be read, whatever is wrong with it.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            input=content,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{origin} took more than {_SECONDS} seconds to read") from error
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


def main() -> None:
    """Read a MATLAB file from the standard input."""
    from scipy.io import loadmat

    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    content = loadmat(io.BytesIO(sys.stdin.buffer.read()), chars_as_strings=True)
    arrays = {name: _unboxed(value) for name, value in content.items() if name[:2] != "__"}
    buffer = io.BytesIO()
    # A name such as "file" would be taken for a parameter.
    np.savez(buffer, **{f"={name}": array for name, array in arrays.items()})  # type: ignore[arg-type]
    sys.stdout.buffer.write(buffer.getvalue())


def _unboxed(value: Any) -> NDArray[Any]:
    """Turn a cell array of words into an array of words, and a row of one into a column."""
    array = np.asarray(value)
    if array.dtype.kind == "O":
        array = np.array(
            [str(np.ravel(cell)[0]) if np.size(cell) else "" for cell in array.ravel()]
        )
    return array.ravel() if array.ndim == 2 and 1 in array.shape else array


if __name__ == "__main__":
    main()
