"""Blocks of rows that Dask workers hold."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._optional import import_optional
from hyplane._typing import Array, ArrayLike
from hyplane.blocks.contract import Block, Blocks
from hyplane.blocks.labels import EncodedLabels

R = TypeVar("R")
# Arguments of a pass that are larger than this, in bytes, travel once and not with every task.
_SMALL_ARGUMENTS = 1 << 14
# Results of a pass that are fetched at a time.
_RESULTS = 64


class DaskBlocks(Blocks):
    """Blocks of a Dask array or data frame, one for each chunk of rows that is not empty.

    The rows are read once, when the blocks are made, and stay with the workers. A pass sends a
    function there and brings back what it returns, in the order of the chunks: the result depends
    on the chunks, and neither on the number of workers nor on which of them is faster. What a lost
    worker held is computed again from its source.

    Parameters
    ----------
    X : dask array of shape (m, n_columns), or dask data frame
    y : dask array, series or data frame of one column, or array of shape (m,), default=None
        In chunks of the same rows as X, or of known sizes.
    weight : like y, default=None

    Attributes
    ----------
    n_rows : int
    n_columns : int
    column_names : list of str or None

    Notes
    -----
    Without a ``distributed.Client`` the blocks stay in this process, and Dask's threads go over
    them.

    Examples
    --------
    >>> import dask.array as da
    >>> blocks = DaskBlocks(da.ones((5, 2), chunks=(2, 2)))
    >>> list(blocks.map(len))
    [2, 2, 1]
    """

    def __init__(
        self, X: ArrayLike, y: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> None:
        parts = _parts_of_points(X)
        self.n_columns, self.column_names = _width(X), _names(X)
        lengths = _known_lengths(X)
        if lengths is None and not all(is_dask(each) for each in (y, weight) if each is not None):
            # Which rows of an ordinary array belong to a chunk depends on the sizes of all.
            parts = _persisted(parts)
            lengths = _computed(parts, len)
        labels = _parts_beside(parts, lengths, y, "y", _labels)
        weights = _parts_beside(parts, lengths, weight, "sample_weight", _weights)
        task = _delayed(_block)
        blocks = _persisted(
            [task(*each, n) for n, each in enumerate(zip(parts, labels, weights, strict=True))]
        )
        sizes = _computed(blocks, len)
        firsts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        self.n_rows = firsts.pop()
        if not self.n_rows:
            raise ValueError("no points: at least one row is needed.")
        self._blocks = [block for block, size in zip(blocks, sizes, strict=True) if size]
        # The numbers of their first rows, as long as these are the rows themselves.
        self._firsts: list[int | None] = [
            first for first, size in zip(firsts, sizes, strict=True) if size
        ]

    def map(self, function: Callable[..., R], *args: Any) -> Iterator[R]:
        """Yield the function of each block; see `Blocks.map`."""
        client = _client()
        if client is None:
            return _computed_here(self._tasks(function, args))
        # One call for all blocks: the scheduler's time is what limits many of them.
        futures = [each for block in self._blocks for each in client.futures_of(block)]
        sent = pickle.dumps(args, protocol=4)
        large = len(sent) > _SMALL_ARGUMENTS
        shared = client.submit(_itself, sent, pure=False) if large else sent
        found = client.map(
            _apply, futures, self._firsts, function=function, args=shared, pure=False
        )
        return _gathered(client, found)

    def prepared(self, function: Callable[..., Any], *args: Any) -> "DaskBlocks":
        """Return blocks of the function of each, kept by the workers; see `Blocks.prepared`."""
        ready = object.__new__(DaskBlocks)
        ready.__dict__.update(self.__dict__, _firsts=[None] * len(self._blocks))
        ready._blocks = _persisted(self._tasks(function, args))
        return ready

    def _tasks(self, function: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
        task, shared = _delayed(_apply), _shared(args)
        return [
            task(block, first, function, shared)
            for block, first in zip(self._blocks, self._firsts, strict=True)
        ]


def is_dask(X: ArrayLike) -> bool:
    """Say whether something is a Dask collection, without importing Dask.

    Examples
    --------
    >>> is_dask([[0.1, 0.2]])
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def dask_blocks(
    X: ArrayLike, y: ArrayLike | None, weight: ArrayLike | None, n_threads: int
) -> DaskBlocks:
    """Make blocks of Dask collections; how many threads work on them is the cluster's to say."""
    return DaskBlocks(X, y, weight)


def lazy_rows(
    X: ArrayLike,
    function: Callable[..., NDArray[Any]],
    *args: Any,
    dtype: Any,
    n_columns: int | None = None,
) -> Any:
    """Return what a function makes of each chunk of rows, as a Dask array that is not computed yet.

    Parameters
    ----------
    X : dask array or data frame
    function : callable
        A function of a module. It gets a `Block` and the arguments, and returns one row for each of
        the block.
    *args
        What it takes beside the block.
    dtype : dtype
        Of the result.
    n_columns : int, default=None
        Columns of the result; None for one number a row.

    Returns
    -------
    rows : dask array
        In the chunks of X.

    Examples
    --------
    >>> import dask.array as da
    >>> rows = lazy_rows(da.ones((5, 2), chunks=(2, 2)), _first_column, dtype=np.float64)
    >>> rows.chunks, rows.compute()
    (((2, 2, 1),), array([1., 1., 1., 1., 1.]))
    """
    _check_points(X)
    array = import_optional("dask.array", "dask")
    width = () if n_columns is None else (n_columns,)
    meta = np.empty((0, *width), dtype)
    how = {"function": function, "args": _shared(args), "meta": meta}
    lengths = _known_lengths(X)
    if _is_frame(X) or lengths is None:
        task = _delayed(_apply_to_chunk)
        return array.concatenate(
            [
                array.from_delayed(task(part, how, number), (np.nan, *width), meta=meta)
                for number, part in enumerate(_pieces(X))
            ]
        )
    rows = X.rechunk({1: X.shape[1]})
    return array.map_blocks(
        _apply_to_known_chunk,
        rows,
        how=how,
        chunks=(rows.chunks[0], *((each,) for each in width)),
        drop_axis=[] if width else [1],
        meta=meta,
        dtype=dtype,
    )


def _first_column(block: Block) -> NDArray[Any]:
    return block.X[:, 0]


def _block(X: NDArray[Any], y: Any, weight: Array | None, number: int) -> Block:
    for name, column in (("y", y), ("sample_weight", weight)):
        if column is not None and len(column) != len(X):
            raise ValueError(
                f"chunk {number} of X has {len(X)} rows and that of {name} {len(column)}: both "
                "need the same rows. Make them of one data frame, or of arrays of known chunk "
                "sizes (compute_chunk_sizes())."
            )
    return Block(0, X, y, weight)


def _apply(block: Any, first: int | None, function: Callable[..., R], args: bytes) -> R:
    block = block if first is None else replace(block, first=first)
    return function(_aligned(block), *pickle.loads(args))


def _aligned(block: Any) -> Any:
    """Copy arrays that Dask put at odd addresses when it moved the block to another worker."""
    if not is_dataclass(block) or isinstance(block, type):
        return block
    arrays = {field.name: getattr(block, field.name) for field in fields(block)}
    odd = {
        name: np.array(array)
        for name, array in arrays.items()
        if isinstance(array, np.ndarray) and not array.flags.aligned
    }
    return replace(block, **odd) if odd else block


def _apply_to_chunk(rows: Any, how: dict[str, Any], number: int) -> NDArray[Any]:
    # How many rows are in the chunks before is not known: errors name the chunk too.
    return _rows_of_result(Block(0, _matrix(rows), file=f"chunk {number} of X"), how)


def _apply_to_known_chunk(
    rows: NDArray[Any], how: dict[str, Any], block_info: Any = None
) -> NDArray[Any]:
    return _rows_of_result(Block(block_info[0]["array-location"][0][0], _matrix(rows)), how)


def _rows_of_result(block: Block, how: dict[str, Any]) -> NDArray[Any]:
    if not len(block):
        return np.array(how["meta"])
    return np.asarray(how["function"](block, *pickle.loads(how["args"])))


def _parts_of_points(X: ArrayLike) -> list[Any]:
    """Return one task per chunk that makes an array of its rows."""
    _check_points(X)
    task = _delayed(_matrix)
    return [task(part) for part in _pieces(X)]


def _check_points(X: Any) -> None:
    """Refuse what is not rows of numbers."""
    if not _is_frame(X) and (X.ndim != 2 or X.dtype.kind not in "biuf"):
        raise ValueError(f"X has {X.ndim} axes and the type {X.dtype}; points are rows of numbers.")
    if _is_frame(X):
        if X.ndim != 2:
            raise ValueError("X is one column; points are rows of several. Use a data frame.")
        for name, kind in X.dtypes.items():
            # Also those of pandas and of Arrow have such a letter.
            if getattr(kind, "kind", "O") not in "biuf":
                raise ValueError(
                    f"column {name!s} of X has the type {kind}; a coordinate is a number."
                )


def _parts_beside(
    parts: Sequence[Any],
    lengths: list[int] | None,
    column: ArrayLike | None,
    name: str,
    convert: Callable[[Any], Any],
) -> list[Any]:
    """Return one task per chunk of X that makes the labels, or the weights, of its rows."""
    if column is None:
        return [None] * len(parts)
    n_rows = None if lengths is None else sum(lengths)
    if not is_dask(column):
        assert lengths is not None
        values = np.asarray(column)
        _check_length(n_rows, len(values), name)
        pieces = np.split(values, np.cumsum(lengths)[:-1])
        return [convert(piece) for piece in pieces]
    own = _known_lengths(column)
    if own is not None and n_rows is not None:
        _check_length(n_rows, sum(own), name)
        if own != lengths and not _is_frame(column):
            column = column.rechunk({0: tuple(lengths or ())})
    pieces = _pieces(column)
    if len(pieces) != len(parts):
        raise ValueError(
            f"X has {len(parts)} chunks of rows and {name} {len(pieces)}, and how many rows are in "
            "each is not known. Call compute_chunk_sizes() of the arrays, or "
            "to_dask_array(lengths=True) of the data frames, or make both of one data frame."
        )
    task = _delayed(convert)
    return [task(piece) for piece in pieces]


def _check_length(n_rows: int | None, length: int, name: str) -> None:
    if n_rows != length:
        raise ValueError(f"X has {n_rows} rows and {name} {length}; both need the same number.")


def _matrix(part: Any) -> NDArray[Any]:
    """Return rows in single precision where they are in it, else in double precision."""
    if not hasattr(part, "iloc"):
        rows = np.asarray(part)
        return rows if rows.dtype == np.float32 else rows.astype(np.float64, copy=False)
    single = all(kind == np.float32 for kind in part.dtypes)
    # Missing values of pandas become nan, which the check of the points then finds.
    return np.asarray(part.to_numpy(np.float32 if single else np.float64, na_value=np.nan))


def _weights(part: Any) -> Array:
    return np.asarray(_one_column(part), dtype=np.float64)


def _labels(part: Any) -> NDArray[Any] | EncodedLabels:
    """Return labels as they are where they are numbers, and else encoded."""
    column = _one_column(part)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufUS":
        return column
    pandas = import_optional("pandas", "dask")
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return np.asarray(column)
    codes, values = pandas.factorize(column)
    kinds = {type(value) for value in values}
    if len(kinds) > 1 and not all(issubclass(kind, int | float) for kind in kinds):
        names = " and ".join(sorted(kind.__name__ for kind in kinds)[:2])
        raise ValueError(f"labels of different types: {names}. Convert them to one.")
    return EncodedLabels(np.array(list(values)), codes)


def _one_column(part: Any) -> Any:
    """Return one column, of an array or a data frame that may have just one."""
    if part.ndim == 1:
        return part
    if part.shape[1] != 1:
        raise ValueError(
            f"y has {part.shape[1]} columns; with Dask collections it has one label a row."
        )
    return part.iloc[:, 0] if hasattr(part, "iloc") else part[:, 0]


def _is_frame(collection: Any) -> bool:
    return hasattr(collection, "map_partitions")


def _width(X: Any) -> int:
    return len(X.columns) if _is_frame(X) else int(X.shape[1])


def _names(X: Any) -> list[str] | None:
    """Return the names of the columns, where all are words."""
    names = list(X.columns) if _is_frame(X) else []
    return names if names and all(isinstance(name, str) for name in names) else None


def _known_lengths(collection: Any) -> list[int] | None:
    if _is_frame(collection) or np.isnan(collection.chunks[0]).any():
        return None
    return list(collection.chunks[0])


def _pieces(collection: Any) -> list[Any]:
    """Return one task per chunk of whole rows."""
    if _is_frame(collection):
        return list(collection.to_delayed())
    if collection.ndim == 2:
        collection = collection.rechunk({1: collection.shape[1]})
    return list(collection.to_delayed().ravel())


def _shared(args: tuple[Any, ...]) -> Any:
    """Return the arguments of a pass as bytes, those that are large as one task of their own.

    In bytes, since arrays that Dask sends may lie at odd addresses, which compiled code refuses.
    """
    sent = pickle.dumps(args, protocol=4)
    return _delayed(sent) if len(sent) > _SMALL_ARGUMENTS else sent


def _delayed(value: Any, **options: Any) -> Any:
    return import_optional("dask", "dask").delayed(value, pure=False, **options)


def _persisted(tasks: list[Any]) -> list[Any]:
    return list(import_optional("dask", "dask").persist(*tasks))


def _computed(parts: list[Any], function: Callable[[Any], int]) -> list[int]:
    task, client = _delayed(function), _client()
    tasks = [task(part) for part in parts]
    return list(_computed_here(tasks) if client is None else client.gather(client.compute(tasks)))


def _client() -> Any:
    """Return the client of the cluster that computes by default; None where there is none."""
    return getattr(import_optional("dask.base", "dask").get_scheduler(), "__self__", None)


def _computed_here(tasks: list[Any]) -> Iterator[Any]:
    """Yield the results of tasks in order, a few of them at a time."""
    base = import_optional("dask.base", "dask")
    for first in range(0, len(tasks), _RESULTS):
        yield from base.compute(*tasks[first : first + _RESULTS])


def _gathered(client: Any, futures: list[Any]) -> Iterator[Any]:
    """Yield the results of futures in order; only a few of them are here at a time."""
    while futures:
        some, futures = futures[:_RESULTS], futures[_RESULTS:]
        yield from client.gather(some)


def _itself(value: Any) -> Any:
    return value
