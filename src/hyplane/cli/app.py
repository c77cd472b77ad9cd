"""The command with all its subcommands."""

import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.shell_completion import get_completion_class

from hyplane.cli import options
from hyplane.cli.errors import OutputClosed, guarded, sound_streams


class _App(options.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise OutputClosed from error  # -o named a pipe; click would call it a failure


@partial(
    _App.of, context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]}
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
@click.version_option(package_name="hyplane", prog_name="hyplane", message="%(prog)s %(version)s")
def app() -> None:
    """Large-margin classification in hyperbolic space.

    Tables are CSV, TSV, Parquet, NPY, NPZ or MAT files with one point per row. Use - for standard
    input or output. Run 'hyplane COMMAND --help' for the options of a command and an example.

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
    """Print a script that makes SHELL complete this command.

    Example:
      echo 'eval "$(hyplane completion bash)"' >> ~/.bashrc
      echo 'eval "$(hyplane completion zsh)"' >> ~/.zshrc
      hyplane completion fish > ~/.config/fish/completions/hyplane.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(app, {}, "hyplane", "_HYPLANE_COMPLETE").source())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    rest = [word for word in words if word != "--debug"]  # it may stand anywhere

    def work() -> Any:
        return app.main(rest, prog_name="hyplane", standalone_mode=False)

    with sound_streams():
        return guarded(work, debug=len(rest) < len(words))
