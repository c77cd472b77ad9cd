"""A progress bar for loops that may take more than a second."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TypeVar

Item = TypeVar("Item")


def progress(items: Iterable[Item], *, total: int, description: str) -> Iterator[Item]:
    """Pass the items on, with a bar on a terminal once a second has gone by.

    Without tqdm, or where the standard error is no terminal, nothing is printed.

    Parameters
    ----------
    items : iterable
    total : int
        How many items there are.
    description : str
        What is being done, written before the bar.

    Yields
    ------
    item

    Examples
    --------
    >>> list(progress([1, 2], total=2, description="counting"))
    [1, 2]
    """
    try:
        tqdm = import_module("tqdm").tqdm
    except ImportError:
        yield from items
        return
    yield from tqdm(items, total=total, desc=description, delay=1.0, disable=None)
