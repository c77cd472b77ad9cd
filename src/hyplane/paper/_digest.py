"""A digest of the code that computes: other code gives other pieces."""

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# Libraries whose numbers end up in the results.
LIBRARIES = ("numpy", "scipy", "scikit-learn")
# Files that are not shipped with the package, or that are made from those that are.
_LEFT_OUT = {".pyc", ".pyi", ".cpp", ".hpp", ".tmp"}


def digest_of_folder(folder: Path) -> str:
    """Return a SHA-256 digest of the names and contents of all files below a folder.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    digest : str
        Sources, compiled modules and data files count; caches and C++ sources do not.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "solver.py").write_text("step = 1")
    >>> before = digest_of_folder(folder)
    >>> _ = (folder / "solver.py").write_text("step = 2")
    >>> before == digest_of_folder(folder)
    False
    """
    digest = hashlib.sha256()
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    for name, path in sorted(files.items()):
        if path.suffix not in _LEFT_OUT and path.is_file():
            digest.update(f"{name}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@cache
def package_digest() -> str:
    """Return the digest of the package as it is on the disk now; found once in a process."""
    return digest_of_folder(Path(__file__).parents[1])


@cache
def library_versions() -> tuple[tuple[str, str], ...]:
    """Return names and versions of the libraries that compute, as far as installed."""
    found = []
    for library in LIBRARIES:
        try:
            found.append((library, version(library)))
        except PackageNotFoundError:
            continue
    return tuple(found)


@cache
def _file_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def code_of(function: Callable[..., Any]) -> list[Any]:
    """Return what stands for the code behind a function: it changes when the code does.

    Parameters
    ----------
    function : callable
        Of the package or of a file of one's own, which then counts too.

    Returns
    -------
    code : list
        Its name, the digest of the package, that of its own file, and versions of libraries.

    Examples
    --------
    >>> code_of(code_of)[0]
    'hyplane.paper._digest.code_of'
    """
    own = None
    file = getattr(sys.modules.get(function.__module__), "__file__", None)
    if not function.__module__.startswith("hyplane.") and file is not None:
        own = _file_digest(file)
    name = f"{function.__module__}.{function.__qualname__}"
    return [name, package_digest(), own, library_versions()]
