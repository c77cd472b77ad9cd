"""What the checks of loaded classifiers ask of single arrays and counts."""

from typing import Any

import numpy as np

_MOST_COLUMNS = 1_000_000


def count_classes(clf: Any) -> int:
    """Return the number of classes, or say that they are no list."""
    classes = clf.classes_
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not len(classes):
        raise ValueError("its classes are no list")
    return len(classes)


def count_columns(clf: Any) -> int:
    """Return the number of columns of X."""
    n = clf.n_features_in_
    if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= _MOST_COLUMNS:
        raise ValueError(f"its number of columns is {n!r}")
    return n


def dimension(clf: Any, coordinates: str | None = None) -> int:
    """Return the dimension of the space, with the chart of the classifier or another."""
    chart, n = coordinates or clf.coordinates, count_columns(clf)
    return n - 1 if chart == "hyperboloid" or (chart == "polar" and n > 2) else n


def check_kernel(clf: Any) -> None:
    """Demand a kernel by its name, and its parameter."""
    if not isinstance(clf.kernel, str):
        raise ValueError("its kernel is no name")
    if not (isinstance(clf.gamma_, float) and 0 < clf.gamma_ < np.inf):
        raise ValueError(f"its gamma is {clf.gamma_!r}")


def numbers(value: Any, what: str, shape: tuple[int, ...], *, finite: bool = True) -> None:
    """Demand floating-point numbers of a shape."""
    array = np.asarray(value)
    if array.dtype.kind != "f" or array.shape != shape:
        raise ValueError(f"{what} are {array.dtype} of shape {array.shape}, not {shape}")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{what} are not all finite")


def integers(value: Any, what: str, shape: tuple[int, ...], kind: type[Any] = np.integer) -> None:
    """Demand integers of a type and a shape."""
    if not isinstance(value, np.ndarray) or not np.issubdtype(value.dtype, kind):
        raise ValueError(f"{what} are not integers")
    if value.shape != shape:
        raise ValueError(f"{what} are not integers of shape {shape}")
