"""Checks of parameters and arrays: what NumPy would cast in silence is refused."""

import mmap
from datetime import date, timedelta
from numbers import Real
from sys import float_info
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, validate_data

from hyplane._utils.charts import CHARTS, chart_name
from hyplane._utils.typing import Array, ArrayLike


class ChartOption(StrOptions):  # type: ignore[misc]
    """Constraint of a parameter that names a chart, by any of its names."""

    def __init__(self) -> None:
        super().__init__(set(CHARTS))

    def is_satisfied_by(self, val: Any) -> bool:
        """Return whether a value names a chart."""
        if isinstance(val, str) and val in CHARTS:
            return True
        try:
            chart_name(val)
        except ValueError:
            return False
        return True

    def __str__(self) -> str:
        return f"one of {', '.join(CHARTS)} (or poincare, lorentz, upper_half_space, …)"


CHART_CONSTRAINTS = {
    "coordinates": [ChartOption()],
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


def check_labels(y: ArrayLike, name: str = "y") -> None:
    """Refuse labels that are missing: masked entries and NaT."""
    check_has_values(y, name)
    if getattr(getattr(y, "dtype", None), "kind", "O") in "Mm":
        for place in np.argwhere(np.isnat(np.asarray(y))):
            raise ValueError(
                f"{name} has NaT in row {place[0]}: input contains NaN. Remove rows without a "
                "label."
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
    """Return the weights of rows as doubles that are finite and not negative."""
    check_numbers(sample_weight, "sample_weight")
    return np.asarray(
        _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    )


def _index(place: tuple[int, ...]) -> str:
    return str(place[0] if len(place) == 1 else place)
