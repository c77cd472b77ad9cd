"""Tables of points and labels: columns by name, and errors that say which cell."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.cli._spaces import Space, bare_name, point_names, space_in_name
from hyplane.cli._text import ArrowText, coded, floats_of
from hyplane.cli._words import first_repeated, is_plain, is_whole, shortened

# The cells of a text file stay text until numbers are asked for.
Column = tuple[str, ...] | ArrowText | NDArray[Any]

# What `hyplane embed` calls the names of nodes.
NODE = "node"

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
    spaces : dict
        Chart and curvature of columns of points, where the file says them besides the names.
    first : int, default=0
        Number of the first row, where these are a part of the rows.
    """

    columns: dict[str, Column]
    origin: str = "the table"
    lines: Sequence[int] | None = None
    groups: dict[str, list[str]] = field(default_factory=dict)
    named: bool = True
    spaces: Mapping[str, Space] = field(default_factory=dict)
    first: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def where(self, row: int) -> str:
        """Return the place of a row in words."""
        if self.lines is None:
            return f"{self.origin}, row {self.first + row} (the first is 0)"
        return f"{self.origin}, line {self.lines[row]}"

    def find(self, names: Sequence[str]) -> list[str]:
        """Return names of columns.

        A name may also be an array's, a list with commas, or ``x1`` for ``ball_x1``.
        """
        found: list[str] = []
        for name in names:
            if name in self.columns:
                found.append(name)
            elif name in self.groups:
                found += self.groups[name]
            elif "," in name:
                found += self.find([part.strip() for part in name.split(",")])
            elif len(self._by_bare_name.get(name, [])) == 1:
                found += self._by_bare_name[name]
            else:
                raise ValueError(f"{self.origin} has no column {name!r}{self.known(name)}")
        twice = first_repeated(found)
        if twice is not None:
            raise ValueError(f"the column {twice!r} was named twice")
        return found

    @cached_property
    def _by_bare_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.columns:
            found.setdefault(bare_name(name), []).append(name)
        return found

    def space_of(self, name: str) -> Space | None:
        """Return chart and curvature of a column, as the file or its name says them."""
        by_file, by_name = self.spaces.get(name), space_in_name(name)
        if by_file is not None and by_name is not None and by_file != by_name:
            raise ValueError(
                f"{self.origin} says that the column {name!r} is of points in {by_file}, and its "
                f"name says {by_name}: rename the column"
            )
        return by_file or by_name

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
            raise ValueError(f"{place}: {point} {error.explanation(_CLIP)}{hint}") from error
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
        numbers = _as_numbers(column)
        if numbers is None:
            row, cell = next((row, cell) for row, cell in enumerate(column) if not _is_number(cell))
            raise ValueError(
                f"{self.where(row)}, column {name!r}: {_quoted(cell)}. Name the columns of the "
                "points with --points if this is none of them"
            )
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(
                f"{self.where(row)}, column {name!r}: {numbers[row]} is not a finite number. "
                "Remove or repair such rows first"
            )
        return numbers

    def classes(self, name: str) -> NDArray[Any]:
        """Return words or whole numbers from a column, or say which cell is neither."""
        column = self.columns[name]
        if isinstance(column, tuple | ArrowText):
            return self._classes_of_words(name, *coded(column))
        labels = np.asarray(column)
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
        cells = labels.tolist()
        for row, cell in enumerate(cells):
            if isinstance(cell, list | dict | np.ndarray):
                raise ValueError(
                    f"{self.where(row)}, column {name!r}: {cell!r} is no label; labels are words "
                    "or whole numbers"
                )
        words = tuple("" if cell is None else str(cell) for cell in cells)
        return self._classes_of_words(name, *coded(words))

    def _classes_of_words(
        self, name: str, words: list[str], codes: NDArray[np.int64]
    ) -> NDArray[Any]:
        if "" in words:
            row = int(np.argmax(codes == words.index("")))
            raise ValueError(f"{self.where(row)}, column {name!r}: the label is missing")
        labels = np.array(words)
        if all(map(is_whole, words)):
            labels = labels.astype(np.int64)
        return labels[codes] if len(codes) else labels

    def known(self, name: str | None = None) -> str:
        """Return the names of the columns for a message, and the one most like a wrong one."""
        names = list(self.columns)
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        close = get_close_matches(name, names, n=1) if name else []
        guess = f" Did you mean {close[0]!r}?" if close else ""
        return f"; its columns are {shown}.{guess}"


def table_of_points(
    X: NDArray[Any],
    space: Space,
    *,
    before: Mapping[str, Column] | None = None,
    after: Mapping[str, Column] | None = None,
) -> Table:
    """Make a table of points that says what chart they are in.

    Parameters
    ----------
    X : ndarray of shape (n_points, n_columns)
    space : Space
        Their chart and curvature.
    before, after : dict, optional
        Other columns, to the left and to the right of the points.

    Returns
    -------
    table : Table

    Examples
    --------
    >>> table = table_of_points(np.array([[0.5, 0.0]]), Space("klein"), after={"label": ("a",)})
    >>> list(table.columns), table.groups
    (['klein_x1', 'klein_x2', 'label'], {'X': ['klein_x1', 'klein_x2']})
    """
    names = point_names(space, X.shape[1])
    columns: dict[str, Column] = dict(before or {})
    columns |= dict(zip(names, X.T, strict=True))
    columns |= after or {}
    return Table(columns, groups={"X": names}, spaces=dict.fromkeys(names, space))


def _as_numbers(column: Column) -> NDArray[Any] | None:
    if isinstance(column, tuple | ArrowText):
        return floats_of(column)
    try:
        return np.asarray(column, dtype=None if column.dtype.kind == "f" else np.float64)
    except (TypeError, ValueError):
        return None


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return not isinstance(cell, str) or is_plain(cell)


def _quoted(cell: Any) -> str:
    return "the cell is empty" if cell in ("", None) else f"{cell!r} is not a number"
