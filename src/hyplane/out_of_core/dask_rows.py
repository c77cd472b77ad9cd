"""Rows that are computed from those of Dask collections when they are asked for."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import ArrayLike
from hyplane.out_of_core.dask_parts import (
    check_rows,
    columns_of,
    delayed,
    is_frame,
    known_lengths,
    matrix_of_chunk,
    packed_arguments,
    pieces_of,
)
from hyplane.out_of_core.rows_protocol import Block


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
    >>> X = da.ones((5, 2), chunks=(2, 2))
    >>> rows = lazy_rows(X, lambda block: block.X[:, 0], dtype=np.float64)
    >>> rows.chunks, rows.compute()
    (((2, 2, 1),), array([1., 1., 1., 1., 1.]))
    """
    check_rows(X)
    array = import_optional("dask.array", "dask")
    width = () if n_columns is None else (n_columns,)
    meta = np.empty((0, *width), dtype)
    how = {
        "function": function,
        "args": packed_arguments(args),
        "meta": meta,
        "columns": columns_of(X),
    }
    lengths = known_lengths(X)
    if is_frame(X) or lengths is None:
        task = delayed(_apply_to_chunk)
        return array.concatenate(
            [
                array.from_delayed(task(part, how, number), (np.nan, *width), meta=meta)
                for number, part in enumerate(pieces_of(X))
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


def _apply_to_chunk(rows: Any, how: dict[str, Any], number: int) -> NDArray[Any]:
    # How many rows are in the chunks before is not known: errors name the chunk too.
    n_columns, names = how["columns"]
    matrix = matrix_of_chunk(rows, n_columns, names, number)
    return _rows_of_result(Block(0, matrix, file=f"chunk {number} of X"), how)


def _apply_to_known_chunk(
    rows: NDArray[Any], how: dict[str, Any], block_info: Any = None
) -> NDArray[Any]:
    place, (n_columns, names) = block_info[0], how["columns"]
    matrix = matrix_of_chunk(rows, n_columns, names, place["chunk-location"][0])
    return _rows_of_result(Block(place["array-location"][0][0], matrix), how)


def _rows_of_result(block: Block, how: dict[str, Any]) -> NDArray[Any]:
    if not len(block):
        return np.array(how["meta"])
    return np.asarray(how["function"](block, *pickle.loads(how["args"])))
