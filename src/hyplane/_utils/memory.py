"""How much memory a computation needs, compared with what there is."""

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

_MEMINFO = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def available_memory() -> float:
    """Return the bytes that a computation can take; infinite where the system does not say.

    Examples
    --------
    >>> available_memory() > 1e6
    True
    """
    found = [float("inf")]
    try:
        lines = dict(line.split(":") for line in _MEMINFO.read_text().splitlines())
        found.append(1024.0 * int(lines["MemAvailable"].split()[0]))
    except (OSError, ValueError, KeyError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            found.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    with suppress(OSError, ValueError):  # no limit is written as "max"
        found.append(float(_CONTAINER.read_text()))
    with suppress(ImportError):  # Windows has no such limits
        resource: Any = import_module("resource")
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found.append(limit if limit != resource.RLIM_INFINITY else found[0])
    return min(found)


def check_memory(needed: float, what: str, remedy: str) -> None:
    """Raise a MemoryError before a computation takes more memory than there is.

    Parameters
    ----------
    needed : float
        Bytes.
    what : str
        What needs them.
    remedy : str
        What to do instead.

    Examples
    --------
    >>> check_memory(1e18, "the kernel matrix", "Use fewer rows.")
    Traceback (most recent call last):
    MemoryError: the kernel matrix needs 1,000,000,000.0 GB of memory, ... Use fewer rows.
    """
    there = available_memory()
    if needed > there:
        raise MemoryError(
            f"{what} needs {needed / 1e9:,.1f} GB of memory, and {there / 1e9:,.1f} GB are "
            f"available. {remedy}"
        )
