"""Candidates from Euclidean k-d trees, one per shell of radii."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from hyplane._utils.typing import Array, Mask
from hyplane.classifiers._products import ExactDistances, Rows, k_best
from hyplane.geometry.numerics import LOG_2, log_sinh
from hyplane.solvers import Points

# The radius of the innermost shell, and the largest width of the others but those of few points.
CORE_RADIUS = 1.0
WIDTH = 1.0
FEWEST_POINTS = 64
# Bounds are loosened by this much for rounding.
SLACK = 1e-9


@dataclass(frozen=True)
class Shell:
    """Points between two radii.

    Attributes
    ----------
    rows : ndarray of int
        Where the points are in the data.
    low, high : float
        Smallest and largest radius.
    tree : cKDTree
        Of ball coordinates in the core, else of ``(direction, radius / sinh t)``.
    core : bool
    """

    rows: Rows
    low: float
    high: float
    tree: cKDTree
    core: bool

    @property
    def log_scale(self) -> float:
        """``log sinh t`` of the middle of the shell."""
        return float(log_sinh(np.array(0.5 * (self.low + self.high))))

    def gap(self, radius: Array) -> Array:
        """Return the least distance of points of these radii to the shell."""
        return np.maximum(0.0, np.maximum(self.low - radius, radius - self.high))

    def reach(self, radius: Array, distance: Array) -> Array:
        """Return the Euclidean distance at which a neighbour is surely beyond a distance."""
        sine = log_sinh(0.5 * distance)
        if self.core:
            scale = 0.5 * radius + np.log1p(np.exp(-radius)) - LOG_2  # log cosh(r/2)
        else:
            low = log_sinh(np.array(self.low))
            scale = np.minimum(self.log_scale, 0.5 * (log_sinh(radius) + low)) - LOG_2
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(sine - scale) * (1.0 + SLACK))


class ShellTrees:
    """The shells of a set of points."""

    def __init__(self, points: Points) -> None:
        self.n_points = len(points)
        self.shells = [_shell(points, rows) for rows in _divide(points.radius)]

    def nearest(
        self, queries: Points, k: int, exact: ExactDistances, n_jobs: int
    ) -> tuple[Array, Rows]:
        """Return distances at curvature -1 and rows of the k nearest points of each query.

        Each query visits the shells from the nearest in radius on, until the next one is farther
        than its k-th neighbour.
        """
        gaps = np.stack([shell.gap(queries.radius) for shell in self.shells], axis=1)
        order = np.argsort(gaps, axis=1, kind="stable")
        distances = np.full((len(queries), k), np.inf)
        rows = np.full((len(queries), k), self.n_points, dtype=np.int64)
        for step in range(len(self.shells)):
            which = order[:, step]
            gap = np.take_along_axis(gaps, which[:, None], 1)[:, 0]
            active = gap <= distances[:, -1] * (1.0 + SLACK)
            if not active.any():
                break
            for number in np.unique(which[active]):
                visitors = np.flatnonzero(active & (which == number))
                self._visit(self.shells[number], queries, visitors, exact, distances, rows, n_jobs)
        return distances, rows

    def _visit(
        self,
        shell: Shell,
        queries: Points,
        visitors: Rows,
        exact: ExactDistances,
        distances: Array,
        rows: Rows,
        n_jobs: int,
    ) -> None:
        """Improve the neighbours of some queries by the points of one shell, in place."""
        k = distances.shape[1]
        n_candidates = min(2 * k + 2, len(shell.rows))
        embedded = _embed(queries[visitors], shell.core, shell.log_scale)
        while visitors.size:
            apart, found = shell.tree.query(embedded, n_candidates, workers=n_jobs)
            apart, found = apart.reshape(len(visitors), -1), found.reshape(len(visitors), -1)
            candidates = shell.rows[found]
            true = exact(np.repeat(visitors, n_candidates), candidates.ravel())
            # Those found in an earlier, smaller round are in both lists: they count once.
            known = _contained(candidates, rows[visitors])
            true = np.where(known, np.inf, true.reshape(candidates.shape))
            distances[visitors], rows[visitors] = k_best(
                np.hstack([distances[visitors], true]),
                np.hstack([rows[visitors], np.where(known, self.n_points, candidates)]),
                k,
            )
            if n_candidates == len(shell.rows):
                return
            reach = shell.reach(queries.radius[visitors], distances[visitors, -1])
            unsure = apart[:, -1] <= reach
            visitors, embedded = visitors[unsure], embedded[unsure]
            n_candidates = min(4 * n_candidates, len(shell.rows))


def _contained(candidates: Rows, rows: Rows) -> Mask:
    """Tell which candidates are among the rows already found."""
    known = np.zeros(candidates.shape, dtype=bool)
    for column in rows.T:
        known |= candidates == column[:, None]
    return known


def _divide(radius: Array) -> list[Rows]:
    """Cut the points into shells by their radii."""
    order = np.argsort(radius, kind="stable").astype(np.int64)
    sorted_radius = radius[order]
    first = int(np.searchsorted(sorted_radius, CORE_RADIUS, side="right"))
    parts = [order[:first]] if first else []
    while first < len(order):
        last = int(np.searchsorted(sorted_radius, sorted_radius[first] + WIDTH, side="right"))
        last = max(last, min(first + FEWEST_POINTS, len(order)))
        parts.append(order[first:last])
        first = last
    return parts


def _shell(points: Points, rows: Rows) -> Shell:
    part = points[rows]
    low, high = float(part.radius.min()), float(part.radius.max())
    core = low <= CORE_RADIUS
    log_scale = float(log_sinh(np.array(0.5 * (low + high))))
    embedded = _embed(part, core, log_scale)
    tree = cKDTree(embedded, balanced_tree=False, compact_nodes=False)
    return Shell(rows, low, high, tree, core)


def _embed(points: Points, core: bool, log_scale: float) -> Array:
    if core:
        return np.asarray(np.tanh(0.5 * points.radius)[:, None] * points.direction)
    return np.column_stack([points.direction, points.radius * np.exp(-log_scale)])
