"""Names of a package that are imported on first use."""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Its names come from where its source imports them under ``if TYPE_CHECKING:``. Its modules and
    folders are names too. Help and completion of the command line must not wait for NumPy and
    scikit-learn.
    """
    module: Any = sys.modules[package]
    tree = ast.walk(ast.parse(module.__loader__.get_source(package)))
    statements = [node for node in tree if isinstance(node, ast.ImportFrom)]
    origin = {name.name: each.module for each in statements for name in each.names}

    def children() -> list[str]:
        found = [each.name for each in iter_modules(module.__path__)]
        return [name for name in found if not name.startswith("_")]

    def find(name: str) -> Any:
        if name in module.__all__ and name in origin:
            return getattr(import_module(str(origin[name])), name)
        if name in children():
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted({*module.__all__, *children(), "__doc__", "__name__", "__path__"})
