"""The command with all its subcommands."""

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import get_completion_class, shell_complete

from hyplane.cli import options

_COMPLETE = "_HYPLANE_COMPLETE"


@options.Group.of
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the full traceback of errors."
)
@click.version_option(package_name="hyplane", prog_name="hyplane", message="%(prog)s %(version)s")
def app() -> None:
    """Large-margin classification in hyperbolic space.

    Tables are CSV, TSV, Parquet, NPY, NPZ or MAT files with one point per row. Use - for standard
    input or output. Run 'hyplane COMMAND --help' for the options and examples of a command.

    Example:
      hyplane generate gaussians --seed 2 -o points.csv
      hyplane evaluate points.csv --label label
      hyplane fit points.csv --label label -o model.json
      hyplane plot points.csv --label label --model model.json -o disk.png
    """


for _name in (
    *("fit", "predict", "score", "evaluate", "plot", "explore", "convert", "embed", "generate"),
    *("reproduce", "info"),
):
    app.add_command(import_module(f"hyplane.cli.{_name}").command, _name)


@app.add
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the script that sets up completion in your shell.

    Example:
      echo 'eval "$(hyplane completion bash)"' >> ~/.bashrc
      echo 'eval "$(hyplane completion zsh)"' >> ~/.zshrc
      hyplane completion fish > ~/.config/fish/completions/hyplane.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(app, {}, "hyplane", _COMPLETE).source())


def run(words: Sequence[str]) -> Any:
    """Run the command and return its result, or an exit code; all exceptions go to the caller."""
    if _COMPLETE in os.environ:
        return shell_complete(app, {}, "hyplane", _COMPLETE, os.environ[_COMPLETE])
    try:
        with app.make_context("hyplane", list(words)) as context:
            return app.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
