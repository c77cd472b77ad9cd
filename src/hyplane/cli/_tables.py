"""Tables of points and labels: columns by name, and errors that say which cell."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array

# The cells of a text file stay text until numbers are asked for.
Column = tuple[str, ...] | NDArray[Any]

# What `hyplane embed` calls the names of nodes.
NODE = "node"
# Columns that this command writes beside points: often numbers, never coordinates.
_BESIDE = re.compile(r"node|label\d*|predicted(_.*)?")

_SHOWN = 8
_CLIP = "pull them back explicitly with hyplane convert --clip-radius"


@dataclass(frozen=True)
class Table:
    """Columns of one length.

    Attributes
    ----------
    columns : dict
        The columns by name, in order.
    origin : str
        Where they came from, for messages.
    lines : sequence of int, optional
        Line of each row, where the origin is a text file.
    groups : dict
        Names of columns that were one array, by its name.
    named : bool
        Whether the names are in the file; otherwise they are "1", "2", ….
    """

    columns: dict[str, Column]
    origin: str = "the table"
    lines: Sequence[int] | None = None
    groups: dict[str, list[str]] = field(default_factory=dict)
    named: bool = True

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def where(self, row: int) -> str:
        """Return the place of a row in words."""
        if self.lines is None:
            return f"{self.origin}, row {row} (the first is 0)"
        return f"{self.origin}, line {self.lines[row]}"

    def find(self, names: Sequence[str]) -> list[str]:
        """Return names of columns, where a name may also be an array's or a list with commas."""
        found: list[str] = []
        for name in names:
            if name in self.columns:
                found.append(name)
            elif name in self.groups:
                found += self.groups[name]
            elif "," in name:
                found += self.find([part.strip() for part in name.split(",")])
            else:
                raise ValueError(f"{self.origin} has no column {name!r}{self._known(name)}")
        twice = first_repeated(found)
        if twice is not None:
            raise ValueError(f"the column {twice!r} was named twice")
        return found

    def points_besides(self, others: Sequence[str]) -> list[str]:
        """Return the columns that hold the points where none were named: all the others.

        Columns called node, label, label1, … or predicted are left out too.
        """
        names = [
            name for name in self.columns if name not in others and not _BESIDE.fullmatch(name)
        ]
        if not names:
            raise ValueError(f"{self.origin} has no columns for the points{self._known()}")
        return names

    def points(self, names: Sequence[str], coordinates: str, curvature: float) -> Array:
        """Return points of a chart, or say which row is not one."""
        from hyplane.geometry import check_points

        X = self.numbers(names)
        with self.rows_named(names):
            return check_points(X, coordinates, curvature=curvature)

    @contextmanager
    def rows_named(self, names: Sequence[str]) -> Iterator[None]:
        """Name the row of an error about points as this table has it, and the column."""
        from hyplane.geometry import PointError

        try:
            yield
        except PointError as error:
            place, point = self.where(error.row), f"the point in {_shortened(names)}"
            if error.column is not None:
                place, point = f"{place}, column {names[error.column]!r}", "the point"
            raise ValueError(f"{place}: {point} {error.explanation(_CLIP)}") from error
        except ValueError as error:
            raise ValueError(f"{self.origin}: {error}") from error

    def numbers(self, names: Sequence[str]) -> NDArray[Any]:
        """Return columns of finite numbers, or say which cell is not one."""
        if not self.n_rows:
            raise ValueError(f"{self.origin} has no rows")
        return np.column_stack([self._numbers(name) for name in names])

    def labels(self, names: Sequence[str]) -> NDArray[Any]:
        """Return classes from one column, or the indicator matrix of several."""
        if not self.n_rows:
            raise ValueError(f"{self.origin} has no rows")
        if len(names) == 1:
            labels = self.classes(names[0])
            if len(np.unique(labels)) < 2:
                raise ValueError(
                    f"{self.origin} has one class only in the column {names[0]!r}, "
                    f"{labels.tolist()[0]!r}: a classifier needs two or more"
                )
            return labels
        matrix = self.numbers(names)
        wrong = np.argwhere((matrix != 0) & (matrix != 1))
        if wrong.size:
            row, place = wrong[0]
            raise ValueError(
                f"{self.where(row)}, column {names[place]!r}: {matrix[row, place]:g} is neither 0 "
                "nor 1, which columns of several labels hold"
            )
        return matrix.astype(np.int64)

    def _numbers(self, name: str) -> NDArray[Any]:
        column = self.columns[name]
        if isinstance(column, np.ndarray) and column.dtype.kind == "c":
            raise ValueError(f"{self.origin}, column {name!r}: the numbers are complex")
        try:
            if isinstance(column, tuple) and not is_plain("".join(column)):
                raise ValueError("a number in an unusual writing")
            numbers = np.asarray(column, dtype=None if _is_float(column) else np.float64)
        except (TypeError, ValueError):
            row, cell = next((row, cell) for row, cell in enumerate(column) if not _is_number(cell))
            raise ValueError(
                f"{self.where(row)}, column {name!r}: {_quoted(cell)}. Name the columns of the "
                "points with --points if this is none of them"
            ) from None
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(
                f"{self.where(row)}, column {name!r}: {numbers[row]} is not a finite number. "
                "Remove or repair such rows first"
            )
        return numbers

    def classes(self, name: str) -> NDArray[Any]:
        """Return words or whole numbers from a column, or say which cell is neither."""
        labels = np.asarray(self.columns[name])
        if labels.dtype.kind == "f":
            if not np.isfinite(labels).all():
                row = int(np.argmin(np.isfinite(labels)))
                raise ValueError(f"{self.where(row)}, column {name!r}: the label is {labels[row]}")
            whole = labels.astype(np.int64)
            if not (whole == labels).all():
                row = int(np.argmin(whole == labels))
                raise ValueError(
                    f"{self.where(row)}, column {name!r}: {labels[row]} is no label; labels are "
                    "words or whole numbers"
                )
            return whole
        if labels.dtype.kind in "biu":
            return labels
        words = [None if cell is None else str(cell) for cell in labels.tolist()]
        empty = next((row for row, word in enumerate(words) if not word), None)
        if empty is not None:
            raise ValueError(f"{self.where(empty)}, column {name!r}: the label is missing")
        if all(word is not None and _is_whole(word) for word in words):
            return np.array(words).astype(np.int64)
        return np.array(words)

    def _known(self, name: str | None = None) -> str:
        names = list(self.columns)
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        close = get_close_matches(name, names, n=1) if name else []
        guess = f" Did you mean {close[0]!r}?" if close else ""
        return f"; its columns are {shown}.{guess}"


def point_names(coordinates: str, n_columns: int) -> list[str]:
    """Name the columns of points in a chart.

    Parameters
    ----------
    coordinates : str
        The chart.
    n_columns : int

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> point_names("hyperboloid", 3), point_names("polar", 2)
    (['x0', 'x1', 'x2'], ['r', 'theta'])
    """
    if coordinates == "polar":
        return ["r", "theta"] if n_columns == 2 else ["r", *_numbered(1, n_columns - 1)]
    return _numbered(0 if coordinates == "hyperboloid" else 1, n_columns)


def _numbered(first: int, count: int) -> list[str]:
    return [f"x{first + place}" for place in range(count)]


def _is_float(column: Column) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind == "f"


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return not isinstance(cell, str) or is_plain(cell)


def is_plain(cell: str) -> bool:
    """Whether text has no writing of numbers that only Python knows: 1_000, or other digits."""
    return cell.isascii() and "_" not in cell


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that has occurred before."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _is_whole(word: str) -> bool:
    """Whether a word is a whole number in its usual writing, so that it can be written back."""
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(word) < 19 and str(int(word)) == word


def _shortened(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f", … {names[-1]}" if len(names) > 3 else "")


def _quoted(cell: Any) -> str:
    return "the cell is empty" if cell in ("", None) else f"{cell!r} is not a number"
