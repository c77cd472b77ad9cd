"""Extras: libraries that are imported only where they are used."""

from importlib import import_module
from types import ModuleType


class MissingExtraError(ImportError):
    """A library of an extra is not installed."""


def import_optional(module: str, extra: str) -> ModuleType:
    """Import a module such as ``matplotlib.pyplot``, or name the extra that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise MissingExtraError(
            f'{library} is needed here and is not installed: pip install "hyplane[{extra}]"'
        ) from error
