"""Classifiers by hyperplanes on rows that are read block by block: fits and predictions."""

import os
from collections.abc import Callable, Sequence
from copy import copy
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names, check_is_fitted

from hyplane._utils.inputs import check_has_values
from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._lazy import lazy_predictions, rows_of_block
from hyplane.classifiers._targets import ClassWeight, Targets, refuse_one_class, weights_of_classes
from hyplane.out_of_core import Block, Blocks, MemoryBlocks
from hyplane.out_of_core.disk import as_blocks, is_lazy
from hyplane.out_of_core.labels import EncodedLabels, check_same_type, refuse_missing
from hyplane.out_of_core.rows import WatchedBlocks, is_dask
from hyplane.out_of_core.writers import write_columns
from hyplane.solvers import (
    BlockProblem,
    SoftMarginResult,
    Summary,
    naming_rows,
    pack_block,
    ready_block,
)

Method = TypeVar("Method", bound=Callable[..., Any])

# Rows and numbers up to which blocks are read into memory and fitted there: no more than a sample.
MOST_ROWS, MOST_NUMBERS = 1 << 17, 1 << 22
_ORDINARY = 1e-6, 1e6  # sizes of weights that need no other scale
# Methods whose results can be written to a file.
_METHODS = "predict", "decision_function", "predict_proba", "signed_distance", "minkowski_products"


def gathered(blocks: Blocks) -> tuple[NDArray[Any], NDArray[Any], Array | None] | None:
    """Return all rows, labels and weights, where they are few; otherwise None.

    Examples
    --------
    >>> from hyplane.out_of_core import MemoryBlocks
    >>> X, y, weight = gathered(MemoryBlocks(np.zeros((3, 2)), np.array([0, 1, 1])))
    >>> X.shape, y, weight
    ((3, 2), array([0, 1, 1]), None)
    """
    n_rows = blocks.n_rows
    if n_rows is None or n_rows > MOST_ROWS or n_rows * blocks.n_columns > MOST_NUMBERS:
        return None
    if not n_rows:
        raise ValueError("no points: at least one row is needed.")
    parts = list(blocks.map(_as_arrays))
    if parts[0][1] is None:
        raise ValueError("a fit needs labels: y is missing.")
    for part in parts[1:]:
        check_same_type(parts[0][1], part[1])
    X = np.concatenate([part[0] for part in parts])
    y = np.concatenate([part[1] for part in parts])
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


class BlockFit:
    """What a fit knows of blocks: the classes, and the binary problems on them.

    Parameters
    ----------
    blocks : Blocks
    coordinates, curvature, multi_class, class_weight
        As in `HyperbolicSVC`.

    Attributes
    ----------
    summary : Summary
    targets : Targets
        With one row per class.
    ready : Blocks
        Blocks as the solver takes them.
    names : list of str
        What each problem tells apart.
    exponent : int
        The weights of ``ready`` are to be multiplied by this power of two, that is, C.

    Examples
    --------
    >>> from hyplane.out_of_core import MemoryBlocks
    >>> X = np.array([[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]])
    >>> fit = BlockFit(MemoryBlocks(X, np.array(["b", "b", "a", "a"])))
    >>> fit.names, len(fit.problems(1.0, seed=0))
    (['class b'], 1)
    """

    def __init__(
        self,
        blocks: Blocks,
        coordinates: str = "ball",
        curvature: float = -1.0,
        multi_class: str = "ovr",
        class_weight: ClassWeight = None,
    ) -> None:
        packed = blocks.prepared(pack_block, coordinates, curvature)
        self.summary = summary = Summary.of(packed)
        if not summary.n_rows:
            raise ValueError("no points: at least one row is needed.")
        if not summary.n_counted:
            raise ValueError("all rows have sample_weight 0: at least one must be positive.")
        classes = summary.classes
        if classes.dtype.kind not in "iubUS":
            check_classification_targets(classes)
        if not summary.several:
            refuse_one_class(classes)
        codes = np.arange(len(classes))
        self.targets = Targets(classes, codes[None] if summary.several else codes)
        self.decomposition = self.targets.decomposition(multi_class)
        self.names = self.targets.names(multi_class)
        weights = self._class_weights(class_weight)
        self.exponent = 0
        largest = summary.largest_weight * (1.0 if weights is None else float(weights.max()))
        if not _ORDINARY[0] < largest < _ORDINARY[1]:
            self.exponent = int(np.frexp(largest)[1])
            ones = np.ones((len(classes), 2) if summary.several else len(classes))
            weights = np.ldexp(ones if weights is None else weights, -self.exponent)
        # Those of several labels a row differ from problem to problem.
        self._sides = weights if summary.several else None
        self.ready = packed.prepared(ready_block, classes, None if summary.several else weights)

    def _class_weights(self, class_weight: ClassWeight) -> Array | None:
        """Return the weight of each class, or of the rows with and without each label."""
        counts = self.summary.counts
        if not self.summary.several:
            return weights_of_classes(self.summary.classes, counts, class_weight)
        if class_weight is None:
            return None
        without = self.summary.n_counted - counts
        return np.array(
            [
                weights_of_classes(np.arange(2), np.array(each), class_weight)
                for each in zip(without, counts, strict=True)
            ]
        )[:, ::-1]

    def problems(
        self, C: float, seed: int, starts: Sequence[SoftMarginResult] | None = None
    ) -> list[BlockProblem]:
        """Return the binary problems, in the order of the rows of ``coef_``.

        Parameters
        ----------
        C : float
        seed : int
            Of the random starts of each.
        starts : sequence of SoftMarginResult, optional

        Returns
        -------
        problems : list of BlockProblem
        """
        if self.decomposition == "binary":
            sides = [(1, -1)]
        elif self.decomposition == "ovo":
            sides = [(b, a) for a, b in self.targets.pairs]
        else:
            sides = [(k, -1) for k in range(len(self.targets.classes))]
        C = float(np.ldexp(C, self.exponent))
        ones = 1.0, 1.0
        return [
            BlockProblem(
                positive,
                negative,
                C=C,
                seed=seed,
                start=None if starts is None else starts[k],
                sides=ones if self._sides is None else tuple(self._sides[k].tolist()),
            )
            for k, (positive, negative) in enumerate(sides)
        ]


def keep_columns(estimator: Any, blocks: Blocks) -> None:
    """Set the number and the names of the columns, as scikit-learn does for arrays."""
    estimator.n_features_in_ = blocks.n_columns
    if blocks.column_names is not None:
        estimator.feature_names_in_ = np.array(blocks.column_names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def also_over_blocks(method: Method) -> Method:
    """Let a method of a classifier that takes rows also take rows that are read block by block.

    A memory map goes to the method itself, which reads it without a copy. Of Dask collections the
    result is a Dask array that is not computed yet.
    """

    @wraps(method)
    def either(self: Any, X: ArrayLike) -> Any:
        if not is_lazy(X) or isinstance(X, np.memmap):
            return method(self, X)
        check_is_fitted(self)
        if is_dask(X):
            return lazy_predictions(self, X, method.__name__)
        blocks = as_blocks(X, n_threads=effective_n_jobs(self.n_jobs))
        assert blocks is not None
        return blocks.collect(rows_of_block, for_blocks(self, blocks), method.__name__)

    return cast(Method, either)


def for_blocks(estimator: Any, blocks: Blocks) -> Any:
    """Return a copy of a fitted classifier for the rows of blocks, whose columns are checked here.

    Parameters
    ----------
    estimator : classifier
    blocks : Blocks

    Returns
    -------
    estimator : classifier
        Of one thread, and without names of columns: those of the blocks were compared with them.
    """
    if blocks.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {blocks.n_columns} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and blocks.column_names is not None and list(names) != blocks.column_names:
        raise ValueError(
            f"the columns of X are {', '.join(blocks.column_names)}; the classifier was fitted on "
            f"{', '.join(names)}, in this order."
        )
    plain = copy(estimator)
    plain.n_jobs = None
    if names is not None:
        del plain.feature_names_in_
    return plain


def predict_to_file(
    estimator: Any,
    X: ArrayLike,
    path: str | os.PathLike[str],
    methods: Sequence[str] = ("predict",),
    *,
    n_threads: int = 1,
) -> None:
    """Write predictions to a file, block by block: no more than a few blocks are in memory.

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
    offered = [name for name in _METHODS if hasattr(estimator, name)]
    several = isinstance(methods, list | tuple) and len(methods) > 0
    if not several or not all(method in offered for method in methods):
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
    names = {method: _column_names(estimator, method) for method in methods}
    with WatchedBlocks(blocks, "predicting") as watched:
        parts = watched.map(_columns_of_block, for_blocks(estimator, blocks), names)
        write_columns(path, parts, blocks.n_rows)


def _column_names(estimator: Any, method: str) -> tuple[str, list[str]]:
    """Return what a column is called, and several of them."""
    stem = method.removesuffix("_function").removeprefix("predict_")
    return stem, [f"{stem}_{label}" for label in estimator.classes_]


def _columns_of_block(
    block: Block, estimator: Any, names: dict[str, tuple[str, list[str]]]
) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {}
    for method, (one, several) in names.items():
        values = rows_of_block(block, estimator, method)
        if values.ndim == 1:
            columns[one] = values
            continue
        if len(several) != values.shape[1]:
            several = [f"{one}_{place}" for place in range(values.shape[1])]
        columns |= dict(zip(several, values.T, strict=True))
    return columns
