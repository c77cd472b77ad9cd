"""Tables of points and labels: columns by name, and errors that say which cell."""

import fnmatch
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.charts import CHARTS
from hyplane._utils.typing import Array
from hyplane.cli.options import Space

# The cells of a text file stay text until numbers are asked for.
Column = Sequence[str] | NDArray[Any]

# As in klein_x1 (curvature -1) and klein_curvature-0.5_x1; a name such as x1 states nothing.
_POINT_NAME = re.compile(
    rf"(?P<chart>{'|'.join(CHARTS)})(_curvature(?P<curvature>-[0-9.]+(e[+-]?[0-9]+)?))?_"
    r"(?P<rest>x[0-9]+|r|theta)"
)


def space_in_name(name: str) -> Space | None:
    """Return the chart and curvature that the name of a column states.

    Examples
    --------
    >>> space_in_name("klein_x2"), space_in_name("x2")
    (Space(coordinates='klein', curvature=-1.0), None)
    """
    found = _POINT_NAME.fullmatch(name)
    if found is None:
        return None
    try:
        curvature = float(found["curvature"] or -1.0)
    except ValueError:
        return None
    return Space(found["chart"], curvature) if curvature < 0 else None


def bare_name(name: str) -> str:
    """Return a name without chart and curvature: x2 for klein_x2."""
    found = _POINT_NAME.fullmatch(name)
    return name if found is None else found["rest"]


def shortened(names: Sequence[str], most: int = 3) -> str:
    """List names, the middle of many left out.

    Examples
    --------
    >>> shortened(["x1", "x2"]), shortened(["x1", "x2", "x3", "x4", "x5"])
    ('x1, x2', 'x1, x2, x3, … x5')
    """
    return ", ".join(names[:most]) + (f", … {names[-1]}" if len(names) > most else "")


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
        Line of each row in a text file.
    groups : dict
        Names of columns that were one array, by its name.
    named : bool
        Whether the names are in the file; otherwise they are "1", "2", ….
    first : int, default=0
        Number of the first row, where these are a part of the rows.
    """

    columns: Mapping[str, Column]
    origin: str = "the table"
    lines: Sequence[int] | None = None
    groups: dict[str, list[str]] = field(default_factory=dict)
    named: bool = True
    first: int = 0

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.lines is not None:
            return len(self.lines)
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def where(self, row: int) -> str:
        """Return the place of a row in words."""
        if self.lines is None:
            return f"{self.origin}, row {self.first + row} (the first is 0)"
        return f"{self.origin}, line {self.lines[row]}"

    def find(self, names: Sequence[str]) -> list[str]:
        """Return names of columns.

        A name may also be an array's, a list with commas, a range ``x1:x9``, a pattern ``x*``, a
        place counted from 1, or ``x1`` for ``ball_x1``.
        """
        found: list[str] = []
        for name in names:
            if name in self.columns:
                found.append(name)
            elif name in self.groups:
                found += self.groups[name]
            elif "," in name:
                found += self.find([part.strip() for part in name.split(",")])
            else:
                chosen = self._chosen(name)
                if not chosen:
                    raise ValueError(f"{self.origin} has no column {name!r}{self.known(name)}")
                found += chosen
        twice = first_repeated(found)
        if twice is not None:
            raise ValueError(f"the column {twice!r} was named twice")
        return found

    def _chosen(self, name: str) -> list[str]:
        """Return the columns of a range, a pattern, a place or a name without its chart."""
        every = list(self.columns)
        first, colon, last = name.partition(":")
        if colon:
            start, stop = (every.index(self.find([end])[0]) for end in (first, last))
            return every[start : stop + 1]
        if "*" in name:
            return fnmatch.filter(every, name)
        if name.isdecimal() and 0 < int(name) <= len(every):
            return [every[int(name) - 1]]
        bare = [column for column in every if bare_name(column) == name]
        return bare if len(bare) == 1 else []

    def points(self, names: Sequence[str], space: Space, hint: str = "") -> Array:
        """Return points of a chart, or say which row is not one."""
        from hyplane.geometry import check_points

        X = self.numbers(names)
        with self.rows_named(names, hint):
            return check_points(X, **space.chart)

    @contextmanager
    def rows_named(self, names: Sequence[str], hint: str = "") -> Iterator[None]:
        """Name the row of an error about points as this table has it, and the column."""
        from hyplane.geometry import PointError

        try:
            yield
        except PointError as error:
            place, point = self.where(error.row), f"the point in {shortened(names)}"
            if error.column is not None:
                place, point = f"{place}, column {names[error.column]!r}", "the point"
            remedy = "pull them back explicitly with hyplane convert --clip-radius"
            raise ValueError(f"{place}: {point} {error.explanation(remedy)}{hint}") from error
        except ValueError as error:
            raise ValueError(f"{self.origin}: {error}") from error

    def numbers(self, names: Sequence[str]) -> NDArray[Any]:
        """Return columns of finite numbers, or say which cell is not one."""
        self.check_rows()
        return np.column_stack([self._numbers(name) for name in names])

    def check_rows(self) -> None:
        """Raise an error if there are no rows."""
        if not self.n_rows:
            raise ValueError(f"{self.origin} has no rows")

    def _numbers(self, name: str) -> NDArray[Any]:
        column = self.columns[name]
        if isinstance(column, np.ndarray) and column.dtype.kind == "c":
            raise ValueError(f"{self.origin}, column {name!r}: the numbers are complex")
        numbers = numbers_of(column)
        if numbers is None:
            row = next(
                row for row in range(self.n_rows) if numbers_of(column[row : row + 1]) is None
            )
            cell = column[row]
            wrong = "the cell is empty" if cell in ("", None) else f"{cell!r} is not a number"
            raise ValueError(
                f"{self.where(row)}, column {name!r}: {wrong}. Name the columns of the points with "
                "--points if this is none of them"
            )
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(
                f"{self.where(row)}, column {name!r}: {numbers[row]} is not a finite number. "
                "Remove or repair such rows first"
            )
        return numbers

    def counts_rows(self, name: str) -> bool:
        """Whether a column holds whole numbers that go up by one, in three rows or more."""
        first = numbers_of(self.columns[name][:3])
        if first is None or len(first) < 3 or any(value % 1 for value in first):
            return False
        return bool((np.diff(self.numbers([name])[:, 0]) == 1).all())

    def labels(self, names: Sequence[str]) -> NDArray[Any]:
        """Return classes from one column, or the indicator matrix of several."""
        self.check_rows()
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

    def classes(self, name: str) -> NDArray[Any]:
        """Return words or whole numbers from a column, or say which cell is neither."""
        column = self.columns[name]
        if isinstance(column, np.ndarray) and column.dtype.kind in "biu":
            return column
        if isinstance(column, np.ndarray) and column.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                whole = column.astype(np.int64)
            if not (whole == column).all():
                row = int(np.argmin(whole == column))
                raise self._no_label(row, name, column[row])
            return whole
        cells = list(column)
        for row, cell in enumerate(cells):
            if cell is None or (isinstance(cell, str) and not cell):
                raise ValueError(f"{self.where(row)}, column {name!r}: the label is missing")
            if isinstance(cell, list | dict | np.ndarray):
                raise self._no_label(row, name, repr(cell))
        numbers = numbers_of(cells)
        if numbers is not None and (broken := np.isfinite(numbers) & (numbers % 1 != 0)).any():
            row = int(np.argmax(broken))
            raise self._no_label(row, name, cells[row])
        labels = np.array(cells, dtype=str)
        if all(map(is_whole, set(labels.tolist()))) and len(labels):
            return labels.astype(np.int64)
        return labels

    def _no_label(self, row: int, name: str, cell: Any) -> ValueError:
        return ValueError(
            f"{self.where(row)}, column {name!r}: {cell} is no label; labels are words or whole "
            "numbers"
        )

    def known(self, name: str | None = None) -> str:
        """Return the names of the columns for a message, and the one most like a wrong one."""
        names = list(self.columns)
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        close = get_close_matches(name, names, n=1) if name else []
        guess = f" Did you mean {close[0]!r}?" if close else ""
        return f"; its columns are {shown}.{guess}"


def table_of_points(
    X: NDArray[Any], space: Space, nodes: Column | None = None, **after: Column
) -> Table:
    """Return a table of nodes, points with the chart in the names of their columns, and others."""
    names = space.column_names(X.shape[1])
    before: dict[str, Column] = {} if nodes is None else {"node": nodes}
    return Table({**before, **dict(zip(names, X.T, strict=True)), **after}, groups={"X": names})


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that occurs more than once."""
    counts = Counter(names)
    return next((name for name in names if counts[name] > 1), None)


def is_whole(word: str) -> bool:
    """Whether a word is a whole number in its usual notation, so that it can be written back."""
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(word) < 19 and str(int(word)) == word


def numbers_of(column: Column, kind: type = float) -> NDArray[Any] | None:
    """Return a column as numbers, or None if a cell is not one.

    Text is read by Python's rules, without underscores and the digits of other scripts.

    Examples
    --------
    >>> numbers_of(["0.5", "1e-3"]), numbers_of(["0.5", "1_000"])
    (array([0.5  , 0.001]), None)
    """
    try:
        if isinstance(column, np.ndarray):
            same = column.dtype.kind == "f" and kind is float
            return None if column.dtype.kind == "c" else np.asarray(column, None if same else kind)
        cells = list(column)
        text = "".join(cells)
        plain = text.isascii() and "_" not in text
        return np.fromiter(map(kind, cells), kind, len(cells)) if plain else None
    except (TypeError, ValueError, OverflowError):
        return None
