"""Predictions for Dask collections, which Dask computes when they are needed."""

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from hyplane.geometry import convert
from hyplane.out_of_core import Block
from hyplane.solvers import naming_rows


def lazy_predictions(classifier: Any, X: Any, method: str) -> Any:
    """Return what a method gives for each row, as a Dask array in the chunks of X.

    Parameters
    ----------
    classifier : HyperplaneClassifier
    X : dask array or data frame
    method : str
        A method that returns one row for each row of X.

    Returns
    -------
    predictions : dask array

    Examples
    --------
    >>> import dask.array as da
    >>> from hyplane import HyperbolicSVC
    >>> clf = HyperbolicSVC().fit([[0.5, 0.1], [-0.5, 0.1]], ["b", "a"])
    >>> labels = lazy_predictions(clf, da.full((3, 2), 0.2, chunks=(2, 2)), "predict")
    >>> labels.chunks, labels.dtype, labels.compute()
    (((2, 1),), dtype('<U1'), array(['b', 'b', 'b'], dtype='<U1'))
    """
    from hyplane.out_of_core.dask import lazy_rows  # imports Dask

    check_is_fitted(classifier)
    # Names and number of columns are checked once, of the empty table that stands for all chunks.
    table = X._meta if hasattr(X, "columns") else X
    _check_feature_names(classifier, table, reset=False)
    _check_n_features(classifier, table, reset=False)
    plain = copy(classifier)
    plain.n_jobs = None  # the workers are busy with other chunks
    vars(plain).pop("feature_names_in_", None)
    one = getattr(plain, method)(_origin(plain))
    width = one.shape[1] if one.ndim == 2 else None
    return lazy_rows(X, rows_of_block, plain, method, dtype=one.dtype, n_columns=width)


def rows_of_block(block: Block, classifier: Any, method: str) -> NDArray[Any]:
    """Call a method of a classifier on the rows of a block; errors name them among all rows."""
    with naming_rows(block):
        return np.asarray(getattr(classifier, method)(block.X))


def _origin(classifier: Any) -> NDArray[Any]:
    """Return a row that is a point of the classifier's chart."""
    n_dim = classifier.hyperplanes_.normal.shape[1]
    return convert(
        np.zeros((1, n_dim)), "tangent", classifier.coordinates, curvature=classifier.curvature
    )
