"""Rows of Dask arrays and data frames, which the workers of a cluster keep."""

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane._utils.parallel import ClusterError
from hyplane._utils.typing import Array
from hyplane._utils.validation import EncodedLabels, check_has_values, check_numbers, is_dask
from hyplane.out_of_core.rows import Block, Blocks, Result

dask = import_optional("dask", "dask")
array = import_optional("dask.array", "dask")


class DaskBlocks(Blocks):
    """Blocks of a Dask array or data frame, one for each chunk of rows that is not empty.

    The rows are read once, in the first pass, and the workers keep what the pass makes of them. A
    pass is one task for each block, and the results come back in the order of the chunks. So they
    depend on the chunks, and neither on the number of workers nor on which of them is faster. What
    a lost worker kept is computed again from its source. Without a ``distributed.Client`` the
    blocks stay in this process.

    ``y`` and ``weight`` are Dask collections in the chunks of X or of known sizes, or arrays.

    Examples
    --------
    >>> import dask.array as da
    >>> blocks = DaskBlocks(da.ones((5, 2), chunks=(2, 2)))
    >>> list(blocks.map(len))
    [2, 2, 1]
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None) -> None:
        self._client = getattr(dask.base.get_scheduler(), "__self__", None)
        _check_rows(X)
        n, names = X.shape[1], _names_of(X)
        self.n_columns, self.column_names = n, names
        # Kept, since tasks made of a persisted collection do not keep its chunks on the workers.
        self._columns = columns = {"X": X, "y": y, "sample_weight": weight}
        pieces = {
            name: _pieces(column)
            for name, column in columns.items()
            if is_dask(column) and (name == "X" or not _sizes_known(column))
        }
        for name, own in pieces.items():
            if len(own) != len(pieces["X"]):
                raise ValueError(
                    f"X has {len(pieces['X'])} chunks of rows and {name} {len(own)}, and how many "
                    "rows are in each is not known. Call compute_chunk_sizes() of the arrays, or "
                    "to_dask_array(lengths=True) of the data frames, or use one data frame."
                )
        if _sizes_known(X):
            lengths = X.chunks[0]
        else:
            [pieces] = dask.persist(pieces)
            lengths = dask.compute(*map(_task(len), pieces["X"]))
        for name in ("y", "sample_weight"):
            if name not in pieces:
                pieces[name] = _divided(columns[name], lengths, name)
        firsts = np.cumsum([0, *lengths]).tolist()
        self.n_rows = firsts[-1]
        if not self.n_rows:
            raise ValueError("no points: at least one row is needed.")
        self._kept = False
        self._blocks: Sequence[Any] = [
            _task(_block)(
                number, firsts[number], n, names, *(pieces[key][number] for key in columns)
            )
            for number, length in enumerate(lengths)
            if length
        ]

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield the function of each block; see `Blocks.map`.

        Yields
        ------
        result
        """
        try:
            if not self._kept:
                self._blocks, self._kept = dask.persist(*self._blocks), True
            task, sent, n_together = _task(_apply_to_each), _packed(args), 256  # results at a time
            for first in range(0, len(self._blocks), n_together):
                blocks = self._blocks[first : first + n_together]
                groups = self._groups(blocks)
                tasks = [task([blocks[k] for k in group], function, sent) for group in groups]
                results = dict(zip(chain(*groups), chain(*dask.compute(*tasks)), strict=True))
                yield from (results[k] for k in range(len(blocks)))
        except Exception as error:  # of many kinds, and none of them names the reason
            if self._client is not None and self._client.status != "running":
                raise ClusterError(
                    "the Dask client that holds the rows was closed or lost its scheduler. Keep it "
                    "open until the fit ends, and fit again."
                ) from error
            raise

    def prepared(self, function: Callable[..., Any], *args: Any) -> "DaskBlocks":
        """Return blocks of the function of each, made in the first pass and kept by the workers."""
        ready, task, sent = copy(self), _task(_apply), _packed(args)
        ready._blocks = [task(block, function, sent) for block in self._blocks]
        ready._kept = False
        return ready

    def _groups(self, blocks: Sequence[Any]) -> list[list[int]]:
        """Return the blocks that each thread of a worker keeps: the scheduler has few tasks then.

        Blocks that are not made yet, or were lost, are groups of their own.
        """
        if self._client is None:
            return [[k] for k in range(len(blocks))]
        holders = self._client.who_has(self._client.futures_of(list(blocks)))
        n_threads, of_worker = self._client.nthreads(), defaultdict(list)
        for k, block in enumerate(blocks):
            of_worker[min(holders.get(block.key) or [""])].append(k)
        return [
            kept[thread::n]
            for worker, kept in of_worker.items()
            for n in [min(n_threads.get(worker, len(kept)), len(kept))]
            for thread in range(n)
        ]


def lazy_rows(
    X: Any,
    function: Callable[..., NDArray[Any]],
    *args: Any,
    dtype: Any,
    n_columns: int | None = None,
) -> Any:
    """Return what a function makes of each chunk of rows, as a Dask array that is not computed yet.

    The function gets a `Block` and the arguments, and returns ``n_columns`` numbers for each row of
    the block, or one number for None.

    Examples
    --------
    >>> import dask.array as da
    >>> X = da.ones((5, 2), chunks=(2, 2))
    >>> rows = lazy_rows(X, lambda block: block.X[:, 0], dtype=np.float64)
    >>> rows.chunks, rows.compute()
    (((2, 2, 1),), array([1., 1., 1., 1., 1.]))
    """
    _check_rows(X)
    if _is_frame(X):
        empty, shape = np.empty((0, X.shape[1])), (np.nan, X.shape[1])
        parts = [
            _task(_matrix)(piece, number, X.shape[1], _names_of(X))
            for number, piece in enumerate(_pieces(X))
        ]
        rows = array.concatenate([array.from_delayed(part, shape, meta=empty) for part in parts])
    else:
        rows = X.rechunk({1: -1})
    width = () if n_columns is None else (n_columns,)
    empty = np.empty((0, *width), dtype)
    return rows.map_blocks(
        _apply_to_chunk,
        function,
        args=_packed(args),
        n_columns=X.shape[1],
        empty=empty,
        chunks=(rows.chunks[0], *((each,) for each in width)),
        drop_axis=[] if width else [1],
        meta=empty,
    )


def _matrix(part: Any, number: int, n_columns: int, names: list[str] | None = None) -> NDArray[Any]:
    """Return a chunk in single or double precision, if it has the columns that X announces."""
    _check_rows(part)
    if part.shape[1] != n_columns:
        raise ValueError(
            f"chunk {number} of X has {part.shape[1]} columns, but the metadata of X says "
            f"{n_columns}. All chunks need the same columns."
        )
    if not hasattr(part, "iloc"):
        return np.asarray(part, dtype=np.float32 if part.dtype == np.float32 else np.float64)
    if names is not None and list(part.columns) != names:
        raise ValueError(
            f"chunk {number} of X has the columns {', '.join(map(str, part.columns))}, but the "
            f"metadata of X says {', '.join(names)}. All chunks need the same columns, in the same "
            "order."
        )
    single = all(dtype == np.float32 for dtype in part.dtypes)
    # Missing values of pandas become nan, which the check of the points then finds.
    return np.asarray(part.to_numpy(np.float32 if single else np.float64, na_value=np.nan))


def _check_rows(X: Any) -> None:
    """Refuse a collection or a chunk that is not rows of numbers."""
    check_has_values(X, "X")
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} axes; points are rows of numbers.")
    dtypes = X.dtypes.items() if hasattr(X, "dtypes") else [(None, X.dtype)]
    for name, dtype in dtypes:
        # The types of pandas and of Arrow have such a letter too.
        if getattr(dtype, "kind", "O") not in "biuf":
            what = "X" if name is None else f"column {name!s} of X"
            raise ValueError(f"{what} has the type {dtype}; points are rows of numbers.")


def _is_frame(collection: Any) -> bool:
    return hasattr(collection, "map_partitions")


def _names_of(X: Any) -> list[str] | None:
    if not _is_frame(X) or not all(isinstance(name, str) for name in X.columns):
        return None
    return list(X.columns)


def _sizes_known(collection: Any) -> bool:
    return not _is_frame(collection) and not np.isnan(collection.chunks[0]).any()


def _pieces(collection: Any) -> list[Any]:
    """Return one task for each chunk of whole rows."""
    if _is_frame(collection):
        return list(collection.to_delayed())
    rows = collection if collection.ndim == 1 else collection.rechunk({1: -1})
    return list(rows.to_delayed().ravel())


def _divided(column: Any, lengths: Sequence[int], name: str) -> list[Any]:
    """Divide labels or weights of known size like the rows."""
    if column is None:
        return [None] * len(lengths)
    check_has_values(column, name)
    column = column if is_dask(column) else np.asarray(column)
    if len(column) != sum(lengths):
        raise ValueError(
            f"X has {sum(lengths)} rows and {name} {len(column)}; both need the same number."
        )
    if is_dask(column):
        return _pieces(column.rechunk({0: tuple(lengths)}))
    return np.split(column, np.cumsum(lengths)[:-1])


def _block(
    number: int, first: int, n_columns: int, names: list[str] | None, X: Any, y: Any, weight: Any
) -> Block:
    rows = _matrix(X, number, n_columns, names)
    labels = None if y is None else _labels(y)
    weights = None if weight is None else _weights(weight)
    for name, column in (("y", labels), ("sample_weight", weights)):
        if column is not None and len(column) != len(rows):
            raise ValueError(
                f"chunk {number} of X has {len(rows)} rows and that of {name} {len(column)}: both "
                "need the same rows. Make them of one data frame, or of arrays of known chunk "
                "sizes (compute_chunk_sizes())."
            )
    return Block(first, rows, labels, weights)


def _weights(part: Any) -> Array:
    check_numbers(part, "sample_weight")
    if part.ndim == 2 and part.shape[1] != 1:
        raise ValueError(f"sample_weight has {part.shape[1]} columns; a row has one weight.")
    return np.asarray(part, dtype=np.float64).ravel()


def _labels(part: Any) -> NDArray[Any] | EncodedLabels:
    """Return numbers and an indicator matrix as they are, and other labels encoded."""
    check_has_values(part, "y")
    if part.ndim == 2:
        if part.shape[1] != 1:
            return np.asarray(part)
        part = part.iloc[:, 0] if hasattr(part, "iloc") else part[:, 0]
    if isinstance(part.dtype, np.dtype) and part.dtype.kind in "biufUS":
        return np.asarray(part)
    codes, values = import_optional("pandas", "dask").factorize(part)
    kinds = {type(value) for value in values}
    if len(kinds) > 1 and not all(issubclass(kind, int | float) for kind in kinds):
        names = " and ".join(sorted(kind.__name__ for kind in kinds)[:2])
        raise ValueError(f"labels of different types: {names}. Convert them to one.")
    return EncodedLabels(np.array(list(values)), codes)


def _task(function: Any) -> Any:
    return dask.delayed(function, pure=False)


def _packed(args: tuple[Any, ...], small: int = 1 << 14) -> Any:
    """Return arguments in bytes, large ones as a task of their own, so that they travel once.

    In bytes, since Dask may put arrays at odd addresses, which compiled code refuses.
    """
    sent = pickle.dumps(args, protocol=4)
    return _task(sent) if len(sent) > small else sent


def _apply(block: Any, function: Callable[..., Result], args: bytes) -> Result:
    if hasattr(block, "__dataclass_fields__"):  # copy arrays that Dask put at odd addresses
        arrays = {name: each for name, each in vars(block).items() if isinstance(each, np.ndarray)}
        aligned = {name: np.require(each, None, "A") for name, each in arrays.items()}
        block = replace(block, **aligned)
    return function(block, *pickle.loads(args))


def _apply_to_each(blocks: list[Any], function: Callable[..., Result], args: bytes) -> list[Result]:
    return [_apply(block, function, args) for block in blocks]


def _apply_to_chunk(
    part: NDArray[Any],
    function: Callable[..., NDArray[Any]],
    args: bytes,
    n_columns: int,
    empty: NDArray[Any],
    block_info: Any = None,
) -> NDArray[Any]:
    first, number = block_info[0]["array-location"][0][0], block_info[0]["chunk-location"][0]
    X = _matrix(part, number, n_columns)
    if not len(X):
        return empty
    # If the sizes of the chunks before it are not known, errors name the chunk.
    block = Block(0, X, file=f"chunk {number} of X") if np.isnan(first) else Block(int(first), X)
    return np.asarray(_apply(block, function, args))
