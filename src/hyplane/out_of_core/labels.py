"""Labels of any type as the numbers of their classes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


class LabelError(ValueError):
    """Row ``row`` of a block has no label, or one that is not among the classes."""

    def __init__(self, row: int, message: str) -> None:
        super().__init__(row, message)
        self.row, self.message = row, message

    def __str__(self) -> str:
        return self.message


def encoded(y: NDArray[Any] | EncodedLabels) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the distinct labels in ascending order, and for each row which of them it has.

    Examples
    --------
    >>> classes, codes = encoded(np.array(["b", "a", "b"]))
    >>> classes.tolist(), codes
    (['a', 'b'], array([1, 0, 1], dtype=int32))
    """
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
            if width <= 8 and all((y == label).any() for label in labels):  # six times faster
                return labels, offsets
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
    """Return for each row the number of its class; the classes are in ascending order.

    Examples
    --------
    >>> codes_of(np.array(["b", "a"]), np.array(["a", "b"]))
    array([1, 0])
    """
    own, codes = encoded(y)
    places = np.minimum(np.searchsorted(classes, own), len(classes) - 1)
    unknown = np.asarray(classes[places] != own)
    if unknown.any():
        row = int(np.flatnonzero(unknown[codes])[0])
        raise LabelError(row, f"has the label {own[codes[row]]!s}, which is not among the classes.")
    return places[codes]


def join_labels(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Return the distinct labels of several blocks together, in ascending order.

    Examples
    --------
    >>> join_labels([np.array([1, 3]), np.array([2, 3])])
    array([1, 2, 3])
    """
    union: NDArray[Any] | None = None
    for part in parts:
        if union is None or not len(union):
            union = part
        elif len(part):
            check_same_type(union, part)
            union = np.union1d(union, part)
    return np.empty(0, dtype=np.int64) if union is None else union


def check_same_type(one: NDArray[Any], other: NDArray[Any]) -> None:
    """Refuse labels of two blocks that cannot be compared, such as numbers and text."""
    if len(one) and len(other) and _kind(one[0]) != _kind(other[0]):
        raise ValueError(
            f"labels of different types: {one.tolist()[0]!r} and {other.tolist()[0]!r}. Convert "
            "them to one."
        )


def indicators_of(y: NDArray[Any]) -> NDArray[np.int8]:
    """Return an indicator matrix, for several labels a row, as small integers.

    Examples
    --------
    >>> indicators_of(np.array([[True, False], [True, True]])).tolist()
    [[1, 0], [1, 1]]
    """
    wrong = (y != 0) & (y != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise LabelError(
            int(row),
            f"has {y[row, column]!s} in column {column} of y; an indicator matrix has 1 where a "
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
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise LabelError(row, "has no label. Fill it in, or leave the row out.")


def _is_missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    missing = np.asarray(labels != labels)  # NaN and NaT
    return missing | (labels == None) if labels.dtype.kind == "O" else missing  # noqa: E711


def _kind(label: Any) -> str:
    kind = np.asarray(label).dtype.kind
    return "number" if kind in "biuf" else kind
