"""The command with all its subcommands."""

import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.shell_completion import get_completion_class

from hyplane.cli import options
from hyplane.cli.errors import OutputClosed, guarded, sound_streams


class Group(click.Group):
    """Commands in the order of their definition; called without one it prints its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return list(self.commands)

    def add(self, function: Callable[..., None]) -> None:
        """Add a command, as a decorator."""
        self.add_command(options.command(function))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; without any, print the help and leave."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was named, or fail with the nearest name."""
        name, names = args[0], self.list_commands(ctx)
        if name not in names and not ctx.resilient_parsing and not name.startswith("-"):
            close = get_close_matches(name, names, n=1, cutoff=0.5)
            guess = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}.{guess}")
        return super().resolve_command(ctx, args)


class _App(Group):
    """The subcommands, each in a module of its name that is imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [
            *("fit", "predict", "score", "evaluate", "plot", "explore", "convert", "embed"),
            *("generate", "reproduce", "info", "completion"),
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.commands or cmd_name not in self.list_commands(ctx):
            return self.commands.get(cmd_name)
        command: click.Command = import_module(f"hyplane.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise OutputClosed from error  # -o named a pipe; click would call it a failure


@partial(
    options.command,
    cls=_App,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
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
