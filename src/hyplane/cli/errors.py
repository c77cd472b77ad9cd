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
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, TextIO

import click

from hyplane._utils.optional import MissingExtraError
from hyplane._utils.progress import clear_screen, visible


def say(*lines: str, err: bool = False) -> None:
    """Print lines; control characters from a file or the user are escaped."""
    with suppress(OSError) if err else nullcontext():
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
    except KeyboardInterrupt as error:
        say(err=True)  # ends the line in which the terminal wrote ^C
        # The message of some interrupts says how to go on.
        return _print_error(str(error) or "interrupted; no file was left half written", 130)
    except BrokenPipeError:
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
        case OSError(errno=errno.EBADF):
            return "the standard output is closed", 1
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


@contextmanager
def sound_streams() -> Iterator[None]:
    """Replace standard streams that are closed, and leave nothing to write to one that failed.

    Results that cannot be printed are an error; notes that cannot be printed are left out.
    """
    before = sys.stdout, sys.stderr
    # What is opened for reading refuses every write.
    streams = before[0] or _null_device(os.O_RDONLY), before[1] or _null_device(os.O_WRONLY)
    try:
        sys.stdout, sys.stderr = streams
        yield
    finally:
        for stream in streams:
            try:
                stream.flush()
            except OSError:
                # The interpreter must not try to write what is left when it ends.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        sys.stdout, sys.stderr = before


def _null_device(flags: int) -> TextIO:
    return open(os.open(os.devnull, flags), "w", encoding="utf-8")
