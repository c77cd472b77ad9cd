"""What went wrong, in one line on the standard error, and the exit code that goes with it.

An error is the user's or hyplane's own, and the line says which. The user's are those that this
package raises on purpose for bad input (`ValueError`), for files (`OSError`), for a library that is
not installed, for memory, and click's. Everything else is a bug.
"""

import dis
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from typing import Any

import click

from hyplane._utils.optional import MissingExtraError
from hyplane._utils.progress import clear_screen
from hyplane.cli._standard_streams import OutputClosed, say

# 70 is what sysexits.h calls an internal software error.
OK, FAILURE, USAGE, BUG, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 70, 130, 141

_REPORT = "report it with the output of the same command with --debug"


def guarded(work: Callable[[], Any], *, debug: bool) -> int:
    """Run the command and turn what it raises into a line and an exit code.

    Parameters
    ----------
    work : callable
        Runs the command.
    debug : bool
        Whether to print tracebacks.

    Returns
    -------
    code : int
    """
    try:
        with _warnings_in_one_line():
            code = work()
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "hyplane"
        return _print_error(f"{error.format_message()} See '{path} --help'.", USAGE)
    except click.ClickException as error:
        return _print_error(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        # click raises Abort from the interrupt, whose message says how to go on.
        message = str(error.__cause__ or error)
        return _print_error(message or "interrupted; no file was left half written", INTERRUPTED)
    except OutputClosed:
        return BROKEN_PIPE
    except Exception as error:
        if debug:
            say(*traceback.format_exc().split("\n"), err=True)
        return _print_error(*_describe(error))
    return code if isinstance(code, int) else OK


def _describe(error: Exception) -> tuple[str, int]:
    match error:
        case MemoryError():
            return f"not enough memory: {error}" if str(error) else "not enough memory", FAILURE
        case BrokenExecutor():
            # The system ends the largest process where memory runs out.
            reason = "a worker process was ended from outside, most often for lack of memory"
            return f"{reason}: try fewer --jobs", FAILURE
        case OSError(strerror=str(reason)) if reason:
            reason = reason[0].lower() + reason[1:]
            return f"{error.filename}: {reason}" if error.filename else reason, FAILURE
        case OSError() | MissingExtraError():
            return str(error) or type(error).__name__, FAILURE
        case ValueError() if _raised_here(error):
            return str(error), FAILURE
        case ValueError():
            # Raised by another library: bad input that was not checked before, or a bug.
            return f"{error} (an error of a library; if the input is right, {_REPORT})", FAILURE
    found = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"this is a bug in hyplane: {found}; please {_REPORT}", BUG


def _raised_here(error: Exception) -> bool:
    """Tell whether a ``raise`` statement of this package raised an error.

    Errors of its own classes count too: from a worker process they come without a traceback. A
    function written in C leaves no frame, so the last frame is of hyplane also where NumPy refuses
    the shapes it was called with; but its last instruction is then a call.
    """
    if type(error).__module__.partition(".")[0] == "hyplane":
        return True
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    code = last.tb_frame.f_code
    ours = last.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "hyplane"
    return ours and code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _print_error(message: str, code: int) -> int:
    say(f"hyplane: error: {_one_line(message)}", err=True)
    return code


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        clear_screen()
        say(f"hyplane: warning: {_one_line(str(message))}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _one_line(text: str) -> str:
    return " ".join(text.split())
