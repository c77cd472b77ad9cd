"""Files that appear whole or not at all."""

import errno
import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO

if sys.platform != "win32":
    import fcntl

# What a disk that is full or broken says, without the name of the file.
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


@contextmanager
def replacing(path: str | os.PathLike[str], *, durable: bool = True) -> Iterator[IO[bytes]]:
    r"""Open a file under a temporary name that takes its own name when the block ends well.

    Parameters
    ----------
    path : path
        The file to write. A link is followed; a device or a pipe is written directly.
    durable : bool, default=True
        Wait until the disk has it. Without that the file is whole after any end of the process, but
        may not be after a power failure.

    Yields
    ------
    file : binary file

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "points.csv"
    ...     with replacing(file) as out:
    ...         _ = out.write(b"x1,x2\n")
    ...     file.read_text()
    'x1,x2\n'
    """
    path = os.fspath(path)  # a number would be an open file
    with _naming(path):
        # The name itself is opened: /dev/stdout leads to a pipe that has no path.
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as file:
                yield file
            return
        target = _target(path)
        _remove_abandoned(target)
        with _temporary_beside(target) as temporary:
            with open(temporary, "wb") as file:
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            _keep_mode(target, temporary)
            os.replace(temporary, target)


@contextmanager
def _temporary_beside(target: Path) -> Iterator[Path]:
    """Make an empty temporary file, which is locked as long as this process writes it.

    The system releases the lock when the process ends, however it ends.
    """
    while True:
        # A name of its own for each writer: two runs may write the same file at once.
        temporary = target.with_name(f"{_stem(target)}.{token_hex(6)}.tmp")
        with open(temporary, "xb") as lock:
            if sys.platform == "win32":
                lock.close()  # an open file cannot be renamed there
            else:
                with suppress(OSError):  # of file systems without locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
            if not temporary.exists():
                continue  # another writer removed it before it was locked
            try:
                yield temporary
            except BaseException:
                with suppress(OSError):
                    temporary.unlink()
                raise
            return


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of a target whose writers were killed: nobody locks them."""
    if sys.platform == "win32":
        return
    pattern = f"{glob.escape(_stem(target))}.{'[0-9a-f]' * 12}.tmp"
    for temporary in target.parent.glob(pattern):
        with suppress(OSError), open(temporary, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            temporary.unlink()


def _stem(target: Path) -> str:
    """Return what the names of the temporary files of a target begin with."""
    return f".{target.name[:200]}"


def _target(path: str) -> Path:
    """Return the file that a path leads to, which need not exist."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # it was not followed
        raise OSError(errno.ELOOP, "this link leads back to itself", path)
    return target


@contextmanager
def _naming(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _DISK and error.filename is None:
            error.filename = path
        raise


def write_text(path: str | os.PathLike[str], text: str, *, durable: bool = True) -> None:
    """Write a text file in UTF-8, whole or not at all.

    Parameters
    ----------
    path : path
    text : str
    durable : bool, default=True
        As in `replacing`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder) / "note.txt", "Poincaré")
    ...     (Path(folder) / "note.txt").read_text(encoding="utf-8")
    'Poincaré'
    """
    with replacing(path, durable=durable) as file:
        file.write(text.encode("utf-8"))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the OSError that writing a file would meet, before there is anything to write.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> check_writable("no/such/folder/points.csv")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] the folder does not exist: 'no/such/folder'
    """
    path = os.fspath(path)
    if os.path.exists(path) and not os.path.isdir(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "no permission to write", path)
        return  # also where links lead to a pipe, which has no path
    target = _target(path)
    folder = target.parent
    if target.is_dir():
        raise IsADirectoryError(21, "this is a folder, not a file", path)
    if not folder.exists():
        raise FileNotFoundError(2, "the folder does not exist", str(Path(path).parent))
    if not folder.is_dir():
        raise NotADirectoryError(20, "this is a file, not a folder", str(Path(path).parent))
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "no permission to write", path)


def _keep_mode(target: Path, temporary: Path) -> None:
    with suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
