"""Predictions of Dask collections, which are not computed before they are asked for."""

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from hyplane.blocks.dask_blocks import is_dask, lazy_rows
from hyplane.geometry import convert

Method = TypeVar("Method", bound=Callable[..., Any])


def lazy_for_dask(method: Method) -> Method:
    """Let a method that returns one row for each row of X take Dask collections too.

    Parameters
    ----------
    method : callable
        A method of a classifier with the parameters ``coordinates`` and ``curvature``.

    Returns
    -------
    method : callable
        For a Dask array or data frame it returns a Dask array in the same chunks.
    """

    @wraps(method)
    def wrapped(self: Any, X: Any) -> Any:
        return _lazily(self, X, method.__name__) if is_dask(X) else method(self, X)

    return cast(Method, wrapped)


def _lazily(classifier: Any, X: Any, name: str) -> Any:
    check_is_fitted(classifier)
    # Names and number of columns are checked once, of the empty table that stands for all chunks.
    table = X._meta if hasattr(X, "columns") else X
    _check_feature_names(classifier, table, reset=False)
    _check_n_features(classifier, table, reset=False)
    worker = copy(classifier)
    vars(worker).pop("feature_names_in_", None)
    one = getattr(worker, name)(_origin(worker))
    width = one.shape[1] if one.ndim == 2 else None
    return lazy_rows(X, _predict, worker, name, dtype=one.dtype, n_columns=width)


def _predict(rows: NDArray[Any], classifier: Any, name: str) -> NDArray[Any]:
    found: NDArray[Any] = getattr(classifier, name)(rows)
    return found


def _origin(classifier: Any) -> NDArray[Any]:
    """Return a row that is a point of the classifier's chart."""
    n_dim = classifier.hyperplanes_.normal.shape[1]
    return convert(
        np.zeros((1, n_dim)), "tangent", classifier.coordinates, curvature=classifier.curvature
    )
