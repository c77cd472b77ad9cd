"""Nearest neighbours in hyperbolic distance, and classification by their votes."""

from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._probabilistic import ProbabilisticClassifier, class_shares, scaled_points
from hyplane.geometry import check_points, distance
from hyplane.solvers import Points


@dataclass(eq=False)
class NeighborIndex:
    """Index of points for exact queries of nearest neighbours.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        The points to store.
    coordinates : str, default="ball"
        Their chart: one of `hyplane.geometry.CHARTS`.
    curvature : float, default=-1.0
        A negative number.
    algorithm : {"auto", "tree", "brute"}, default="auto"
        "tree": a Euclidean k-d tree of the points of the Poincaré ball. "brute": all products, by
        BLAS. Both only propose candidates, and no other point can be nearer; the distances are
        those of `hyplane.geometry.distance`. "auto" takes a tree for 5000 points or more up to
        dimension 4 and radius 30.

    Notes
    -----
    Tree. In the Poincaré ball the points within a hyperbolic distance of a query form a Euclidean
    ball, whose centre is not the query. The distances of some Euclidean neighbours bound the k-th
    smallest distance, and all points in the Euclidean ball of that distance are candidates.

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
        self.X = check_points(self.X, **self._chart)
        if self.algorithm == "auto":
            # Among fewer points, or in higher dimensions, products of matrices are faster. Beyond
            # radius 30 the ball has too few digits.
            points = self._points
            tree = len(points) >= 5000 and points.n_dim <= 4 and points.radius.max() <= 30.0
            self.algorithm = "tree" if tree else "brute"

    def __len__(self) -> int:
        return len(self.X)

    def query(
        self, X: ArrayLike, k: int = 1, *, n_jobs: int | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return the nearest stored points of each row.

        Parameters
        ----------
        X : array-like of shape (m, n_columns)
            Points of the same chart.
        k : int, default=1
            How many neighbours.
        n_jobs : int, default=None
            Threads of the tree; None means 1, -1 all processors.

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
        queries = check_points(X, **self._chart)
        if queries.shape[1] != self.X.shape[1]:
            raise ValueError(
                f"X has {queries.shape[1]} columns but the stored points have {self.X.shape[1]}."
            )
        distances = np.empty((len(queries), k))
        rows = np.empty((len(queries), k), dtype=np.int64)
        step = max(1, 8_000_000 // len(self.X))  # at most 8 million pairs at a time
        for first in range(0, len(queries), step):
            chunk = slice(first, first + step)
            distances[chunk], rows[chunk] = self._nearest(queries[chunk], k, n_jobs or 1)
        return distances, rows

    @property
    def _chart(self) -> dict[str, Any]:
        return {"coordinates": self.coordinates, "curvature": self.curvature}

    @cached_property
    def _points(self) -> Points:
        return Points.from_chart(self.X, **self._chart)

    @cached_property
    def _tree(self) -> cKDTree:
        ball = _euclidean_ball(self._points, np.zeros(len(self)))[0]
        return cKDTree(ball, balanced_tree=False, compact_nodes=False)  # 5 times faster on a ring

    @cached_property
    def _vectors(self) -> tuple[Array, Array]:
        """Vectors whose products with a query are in the order of distances, and their errors."""
        points = self._points
        with np.errstate(under="ignore"):
            weight = np.exp(points.radius - points.radius.max())
            vectors = scaled_points(points) * weight[:, None]
        vectors[:, 1:] *= -1.0
        # Directions are unit vectors to rounding, and the sum has n + 1 terms of at most the
        # weight. Each is rounded to a multiple of the smallest number at least.
        double = np.finfo(np.float64)
        return vectors, 4.0 * (points.n_dim + 4) * (double.eps * weight + double.smallest_subnormal)

    def _nearest(self, queries: Array, k: int, n_jobs: int) -> tuple[Array, NDArray[np.int64]]:
        points = Points.from_chart(queries, **self._chart)
        candidates: list[Any]
        if self.algorithm == "tree":
            candidates = self._in_ball(queries, points, k, n_jobs)
        else:
            products = scaled_points(points) @ self._vectors[0].T
            candidates = [self._of_products(each, k) for each in products]
        sizes = np.array([len(each) for each in candidates])
        query, stored = np.repeat(np.arange(len(queries)), sizes), np.concatenate(candidates)
        apart = distance(queries[query], self.X[stored], **self._chart)
        order = np.lexsort((stored, apart, query))
        best = order[(np.cumsum(sizes) - sizes)[:, None] + np.arange(k)]
        return np.asarray(apart[best]), stored[best]

    def _in_ball(self, queries: Array, points: Points, k: int, n_jobs: int) -> list[list[int]]:
        """Return the points at most as far as the k-th best of some Euclidean neighbours."""
        n_near = min(2 * k + 2, len(self.X))
        repeated, unit = np.repeat(queries, n_near, axis=0), np.sqrt(-self.curvature)
        reach, bound = np.zeros(len(queries)), np.full(len(queries), np.inf)
        # Neighbours of the centre of a ball of nearly that size give a better bound.
        for share in (0.75, 0.9, 1.0 + 1e-9):
            centre, _ = _euclidean_ball(points, reach)
            near = self._tree.query(centre, np.arange(1, n_near + 1), workers=n_jobs)[1]
            apart = distance(repeated, self.X[near.ravel()], **self._chart).reshape(near.shape)
            bound = np.minimum(bound, np.partition(apart, k - 1, axis=1)[:, k - 1])
            reach = share * unit * bound
        centre, radius = _euclidean_ball(points, reach)
        return list(self._tree.query_ball_point(centre, radius + 1e-14, workers=n_jobs))

    def _of_products(self, products: Array, k: int) -> NDArray[np.int64]:
        """Return every point that the rounding errors leave among the k nearest."""
        error = self._vectors[1]
        # The k-th best of a sample bounds the k-th best of all; few points pass that first bound.
        step = max(1, min(16, len(self.X) // k))
        limit = np.partition(products[::step] + error[::step], k - 1)[k - 1]
        near = np.flatnonzero(products - error <= limit)
        limit = np.partition(products[near] + error[near], k - 1)[k - 1]
        return np.asarray(near[products[near] - error[near] <= limit])


def _euclidean_ball(points: Points, reach: Array) -> tuple[Array, Array]:
    """Return centres and radii in the Poincaré ball of all that is so near to each point."""
    low, high = np.tanh(0.5 * (points.radius - reach)), np.tanh(0.5 * (points.radius + reach))
    return (0.5 * (low + high))[:, None] * points.direction, 0.5 * (high - low)


class HyperbolicKNeighborsClassifier(ProbabilisticClassifier):
    """Nearest-neighbour classifier with exact hyperbolic distances at any radius.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours.
    weights : {"uniform", "distance"}, default="uniform"
        Whether all neighbours count the same, or each by the inverse of its distance.
    algorithm : {"auto", "tree", "brute"}, default="auto"
        How neighbours are found; the result is the same. See `hyplane.NeighborIndex`.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    n_jobs : int, default=None
        Threads that search trees; None means 1, -1 all processors.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    class_shares_ : ndarray of shape (n_classes,)
        Shares of the classes in the training rows.
    codes_ : ndarray of int of shape (n_samples,) or (n_samples, n_labels)
        Their classes, as numbers, or the indicator matrix.
    index_ : NeighborIndex
        The index of the training rows.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from hyplane import HyperbolicKNeighborsClassifier
    >>> X = [[0.0, 0.1], [0.1, 0.0], [0.8, 0.0], [0.9, 0.0]]
    >>> clf = HyperbolicKNeighborsClassifier(1).fit(X, ["inner", "inner", "outer", "outer"])
    >>> clf.predict([[0.0, 0.0], [0.85, 0.0]])
    array(['inner', 'outer'], dtype='<U5')
    """

    _saved = {  # noqa: RUF012
        "class_shares_": "finite[n_classes]",
        "index_": NeighborIndex,
        "index_.X": "finite[n_points, n_columns]",
        "codes_": "int[n_points, ...] from 0 to n_classes - 1",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"})],
        "algorithm": [StrOptions({"auto", "tree", "brute"})],
        **CHART_CONSTRAINTS,
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "uniform",
        algorithm: str = "auto",
        coordinates: str = "ball",
        curvature: float = -1.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.coordinates = coordinates
        self.curvature = curvature
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Store the rows in an index.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.

        Returns
        -------
        self : HyperbolicKNeighborsClassifier
        """
        X, targets, _, _ = self._rows(X, y, None)
        self.index_ = NeighborIndex(X, **self._chart, algorithm=self.algorithm)
        self.codes_ = targets.codes
        self.class_shares_ = class_shares(targets, None)
        self._store_classes(targets)
        return self

    def kneighbors(
        self, X: ArrayLike, n_neighbors: int | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return the nearest training rows of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        n_neighbors : int, default=None
            How many; None for the parameter of that name.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            From the nearest on, in units of the space's own curvature.
        rows : ndarray of int of shape (n_samples, n_neighbors)
        """
        X = self._check_rows(X)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        return self.index_.query(X, k, n_jobs=self.n_jobs)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the shares of the classes among the neighbours.

        The shares of the classes among all training rows count as one more neighbour, so that
        nothing is certain and ties go to the more frequent class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one. For an indicator matrix the columns are independent.
        """
        distances, rows = self.kneighbors(X)
        k = rows.shape[1]
        weight = np.ones_like(distances)
        if self.weights == "distance":
            with np.errstate(divide="ignore", invalid="ignore"):
                weight = distances[:, :1] / distances
            weight[np.isnan(weight)] = 1.0  # neighbours at distance 0, which alone count
            weight *= k / weight.sum(axis=1, keepdims=True)
        one_hot = np.eye(len(self.classes_))
        votes = np.tile(self.class_shares_, (len(rows), 1))
        for column in range(k):
            codes = self.codes_[rows[:, column]]
            labels = codes if self.decomposition_ == "multilabel" else one_hot[codes]
            votes += weight[:, [column]] * labels
        return np.asarray(votes / (k + 1.0))
