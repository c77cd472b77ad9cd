"""Groups of commands: help where none is named, and a guess where a name is not known."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem


class Group(click.Group):
    """A group whose bare call prints its help."""

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
        name = args[0]
        names = self.list_commands(ctx)
        if name not in names and not ctx.resilient_parsing and not name.startswith("-"):
            close = get_close_matches(name, names, n=1, cutoff=0.5)
            guess = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {name!r}.{guess}")
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
    """A group that has the names and summaries of its commands, and imports one when it is called.

    Parameters
    ----------
    summaries : dict
        What each command does, by its name, in the order of the help.
    load : callable
        Returns the command of a name.
    """

    def __init__(
        self,
        *arguments: Any,
        summaries: dict[str, str],
        load: Callable[[str], click.Command],
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.summaries = summaries
        self.load = load

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command."""
        return self.load(name) if name in self.summaries else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in the help without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names of commands without importing them, and options."""
        found = [
            CompletionItem(name, help=summary)
            for name, summary in self.summaries.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)
