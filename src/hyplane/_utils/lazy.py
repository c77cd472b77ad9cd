"""Names of a package that are imported when they are first asked for."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names are in these modules.

    A module is a name itself. Help and completion of the command line must not wait for NumPy and
    scikit-learn.
    """
    origin = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in origin:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{origin[name]}"), name)

    return find, lambda: sorted({*origin, *modules, "__doc__", "__name__", "__path__"})
