"""How far a long computation is: one bar on a terminal, plain lines elsewhere, nothing in workers.

A process shows one bar at a time. What would open another while one is open, for instance an
embedding inside an experiment, is computed in silence. `Waiting` is for work that cannot say how
far it is, or only in parts: it shows the time while no bar is open.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from shutil import get_terminal_size
from threading import Event, Lock, RLock, Thread
from typing import Any, Self, TypeVar

from hyplane._utils.terminal import visible

Item = TypeVar("Item")

# Seconds before anything is shown, and between two looks at the clock.
DELAY = 1.0
# Held by the bar that is on the screen.
_SCREEN = Lock()
# Held for the moment in which a line is written or taken away.
_WRITING = RLock()
_FORMAT = "{percentage:3.0f}% |{bar:16}| {desc} [{elapsed}<{remaining}]{postfix}"
# Without a terminal a line is written for each twentieth of the work, but not within five seconds
# of the last one, and after thirty seconds in any case.
_PARTS, _OFTEN, _SELDOM = 20, 5.0, 30.0
# What is on the screen, for those who write beside it.
_open: "list[Progress]" = []
_waiting: "list[Waiting]" = []


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
    delay : float, optional
        Seconds before a bar appears; `DELAY` by default.
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
        delay: float | None = None,
        lines: bool = False,
        shown: bool = True,
    ) -> None:
        # Sums of costs may round below zero or above the total, which tqdm complains about.
        self.total, self.done = float(total), min(max(float(initial), 0.0), float(total))
        self.description = visible(description)
        self._holds_screen = shown and _SCREEN.acquire(blocking=False)
        if self._holds_screen:
            for each in _waiting:
                each.clear()
        self._delay, self._ticked = DELAY if delay is None else delay, False
        self._bar = self._open_bar(self._delay) if self._holds_screen else None
        self._lines = lines and self._holds_screen and self._bar is None
        self._start, self._initial = time.monotonic(), self.done
        self._last_line = self._start, self.done
        if self._holds_screen:
            _open.append(self)  # from now on a clock may ask it to tick

    def advance(self, amount: float = 1.0, description: str = "") -> None:
        """Say that more of the work is done, and by a description what is being done now."""
        amount = min(amount, self.total - self.done)
        self.done += amount
        self.description = visible(description) or self.description
        if self._bar is not None:
            self._bar.set_description_str(self.description, refresh=False)
            self._bar.update(amount)
        self._write_line()

    def describe(self, description: str, detail: str = "") -> None:
        """Say what is being done now, and draw the bar anew."""
        self.description = visible(description)
        if self._bar is not None:
            self._bar.set_description_str(self.description, refresh=False)
            self._bar.set_postfix_str(visible(detail), refresh=False)
            self._bar.ncols = _columns()
            self._bar.refresh()
        self._write_line()

    def begin_again(self, description: str) -> None:
        """Go back to none of the work, for the next of several rounds of the same work."""
        self.done, self.description = 0.0, visible(description)
        self._start, self._initial = time.monotonic(), 0.0
        self._last_line = self._last_line[0], 0.0
        if self._bar is not None:
            self._bar.n = self._bar.last_print_n = 0
            self._bar.set_description_str(self.description, refresh=False)

    def tick(self) -> bool:
        """Show the time that has gone by; return whether the bar shows anything."""
        if self._bar is not None and time.monotonic() - self._start >= self._delay:
            self._ticked = True
            self._bar.refresh()
        self._write_line()
        return self._bar is not None or self._lines

    def clear(self) -> None:
        """Take the bar off the screen until it moves."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Take the bar off the screen."""
        with _WRITING:  # no clock may draw it again
            if self._bar is not None:
                if self._ticked:  # tqdm takes away only what it drew by itself
                    self._bar.clear()
                self._bar.close()
            if self._holds_screen:
                self._holds_screen = False
                _open.remove(self)
                _SCREEN.release()
            self._bar, self._lines = None, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
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


class Waiting:
    """The time that work takes, to be used in a ``with`` statement; bars inside it come first.

    On a terminal it is a line that is shown after a second and gone in the end; elsewhere a plain
    line now and then.

    Parameters
    ----------
    description : str
        What is being done.

    Examples
    --------
    >>> with Waiting("counting"):
    ...     total = sum(range(10))
    >>> total
    45
    """

    def __init__(self, description: str) -> None:
        self.description = visible(description)
        self._start = self._last_line = time.monotonic()
        self._shown, self._ended = 0, Event()
        self._clock = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        _waiting.append(self)
        self._clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._clock.join()
        self.clear()
        _waiting.remove(self)

    def clear(self) -> None:
        """Take the line off the screen."""
        with _WRITING:
            if self._shown:
                sys.stderr.write("\r" + " " * self._shown + "\r")
                sys.stderr.flush()
                self._shown = 0

    def _run(self) -> None:
        while not self._ended.wait(DELAY):
            with _WRITING:
                silent = not any(bar.tick() for bar in _open) and not sys.stderr.isatty()
                if silent or not _SCREEN.locked():
                    self._show()

    def _show(self) -> None:
        now = time.monotonic()
        seconds = int(now - self._start)
        if sys.stderr.isatty():
            text = f"{self.description} [{seconds // 60:02d}:{seconds % 60:02d}]"[: _columns()]
            sys.stderr.write("\r" + text)
            sys.stderr.flush()
            self._shown = len(text)
        elif now - self._last_line >= _SELDOM:
            self._last_line = now
            print(f"{self.description}, {seconds} s so far", file=sys.stderr, flush=True)


def clear_screen() -> None:
    """Take bars off the screen, for a line that is written now; they come back by themselves."""
    for bar in _open:
        bar.clear()
    for each in _waiting:
        each.clear()


def _columns() -> int:
    # Room for the ^C of an interrupt, which would otherwise go to the next line.
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
