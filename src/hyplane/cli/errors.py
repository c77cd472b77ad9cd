"""Errors as one line on the standard error and an exit code, and standard streams that may fail.

Exit code 1 is for errors that the user can do something about: `ValueError`, which hyplane and the
libraries raise for bad input, `OSError`, a library that is not installed, and lack of memory. Code
2 is for a wrong command line. Any other exception is a bug and gives 70 (EX_SOFTWARE of
sysexits.h). After Ctrl-C the code is 130, and 141 if the reader of the output went away.
"""

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from typing import IO, Any, NoReturn

import click

from hyplane._utils.optional import MissingExtraError
from hyplane._utils.progress import clear_screen, visible


def say(*lines: str, err: bool = False) -> None:
    """Print lines; control characters from a file or the user are escaped."""
    click.echo("\n".join(map(visible, lines)), err=err)


def guarded(work: Callable[[], Any], *, debug: bool) -> int:
    """Run the command; print what it raises as one line, and return the exit code."""
    try:
        with _warnings_in_one_line():
            code = work()
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "hyplane"
        return _print_error(f"{error.format_message()} See '{path} --help'.", 2)
    except click.ClickException as error:
        return _print_error(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        # click raises Abort from the interrupt, whose message says how to go on.
        message = str(error.__cause__ or error)
        return _print_error(message or "interrupted; no file was left half written", 130)
    except OutputClosed:
        return 141
    except Exception as error:
        if debug:
            say(*traceback.format_exc().split("\n"), err=True)
        return _print_error(*_describe(error))
    return code if isinstance(code, int) else 0


def _describe(error: Exception) -> tuple[str, int]:
    match error:
        case MemoryError():
            return f"not enough memory: {error}" if str(error) else "not enough memory", 1
        case BrokenExecutor():
            # The system ends the largest process where memory runs out.
            reason = "a worker process was ended from outside, most often for lack of memory"
            return f"{reason}: try fewer --jobs", 1
        case OSError(strerror=str(reason)) if reason:
            reason = reason[0].lower() + reason[1:]
            return f"{error.filename}: {reason}" if error.filename else reason, 1
        case OSError() | MissingExtraError() | ValueError():
            return str(error) or type(error).__name__, 1
    found = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    report = "please report it with the output of the same command with --debug"
    return f"this is a bug in hyplane: {found}; {report}", 70


def _print_error(message: str, code: int) -> int:
    say(f"hyplane: error: {' '.join(message.split())}", err=True)
    return code


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        clear_screen()
        say(f"hyplane: warning: {' '.join(str(message).split())}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


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


@contextmanager
def sound_streams() -> Iterator[None]:
    """Raise an error where results cannot be printed; leave out notes that cannot be printed."""

    def output_failed(error: OSError) -> NoReturn:
        if isinstance(error, BrokenPipeError):
            raise OutputClosed from error  # click would call it a failure
        if error.errno == errno.EBADF:
            raise OSError(errno.EBADF, "the standard output is closed") from error
        error.filename = "standard output"
        raise error

    before = sys.stdout, sys.stderr
    try:
        sys.stdout = _Stream(before[0] or _closed(), output_failed)
        sys.stderr = _Stream(before[1] or _closed(), lambda error: None)
        yield
    finally:
        sys.stdout, sys.stderr = before


def _closed() -> IO[str]:
    """Return a stream that refuses every write, in place of one that is missing."""
    return open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
