"""Columns of text, which stay text until numbers or classes are asked for."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hyplane.cli._words import is_plain


class ArrowText(Sequence[str]):
    """A column in the memory of pyarrow, which takes a third of that of Python's words.

    Parameters
    ----------
    chunks : pyarrow.ChunkedArray
        Of strings, none of them null.
    """

    def __init__(self, chunks: Any) -> None:
        self.chunks = chunks

    def __len__(self) -> int:
        return len(self.chunks)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            part: list[str] = self.chunks.slice(start, max(stop - start, 0)).to_pylist()
            return part[::step]
        return str(self.chunks[row].as_py())

    def __iter__(self) -> Iterator[str]:
        for chunk in self.chunks.chunks:
            yield from chunk.to_pylist()

    def numbers(self, kind: str) -> NDArray[Any] | None:
        """Return the column as "float64" or "int64", or None where a cell is no such number."""
        pyarrow: Any = import_module("pyarrow")
        compute: Any = import_module("pyarrow.compute")
        try:
            found: NDArray[Any] = self.chunks.cast(kind).to_numpy()
        except pyarrow.ArrowInvalid:
            return None
        # pyarrow takes 0x10 for a whole number.
        hexadecimal = kind == "int64" and compute.any(
            compute.match_substring(self.chunks, "x", ignore_case=True)
        )
        return None if hexadecimal and hexadecimal.as_py() else found

    def coded(self) -> tuple[list[str], NDArray[np.int64]]:
        """Return the different words and the place of each row's among them."""
        encoded = self.chunks.dictionary_encode().combine_chunks()
        if hasattr(encoded, "chunks"):  # of a column without rows
            return [], np.empty(0, np.int64)
        return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


Text = tuple[str, ...] | ArrowText


def floats_of(column: Text) -> NDArray[np.float64] | None:
    """Return text as numbers, or None where a cell is not one in its usual writing.

    Examples
    --------
    >>> floats_of(("0.5", "1e-3")), floats_of(("0.5", "1_000"))
    (array([0.5  , 0.001]), None)
    """
    return _numbers_of(
        column, "float64", lambda words: np.fromiter(map(float, words), np.float64, len(words))
    )


def whole_numbers_of(column: Text) -> NDArray[np.int64] | None:
    """Return text as whole numbers, or None where a cell is not one."""
    return _numbers_of(column, "int64", lambda words: np.asarray(words, dtype=np.int64))


def _numbers_of(
    column: Text, kind: str, read: Callable[[tuple[str, ...]], NDArray[Any]]
) -> NDArray[Any] | None:
    if isinstance(column, ArrowText):
        found = column.numbers(kind)
        if found is not None:
            return found
        column = tuple(column)  # pyarrow does not take blanks around a number
    if not is_plain("".join(column)):
        return None
    try:
        return read(column)
    except (ValueError, OverflowError):
        return None


def coded(column: Text) -> tuple[list[str], NDArray[np.int64]]:
    """Return the different words of a column, and the place of each row's among them.

    Examples
    --------
    >>> coded(("a", "b", "a"))
    (['a', 'b'], array([0, 1, 0]))
    """
    if isinstance(column, ArrowText):
        return column.coded()
    place: dict[str, int] = {}
    codes = [place.setdefault(word, len(place)) for word in column]
    return list(place), np.array(codes, dtype=np.int64)
