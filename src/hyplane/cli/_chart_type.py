"""The names of charts as a type of options."""

from typing import Any

import click

from hyplane._charts import CHARTS, chart_name


class ChartType(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A chart by any of its names, which becomes our own name of it."""

    name = "chart"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or fail with those there are."""
        try:
            return chart_name(value)
        except ValueError:
            self.fail(f"no chart {value!r}; there are {', '.join(CHARTS)}.", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        """Offer our own names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in CHARTS if name.startswith(incomplete.lower())]
