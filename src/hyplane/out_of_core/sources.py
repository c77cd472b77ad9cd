"""Which rows are read block by block: the only place that looks at the types of users' data."""

from importlib import import_module
from typing import Any

import numpy as np

from hyplane._utils.typing import ArrayLike
from hyplane.out_of_core.disk import DiskBlocks
from hyplane.out_of_core.parquet import ParquetColumns, ParquetTable
from hyplane.out_of_core.rows_protocol import Blocks

# A memory map smaller than this is read as an ordinary array.
LEAST_BYTES = 1 << 26
# Makers of blocks for types of other libraries, by the first part of the name of the module that
# the type is from: a module, and a function ``(X, y, weight, n_threads) -> Blocks`` in it. The
# library is imported already where there is such an X.
MAKERS = {
    "dask": ("hyplane.out_of_core.dask_blocks", "dask_blocks"),
    "dask_expr": ("hyplane.out_of_core.dask_blocks", "dask_blocks"),
}


def is_lazy(X: ArrayLike) -> bool:
    """Say whether rows are read block by block.

    Parameters
    ----------
    X : anything that a classifier takes

    Returns
    -------
    lazy : bool
        True for Blocks, columns of a ParquetTable, memory maps of 64 MiB and more, and Dask
        collections.

    Examples
    --------
    >>> is_lazy([[0.1, 0.2]])
    False
    """
    if isinstance(X, np.memmap):
        return X.ndim == 2 and X.nbytes >= LEAST_BYTES
    return isinstance(X, Blocks | ParquetColumns | ParquetTable) or _library(X) in MAKERS


def as_blocks(
    X: ArrayLike,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    n_threads: int = 1,
) -> Blocks | None:
    """Return rows as blocks, or None where they are an ordinary array.

    Parameters
    ----------
    X : anything that a classifier takes
    y : labels, default=None
    sample_weight : weights, default=None
    n_threads : int, default=1
        Threads that share the blocks, where they are in this process.

    Returns
    -------
    blocks : Blocks or None

    Examples
    --------
    >>> as_blocks([[0.1, 0.2]]) is None
    True
    """
    if not is_lazy(X):
        return None
    if isinstance(X, Blocks):
        if y is not None or sample_weight is not None:
            raise ValueError("Blocks hold their own labels and weights; y must be None.")
        return X
    if _library(X) in MAKERS:
        module, name = MAKERS[_library(X)]
        blocks: Blocks = getattr(import_module(module), name)(X, y, sample_weight, n_threads)
        return blocks
    if isinstance(X, ParquetTable):
        X = X[X.names]
    return DiskBlocks(X, _column(y), _column(sample_weight), n_threads=n_threads)


def _library(X: ArrayLike) -> str:
    return type(X).__module__.partition(".")[0]


def _column(y: ArrayLike | None) -> Any:
    return y if y is None or isinstance(y, ParquetColumns) else np.asanyarray(y)
