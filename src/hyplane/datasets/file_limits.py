"""Files that claim or unpack to far more than they hold, refused before memory is asked for."""

import gzip
import io
import re
import zlib
from itertools import accumulate
from math import prod
from typing import IO
from zipfile import BadZipFile, ZipFile

import numpy as np

# Text and numbers pack to a tenth or so; only what was made for it packs to less than this.
_RATIO = 200


def allowed_size(packed: int) -> int:
    """Return how many bytes a packed file may unpack to: 64 MiB are harmless."""
    return max(64 << 20, _RATIO * packed)


def gunzip(content: bytes, origin: str) -> bytes:
    """Unpack a gzip file, unless it is damaged or unpacks to far more than files do."""
    most = allowed_size(len(content))
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(most + 1)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise ValueError(f"{origin} is not a gzip file that can be read: {error}") from error
    if len(unpacked) > most:
        raise ValueError(_too_much(origin))
    return unpacked


def check_arrays_fit(file: IO[bytes], origin: str) -> None:
    """Check that the arrays of an NPY or NPZ file are no larger than the file makes possible.

    What is neither is left to the reader. The position in the file stays as it is.
    """
    position = file.tell()
    start = file.seek(0)
    size = file.seek(0, io.SEEK_END) - start
    file.seek(0)
    try:
        if file.read(4) == b"PK\x03\x04":
            with ZipFile(file) as archive:
                members = archive.infolist()
                if sum(member.file_size for member in members) > allowed_size(size):
                    raise ValueError(_too_much(origin))
                for member in members:
                    with archive.open(member) as array:
                        _check_header(array, member.file_size, f"{member.filename} of {origin}")
        else:
            file.seek(0)
            _check_header(file, size, origin)
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, UnicodeError, OSError):
        pass  # the reader says what is wrong
    finally:
        file.seek(position)


def _check_header(file: IO[bytes], size: int, origin: str) -> None:
    _refuse_expressions(file.read(10_010), origin)  # NumPy reads no longer header
    file.seek(0)
    try:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read is None:
            return
        shape, _, dtype = read(file)
    except Exception:  # not an array: the reader says so
        return
    if not dtype.hasobject and prod(shape) * dtype.itemsize > size:
        raise ValueError(
            f"{origin} claims an array of shape {shape}, which {size} bytes cannot hold"
        )


def _refuse_expressions(start: bytes, origin: str) -> None:
    """Refuse a header that is an expression: Python's parser can crash on a deep one."""
    if not start.startswith(b"\x93NUMPY"):
        return
    begin = 10 if start[6:7] == b"\x01" else 12
    length = int.from_bytes(start[8:begin], "little")
    words = r"'(?:[^'\\\n]|\\.)*'" + r'|"(?:[^"\\\n]|\\.)*"'
    header = re.sub(words, "", start[begin : begin + length].decode("latin-1"))
    depth = max(accumulate((sign in "([{") - (sign in ")]}") for sign in header), default=0)
    if not re.fullmatch(r"(?:[\s{}()\[\],:\dL]|True|False)*", header) or depth > 20:
        raise ValueError(f"{origin} is not an array that can be read: its header is damaged")


def _too_much(origin: str) -> str:
    return (
        f"{origin} unpacks to more than {_RATIO} times its size, as files made to fill the memory "
        "do. Unpack it by hand if it is right"
    )
