"""How far a long computation is: one bar on a terminal, plain lines elsewhere, nothing in workers.

A process shows one bar at a time. What would open another while one is open, for instance an
embedding inside an experiment, is computed in silence. `Waiting` is for work that cannot say how
far it is, or only in parts: it shows the time while no bar is open.
"""

import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from shutil import get_terminal_size
from threading import Event, Lock, RLock, Thread
from typing import Any, Self, TypeVar

Item = TypeVar("Item")

# Seconds before anything is shown on a terminal, and between two updates of the time.
DELAY = 1.0
# Seconds between plain lines, where there is no terminal.
LINE_SECONDS = 30.0
_screen = Lock()  # held by the bar that is open
_writing = RLock()  # held while a line is written or removed
_on_screen: "list[_Line]" = []  # the last one is drawn


def visible(text: str) -> str:
    """Return text with escapes in place of control characters, line breaks included.

    Without this a label or a file name could move the cursor, rename the window or forge a line.
    """
    # Control characters but the tab, line separators, and marks that turn the writing direction.
    control = "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
    return re.sub(control, lambda found: found[0].encode("unicode_escape").decode(), text)


def silence() -> None:
    """Show no progress in this process from now on: for workers, whose parent shows it."""
    _screen.acquire(blocking=False)


def clear_screen() -> None:
    """Remove bars from the screen, for a line that is written now; they come back by themselves."""
    for shown in _on_screen:
        shown.clear()


class _Line:
    """What is being done: a line that tqdm draws on a terminal, plain lines elsewhere."""

    def __init__(self, description: str) -> None:
        self.description = visible(description)
        self._start = self._last_line = time.monotonic()
        self._bar: Any = None
        self._lines = False

    def _open(self, bar_format: str, *, lines: bool, **settings: Any) -> None:
        with suppress(ImportError):
            bar = import_module("tqdm").tqdm(
                desc=self.description,
                bar_format=bar_format,
                delay=DELAY,
                disable=None,  # shown on a terminal only
                leave=False,
                miniters=0,
                # Room for the ^C of an interrupt, which would otherwise go to the next line.
                ncols=max(get_terminal_size().columns - 4, 20),
                position=0,
                **settings,
            )
            self._bar = None if bar.disable else bar
        self._lines = lines and self._bar is None
        if self._bar is not None or self._lines:
            clear_screen()
            _on_screen.append(self)  # from now on a clock may ask it to tick

    def tick(self) -> None:
        """Show the time that has gone by."""
        now = time.monotonic()
        if self._bar is not None and now - self._start >= DELAY:
            self._bar.refresh()
        if self._lines and now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            print(self._text(now - self._start), file=sys.stderr, flush=True)

    def _text(self, seconds: float) -> str:
        return f"{self.description}, {seconds:.0f} s so far"

    def clear(self) -> None:
        """Remove the line from the screen until it moves."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Remove the line from the screen."""
        with _writing:  # no clock may draw it again
            self.clear()  # tqdm removes only what it drew by itself
            if self._bar is not None:
                self._bar.close()
            if self in _on_screen:
                _on_screen.remove(self)
            self._bar, self._lines = None, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        drawn = self._bar is not None
        self.close()
        if drawn and kind is not None and issubclass(kind, KeyboardInterrupt):
            # The ^C that the terminal wrote after the bar.
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Progress(_Line):
    """A bar on the standard error for `total` units of work, to be used in a ``with`` statement.

    With `lines` and without a terminal, it is a plain line now and then.
    """

    def __init__(
        self,
        total: float,
        description: str,
        *,
        initial: float = 0.0,
        lines: bool = False,
        shown: bool = True,
    ) -> None:
        super().__init__(description)
        # Sums of costs may round below zero or above the total, which tqdm complains about.
        self.total, self.done = float(total), min(max(float(initial), 0.0), float(total))
        self._initial = self.done
        self._holds_screen = shown and _screen.acquire(blocking=False)
        if self._holds_screen:
            bar_format = "{percentage:3.0f}% |{bar:16}| {desc} [{elapsed}<{remaining}]"
            amounts = {"total": self.total, "initial": self.done}
            self._open(bar_format, lines=lines, smoothing=0.05, **amounts)

    def advance(self, amount: float = 1.0, description: str = "") -> None:
        """Add to the work that is done, and describe what is being done now."""
        amount = min(amount, self.total - self.done)
        self.done += amount
        self.description = visible(description) or self.description
        if self._bar is None:
            self.tick()
        else:
            self._bar.desc = self.description
            self._bar.update(amount)

    def begin_again(self, description: str) -> None:
        """Go back to none of the work, for the next of several rounds of the same work."""
        self._start, self._initial = time.monotonic(), 0.0
        self.advance(-self.done, description)

    def close(self) -> None:
        """Remove the bar from the screen, which another may take."""
        super().close()
        if self._holds_screen:
            self._holds_screen = False
            _screen.release()

    def _text(self, seconds: float) -> str:
        text = f"{self.done / self.total:4.0%} {self.description}"
        if self.done > self._initial:
            left = seconds * (self.total - self.done) / (self.done - self._initial)
            text += f", {left:.0f} s left"
        return text


class Waiting(_Line):
    """The time that work takes, to be used in a ``with`` statement; bars inside it come first.

    On a terminal it is a line that is shown after a second and gone in the end; elsewhere a plain
    line now and then.
    """

    def __enter__(self) -> Self:
        self._open("{desc} [{elapsed}]{bar:0}", lines=True)
        self._ended = Event()
        self._clock = Thread(target=self._run, daemon=True)
        self._clock.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._ended.set()
        self._clock.join()
        super().__exit__(kind, *error)

    def _run(self) -> None:
        while not self._ended.wait(DELAY):
            with _writing:
                _on_screen[-1].tick()


def progress(items: Iterable[Item], *, total: int, description: str) -> Iterator[Item]:
    """Pass the items on, with a bar on a terminal once a second has gone by."""
    with Progress(total, description) as bar:
        for item in items:
            yield item
            bar.advance()
