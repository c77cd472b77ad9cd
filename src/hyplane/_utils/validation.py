"""Checks of parameters, arrays and labels: what NumPy would cast in silence is refused."""

import mmap
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from numbers import Real
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, validate_data

from hyplane._utils.typing import Array, ArrayLike

CHART_CONSTRAINTS = {
    "coordinates": [str],  # checked by `chart_name`
    "curvature": [Interval(Real, None, 0, closed="neither")],
}


def check_numbers(values: ArrayLike, name: str) -> None:
    """Refuse text, dates, masked entries, too large integers and columns of the same name."""
    if type(values) is np.ndarray and values.dtype.kind in "fiub":
        return
    check_has_values(values, name)
    columns: Any = getattr(values, "columns", None)
    if hasattr(columns, "duplicated") and columns.duplicated().any():
        twice = columns[columns.duplicated()].tolist()[0]
        raise ValueError(f"{name} has more than one column named {twice!r}. Rename the columns.")
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "kind", "O") not in "OUSTMm":  # the values of a Dask array are not asked for
        return
    array = np.asarray(values)
    if array.dtype.kind not in "OUSTMm":
        return
    for place, value in np.ndenumerate(array):
        if isinstance(value, str | bytes | date | timedelta | np.datetime64 | np.timedelta64):
            found = f"entry {_index(place)} is" if place else "got"
            raise ValueError(
                f"{name} must hold numbers; {found} {str(value)!r}. Convert {name} to numbers "
                "first."
            )
        if isinstance(value, int) and abs(value) > float_info.max:
            raise ValueError(
                f"{name} has an integer too large for a double in entry {_index(place)}. Rescale "
                "the numbers."
            )


def check_has_values(values: ArrayLike, name: str) -> None:
    """Refuse containers of which NumPy would take something else than their values."""
    mapped = getattr(values, "_mmap", None)
    if isinstance(values, np.memmap) and mapped is not None:
        # Reading rows that the file no longer has would end the process.
        needed = values.offset - values.offset % mmap.ALLOCATIONGRANULARITY + len(mapped)
        if mapped.size() < needed:
            raise ValueError(
                f"{name} is a memory map of {needed} bytes of {values.filename}, but the file has "
                f"only {mapped.size()} bytes now. Restore the file, and load it again."
            )
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = tuple(np.argwhere(np.ma.getmaskarray(values))[0].tolist())
        raise ValueError(
            f"{name} is a masked array, and entry {_index(place)} is masked. Remove such rows, or "
            "fill them with filled()."
        )
    # By name, so that neither library has to be imported.
    if "AnnData" in {kind.__name__ for kind in type(values).__mro__}:
        raise ValueError(
            f"{name} is an AnnData object. Pass one of its arrays, for instance "
            "adata.obsm['X_pca'], after hyplane.features.TangentScaler."
        )
    if getattr(values, "requires_grad", False) is True:
        raise ValueError(
            f"{name} is a tensor that requires gradients. Pass {name}.detach(), or take points and "
            f"curvature of a geoopt manifold from hyplane.embeddings.from_geoopt({name})."
        )


def validate_points(estimator: Any, X: ArrayLike, **settings: Any) -> Any:
    """Return scikit-learn's `validate_data` of rows, after `check_numbers`."""
    check_numbers(X, "X")
    return validate_data(estimator, X, dtype="numeric", ensure_all_finite=False, **settings)


def validate_points_and_labels(estimator: Any, X: ArrayLike, y: ArrayLike, *, reset: bool) -> Any:
    """Return scikit-learn's `validate_data` of rows and labels, after our own checks."""
    check_has_values(y, "y")
    return validate_points(estimator, X, y=y, multi_output=True, reset=reset)


def validate_weights(sample_weight: ArrayLike, X: ArrayLike) -> Array:
    """Return the weights of rows as doubles that are finite and not negative."""
    check_numbers(sample_weight, "sample_weight")
    return np.asarray(
        _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    )


def read_rows(X: ArrayLike, chart: str, name: str) -> NDArray[Any]:
    """Return rows with columns enough, in single or double precision, as compiled code reads them.

    Single precision is kept because points are judged by the precision they came in.
    """
    rows = as_doubles(X, name, keep_single=True)
    if rows.ndim != 2:
        raise ValueError(
            f"{name} must be a 2-D array, one point a row; got {rows.ndim} dimension(s). "
            "Reshape a single point with X.reshape(1, -1)."
        )
    if rows.shape[0] == 0:
        raise ValueError(f"{name} has no rows: at least one point is needed.")
    least = 2 if chart in ("hyperboloid", "polar") else 1
    if rows.shape[1] < least:
        raise ValueError(
            f"{name} has {rows.shape[1]} column(s) but points in {chart} coordinates have at "
            f"least {least}."
        )
    return rows


def as_doubles(values: ArrayLike, name: str, keep_single: bool = False) -> NDArray[Any]:
    """Return numbers as aligned float64; as float32 if they are and are to stay so."""
    if issparse(values):
        raise TypeError(
            f"{name} is a sparse matrix, and points of hyperbolic space are dense. "
            f"Pass {name}.toarray()."
        )
    check_numbers(values, name)
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers. Complex data not supported.")
    single = keep_single and array.dtype == np.float32
    try:
        return np.require(array, np.float32 if single else np.float64, "A")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}.") from error


def _index(place: tuple[int, ...]) -> str:
    return str(place[0] if len(place) == 1 else place)


# A memory map smaller than this is read as an ordinary array.
LEAST_BYTES = 1 << 26


def is_lazy(X: ArrayLike) -> bool:
    """Return whether rows are read block by block: Blocks, Parquet columns, large maps, Dask."""
    if isinstance(X, np.memmap):
        return X.ndim == 2 and X.nbytes >= LEAST_BYTES
    return getattr(type(X), "read_by_blocks", False) is True or is_dask(X)


def is_dask(X: Any) -> bool:
    """Return whether X is a Dask collection, without importing Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


@dataclass(frozen=True)
class EncodedLabels:
    """Labels as indices into their distinct values, as Parquet and pandas store text.

    A negative code stands for a missing label, and some values may not occur.
    """

    values: NDArray[Any]
    codes: NDArray[np.integer[Any]]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "EncodedLabels":
        return EncodedLabels(self.values, self.codes[rows])


@dataclass(eq=False)
class LabelError(ValueError):
    """Row ``row`` of a block has no label, or one that is not among the classes."""

    row: int
    message: str

    def __str__(self) -> str:
        return f"row {self.row} of y {self.message}"


def encoded(y: NDArray[Any] | EncodedLabels) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the distinct labels in ascending order, and for each row which of them it has."""
    refuse_missing(y)
    if isinstance(y, EncodedLabels):
        present, codes = encoded(y.codes)
        classes, places = np.unique(y.values[present], return_inverse=True)
        return classes, places.astype(np.int32)[codes]
    if y.dtype.kind in "iub" and len(y):
        lowest, width = y.min(), int(y.max()) - int(y.min()) + 1
        if width <= 1 << 16:  # a table of the codes is twenty times faster than sorting
            labels = (lowest + np.arange(width).astype(y.dtype)).astype(y.dtype)
            offsets = np.subtract(y, lowest, dtype=np.int32, casting="unsafe")
            present = np.bincount(offsets) > 0
            codes = np.cumsum(present, dtype=np.int32) - 1
            return labels[present], np.take(codes, offsets)
    try:
        classes = np.unique(y)
    except TypeError:  # objects without an order
        names = " and ".join(sorted({type(label).__name__ for label in y})[:2])
        raise ValueError(
            f"labels of type {names} cannot be sorted. Convert them to one type, numbers or text."
        ) from None
    return classes, np.searchsorted(classes, y).astype(np.int32)


def codes_of(y: NDArray[Any] | EncodedLabels, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return for each row the number of its class; the classes are in ascending order."""
    own, codes = encoded(y)
    places = np.minimum(np.searchsorted(classes, own), len(classes) - 1)
    unknown = np.asarray(classes[places] != own)
    if unknown.any():
        row = int(np.argmax(unknown[codes]))
        raise LabelError(row, f"has the label {own[codes[row]]!s}, which is not among the classes.")
    return places[codes]


def joined_labels(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Return the labels of several blocks, if they can be compared: no numbers beside text."""
    parts = [part for part in parts if len(part)] or [np.empty(0, dtype=np.int64)]
    for part in parts[1:]:
        if _kind(parts[0][0]) != _kind(part[0]):
            raise ValueError(
                f"labels of different types: {parts[0].tolist()[0]!r} and {part.tolist()[0]!r}. "
                "Convert them to one."
            )
    return np.concatenate(parts)


def indicators_of(y: NDArray[Any]) -> NDArray[np.int8]:
    """Return an indicator matrix, for several labels a row, as small integers."""
    for row, column in np.argwhere((y != 0) & (y != 1)):
        raise LabelError(
            int(row),
            f"has {y[row, column]!s} in column {column}; an indicator matrix has 1 where a "
            "row has the label and 0 where not. Convert it, for instance with y > 0.",
        )
    return y.astype(np.int8, order="C")


def refuse_missing(y: NDArray[Any] | EncodedLabels) -> None:
    """Raise a `LabelError` for the first row without a label."""
    if isinstance(y, EncodedLabels):
        missing = y.codes < 0
        if (lacking := _is_missing(y.values)).any():
            missing |= lacking[y.codes]
    else:
        missing = _is_missing(y)
    for row in np.flatnonzero(missing):
        raise LabelError(int(row), "has no label. Fill it in, or leave the row out.")


def _is_missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    missing = np.asarray(labels != labels)  # NaN and NaT
    return missing | (labels == None) if labels.dtype.kind == "O" else missing  # noqa: E711


def _kind(label: Any) -> str:
    kind = np.asarray(label).dtype.kind
    return "number" if kind in "biuf" else kind
