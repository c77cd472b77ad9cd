"""Dask collections as pieces of rows, and a piece as an array."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import check_has_values, check_numbers
from hyplane.out_of_core.labels import EncodedLabels

# Arguments of a pass that are larger than this, in bytes, travel once and not with every task.
SMALL_ARGUMENTS = 1 << 14


def is_dask(X: ArrayLike) -> bool:
    """Say whether something is a Dask collection, without importing Dask.

    Examples
    --------
    >>> is_dask([[0.1, 0.2]])
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def check_rows(X: Any) -> None:
    """Refuse a collection or a chunk that is not rows of numbers."""
    check_has_values(X, "X")
    frame = is_frame(X) or hasattr(X, "iloc")
    if not frame and (X.ndim != 2 or X.dtype.kind not in "biuf"):
        raise ValueError(f"X has {X.ndim} axes and the type {X.dtype}; points are rows of numbers.")
    if frame:
        if X.ndim != 2:
            raise ValueError("X is one column; points are rows of several. Use a data frame.")
        for name, kind in X.dtypes.items():
            # The types of pandas and of Arrow have such a letter too.
            if getattr(kind, "kind", "O") not in "biuf":
                raise ValueError(
                    f"column {name!s} of X has the type {kind}; a coordinate is a number."
                )


def is_frame(collection: Any) -> bool:
    """Say whether a collection is a data frame or a column of one."""
    return hasattr(collection, "map_partitions")


def columns_of(X: Any) -> tuple[int, list[str] | None]:
    """Return how many columns a collection has, and their names where all are words."""
    if not is_frame(X):
        return int(X.shape[1]), None
    names = list(X.columns)
    return len(names), names if all(isinstance(name, str) for name in names) else None


def known_lengths(collection: Any) -> list[int] | None:
    """Return the rows of each chunk; None where that is not known."""
    if is_frame(collection) or np.isnan(collection.chunks[0]).any():
        return None
    return list(collection.chunks[0])


def pieces_of(collection: Any) -> list[Any]:
    """Return one task per chunk of whole rows."""
    if is_frame(collection):
        return list(collection.to_delayed())
    if collection.ndim == 2:
        collection = collection.rechunk({1: collection.shape[1]})
    return list(collection.to_delayed().ravel())


def matrix_of_chunk(
    part: Any, n_columns: int, names: list[str] | None, number: int
) -> NDArray[Any]:
    """Return rows in single precision where they are in it, else in double precision.

    The columns of a chunk have to be those that the collection announces.
    """
    check_rows(part)
    n_own, own = part.shape[1], list(getattr(part, "columns", ()))
    if n_own != n_columns:
        raise ValueError(
            f"chunk {number} of X has {n_own} columns, but the metadata of X says {n_columns}. All "
            "chunks need the same columns."
        )
    if own and names and own != names:
        raise ValueError(
            f"chunk {number} of X has the columns {', '.join(map(str, own))}, but the metadata of "
            f"X says {', '.join(names)}. All chunks need the same columns, in the same order."
        )
    if not hasattr(part, "iloc"):
        rows = np.asarray(part)
        return rows if rows.dtype == np.float32 else rows.astype(np.float64, copy=False)
    single = all(kind == np.float32 for kind in part.dtypes)
    # Missing values of pandas become nan, which the check of the points then finds.
    return np.asarray(part.to_numpy(np.float32 if single else np.float64, na_value=np.nan))


def as_weights(part: Any) -> Array:
    """Return one column as doubles."""
    check_numbers(part, "sample_weight")
    return np.asarray(_one_column(part), dtype=np.float64)


def as_labels(part: Any) -> NDArray[Any] | EncodedLabels:
    """Return labels as they are where they are numbers, and else encoded."""
    check_has_values(part, "y")
    if part.ndim == 2 and part.shape[1] != 1:
        return np.asarray(part)  # an indicator matrix
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
        raise ValueError(f"sample_weight has {part.shape[1]} columns; a row has one weight.")
    return part.iloc[:, 0] if hasattr(part, "iloc") else part[:, 0]


def held_by_workers(client: Any, *columns: Any) -> list[tuple[Any, ...]] | None:
    """Return for each chunk the futures of its rows, labels and weights, where all are computed."""
    flatten = import_optional("dask.core", "dask").flatten
    given = [column for column in columns if column is not None]
    if client is None or not all(is_dask(column) for column in given):
        return None
    lengths = known_lengths(columns[0])
    found: list[Any] = []
    for column in columns:
        if column is None:
            found.append([None] * len(lengths or ()))
            continue
        keys = list(flatten(column.__dask_keys__()))
        futures = {future.key: future for future in client.futures_of(column)}
        fits = (
            lengths is not None and known_lengths(column) == lengths and len(keys) == len(lengths)
        )
        if not fits or not all(key in futures for key in keys):
            return None
        found.append([futures[key] for key in keys])
    return list(zip(*found, strict=True))


def parts_beside(
    parts: Sequence[Any], lengths: list[int] | None, column: ArrayLike | None, name: str
) -> list[Any]:
    """Return for each chunk of X the labels, or the weights, of its rows."""
    if column is None:
        return [None] * len(parts)
    n_rows = None if lengths is None else sum(lengths)
    if not is_dask(column):
        assert lengths is not None
        check_has_values(column, name)
        values = np.asarray(column)
        _check_length(n_rows, len(values), name)
        return np.split(values, np.cumsum(lengths)[:-1])
    own = known_lengths(column)
    if own is not None and n_rows is not None:
        _check_length(n_rows, sum(own), name)
        if own != lengths and not is_frame(column):
            column = column.rechunk({0: tuple(lengths or ())})
    pieces = pieces_of(column)
    if len(pieces) != len(parts):
        raise ValueError(
            f"X has {len(parts)} chunks of rows and {name} {len(pieces)}, and how many rows are in "
            "each is not known. Call compute_chunk_sizes() of the arrays, or "
            "to_dask_array(lengths=True) of the data frames, or make both of one data frame."
        )
    return pieces


def _check_length(n_rows: int | None, length: int, name: str) -> None:
    if n_rows != length:
        raise ValueError(f"X has {n_rows} rows and {name} {length}; both need the same number.")


def packed_arguments(args: tuple[Any, ...]) -> Any:
    """Return the arguments of tasks as bytes, those that are large as one task of their own.

    In bytes, since arrays that Dask sends may lie at odd addresses, which compiled code refuses.
    """
    sent = pickle.dumps(args, protocol=4)
    return delayed(sent) if len(sent) > SMALL_ARGUMENTS else sent


def delayed(value: Any, **options: Any) -> Any:
    """Return a task that is not done yet."""
    return import_optional("dask", "dask").delayed(value, pure=False, **options)
