"""How far a long computation is: one bar on a terminal, plain lines elsewhere, nothing in workers.

A process shows one bar at a time. What would open another while one is open, for instance an
embedding inside an experiment, is computed in silence. `Waiting` is for work that cannot say how
far it is, or only in parts: it shows the time while no bar is open.
"""

import re
import sys
import time
from collections.abc import Iterable, Iterator
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
_on_screen: "list[Progress | Waiting]" = []


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


class Progress:
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
        # Sums of costs may round below zero or above the total, which tqdm complains about.
        self.total, self.done = float(total), min(max(float(initial), 0.0), float(total))
        self.description = visible(description)
        self._start = self._last_line = time.monotonic()
        self._initial = self.done
        self._holds_screen = shown and _screen.acquire(blocking=False)
        self._bar = self._open_bar() if self._holds_screen else None
        self._lines = lines and self._holds_screen and self._bar is None
        if self._holds_screen:
            clear_screen()
            _on_screen.append(self)  # from now on a clock may ask it to tick

    def advance(self, amount: float = 1.0, description: str = "") -> None:
        """Add to the work that is done, and describe what is being done now."""
        amount = min(amount, self.total - self.done)
        self.done += amount
        self.description = visible(description) or self.description
        if self._bar is not None:
            self._bar.set_description_str(self.description, refresh=False)
            self._bar.update(amount)
        self._write_line()

    def describe(self, description: str, detail: str = "") -> None:
        """Describe what is being done now, and draw the bar anew."""
        self.advance(0.0, description)
        if self._bar is not None:
            self._bar.set_postfix_str(visible(detail), refresh=False)
            self._bar.ncols = _columns()
            self._bar.refresh()

    def begin_again(self, description: str) -> None:
        """Go back to none of the work, for the next of several rounds of the same work."""
        self.done = self._initial = 0.0
        self._start, self.description = time.monotonic(), visible(description)
        if self._bar is not None:
            self._bar.n = self._bar.last_print_n = 0
            self._bar.set_description_str(self.description, refresh=False)

    def tick(self) -> bool:
        """Show the time that has gone by; return whether the bar shows anything."""
        if self._bar is not None and time.monotonic() - self._start >= DELAY:
            self._bar.refresh()
        self._write_line()
        return self._bar is not None or self._lines

    def clear(self) -> None:
        """Remove the bar from the screen until it moves."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Remove the bar from the screen."""
        with _writing:  # no clock may draw it again
            if self._bar is not None:
                self._bar.clear()  # tqdm removes only what it drew by itself
                self._bar.close()
            if self._holds_screen:
                self._holds_screen = False
                _on_screen.remove(self)
                _screen.release()
            self._bar, self._lines = None, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        drawn = self._bar is not None
        self.close()
        if drawn and kind is not None and issubclass(kind, KeyboardInterrupt):
            # The ^C that the terminal wrote after the bar.
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _open_bar(self) -> Any:
        try:
            tqdm = import_module("tqdm").tqdm
        except ImportError:
            return None
        bar = tqdm(
            total=self.total,
            initial=self.done,
            desc=self.description,
            bar_format="{percentage:3.0f}% |{bar:16}| {desc} [{elapsed}<{remaining}]{postfix}",
            delay=DELAY,
            disable=None,  # shown on a terminal only
            leave=False,
            smoothing=0.05,
            ncols=_columns(),
        )
        return None if bar.disable else bar

    def _write_line(self) -> None:
        now = time.monotonic()
        if not self._lines or now - self._last_line < LINE_SECONDS:
            return
        self._last_line = now
        text = f"{self.done / self.total:4.0%} {self.description}"
        if self.done > self._initial:
            rate = (self.done - self._initial) / (now - self._start)
            text += f", {(self.total - self.done) / rate:.0f} s left"
        print(text, file=sys.stderr, flush=True)


class Waiting:
    """The time that work takes, to be used in a ``with`` statement; bars inside it come first.

    On a terminal it is a line that is shown after a second and gone in the end; elsewhere a plain
    line now and then.
    """

    def __init__(self, description: str) -> None:
        self.description = visible(description)
        self._start = self._last_line = time.monotonic()
        self._shown, self._ended = 0, Event()
        self._clock = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        _on_screen.append(self)
        self._clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._clock.join()
        self.clear()
        _on_screen.remove(self)

    def clear(self) -> None:
        """Remove the line from the screen."""
        with _writing:
            if self._shown:
                sys.stderr.write("\r" + " " * self._shown + "\r")
                sys.stderr.flush()
                self._shown = 0

    def _run(self) -> None:
        while not self._ended.wait(DELAY):
            with _writing:
                bars = [shown for shown in _on_screen if isinstance(shown, Progress)]
                silent = not any(bar.tick() for bar in bars) and not sys.stderr.isatty()
                if silent or not _screen.locked():
                    self._show()

    def _show(self) -> None:
        now = time.monotonic()
        seconds = int(now - self._start)
        if sys.stderr.isatty():
            text = f"{self.description} [{seconds // 60:02d}:{seconds % 60:02d}]"[: _columns()]
            sys.stderr.write("\r" + text)
            sys.stderr.flush()
            self._shown = len(text)
        elif now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            print(f"{self.description}, {seconds} s so far", file=sys.stderr, flush=True)


def progress(items: Iterable[Item], *, total: int, description: str) -> Iterator[Item]:
    """Pass the items on, with a bar on a terminal once a second has gone by."""
    with Progress(total, description) as bar:
        for item in items:
            yield item
            bar.advance()


def _columns() -> int:
    # Room for the ^C of an interrupt, which would otherwise go to the next line.
    return max(get_terminal_size().columns - 4, 20)
