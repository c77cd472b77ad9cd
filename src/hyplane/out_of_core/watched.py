"""Blocks that show how far a pass over them is."""

from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

from hyplane._utils.progress import Progress
from hyplane.out_of_core.rows_protocol import Blocks

R = TypeVar("R")


class WatchedBlocks(Blocks):
    """Blocks with a progress bar that counts passes and rows, to be used in a ``with`` statement.

    Parameters
    ----------
    blocks : Blocks
    description : str
        What is being done.
    shown : bool, default=True

    Attributes
    ----------
    n_passes : int
        Passes that were begun.

    Examples
    --------
    >>> import numpy as np
    >>> from hyplane.out_of_core import MemoryBlocks
    >>> with WatchedBlocks(MemoryBlocks(np.ones((5, 2))), "counting") as blocks:
    ...     sum(blocks.map(len)), sum(blocks.map(len)), blocks.n_passes
    (5, 5, 2)
    """

    def __init__(self, blocks: Blocks, description: str, *, shown: bool = True) -> None:
        self._blocks, self._description = blocks, description
        self.n_rows, self.n_columns = blocks.n_rows, blocks.n_columns
        self.column_names = blocks.column_names
        self._count, self._about = [0], [""]
        self._bar = Progress(self.n_rows or 1.0, description, lines=True, shown=shown)

    @property
    def n_passes(self) -> int:
        """Passes that were begun."""
        return self._count[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._bar.__exit__(kind, *error)

    def map(self, function: Callable[..., R], *args: Any) -> Iterator[R]:
        """Yield the function of each block; see `Blocks.map`.

        Yields
        ------
        result
        """
        self._count[0] += 1
        n_pass, n_done = self._count[0], 0
        self._bar.begin_again(self._text(n_pass, 0))
        for n_rows, result in self._blocks.map(_with_rows, function, args):
            n_done += n_rows
            self._bar.advance(n_rows if self.n_rows else 0, self._text(n_pass, n_done))
            yield result

    def tell(self, about: str, done: int = 0, total: int = 0) -> None:
        """Show what is done between passes; see `Blocks.tell`."""
        self._about[0] = about
        if not total:
            return
        text = f"{self._description}, {about}, {done} of {total}"
        if done <= 1:
            self._bar.begin_again(text)
        self._bar.advance(done / total * self._bar.total - self._bar.done, text)

    def prepared(self, function: Callable[..., Any], *args: Any) -> "WatchedBlocks":
        """Return blocks of the function of each, watched too; see `Blocks.prepared`."""
        ready = object.__new__(WatchedBlocks)
        ready.__dict__.update(self.__dict__, _blocks=self._blocks.prepared(function, *args))
        return ready

    def _text(self, n_pass: int, n_done: int) -> str:
        of = f" of {_millions(self.n_rows)}" if self.n_rows else ""
        about = f", {self._about[0]}" if self._about[0] else ""
        return f"{self._description}{about}, pass {n_pass}, {_millions(n_done)}{of} rows"


def _millions(n_rows: int) -> str:
    return f"{n_rows / 1e6:.1f} M" if n_rows >= 1_000_000 else f"{n_rows:,}".replace(",", " ")


def _with_rows(block: Any, function: Callable[..., R], args: tuple[Any, ...]) -> tuple[int, R]:
    return len(block), function(block, *args)
