"""Rows that are read block by block as input of classifiers: Parquet, Dask, memory maps."""

import os
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import (
    EncodedLabels,
    check_has_values,
    is_dask,
    joined_labels,
    refuse_missing,
)
from hyplane.geometry import convert
from hyplane.out_of_core import Block, Blocks, MemoryBlocks
from hyplane.out_of_core.disk import as_blocks
from hyplane.out_of_core.rows import WatchedBlocks
from hyplane.out_of_core.writers import write_columns
from hyplane.solvers.block_rows import naming_rows

# Most rows and numbers of blocks that are read into memory and fitted there.
MOST_ROWS, MOST_NUMBERS = 1 << 17, 1 << 22


def load_if_small(blocks: Blocks) -> tuple[NDArray[Any], NDArray[Any], Array | None] | None:
    """Return all rows, labels and weights, where they are few; otherwise None."""
    n_rows = blocks.n_rows
    if n_rows is None or n_rows > MOST_ROWS or n_rows * blocks.n_columns > MOST_NUMBERS:
        return None
    if not n_rows:
        raise ValueError("no points: at least one row is needed.")
    parts = list(blocks.map(_as_arrays))
    if parts[0][1] is None:
        raise ValueError("a fit needs labels: y is missing.")
    X = np.concatenate([part[0] for part in parts])
    y = joined_labels(part[1] for part in parts)
    weights = [part[2] for part in parts]
    return X, y, None if weights[0] is None else np.concatenate(weights)


def _as_arrays(block: Block) -> tuple[NDArray[Any], Any, Any]:
    y = block.y
    if y is not None and getattr(y, "ndim", 1) == 1:
        with naming_rows(block):
            refuse_missing(y)
    if isinstance(y, EncodedLabels):
        y = y.values[y.codes]
    return block.X, y, block.weight


def set_columns(estimator: Any, blocks: Blocks) -> None:
    """Set the number and the names of the columns, as scikit-learn does for arrays."""
    estimator.n_features_in_ = blocks.n_columns
    if blocks.column_names is not None:
        estimator.feature_names_in_ = np.array(blocks.column_names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def lazy_predictions(classifier: Any, X: ArrayLike, method: str) -> Any:
    """Return what a method gives for rows that are read block by block.

    Of Dask collections it is a Dask array that is not computed yet.
    """
    check_is_fitted(classifier)
    if is_dask(X):
        return _dask_predictions(classifier, X, method)
    blocks = as_blocks(X, n_threads=effective_n_jobs(classifier.n_jobs))
    assert blocks is not None
    return blocks.collect(_rows_of_block, _copy_for_blocks(classifier, blocks), method)


def _dask_predictions(classifier: Any, X: Any, method: str) -> Any:
    """Return what a method gives for each row, as a Dask array in the chunks of X."""
    from hyplane.out_of_core.dask import lazy_rows  # imports Dask

    # Names and number of columns are checked once, of the empty table that stands for all chunks.
    table = X._meta if hasattr(X, "columns") else X
    _check_feature_names(classifier, table, reset=False)
    _check_n_features(classifier, table, reset=False)
    plain = _plain_copy(classifier)
    n_dim, chart = classifier.hyperplanes_.normal.shape[1], classifier._chart
    origin = convert(
        np.zeros((1, n_dim)), "tangent", chart["coordinates"], curvature=chart["curvature"]
    )
    one = getattr(plain, method)(origin)
    width = one.shape[1] if one.ndim == 2 else None
    return lazy_rows(X, _rows_of_block, plain, method, dtype=one.dtype, n_columns=width)


def _plain_copy(classifier: Any) -> Any:
    """Return a copy for the rows of blocks: of one thread, and without names of columns."""
    plain = copy(classifier)
    plain.n_jobs = None
    vars(plain).pop("feature_names_in_", None)
    return plain


def _rows_of_block(block: Block, classifier: Any, method: str) -> NDArray[Any]:
    """Call a method of a classifier on the rows of a block; errors name them among all rows."""
    with naming_rows(block):
        return np.asarray(getattr(classifier, method)(block.X))


def _copy_for_blocks(estimator: Any, blocks: Blocks) -> Any:
    """Return a copy of a fitted classifier for rows of blocks, whose columns are checked here."""
    _check_n_features(estimator, np.empty((0, blocks.n_columns)), reset=False)
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and blocks.column_names is not None and list(names) != blocks.column_names:
        raise ValueError(
            f"the columns of X are {', '.join(blocks.column_names)}; the classifier was fitted on "
            f"{', '.join(names)}, in this order."
        )
    return _plain_copy(estimator)


def predict_to_file(
    estimator: Any,
    X: ArrayLike,
    path: str | os.PathLike[str],
    methods: Sequence[str] = ("predict",),
    *,
    n_threads: int = 1,
) -> None:
    """Write predictions to a file block by block, with only a few blocks in memory.

    Parameters
    ----------
    estimator : classifier
        A fitted one.
    X : array, memmap or columns of a ParquetTable
        Points.
    path : path
        A name that ends in ``.npy``, which can be read as a memory map, or in ``.parquet``.
    methods : list or tuple of str, default=("predict",)
        What is written: ``"predict"``, ``"decision_function"``, ``"predict_proba"``,
        ``"signed_distance"`` or ``"minkowski_products"``. A matrix becomes one column per class.
    n_threads : int, default=1
        Threads that share the blocks.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hyplane import HyperbolicSVC
    >>> X = np.array([[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]])
    >>> clf = HyperbolicSVC().fit(X, [1, 1, 0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     predict_to_file(clf, X, Path(folder) / "labels.npy")
    ...     np.load(Path(folder) / "labels.npy")
    array([1, 1, 0, 0])
    """
    check_is_fitted(estimator)
    known = "predict", "decision_function", "predict_proba", "signed_distance", "minkowski_products"
    offered = [name for name in known if hasattr(estimator, name)]
    given = methods if isinstance(methods, list | tuple) else []
    if not given or not set(given) <= set(offered):
        raise ValueError(
            f"methods must be a list of names among {', '.join(offered)}, which are those that "
            f"{type(estimator).__name__} has; got {methods!r}."
        )
    blocks = as_blocks(X, n_threads=n_threads)
    if blocks is None:
        check_has_values(X, "X")
        blocks = MemoryBlocks(np.asarray(X), n_threads=n_threads)
        if hasattr(X, "columns"):
            _check_feature_names(estimator, X, reset=False)
    if not blocks.n_rows:
        raise ValueError("no points: at least one row is needed, and their number must be known.")
    with WatchedBlocks(blocks, "predicting") as watched:
        parts = watched.map(_columns_of_block, _copy_for_blocks(estimator, blocks), methods)
        write_columns(path, parts, blocks.n_rows)


def _columns_of_block(
    block: Block, estimator: Any, methods: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return the predictions of a block by the names of their columns."""
    columns: dict[str, NDArray[Any]] = {}
    for method in methods:
        name = method.removesuffix("_function").removeprefix("predict_")
        values = _rows_of_block(block, estimator, method)
        if values.ndim == 1:
            columns[name] = values
            continue
        n_columns = values.shape[1]  # of classes, or of pairs of them
        labels = estimator.classes_ if len(estimator.classes_) == n_columns else range(n_columns)
        columns |= {f"{name}_{label}": values[:, k] for k, label in enumerate(labels)}
    return columns
