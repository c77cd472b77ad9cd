"""The contract between those who hold rows and those who compute with them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.out_of_core.labels import EncodedLabels

R = TypeVar("R")
Step = tuple[Callable[..., Any], tuple[Any, ...]]  # a function of a block, and what else it takes


@dataclass(frozen=True)
class Block:
    """Rows that follow each other.

    Attributes
    ----------
    first : int
        The number of the first of them among all rows.
    X : ndarray of shape (m, n_columns)
        Points in the user's chart, in single or double precision.
    y : ndarray of shape (m,), EncodedLabels or None
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
        """Say which row this is, for messages; rows count from 0."""
        there = f" (row {self.first_of_file + row} of {self.file})" if self.file else ""
        return f"row {self.first + row}{there}"


class Blocks(ABC):
    """Rows that are read block by block, as often as they are asked for.

    Everything that a fit asks is a function of one block, and a reduction of the results in the
    order of the blocks. So no result depends on where, or by how many threads, blocks are read.

    Attributes
    ----------
    n_columns : int
    n_rows : int or None
        None where this is not known before the blocks are read.
    column_names : list of str or None

    Examples
    --------
    >>> import numpy as np
    >>> from hyplane.out_of_core import MemoryBlocks
    >>> blocks = MemoryBlocks(np.ones((5, 2)), rows_per_block=2)
    >>> list(blocks.map(len))
    [2, 2, 1]
    """

    n_columns: int
    n_rows: int | None = None
    column_names: list[str] | None = None

    @abstractmethod
    def map(self, function: Callable[..., R], *args: Any) -> Iterator[R]:
        """Yield ``function(block, *args)`` for every block, in the order of the blocks.

        Parameters
        ----------
        function : callable
            A function of a module: it may run in another process.
        *args
            What it takes beside the block; small, and can be pickled.

        Yields
        ------
        result
        """

    @abstractmethod
    def prepared(self, function: Callable[..., Any], *args: Any) -> "Blocks":
        """Return blocks of ``function(block, *args)`` in place of each block.

        They are kept where there is room, and made anew on each pass where there is not.

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

    def tell(self, about: str, done: int = 0, total: int = 0) -> None:  # noqa: B027 (for watchers)
        """Say what is done between passes, for those who watch; see `WatchedBlocks`.

        Parameters
        ----------
        about : str
            What it is, and what the passes from now on are for.
        done, total : int, default=0
            How much of it is done, and all of it.
        """

    def collect(self, function: Callable[..., NDArray[Any]], *args: Any) -> Any:
        """Return the function of all blocks as one array, one entry or line for each row.

        Blocks that are not in this process may return it in a form of their own, not computed yet.

        Parameters
        ----------
        function : callable
            As in `map`; returns an array with one entry or line for each row of the block.
        *args
            As in `map`.

        Returns
        -------
        array
        """
        parts = [part for part in self.map(_unless_empty, function, args) if part is not None]
        if not parts:
            raise ValueError("no points: at least one row is needed.")
        return np.concatenate(parts)


def _unless_empty(block: Any, function: Callable[..., R], args: tuple[Any, ...]) -> R | None:
    return function(block, *args) if len(block) else None
