"""Candidates from all Minkowski products, with a bound of their rounding errors."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.solvers import Points

Rows = NDArray[np.int64]
# Distances at curvature -1 of pairs of a query and a stored point, by their rows.
ExactDistances: TypeAlias = Callable[[Rows, Rows], Array]
# Numbers in one block of products.
BLOCK = 8_000_000
# One point in so many is looked at first.
SAMPLE = 16
EPS = float(np.finfo(np.float64).eps)
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


def k_best(distances: Array, rows: Rows, k: int) -> tuple[Array, Rows]:
    """Return the k smallest distances of each row of a matrix, equal ones by the lower number.

    Examples
    --------
    >>> k_best(np.array([[2.0, 1.0, 1.0]]), np.array([[0, 5, 4]]), 2)
    (array([[1., 1.]]), array([[4, 5]]))
    """
    order = np.lexsort((rows, distances), axis=1)[:, :k]
    return np.take_along_axis(distances, order, 1), np.take_along_axis(rows, order, 1)


class ProductFilter:
    """Points as vectors of Minkowski space, each scaled so that nothing overflows.

    With ``q̃ = exp(-r) q`` and ``x̃ = exp(s - 2S) · 2 exp(-s) x``, S being the largest radius, the
    products ``q̃*x̃`` of one query are in the order of its distances.
    """

    def __init__(self, points: Points) -> None:
        self.n_points = len(points)
        with np.errstate(under="ignore"):
            self.weight = np.exp(points.radius - points.radius.max())
            self.vectors = _scaled(points) * self.weight[:, None]
        self.vectors[:, 1:] *= -1.0
        # Directions are unit vectors to rounding, and the sum has n + 1 terms of at most the
        # weight. Each is rounded to a multiple of the smallest number at least.
        self.error = 4.0 * (points.n_dim + 4) * (EPS * self.weight + SMALLEST)

    def nearest(
        self, queries: Points, k: int, exact: ExactDistances, n_jobs: int
    ) -> tuple[Array, Rows]:
        """Return distances at curvature -1 and rows of the k nearest points of each query."""
        distances = np.empty((len(queries), k))
        rows = np.empty((len(queries), k), dtype=np.int64)
        step = max(1, BLOCK // self.n_points)
        for first in range(0, len(queries), step):
            block = _scaled(queries[first : first + step]) @ self.vectors.T
            candidates = [self._candidates(products, k) for products in block]
            sizes = np.array([len(each) for each in candidates])
            number = np.repeat(np.arange(len(block)), sizes)
            stored = np.concatenate(candidates)
            true = exact(first + number, stored)
            order = np.lexsort((stored, true, number))
            starts = np.cumsum(sizes) - sizes
            best = order[starts[:, None] + np.arange(k)]
            distances[first : first + step], rows[first : first + step] = true[best], stored[best]
        return distances, rows

    def _candidates(self, products: Array, k: int) -> Rows:
        """Return every point that the rounding errors leave among the k nearest."""
        if k == self.n_points:
            return np.arange(k)
        # The k-th best of a sample bounds the k-th best of all; few points pass that first bound.
        step = max(1, min(SAMPLE, self.n_points // k))
        limit = np.partition(products[::step] + self.error[::step], k - 1)[k - 1]
        near = np.flatnonzero(products - self.error <= limit)
        at_most = products[near] + self.error[near]
        limit = np.partition(at_most, k - 1)[k - 1]
        return np.asarray(near[products[near] - self.error[near] <= limit])


def _scaled(points: Points) -> Array:
    """Return ``2 exp(-r) x`` with x on the hyperboloid."""
    with np.errstate(under="ignore"):
        small = np.exp(-2.0 * points.radius)
    return np.column_stack([1.0 + small, (1.0 - small)[:, None] * points.direction])
