"""The command with all its subcommands."""

from importlib import import_module

import click
from click.shell_completion import get_completion_class

from hyplane.cli import options


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
    click.echo(kind(app, {}, "hyplane", "_HYPLANE_COMPLETE").source())
