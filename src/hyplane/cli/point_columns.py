"""Which columns of a table are the points, and in which chart: detected, stated, or refused.

Without ``--points`` the points
are the columns whose names have a chart, otherwise all that are no label if they are named alike.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hyplane._utils.typing import Array
from hyplane.cli.errors import say
from hyplane.cli.options import PointOptions, Space
from hyplane.cli.tables import Table, bare_name, shortened, space_in_name


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
        Those of the table, from which X may have been converted.
    """

    names: list[str]
    X: Array
    space: Space
    read_in: Space

    def __str__(self) -> str:
        converted = "" if self.read_in == self.space else f", converted to {self.space}"
        return f"points: {shortened(self.names)} ({self.dim}-D, {self.read_in}{converted})"

    def announce(self, labels: Sequence[str] = ()) -> None:
        """Say on the standard error which columns are the points and the labels."""
        listed = f"; label{'s' * (len(labels) > 1)}: {shortened(labels)}" if labels else ""
        say(f"{self}{listed}", err=True)

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return self.read_in.dim(len(self.names))


def take_points(data: Table, points: PointOptions, others: Sequence[str] = ()) -> ChosenPoints:
    """Return the points of a table; `others` are columns that hold something else."""
    names, space = find_points(data, points, others)
    X = data.points(names, space, doubt(points))
    return ChosenPoints(names, X, space, space)


def find_points(
    data: Table, points: PointOptions, others: Sequence[str]
) -> tuple[list[str], Space]:
    """Return the columns of the points and their chart, or refuse a guess that is not safe."""
    names = data.find(points.names) or _guess_columns(data, others)
    return names, _resolve_space(data, names, points)


def doubt(points: PointOptions) -> str:
    """Return what to do if columns were guessed wrongly, for an error about their values."""
    if points.names:
        return ""
    chart = f", or the chart with {points.chart_option} if it is another"
    chart = "" if points.coordinates else chart
    return f" Name the columns with --points if these are not the points{chart}."


def _guess_columns(data: Table, others: Sequence[str]) -> list[str]:
    """Return the columns that can only be the points."""
    # What this command writes beside points are often numbers, but never coordinates.
    beside = re.compile(r"node|word|label\d*|(predicted|score|proba|distance)(_.*)?")
    names = [name for name in data.columns if name not in others and not beside.fullmatch(name)]
    if not names:
        raise ValueError(f"{data.origin} has no columns for the points{data.known()}")
    marked = [name for name in names if space_in_name(name) is not None]
    if marked:
        spaces = {str(space_in_name(name)): name for name in marked}
        if len(spaces) > 1:
            (first, one), (second, other) = list(spaces.items())[:2]
            raise ValueError(
                f"{data.origin} has points in two charts, {first} ({one}) and {second} ({other}): "
                "name the columns of one with --points"
            )
        return marked
    counts = [name for name in names if _is_id(name) or (not data.named and data.counts_rows(name))]
    if 0 < len(counts) < len(names):
        say(f"skipped: {shortened(counts)}, which numbers the rows", err=True)
        names = [name for name in names if name not in counts]
    if data.named and not _named_alike(names):
        stems = [re.sub("[0-9]+$", "", name) for name in names]
        stem = max(stems, key=stems.count)
        likely = ",".join(name for name in names if re.fullmatch(re.escape(stem) + "[0-9]+", name))
        example = f", for instance --points {likely}" if "," in likely else ""
        raise ValueError(
            f"{data.origin}: the columns {shortened(names, 6)} are not named alike, so they may "
            f"not all be coordinates. Name those of the points with --points{example}"
        )
    return names


def _is_id(name: str) -> bool:
    """Whether a name is that of a column that numbers the rows."""
    counted = r"(.*[_ ])?(id|index|row|nr|number)|unnamed.*|"
    return re.fullmatch(counted, name, re.IGNORECASE) is not None


def _resolve_space(data: Table, names: Sequence[str], points: PointOptions) -> Space:
    """Return chart and curvature of columns, or an error if table and options contradict."""
    stated = _stated_space(data, names)
    if stated is None:
        if points.coordinates is None and {"r", "theta"} & set(names):
            raise ValueError(
                f"{data.origin}: the columns {shortened(names)} look like polar coordinates. Name "
                f"the chart, for instance {points.chart_option} polar"
            )
        return Space(points.coordinates or "ball", points.curvature or -1.0)
    if points.coordinates not in (None, stated.coordinates):
        wrong = f"{points.chart_option} {points.coordinates}"
    elif points.curvature not in (None, stated.curvature):
        wrong = f"--curvature {points.curvature:g}"
    else:
        return stated
    raise ValueError(
        f"{data.origin} says that its points are in the chart {stated}; {wrong} does not fit. "
        "Leave the option out, or rename the columns if the table is wrong"
    )


def _stated_space(data: Table, names: Sequence[str]) -> Space | None:
    """Return the chart and curvature that the table itself gives some columns."""
    found = {space_in_name(name) for name in names}
    if len(found) > 1:
        listed = ", ".join(sorted(str(space or "no chart") for space in found))
        raise ValueError(
            f"{data.origin}: the columns {shortened(names)} are of different charts: {listed}"
        )
    return found.pop()


def _named_alike(names: Sequence[str]) -> bool:
    """Whether names are those of coordinates: x1, x2; x, y; r, theta; pos_x, pos_y."""
    if len(names) == 1:
        return not _is_id(names[0])
    if names[0] == "r":
        return names[1:] == ["theta"] or (len(names) > 2 and _named_alike(names[1:]))
    found = [re.fullmatch("(.*?)[0-9]+", name) for name in names]
    if all(found):
        return len({each[1] for each in found if each}) == 1
    if len({name[:-1] for name in names}) > 1 or not all(name[-1:].isalpha() for name in names):
        return False
    return all(ord(b[-1]) - ord(a[-1]) == 1 for a, b in pairwise(names))


def space_of_model(estimator: Any) -> Space:
    """Return chart and curvature of the points that a classifier takes."""
    inner = getattr(estimator, "estimator", estimator)
    first = inner.steps[0][1] if hasattr(inner, "steps") else inner
    return Space(first.coordinates or "ball", float(first.curvature))


def points_for_model(
    data: Table, saved: Any, model: str, points: PointOptions, labels: Sequence[str] = ()
) -> ChosenPoints:
    """Return the points of a table in the chart of a model, or say why they do not fit it.

    `saved` is a `SavedModel` and `model` its name in messages. The columns are by default those
    that the model was fitted on; points in another chart are converted if the options name it.
    """
    from hyplane.geometry import convert

    fitted_on = space_of_model(saved.estimator)
    known = [name for name in saved.label_columns or [] if name in data.columns]
    names = data.find(points.names)
    names = names or _model_columns(data, saved.point_columns, [*known, *labels], model)
    stated = _stated_space(data, names)
    read_in = Space(points.coordinates or fitted_on.coordinates, fitted_on.curvature)
    if stated is not None:
        read_in = _resolve_space(data, names, points)
        problem = ""
        if stated.curvature != fitted_on.curvature:
            problem = f"points of curvature {fitted_on.curvature:g}: these are different spaces"
        elif stated.coordinates != fitted_on.coordinates and not points.coordinates:
            add = f"Add --coordinates {stated.coordinates} to have them converted"
            problem = f"the chart {fitted_on}. {add}"
        if problem:
            raise ValueError(
                f"{data.origin} says that its points are in the chart {stated}, and {model} was "
                f"fitted on {problem}"
            )
    dim, wanted = read_in.dim(len(names)), fitted_on.dim(saved.estimator.n_features_in_)
    if dim != wanted:
        raise ValueError(
            f"{data.origin} has points of dimension {dim} and {model} was fitted on dimension "
            f"{wanted}"
        )
    X = data.points(names, read_in, "" if stated else doubt(points))
    if read_in.coordinates != fitted_on.coordinates:
        charts = read_in.coordinates, fitted_on.coordinates
        with data.rows_named(names):
            X = convert(X, *charts, curvature=fitted_on.curvature)
    return ChosenPoints(names, X, fitted_on, read_in)


def _model_columns(
    data: Table, fitted: Sequence[str] | None, labels: Sequence[str], model: str
) -> list[str]:
    """Find the columns that a model was fitted on; without names their number must do."""
    if fitted is None or not data.named:
        return _guess_columns(data, labels)
    for wanted in (list(fitted), [bare_name(name) for name in fitted]):
        try:
            return data.find(wanted)
        except ValueError:
            continue
    marked = [name for name in data.columns if space_in_name(name) is not None]
    if len(marked) == len(fitted):
        return marked
    if all(name.isdecimal() for name in fitted):
        return _guess_columns(data, labels)
    missing = next(name for name in fitted if name not in data.columns)
    raise ValueError(
        f"{data.origin} has no column {missing!r}, which {model} was fitted on{data.known()} Name "
        "the columns of the points with --points"
    )
