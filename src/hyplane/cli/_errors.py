"""What went wrong, in one line on the standard error, and the exit code that goes with it."""

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

OK, FAILURE, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


class OutputClosed(Exception):
    """Whoever read the output has had enough."""


def guarded(work: Callable[[], Any], *, debug: bool) -> int:
    """Run the command and turn whatever it raises into a line and an exit code.

    Parameters
    ----------
    work : callable
        Runs the command.
    debug : bool
        Whether tracebacks are wanted.

    Returns
    -------
    code : int
    """
    try:
        with _warnings_in_one_line():
            code = work()
    except click.UsageError as error:
        return _complain(f"{error.format_message()}{_see_help(error)}", USAGE)
    except click.ClickException as error:
        return _complain(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        # click puts an Abort in the place of an interrupt, which may have had something to say.
        said = str(error.__cause__ or error)
        return _complain(said or "interrupted; no file was left half written", INTERRUPTED)
    except (OutputClosed, BrokenPipeError):
        # The interpreter must not flush what is left into the pipe.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if debug:
            traceback.print_exc()
        return _complain(_describe(error), FAILURE)
    return code if isinstance(code, int) else OK


def _describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        reason = error.strerror[0].lower() + error.strerror[1:]
        return f"{error.filename}: {reason}" if error.filename else reason
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    expected = ValueError | OSError | TypeError | ImportError | NotImplementedError | RuntimeError
    if isinstance(error, expected) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows where)"


def _complain(message: str, code: int) -> int:
    with suppress(BrokenPipeError):
        click.echo(f"hyplane: error: {_one_line(message)}", err=True)
    return code


def _see_help(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "hyplane"
    return f" See '{path} --help'."


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(f"hyplane: warning: {_one_line(str(message))}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _one_line(text: str) -> str:
    return " ".join(text.split())
