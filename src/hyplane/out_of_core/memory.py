"""Blocks of rows in memory, and how threads share blocks."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from numbers import Integral
from typing import Any, TypeVar

from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane._utils.validation import check_labels, check_numbers
from hyplane.out_of_core.rows_protocol import Block, Blocks

R = TypeVar("R")
# Numbers of a block that is made ready for the solver: 8 MB.
_NUMBERS = 1 << 20


def usual_rows(n_columns: int) -> int:
    """Return how many rows a block has by default.

    Examples
    --------
    >>> usual_rows(3)
    262144
    """
    return max(1024, _NUMBERS // (n_columns + 1))


def checked_shape(
    X: Any, y: Any = None, weight: Any = None, rows_per_block: Any = None
) -> tuple[int, int]:
    """Return the rows and columns of points, whose labels and weights have as many rows.

    Examples
    --------
    >>> import numpy as np
    >>> checked_shape(np.ones((5, 2)))
    (5, 2)
    """
    shape = getattr(X, "shape", ())
    if not isinstance(shape, tuple) or len(shape) != 2:
        raise ValueError(
            f"X is of type {type(X).__name__} and has {len(shape)} axes; blocks are made of an "
            "array with one row for each point."
        )
    check_numbers(X, "X")
    check_labels(y)
    check_numbers(weight, "sample_weight")
    if rows_per_block is not None:
        _check_count(rows_per_block, "rows_per_block")
    for name, column in (("y", y), ("sample_weight", weight)):
        if column is None:
            continue
        own = getattr(column, "shape", None)
        if not own:
            raise ValueError(f"{name} is of type {type(column).__name__}; it has to be an array.")
        if own[0] != shape[0]:
            raise ValueError(
                f"X has {shape[0]} rows and {name} {own[0]}; both need the same number."
            )
        if name == "sample_weight" and own[1:] not in ((), (1,)):
            raise ValueError(f"sample_weight has the shape {own}; a row has one weight.")
    return shape


def _check_count(value: Any, name: str) -> None:
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} is {value!r}; it is a positive integer.")


class MemoryBlocks(Blocks):
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

    def __init__(
        self,
        X: NDArray[Any],
        y: NDArray[Any] | None = None,
        weight: Array | None = None,
        *,
        n_threads: int = 1,
        rows_per_block: int | None = None,
    ) -> None:
        self.n_rows, self.n_columns = checked_shape(X, y, weight, rows_per_block)
        size = usual_rows(self.n_columns) if rows_per_block is None else rows_per_block
        self.workers = Workers(n_threads)
        self._blocks: list[Any] = [
            Block(
                first,
                X[first : first + size],
                None if y is None else y[first : first + size],
                None if weight is None else weight[first : first + size],
            )
            for first in range(0, len(X), size)
        ]

    def map(self, function: Callable[..., R], *args: Any) -> Iterator[R]:
        """Yield the function of each block; see `Blocks.map`."""
        return self.workers.in_order(iter(self._blocks), function, args)

    def prepared(self, function: Callable[..., Any], *args: Any) -> "MemoryBlocks":
        """Return blocks of the function of each, kept in memory; see `Blocks.prepared`."""
        ready = object.__new__(MemoryBlocks)
        ready.n_rows, ready.n_columns, ready.workers = self.n_rows, self.n_columns, self.workers
        ready._blocks = list(self.map(function, *args))
        return ready


class Workers:
    """Threads that share blocks, and one more that reads ahead; the same ones for all passes.

    New threads for each pass would each keep memory that the passes before them freed.

    Parameters
    ----------
    n_threads : int

    Examples
    --------
    >>> list(Workers(2).in_order(iter([1, 2, 3]), pow, (2,)))
    [1, 4, 9]
    """

    def __init__(self, n_threads: int) -> None:
        _check_count(n_threads, "n_threads")
        self.n_threads = n_threads
        self._reader, self._pool = ThreadPoolExecutor(1), ThreadPoolExecutor(n_threads)

    def in_order(
        self, blocks: Iterator[Any], function: Callable[..., R], args: tuple[Any, ...]
    ) -> Iterator[R]:
        """Yield the function of each block in order.

        At most ``n_threads + 3`` blocks are in memory at a time, where the iterator makes each
        anew.

        Parameters
        ----------
        blocks : iterator
        function : callable
        args : tuple

        Yields
        ------
        result
        """
        waiting: deque[Future[R]] = deque()
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
