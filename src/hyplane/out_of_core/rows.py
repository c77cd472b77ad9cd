"""Rows that are read block by block: what a fit asks of them, and rows in memory."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from numbers import Integral
from types import SimpleNamespace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from hyplane._utils.progress import Progress
from hyplane._utils.typing import Array
from hyplane._utils.validation import EncodedLabels, check_has_values, check_numbers

Result = TypeVar("Result")


@dataclass(frozen=True)
class Block:
    """Consecutive rows.

    Attributes
    ----------
    first : int
        The number of the first of them among all rows.
    X : ndarray of shape (m, n_columns)
        Points in the user's coordinates, in single or double precision.
    y : ndarray of shape (m,) or (m, n_labels), EncodedLabels or None
        Labels as they are.
    weight : ndarray of shape (m,) or None
        Weights of the rows.
    file : str, default=""
        The file that they are from, where there are several.
    first_of_file : int, default=0
        The number of the first of these rows in that file.

    Examples
    --------
    >>> import numpy as np
    >>> block = Block(100, np.zeros((2, 3)), None, None, "part-1.parquet", 20)
    >>> len(block), block.name_of_row(1)
    (2, 'row 101 (row 21 of part-1.parquet)')
    """

    first: int
    X: NDArray[Any]
    y: NDArray[Any] | EncodedLabels | None = None
    weight: Array | None = None
    file: str = ""
    first_of_file: int = 0

    def __len__(self) -> int:
        return len(self.X)

    def name_of_row(self, row: int) -> str:
        """Name a row of the block in a message; rows count from 0."""
        there = f" (row {self.first_of_file + row} of {self.file})" if self.file else ""
        return f"row {self.first + row}{there}"


class Blocks(ABC):
    """Rows that are read block by block, as often as they are needed.

    A fit calls functions of one block, and combines their results in the order of the blocks. So no
    result depends on where, or by how many threads, blocks are read.

    Attributes
    ----------
    n_columns : int
    n_rows : int or None
        None if it is not known before the blocks are read.
    column_names : list of str or None

    Examples
    --------
    >>> import numpy as np
    >>> from hyplane.out_of_core import MemoryBlocks
    >>> blocks = MemoryBlocks(np.ones((5, 2)), rows_per_block=2)
    >>> list(blocks.map(len))
    [2, 2, 1]
    """

    read_by_blocks = True
    n_columns: int
    n_rows: int | None = None
    column_names: list[str] | None = None

    @abstractmethod
    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield ``function(block, *args)`` for every block, in the order of the blocks.

        Parameters
        ----------
        function : callable
            A function of a module: it may run in another process.
        *args
            Further arguments; small, and can be pickled.

        Yields
        ------
        result
        """

    @abstractmethod
    def prepared(self, function: Callable[..., Any], *args: Any) -> "Blocks":
        """Return blocks of ``function(block, *args)`` in place of each block.

        They are kept if there is room for them, and otherwise made again in each pass.

        Parameters
        ----------
        function : callable
            As in `map`. Its result can be pickled.
        *args
            As in `map`.

        Returns
        -------
        blocks : Blocks
        """

    def tell(self, about: str) -> None:  # noqa: B027 (may do nothing)
        """Announce the purpose of the next passes; see `WatchedBlocks`."""

    def collect(self, function: Callable[..., NDArray[Any]], *args: Any) -> NDArray[Any]:
        """Return the function of all blocks as one array.

        Parameters
        ----------
        function : callable
            As in `map`; returns an array with one entry or line for each row of the block.
        *args
            As in `map`.

        Returns
        -------
        array : ndarray
        """
        parts = list(self.map(function, *args))
        if not parts:
            raise ValueError("no points: at least one row is needed.")
        return np.concatenate(parts)


class Workers:
    """Threads that share blocks, and one more that reads ahead; the same ones for all passes.

    New threads for each pass would each keep memory that the passes before them freed.

    Examples
    --------
    >>> list(Workers(2).in_order(iter([1, 2, 3]), pow, (2,)))
    [1, 4, 9]
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = check_scalar(n_threads, "n_threads", Integral, min_val=1)
        self._reader, self._pool = ThreadPoolExecutor(1), ThreadPoolExecutor(n_threads)

    def in_order(
        self, blocks: Iterator[Any], function: Callable[..., Result], args: tuple[Any, ...]
    ) -> Iterator[Result]:
        """Yield the function of each block in order, with ``n_threads + 3`` blocks in memory."""
        waiting: deque[Future[Result]] = deque()
        upcoming = self._reader.submit(next, blocks, None)
        try:
            while (block := upcoming.result()) is not None:
                upcoming = self._reader.submit(next, blocks, None)
                waiting.append(self._pool.submit(function, block, *args))
                del block
                if len(waiting) > self.n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            upcoming.cancel()
            for each in waiting:
                each.cancel()


class LocalBlocks(Blocks):
    """Blocks that threads of this process read: the base of rows in memory and on disk."""

    def __init__(
        self,
        X: Any,
        y: Any = None,
        weight: Any = None,
        *,
        n_threads: int = 1,
        rows_per_block: int | None = None,
    ) -> None:
        self.n_rows, self.n_columns = _checked_shape(X, y, weight)
        self.workers = Workers(n_threads)
        if rows_per_block is not None:
            check_scalar(rows_per_block, "rows_per_block", Integral, min_val=1)
        self.rows_per_block = rows_per_block or usual_rows(self.n_columns)
        self._columns = {"X": X, "y": y, "sample_weight": weight}

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield the function of each block; see `Blocks.map`."""
        return self.workers.in_order(self._read(), function, args)

    def _read(self) -> Iterator[Any]:
        for name, column in self._columns.items():
            check_has_values(column, name)
        for first in range(0, self.n_rows or 0, self.rows_per_block):
            # Copied, so that a memory map is read now, by the thread that reads ahead.
            rows = slice(first, first + self.rows_per_block)
            values = self._columns.values()
            columns: Any = (None if each is None else np.array(each[rows]) for each in values)
            yield Block(first, *columns)


class MemoryBlocks(LocalBlocks):
    """Blocks of an array in memory.

    Parameters
    ----------
    X : ndarray of shape (m, n_columns)
    y : ndarray of shape (m,), default=None
    weight : ndarray of shape (m,), default=None
    n_threads : int, default=1
        Threads that share the blocks.
    rows_per_block : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> blocks = MemoryBlocks(np.ones((5, 2)), rows_per_block=2)
    >>> list(blocks.map(lambda block: block.first))
    [0, 2, 4]
    """

    _kept: list[Any] | None = None

    def prepared(self, function: Callable[..., Any], *args: Any) -> "MemoryBlocks":
        """Return blocks of the function of each, kept in memory; see `Blocks.prepared`."""
        ready = copy(self)
        ready._kept = list(self.map(function, *args))
        return ready

    def _read(self) -> Iterator[Any]:
        return super()._read() if self._kept is None else iter(self._kept)


class WatchedBlocks(Blocks):
    """Blocks with a progress bar that counts passes and rows, to be used in a ``with`` statement.

    Examples
    --------
    >>> with WatchedBlocks(MemoryBlocks(np.ones((5, 2))), "counting") as blocks:
    ...     sum(blocks.map(len)), sum(blocks.map(len)), blocks.n_passes
    (5, 5, 2)
    """

    def __init__(self, blocks: Blocks, description: str, *, shown: bool = True) -> None:
        self._blocks, self._description = blocks, description
        self.n_rows, self.n_columns = blocks.n_rows, blocks.n_columns
        self.column_names = blocks.column_names
        self._bar = Progress(self.n_rows or 1.0, description, lines=True, shown=shown)
        self._state = SimpleNamespace(n_passes=0, about="")  # shared with prepared blocks

    @property
    def n_passes(self) -> int:
        """Number of passes that were begun."""
        return int(self._state.n_passes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._bar.__exit__(kind, *error)

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield the function of each block; see `Blocks.map`.

        Yields
        ------
        result
        """
        self._state.n_passes += 1
        n_pass, n_done = self.n_passes, 0
        self._bar.begin_again(self._text(n_pass, 0))
        for n_rows, result in self._blocks.map(_with_rows, function, args):
            n_done += n_rows
            self._bar.advance(n_rows if self.n_rows else 0, self._text(n_pass, n_done))
            yield result

    def tell(self, about: str) -> None:
        """Show what the next passes are for."""
        self._state.about = f", {about}"

    def prepared(self, function: Callable[..., Any], *args: Any) -> "WatchedBlocks":
        """Return blocks of the function of each, with the same bar; see `Blocks.prepared`."""
        ready = copy(self)
        ready._blocks = self._blocks.prepared(function, *args)
        return ready

    def _text(self, n_pass: int, n_done: int) -> str:
        of = f" of {_millions(self.n_rows)}" if self.n_rows else ""
        about = self._state.about
        return f"{self._description}{about}, pass {n_pass}, {_millions(n_done)}{of} rows"


def usual_rows(n_columns: int, numbers: int = 1 << 20) -> int:
    """Return how many rows a block has by default: 8 MB, once they are converted."""
    return max(1024, numbers // (n_columns + 1))


def _checked_shape(X: Any, y: Any, weight: Any) -> tuple[int, int]:
    """Return the rows and columns of points, whose labels and weights have as many rows."""
    shape: tuple[int, ...] = np.shape(X)
    if len(shape) != 2:
        raise ValueError(
            f"X is of type {type(X).__name__} and has {len(shape)} axes; blocks are made of an "
            "array with one row for each point."
        )
    check_numbers(X, "X")
    check_has_values(y, "y")
    check_numbers(weight, "sample_weight")
    for name, column in (("y", y), ("sample_weight", weight)):
        if column is None:
            continue
        n_rows, *width = np.shape(column) or (0,)
        if n_rows != shape[0]:
            raise ValueError(
                f"X has {shape[0]} rows and {name} {n_rows}; both need the same number."
            )
        if name == "sample_weight" and width not in ([], [1]):
            raise ValueError(f"sample_weight has {width[0]} columns; a row has one weight.")
    return shape[0], shape[1]


def _with_rows(
    block: Any, function: Callable[..., Result], args: tuple[Any, ...]
) -> tuple[int, Result]:
    return len(block), function(block, *args)


def _millions(n_rows: int) -> str:
    return f"{n_rows / 1e6:.1f} M" if n_rows >= 1_000_000 else f"{n_rows:,}".replace(",", " ")
