"""Checks of arrays where they come in: what NumPy would cast in silence is refused."""

import mmap
from datetime import date, timedelta
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from hyplane._utils.typing import Array, ArrayLike

_NOT_NUMBERS = (str, bytes, date, timedelta, np.datetime64, np.timedelta64)


def check_numbers(values: ArrayLike, name: str) -> None:
    """Refuse text, dates, masked entries and other input that holds no plain numbers.

    Parameters
    ----------
    values : array-like
    name : str
        What to call it in messages.

    Raises
    ------
    ValueError
        If an entry is no number, is masked or is too large for a double, if two columns have the
        same name, or if it is an AnnData object or a tensor that requires gradients.

    Examples
    --------
    >>> check_numbers([["0.5", 0.1]], "X")
    Traceback (most recent call last):
    ValueError: X must hold numbers; entry (0, 0) is '0.5'. Convert X to numbers first.
    """
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
    if array.dtype.kind in "USTMm" and array.size:
        _refuse_entry(array, (0,) * array.ndim, name)
    if array.dtype != object:
        return
    for place, value in np.ndenumerate(array):
        if isinstance(value, _NOT_NUMBERS):
            _refuse_entry(array, place, name)
        if isinstance(value, int):
            try:
                float(value)
            except OverflowError:
                raise ValueError(
                    f"{name} has an integer too large for a double in entry {_written(place)}. "
                    "Rescale the numbers."
                ) from None


def check_labels(y: ArrayLike, name: str = "y") -> None:
    """Refuse labels that are missing: masked entries and NaT.

    Examples
    --------
    >>> check_labels(np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"))
    Traceback (most recent call last):
    ValueError: y has NaT in row 1: input contains NaN. Remove rows without a label.
    """
    check_has_values(y, name)
    if getattr(getattr(y, "dtype", None), "kind", "O") in "Mm":
        missing = np.argwhere(np.isnat(np.asarray(y)))
        if len(missing):
            raise ValueError(
                f"{name} has NaT in row {missing[0][0]}: input contains NaN. Remove rows without "
                "a label."
            )


def check_has_values(values: ArrayLike, name: str) -> None:
    """Refuse containers of which NumPy would take something else than their values.

    A memory map whose file became shorter would end the process when its last rows are read.
    """
    mapped = getattr(values, "_mmap", None)
    if isinstance(values, np.memmap) and mapped is not None:
        needed = values.offset - values.offset % mmap.ALLOCATIONGRANULARITY + len(mapped)
        if mapped.size() < needed:
            raise ValueError(
                f"{name} is a memory map of {needed} bytes of {values.filename}, but the file has "
                f"only {mapped.size()} bytes now. Restore the file, and load it again."
            )
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = tuple(np.argwhere(np.ma.getmaskarray(values))[0].tolist())
        raise ValueError(
            f"{name} is a masked array, and entry {_written(place)} is masked. Remove such rows, "
            "or fill them with filled()."
        )
    # By name, so that neither library has to be imported.
    if "AnnData" in {kind.__name__ for kind in type(values).__mro__}:
        raise ValueError(
            f"{name} is an AnnData object. Pass one of its arrays, for instance "
            "adata.obsm['X_poincare'] or adata.X."
        )
    if getattr(values, "requires_grad", False) is True:
        raise ValueError(
            f"{name} is a tensor that requires gradients. Pass {name}.detach(), or take points and "
            f"curvature of a geoopt manifold from hyplane.embeddings.from_geoopt({name})."
        )


def validate_points(estimator: Any, X: ArrayLike, *, reset: bool = True) -> Any:
    """Return scikit-learn's `validate_data` of rows, after `check_numbers`."""
    check_numbers(X, "X")
    return validate_data(estimator, X, dtype="numeric", ensure_all_finite=False, reset=reset)


def validate_points_and_labels(
    estimator: Any, X: ArrayLike, y: ArrayLike, *, reset: bool = True
) -> tuple[Any, Any]:
    """Return scikit-learn's `validate_data` of rows and labels, after our own checks."""
    check_numbers(X, "X")
    check_labels(y)
    checked: tuple[Any, Any] = validate_data(
        estimator, X, y, dtype="numeric", ensure_all_finite=False, multi_output=True, reset=reset
    )
    return checked


def validate_weights(sample_weight: ArrayLike, X: ArrayLike) -> Array:
    """Return the weights of rows as doubles that are finite and not negative.

    Examples
    --------
    >>> validate_weights([1, 2], [[0.1], [0.2]])
    array([1., 2.])
    """
    check_numbers(sample_weight, "sample_weight")
    return np.asarray(
        _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    )


def _refuse_entry(array: Any, place: tuple[int, ...], name: str) -> None:
    found = f"entry {_written(place)} is" if place else "got"
    raise ValueError(
        f"{name} must hold numbers; {found} {str(array[place])!r}. Convert {name} to numbers first."
    )


def _written(place: tuple[int, ...]) -> str:
    return str(place[0] if len(place) == 1 else place)
