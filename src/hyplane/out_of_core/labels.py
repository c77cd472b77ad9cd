"""Labels of any type, block by block: which there are, and the number of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Integers of a range up to this are looked up, not sorted.
_SMALL_RANGE = 1 << 16
# Labels of a range up to this are compared with each value: such temporary arrays are small.
_FEW_VALUES = 8


@dataclass(frozen=True)
class EncodedLabels:
    """Labels of some rows as numbers into their distinct values.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        Distinct values, in any order; some may not occur.
    codes : ndarray of int of shape (m,)
        For each row the place of its label among the values; negative where there is none.

    Examples
    --------
    >>> labels = EncodedLabels(np.array(["b", "a"]), np.array([0, 0, 1]))
    >>> len(labels), codes_of(labels, np.array(["a", "b"]))
    (3, array([1, 1, 0]))
    """

    values: NDArray[Any]
    codes: NDArray[np.integer[Any]]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "EncodedLabels":
        return EncodedLabels(self.values, self.codes[rows])


class LabelError(ValueError):
    """A row has no label, or one that is not among the classes.

    Attributes
    ----------
    row : int
        The first such row of the block.
    message : str
        What is wrong with it.

    Examples
    --------
    >>> try:
    ...     distinct_labels(np.array([1.0, np.nan]))
    ... except LabelError as error:
    ...     print(error.row, error)
    1 has no label. Fill it in, or leave the row out.
    """

    def __init__(self, row: int, message: str) -> None:
        super().__init__(message)
        self.row, self.message = row, message

    def __reduce__(self) -> tuple[type["LabelError"], tuple[int, str]]:
        return type(self), (self.row, self.message)


def distinct_labels(y: NDArray[Any] | EncodedLabels) -> NDArray[Any]:
    """Return the different labels of some rows, in ascending order.

    Raises
    ------
    LabelError
        Where a label is missing.

    Examples
    --------
    >>> distinct_labels(np.array([3, 1, 3]))
    array([1, 3])
    """
    refuse_missing(y)
    if isinstance(y, EncodedLabels):
        return np.unique(y.values[_present(y)])
    if y.dtype.kind == "b":
        return np.flatnonzero([not bool(y.all()), bool(y.any())]).astype(bool) if len(y) else y
    try:
        return np.unique(y)
    except TypeError:  # objects without an order
        names = " and ".join(sorted({type(each).__name__ for each in y})[:2])
        raise ValueError(
            f"labels of type {names} cannot be sorted. Convert them to one type, numbers or text."
        ) from None


def encoded(y: NDArray[Any] | EncodedLabels) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the different labels of some rows, in ascending order, and which of them each row has.

    Raises
    ------
    LabelError
        Where a label is missing.

    Examples
    --------
    >>> encoded(np.array([3, 1, 3]))
    (array([1, 3]), array([1, 0, 1], dtype=int32))
    """
    if not isinstance(y, EncodedLabels) and y.dtype.kind in "iu" and len(y):
        lowest, highest = int(y.min()), int(y.max())
        if highest - lowest < _FEW_VALUES and -(2**31) < lowest < highest < 2**31:
            values = np.arange(lowest, highest + 1).astype(y.dtype)
            if all((y == value).any() for value in values):
                return values, np.subtract(y, lowest, dtype=np.int32, casting="unsafe")
        if highest - lowest < _SMALL_RANGE and highest < 2**62:
            places = np.subtract(y, lowest, dtype=np.int64)
            present = np.zeros(highest - lowest + 1, dtype=bool)
            present[places] = True
            of_place = (np.cumsum(present) - 1).astype(np.int32)
            return (np.flatnonzero(present) + lowest).astype(y.dtype), of_place[places]
    classes = distinct_labels(y)
    return classes, codes_of(y, classes).astype(np.int32)


def join_labels(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Return the union of the different labels of several blocks.

    Examples
    --------
    >>> join_labels([np.array([1, 3]), np.array([2, 3])])
    array([1, 2, 3])
    """
    union: NDArray[Any] | None = None
    for part in parts:
        if not len(part):
            continue
        if union is None:
            union = part
            continue
        check_same_type(union, part)
        if len(union) != len(part) or not np.array_equal(union, part):
            union = np.union1d(union, part)
    return np.empty(0, dtype=np.int64) if union is None else union


def check_same_type(one: NDArray[Any], other: NDArray[Any]) -> None:
    """Refuse labels of two blocks that cannot be compared, such as numbers and text.

    Examples
    --------
    >>> check_same_type(np.array([1, 2]), np.array(["a"]))
    Traceback (most recent call last):
    ValueError: labels of different types: 1 and 'a'. Convert them to one.
    """
    if len(one) and len(other) and _type(one) != _type(other):
        raise ValueError(
            f"labels of different types: {one.tolist()[0]!r} and {other.tolist()[0]!r}. Convert "
            "them to one."
        )


def codes_of(y: NDArray[Any] | EncodedLabels, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return for each row the number of its class.

    Parameters
    ----------
    y : ndarray of shape (m,) or EncodedLabels
    classes : ndarray of shape (n_classes,)
        In ascending order.

    Raises
    ------
    LabelError
        Where a label is not among the classes.

    Examples
    --------
    >>> codes_of(np.array(["b", "a"]), np.array(["a", "b"]))
    array([1, 0])
    """
    if isinstance(y, EncodedLabels):
        refuse_missing(y)
        present = _present(y)
        of_value = np.zeros(len(y.values), dtype=np.int64)
        try:
            of_value[present] = codes_of(y.values[present], classes)
        except LabelError as error:
            row = int(np.flatnonzero(y.codes == present[error.row])[0])
            raise LabelError(row, error.message) from None
        return np.asarray(of_value[y.codes])
    if y.dtype.kind == classes.dtype.kind == "b":
        y, classes = y.view(np.uint8), classes.view(np.uint8)
    if y.dtype.kind in "iu" and classes.dtype.kind in "iu" and len(classes):
        lowest, width = int(classes[0]), int(classes[-1]) - int(classes[0]) + 1
        if width <= _SMALL_RANGE and len(y) and lowest <= y.min() and y.max() <= classes[-1]:
            of_place = np.full(width, -1, dtype=np.int64)
            of_place[np.subtract(classes, lowest, dtype=np.int64)] = np.arange(len(classes))
            codes = of_place[np.subtract(y, lowest, dtype=np.int64)]
            _refuse_unknown(y, codes < 0)
            return np.asarray(codes)
    codes = np.minimum(np.searchsorted(classes, y), max(len(classes) - 1, 0))
    _refuse_unknown(y, np.asarray(classes[codes] != y))
    return codes


def indicators_of(y: NDArray[Any]) -> NDArray[np.int8]:
    """Return an indicator matrix of several labels a row as small integers.

    Raises
    ------
    LabelError
        Where it has another value than 0 and 1.

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


def _present(y: EncodedLabels) -> NDArray[np.intp]:
    """Return the places of the values that occur."""
    return np.flatnonzero(np.bincount(y.codes, minlength=len(y.values)))


def _refuse_unknown(y: NDArray[Any], wrong: NDArray[np.bool_]) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise LabelError(row, f"has the label {y[row]!s}, which is not among the classes.")


def refuse_missing(y: NDArray[Any] | EncodedLabels) -> None:
    """Raise an error where a row has no label.

    Raises
    ------
    LabelError
        With the first such row.

    Examples
    --------
    >>> refuse_missing(np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"))
    Traceback (most recent call last):
    hyplane.out_of_core.labels.LabelError: has no label. Fill it in, or leave the row out.
    """
    if isinstance(y, EncodedLabels):
        missing = y.codes < 0
        if (without := _is_missing(y.values)).any():
            missing |= without[y.codes]
    else:
        missing = _is_missing(y)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise LabelError(row, "has no label. Fill it in, or leave the row out.")


def _is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "Mm":
        return np.asarray(np.isnat(values))
    if values.dtype.kind == "O":
        return np.array([each is None or each != each for each in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def _type(labels: NDArray[Any]) -> str:
    """Return the kind of labels, where all numbers are of one kind."""
    kind = labels.dtype.kind
    if kind == "O":
        kind = np.asarray(labels[0]).dtype.kind
    return "number" if kind in "biuf" else kind
