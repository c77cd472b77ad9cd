"""``hyplane completion``: a script that lets a shell complete the command."""

import click
from click.shell_completion import get_completion_class

from hyplane.cli._options import debug_option

_SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog="\b\n"
    "Example:\n"
    "  echo 'eval \"$(hyplane completion bash)\"' >> ~/.bashrc\n"
    "  echo 'eval \"$(hyplane completion zsh)\"' >> ~/.zshrc\n"
    "  hyplane completion fish > ~/.config/fish/completions/hyplane.fish",
)
@click.argument("shell", type=click.Choice(_SHELLS))
@debug_option
def command(shell: str) -> None:
    """Print the lines that make SHELL complete commands and options."""
    from hyplane.cli._app import app

    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(app, {}, "hyplane", "_HYPLANE_COMPLETE").source())
