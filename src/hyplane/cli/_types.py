"""Types of options: numbers within a range, lists of names, charts."""

from collections.abc import Callable
from math import inf
from typing import Any

import click
from click.shell_completion import CompletionItem

from hyplane._utils.charts import CHARTS, chart_name
from hyplane.cli._words import is_plain
from hyplane.evaluation.methods import METHODS as REGISTER
from hyplane.evaluation.methods import SCORES as SCORES

METHODS = tuple(REGISTER)
# What `hyplane evaluate` and `hyplane fit --cv` choose C by.
CHOICE_OF_C = "average_precision"


class Number(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number within a range, which is described in words."""

    name = "number"

    def __init__(self, words: str, accepts: Callable[[float], bool], kind: type = float) -> None:
        self.words = words
        self.accepts = accepts
        self.kind = kind
        self.name = "integer" if kind is int else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail with the range it has to be in."""
        try:
            number = self.kind(value) if is_plain(str(value)) else None
        except ValueError:
            number = None
        if number is None or not self.accepts(number):
            self.fail(f"must be {self.words}; got {value}.", param, ctx)
        return number


def between(least: float, most: float) -> Number:
    """Return the type of numbers in a range that includes its ends."""
    return Number(f"between {least:g} and {most:g}", lambda value: least <= value <= most)


def whole(least: int, most: int = 100_000_000) -> Number:
    """Return the type of whole numbers in a range that includes its ends."""
    words = f"a whole number from {least} to {most}"
    return Number(words, lambda value: least <= value <= most, int)


# Products of these numbers, their squares and weights stay within double precision.
LARGEST = 1e100
NEGATIVE = Number("a negative number such as -1", lambda value: -LARGEST <= value <= -1 / LARGEST)
POSITIVE = Number("a positive number up to 1e100", lambda value: 1 / LARGEST <= value <= LARGEST)
POSITIVE_OR_INF = Number(
    "a positive number up to 1e100, or inf for the hard margin",
    lambda value: 1 / LARGEST <= value <= LARGEST or value == inf,
)
FROM_TWO = between(2, 1e9)
SHARE = Number("above 0 and below 1", lambda value: 0 < value < 1)
PROBABILITY = between(0, 1)
SEED = whole(0, 2**32 - 1)
JOBS = Number(
    "a whole number from 1 to 10000, or -1 for all processors",
    lambda value: 1 <= value <= 10_000 or value == -1,
    int,
)


class Numbers(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Positive numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of the numbers."""
        if isinstance(value, tuple):
            return value
        return tuple(POSITIVE.convert(part, param, ctx) for part in value.split(","))


class Names(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Names with commas between them."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of the names."""
        if not isinstance(value, str):
            return value
        return tuple(name.strip() for name in value.split(",") if name.strip())


class Methods(Names):
    """Names of methods that are compared, with commas between them."""

    name = "methods"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of the names, or fail with those there are."""
        names = super().convert(value, param, ctx)
        for name in names:
            if name not in METHODS:
                self.fail(f"no method {name!r}; there are {', '.join(METHODS)}.", param, ctx)
        return names


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
    ) -> list[CompletionItem]:
        """Offer our own names."""
        return [CompletionItem(name) for name in CHARTS if name.startswith(incomplete.lower())]
