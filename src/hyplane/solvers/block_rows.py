"""Rows that are read block by block, as often as a solver asks for them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array, Ints, Mask
from hyplane._utils.validation import LabelError, codes_of, encoded, indicators_of, joined_labels
from hyplane.geometry import PointError
from hyplane.out_of_core import Block, Blocks
from hyplane.solvers import tuning
from hyplane.solvers.rows import Points, Rows, folds_by_class, random_keys

R = TypeVar("R")


@dataclass(frozen=True)
class Summary:
    """What one pass tells of all rows; rows of weight 0 do not count.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    counts, class_weights : ndarrays of shape (n_classes,)
        Rows of each class, or with each label, and the sum of their weights.
    n_counted : int
        Rows that count.
    total_weight : float
        The sum of their weights.
    n_dim : int
    largest_weight, largest_radius : float
    multilabel : bool
        Whether rows have several labels, and the classes are those.
    """

    classes: NDArray[Any]
    counts: NDArray[np.int64]
    class_weights: Array
    n_counted: int
    total_weight: float
    n_dim: int
    largest_weight: float
    largest_radius: float
    multilabel: bool

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Add up the summaries of blocks."""
        classes = np.unique(joined_labels(part.classes for part in parts))
        counts, class_weights = np.zeros(len(classes), dtype=np.int64), np.zeros(len(classes))
        for part in parts:
            places = np.searchsorted(classes, part.classes)
            counts[places] += part.counts
            class_weights[places] += part.class_weights
        total_weight = sum(part.total_weight for part in parts)
        if not np.isfinite(total_weight):
            raise ValueError("sample_weight adds up to more than the largest double: divide it.")
        return cls(
            classes,
            counts,
            class_weights,
            sum(part.n_counted for part in parts),
            total_weight,
            max(part.n_dim for part in parts),
            max(part.largest_weight for part in parts),
            max(part.largest_radius for part in parts),
            any(part.multilabel for part in parts),
        )


class OutOfCoreRows:
    """Rows that are read block by block, as often as they are asked for.

    Attributes
    ----------
    blocks : Blocks
        Blocks of `Rows`.
    summary : Summary
    seed : int
        Seed of the sample.
    """

    def __init__(self, blocks: Blocks, summary: Summary, seed: int) -> None:
        self.blocks, self.summary, self.seed = blocks, summary, seed

    @classmethod
    def read(cls, blocks: Blocks, coordinates: str, curvature: float, seed: int) -> Self:
        """Convert the rows of blocks, in one pass that also counts them by class."""
        converted = blocks.prepared(_converted, coordinates, curvature)
        parts = [part for part in converted.map(_summarised) if part is not None]
        if not parts:
            raise ValueError(
                "no points, or all rows have sample_weight 0: at least one row is needed."
            )
        summary = Summary.join(parts)
        return cls(converted.prepared(_relabelled, summary.classes), summary, seed)

    @property
    def n_dim(self) -> int:
        """The dimension of the space."""
        return self.summary.n_dim

    def map(self, function: Callable[..., R], *args: Any) -> Iterator[R]:
        """Yield the function of each block that has rows."""
        return (part for part in self.blocks.map(_if_any, function, args) if part is not None)

    def weighted(self, class_weights: Array | None) -> Self:
        """Return the rows with their weights multiplied by those of the classes."""
        if class_weights is None:
            return self
        summary = replace(
            self.summary,
            class_weights=self.summary.class_weights * class_weights,
            largest_weight=self.summary.largest_weight * float(class_weights.max()),
        )
        return type(self)(self.blocks.prepared(Rows.weighted, class_weights), summary, self.seed)

    def with_folds(self, n_folds: int, seed: int) -> Self:
        """Return the rows with a fold for each; see `folds_by_class`."""
        before, starts = np.zeros(len(self.summary.classes), dtype=np.int64), {}
        for first, counts in self.map(_counts, len(before)):
            starts[first] = before
            before = before + counts
        return type(self)(
            self.blocks.prepared(_with_folds, starts, n_folds, seed), self.summary, self.seed
        )

    @cached_property
    def sample(self) -> Rows:
        """A sample, the same for every division into blocks; weights say what a row stands for.

        Rows of each class are drawn in proportion to their weights, the heaviest always. Whether a
        row is taken depends on its position among all rows and on the seed.
        """
        summary, per_weight = self.summary, _shares(self.summary)
        rows = Rows.join(list(self.map(_drawn, per_weight, self.seed)))
        given = 1.0 if rows.weights is None else rows.weights
        weights = given / _shares_of_rows(rows, per_weight)
        if not summary.multilabel:
            drawn = np.bincount(rows.codes, weights, minlength=len(summary.classes))
            weights *= (summary.class_weights / np.maximum(drawn, np.finfo(float).tiny))[rows.codes]
        rows.data.set_largest_radius(summary.largest_radius)
        return replace(rows, weights=weights)


@contextmanager
def naming_rows(block: Block, kept: Mask | None = None) -> Iterator[None]:
    """Name the row of an error about points or labels as all rows are counted, and its file."""
    try:
        yield
    except (PointError, LabelError) as error:
        row = error.row if kept is None else int(np.flatnonzero(kept)[error.row])
        if isinstance(error, LabelError):
            raise ValueError(f"{block.name_of_row(row)} {error.message}") from error
        there = f" (row {block.first_of_file + row} of {block.file})" if block.file else ""
        raise replace(error, row=block.first + row, name=f"X{there}") from error


def _converted(block: Block, coordinates: str, curvature: float) -> Rows:
    """Check and convert the rows of a block that count; codes are indices of the block's labels."""
    X, y, weight = block.X, block.y, block.weight
    if y is None:
        raise ValueError("a fit needs labels: y is missing.")
    y = y[:, 0] if getattr(y, "shape", ())[1:] == (1,) else y
    if isinstance(y, np.ndarray) and y.ndim > 2:
        raise ValueError(f"y has {y.ndim} axes; labels are a column or an indicator matrix.")
    if len(y) != len(X):
        raise ValueError(f"a block has {len(X)} rows of X and {len(y)} labels.")
    numbers, kept = np.arange(block.first, block.first + len(X)), None
    if weight is not None:
        weight = np.asarray(weight, dtype=np.float64)
        bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0.0)))
        if bad.size:
            raise ValueError(
                f"{block.name_of_row(int(bad[0]))} has sample_weight {weight[bad[0]]}; weights are "
                "finite and not negative."
            )
        kept = weight > 0.0
        X, y, weight, numbers = X[kept], y[kept], weight[kept], numbers[kept]
    if not len(X):
        return Rows(None, np.empty(0, np.int32))
    with naming_rows(block, kept):
        points = Points.from_chart(X, coordinates, curvature=curvature, pack=True)
        if isinstance(y, np.ndarray) and y.ndim == 2:
            return Rows(points, indicators_of(y), weight, None, numbers, np.arange(y.shape[1]))
        classes, codes = encoded(y)
        return Rows(points, codes, weight, None, numbers, classes)


def _summarised(rows: Rows) -> Summary | None:
    if rows.data is None or rows.classes is None:
        return None
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    if rows.codes.ndim == 2:
        counts, class_weights = np.count_nonzero(rows.codes, axis=0), weights @ rows.codes
    else:
        counts = np.bincount(rows.codes, minlength=len(rows.classes))
        class_weights = np.bincount(rows.codes, weights, minlength=len(rows.classes))
    return Summary(
        rows.classes,
        counts,
        class_weights,
        len(rows),
        float(weights.sum()),
        rows.n_dim,
        float(weights.max()),
        rows.data.largest_radius,
        rows.codes.ndim == 2,
    )


def _relabelled(rows: Rows, classes: NDArray[Any]) -> Rows:
    """Return a block whose codes are indices of the classes of all rows."""
    own = rows.classes
    if own is None or rows.numbers is None or rows.codes.ndim == 2 or np.array_equal(classes, own):
        return rows
    try:
        return replace(rows, codes=codes_of(own, classes).astype(np.int32)[rows.codes])
    except LabelError as error:
        row = rows.numbers[np.argmax(rows.codes == error.row)]
        raise ValueError(
            f"row {row} {error.message} It had another label in the first pass. Do not change "
            "labels during a fit."
        ) from error


def _if_any(rows: Rows, function: Callable[..., R], args: tuple[Any, ...]) -> R | None:
    return None if rows.data is None else function(rows, *args)


def _counts(rows: Rows, n_classes: int) -> tuple[int, Ints]:
    assert rows.numbers is not None
    return int(rows.numbers[0]), np.bincount(rows.codes, minlength=n_classes)


def _with_folds(rows: Rows, before: dict[int, Ints], n_folds: int, seed: int) -> Rows:
    if rows.data is None or rows.numbers is None:
        return rows
    before_these = before[int(rows.numbers[0])]
    return replace(rows, folds=folds_by_class(rows.codes, n_folds, seed, before_these))


def _shares(summary: Summary) -> Array:
    """Return the share of the rows of each class to draw, per unit of their weights.

    For several labels a row there is one more share, of all rows.
    """
    counts, weights = summary.counts, summary.class_weights
    if summary.multilabel:
        counts = np.append(counts, summary.n_counted)
        weights = np.append(weights, summary.total_weight)
    n_rows = tuning.MOST_SAMPLED
    if len(counts) >= tuning.MANY_CLASSES and summary.n_counted > n_rows:
        # The problem of each class is solved on all rows of the sample.
        n_rows = tuning.SAMPLE_ROWS
    most = min(n_rows, tuning.MOST_SAMPLED_NUMBERS // (summary.n_dim + 1)) // len(counts)
    most = max(tuning.LEAST_OF_A_CLASS, min(most, tuning.SAMPLE_ROWS // 2))
    shares: Array = np.full(len(counts), np.inf)
    np.divide(most, weights, out=shares, where=counts > most)
    return shares


def _shares_of_rows(rows: Rows, per_weight: Array) -> Array:
    """Return the share that each row is drawn with."""
    share: Array = per_weight[rows.codes]
    if rows.codes.ndim == 2:
        share = np.where(rows.codes != 0, per_weight[:-1], per_weight[-1]).max(axis=1)
    share = share if rows.weights is None else share * rows.weights
    return np.asarray(np.minimum(share, 1.0))


def _drawn(rows: Rows, per_weight: Array, seed: int) -> Rows:
    """Return the rows of a block that are in the sample."""
    assert rows.numbers is not None
    share = _shares_of_rows(rows, per_weight)
    return rows.take(np.flatnonzero(random_keys(rows.numbers, seed) < share))
