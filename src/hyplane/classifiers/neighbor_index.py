"""Exact nearest neighbours among many points, at any radius."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._products import ProductFilter, Rows
from hyplane.classifiers._shells import ShellTrees
from hyplane.geometry import check_points, distance
from hyplane.solvers import Points

LARGEST_TREE_RADIUS = 30.0
# Beyond this dimension neighbours are so far apart that k-d trees look at nearly all points: with a
# million points of dimension 5 a query took three times as long as by products of matrices.
LARGEST_TREE_DIMENSION = 3
# Among fewer points than this products are faster in any dimension.
FEWEST_FOR_TREES = 2000


@dataclass(frozen=True, eq=False)
class NeighborIndex:
    """An index of points that answers which are nearest, exactly.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        The points to store.
    coordinates : str, default="ball"
        Their chart: one of `hyplane.geometry.CHARTS`.
    curvature : float, default=-1.0
        A negative number.
    algorithm : {"auto", "tree", "brute"}, default="auto"
        "tree": one Euclidean k-d tree per shell of radii. "brute": all products, by BLAS. Both
        only propose candidates, with a proof that no other point is nearer; the distances are those
        of `hyplane.geometry.distance`. "auto" takes trees up to dimension 3.

    Notes
    -----
    Trees. With radii r and s and the chord χ between two directions,
    ``4 sinh²(d/2) ≥ (r - s)² + sinh r sinh s χ²``. Within a shell of radii above ``a``, the right
    side is at least ``min(sinh² t, sinh r sinh a)`` times the squared Euclidean distance of the
    vectors ``(direction, radius / sinh t)``, with t the middle of the shell. A k-d tree returns
    points by that Euclidean distance; when it reaches the bound of the k-th best distance, no point
    of the shell that was not returned can be nearer. The innermost shell does the same with ball
    coordinates, where ``sinh(d/2) ≥ |b - c| / sqrt(1 - |b|²)``.

    Brute. The order of distances is that of Minkowski products. One product of matrices gives them
    with a known bound of their rounding errors, and every point that the bound does not exclude is
    a candidate.

    Examples
    --------
    >>> index = NeighborIndex([[0.0, 0.0], [0.5, 0.0], [0.9, 0.0]])
    >>> distances, rows = index.query([[0.4, 0.0]], 2)
    >>> distances.round(3), rows
    (array([[0.251, 0.847]]), array([[1, 0]]))
    """

    X: Array
    coordinates: str = "ball"
    curvature: float = field(default=-1.0, kw_only=True)
    algorithm: str = field(default="auto", kw_only=True)

    def __post_init__(self) -> None:
        if self.algorithm not in ("auto", "tree", "brute"):
            raise ValueError(
                f"algorithm must be 'auto', 'tree' or 'brute'; got {self.algorithm!r}."
            )
        X = check_points(self.X, self.coordinates, curvature=self.curvature)
        object.__setattr__(self, "X", X)
        if self.algorithm == "auto":
            n_dim = Points.from_chart(X[:1], self.coordinates, curvature=self.curvature).n_dim
            many = len(X) >= FEWEST_FOR_TREES and n_dim <= LARGEST_TREE_DIMENSION
            object.__setattr__(self, "algorithm", "tree" if many else "brute")

    @cached_property
    def _filter(self) -> ShellTrees | ProductFilter:
        """What proposes candidates; made for the first query."""
        points = Points.from_chart(self.X, self.coordinates, curvature=self.curvature)
        # On a line, or far out on one ray, the coordinates of the shells underflow: products then.
        shells = points.n_dim > 1 and points.radius.max() <= LARGEST_TREE_RADIUS
        return ShellTrees(points) if self.algorithm == "tree" and shells else ProductFilter(points)

    def __len__(self) -> int:
        return len(self.X)

    def query(self, X: ArrayLike, k: int = 1, *, n_jobs: int | None = None) -> tuple[Array, Rows]:
        """Return the nearest stored points of each row.

        Parameters
        ----------
        X : array-like of shape (m, n_columns)
            Points of the same chart.
        k : int, default=1
            How many neighbours.
        n_jobs : int, default=None
            Threads of the trees; None means 1, -1 all processors.

        Returns
        -------
        distances : ndarray of shape (m, k)
            From the nearest on, in units of the space's own curvature.
        rows : ndarray of int of shape (m, k)
            Rows of the stored points. Of equal distances, the lower row comes first.
        """
        if not 1 <= k <= len(self.X):
            raise ValueError(
                f"{k} neighbours were asked for, but there are {len(self.X)} points: "
                "n_neighbors must be between 1 and that."
            )
        queries = check_points(X, self.coordinates, curvature=self.curvature)
        if queries.shape[1] != self.X.shape[1]:
            raise ValueError(
                f"X has {queries.shape[1]} columns but the stored points have {self.X.shape[1]}."
            )
        points = Points.from_chart(queries, self.coordinates, curvature=self.curvature)
        root = np.sqrt(-self.curvature)

        def exact(of: Rows, stored: Rows) -> Array:
            apart = distance(
                queries[of],
                self.X[stored],
                coordinates=self.coordinates,
                curvature=self.curvature,
            )
            return np.asarray(apart * root)

        distances, rows = self._filter.nearest(points, k, exact, n_jobs or 1)
        distances /= root
        return distances, rows
