"""Types of options: numbers within a range, lists of names, charts."""

from collections.abc import Callable
from math import inf
from typing import Any

import click
from click.shell_completion import CompletionItem

from hyplane._charts import CHARTS, chart_name
from hyplane.cli._words import is_plain

# Names of methods and scores for help and completion, which must not import scikit-learn.
# `hyplane.evaluation` has what they stand for; a test compares the two.
METHODS = (
    *("hyperbolic", "euclidean", "hyperbolic-ours", "euclidean-ours", "hyperbolic-ovo"),
    *("kernel-secant", "kernel-laplacian"),
    *("kernel-logistic-secant", "kernel-logistic-laplacian", "curved", "curved-logistic"),
    *("hyperplane-logistic", "neighbors", "forest", "auto", "klein", "ambient", "tangent"),
    *("logistic", "rbf"),
)
SCORES = (
    *("macro_aupr", "micro_aupr", "macro_average_precision", "micro_average_precision"),
    *("macro_roc_auc", "micro_roc_auc", "accuracy"),
)
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


NEGATIVE = Number("a negative number such as -1", lambda value: -inf < value < 0)
POSITIVE = Number("a positive number", lambda value: 0 < value < inf)
POSITIVE_OR_INF = Number("a positive number, or inf for the hard margin", lambda value: value > 0)
FROM_TWO = Number("a number of at least 2", lambda value: 2 <= value < inf)
SHARE = Number("between 0 and 1", lambda value: 0 < value < 1)
PROBABILITY = Number("between 0 and 1, both included", lambda value: 0 <= value <= 1)
SEED = Number("a whole number from 0 to 4294967295", lambda value: 0 <= value < 2**32, int)
JOBS = Number("1 or more, or -1 for all processors", lambda value: value >= 1 or value == -1, int)


def at_least(least: int) -> Number:
    """Return the type of whole numbers that are not below one."""
    return Number(f"a whole number of at least {least}", lambda value: value >= least, int)


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
