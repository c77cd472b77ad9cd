"""Scores of rows left out, block by block: their histograms, and sums for Platt's sigmoid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from hyplane._utils.typing import Array, Ints
from hyplane.classifiers._score_functions import klein_scores
from hyplane.metrics import METRICS
from hyplane.native import core
from hyplane.out_of_core import Blocks
from hyplane.solvers import BlockSample, Hyperplanes, PackedRows, ReadyBlock

# Bins of a histogram, and of all histograms of a block together: 64 MB.
_MOST_BINS, _LEAST_BINS, _ALL_BINS = 8192, 256, 1 << 22
# Rows that are scored at a time.
_CHUNK = 1 << 16


@dataclass(frozen=True)
class FoldScores:
    """What rows are scored by: for each column a hyperplane of each fold.

    Attributes
    ----------
    planes : list of Hyperplanes
        For each fold one hyperplane per column, fitted without the rows of that fold.
    sides : list of (int, int)
        For each column the class on the positive side, and on the other: -1 for all others.
    klein : list of bool
        Whether a column has the Klein score.
    """

    planes: list[Hyperplanes]
    sides: list[tuple[int, int]]
    klein: list[bool]

    def taking(self, columns: Sequence[int]) -> "FoldScores":
        """Return some of the columns."""
        at = list(columns)
        return FoldScores(
            [
                Hyperplanes(each.log_scale[at], each.offset[at], each.normal[at])
                for each in self.planes
            ],
            [self.sides[column] for column in at],
            [self.klein[column] for column in at],
        )

    def of(
        self, points: core.PackedPoints, codes: NDArray[np.int32], folds: NDArray[np.int32]
    ) -> Iterator[tuple[Ints, NDArray[np.int8], Array]]:
        """Score rows, chunk by chunk.

        Yields
        ------
        rows : ndarray of int of shape (m,)
        labels : ndarray of int8 of shape (m, n_columns)
            1, -1, or 0 for a row that does not count.
        scores : ndarray of shape (m, n_columns)
        """
        klein = np.array(self.klein)
        for fold, planes in enumerate(self.planes):
            own = np.flatnonzero(folds == fold)
            for first in range(0, len(own), _CHUNK):
                rows = own[first : first + _CHUNK]
                part = PackedRows(points.take(rows))
                scores = part.scores(planes)
                if klein.any():
                    scores[:, klein] = klein_scores(scores[:, klein], part.radius)
                yield rows, self._labels(codes[rows]), scores

    def _labels(self, codes: NDArray[np.int32]) -> NDArray[np.int8]:
        positive, negative = np.array(self.sides).T
        labels: NDArray[np.int8] = (codes[:, None] == positive).astype(np.int8)
        others = (codes[:, None] == negative) | (negative < 0)
        labels[others & (labels == 0)] = -1
        return labels


@dataclass(frozen=True)
class Histogram:
    """How much weight of either label has scores in each bin.

    Attributes
    ----------
    centers : ndarray of shape (n_bins,)
        A score in each bin, ascending.
    positive, negative : ndarray of shape (n_bins,)
        Sums of weights.
    """

    centers: Array
    positive: Array
    negative: Array

    def times(self, unit: float) -> "Histogram":
        """Return the histogram of other weights."""
        return Histogram(self.centers, unit * self.positive, unit * self.negative)

    @property
    def as_rows(self) -> tuple[Array, NDArray[np.int8], Array]:
        """Scores, labels and weights of rows that stand for the bins."""
        weights = np.concatenate([self.positive, self.negative])
        labels = np.repeat(np.array([1, -1], dtype=np.int8), len(self.centers))
        kept = weights > 0
        return np.tile(self.centers, 2)[kept], labels[kept], weights[kept]

    @property
    def spread(self) -> float:
        """The standard deviation of the scores."""
        scores, _, weights = self.as_rows
        center = np.average(scores, weights=weights)
        return float(np.sqrt(np.average((scores - center) ** 2, weights=weights)))

    def metric(self, name: str) -> float:
        """Return a metric of the scores, those of one bin taken to be equal.

        Examples
        --------
        >>> Histogram(np.array([0.0, 1.0]), np.array([0.0, 2.0]), np.array([3.0, 0.0])).metric(
        ...     "average_precision"
        ... )
        1.0
        """
        scores, labels, weights = self.as_rows
        return METRICS[name](labels, scores, weights)


def histograms(blocks: Blocks, sample: BlockSample, scorer: FoldScores) -> list[Histogram]:
    """Count scores in bins that hold about equal parts of either label of a sample.

    Parameters
    ----------
    blocks : Blocks
        Blocks of `ReadyBlock` with folds.
    sample : BlockSample
        Of these blocks. Where no more rows than bins are in all, every score has its own bin.
    scorer : FoldScores

    Returns
    -------
    histograms : list of Histogram
        One per column.
    """
    n_bins = int(np.clip(_ALL_BINS // len(scorer.sides), _LEAST_BINS, _MOST_BINS))
    bins = _bins_of(sample, scorer, n_bins)
    total: list[Array] | None = None
    for part in blocks.map(_counts_of_block, scorer, [edges for edges, _ in bins]):
        if part is not None:
            total = part if total is None else [a + b for a, b in zip(total, part, strict=True)]
    assert total is not None  # there are rows
    return [
        Histogram(centers, counts[1], counts[0])
        for (_, centers), counts in zip(bins, total, strict=True)
    ]


def _bins_of(sample: BlockSample, scorer: FoldScores, n_bins: int) -> list[tuple[Array, Array]]:
    """Return for each column the inner edges of the bins, and a score in each bin."""
    assert sample.folds is not None
    parts = list(scorer.of(sample.points, sample.codes, sample.folds))
    labels = np.concatenate([part[1] for part in parts])
    scores = np.concatenate([part[2] for part in parts])
    found = []
    for k in range(len(scorer.sides)):
        chosen = []
        for sign in (1, -1):
            own = np.sort(scores[labels[:, k] == sign, k])
            if not sample.complete or len(own) > n_bins // 2:
                # Half the bins for each label, between the scores of the sample if need be.
                at = np.linspace(0, len(own) - 1, n_bins // 2)
                own = np.interp(at, np.arange(len(own)), own)
            chosen.append(own)
        centers = np.unique(np.concatenate(chosen))
        found.append(((centers[1:] + centers[:-1]) / 2.0, centers))
    return found


def _counts_of_block(
    block: ReadyBlock, scorer: FoldScores, edges: list[Array]
) -> list[Array] | None:
    if block.points is None or block.folds is None:
        return None
    weights = np.ones(len(block)) if block.weights is None else block.weights
    counts = [np.zeros((2, len(each) + 1)) for each in edges]
    for rows, labels, scores in scorer.of(block.points, block.codes, block.folds):
        for k, inner in enumerate(edges):
            counted = labels[:, k] != 0
            positive = labels[counted, k] > 0
            place = np.searchsorted(inner, scores[counted, k]) + positive * (len(inner) + 1)
            counts[k] += np.bincount(
                place, weights[rows][counted], minlength=2 * len(inner) + 2
            ).reshape(2, -1)
    return counts


def sigmoid_sums(blocks: Blocks, scorer: FoldScores, sigmoids: Array, targets: Array) -> Array:
    """Return the cross entropy of sigmoids and targets, its gradient and its Hessian.

    Parameters
    ----------
    blocks : Blocks
        Blocks of `ReadyBlock` with folds.
    scorer : FoldScores
    sigmoids : ndarray of shape (n_columns, 2)
        Slope and intercept.
    targets : ndarray of shape (n_columns, 2)
        What the probability of a row of the label 1, and of the label -1, should be.

    Returns
    -------
    sums : ndarray of shape (n_columns, 6)
        The value, its derivatives by slope and intercept, and the second derivatives by slope, by
        both, and by intercept.
    """
    parts = blocks.map(_sigmoid_sums_of_block, scorer, sigmoids, targets)
    return np.asarray(sum(part for part in parts if part is not None))


def _sigmoid_sums_of_block(
    block: ReadyBlock, scorer: FoldScores, sigmoids: Array, targets: Array
) -> Array | None:
    if block.points is None or block.folds is None:
        return None
    weights = np.ones(len(block)) if block.weights is None else block.weights
    sums = np.zeros((len(sigmoids), 6))
    for rows, labels, scores in scorer.of(block.points, block.codes, block.folds):
        log_odds = scores * sigmoids[:, 0] + sigmoids[:, 1]
        wanted = np.where(labels > 0, targets[:, 0], targets[:, 1])
        weight = weights[rows][:, None] * (labels != 0)
        probability = expit(log_odds)
        excess = weight * (probability - wanted)
        curvature = weight * probability * (1.0 - probability)
        terms = (
            weight * (np.logaddexp(0.0, log_odds) - wanted * log_odds),
            excess * scores,
            excess,
            curvature * scores**2,
            curvature * scores,
            curvature,
        )
        sums += np.array([each.sum(axis=0) for each in terms]).T
    return sums
