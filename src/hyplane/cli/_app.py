"""The command with all its subcommands."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from hyplane.cli._errors import guarded
from hyplane.cli._groups import LazyGroup
from hyplane.cli._standard_streams import OutputClosed, sound_streams

# In the order of `hyplane --help`; each is imported when it is called.
COMMANDS = {
    "fit": "Learn a classifier from a table of points.",
    "predict": "Classify points with a fitted model.",
    "score": "Compare the predictions of a model with labels.",
    "evaluate": "Compare classifiers on held-out halves of a table.",
    "plot": "Draw points and decisions in the Poincaré disk.",
    "explore": "Write an interactive page of points and decisions.",
    "convert": "Write points in another chart.",
    "embed": "Turn a graph into points.",
    "generate": "Make data: gaussians, network or tree.",
    "reproduce": "Run the experiments of the paper and write a report.",
    "info": "Say what a table, a model or a report is.",
    "completion": "Print a script that lets a shell complete this command.",
}


def _load(name: str) -> click.Command:
    command: click.Command = import_module(f"hyplane.cli.{name}").command
    return command


class _App(LazyGroup):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise OutputClosed from error  # -o named a pipe; click would call it a failure


@click.group(
    cls=_App,
    summaries=COMMANDS,
    load=_load,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
    epilog="\b\n"
    "Example:\n"
    "  hyplane generate gaussians --seed 2 -o points.csv\n"
    "  hyplane evaluate points.csv --label label\n"
    "  hyplane fit points.csv --label label -o model.json\n"
    "  hyplane plot points.csv --label label --model model.json -o disk.png",
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
@click.version_option(package_name="hyplane", prog_name="hyplane", message="%(prog)s %(version)s")
def app() -> None:
    """Large-margin classification in hyperbolic space.

    Tables are CSV, TSV, Parquet, NPY, NPZ or MAT files with one point a row; - stands for the
    standard input and output. 'hyplane COMMAND --help' has an example of each command.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    code : int
        The exit code.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)

    def work() -> Any:
        return app.main(words, prog_name="hyplane", standalone_mode=False)

    with sound_streams():
        return guarded(work, debug="--debug" in words)
