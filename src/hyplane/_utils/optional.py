"""Extras: libraries that are imported only where they are used."""

from importlib import import_module
from types import ModuleType


class MissingExtraError(ImportError):
    """A library of an extra is not installed."""


def import_optional(module: str, extra: str) -> ModuleType:
    """Import a library of an extra, or say which extra brings it.

    Parameters
    ----------
    module : str
        Name of the module, for instance ``"matplotlib.pyplot"``.
    extra : str
        The extra of hyplane that installs it.

    Returns
    -------
    module : ModuleType

    Raises
    ------
    MissingExtraError
        If the library is not installed.

    Examples
    --------
    >>> import_optional("json", "plot").__name__
    'json'
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise MissingExtraError(
            f'{library} is needed here and is not installed: pip install "hyplane[{extra}]"'
        ) from error
