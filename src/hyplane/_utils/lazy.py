"""Names of a package that are imported on first use."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, whose names are in these modules.

    The package's own modules and folders are names too. Help and completion of the command line
    must not wait for NumPy and scikit-learn.
    """
    origin = {name: module for module, names in modules.items() for name in names}

    def children() -> list[str]:
        found = (each.name for each in iter_modules(import_module(package).__path__))
        return [name for name in found if not name.startswith("_")]

    def find(name: str) -> Any:
        if name in origin:
            return getattr(import_module(f"{package}.{origin[name]}"), name)
        if name in children():
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted({*origin, *children(), "__doc__", "__name__", "__path__"})
