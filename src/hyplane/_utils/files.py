"""Files that are written whole or not at all, and read unless they are devices."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO


@contextmanager
def replacing(path: str | os.PathLike[str], *, durable: bool = True) -> Iterator[IO[bytes]]:
    """Open a file under a temporary name that takes its own name when the block ends well.

    A link is followed; a device or a pipe is written directly. With `durable` the file is whole
    also after a power failure.
    """
    path = os.fspath(path)  # a number would be an open file
    try:
        # The name itself is opened: /dev/stdout leads to a pipe that has no path.
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:
                yield file
            return
        target = _target(path)
        # A name of its own for each writer: two runs may write the same file at once.
        temporary = target.with_name(f".{target.name[:200]}.{token_hex(6)}.tmp")
        try:
            with open(temporary, "xb") as file:
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            with suppress(OSError):  # there is no such file yet
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        full_or_broken = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
        if full_or_broken and error.filename is None:
            error.filename = path
        raise


def write_text(path: str | os.PathLike[str], text: str, *, durable: bool = True) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path, durable=durable) as file:
        file.write(text.encode("utf-8"))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the OSError that writing this file would raise, before any work is done."""
    path = os.fspath(path)
    if os.path.exists(path) and not os.path.isdir(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission to write", path)
        return  # also where links lead to a pipe, which has no path
    target, parent = _target(path), str(Path(path).parent)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", path)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", parent)
    if not target.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder", parent)
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "no permission to write", path)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file, unless it is a device: some of them never end."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        refuse_device(file, name)
        return file.read()


def refuse_device(file: IO[bytes], path: str) -> None:
    """Raise an OSError where an open file is a device."""
    if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
        raise OSError(errno.EINVAL, "this is a device, not a file", path)


def _target(path: str) -> Path:
    """Return the file that a path leads to, which need not exist."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # it was not followed
        raise OSError(errno.ELOOP, "this link leads back to itself", path)
    return target
