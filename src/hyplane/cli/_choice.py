"""Which columns of a table are the points, and in which chart: taken, said, or refused.

Without ``--points`` a table is searched for columns that can be nothing else: those whose names
have a chart (``ball_x1``), else all that are no label, if they are named alike.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hyplane._utils.typing import Array
from hyplane.cli._spaces import Space, bare_name
from hyplane.cli._standard_streams import say
from hyplane.cli._tables import Table
from hyplane.cli._words import shortened

# Columns that this command writes beside points: often numbers, never coordinates.
_BESIDE = re.compile(r"node|label\d*|(predicted|score|proba|distance)(_.*)?")
_NUMBERED = re.compile(r"(?P<stem>.*?)(?P<number>[0-9]+)")
_ID = re.compile(r"(.*[_ ])?(id|index|row|nr|number)|unnamed.*|", re.IGNORECASE)
_FEWEST_ROWS = 3  # in which numbers that count up are no accident


@dataclass(frozen=True)
class ChosenPoints:
    """The points of a table.

    Attributes
    ----------
    names : list of str
        Their columns.
    X : ndarray of shape (n_points, n_columns)
    space : Space
        Chart and curvature of X.
    read_in : Space
        Those of the table, where X was converted.
    """

    names: list[str]
    X: Array
    space: Space
    read_in: Space

    def announce(self, labels: Sequence[str] = ()) -> None:
        """Say on the standard error what was taken for the points and the labels."""
        line = f"points: {shortened(self.names)} ({self.dim}-D, {self.read_in}"
        if self.read_in != self.space:
            line += f", converted to {self.space}"
        if labels:
            line += f"); label{'s' * (len(labels) > 1)}: {shortened(list(labels))}"
        else:
            line += ")"
        say(line, err=True)

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return self.read_in.dim(len(self.names))


def take_points(
    data: Table,
    given: Sequence[str],
    others: Sequence[str],
    coordinates: str | None,
    curvature: float | None,
    *,
    option: str = "--coordinates",
) -> ChosenPoints:
    """Return the points of a table, or refuse a guess that is not safe.

    Parameters
    ----------
    data : Table
    given : sequence of str
        Columns that were named; empty for a guess.
    others : sequence of str
        Columns that hold something else.
    coordinates, curvature : str or float, optional
        What the user says of them; None for what the table says, or the ball and -1.
    option : str, default="--coordinates"
        The option that gives the chart, for messages.

    Returns
    -------
    points : ChosenPoints
    """
    names = data.find(given) or guess_columns(data, others)
    space = resolve_space(data, names, coordinates, curvature, option)
    hint = "" if given else doubt(option, stated=coordinates is not None)
    X = data.points(names, space, hint)
    return ChosenPoints(names, X, space, space)


def doubt(option: str, *, stated: bool) -> str:
    """Return a question about columns that were guessed, for an error about their values."""
    chart = "" if stated else f", or the chart with {option} if it is another"
    return f" Name the columns with --points if these are not the points{chart}."


def guess_columns(data: Table, others: Sequence[str]) -> list[str]:
    """Return the columns that can only be the points.

    Parameters
    ----------
    data : Table
    others : sequence of str
        Columns that hold something else.

    Returns
    -------
    names : list of str

    Raises
    ------
    ValueError
        If the names leave it open, or a column counts the rows.
    """
    names = [name for name in data.columns if name not in others and not _BESIDE.fullmatch(name)]
    if not names:
        raise ValueError(f"{data.origin} has no columns for the points{data.known()}")
    marked = [name for name in names if data.space_of(name) is not None]
    if marked:
        spaces = {str(data.space_of(name)): name for name in marked}
        if len(spaces) > 1:
            first, second = list(spaces.items())[:2]
            raise ValueError(
                f"{data.origin} has points in two charts, {first[0]} ({first[1]}) and {second[0]} "
                f"({second[1]}): name the columns of one with --points"
            )
        return marked
    if data.named and not named_alike(names):
        likely = _likely(names)
        example = f", for instance --points {','.join(likely)}" if likely else ""
        raise ValueError(
            f"{data.origin}: the columns {shortened(names, 6)} are not named alike, so they may "
            f"not all be coordinates. Name those of the points with --points{example}"
        )
    for name in names:
        if len(names) > 1 and _counts_rows(data, name):
            rest = ",".join(each for each in names if each != name)
            raise ValueError(
                f"{data.origin}: the column {name!r} counts the rows, so it may be no coordinate. "
                f"Name those of the points with --points, for instance --points {rest}"
            )
    return names


def resolve_space(
    data: Table,
    names: Sequence[str],
    coordinates: str | None,
    curvature: float | None,
    option: str = "--coordinates",
) -> Space:
    """Return chart and curvature of columns, or say where table and options do not fit."""
    told = told_space(data, names)
    if told is None:
        if coordinates is None and {"r", "theta"} & set(names):
            raise ValueError(
                f"{data.origin}: the columns {shortened(names)} look like polar coordinates. Name "
                f"the chart, for instance {option} polar"
            )
        return Space(coordinates or "ball", -1.0 if curvature is None else curvature)
    asked = Space(
        told.coordinates if coordinates is None else coordinates,
        told.curvature if curvature is None else curvature,
    )
    if asked != told:
        wrong = f"{option} {coordinates}"
        if asked.coordinates == told.coordinates:
            wrong = f"--curvature {curvature:g}"
        raise ValueError(
            f"{data.origin} says that its points are in the chart {told}; {wrong} does not fit. "
            "Leave the option out, or rename the columns if the table is wrong"
        )
    return told


def told_space(data: Table, names: Sequence[str]) -> Space | None:
    """Return the chart and curvature that the table itself gives some columns."""
    found = {data.space_of(name) for name in names}
    if len(found) > 1:
        listed = ", ".join(sorted(str(space or "no chart") for space in found))
        raise ValueError(
            f"{data.origin}: the columns {shortened(names)} are of different charts: {listed}"
        )
    return found.pop()


def named_alike(names: Sequence[str]) -> bool:
    """Whether names are those of coordinates: x1, x2; x, y; r, theta; pos_x, pos_y.

    Examples
    --------
    >>> named_alike(["x1", "x2"]), named_alike(["x", "y"]), named_alike(["x1", "x2", "conf"])
    (True, True, False)
    """
    if len(names) == 1:
        return not _ID.fullmatch(names[0])
    if names[0] == "r":
        return names[1:] == ["theta"] or (len(names) > 2 and named_alike(names[1:]))
    found = [_NUMBERED.fullmatch(name) for name in names]
    if all(found):
        return len({each["stem"] for each in found if each}) == 1
    if len({name[:-1] for name in names}) > 1 or not all(name[-1:].isalpha() for name in names):
        return False
    return all(ord(b[-1]) - ord(a[-1]) == 1 for a, b in pairwise(names))


def _likely(names: Sequence[str]) -> list[str]:
    """Return the longest run of names that are alike, for an example."""
    best: list[str] = []
    for first in range(len(names)):
        run = list(names[first : first + 2])
        while len(run) > 1 and named_alike(run):
            best = max(best, run, key=len)
            run = list(names[first : first + len(run) + 1]) if first + len(run) < len(names) else []
    return best


def _counts_rows(data: Table, name: str) -> bool:
    """Whether a column holds whole numbers that go up by one from row to row."""
    column: Any = data.columns[name]
    if data.n_rows < _FEWEST_ROWS:
        return False
    try:
        first = [float(cell) for cell in column[:_FEWEST_ROWS]]
    except (TypeError, ValueError):
        return False  # the reader of numbers says which cell is not one
    if not all(value.is_integer() for value in first):
        return False
    numbers = np.asarray(data.numbers([name])[:, 0], dtype=np.float64)
    return bool((np.diff(numbers) == 1).all())


def model_columns(
    data: Table, fitted: Sequence[str] | None, labels: Sequence[str], model: str
) -> list[str]:
    """Find the columns that a model was fitted on; without names their number must do.

    Parameters
    ----------
    data : Table
    fitted : sequence of str or None
        The names of the columns that the model was fitted on.
    labels : sequence of str
        Columns of the table that hold labels.
    model : str
        What to call the model in messages.

    Returns
    -------
    names : list of str
    """
    if fitted is None or not data.named:
        return guess_columns(data, labels)
    for wanted in (list(fitted), [bare_name(name) for name in fitted]):
        try:
            return data.find(wanted)
        except ValueError:
            continue
    marked = [name for name in data.columns if data.space_of(name) is not None]
    if len(marked) == len(fitted):
        return marked
    if all(name.isdecimal() for name in fitted):
        return guess_columns(data, labels)
    missing = next(name for name in fitted if name not in data.columns)
    raise ValueError(
        f"{data.origin} has no column {missing!r}, which {model} was fitted on{data.known()} Name "
        "the columns of the points with --points"
    )
