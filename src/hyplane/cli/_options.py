"""Options that several commands share. Ranges are checked before any work begins."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from hyplane._utils.charts import CHARTS
from hyplane._utils.files import check_writable
from hyplane.cli._formats import FORMATS, STREAM, table_format
from hyplane.cli._types import JOBS, NEGATIVE, SEED, ChartType, Number, whole

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]

_CURVATURE = "Curvature of the space, negative."


def debug_option(command: Command) -> Command:
    """Accept --debug after the name of a command too; `run` looks for the word itself."""
    return click.option("--debug", is_flag=True, expose_value=False, hidden=True)(command)


def table_argument(command: Command) -> Command:
    """Add the table to read: a file, or ``-``."""
    return click.argument("table", type=click.Path(allow_dash=True))(command)


def output_option(words: str, *, required: bool = False, tabular: bool = True) -> Decorator[Any]:
    """Add the file to write, which is checked before the work begins.

    Parameters
    ----------
    words : str
        The help text.
    required : bool, default=False
        Otherwise the default is the standard output.
    tabular : bool, default=True
        Whether a table is written, so that the extension must be one of a table.
    """

    def check(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
        if value is None:  # newer versions of click ask here before they ask whether it is missing
            raise click.MissingParameter(ctx=ctx, param=param)
        if value != STREAM:
            check_writable(value)
        if tabular:
            table_format(value, ctx.params.get("format"))
        return value

    return click.option(
        "-o",
        "--output",
        type=click.Path(allow_dash=True),
        default=None if required else STREAM,
        required=required,
        metavar="FILE",
        callback=check,
        help=words if required else f"{words} [default: standard output]",
    )


def keep_input(output: str, *inputs: str | None) -> None:
    """Refuse to write a result over a file that it is made from."""
    for file in inputs:
        if (
            file not in (None, STREAM)
            and output != STREAM
            and os.path.exists(output)
            and os.path.exists(file)
            and os.path.samefile(file, output)
            and os.path.isfile(file)
        ):
            raise click.UsageError(f"-o {output} would replace {file}, which is read here.")


def extra_table_option(name: str, words: str) -> Decorator[Any]:
    """Add a further table to write, which is checked before the work begins."""

    def check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is not None:
            table_format(value, None)
            check_writable(value)
        return value

    return click.option(name, type=click.Path(), metavar="FILE", callback=check, help=words)


def chart_options(command: Command) -> Command:
    """Add the chart and the curvature of points that are made."""
    curvature: Decorator[Command] = number_option("--curvature", NEGATIVE, -1.0, _CURVATURE)
    return click.option(
        "--coordinates",
        type=ChartType(),
        default="ball",
        show_default=True,
        metavar="CHART",
        help=f"Chart of the points: {', '.join(CHARTS)}.",
    )(curvature(command))


def table_chart_options(command: Command) -> Command:
    """Add the chart and the curvature of points that are read; None for what the table says."""
    coordinates: Decorator[Command] = coordinates_option("the table's, or ball")
    return coordinates(curvature_option(command))


def coordinates_option(default: str) -> Decorator[Any]:
    """Add the chart of points that are read, with the default in words."""
    return click.option(
        "--coordinates",
        type=ChartType(),
        metavar="CHART",
        help=f"Chart of the points: {', '.join(CHARTS)}.  [default: {default}]",
    )


def points_option(command: Command, default: str = "those named alike") -> Command:
    """Add the names of the columns of points, with the default in words."""
    return click.option(
        "--points",
        multiple=True,
        metavar="NAMES",
        help=f"Columns of the points, as in x1,x2.  [default: {default}]",
    )(command)


def model_points_options(command: Command) -> Command:
    """Add what says how the points for a model are read; by default as the model has them."""
    coordinates: Decorator[Command] = coordinates_option("the table's, or the model's")
    return points_option(coordinates(command), "those of the model")


def label_option(required: bool = True) -> Decorator[Any]:
    """Add the names of the columns of labels."""
    return click.option(
        "--label",
        multiple=True,
        required=required,
        metavar="NAMES",
        help="Column of the classes; or several columns of 0 and 1, as in a,b,c.",
    )


def format_options(command: Command) -> Command:
    """Add the format of tables without a known extension, and whether text has a header."""
    command = click.option(
        "--header/--no-header",
        default=None,
        help="Whether text begins with the names of its columns.  [default: found out]",
    )(command)
    return output_format_option(command)


def output_format_option(command: Command) -> Command:
    """Add the format of tables without a known extension."""
    return click.option(
        "--format",
        type=click.Choice(FORMATS),
        is_eager=True,
        metavar="FORMAT",
        help=f"Format of a table without a known extension: {', '.join(FORMATS)}. [default: csv]",
    )(command)


def seed_option(command: Command) -> Command:
    """Add the seed."""
    option: Decorator[Command] = number_option("--seed", SEED, 0, "Same seed, same result.")
    return option(command)


def jobs_option(command: Command) -> Command:
    """Add the number of workers."""
    option: Decorator[Command] = number_option("--jobs", JOBS, 1, "Workers; -1 for all processors.")
    return option(command)


def file_option(name: str, words: str) -> Decorator[Any]:
    """Add a file to read."""
    return click.option(name, type=click.Path(), metavar="FILE", help=words)


def dask_option(command: Command) -> Command:
    """Add the address of a cluster."""
    return click.option(
        "--dask",
        metavar="ADDRESS",
        help="Run on the Dask cluster whose scheduler has this address, as in tcp://10.0.0.1:8786.",
    )(command)


def count_option(
    names: str, least: int, default: int | None, words: str, most: int = 100_000_000
) -> Decorator[Any]:
    """Add a whole number within a range; a second name is that of the parameter."""
    return number_option(names, whole(least, most), default, words)


def number_option(names: str, kind: Number, default: float | None, words: str) -> Decorator[Any]:
    """Add a number within a range; a second name is that of the parameter."""
    return click.option(
        *names.split(),
        type=kind,
        default=default,
        show_default=default is not None,
        metavar=kind.name.upper(),
        help=words,
    )


def curvature_option(command: Command) -> Command:
    """Add the curvature of points that are read; None for what the table says."""
    words = f"{_CURVATURE}  [default: the table's, or -1]"
    option: Decorator[Command] = number_option("--curvature", NEGATIVE, None, words)
    return option(command)
