"""How far a long computation is: one bar on a terminal, plain lines elsewhere, nothing in workers.

A process shows one bar at a time. What would open another while one is open, for instance an
embedding inside an experiment, is computed in silence.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from shutil import get_terminal_size
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar

Item = TypeVar("Item")

# Held by the bar that is on the screen.
_SCREEN = Lock()
_FORMAT = "{percentage:3.0f}% |{bar:16}| {desc} [{elapsed}<{remaining}]{postfix}"
# Without a terminal: a line for each of so many parts of the work, not more often than every so
# many seconds, and one at least every so many seconds.
_PARTS, _OFTEN, _SELDOM = 20, 5.0, 30.0


def silence() -> None:
    """Show no progress in this process from now on: for workers, whose parent shows it."""
    _SCREEN.acquire(blocking=False)


class Progress:
    """A bar on the standard error, to be used in a ``with`` statement.

    Parameters
    ----------
    total : float
        All the work, in any unit.
    description : str
        What is being done.
    initial : float, default=0.0
        The part that is done already.
    delay : float, default=1.0
        Seconds before a bar appears.
    lines : bool, default=False
        Where the standard error is no terminal, write a plain line now and then.
    shown : bool, default=True
        Whether to show anything at all.

    Examples
    --------
    >>> with Progress(2, "counting") as bar:
    ...     bar.advance()
    ...     bar.advance()
    >>> bar.done
    2.0
    """

    def __init__(
        self,
        total: float,
        description: str,
        *,
        initial: float = 0.0,
        delay: float = 1.0,
        lines: bool = False,
        shown: bool = True,
    ) -> None:
        # Sums of costs may round below zero or above the total, which tqdm complains about.
        self.total, self.done = float(total), min(max(float(initial), 0.0), float(total))
        self.description = description
        self._holds_screen = shown and _SCREEN.acquire(blocking=False)
        self._bar = self._open_bar(delay) if self._holds_screen else None
        self._lines = lines and self._holds_screen and self._bar is None
        self._start, self._initial = time.monotonic(), self.done
        self._last_line = self._start, self.done

    def advance(self, amount: float = 1.0) -> None:
        """Say that more of the work is done."""
        amount = min(amount, self.total - self.done)
        self.done += amount
        if self._bar is not None:
            self._bar.update(amount)
        self._write_line()

    def describe(self, description: str, detail: str = "") -> None:
        """Say what is being done now, and draw the bar anew."""
        self.description = description
        if self._bar is not None:
            self._bar.set_description_str(description, refresh=False)
            self._bar.set_postfix_str(detail, refresh=False)
            self._bar.ncols = _columns()
            self._bar.refresh()
        self._write_line()

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.close()
        if self._holds_screen:
            self._holds_screen = False
            _SCREEN.release()
        self._bar, self._lines = None, False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        on_screen = self._bar is not None
        self.close()
        if on_screen and kind is not None and issubclass(kind, KeyboardInterrupt):
            # The ^C that the terminal wrote after the bar.
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _open_bar(self, delay: float) -> Any:
        try:
            tqdm = import_module("tqdm").tqdm
        except ImportError:
            return None
        bar = tqdm(
            total=self.total,
            initial=self.done,
            desc=self.description,
            bar_format=_FORMAT,
            delay=delay,
            disable=None,  # shown on a terminal only
            leave=False,
            smoothing=0.05,
            ncols=_columns(),
        )
        return None if bar.disable else bar

    def _write_line(self) -> None:
        now = time.monotonic()
        then, done = self._last_line
        enough = self.done - done >= self.total / _PARTS or self.done >= self.total
        if not self._lines or now - then < (_OFTEN if enough else _SELDOM):
            return
        self._last_line = now, self.done
        text = f"{self.done / self.total:4.0%} {self.description}"
        if self.done > self._initial:
            rate = (self.done - self._initial) / (now - self._start)
            text += f", {(self.total - self.done) / rate:.0f} s left"
        print(text, file=sys.stderr, flush=True)


def _columns() -> int:
    # Room for the ^C of an interrupt, which would else move on to the next line.
    return max(get_terminal_size().columns - 4, 20)


def progress(items: Iterable[Item], *, total: int, description: str) -> Iterator[Item]:
    """Pass the items on, with a bar on a terminal once a second has gone by.

    Without tqdm, or where the standard error is no terminal, nothing is printed.

    Parameters
    ----------
    items : iterable
    total : int
        How many items there are.
    description : str
        What is being done, written beside the bar.

    Yields
    ------
    item

    Examples
    --------
    >>> list(progress([1, 2], total=2, description="counting"))
    [1, 2]
    """
    with Progress(total, description) as bar:
        for item in items:
            yield item
            bar.advance()
