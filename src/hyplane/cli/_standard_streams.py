"""The standard streams of a command: results that cannot be printed are an error, notes are not."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, NoReturn

import click

from hyplane._utils.progress import visible


def say(*lines: str, err: bool = False) -> None:
    """Print lines; what a file or a user put into them cannot control the terminal."""
    click.echo("\n".join(map(visible, lines)), err=err)


class OutputClosed(Exception):
    """The reader of the output went away."""


class _Stream:
    """A stream that passes the errors of writing on to a function."""

    def __init__(self, stream: IO[Any], failed: Callable[[OSError], None]) -> None:
        self._stream, self._failed = stream, failed

    def write(self, data: Any) -> int:
        try:
            return self._stream.write(data)
        except OSError as error:
            if data:  # click tries with nothing first
                self._give_up(error)
            return len(data)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    @property
    def buffer(self) -> "_Stream":
        return _Stream(self._stream.buffer, self._failed)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _give_up(self, error: OSError) -> None:
        # The interpreter must not try to write what is left when it ends.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        self._failed(error)


def _output_failed(error: OSError) -> NoReturn:
    if isinstance(error, BrokenPipeError):
        raise OutputClosed from error  # click would call it a failure
    if error.errno == errno.EBADF:
        raise OSError(errno.EBADF, "the standard output is closed") from error
    error.filename = "standard output"
    raise error


def _notes_failed(error: OSError) -> None:
    """Leave out the notes: the work is worth more."""


@contextmanager
def sound_streams() -> Iterator[None]:
    """Let a command run whatever state its standard output and error are in."""
    before = sys.stdout, sys.stderr
    try:
        sys.stdout = _Stream(before[0] or _closed(), _output_failed)
        sys.stderr = _Stream(before[1] or _closed(), _notes_failed)
        yield
    finally:
        sys.stdout, sys.stderr = before


def _closed() -> IO[str]:
    """Return a stream in which nothing can be written, as the one that is missing."""
    return open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
