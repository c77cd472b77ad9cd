"""Options that commands share, and their types. Ranges are checked before any work begins."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, wraps
from inspect import cleandoc
from pathlib import Path
from typing import Any, Self

import click

from hyplane._utils.charts import CHARTS, chart_name
from hyplane._utils.files import check_writable
from hyplane.evaluation.methods import METHODS as REGISTER
from hyplane.evaluation.methods import SCORES as SCORES

Decorator = Callable[[Any], Any]

METHODS = tuple(REGISTER)
# The name of a file that stands for the standard input or output.
STREAM = "-"
FORMATS = {f".{name}": name for name in ("csv", "tsv", "parquet", "npy", "npz", "mat")}
FORMATS |= {".tab": "tsv", ".pq": "parquet", ".vec": "word2vec"}


class Number(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number from `least` to `most`, whole if these are; `also` is one more that is accepted."""

    def __init__(
        self, least: float, most: float, words: str = "", also: float | None = None
    ) -> None:
        self.least, self.most, self.also, self.kind = least, most, also, type(least)
        self.name = "integer" if self.kind is int else "number"
        whole = f"a whole number from {least} to {most}"
        self.words = words or (whole if self.kind is int else f"between {least:g} and {most:g}")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail with the range it has to be in."""
        try:
            number = self.kind(value) if "_" not in str(value) and str(value).isascii() else None
        except ValueError:
            number = None
        if number is None or not (self.least <= number <= self.most or number == self.also):
            self.fail(f"must be {self.words}; got {value}.", param, ctx)
        return number


class ListOf(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Values of another type with commas between them."""

    def __init__(self, item: Any, name: str) -> None:
        self.item, self.name = item, name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of the values."""
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        return tuple(self.item.convert(part, param, ctx) for part in parts or [value])


# The products of such numbers, their squares and weights stay within double precision.
POSITIVE = Number(1e-100, 1e100, "a positive number up to 1e100")
NAMES = ListOf(click.STRING, "names")
NUMBERS = ListOf(POSITIVE, "numbers")
FILE = click.Path(allow_dash=True)
FILE.name = "file"
COUNT = Number(1, 100_000_000)
SEED = Number(0, 2**32 - 1)
JOBS = Number(1, 10_000, "a whole number from 1 to 10000, or -1 for all processors", also=-1)


class ChartType(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """A chart by any of its names, which becomes our own name of it."""

    name = "chart"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return our own name of the chart, or fail with the known names."""
        with suppress(ValueError):
            value = chart_name(value)
        return str(super().convert(value, param, ctx))


def command(function: Callable[..., None], cls: type[click.Command] = click.Command) -> Any:
    """Make a command of a function; its docstring is the help, which ends with examples."""
    text, _, example = cleandoc(function.__doc__ or "").partition("\n\nExample:\n")
    context = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}
    epilog = f"\b\nExample:\n{example}"
    return click.command(cls=cls, help=text, epilog=epilog, context_settings=context)(function)


class Group(click.Group):
    """Commands in the order of their definition; called without one it prints its help."""

    @classmethod
    def of(cls, function: Callable[..., None]) -> Self:
        """Make a group of a function whose docstring is the help."""
        group: Self = command(function, cls)
        return group

    def add(self, function: Callable[..., None]) -> None:
        """Add a command, as a decorator."""
        self.add_command(command(function))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; without any, print the help and leave."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)


def option(
    names: str, words: str, kind: Any = None, default: Any = None, **settings: Any
) -> Decorator:
    """Add an option with a help text; a second name is that of the parameter."""
    if isinstance(kind, ChartType):
        settings = {"metavar": "CHART", **settings}
    # click would show 5.0 for 5.
    words += f"  [default: {default:g}]" if isinstance(default, float) else ""
    settings["show_default"] = default not in (None, STREAM) and not isinstance(default, float)
    return click.option(*names.split(), type=kind, default=default, help=words, **settings)


def flag(name: str, words: str) -> Decorator:
    """Add an option without a value."""
    return click.option(*name.split(), is_flag=True, help=words)


def choice(
    names: str, words: str, values: Sequence[str], default: str | None = None, **settings: Any
) -> Decorator:
    """Add an option with a few values, which the help lists."""
    words = f"{words}: {', '.join(values)}.{settings.pop('note', '')}"
    return option(names, words, click.Choice(values), default, metavar="NAME", **settings)


@dataclass(frozen=True)
class Space:
    """A chart of hyperbolic space and the curvature.

    Examples
    --------
    >>> str(Space("klein")), str(Space("ball", -0.5))
    ('klein', 'ball of curvature -0.5')
    >>> Space("hyperboloid").column_names(3), Space("polar", -0.5).column_names(2)[0]
    (['hyperboloid_x0', 'hyperboloid_x1', 'hyperboloid_x2'], 'polar_curvature-0.5_r')
    """

    coordinates: str = "ball"
    curvature: float = -1.0

    def __str__(self) -> str:
        of = "" if self.curvature == -1 else f" of curvature {self._exact_curvature}"
        return f"{self.coordinates}{of}"

    @property
    def chart(self) -> dict[str, Any]:
        """The two as functions of points take them."""
        return {"coordinates": self.coordinates, "curvature": self.curvature}

    def dim(self, n_columns: int) -> int:
        """Return the dimension of the space whose points have `n_columns` columns."""
        if self.coordinates == "hyperboloid" or (self.coordinates == "polar" and n_columns > 2):
            return n_columns - 1
        return n_columns

    def column_names(self, n_columns: int) -> list[str]:
        """Return names for the columns of points."""
        first = 0 if self.coordinates in ("hyperboloid", "polar") else 1
        rest = [f"x{first + place}" for place in range(n_columns)]
        if self.coordinates == "polar":
            rest = ["r", "theta"] if n_columns == 2 else ["r", *rest[1:]]
        curvature = "" if self.curvature == -1 else f"_curvature{self._exact_curvature}"
        return [f"{self.coordinates}{curvature}_{each}" for each in rest]

    @property
    def _exact_curvature(self) -> str:
        return repr(float(self.curvature)).removesuffix(".0")


@dataclass(frozen=True)
class TableFile:
    """A table that was named on the command line."""

    path: str
    format: str | None = None
    header: bool | None = None


@dataclass(frozen=True)
class PointOptions:
    """What the command line says of the points of a table: their columns, chart and curvature."""

    names: tuple[str, ...] = ()
    coordinates: str | None = None
    curvature: float | None = None
    chart_option: str = "--coordinates"


@dataclass(frozen=True)
class PointsFile:
    """A table of points to write."""

    path: str
    format: str | None
    space: Space


def _packed(name: str, kind: Callable[..., Any], *options: str) -> Decorator:
    """Pass several options to a command as one argument."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def wrapper(**values: Any) -> Any:
            packed = kind(*(values.pop(each) for each in options))
            return command(**values, **{name: packed})

        return wrapper

    return decorate


def table(command: Any, name: str = "table") -> Any:
    """Add the table to read, its format and whether text has a header; as one `TableFile`."""
    command = _packed(name, TableFile, name, "format", "header")(command)
    words = "Whether the first line of text has column names.  [default: detected]"
    command = click.option("--header/--no-header", default=None, help=words)(command)
    command = table_format_option(command)
    return click.argument(name, type=FILE)(command)


def table_format_option(command: Any) -> Any:
    """Add the format of tables without a known extension."""
    formats = tuple(dict.fromkeys(FORMATS.values()))
    words = "Format of standard input and output, and of files without a known extension"
    add = choice("--format", words, formats, is_eager=True, note="  [default: csv]")
    return add(command)


def points(
    columns: str = "columns named alike",
    chart: str = "the table's, or ball",
    *,
    chart_option: str = "--coordinates",
    curvature: bool = True,
) -> Decorator:
    """Add columns, chart and curvature of the points of a table, as one `PointOptions`."""
    words = f"Columns of the points, such as x1,x2 or x1:x9 or 'x*'.  [default: {columns}]"
    charts = f"Chart of the points: {', '.join(CHARTS)}.  [default: {chart}]"
    keys = ["points", "coordinates", *(["curvature"] if curvature else [])]

    def decorate(command: Any) -> Any:
        kind = partial(PointOptions, chart_option=chart_option)
        command = _packed("points", kind, *keys)(command)
        command = curvature_option(command) if curvature else command
        command = option(f"{chart_option} coordinates", charts, ChartType(CHARTS))(command)
        return click.option("--points", multiple=True, metavar="NAMES", help=words)(command)

    return decorate


def curvature_option(command: Any, default: float | None = None) -> Any:
    """Add the curvature; None for what the table says."""
    kind = Number(-1e100, -1e-100, "a negative number such as -1")
    words = "Curvature of the space, a negative number."
    words += "  [default: the table's, or -1]" if default is None else ""
    return option("--curvature", words, kind, default)(command)


def made_points(command: Any) -> Any:
    """Add the seed, and the table of points to write with its chart, as one `PointsFile`."""
    command = _packed("output", PointsFile, "output", "format", "space")(command)
    command = _packed("space", Space, "coordinates", "curvature")(command)
    command = table_format_option(command)
    command = seed(output("Table to write.", default=STREAM)(command))
    words = f"Chart of the points: {', '.join(CHARTS)}."
    return option("--coordinates", words, ChartType(CHARTS), "ball")(
        curvature_option(command, -1.0)
    )


def label(words: str = "", *, required: bool = True) -> Decorator:
    """Add the columns of the labels."""
    words = (
        words
        or "Column of the classes. For several labels per point, columns of 0 and 1, such as a,b,c."
    )
    return click.option("--label", multiple=True, required=required, metavar="NAMES", help=words)


seed = option("--seed", "Seed of the random number generator.", SEED, 0)
jobs = option("--jobs", "Number of parallel workers. -1 uses all processors.", JOBS, 1)
dask = option("--dask", "Run on the Dask cluster with this scheduler address.", metavar="ADDRESS")


def output(
    words: str,
    names: str = "-o --output",
    *,
    default: str | None = None,
    required: bool = False,
    tabular: bool = True,
) -> Decorator:
    """Add a file to write, which is checked before the work begins."""

    def check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is None and required:  # newer versions of click ask here first
            raise click.MissingParameter(ctx=ctx, param=param)
        if value not in (None, STREAM):
            check_writable(value)
        if value is not None and tabular:
            table_format(value, ctx.params.get("format"), to_write=True)
        return value

    words += "  [default: standard output]" if default == STREAM else ""
    return option(names, words, FILE, default, required=required, callback=check)


def table_format(path: str, format: str | None, *, to_write: bool = False) -> str:
    """Return the format of a table, or fail if neither its extension nor an option says it."""
    if path == STREAM:  # the format of the input may be one that is not written
        return "csv" if to_write and format == "word2vec" else format or "csv"
    found = FORMATS.get(Path(path).suffix.lower(), format)
    if found is None:
        *some, last = FORMATS
        raise ValueError(
            f"{path}: this extension is not one of a table. Known are {', '.join(some)} and "
            f"{last}; otherwise give --format"
        )
    if to_write and found == "word2vec":
        raise ValueError(f"{path}: tables are not written as word2vec text; choose .csv")
    return found


def keep_input(output: str, *inputs: str | None) -> None:
    """Refuse to write a result over a file that it is made from."""
    for file in inputs:
        both = file is not None and os.path.isfile(file) and os.path.isfile(output)
        if both and os.path.samefile(str(file), output):
            raise click.UsageError(f"-o {output} would replace {file}, which is read here.")
